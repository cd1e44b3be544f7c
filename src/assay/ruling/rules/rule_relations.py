"""How the rules of one concept relate: which one ends another, and which contradict each other.

All of it follows from the set of rules and their support, never from the order in which they
arrived: whichever job looks last finds the same. Only a document that names the value it replaces
ends a rule. A later day or an equal value does not: it may be about another thing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from assay.engine.grouping import group_pairs
from assay.model.ids import derive_id
from assay.model.rules import (
    Conflict,
    ConflictKind,
    ConflictSide,
    ConflictSign,
    EdgeKind,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.rules.authority import LOWEST, Authority, authority_of
from assay.ruling.rules.conditions import is_always, parse_condition_text
from assay.ruling.rules.contradictions import find_contradicting, make_position
from assay.ruling.rules.derogations import DerogatedProvision, find_derogations

_LEVEL = re.compile(r"\d+\w*|(?<=\()\w+(?=\))")
"""A level of a place such as `§ 6 Abs. 2 Nr. 1` or `Article 11(5)(a)`."""
_MAX_EDGES = 5
"""How many amendments of one rule, and how many rules that one overrides, get an edge. More than
one, because a person may reject the first."""


@dataclass(frozen=True)
class GroundedRule:
    """A rule with its current support."""

    rule: Rule
    pointers: tuple[SourcePointer, ...]
    authority: Authority
    refused: bool = False
    """Whether a person rejected it, and nothing new supports it."""
    ended: str | None = None
    """The first day on which none of its words hold any more."""

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
class RuleRelations:
    """What follows from a set of rules."""

    edges: tuple[RuleEdge, ...]
    conflicts: tuple[Conflict, ...]
    sides: tuple[ConflictSide, ...]


def ground_rule(
    rule: Rule,
    pointers: Sequence[SourcePointer],
    hierarchy: Mapping[str, int],
    *,
    refused: bool = False,
    ended: str | None = None,
) -> GroundedRule:
    """A rule with its pointers; `hierarchy` is the rank of each source."""
    ranks = [hierarchy.get(pointer.source_slug, LOWEST) for pointer in pointers]
    authority = authority_of(min(ranks, default=LOWEST))
    return GroundedRule(rule, tuple(pointers), authority, refused, ended)


def find_relations(rules: Iterable[GroundedRule], *, now_ms: int) -> RuleRelations:
    """The edges and conflicts among the rules of a concept that has one value at a time.

    The status of a rule does not matter: it follows from all this, and a rule that lost a conflict
    is still a side of it.
    """
    known = [r for r in rules if r.pointers and not r.refused]
    edges: list[RuleEdge] = []
    conflicts: list[Conflict] = []
    sides: list[ConflictSide] = []
    for group in _group_comparable(known):
        amending = _find_amending_edges(group)
        edges += amending
        until = _find_last_days(group, amending)
        found = find_contradicting(
            make_position(entry.rule, entry.pointers, until[entry.rule.rule_id]) for entry in group
        )
        if not found:
            continue
        parties = [entry for entry in group if entry.rule.rule_id in found]
        conflict = _make_conflict(parties, now_ms)
        conflicts.append(conflict)
        sides += [make_side(conflict.conflict_id, key, until[key]) for key in sorted(found)]
    edges += _find_overriding_edges(known)
    return RuleRelations(
        tuple(sorted(edges, key=_edge_key)),
        tuple(sorted(conflicts, key=lambda conflict: conflict.conflict_id)),
        tuple(sides),
    )


def find_edges_in_turn(rules: Iterable[Rule]) -> list[RuleEdge]:
    """Each rule supersedes those of the day before its own: a person decided that they hold in
    turn."""
    by_day = group_pairs(
        (rule.effective_from, rule) for rule in rules if rule.effective_from is not None
    )
    days = sorted(by_day)
    return [
        _make_edge(new, old, EdgeKind.SUPERSEDES, f"holds from {day}, as a person decided")
        for number, day in enumerate(days)
        for new in by_day[day]
        for earlier in reversed(days[max(0, number - _MAX_EDGES) : number])
        for old in by_day[earlier]
        if new.value != old.value
    ]


def drop_cycles(edges: Iterable[RuleEdge], *, beside: Iterable[RuleEdge] = ()) -> list[RuleEdge]:
    """The edges, in order, without those that would close a cycle, alone or together with `beside`,
    which contains none."""
    kept: list[RuleEdge] = []
    after: dict[str, set[str]] = {}
    for edge in beside:
        after.setdefault(edge.from_rule, set()).add(edge.to_rule)
    for edge in sorted(edges, key=_edge_key):
        if not _reaches(after, edge.to_rule, edge.from_rule):
            kept.append(edge)
            after.setdefault(edge.from_rule, set()).add(edge.to_rule)
    return kept


def make_conflict_id(rule: Rule) -> str:
    """The id of the conflict about the case of a rule."""
    return derive_id("cf", rule.pack, rule.concept, *_case_of(rule))


def make_side(conflict_id: str, rule_id: str, until: str | None = None) -> ConflictSide:
    """A side that nobody has decided about."""
    return ConflictSide(
        side_id=derive_id("cs", conflict_id, rule_id),
        conflict_id=conflict_id,
        rule_id=rule_id,
        until=until,
    )


def _case_of(rule: Rule) -> tuple[str, str, str]:
    """What rules must share to be compared: the kind of value, its unit, and the condition."""
    return rule.value_type, rule.unit, rule.applies_when


def _edge_key(edge: RuleEdge) -> tuple[str, str, str]:
    return edge.from_rule, edge.to_rule, edge.kind


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
    return group_pairs(
        (_case_of(entry.rule), entry)
        for entry in sorted(rules, key=lambda entry: entry.rule.rule_id)
    ).values()


def _find_amending_edges(group: Sequence[GroundedRule]) -> list[RuleEdge]:
    """Edges from rules whose documents name the value that they replace, to the rules with it."""
    amending = group_pairs((value, entry) for entry in group for value in entry.replaced_values)
    if not amending:
        return []
    later: list[RuleEdge] = []
    others: list[RuleEdge] = []
    for old in group:
        following = sorted(
            (new for new in amending.get(old.rule.value, ()) if _amends(new, old)),
            key=lambda new: (new.rule.effective_from or "~", new.rule.rule_id),
        )
        for new in following[:_MAX_EDGES]:
            edge = _make_edge(new.rule, old.rule, EdgeKind.AMENDS, "says that it replaces it")
            # Edges from later to earlier rules cannot form a cycle.
            (later if _begins_before(old.rule, new.rule) else others).append(edge)
    return [*later, *drop_cycles(others, beside=later)]


def _amends(new: GroundedRule, old: GroundedRule) -> bool:
    if new.rule.value == old.rule.value or not new.documents.isdisjoint(old.documents):
        return False
    if new.authority < old.authority or _begins_before(new.rule, old.rule):
        return False
    is_mutual = new.rule.value in old.replaced_values and not _begins_before(old.rule, new.rule)
    return not is_mutual


def _begins_before(a: Rule, b: Rule) -> bool:
    both = a.effective_from is not None and b.effective_from is not None
    return both and str(a.effective_from) < str(b.effective_from)


def _find_last_days(
    group: Sequence[GroundedRule], edges: Iterable[RuleEdge]
) -> dict[str, str | None]:
    """rule → the first day on which it no longer applies. An amendment without a day ends nothing:
    nobody knows since when."""
    begins = {entry.rule.rule_id: entry.rule.effective_from for entry in group}
    ended = group_pairs((edge.to_rule, begins[edge.from_rule]) for edge in edges)
    return {
        entry.rule.rule_id: min(
            filter(
                None,
                (entry.rule.effective_until, entry.ended, *ended.get(entry.rule.rule_id, ())),
            ),
            default=None,
        )
        for entry in group
    }


def _make_edge(new: Rule, old: Rule, kind: EdgeKind, reason: str) -> RuleEdge:
    return RuleEdge(from_rule=new.rule_id, to_rule=old.rule_id, kind=kind.value, reason=reason)


def _make_conflict(parties: Sequence[GroundedRule], now_ms: int) -> Conflict:
    first = parties[0].rule
    if len({entry.authority for entry in parties}) > 1:
        sign = ConflictSign.AUTHORITY_SUPERSEDE
    elif len({entry.rule.effective_from for entry in parties}) > 1:
        sign = ConflictSign.DATE_OVERLAP
    else:
        sign = ConflictSign.VALUE_MISMATCH
    if sign is ConflictSign.DATE_OVERLAP:
        kind = ConflictKind.TEMPORAL
    elif frozenset.intersection(*(entry.sources for entry in parties)):
        kind = ConflictKind.INTERPRETATION
    else:
        kind = ConflictKind.SOURCE
    return Conflict(
        conflict_id=make_conflict_id(first),
        pack=first.pack,
        concept=first.concept,
        value_type=first.value_type,
        unit=first.unit,
        applies_when=first.applies_when,
        kind=kind.value,
        sign=sign.value,
        created_ms=now_ms,
    )


def _periods_overlap(a: Rule, b: Rule) -> bool:
    """Whether both would apply on some day; an open end may always overlap."""
    for one, other in ((a, b), (b, a)):
        ends, begins = one.effective_until, other.effective_from
        if ends is not None and begins is not None and ends <= begins:
            return False
    return True


def _find_overriding_edges(rules: Sequence[GroundedRule]) -> Iterable[RuleEdge]:
    """A rule for a special case takes precedence over the general one whose provision its own words
    name: "by way of derogation from paragraph 1". Anything less would be a guess."""
    always = {
        text: is_always(parse_condition_text(text))
        for text in {entry.rule.applies_when for entry in rules}
    }
    ordered = sorted(rules, key=lambda entry: entry.rule.rule_id)
    general = group_pairs(
        (_find_article(pointer), (entry, pointer))
        for entry in ordered
        if always[entry.rule.applies_when]
        for pointer in entry.pointers
    )
    for entry in ordered:
        if always[entry.rule.applies_when]:
            continue
        overridden = {
            other.rule.rule_id: other
            for pointer in entry.pointers
            for named in find_derogations(pointer.quote, _find_article(pointer)[1])
            for other in _find_general_rules(entry, pointer, named, general)
        }
        for other in islice(overridden.values(), _MAX_EDGES):
            yield _make_edge(
                entry.rule, other.rule, EdgeKind.OVERRIDES, "its words name the other's provision"
            )


def _find_general_rules(
    special: GroundedRule,
    pointer: SourcePointer,
    named: DerogatedProvision,
    general: Mapping[tuple[str, str], Sequence[tuple[GroundedRule, SourcePointer]]],
) -> list[GroundedRule]:
    """The rules of a provision that one for a special case names; none if the provision has several
    general values, because nothing says which one is meant."""
    fitting = (
        other
        for other, place in general.get((pointer.evidence_id, named.article), ())
        if _is_of(place, named)
        and special.rule.value != other.rule.value
        and special.authority >= other.authority
        and _periods_overlap(special.rule, other.rule)
    )
    found = list(islice(fitting, _MAX_EDGES + 1))
    is_ambiguous = any(
        one.rule.value != other.rule.value and _periods_overlap(one.rule, other.rule)
        for one, other in combinations(found, 2)
    )
    return [] if is_ambiguous else found


def _find_article(pointer: SourcePointer) -> tuple[str, str]:
    """The text that words are in, and the number of their article, if they have one."""
    return pointer.evidence_id, next(iter(_LEVEL.findall(pointer.article)), "")


def _is_of(pointer: SourcePointer, named: DerogatedProvision) -> bool:
    """Whether words are those of a provision of their article, and not of an item of its list."""
    paragraphs = _LEVEL.findall(pointer.article)[1:]
    return not _is_item(pointer) and named.paragraph in ("", *paragraphs)


def _is_item(pointer: SourcePointer) -> bool:
    """Whether words are an item of a paragraph's list, which says nothing about other items."""
    return len(_LEVEL.findall(pointer.article)) > 2
