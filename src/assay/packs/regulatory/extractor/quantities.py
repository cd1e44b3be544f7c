"""Figures that lay nothing down: dates in words, conversions, parts of another figure, repetitions.

Each is a number with a unit, and would be read as a rule of its own.
"""

import re
from itertools import pairwise

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind

_SIZES = {"years": 5, "months": 4, "weeks": 3, "days": 2, "working_days": 2, "hours": 1}
_PLUS = re.compile(r"\s{1,3}(?:(?:and|i|und|te)\s{1,3})?", re.IGNORECASE)
_EQUALS = re.compile(
    r"\s{1,3}(?:čin[ie]|jednak[aoie]?\s(?:je|su)|se\sračunaju?\skao|equals?|(?:is|are)\s(?:equal\sto"
    r"|deemed(?:\sto\sbe)?|counted\sas|reckoned\sas)|makes?|gelten\sals|gilt\sals|entspr(?:icht|echen)|ergeben)"
    r"\s{1,3}",
    re.IGNORECASE,
)
"""`12 mjeseci čini jednu godinu`: how one unit is converted to another."""
_CHAINED = re.compile(
    r"\s{1,3}(?:after|following|from|before|of|nach|vor|od|nakon|po|prije)\s(?:the\s|dem\s|der\s)?(?:expiration"
    r"|expiry|end|close|ablauf|ende|istek\w{0,2}|protek\w{0,2})\s(?:of\s)?"
    r"(?:(?:the|a|der|des|einer|von|od|roka|period|of|zeitraums|frist|razdoblja)\s){0,4}",
    re.IGNORECASE,
)
"""`90 days after the expiration of 1 year after …`: the second only says when the first begins."""
_MONTH = re.compile(
    r"\s{1,3}(?:of\s)?(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?!\w)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?<!\w)(?:od|počevši\sod|from(?:\sthe)?|since(?:\sthe)?|ab(?:\sdem)?|mit(?:\sdem)?|beginning\son(?:\sthe)?"
    r"|on\sand\safter(?:\sthe)?)\s{0,3}$",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?:first|last|ersten?|letzten?|prv\w{1,3}|zadnj\w{1,3})(?!\w)", re.IGNORECASE)
_OF_THING = re.compile(
    r"\s{1,3}(?:of\s(?!(?:the\s)?(?:month|receipt|filing|publication|service|entry))|de[rs]\s|nach\sdem\s\d|u\skojem"
    r"|on\swhich|an\sdem)",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\s{0,3}(?:ili\sviše|or\smore|oder\smehr(?:ere[nrms]?)?|odnosno\sviše|bzw\.\smehrere)(?!\w)",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(r"an?\s(?:day|week|month|year)", re.IGNORECASE)
_WHICH = re.compile(
    r"\s{0,3}(?:(?:on\s)?which|when|to\sbe|fixed|appointed|specified)(?!\w)", re.IGNORECASE
)
"""`for a day which is not less than …`: some day, and not one of them."""
_PAY = re.compile(
    r"(?:['’]s?)?\s{1,3}(?:\w{4,12}\s){0,2}(?:wages|salary|salaries|pay|rent|earnings|remuneration)(?!\w)",
    re.IGNORECASE,
)
"""`one month's wages` is a sum."""
_SAID = re.compile(
    r"(?<!\w)(?:(?:that|this|such|those|these|said|aforesaid|aforementioned)(?:\s[a-z]{3,14})?\s"
    r"(?:period|term|time|limit|interval)\sof|(?:the\s)?(?:said|aforesaid|aforementioned)"
    r"|diese[rsnm]?\s(?:frist|zeitraum\w{0,2}|zeit)\svon"
    r"|(?:genannten?|bezeichneten?|vorgesehenen?|bestimmten|festgelegten)\s"
    r"(?:frist|zeitraum\w{0,2}|fristen)(?:\svon)?"
    r"|(?:t(?:og|oga|om|ome|aj)|ov(?:og|oga|om|ome|aj)|naveden\w{1,3}|spomenut\w{1,3}|propisan\w{1,3})\s"
    r"(?:rok\w{0,2}|razdoblj\w{1,2})(?:\sod)?)\s{0,3}$",
    re.IGNORECASE,
)
_PROVIDED = re.compile(
    r"(?:['’]s?)?(?:[\s-](?:notice|period|time|limit)){0,2}\s{1,3}(?:(?:here|there)in(?:before)?\s(?:provided|"
    r"specified|prescribed|mentioned)|so\s(?:provided|specified|prescribed|allowed)|aforesaid"
    r"|(?:mentioned|specified)\sabove)(?!\w)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"(?<!\w)(?:der|die|dieser|jener|dieselbe)\s{0,3}$", re.IGNORECASE)
_ADJECTIVE = re.compile(r"\w+(?:jährig|monatig|wöchig|tägig|stündig)e[nrms]?", re.IGNORECASE)
"""`die einjährige Zugehörigkeit`: with its article, one that was named before."""
_RUN_OUT = re.compile(r"(?<!\w)Ablauf\s(?:der|dieser)\s{0,3}$")
_COUNTED_FROM = re.compile(r"\s{0,3}(?:nach|ab|seit|vor)(?!\w)")


_AS_TERM = re.compile(
    r"(?:(?<!\w)(?:terms?|phrases?)\s(?:“[^”]{0,80}”(?:,\s|\s(?:and|or)\s)){0,4}"
    r"|(?<!\w)by\ssubstituting\s(?:“[^”]{0,80}”\sfor\s)?)“[^”]{0,80}$"
)
"""`the term “8 percent rate”`, `applied by substituting “15 percent” for “8 percent”`."""
_FIGURE_IN_HEADING = re.compile(
    r"(?=[A-Z$\d])(?:(?!\s(?:shall|may|must|is|are)\s)(?:[^.,;:“”—·]|(?<=\d)[.,](?=\d))){4,110}?[a-z]\s"
    r"(?=(?:In\s(?:general|the\scase)|For\spurposes|The|Any|If|Each|No|There|Except|Subject\sto)\s[a-z“])"
)
"""`$10,000 exclusion for expenses In the case of …`: a heading that runs on into its sentence."""
_CONTENT = re.compile(
    r"\W{0,3}(?:(?:an?|the|any|each)\s)?(?:[a-z]{4,14}\s){0,2}(?:assessment|analys[ie]s|evaluation|description|estimates?|summary"
    r"|list|identification|review|explanation|discussion|examination|recommendations?|whether|how|plan)(?!\w)"
)
_REPORT = re.compile(
    r"(?<!\w)(?:reports?|stud(?:y|ies)|reviews?|assessments?|evaluations?|plans?|briefings?|analys[ie]s)(?!\w)",
    re.IGNORECASE,
)


def lays_nothing_down(clause: Clause, figure: Figure) -> bool:
    """Whether a figure is only part of a date, another figure, a conversion or a repetition."""
    if _AS_TERM.search(clause.text, max(0, figure.start - 200), figure.start):
        return True
    if clause.lead and _CONTENT.match(clause.text) and _REPORT.search(clause.lead[-200:]):
        # "a report that includes an assessment of how to reach 100 percent".
        return True
    headed = _FIGURE_IN_HEADING.match(clause.masked)
    if headed is not None and figure.end <= headed.end():
        return True
    if figure.kind is FigureKind.HEADS:
        return figure.value == "1" and _OR_MORE.match(clause.masked, figure.end) is not None
    if figure.kind is FigureKind.TIME:
        return (
            _is_date_in_words(clause, figure)
            or _is_some_day(clause, figure)
            or _PAY.match(clause.masked, figure.end) is not None
            or _belongs_to_another(clause, figure)
            or _is_repeated(clause, figure)
        )
    return figure.kind in VALUES and _is_repeated(clause, figure)


def _is_date_in_words(clause: Clause, figure: Figure) -> bool:
    """`the thirty-first day of March`, `od sljedećeg dana`, `bis zum ersten Tag der Prüfung`."""
    if not figure.ordinal or figure.unit not in ("days", "working_days"):
        return False
    if _MONTH.match(clause.masked, figure.end):
        return True
    if _BEGINNING.search(clause.masked, max(0, figure.start - 24), figure.start):
        return True
    first = _FIRST.match(clause.masked, figure.start)
    return first is not None and _OF_THING.match(clause.masked, figure.end) is not None


def _is_some_day(clause: Clause, figure: Figure) -> bool:
    written = clause.masked[figure.start : figure.end]
    return bool(_SOME_DAY.fullmatch(written) and _WHICH.match(clause.masked, figure.end))


def _belongs_to_another(clause: Clause, figure: Figure) -> bool:
    """`ten years and six months`, `12 months make one year`, `90 days after the end of 1 year`."""
    times = [one for one in clause.figures if one.kind is FigureKind.TIME and not one.ordinal]
    for first, second in pairwise(times):
        if figure not in (first, second) or second.start - first.end > 60:
            continue
        between = clause.masked[first.end : second.start]
        larger = _SIZES.get(first.unit, 0) > _SIZES.get(second.unit, 0)
        if (larger and _PLUS.fullmatch(between)) or _EQUALS.fullmatch(between):
            return True
        if figure is second and _CHAINED.fullmatch(between):
            return True
    return False


def _is_repeated(clause: Clause, figure: Figure) -> bool:
    """`within the said three years`, `that period of 30 days`, `nach Ablauf der Monatsfrist`."""
    before = clause.masked[max(0, figure.start - 60) : figure.start]
    if _SAID.search(before) or _PROVIDED.match(clause.masked, figure.end):
        return True
    written = clause.masked[figure.start : figure.end]
    if written.lower().endswith("frist") or _ADJECTIVE.fullmatch(written):
        return _DEFINITE.search(before) is not None
    runs_out = _RUN_OUT.search(before) is not None
    return runs_out and _COUNTED_FROM.match(clause.masked, figure.end) is None
