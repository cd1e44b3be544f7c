"""What a figure says, and the ways to find that in the words before and after it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, Kind
from assay.packs.regulatory.extractor.silences import is_negated

STRONG, GOOD, FAIR, WEAK = 0.96, 0.92, 0.88, 0.82
"""How sure a meaning is: its cue stands beside the figure, near, in the sentence, or around it."""
CLOSE = 30
"""Letters between a cue and its figure within which nothing else can be meant."""
Names = Sequence[tuple[str, re.Pattern[str]]]
"""Predicates with their cues, the more exact first."""
_LINK = re.compile(
    r"\s{0,3}(?:,|i|ili|odnosno|te|do|and|or|to|und|oder|bis|bzw\.|,?\s(?:a|and|und))?\s{0,3}"
    r"(?:od|of|von|do|up to|bis zu)?\s{0,3}",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s{0,3}(?:,|i|ili|and|or|und|oder)\s{1,3}", re.IGNORECASE)
_OR = re.compile(r"\s{0,3}(?:ili|or|oder|plus)\s{1,3}(?:od\s|of\s|von\s)?", re.IGNORECASE)
_NEXT = re.compile(
    r"[^%€;]{0,40}(?:,|\s(?:i|a|and|und|te))\s{1,3}(?:a\s|and\s|und\s|te\s)?(?:za|for|für|na|on"
    r"|auf|alle|all|sve|die"
    r"|der|the)\s[^;]{2,60}",
    re.IGNORECASE,
)
_FOR_EACH = re.compile(
    r"\s(?:für|za|for|na|on)\s[^;,%]{2,40}\s(?:und|i|and|a)\s{1,3}", re.IGNORECASE
)
_LISTED = frozenset({"rate", "reduced_rate", "amount", "fee", "threshold", "allowance", "base"})
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


def of_whole_act(text: str) -> bool:
    """Whether a sentence speaks of the act that it stands in."""
    return _WHOLE.search(text) is not None


def negated(clause: Clause, figure: Figure) -> bool:
    """Whether the part of the sentence in which a figure stands denies it."""
    start, end = clause.part_of(figure.start)
    return is_negated(clause.masked[start:end])


def named(words: str, names: Names) -> tuple[str, int]:
    """The name whose cue stands last, and how far from the end; of equals the first listed."""
    best, reached = "", -1
    for name, pattern in names:
        for match in pattern.finditer(words):
            if match.end() > reached:
                best, reached = name, match.end()
    return best, len(words) - reached


def follows(after: str, names: Names) -> str:
    """The name whose cue stands right after a figure."""
    near = after[:CLOSE]
    found = [
        (match.start(), place)
        for place, (_, pattern) in enumerate(names)
        if (match := pattern.search(near))
    ]
    return names[min(found)[1]][0] if found else ""


def sureness(distance: int) -> float:
    """How sure a cue makes its figure, by the letters between them."""
    return STRONG if distance <= CLOSE else GOOD if distance <= 80 else FAIR


def inherited(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What the figure before it means, where only a link stands between them."""
    last = next((one for one in reversed(so_far) if one.figure.kind in VALUES), None)
    if last is None or last.op:
        return None
    between = clause.masked[last.figure.end : figure.start]
    if last.figure.kind is not figure.kind:
        return _in_other_kind(last, figure) if _OR.fullmatch(between) else None
    if _LINK.fullmatch(between):
        return replace(last, figure=figure)
    listed = _NEXT.fullmatch(between) or _FOR_EACH.fullmatch(between)
    if listed and not limit_of(clause, figure) and last.predicate in _LISTED:
        return replace(last, figure=figure, confidence=min(last.confidence, FAIR))
    if last.predicate.startswith("penalty") and len(between) <= 160:
        if limit_of(clause, figure) in ("gt", "lt"):
            return None
        name = bounded("penalty", limit_of(clause, figure))
        return replace(last, figure=figure, predicate=name, confidence=min(last.confidence, FAIR))
    return None


def linked(between: str) -> bool:
    """Whether only a comma or an "and" stands between two figures."""
    return _COMMA.fullmatch(between) is not None


def _in_other_kind(last: Meaning, figure: Figure) -> Meaning | None:
    """`a penalty of $50 or 10 percent of the tax`: a sum or a share of the same."""
    if last.predicate not in ("penalty", "fee", "surcharge", "reduction"):
        return None
    kind = "percentage" if figure.kind is Kind.PERCENT else "currency"
    return replace(last, figure=figure, value_type=kind)


def around(clause: Clause, figure: Figure, names: Names, value_type: str) -> Meaning | None:
    """What the words that introduce a list, or the heading, make of a figure without any."""
    for words, confidence in ((clause.lead, FAIR), (clause.heading, WEAK)):
        name, _ = named(words[-200:], names)
        if name and not (words is clause.heading and name in ("amount", "base")):
            return Meaning(figure, name, value_type, confidence)
    return None


def bounded(name: str, op: str) -> str:
    """A penalty up to a sum is the greatest, one of at least it the least."""
    if name != "penalty":
        return name
    return {"lte": "penalty_max", "gte": "penalty_min"}.get(op, name)
