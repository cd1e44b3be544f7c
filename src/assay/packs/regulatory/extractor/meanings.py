"""What each figure of a sentence says: which predicate, of which type, and how sure that is."""

from collections.abc import Sequence

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure, Kind
from assay.packs.regulatory.extractor.meaning import FAIR, Meaning, limit_of
from assay.packs.regulatory.extractor.shares import share
from assay.packs.regulatory.extractor.sums import ranged, sum_of
from assay.packs.regulatory.extractor.times import date_of, time_of


def meanings(clause: Clause) -> list[Meaning]:
    """The figures of a sentence that mean something, in their order."""
    found: list[Meaning] = []
    for figure in clause.figures:
        meaning = _meaning(clause, figure, found)
        if meaning is not None:
            found.append(meaning)
    return ranged(clause, found)


def _meaning(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    if figure.kind is Kind.PERCENT:
        return share(clause, figure, so_far)
    if figure.kind is Kind.SUM:
        return sum_of(clause, figure, so_far)
    if figure.kind is Kind.TIME:
        return time_of(clause, figure)
    if figure.kind is Kind.DATE:
        return date_of(clause, figure, so_far)
    op = limit_of(clause, figure)
    if not op:
        return None
    return Meaning(figure, "threshold", "threshold", FAIR, op, "employees")
