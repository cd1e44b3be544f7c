"""What each figure of a sentence says: which predicate, of which type, and how sure that is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import deadline_of
from assay.packs.regulatory.extractor.figures import Figure, Kind
from assay.packs.regulatory.extractor.silences import is_negated
from assay.packs.regulatory.extractor.subjects import mentions

_STRONG, _GOOD, _FAIR, _WEAK = 0.96, 0.92, 0.88, 0.82
_CLOSE = 30
"""Letters between a cue and its figure within which nothing else can be meant."""
_SPECIFIC_SHARES = (
    ("interest_rate", cues.INTEREST),
    ("penalty", cues.PENALTY),
    ("reduction", cues.REDUCTION),
    ("surcharge", cues.SURCHARGE),
    ("reduced_rate", cues.REDUCED),
)
_GENERAL_SHARES = (("rate", cues.RATE), ("base", cues.BASE), ("fee", cues.FEE))
_SPECIFIC_SUMS = (
    ("penalty", cues.PENALTY),
    ("allowance", cues.ALLOWANCE),
    ("reduction", cues.REDUCTION),
    ("surcharge", cues.SURCHARGE),
)
_GENERAL_SUMS = (("fee", cues.FEE), ("base", cues.BASE), ("amount", cues.AMOUNT))
_LINK = re.compile(
    r"\s{0,3}(?:,|i|ili|odnosno|te|do|and|or|to|und|oder|bis|bzw\.|,?\s(?:a|and|und))?\s{0,3}"
    r"(?:od|of|von|do|up to|bis zu)?\s{0,3}",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\s{0,3}(?:do|to|bis|und|and|i|–|-|—)(?:\s(?:najviše|zu|höchstens))?\s{0,3}", re.IGNORECASE
)
_OPENS_RANGE = re.compile(
    r"(?<!\w)(?:od|of|from|between|izmeđ?u|von|zwischen|iznosu od)\s{0,3}$", re.IGNORECASE
)
_NEXT = re.compile(
    r"[^%€;]{0,40}(?:,|\s(?:i|a|and|und|te))\s{1,3}(?:a\s|and\s|und\s|te\s)?(?:za|for|für|na|on"
    r"|auf|alle|all|sve|die"
    r"|der|the)\s[^;]{2,60}",
    re.IGNORECASE,
)
_FOR_EACH = re.compile(
    r"\s(?:für|za|for|na|on)\s[^;,%]{2,40}\s(?:und|i|and|a)\s{1,3}", re.IGNORECASE
)
_AMOUNTS_TO = re.compile(
    r"(?<!\w)(?:iznosi|iznose|beträgt|betragen|amounts\s+to)\s(?:[^\W\d_]{2,14}\s){0,2}$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?<!\w)(?:iznosi|iznose|je|su|is|are|be|beträgt|betragen|of|od|von|auf|comes\s+to|plaća|pay"
    r"|zahlt)\s{1,3}$",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"(?<!\w)(?:shall|must|dužn[aio]|dužan|mora|moraju|hat|haben|ist|sind|muss|müssen)(?!\w)",
    re.IGNORECASE,
)
_LISTED = frozenset({"rate", "reduced_rate", "amount", "fee", "threshold", "allowance", "base"})
_AND = re.compile(
    r"\s{0,3}(?:,|i|te|and|und|,\s*and|,\s*und)\s{0,3}(?:do|by|bis|zum)?\s{0,3}", re.IGNORECASE
)
_NOT_BY = re.compile(r"(?<!\w)(?:not|ne|nicht)\s+(?:by|do|bis(?:\s+zum)?)\s{0,3}$", re.IGNORECASE)
_DONE_BY = re.compile(
    r"(?<!\w)(?:received|entered|made|acquired|issued|incurred|concluded|primljen\w{1,2}"
    r"|izdan\w{1,2}|sklopljen\w{1,2})\s+(?:on\s+or\s+before|before|by|until|do|prije)\s{0,3}$",
    re.IGNORECASE,
)
_ROUNDED = re.compile(
    r"(?<!\w)(?:round\w{0,3}|nearest|zaokruž\w{1,6}|gerundet|aufgerundet)(?!\w)", re.IGNORECASE
)
_OF_DAY = re.compile(r"(?<!\w)(?:vom|of|od|dated)\s{0,3}$", re.IGNORECASE)
_LEVIED = re.compile(
    r"(?<!\w)(?:iznosi|iznose|amounts?\s+to|is|are|shall\s+be|beträgt|betragen|in\s+höhe\s+von"
    r"|u\s+visini(?:\s+od)?"
    r"|zahl\w{1,3}|paid|plaća\w{0,2}|further|entfallen|entfällt|von|od|of|at|liegt\s+bei"
    r"|mit)\s{1,3}(?:a\s+further\s+)?$",
    re.IGNORECASE,
)
_OF_PEOPLE = re.compile(
    r"\s{0,3}(?:of\s+(?:all\s+|the\s+)?(?:taxpayers|cases|people|respondents|shares|voting|litres"
    r"|its|loan)"
    r"|slučajeva|obveznika|građana|ispitanika|udjela|dionica|der\s+(?:fälle|anteile"
    r"|steuerpflichtigen)|selbständige"
    r"|anteil\w{0,2})(?!\w)",
    re.IGNORECASE,
)
_IN_THE_AMOUNT = re.compile(
    r"(?<!\w)(?:u\s+iznosu\s+od|u\s+visini\s+od|in\s+the\s+amount\s+of"
    r"|in\s+höhe\s+von)\s+\w{4,12}\s{0,3}$",
    re.IGNORECASE,
)
_AFTER_PUBLICATION = re.compile(
    r"\s{0,3}(?:od|nakon|after|following|of|from|nach)(?!\w)", re.IGNORECASE
)
_LONG = re.compile(r"\s{0,3}(?:lang|hindurch)(?!\w)", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?<!\w)(?:ov(?:aj|a|o|ih?)\s+(?:zakon|pravilnik|uredb|odluk|naredb|uput|naput|propis"
    r"|tarif)\w{0,2}|this\s+"
    r"(?:act|regulation|decision|order|directive|(?:final\s+)?rule|ordinance|guidance|notice"
    r"|instrument|law|correction)|these\s+(?:regulations|rules|revisions|amendments)|they|it"
    r"|die\s+(?:verordnung|satzung|richtlinie)|dies(?:es|e|er)\s+(?:gesetz|verordnung|richtlinie"
    r"|satzung|anordnung|vorschrift)"
    r"|(?:amounts|rates|thresholds)\s+below|the\s+following\s+(?:amounts|rates)"
    r"|iznosi\s+u\s+nastavku)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a figure says."""

    figure: Figure
    predicate: str
    value_type: str
    confidence: float
    op: str = ""
    """For a limit: how it is compared, `gt`, `gte`, `lt` or `lte`."""
    field: str = ""
    """For a limit: what of a situation is compared with it, where that is clear."""
    condition: Mapping[str, Any] | None = None
    """For whom and what, where a table tells."""
    start: str | None = None
    """The first day, where the head of a column tells."""
    until: str | None = None


def meanings(clause: Clause) -> list[Meaning]:
    """The figures of a sentence that mean something, in their order."""
    found: list[Meaning] = []
    for figure in clause.figures:
        meaning = _meaning(clause, figure, found)
        if meaning is not None:
            found.append(meaning)
    return _ranged(clause, found)


def limit_of(clause: Clause, figure: Figure) -> str:
    """How something is compared with a figure: `gt`, `gte`, `lt`, `lte`, or nothing."""
    # What is struck out may stand between a limit and its figure.
    before = clause.masked[max(0, figure.start - 60) : figure.start].rstrip(" ·") + " "
    for name, pattern in cues.LIMITS.items():
        if pattern.search(before):
            if name == "lt" and before.rstrip().lower().endswith("nicht"):
                continue
            return name
    after = cues.LIMIT_AFTER.match(clause.masked, figure.end)
    if after is None:
        far = clause.masked[max(0, figure.start - 120) : figure.start]
        return next((name for name, form in cues.FAR_LIMITS.items() if form.search(far)), "")
    if after["more"]:
        return "gte"
    return "lte" if after["no"] or after["less"] else "gt"


def _meaning(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    if figure.kind is Kind.PERCENT:
        return _share(clause, figure, so_far)
    if figure.kind is Kind.SUM:
        return _sum(clause, figure, so_far)
    if figure.kind is Kind.TIME:
        return _time(clause, figure)
    if figure.kind is Kind.DATE:
        return _date(clause, figure, so_far)
    op = limit_of(clause, figure)
    if not op:
        return None
    return Meaning(figure, "threshold", "threshold", _FAIR, op, "employees")


def _share(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    before, after = clause.before(figure), clause.after(figure)
    if _negated(clause, figure) or _OF_PEOPLE.match(after):
        return None
    name, distance = _named(before, _SPECIFIC_SHARES)
    if not name:
        # A rate of a fee or on a base is a rate.
        name, distance = _named(before, _GENERAL_SHARES[:1])
    if not name:
        name, distance = _named(before, _GENERAL_SHARES[1:])
    if name and (limit_of(clause, figure) in ("gt", "lt") and distance > _CLOSE):
        return None
    if name:
        return Meaning(figure, name, "percentage", _sureness(distance))
    if limit_of(clause, figure):
        return None
    name = _follows(after, (*_SPECIFIC_SHARES, _GENERAL_SHARES[0]))
    if name:
        return Meaning(figure, name, "percentage", _FAIR)
    if inherited := _inherited(clause, figure, so_far):
        return inherited
    levied = _LEVIED.search(before)
    rated = any(one.predicate == "rate" for one in so_far)
    asked = mentions(clause.heading) or cues.LEVY.search(clause.heading)
    if levied and not rated and not cues.LEVY.search(before) and asked:
        return Meaning(figure, "rate", "percentage", 0.85)
    if (levied and (rated or cues.LEVY.search(before))) or mentions(before[-30:]):
        return Meaning(figure, "rate", "percentage", _FAIR)
    return _around(clause, figure, (*_SPECIFIC_SHARES, *_GENERAL_SHARES), "percentage")


def _sum(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    before, after = clause.before(figure), clause.after(figure)
    if _ROUNDED.search(before[-60:]):
        return None
    op = limit_of(clause, figure)
    name, distance = _named(before, _SPECIFIC_SUMS)
    if cues.ALLOWANCE.search(before) and name in ("surcharge", "reduction"):
        name = "allowance"
    if name == "penalty" and op and distance > 60:
        name = ""
    if name:
        return Meaning(figure, _bounded(name, op), "currency", _sureness(distance))
    inherited = _inherited(clause, figure, so_far)
    if inherited is not None:
        return inherited
    general, distance = _named(before, _GENERAL_SUMS)
    if op == "gte" and not general and cues.BASE.search(clause.masked[: figure.start]):
        return Meaning(figure, "base", "currency", _FAIR)
    if op and not _is_due(before, general, distance, op):
        return _limit(clause, figure, op)
    if _negated(clause, figure):
        return None
    if _names_threshold(before):
        return Meaning(figure, "threshold", "threshold", _GOOD)
    if _IN_THE_AMOUNT.search(before):
        return Meaning(figure, "amount", "currency", _FAIR)
    if general and (general != "amount" or distance <= 40 or _SAYS.search(before)):
        general = own_levy(general, before)
        return Meaning(figure, general, "currency", _sureness(distance))
    if name := _follows(after, (*_SPECIFIC_SUMS, *_GENERAL_SUMS)):
        return Meaning(figure, name, "currency", _FAIR)
    if _AMOUNTS_TO.search(before):
        return Meaning(figure, "amount", "currency", _FAIR)
    return _around(clause, figure, (*_SPECIFIC_SUMS, *_GENERAL_SUMS), "currency")


def _is_due(before: str, general: str, distance: int, op: str) -> bool:
    """Whether a sum with a limit is still what is due: a fee up to it, a base of at least it."""
    if _IN_THE_AMOUNT.search(before):
        return True
    return distance <= _CLOSE and (
        (general, op) in {("base", "gte"), ("fee", "gte"), ("fee", "lte")}
    )


def _negated(clause: Clause, figure: Figure) -> bool:
    start, end = clause.part_of(figure.start)
    return is_negated(clause.masked[start:end])


def _bounded(name: str, op: str) -> str:
    if name != "penalty":
        return name
    return {"lte": "penalty_max", "gte": "penalty_min"}.get(op, name)


def own_levy(name: str, before: str) -> str:
    """A levy whose own name is that of a fee or a charge is due as an amount."""
    if name == "fee" and mentions(before):
        last = mentions(before)[-1]
        matches = [match.end() for match in cues.FEE.finditer(before)]
        if matches and last.start <= matches[-1] <= last.end:
            return "amount"
    return name


def _limit(clause: Clause, figure: Figure, op: str) -> Meaning:
    field = _field(clause, figure)
    return Meaning(figure, "threshold", "threshold", _GOOD if field else 0.85, op, field)


def _names_threshold(before: str) -> bool:
    found = [match.end() for match in cues.THRESHOLD.finditer(before)]
    return bool(found) and len(before) - found[-1] <= 60


def _field(clause: Clause, figure: Figure) -> str:
    """What of a situation a limit is compared with: the last thing named before it."""
    before = clause.before(figure, past_others=True)
    name, distance = _named(
        before,
        (("turnover", cues.TURNOVER), ("income", cues.INCOME), ("amount", cues.OF_AMOUNT)),
    )
    if name == "amount" and cues.TURNOVER.search(before[-120:]):
        return "turnover"
    return name if distance <= 120 else ""


def _time(clause: Clause, figure: Figure) -> Meaning | None:
    before, after = clause.before(figure), clause.after(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if _enters_into_force(part) and figure.unit != "day_of_month":
        if not _AFTER_PUBLICATION.match(after) or not of_whole_act(clause.text):
            return None
        return Meaning(figure, "entry_into_force", "count", _STRONG)
    if figure.ordinal and figure.unit != "day_of_month":
        return None
    if cues.WITHIN.search(before) or _ahead(clause, figure):
        return _due(clause, figure, "count")
    if figure.unit == "day_of_month":
        name, confidence = deadline_of(clause, figure)
        if name == "deadline" and not cues.BY.search(before):
            return None
        return Meaning(
            figure, name, "count", min(confidence, _GOOD if cues.BY.search(before) else 0.86)
        )
    if cues.KEEP.search(part) and limit_of(clause, figure) not in ("lt", "gt"):
        return Meaning(
            figure,
            "retention_period",
            "count",
            _STRONG if cues.KEEP.search(before) or cues.KEEP.search(after[:60]) else _FAIR,
        )
    name, distance = _named(before, (("period", cues.LASTING),))
    if name and distance <= 25 and not cues.PENALTY.search(part):
        return Meaning(figure, "period", "count", _GOOD if distance <= 5 else _FAIR)
    if _LONG.match(after):
        return Meaning(figure, "period", "count", _FAIR)
    return None


def _ahead(clause: Clause, figure: Figure) -> bool:
    """`at least 30 days before …`: a deadline that is counted back."""
    back = re.match(
        r"\s{0,3}(?:prije|before|prior to|vor)(?!\w)", clause.masked[figure.end :], re.IGNORECASE
    )
    return back is not None and limit_of(clause, figure) in ("gte", "lte")


def _due(clause: Clause, figure: Figure, value_type: str) -> Meaning:
    name, confidence = deadline_of(clause, figure)
    return Meaning(figure, name, value_type, confidence)


def _enters_into_force(part: str) -> bool:
    for match in cues.FORCE.finditer(part):
        if not match[0].lower().startswith(("tritt", "treten")):
            return True
        if re.search(r"\bin\s+Kraft\b", part[match.end() :]):
            return True
    return False


def _applies_from(clause: Clause, figure: Figure) -> bool:
    """`a primjenjuje se od 1. siječnja 2025.`, said of a whole act."""
    before = clause.masked[max(0, figure.start - 60) : figure.start]
    whole = len(figure.value) == 10 and of_whole_act(clause.text)
    values = any(one.kind in (Kind.PERCENT, Kind.SUM) for one in clause.figures)
    return bool(
        whole and not values and cues.FROM.search(before) and cues.APPLIES_FROM.search(before)
    )


def _in_force(clause: Clause, figure: Figure) -> Meaning | None:
    """The day of entry into force; beside a value it is the day of that value."""
    values = any(one.kind in (Kind.PERCENT, Kind.SUM) for one in clause.figures)
    if len(figure.value) != 10 or values:
        return None
    sure = of_whole_act(clause.text) or figure.end >= len(clause.text.rstrip(" ."))
    return Meaning(figure, "entry_into_force", "date", _STRONG if sure else 0.85)


def _ends_period(clause: Clause, figure: Figure) -> bool:
    """`od 1. siječnja do 30. lipnja 2026.`: the end of a period is no deadline."""
    for other in clause.figures:
        if other.kind is Kind.DATE and other.end <= figure.start:
            between = clause.masked[other.end : figure.start]
            if re.fullmatch(r"\.?\s{0,3}(?:do|to|bis|until|–|-)(?:\szum)?\s{0,3}", between):
                return cues.FROM.search(clause.masked[: other.start]) is not None
    return False


def of_whole_act(text: str) -> bool:
    """Whether a sentence speaks of the act that it stands in."""
    return _WHOLE.search(text) is not None


def _listed_after(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """`do 31. srpnja, 31. kolovoza i 30. rujna`: the later days of a list."""
    last = so_far[-1] if so_far else None
    if last is None or last.value_type != "date" or not last.predicate.endswith("deadline"):
        return None
    between = clause.masked[last.figure.end : figure.start]
    return last if _AND.fullmatch(between) else None


def _date(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    before = clause.before(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if cues.REPEAL.search(part) and not cues.BY.search(before):
        if cues.FROM.search(before) or _OF_DAY.search(before):
            return None
        return Meaning(figure, "repeal", "date", _GOOD)
    if _enters_into_force(part) or cues.EFFECTIVE.match(clause.masked[: figure.start]):
        return _in_force(clause, figure)
    if _ends_period(clause, figure):
        return None
    if _applies_from(clause, figure):
        return Meaning(figure, "entry_into_force", "date", _GOOD)
    if last := _listed_after(clause, figure, so_far):
        return replace(last, figure=figure)
    if _NOT_BY.search(before) or _DONE_BY.search(before):
        return None
    if cues.BY.search(before):
        name, confidence = deadline_of(clause, figure)
        if figure.start <= 14 and _MUST.search(clause.masked):
            return Meaning(figure, name, "date", max(confidence, 0.9))
        if name == "deadline" and (cues.APPLIES_FROM.search(part) or confidence < 0.9):
            return None
        return Meaning(figure, name, "date", confidence)
    if cues.DUE.search(before[-60:]) or cues.DUE.search(clause.after(figure)[:60]):
        name, confidence = deadline_of(clause, figure)
        return Meaning(figure, name, "date", min(confidence, _GOOD)) if name != "deadline" else None
    return None


def _named(words: str, names: Sequence[tuple[str, re.Pattern[str]]]) -> tuple[str, int]:
    """The name whose cue stands last, and how far from the end; of equals the first listed."""
    best, reached = "", -1
    for name, pattern in names:
        for match in pattern.finditer(words):
            if match.end() > reached:
                best, reached = name, match.end()
    return best, len(words) - reached


def _follows(after: str, names: Sequence[tuple[str, re.Pattern[str]]]) -> str:
    """The name whose cue stands right after a figure."""
    near = after[:_CLOSE]
    found = [
        (match.start(), place)
        for place, (_, pattern) in enumerate(names)
        if (match := pattern.search(near)) and match[0].lower() != "at"
    ]
    return names[min(found)[1]][0] if found else ""


def _sureness(distance: int) -> float:
    return _STRONG if distance <= _CLOSE else _GOOD if distance <= 80 else _FAIR


def _inherited(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What the figure before it means, where only a link stands between them."""
    last = next((one for one in reversed(so_far) if one.figure.kind is figure.kind), None)
    if last is None or last.op:
        return None
    between = clause.masked[last.figure.end : figure.start]
    if _LINK.fullmatch(between):
        return replace(last, figure=figure, confidence=last.confidence)
    listed = _NEXT.fullmatch(between) or _FOR_EACH.fullmatch(between)
    if listed and not limit_of(clause, figure) and last.predicate in _LISTED:
        return replace(last, figure=figure, confidence=min(last.confidence, _FAIR))
    if last.predicate.startswith("penalty") and len(between) <= 160:
        if limit_of(clause, figure) in ("gt", "lt"):
            return None
        name = _bounded("penalty", limit_of(clause, figure))
        return replace(last, figure=figure, predicate=name, confidence=min(last.confidence, _FAIR))
    return None


def _around(
    clause: Clause, figure: Figure, names: Sequence[tuple[str, re.Pattern[str]]], value_type: str
) -> Meaning | None:
    """What the words that introduce a list, or the heading, make of a figure without any."""
    for words, confidence in ((clause.lead, _FAIR), (clause.heading, _WEAK)):
        name, _ = _named(words[-200:], names)
        if name and not (words is clause.heading and name in ("amount", "base")):
            return Meaning(figure, name, value_type, confidence)
    return None


def _ranged(clause: Clause, found: list[Meaning]) -> list[Meaning]:
    """A penalty from one sum to another is a least and a greatest penalty."""
    for place in range(len(found) - 1):
        first, second = found[place], found[place + 1]
        both = {first.predicate, second.predicate}
        if not both <= {"penalty", "penalty_max", "penalty_min"} or first.value_type != "currency":
            continue
        between = clause.masked[first.figure.end : second.figure.start]
        before = clause.masked[max(0, first.figure.start - 16) : first.figure.start]
        if _RANGE.fullmatch(between) and _OPENS_RANGE.search(before):
            found[place] = replace(first, predicate="penalty_min")
            found[place + 1] = replace(second, predicate="penalty_max", confidence=first.confidence)
    return found
