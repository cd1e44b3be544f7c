"""Sentences that replace one value with another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import choose_deadline
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.sdk.facts import format_number, scan_numbers

_REPLACES = re.compile(
    r"(?<!\w)(?:zamjenjuj\w{1,2}|mijenja\w{0,2} se i glas[ei]|umjesto|(?:is|are"
    r"|shall be) (?:hereby )?(?:replaced|substituted|amended to read)"
    r"|replaced (?:by|with)|substitut(?:e|ed|ing|ion)|strik(?:e|ing)|instead of|in lieu of"
    r"|were a reference to|ersetzt|ersetzen"
    r"|an die stelle|tritt an)(?!\w)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?<!\w)(?:(?:mijenja|povećava|podiže|snižava|smanjuje|povisuje|raste|pada)(?:ju)?"
    r"|(?:is|are|be|hereby)\s+(?:increased|raised|reduced|lowered|changed|cut|amended)"
    r"|rises?|falls?|drops?|sinkt|steigt|fällt|angehoben|erhöht|gesenkt|geändert"
    r"|herabgesetzt)(?!\w)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    r"\s{0,3}(?:[^\W\d_]{3,14}\s)?(?:na|to|auf)\s{0,3}(?:iznos\s+(?:od\s+)?)?$", re.IGNORECASE
)
_FIRST = re.compile(r"(?<!\w)(?:s|sa|from|von|vom)\s{0,3}$", re.IGNORECASE)
_NEW_FIRST = re.compile(
    r"(?<!\w)(?:tritt an die stelle|treten an die stelle|substituting\b.{0,60}\bfor"
    r"|substitution\b.{0,60}\bof\b.{1,60}\bfor|in lieu of|were substituted for"
    r"|substituted [“\"'‘][^“”\"]{1,40}[”\"'’] for [“\"'‘]"
    r"|umjesto\b(?=[^„“\"»]{0,40}[„“\"»]"
    r"[^”“\"«]{1,60}[”“\"«]\s*\.?$))",
    re.IGNORECASE,
)
_NEW_FOR_OLD = re.compile(r"\W{0,3}[“\"'‘][^“”\"]{1,40}[”\"'’] for [“\"'‘]")
"""`“400 percent” for “200 percent”`, an item of a list of substitutions."""
_TAKES_PLACE = re.compile(r"an\s+die\s+stelle", re.IGNORECASE)
_QUOTED = re.compile(r"[„“\"»'‘]([^„“”\"»«'’]{1,80})[”“\"«»'’]")
_DAY_OF_MONTH = re.compile(
    r"(?<!\w)(?:dan\w?\s+u\s+mjesecu|day\s+of\s+the\s+month|tag\s+(?:der\s+\w+\s+)?im\s+monat"
    r"|tag\s+des)(?!\w)",
    re.IGNORECASE,
)
_IN_DAYS = re.compile(
    r"(?<!\w)(?:u\s+danima|days?|dana|tage\w?|\w{0,16}frist|rok\w{0,2})(?!\w)", re.IGNORECASE
)
_INSTRUCTS = re.compile(
    r"(?<!\w)(?:riječi?|broj|iznos|words?|figures?|expression|omit|delete\w?|angabe|wörter|wort"
    r"|zahl)"
    r"(?!\w)|^\W{0,3}(?:u|in)\s·",
    re.IGNORECASE,
)
"""The wording of a sentence that changes the text of another act."""
_APPLIED = re.compile(
    r"(?<!\w)(?:be|is)\sapplied(?:\sby\ssubstituting|[^.;]{0,80}—)", re.IGNORECASE
)
"""`subsection (a) shall be applied by substituting “15 percent” for “5 percent”`."""
_WORDS_FOR_WORDS = re.compile(
    r"(?<!\w)(?:riječi?|broj\w{0,4}|iznos\w{0,2}|postot\w{1,3})\W[^;]{1,400}?zamjenjuj\w{1,2}\s(?:se\s)?"
    r"(?:riječ|broj|iznos|postot)\w{0,4}(?!\w)",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"(?<!\w)(?:age\sof|attain(?:s|ed|ing)?|aged|reach(?:es|ed|ing)?)(?:\s\w{1,9}){0,3}\s$",
    re.IGNORECASE,
)
_HOW_LONG = re.compile(
    r"(?<!\w)(?:for|period|term|duration|longer\sthan|extended\sby)(?:\s[\w,]{1,12}){0,5}\s$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?<!\w)(?:time(?:\slimits?)?|periods?|deadlines?|retention|keep\w{0,3}|retain\w{0,3}|pay(?:ment|able)?|due"
    r"|appeals?|returns?|notices?|registration|refunds?|repayment)(?!\w)",
    re.IGNORECASE,
)
UNCLEAR = 0.83
"""The confidence of a new value of which only the amended act can tell what it means."""
_AMENDED = frozenset({FigureKind.PERCENT, FigureKind.SUM, FigureKind.TIME, FigureKind.DATE})
_SUMS = (
    ("penalty", cues.PENALTY),
    ("allowance", cues.ALLOWANCE),
    ("threshold", cues.THRESHOLD),
    ("fee", cues.FEE),
    ("base", cues.BASE),
    ("amount", cues.AMOUNT),
)


@dataclass(frozen=True, slots=True)
class Amendment:
    """The new value with its meaning, and the old one."""

    meaning: Meaning
    old: str


def find_amendments(clause: Clause, language: str | None) -> Iterator[Amendment]:
    """The changes that a sentence makes, if it names both values; one for each of its parts."""
    parts = dict.fromkeys(clause.part_of(one.start) for one in clause.figures)
    parts = parts if len(parts) > 1 else {(0, len(clause.text)): None}
    if not clause.figures and not _REPLACES.search(clause.masked):
        return
    for start, end in parts:
        pair = _find_pair(clause, language, start, end)
        if pair is None:
            continue
        old, new, confidence = pair
        meaning = _interpret_value(clause, new, language)
        yield Amendment(replace(meaning, confidence=min(confidence, meaning.confidence)), old.value)


def replaces_words(clause: Clause) -> bool:
    """`riječi: „do 5.000 dinara“ zamjenjuju se riječima …`: words of another text, old and new."""
    return _WORDS_FOR_WORDS.search(clause.masked) is not None


def _find_pair(
    clause: Clause, language: str | None, start: int, end: int
) -> tuple[Figure, Figure, float] | None:
    words = clause.masked[start:end]
    found = [one for one in clause.figures if one.kind in _AMENDED and start <= one.start < end]
    quoted = [one for one in found if _is_in_quotes(clause, one)]
    two_quoted = len(quoted) == 2 and quoted[0].kind is quoted[1].kind
    instructs = _INSTRUCTS.search(clause.masked) or _NEW_FOR_OLD.match(words)
    if _REPLACES.search(words) or (two_quoted and instructs):
        chosen = quoted if len(quoted) == 2 else found
        alike = len(chosen) == 2 and chosen[0].kind is chosen[1].kind is not FigureKind.DATE
        if alike or two_quoted:
            return _order_pair(clause, chosen[0], chosen[1], 0.95)
        return _find_bare_numbers(clause, language)
    if _CHANGES.search(words):
        for first, second in pairwise(found):
            before = clause.masked[max(0, first.start - 8) : first.start]
            between = clause.masked[first.end : second.start]
            if first.kind is second.kind and _FIRST.search(before) and _FROM_TO.fullmatch(between):
                return first, second, 0.93
    return None


def _is_in_quotes(clause: Clause, figure: Figure) -> bool:
    return any(
        match.start() < figure.start and figure.end < match.end()
        for match in _QUOTED.finditer(clause.masked)
    )


def _order_pair(
    clause: Clause, first: Figure, second: Figure, confidence: float
) -> tuple[Figure, Figure, float]:
    if _NEW_FOR_OLD.match(clause.masked):
        return second, first, confidence
    new_first = _NEW_FIRST.search(clause.masked)
    # "An die Stelle der Wörter „vier Wochen“ treten …" names the old words first.
    if (
        new_first
        and new_first.start() > 0
        and not _TAKES_PLACE.search(clause.masked, 0, first.start)
    ):
        return second, first, confidence
    return first, second, confidence


def _find_bare_numbers(clause: Clause, language: str | None) -> tuple[Figure, Figure, float] | None:
    """`„25” stoji „18” (dan u mjesecu)`: numbers whose unit is outside the quotes."""
    outside = _QUOTED.sub(" ", clause.masked)
    if _DAY_OF_MONTH.search(outside):
        unit = "day_of_month"
    elif _IN_DAYS.search(outside):
        unit = "days"
    else:
        return None
    found: list[Figure] = []
    for match in _QUOTED.finditer(clause.masked):
        numbers = scan_numbers(match[1].strip(), language)
        if len(numbers) != 1:
            return None
        start = clause.masked.index(match[1], match.start())
        number = numbers[0]
        value = format_number(number.readings[0])
        found.append(Figure(FigureKind.TIME, start + number.start, start + number.end, value, unit))
    if len(found) != 2:
        return None
    return _order_pair(clause, found[0], found[1], 0.9)


def _interpret_value(clause: Clause, new: Figure, language: str | None) -> Meaning:
    """What the value means, by the words around the quotes, otherwise by the heading."""
    outside = _QUOTED.sub(" ", clause.masked)
    if language == "en" and (known := _interpret_own_words(clause, new)):
        return known
    if new.kind is FigureKind.TIME:
        name, _ = choose_deadline(clause, new)
        if time_cues.KEEP.search(outside):
            name = "retention_period"
        return Meaning(new, name, "count", _rate_confidence(clause, new, name))
    if new.kind is FigureKind.DATE:
        name, _ = choose_deadline(clause, new)
        return Meaning(new, name, "date", _rate_confidence(clause, new, name))
    names = cues.SHARES if new.kind is FigureKind.PERCENT else _SUMS
    for words, confidence in ((outside, 0.95), (clause.lead, 0.88), (clause.heading, 0.85)):
        for name, pattern in names:
            match = pattern.search(words)
            bare = match and match[0].lower().startswith("iznos")
            headed = words is clause.heading and name in ("amount", "fee")
            if match and not (name == "amount" and bare) and not headed:
                return _build_meaning(new, name, confidence)
    # Only the other act can show which of its rates or sums this is.
    if new.kind is FigureKind.PERCENT:
        return Meaning(new, "rate", "percentage", _rate_unclear(clause))
    return Meaning(new, "amount", "currency", _rate_unclear(clause))


def _interpret_own_words(clause: Clause, new: Figure) -> Meaning | None:
    """What the new words themselves say a time is; a bare `“28 days”` may be anything."""
    if new.kind not in (FigureKind.TIME, FigureKind.DATE):
        return None
    opened = max(clause.masked.rfind(mark, 0, new.start) for mark in '“"‘„')
    own = clause.masked[opened + 1 : new.start]
    if _AGE.search(own):
        return Meaning(new, "threshold", "threshold", 0.88, "gte")
    if time_cues.WITHIN.search(own) or time_cues.BY.search(own):
        return None
    if new.kind is FigureKind.TIME and _HOW_LONG.search(own):
        return Meaning(new, "period", "count", 0.88)
    told = _TOLD.search(f"{_QUOTED.sub(' ', clause.masked)} {clause.lead} {clause.heading}")
    # Only the other act can show what it is.
    return None if told else Meaning(new, "deadline", "count", 0.75)


def _rate_unclear(clause: Clause) -> float:
    """Only a heading that names the matter, or an act that applies its own provision otherwise,
    states a value; everything else is a question to a person."""
    own = clause.heading in clause.title and "§" not in clause.title
    headed = len(clause.heading) > 8 and not own
    applied = _APPLIED.search(f"{clause.lead} {clause.masked}")
    return UNCLEAR if clause.article and (headed or applied) else 0.75


def _rate_confidence(clause: Clause, new: Figure, name: str) -> float:
    """`„u roku od 30 dana“` is a deadline by its own words; `„11 godina“` may be anything."""
    before = clause.masked[max(0, new.start - 30) : new.start]
    if name != "deadline":
        return 0.9
    return (
        0.84
        if time_cues.WITHIN.search(before) or time_cues.BY.search(before)
        else _rate_unclear(clause)
    )


def _build_meaning(new: Figure, name: str, confidence: float) -> Meaning:
    if name == "threshold":
        return Meaning(new, name, "threshold", confidence, "gt")
    kind = "percentage" if new.kind is FigureKind.PERCENT else "currency"
    return Meaning(new, name, kind, confidence)
