"""Which rules of one case contradict each other, without comparing every pair."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from assay.engine.grouping import group_pairs
from assay.model.rules import Rule, SourcePointer


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
    return not (_ends_before(a, b) or _ends_before(b, a))


def find_contradicting(
    positions: Iterable[RulePosition], agreed: Collection[str] = ()
) -> frozenset[str]:
    """The rules that another one contradicts. Those in `agreed` do not contradict each other.

    A rule without a first day only repeats a rule with one that says the same: it may have been
    stated on any day, so it contradicts nothing. A search ends at the first rule that contradicts,
    so a thousand rules with a thousand values cost about a thousand comparisons.
    """
    known = list(positions)
    dated = {position.value for position in known if position.begins is not None}
    by_value = group_pairs(
        (position.value, position)
        for position in known
        if position.begins is not None or position.value not in dated
    )
    others = {
        value: [position for position in group if position.rule_id not in agreed]
        for value, group in by_value.items()
    }
    return frozenset(
        position.rule_id
        for value, group in by_value.items()
        for position in group
        if any(
            contradict(position, other)
            for other_value, rivals in (others if position.rule_id in agreed else by_value).items()
            if other_value != value
            for other in rivals
        )
    )


def _ends_before(one: RulePosition, other: RulePosition) -> bool:
    """Whether one has ended when the other begins; an open end may always overlap."""
    return one.until is not None and other.begins is not None and one.until <= other.begins
