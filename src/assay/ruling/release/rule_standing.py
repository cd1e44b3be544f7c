"""A rule with everything that supports it, as a release sees it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.grouping import group_pairs
from assay.model.facts import FactEnd
from assay.model.hashes import canonical_json
from assay.model.records import Artifact, Evidence, Source
from assay.model.rules import Concept, EdgeKind, Rule, RuleEdge, SourcePointer
from assay.ruling.facts.gates import is_value_in_quote
from assay.ruling.rules.authority import Authority, authority_of

EDITABLE = (
    "value", "value_type", "unit", "effective_from", "effective_until", "applies_when",
)  # fmt: skip
"""The fields in which a person's version may differ from the machine's."""
_ENDING = frozenset({EdgeKind.SUPERSEDES.value, EdgeKind.AMENDS.value})
_MIN_SOURCES = 2
_NEVER: Mapping[str, str | None] = {}


@dataclass(frozen=True)
class CitedGround:
    """One pointer of a rule, with what it points to, as far as that is stored."""

    pointer: SourcePointer
    source: Source | None
    evidence: Evidence | None
    artifact: Artifact | None
    amended: tuple[Evidence, Artifact] | None = None
    """What its words amend, if they do not say by themselves what they are about."""


@dataclass(frozen=True)
class RuleStanding:
    """A rule, its concept, and the words that support it today."""

    rule: Rule
    concept: Concept | None
    grounds: tuple[CitedGround, ...]
    ended: str | None = None
    """The first day on which none of its words hold any more."""
    doubts: tuple[FactEnd, ...] = ()
    """What may have ended its words; a person has yet to answer."""

    @property
    def effective_rule(self) -> Rule:
        """The version that counts: the person's if there is one, otherwise the machine's."""
        return apply_person_version(self.rule)

    @property
    def label(self) -> str:
        """The label that a person gave it, otherwise its concept's label."""
        named = (self.rule.person_version or {}).get("label")
        concept = self.rule.concept if self.concept is None else self.concept.label
        return str(named) if named else concept

    @property
    def cited_grounds(self) -> tuple[CitedGround, ...]:
        """The grounds that a release cites.

        If a person gave the rule another value, those are the ones whose words contain that value.
        """
        worded = self.effective_rule
        if value_parts(worded) == value_parts(self.rule):
            return self.grounds
        return tuple(
            ground
            for ground in self.grounds
            if is_value_in_quote(*value_parts(worded), ground.pointer.quote)
        )


def apply_person_version(rule: Rule) -> Rule:
    """A rule as a person edited it; the rule itself if nobody did."""
    if not rule.person_version:
        return rule
    edited = {name: rule.person_version[name] for name in EDITABLE if name in rule.person_version}
    if not isinstance(edited.get("applies_when", ""), str):
        edited["applies_when"] = canonical_json(edited["applies_when"]).decode()
    return rule.model_copy(update=edited)


def value_parts(rule: Rule) -> tuple[str, str, str]:
    """What a rule says, as the arguments of `is_value_in_quote`."""
    return rule.value, rule.value_type, rule.unit


def is_quote_in_text(quote: str, start: int, end: int, text: str) -> bool:
    """Whether the text has these words, and at this place; no words are not a quote."""
    # A negative index would count from the end, and still lead to words.
    return bool(quote) and start >= 0 and text[start:end] == quote


def is_evidence_strong(hierarchies: Iterable[tuple[str, int]]) -> bool:
    """Whether the evidence is sufficient: two distinct sources, or one that is law.

    Each source is given as its slug and rank.
    """
    ranks = dict(hierarchies)
    law = any(authority_of(rank) is Authority.LAW for rank in ranks.values())
    return law or len(ranks) >= _MIN_SOURCES


def is_ending(edge: RuleEdge) -> bool:
    """Whether an edge ends the rule that it leads to."""
    return edge.holds and edge.kind in _ENDING


def find_end_days(
    rules: Iterable[Rule], edges: Sequence[RuleEdge], ended: Mapping[str, str | None] = _NEVER
) -> dict[str, str | None]:
    """rule → the first day on which it no longer applies, among rules that are released together.

    That is the day that its evidence states, the day on which its words were `ended`, or the first
    day of a rule that supersedes or amends it, whichever comes first. If the next rule is not
    released, the one after it counts, because by then this rule has ended as well.
    """
    worded = {rule.rule_id: apply_person_version(rule) for rule in rules}
    after = group_pairs((edge.to_rule, edge.from_rule) for edge in edges if is_ending(edge))
    return {
        key: min(
            filter(
                None,
                (
                    rule.effective_until,
                    ended.get(key),
                    *_find_successor_starts(key, worded, after),
                ),
            ),
            default=None,
        )
        for key, rule in worded.items()
    }


def _find_successor_starts(
    rule_id: str, released: Mapping[str, Rule], after: Mapping[str, Sequence[str]]
) -> Iterator[str | None]:
    """The first days of the released rules that come next after a rule."""
    seen, waiting = {rule_id}, list(after.get(rule_id, ()))
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        if key in released:
            yield released[key].effective_from
        else:
            waiting += after.get(key, ())
