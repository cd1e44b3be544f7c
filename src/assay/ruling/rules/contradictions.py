"""Which rules of one case contradict each other, without comparing every pair."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from assay.engine.grouping import group_pairs
from assay.model.rules import Rule, SourcePointer

K = TypeVar("K")


@dataclass(frozen=True)
class RulePosition:
    """What a rule says about a case: a value, a period, and the documents that say so."""

    rule_id: str
    value: str
    begins: str | None
    until: str | None
    """Exclusive; None where it is open."""
    documents: frozenset[str]


def make_position(rule: Rule, pointers: Iterable[SourcePointer], until: str | None) -> RulePosition:
    """The position of a rule that ends on that day."""
    documents = frozenset(pointer.doc_id for pointer in pointers)
    return RulePosition(rule.rule_id, rule.value, rule.effective_from, until, documents)


def contradict(a: RulePosition, b: RulePosition) -> bool:
    """Whether two rules cannot both hold: another value, from other documents, on the same day."""
    if a.value == b.value or not a.documents.isdisjoint(b.documents):
        return False
    return max(_begin(a), _begin(b)) < min(_end(a), _end(b))


def find_contradicting(
    positions: Iterable[RulePosition], agreed: Collection[str] = ()
) -> frozenset[str]:
    """The rules that another one contradicts. Those in `agreed` do not contradict each other.

    A rule without a first day only repeats a rule with one that says the same: it may have been
    stated on any day, so it contradicts nothing. Rules are counted instead of compared, which takes
    no longer where nothing contradicts.
    """
    known = list(positions)
    dated = {position.value for position in known if position.begins is not None}
    held = [
        position
        for position in known
        if (position.begins is not None or position.value not in dated)
        and _begin(position) < _end(position)
    ]
    rivals = _Rivals(held)
    rivals_of_agreed = _Rivals([each for each in held if each.rule_id not in agreed])
    return frozenset(
        each.rule_id
        for each in held
        if (rivals_of_agreed if each.rule_id in agreed else rivals).has_against(each)
    )


class _Rivals:
    """Rules of one case, counted by what they say and by the documents that say so."""

    def __init__(self, positions: Sequence[RulePosition]) -> None:
        self._all = _Periods(positions)
        self._of_value = _count_by(positions, lambda each: each.value)
        self._of_documents = _count_by(positions, lambda each: each.documents)
        self._of_both = _count_by(positions, lambda each: (each.documents, each.value))
        self._sharing = group_pairs(
            (document, documents) for documents in self._of_documents for document in documents
        )

    def has_against(self, position: RulePosition) -> bool:
        """Whether one of them contradicts a rule: what is left without those that say the same,
        and those of its own documents."""
        left = self._all.count_overlapping(position)
        left -= self._of_value.get(position.value, _NO_PERIODS).count_overlapping(position)
        sharing = {found for key in position.documents for found in self._sharing.get(key, ())}
        for documents in sharing:
            if left == 0:
                break
            same = self._of_both.get((documents, position.value), _NO_PERIODS)
            left -= self._of_documents[documents].count_overlapping(position)
            left += same.count_overlapping(position)
        return left > 0


class _Periods:
    """The periods of rules, none of which is empty."""

    def __init__(self, positions: Iterable[RulePosition]) -> None:
        known = list(positions)
        self._begin = sorted(_begin(position) for position in known)
        self._end = sorted(_end(position) for position in known)

    def count_overlapping(self, position: RulePosition) -> int:
        """How many of them share a day with a rule: those that have begun before it ends, without
        those that have ended when it begins."""
        begun = bisect_left(self._begin, _end(position))
        return begun - bisect_right(self._end, _begin(position))


_NO_PERIODS = _Periods(())


def _count_by(
    positions: Iterable[RulePosition], key: Callable[[RulePosition], K]
) -> dict[K, _Periods]:
    groups = group_pairs((key(position), position) for position in positions)
    return {name: _Periods(group) for name, group in groups.items()}


def _begin(position: RulePosition) -> str:
    return position.begins or ""


def _end(position: RulePosition) -> str:
    """An open end comes after every day."""
    return position.until or "~"
