"""How the rules of one concept relate: which one ends another, and which contradict each other.

All of it follows from the set of rules and their support, never from the order in which they
arrived: whichever job looks last finds the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.engine.grouping import group_pairs
from assay.model.ids import derive_id
from assay.model.rules import (
    Conflict,
    ConflictKind,
    ConflictSign,
    EdgeKind,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.rules.authority import LOWEST, Authority, authority_of
from assay.ruling.rules.conditions import is_always, parse_condition_text

_MAX_UNDATED = 40
"""How many rules without a date are compared with each other."""
_MAX_DAYS_BACK = 5
"""How many earlier days a rule can end rules of: a person may reject those in between."""


@dataclass(frozen=True)
class GroundedRule:
    """A rule with its current support."""

    rule: Rule
    pointers: tuple[SourcePointer, ...]
    authority: Authority
    refused: bool = False
    """Whether a person rejected it, and nothing new supports it."""

    @property
    def documents(self) -> frozenset[str]:
        return frozenset(pointer.doc_id for pointer in self.pointers)

    @property
    def sources(self) -> frozenset[str]:
        return frozenset(pointer.source_slug for pointer in self.pointers)

    @property
    def replaced_values(self) -> frozenset[str]:
        """Values that it replaces according to its documents."""
        return frozenset(p.replaces for p in self.pointers if p.replaces is not None)


@dataclass(frozen=True)
class _Pair:
    a: GroundedRule
    b: GroundedRule
    near: bool = True
    """Whether nothing comes between them; otherwise they cannot contradict each other."""


@dataclass(frozen=True)
class RuleRelations:
    """What follows from a set of rules."""

    edges: tuple[RuleEdge, ...]
    conflicts: tuple[Conflict, ...]
    restated: tuple[tuple[str, str], ...]
    """A rule without a date, and one with a date that says the same."""


def ground_rule(
    rule: Rule,
    pointers: Sequence[SourcePointer],
    hierarchy: Mapping[str, int],
    *,
    refused: bool = False,
) -> GroundedRule:
    """A rule with its pointers; `hierarchy` is the rank of each source."""
    ranks = [hierarchy.get(pointer.source_slug, LOWEST) for pointer in pointers]
    return GroundedRule(rule, tuple(pointers), authority_of(min(ranks, default=LOWEST)), refused)


def find_relations(rules: Iterable[GroundedRule], *, now_ms: int) -> RuleRelations:
    """The edges and conflicts among the rules of a concept that has one value at a time.

    A rule is compared only with those that come just before it: what ended long ago contradicts
    nothing, and this way a thousand amendments cost only a few thousand comparisons. The status of
    a rule does not matter: it follows from all this, and a rule that lost a conflict is still a
    party to it.
    """
    known = [r for r in rules if r.pointers and not r.refused]
    edges: list[RuleEdge] = []
    conflicts: list[Conflict] = []
    restated: set[tuple[str, str]] = set()
    for group in _group_comparable(known):
        again = find_restatements(entry.rule for entry in group)
        restated |= again
        repeating = {undated for undated, _ in again}
        alive = [r for r in group if r.rule.rule_id not in repeating]
        for pair in sorted(_list_pairs(alive), key=_pair_ids):
            edge = _find_ending_edge(pair.a, pair.b)
            conflict = _find_conflict(pair.a, pair.b, now_ms) if pair.near else None
            if edge is not None:
                edges.append(edge)
            elif conflict is not None:
                conflicts.append(conflict)
    by_id = {entry.rule.rule_id: entry for entry in known}
    # Edges from later to earlier rules cannot form a cycle; a rule that says it replaces another
    # may close one.
    later = [e for e in edges if _begins_before(by_id[e.to_rule].rule, by_id[e.from_rule].rule)]
    stated = [
        e for e in edges if not _begins_before(by_id[e.to_rule].rule, by_id[e.from_rule].rule)
    ]
    kept = drop_cycles(stated, beside=later)
    conflicts += [
        _make_conflict(
            by_id[edge.from_rule], by_id[edge.to_rule], ConflictSign.DATE_OVERLAP, now_ms
        )
        for edge in stated
        if edge not in kept
    ]
    kept += [*later, *_find_overriding_edges(known)]
    return RuleRelations(
        tuple(sorted(kept, key=lambda edge: (edge.from_rule, edge.to_rule, edge.kind))),
        tuple(sorted(conflicts, key=lambda conflict: conflict.conflict_id)),
        tuple(sorted(restated)),
    )


def drop_cycles(edges: Iterable[RuleEdge], *, beside: Iterable[RuleEdge] = ()) -> list[RuleEdge]:
    """The edges, in order, without those that would close a cycle, alone or together with `beside`,
    which contains none."""
    kept: list[RuleEdge] = []
    after: dict[str, set[str]] = {}
    for edge in beside:
        after.setdefault(edge.from_rule, set()).add(edge.to_rule)
    for edge in sorted(edges, key=lambda edge: (edge.from_rule, edge.to_rule, edge.kind)):
        if not _reaches(after, edge.to_rule, edge.from_rule):
            kept.append(edge)
            after.setdefault(edge.from_rule, set()).add(edge.to_rule)
    return kept


def find_restatements(rules: Iterable[Rule]) -> set[tuple[str, str]]:
    """Rules without a date, each paired with a dated rule that says the same, which it only
    repeats."""
    rules = list(rules)
    dated = group_pairs(
        (_meaning_of(rule), rule.rule_id) for rule in rules if rule.effective_from is not None
    )
    undated = [r for r in rules if r.effective_from is None and r.effective_until is None]
    return {(rule.rule_id, other) for rule in undated for other in dated.get(_meaning_of(rule), ())}


def group_by_party(conflicts: Iterable[Conflict]) -> dict[str, list[Conflict]]:
    """rule → the conflicts it is a party to."""
    return group_pairs((rule, one) for one in conflicts for rule in (one.rule_a, one.rule_b))


def _meaning_of(rule: Rule) -> tuple[str, ...]:
    return (rule.concept, rule.value_type, rule.value, rule.unit, rule.applies_when)


def make_conflict_id(rule_a: str, rule_b: str) -> str:
    """The id of the conflict between two rules, in whatever order they are named."""
    return derive_id("cf", *sorted((rule_a, rule_b)))


def _reaches(after: Mapping[str, set[str]], start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        fresh = after.get(here, set()) - seen
        seen |= fresh
        waiting.extend(fresh)
    return False


def _group_comparable(rules: Sequence[GroundedRule]) -> Iterable[list[GroundedRule]]:
    """Rules about the same thing: the same kind of value, in the same unit, for the same case."""
    return group_pairs(
        ((entry.rule.value_type, entry.rule.unit, entry.rule.applies_when), entry)
        for entry in sorted(rules, key=lambda entry: entry.rule.rule_id)
    ).values()


def _list_pairs(group: Sequence[GroundedRule]) -> Iterable[_Pair]:
    """The pairs that may affect each other: different values, from different documents."""
    by_date = group_pairs((entry.rule.effective_from or "", entry) for entry in group)
    undated = by_date.pop("", [])[:_MAX_UNDATED]
    before: dict[Authority, list[list[GroundedRule]]] = {}
    pairs = [_Pair(a, b) for a, b in combinations(undated, 2)]
    for _, of_day in sorted(by_date.items()):
        pairs += [_Pair(a, b) for a, b in combinations(of_day, 2)]
        for days in before.values():
            for back, olds in enumerate(reversed(days)):
                pairs += [_Pair(new, old, near=back == 0) for new in of_day for old in olds]
        for authority in {entry.authority for entry in of_day}:
            days = before.setdefault(authority, [])
            days.append([entry for entry in of_day if entry.authority is authority])
            del days[:-_MAX_DAYS_BACK]
    pairs += [_Pair(new, old) for new in undated for days in before.values() for old in days[-1]]
    for pair in pairs:
        a, b = pair.a, pair.b
        if a.rule.value != b.rule.value and a.documents.isdisjoint(b.documents):
            yield pair


def _pair_ids(pair: _Pair) -> tuple[str, ...]:
    return tuple(sorted(entry.rule.rule_id for entry in (pair.a, pair.b)))


def _find_ending_edge(a: GroundedRule, b: GroundedRule) -> RuleEdge | None:
    """The edge from the rule that ends the other, if one clearly does."""
    amending = [
        (new, old)
        for new, old in ((a, b), (b, a))
        if old.rule.value in new.replaced_values and not _begins_before(new.rule, old.rule)
    ]
    if len(amending) == 1:
        return _make_edge(*amending[0], EdgeKind.AMENDS, "says that it replaces it")
    dates = a.rule.effective_from, b.rule.effective_from
    if None in dates or dates[0] == dates[1]:
        return None
    old, new = (a, b) if str(dates[0]) < str(dates[1]) else (b, a)
    if new.authority < old.authority or new.replaced_values:
        # A rule that names the value it replaces ends no other: it may be about another paragraph.
        return None
    until = old.rule.effective_until
    if until is not None and until > str(new.rule.effective_from) and not new.rule.amends:
        return None
    kind = EdgeKind.AMENDS if new.rule.amends else EdgeKind.SUPERSEDES
    return _make_edge(new, old, kind, f"holds from {new.rule.effective_from}")


def _begins_before(a: Rule, b: Rule) -> bool:
    both = a.effective_from is not None and b.effective_from is not None
    return both and str(a.effective_from) < str(b.effective_from)


def _make_edge(new: GroundedRule, old: GroundedRule, kind: EdgeKind, reason: str) -> RuleEdge:
    return RuleEdge(
        from_rule=new.rule.rule_id, to_rule=old.rule.rule_id, kind=kind.value, reason=reason
    )


def _find_conflict(a: GroundedRule, b: GroundedRule, now_ms: int) -> Conflict | None:
    if not _periods_overlap(a.rule, b.rule):
        return None
    dated = a.rule.effective_from, b.rule.effective_from
    if a.authority != b.authority:
        sign = ConflictSign.AUTHORITY_SUPERSEDE
    elif dated[0] != dated[1]:
        sign = ConflictSign.DATE_OVERLAP
    else:
        sign = ConflictSign.VALUE_MISMATCH
    return _make_conflict(a, b, sign, now_ms)


def _make_conflict(a: GroundedRule, b: GroundedRule, sign: ConflictSign, now_ms: int) -> Conflict:
    first, second = sorted((a, b), key=lambda entry: entry.rule.rule_id)
    if sign is ConflictSign.DATE_OVERLAP:
        kind = ConflictKind.TEMPORAL
    elif a.sources.isdisjoint(b.sources):
        kind = ConflictKind.SOURCE
    else:
        kind = ConflictKind.INTERPRETATION
    return Conflict(
        conflict_id=make_conflict_id(first.rule.rule_id, second.rule.rule_id),
        pack=first.rule.pack,
        concept=first.rule.concept,
        kind=kind.value,
        sign=sign.value,
        rule_a=first.rule.rule_id,
        rule_b=second.rule.rule_id,
        created_ms=now_ms,
    )


def _periods_overlap(a: Rule, b: Rule) -> bool:
    """Whether both would apply on some day; an open end may always overlap."""
    for one, other in ((a, b), (b, a)):
        ends, begins = one.effective_until, other.effective_from
        if ends is not None and begins is not None and ends <= begins:
            return False
    return True


def _find_overriding_edges(rules: Sequence[GroundedRule]) -> list[RuleEdge]:
    """A rule for a special case takes precedence over one that always applies."""
    general = [entry for entry in rules if is_always(parse_condition_text(entry.rule.applies_when))]
    if not general or len(general) == len(rules):
        return []
    edges = []
    for entry in rules:
        if entry in general:
            continue
        edges += [
            _make_edge(entry, other, EdgeKind.OVERRIDES, "holds for a special case")
            for other in general
            if entry.rule.value != other.rule.value
            and _periods_overlap(entry.rule, other.rule)
            and entry.authority >= other.authority
        ]
    return edges
