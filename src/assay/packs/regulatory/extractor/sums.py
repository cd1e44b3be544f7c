"""What sums say: penalties, allowances, thresholds, fees, bases and amounts due."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.meaning import (
    CLOSE,
    FAIR,
    GOOD,
    Meaning,
    around,
    bounded,
    follows,
    inherited,
    limit_of,
    named,
    negated,
    sureness,
)
from assay.packs.regulatory.extractor.subjects import mentions

_SPECIFIC = (
    ("penalty", cues.PENALTY),
    ("allowance", cues.ALLOWANCE),
    ("reduction", cues.REDUCTION),
    ("surcharge", cues.SURCHARGE),
)
_GENERAL = (("fee", cues.FEE), ("base", cues.BASE), ("amount", cues.AMOUNT))
_DUE = frozenset({("base", "gte"), ("fee", "gte"), ("fee", "lte")})
_ONLY_LIMIT = re.compile(
    r"\s{0,3}(?:a|ali|but|and|und|jedoch"
    r"|aber)?\s{0,3}(?:ne\s)?[^\W\d_]{2,12}(?:\s[^\W\d_]{2,8}){0,3}\s{0,3}",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\s{0,3}(?:do|to|bis|und|and|i|–|-|—)(?:\s(?:najviše|zu|höchstens))?\s{0,3}", re.IGNORECASE
)
_OPENS_RANGE = re.compile(
    r"(?<!\w)(?:od|of|from|between|izmeđ?u|von|zwischen|iznosu od)\s{0,3}$", re.IGNORECASE
)
_AMOUNTS_TO = re.compile(
    r"(?<!\w)(?:iznosi|iznose|beträgt|betragen|amounts\s+to|u\s+iznosu\s+od|u\s+visini\s+od"
    r"|in\s+höhe\s+von"
    r"|in\s+the\s+amount\s+of)\s(?:[^\W\d_]{2,14}\s){0,2}$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?<!\w)(?:iznosi|iznose|je|su|is|are|be|beträgt|betragen|of|od|von|auf|comes\s+to|plaća|pay"
    r"|zahlt)\s{1,3}$",
    re.IGNORECASE,
)
_ROUNDED = re.compile(
    r"(?<!\w)(?:round\w{0,3}|nearest|zaokruž\w{1,6}|gerundet|aufgerundet)(?!\w)", re.IGNORECASE
)
_IN_THE_AMOUNT = re.compile(
    r"(?<!\w)(?:u\s+iznosu\s+od|u\s+visini\s+od|in\s+the\s+amount\s+of"
    r"|in\s+höhe\s+von)\s+\w{4,12}\s{0,3}$",
    re.IGNORECASE,
)


def sum_of(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a sum says, by the nearest words that tell."""
    before, after = clause.before(figure), clause.after(figure)
    if _ROUNDED.search(before[-60:]):
        return None
    op = limit_of(clause, figure)
    name, distance = named(before, _SPECIFIC)
    if cues.ALLOWANCE.search(before) and name in ("surcharge", "reduction"):
        name = "allowance"
    if name == "penalty" and op and distance > 60:
        name = ""
    if name:
        return Meaning(figure, bounded(name, op), "currency", sureness(distance))
    if same := inherited(clause, figure, so_far):
        return same
    general, distance = named(before, _GENERAL)
    if op in ("gte", "lte") and (name := _bound_of(clause, figure)):
        return Meaning(figure, name, "currency", 0.85)
    if op and not _is_due(before, general, distance, op):
        return _limit(clause, figure, op)
    if negated(clause, figure):
        return None
    if _names_threshold(before):
        return Meaning(figure, "threshold", "threshold", GOOD)
    if _IN_THE_AMOUNT.search(before):
        return Meaning(figure, "amount", "currency", FAIR)
    if _AMOUNTS_TO.search(before) and (name := _headed(clause, figure)):
        return Meaning(figure, own_levy(name, before), "currency", GOOD)
    if general and (general != "amount" or distance <= 40 or _SAYS.search(before)):
        general = own_levy(general, before)
        return Meaning(figure, general, "currency", sureness(distance))
    if name := follows(after, (*_SPECIFIC, *_GENERAL)):
        return Meaning(figure, name, "currency", FAIR)
    if _AMOUNTS_TO.search(before):
        name = named(clause.masked[: figure.start], _GENERAL[:2])[0] or "amount"
        return Meaning(figure, own_levy(name, clause.masked[: figure.start]), "currency", FAIR)
    exact = around(clause, figure, (*_SPECIFIC, *_GENERAL[:2]), "currency")
    return exact or around(clause, figure, _GENERAL[2:], "currency")


def _is_due(before: str, general: str, distance: int, op: str) -> bool:
    """Whether a sum with a limit is still what is due: a fee up to it, a base of at least it."""
    if _IN_THE_AMOUNT.search(before):
        return True
    between = before[-distance:]
    if any(form.search(between) for form in (cues.INCOME, cues.TURNOVER, cues.OF_AMOUNT)):
        return False
    return distance <= CLOSE and (general, op) in _DUE


def _bound_of(clause: Clause, figure: Figure) -> str:
    """`…, a najmanje 1.500 eura`: the least or the most of what the sentence is about."""
    start, _ = clause.part_of(figure.start)
    if not start or not _ONLY_LIMIT.fullmatch(clause.masked[start : figure.start]):
        return ""
    return named(clause.masked[:start], _GENERAL)[0]


def _headed(clause: Clause, figure: Figure) -> str:
    """`Osnovica za obračun doprinosa iznosi …`: what the part of the sentence begins with."""
    start, _ = clause.part_of(figure.start)
    head = clause.masked[start : min(figure.start, start + 45)]
    found = [
        (match.start(), name)
        for name, pattern in _GENERAL[:2]
        if (match := pattern.search(head)) and match.start() <= 30
    ]
    return min(found)[1] if found else ""


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
    return Meaning(figure, "threshold", "threshold", GOOD if field else 0.85, op, field)


def _names_threshold(before: str) -> bool:
    found = [match.end() for match in cues.THRESHOLD.finditer(before)]
    return bool(found) and len(before) - found[-1] <= 60


def _field(clause: Clause, figure: Figure) -> str:
    """What of a situation a limit is compared with: the last thing named before it."""
    before = clause.before(figure, past_others=True)
    name, distance = named(
        before,
        (("turnover", cues.TURNOVER), ("income", cues.INCOME), ("amount", cues.OF_AMOUNT)),
    )
    if name == "amount" and cues.TURNOVER.search(before[-120:]):
        return "turnover"
    return name if distance <= 120 else ""


def ranged(clause: Clause, found: list[Meaning]) -> list[Meaning]:
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
