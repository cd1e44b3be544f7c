"""Sections and paragraphs that say themselves from when until when they apply.

`This section has effect in relation to gifts taken on or after 11 April 1994`, `Subsection (1)
comes into operation on 1 January 2014`, `Stavak 2. ovoga članka primjenjuje se od 1. srpnja 2026.`
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice

from assay.packs.regulatory.extractor import time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.effect import EffectSpan, add_days
from assay.packs.regulatory.extractor.figures import FigureKind
from assay.packs.regulatory.extractor.force import names_exception
from assay.packs.regulatory.extractor.later_wording import LaterWording
from assay.packs.regulatory.extractor.named_provisions import find_paragraph, list_provisions
from assay.packs.regulatory.extractor.named_years import list_named_periods
from assay.sdk.facts import scan_dates

_SUBJECT = re.compile(
    r"^\W*(?:(?:subject\s+to|vorbehaltlich)\s[^,]{1,80},\s+)?(?:"
    r"(?P<whole>this\s+section|this\s+article|ovaj\s+članak|odredb\w{1,2}\s+ovoga?\s+članka"
    r"|dies(?:e|er)\s+(?:vorschrift|paragraph|paragraf|artikel|bestimmung))"
    r"|the\s+amendments?\s+(?:made|effected|provided\s+for)\s+by\s+(?P<amending>this\s+section)"
    r"|(?P<own>this\s+subsection|ovaj\s+stavak|dieser\s+absatz)"
    r"|(?:paragraphs?\W{1,3}(?P<points>(?:\([a-z]{1,2}\)|\W|and|to|or){1,40})\s+of\s+\W?)?"
    r"(?:(?:the\s+(?:amendments?|increases?)\s+(?:made|effected|provided\s+for)\s+by\s+\W?"
    r"|[^.;:]{3,80},?\s+as\s+(?:amended|substituted|inserted)\s+by\s+\W?)?subsections?|(?:odredb\w{1,2}\s+)?stav(?:ak|ci|ka|aka)|abs(?:atz|ätze))\W{1,3}"
    r"(?P<numbers>(?:\(?\d{1,3}[A-Za-z]?\)?|\W|and|to|i|do|und|bis){1,60}?)"
    r"(?=\s+(?!(?:and|to|do|und|bis)\b)[^\W\d]{2,}))",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?<!\w)(?:(?:shall\s+|be\s+|is\s+|are\s+)?deemed\s+to\s+have\s+(?:come|had|taken|applied)"
    r"|anzuwenden)(?!\w)",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?<!\w)(?:not|cease\w?|nicht|ne|neće|keine?|prestaj\w{1,2}|außer)(?!\w)", re.IGNORECASE
)
_WHOM = re.compile(
    r"(?<!\w)(?:persons?\s+(?:who|born)|individuals?|employees?|whose|born|geboren\w{0,2}|rođen\w{0,2}"
    r"|company|companies)(?!\w)",
    re.IGNORECASE,
)
"""Words that make a date a mark of those to whom something applies."""
_AFTER = re.compile(
    r"(?<!on\sor\s)(?<!\w)(?:after|nach|nakon)(?:\s+(?:the|dem|dana))?\s{0,3}$", re.I
)
_ON = re.compile(
    r"(?<!\w)(?:on(?:\s+and\s+from)?|from|as\s+and\s+from|after|am|ab|vom|zum|od|s\s+danom|dana)"
    r"(?:\s+(?:the|dem|dana))?\s{0,3}$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r",\s(?:an\s|auf\s|bei\s|für\s|in\s|mit\s|nach\s|von\s|zu\s)?(?:der|die|das|dem|den|deren|dessen|denen)\s"
)
"""`für Netze, die nach dem 17. Mai 1996 …`: a day that says which of them are meant."""
_UNTIL = re.compile(
    r"(?<!\w)(?:until|bis(?:\s+zum)?|do)(?:\s+(?:the|dana))?\s{0,3}$", re.IGNORECASE
)
_TO = re.compile(r"\.?\s{0,3}(?:do|to|bis|until|–|-)(?:\s(?:zum|the))?\s{0,3}", re.IGNORECASE)
_SO_FAR = re.compile(
    r"(?<!\w)in\s+so\s+far\s+as\s+(?:they|it)\s+relates?\s+to\s+(?P<named>[^;]{3,300}?)\s+"
    r"(?:shall\s+)?(?:comes?|ha(?:ve|s)|takes?)\s+(?:into|effect)",
    re.IGNORECASE,
)
"""What a section says of its rows and sentences that name certain provisions."""
_UNKNOWN = re.compile(
    r"(?<!\w)such\s+(?:day|date)|appoint|(?:passing|enactment|commencement)\s+of", re.IGNORECASE
)
_YEAR = re.compile(
    r"(?<!\w)(?:year\s+of\s+assessment|tax\s+year|year)\s+(?P<year>(?:19|20)\d\d)"
    r"(?P<split>[-–/](?:\d\d|\d{4}))?(?!\d),?\s+and\s+(?:(?:each|every|any|all)\s+)?(?:subsequent|following|later)",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)?(?:§|(?:Anlage|Anhang|Artikel|Abschnitt|Art|Annex|Appendix"
    r"|Schedule|Section|Article|Part|Prilog|Članak|Tarifni)(?!\w))[^\n]{0,200}$",
    re.MULTILINE | re.IGNORECASE,
)
_VALID = re.compile(
    r"(?<!\w)(?:(?:gültig|geltend|gilt|in\s+kraft)\s+(?:ab|seit)(?:\s+dem)?"
    r"|(?:valid|applicable|in\s+force|effective)\s+from|effective|na\s+snazi\s+od"
    r"|(?:vrijedi|primjenjuje\s+se)\s+od)\s{0,3}:?\s{0,3}(?=\d|[A-Z])",
    re.IGNORECASE,
)
_CALENDAR_YEARS = "2002"
"""Ireland's first year of assessment that began on 1 January."""
_QUOTES = {"en": "“”", "de": "„“", "hr": "»«"}
_LONGEST = 600
_MOST = 20
"""The most sentences of one section that are read for days."""
_NUMBERS = re.compile(r"\d{1,3}[A-Za-z]?")
_POINTS = re.compile(r"\(([a-z]{1,2})\)")


def find_section_spans(
    sections: Iterable[list[Clause]],
    text: str,
    language: str,
    later: LaterWording,
    jurisdiction: str = "",
) -> dict[int, EffectSpan]:
    """The sentences whose section or paragraph says when it applies, by where they begin."""
    quotes = _find_quotes(text, _QUOTES.get(language, "“”"))
    found: dict[int, EffectSpan] = {}
    for section in sections:
        if section[0].article and not later.is_marked(section[0].start):
            found |= _date_section(section, quotes, jurisdiction)
    return found


def find_headed_spans(clauses: Iterable[Clause], text: str, language: str) -> dict[int, EffectSpan]:
    """The sentences under a heading with a day, as in `Anlage 2 Gültig ab 1. Januar 2026`."""
    bounds: list[tuple[int, EffectSpan]] = []
    for head in _HEAD.finditer(text):
        valid = _VALID.search(head[0])
        dates = scan_dates(head[0], language) if valid else ()
        day = next((one.iso for one in dates if valid and one.start <= valid.end() + 2), None)
        bounds.append((head.start(), EffectSpan(day)))
    places = [at for at, _ in bounds]
    found: dict[int, EffectSpan] = {}
    for clause in clauses if any(span.start for _, span in bounds) else ():
        place = bisect_right(places, clause.start) - 1
        if place >= 0 and bounds[place][1].start:
            found[clause.start] = bounds[place][1]
    return found


def _find_quotes(text: str, marks: str) -> tuple[list[int], list[bool]]:
    """The places of the quotation marks, and which of them open."""
    found = [(at, sign == marks[0]) for at, sign in enumerate(text) if sign in marks]
    return [at for at, _ in found], [opens for _, opens in found]


def _is_quoted(quotes: tuple[list[int], list[bool]], since: int, at: int) -> bool:
    """Whether a place is inside a quotation that opened in the same section."""
    places, opens = quotes
    last = bisect_right(places, at) - 1
    return last >= 0 and places[last] >= since and opens[last]


def _date_section(
    section: list[Clause], quotes: tuple[list[int], list[bool]], jurisdiction: str
) -> dict[int, EffectSpan]:
    said = list(islice(_list_statements(section, quotes, jurisdiction), _MOST))
    whole = {span for subject, _, span in said if _is_whole(subject)}
    found: dict[int, EffectSpan] = {}
    if whole:
        span = whole.pop() if len(whole) == 1 else EffectSpan()
        found = {clause.start: span for clause in section}
    places = list(_follow_paragraphs(section, quotes)) if said else []
    for subject, clause, span in said:
        if _is_whole(subject):
            continue
        own = next(path[0] for one, path in places if one is clause)
        wanted = _list_wanted(subject, own)
        found |= {
            one.start: span
            for one, path in places
            if path[:1] in wanted or (len(path) > 1 and path in wanted)
        }
    limits = ((one, _SO_FAR.search(one.text[:_LONGEST])) for one in section)
    for clause, limited in islice((each for each in limits if each[1]), _MOST):
        assert limited is not None
        found |= _date_named(section, clause, limited)
    return found


def _date_named(
    section: list[Clause], clause: Clause, limited: re.Match[str]
) -> dict[int, EffectSpan]:
    """Date the sentences and rows of a section that name certain provisions."""
    dates = [one for one in clause.figures if one.kind is FigureKind.DATE]
    days = {one.value for one in dates if one.start >= limited.end() and len(one.value) == 10}
    named = {(one.number, one.paragraph) for one in list_provisions(limited["named"])}
    span = EffectSpan(days.pop()) if len(days) == 1 else EffectSpan()
    return {
        one.start: span
        for one in section
        if one is not clause
        and any((each.number, each.paragraph) in named for each in list_provisions(one.text))
    }


def _is_whole(subject: re.Match[str]) -> bool:
    return bool(subject["whole"] or subject["amending"])


def _list_statements(
    section: list[Clause], quotes: tuple[list[int], list[bool]], jurisdiction: str
) -> Iterator[tuple[re.Match[str], Clause, EffectSpan]]:
    """The sentences of a section, other than quoted ones, that say when it or a part applies."""
    for clause in section:
        subject = _SUBJECT.match(clause.text) if len(clause.text) <= _LONGEST else None
        if subject is None or _is_quoted(quotes, section[0].start, clause.start):
            continue
        if (span := _find_span(clause, subject.end(), jurisdiction)) is not None:
            yield subject, clause, span


def _follow_paragraphs(
    section: list[Clause], quotes: tuple[list[int], list[bool]]
) -> Iterator[tuple[Clause, tuple[str, ...]]]:
    """Each clause with its paragraph and point. Quoted text has numbers of another act."""
    path: tuple[str, ...] = ("1",)
    for clause in section:
        if not _is_quoted(quotes, section[0].start, clause.start):
            number = find_paragraph(clause.article) or path[0]
            point = _POINTS.search(clause.article)
            path = (number, point[1]) if point else (number,)
        yield clause, path


def _list_wanted(subject: re.Match[str], own: str) -> set[tuple[str, ...]]:
    """The paragraphs that a sentence is about, with their points."""
    if subject["own"]:
        return {(own,)}
    numbers = _list_range(_NUMBERS.findall(subject["numbers"]), subject["numbers"])
    points = _POINTS.findall(subject["points"] or "")
    if not points:
        return {(number,) for number in numbers}
    if re.search(r"\bto\b", subject["points"]) and len(points) == 2:
        points = [chr(each) for each in range(ord(points[0][0]), ord(points[1][0]) + 1)]
    return {(number, point) for number in numbers for point in points}


def _list_range(numbers: list[str], words: str) -> list[str]:
    ranged = re.search(r"(?<!\w)(?:to|do|bis)(?!\w)", words) and len(numbers) == 2
    if ranged and all(each.isdigit() for each in numbers):
        first, last = int(numbers[0]), int(numbers[1])
        return [str(each) for each in range(first, min(last, first + 50) + 1)]
    return numbers


def _find_span(clause: Clause, at: int, jurisdiction: str) -> EffectSpan | None:
    """What a sentence says after its subject about when that applies; None if nothing."""
    words = clause.masked[at:]
    force = time_cues.FORCE.search(words) or _BEGINS.search(words)
    cue = force or time_cues.APPLIES_FROM.search(words)
    if cue is None or cue.start() > 60 or _DENIES.search(words[: cue.end() + 20]):
        return None
    if cue[0].lower().startswith(("tritt", "treten")) and "in Kraft" not in words:
        return None
    named = [one.span for one in list_named_periods(clause, jurisdiction) if one.start >= at]
    if len(named) == 1 and named[0].start and not _WHOM.search(words):
        return named[0]
    dates = [one for one in clause.figures if one.kind is FigureKind.DATE and one.start >= at]
    if not dates:
        if year := _YEAR.search(words):
            return _begin_year(year)
        return EffectSpan() if force and _UNKNOWN.search(words) else None
    if any(len(one.value) != 10 for one in dates) or _WHOM.search(words):
        return None
    first = dates[0]
    before = clause.masked[at : first.start]
    if _WHICH.search(before) or names_exception(before):
        return None
    if _AFTER.search(before):
        start, until = add_days(first.value, 1), None
    elif time_cues.FROM.search(before) or (force and _ON.search(before)):
        start, until = first.value, None
    elif _UNTIL.search(before) and not force:
        start, until = None, add_days(first.value, 1)
    else:
        return None
    if len(dates) == 2 and start and _TO.fullmatch(clause.masked[first.end : dates[1].start]):
        until = add_days(dates[1].value, 1)
    elif len(dates) > 1:
        return None
    return EffectSpan(start, until)


def _begin_year(year: re.Match[str]) -> EffectSpan | None:
    """The first day of a year for taxes in the United Kingdom or Ireland."""
    if year["split"] or year["year"] < _CALENDAR_YEARS:
        return EffectSpan(f"{year['year']}-04-06") if year["split"] else None
    return EffectSpan(f"{year['year']}-01-01")
