"""What times and dates say: deadlines, periods, and when an act begins or ends to hold."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import deadline_of
from assay.packs.regulatory.extractor.figures import Figure, Kind
from assay.packs.regulatory.extractor.meaning import (
    FAIR,
    GOOD,
    STRONG,
    Meaning,
    limit_of,
    named,
    of_whole_act,
)

_MUST = re.compile(
    r"(?<!\w)(?:shall|must|dužn[aio]|dužan|mora|moraju|hat|haben|ist|sind|muss|müssen)(?!\w)",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s{0,3}(?:,|i|te|and|und|,\s*and|,\s*und)\s{0,3}(?:do|by|bis|zum)?\s{0,3}", re.IGNORECASE
)
_NOT_BY = re.compile(r"(?<!\w)(?:not|ne|nicht)\s+(?:by|do|bis(?:\s+zum)?)\s{0,3}$", re.IGNORECASE)
_DONE_BY = re.compile(
    r"(?<!\w)(?:received|entered|made|acquired|issued|incurred|concluded|primljen\w{1,2}"
    r"|izdan\w{1,2}|sklopljen\w{1,2})\s+(?:on\s+or\s+before|before|by|until|do|prije)\s{0,3}$",
    re.IGNORECASE,
)
_WHO_DID = re.compile(
    r"(?<!\w)(?:who|that|which)\s+(?:\w{1,12}\s){0,2}\w{2,14}ed\s+(?:on\s+or\s+)?(?:before|by"
    r"|until)\s{0,3}$",
    re.IGNORECASE,
)
_OF_DAY = re.compile(r"(?<!\w)(?:vom|of|od|dated)\s{0,3}$", re.IGNORECASE)
_AFTER_PUBLICATION = re.compile(
    r"\s{0,3}(?:od|nakon|after|following|of|from|nach)(?!\w)", re.IGNORECASE
)
_WITHIN = re.compile(
    r"(?<!\w)(?:u\s+(?:\w{1,12}\s+)?roku|within|innerhalb|binnen|later\s+than|najkasnije)(?!\w)",
    re.IGNORECASE,
)
_IS_THE_DEADLINE = re.compile(
    r"(?<!\w)(?:rok\w{0,3}|deadline|due\s+date|time\s+limit|\w{0,16}frist|last\s+day)"
    r"(?:\s\w{1,20}){0,6}(?::|\s(?:je|is|ist|shall\s+be|endet\s+am|istječe|ends\s+on"
    r"|expires\s+on)\s)"
    r"\s{0,3}$",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"(?<!\w)(?:für|for|na|za)(?:\s(?:najviše|up\sto|höchstens))?\s{0,3}$", re.IGNORECASE
)
_GRANTED = re.compile(
    r"(?<!\w)(?:erteilt|gewährt|gültig|granted|issued|valid|izdaje|daje|dodjeljuje|vrijedi"
    r"|sklapa)(?!\w)",
    re.IGNORECASE,
)
_FOR_A_TERM = re.compile(r"(?<!\w)na\s+(?:rok|razdoblje)(?:\s+od)?\s{0,3}$", re.IGNORECASE)
_SHORT = 60
"""Letters of an answer that needs its question."""
_WHEN = re.compile(
    r"(?<!\w)(?:rok\w{0,3}|do kada|when|deadline|bis wann|frist)(?!\w)", re.IGNORECASE
)
_LONG = re.compile(r"\s{0,3}(?:lang|hindurch)(?!\w)", re.IGNORECASE)


def time_of(clause: Clause, figure: Figure) -> Meaning | None:
    """What a stretch of time or a day of the month says."""
    before, after = clause.before(figure), clause.after(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if _enters_into_force(part) and figure.unit != "day_of_month":
        if not _AFTER_PUBLICATION.match(after) or not of_whole_act(clause.text):
            return None
        return Meaning(figure, "entry_into_force", "count", STRONG)
    if figure.ordinal and figure.unit != "day_of_month" and not cues.BY.search(before):
        return None
    if _is_kept(before, part) and limit_of(clause, figure) not in ("lt", "gt"):
        near = cues.KEEP.search(before) or cues.KEEP.search(after[:60])
        return Meaning(figure, "retention_period", "count", STRONG if near else FAIR)
    if _FOR_A_TERM.search(before):
        return Meaning(figure, "period", "count", FAIR)
    if cues.WITHIN.search(before) or figure.ordinal or _ahead(clause, figure):
        return _due(clause, figure)
    if _IS_THE_DEADLINE.search(before):
        return _due(clause, figure)
    if clause.heading.rstrip().endswith("?") and len(clause.text) <= _SHORT:
        return _answered(clause, figure) or _lasting(figure, before, after, part)
    return _lasting(figure, before, after, part)


def _is_kept(before: str, part: str) -> bool:
    """Whether papers are kept for a time, rather than something done within it."""
    return cues.KEEP.search(part) is not None and not _WITHIN.search(before)


def _due(clause: Clause, figure: Figure) -> Meaning | None:
    name, confidence = deadline_of(clause, figure)
    if not figure.ordinal:
        return Meaning(figure, name, "count", confidence)
    named_by = cues.BY.search(clause.before(figure)) is not None
    if name == "deadline" and not named_by:
        return None
    return Meaning(figure, name, "count", min(confidence, GOOD if named_by else 0.86))


def _answered(clause: Clause, figure: Figure) -> Meaning | None:
    """A short answer, whose question tells what it is about."""
    if cues.KEEP.search(clause.heading):
        return Meaning(figure, "retention_period", "count", 0.86)
    return _due(clause, figure) if _WHEN.search(clause.heading) else None


def _lasting(figure: Figure, before: str, after: str, part: str) -> Meaning | None:
    """How long something lasts that is no penalty."""
    if cues.PENALTY.search(part):
        return None
    name, distance = named(before, (("period", cues.LASTING),))
    if name and distance <= 25:
        return Meaning(figure, "period", "count", GOOD if distance <= 5 else FAIR)
    if _LONG.match(after) or (_FOR.search(before) and _GRANTED.search(part)):
        return Meaning(figure, "period", "count", FAIR)
    return None


def date_of(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a date says; a day from which a value holds is no fact of its own."""
    before = clause.before(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if cues.REPEAL.search(part) and not cues.BY.search(before):
        verb = cues.REPEAL.search(part)
        ahead = verb is not None and start + verb.end() <= figure.start
        if _OF_DAY.search(before) or (cues.FROM.search(before) and not ahead):
            return None
        return Meaning(figure, "repeal", "date", GOOD)
    if _enters_into_force(part) or cues.EFFECTIVE.match(clause.masked[: figure.start]):
        return _in_force(clause, figure)
    if _ends_period(clause, figure):
        return None
    if _applies_from(clause, figure):
        return Meaning(figure, "entry_into_force", "date", GOOD)
    if last := _listed_after(clause, figure, so_far):
        return replace(last, figure=figure)
    if any(form.search(before) for form in (_NOT_BY, _DONE_BY, _WHO_DID)):
        return None
    if cues.BY.search(before):
        name, confidence = deadline_of(clause, figure)
        if figure.start <= 14 and _MUST.search(clause.masked):
            return Meaning(figure, name, "date", max(confidence, 0.9))
        if name == "deadline" and (cues.APPLIES_FROM.search(part) or confidence < 0.9):
            return None
        return Meaning(figure, name, "date", confidence)
    if _IS_THE_DEADLINE.search(before):
        return Meaning(figure, *_named_due(clause, figure))
    rest = clause.masked[figure.end : min(end, figure.end + 90)]
    due = cues.DUE.search(before[-60:]) or cues.DUE.search(rest)
    if due:
        name, confidence = deadline_of(clause, figure)
        if name == "deadline" and due[0].lower().startswith(("due", "fällig", "dospij")):
            name = "payment_deadline"
        return Meaning(figure, name, "date", min(confidence, GOOD)) if name != "deadline" else None
    return None


def _named_due(clause: Clause, figure: Figure) -> tuple[str, str, float]:
    name, confidence = deadline_of(clause, figure)
    return name, "date", min(confidence, GOOD)


def _ahead(clause: Clause, figure: Figure) -> bool:
    """`at least 30 days before …`: a deadline that is counted back."""
    back = re.match(
        r"\s{0,3}(?:prije|before|prior to|vor)(?!\w)", clause.masked[figure.end :], re.IGNORECASE
    )
    bound = limit_of(clause, figure) in ("gte", "lte") or _MUST.search(clause.masked)
    return back is not None and bool(bound)


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
    return Meaning(figure, "entry_into_force", "date", STRONG if sure else 0.85)


def _ends_period(clause: Clause, figure: Figure) -> bool:
    """`od 1. siječnja do 30. lipnja 2026.`: the end of a period is no deadline."""
    for other in clause.figures:
        if other.kind is Kind.DATE and other.end <= figure.start:
            between = clause.masked[other.end : figure.start]
            if re.fullmatch(r"\.?\s{0,3}(?:do|to|bis|until|–|-)(?:\szum)?\s{0,3}", between):
                return cues.FROM.search(clause.masked[: other.start]) is not None
    return False


def _listed_after(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """`do 31. srpnja, 31. kolovoza i 30. rujna`: the later days of a list."""
    last = so_far[-1] if so_far else None
    if last is None or last.value_type != "date" or not last.predicate.endswith("deadline"):
        return None
    between = clause.masked[last.figure.end : figure.start]
    return last if _AND.fullmatch(between) else None
