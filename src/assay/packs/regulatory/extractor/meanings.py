"""What each figure of a sentence says: which predicate, of which type, and how sure that is."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import also_due
from assay.packs.regulatory.extractor.figures import VALUES, Figure, Kind
from assay.packs.regulatory.extractor.meaning import FAIR, Meaning, limit_of, linked
from assay.packs.regulatory.extractor.shares import share
from assay.packs.regulatory.extractor.sums import ranged, sets_limits, sum_of
from assay.packs.regulatory.extractor.times import date_of, time_of


def meanings(clause: Clause) -> list[Meaning]:
    """The figures of a sentence that mean something, in their order."""
    found: list[Meaning] = []
    for figure in clause.figures:
        meaning = _meaning(clause, figure, found)
        if meaning is not None:
            found.append(meaning)
    return [*ranged(clause, _completed(clause, found)), *also_due(clause, found)]


def _completed(clause: Clause, found: list[Meaning]) -> list[Meaning]:
    """`mit 10, 15 und 30 Prozent besteuert`: the earlier of a list mean what the last does."""
    known = {meaning.figure.start: meaning for meaning in found}
    for first, second in reversed(list(pairwise(clause.figures))):
        meaning = known.get(second.start)
        if first.start in known or meaning is None or first.kind is not second.kind:
            continue
        if first.kind in VALUES and linked(clause.masked[first.end : second.start]):
            known[first.start] = replace(meaning, figure=first)
    return [known[start] for start in sorted(known)]


def _meaning(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    if figure.kind is Kind.PERCENT:
        return share(clause, figure, so_far)
    if figure.kind is Kind.SUM:
        return sum_of(clause, figure, so_far)
    if figure.kind is Kind.TIME:
        return time_of(clause, figure, so_far)
    if figure.kind is Kind.DATE:
        return date_of(clause, figure, so_far)
    op = limit_of(clause, figure)
    if not op:
        if clause.lead and sets_limits(clause.lead):
            return Meaning(figure, "threshold", "threshold", 0.86)
        return None
    return Meaning(figure, "threshold", "threshold", FAIR, op, "employees")
