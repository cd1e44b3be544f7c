"""What each figure of a sentence means: its predicate, its type, and how certain that is."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import find_also_due
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import FAIR, Meaning, find_comparison, is_linked
from assay.packs.regulatory.extractor.shares import interpret_share
from assay.packs.regulatory.extractor.sums import apply_ranges, interpret_sum, sets_limits
from assay.packs.regulatory.extractor.times import interpret_date, interpret_time


def interpret_figures(clause: Clause) -> list[Meaning]:
    """The figures of a sentence that mean something, in order."""
    found: list[Meaning] = []
    for figure in clause.figures:
        meaning = _interpret_figure(clause, figure, found)
        if meaning is not None:
            found.append(meaning)
    return [*apply_ranges(clause, _complete_list(clause, found)), *find_also_due(clause, found)]


def _complete_list(clause: Clause, found: list[Meaning]) -> list[Meaning]:
    """`mit 10, 15 und 30 Prozent besteuert`: all figures of a list mean what the last one does."""
    known = {meaning.figure.start: meaning for meaning in found}
    for first, second in reversed(list(pairwise(clause.figures))):
        meaning = known.get(second.start)
        if first.start in known or meaning is None or first.kind is not second.kind:
            continue
        if first.kind in VALUES and is_linked(clause.masked[first.end : second.start]):
            known[first.start] = replace(meaning, figure=first)
    return [known[start] for start in sorted(known)]


def _interpret_figure(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    if figure.kind is FigureKind.PERCENT:
        return interpret_share(clause, figure, so_far)
    if figure.kind is FigureKind.SUM:
        return interpret_sum(clause, figure, so_far)
    if figure.kind is FigureKind.TIME:
        return interpret_time(clause, figure, so_far)
    if figure.kind is FigureKind.DATE:
        return interpret_date(clause, figure, so_far)
    op = find_comparison(clause, figure)
    if not op:
        if clause.lead and sets_limits(clause.lead):
            return Meaning(figure, "threshold", "threshold", 0.86)
        return None
    return Meaning(figure, "threshold", "threshold", FAIR, op, "employees")
