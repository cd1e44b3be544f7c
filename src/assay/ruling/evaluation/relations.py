"""What rules from several documents would do to each other, compared with what documents do."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.model.records import Evidence
from assay.model.rules import Rule
from assay.ruling.convergence import has_one_value
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.scoring import compute_share
from assay.ruling.facts.extraction import DETERMINISTIC
from assay.ruling.facts.fact_builder import FactBuilder
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.rules.authority import HIGHEST
from assay.ruling.rules.composition import draft_rule, group_by_rule, make_pointer
from assay.ruling.rules.rule_relations import GroundedRule, find_relations, ground_rule

CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class RelatedRules:
    """Two rules from different documents, and what one does to the other."""

    kind: str
    concept: str
    values: tuple[str, str]
    documents: tuple[str, str]
    is_right: bool


@dataclass(frozen=True)
class RelationScore:
    """The relations among the rules of all documents together."""

    rules: int
    related: tuple[RelatedRules, ...]
    expected: int
    """Pairs of documents that really concern the same law."""

    def count_by_kind(self) -> dict[str, tuple[int, int]]:
        """Kind → how many there are, and how many are right."""
        total = Counter(one.kind for one in self.related)
        right = Counter(one.kind for one in self.related if one.is_right)
        return {kind: (count, right[kind]) for kind, count in sorted(total.items())}

    @property
    def met(self) -> int:
        """Pairs of documents that should be related and are."""
        return len({frozenset(one.documents) for one in self.related if one.is_right})

    def to_dict(self) -> dict[str, Any]:
        """The totals, for a program."""
        return {
            "rules": self.rules,
            "expected_document_pairs": self.expected,
            "met_document_pairs": self.met,
            "kinds": {
                kind: {"found": count, "right": right, "precision": compute_share(right, count)}
                for kind, (count, right) in self.count_by_kind().items()
            },
        }


def relate_documents(
    found: Mapping[str, Sequence[AcceptedFact]],
    pack: Facts,
    origins: Mapping[str, str],
    expected: frozenset[frozenset[str]],
) -> RelationScore:
    """Compose the facts of all documents to rules and relate these, as the pipeline does.

    `origins` is the source of each document; all sources are law. `expected` are the pairs of
    documents whose rules may end or contradict each other.
    """
    facts = [
        builder.build_fact(accepted)
        for name, of_document in found.items()
        for builder in [_make_builder(name, origins[name], pack)]
        for accepted in of_document
        if pack.predicates[accepted.proposed.predicate].composed
    ]
    ranks = dict.fromkeys(origins.values(), HIGHEST)
    related: list[RelatedRules] = []
    count = 0
    for (_, concept), rules in group_by_rule(facts).items():
        grounded = [
            ground_rule(
                draft_rule(stated, pack, 0), [make_pointer(rule, one) for one in stated], ranks
            )
            for rule, stated in rules.items()
        ]
        count += len(grounded)
        if has_one_value(concept, pack):
            related += _list_related(grounded, expected)
    return RelationScore(count, tuple(related), len(expected))


def _make_builder(name: str, origin: str, pack: Facts) -> FactBuilder:
    evidence = Evidence(
        evidence_id=name, url=name, content_hash=name, doc_id=name, source_slug=origin,
        content_type="", size=0,
    )  # fmt: skip
    return FactBuilder(pack, evidence, name, DETERMINISTIC)


def _list_related(
    rules: Sequence[GroundedRule], expected: frozenset[frozenset[str]]
) -> list[RelatedRules]:
    by_id = {entry.rule.rule_id: entry for entry in rules}
    relations = find_relations(rules, now_ms=0)
    sides: defaultdict[str, list[str]] = defaultdict(list)
    for side in relations.sides:
        sides[side.conflict_id].append(side.rule_id)
    pairs = [(CONFLICT, *pair) for rule_ids in sides.values() for pair in combinations(rule_ids, 2)]
    pairs += [(one.kind, one.from_rule, one.to_rule) for one in relations.edges]
    return [
        related
        for kind, one, other in pairs
        if (related := _relate(kind, by_id[one], by_id[other], expected)) is not None
    ]


def _relate(
    kind: str, one: GroundedRule, other: GroundedRule, expected: frozenset[frozenset[str]]
) -> RelatedRules | None:
    if not one.documents.isdisjoint(other.documents):
        return None
    right = [
        (a, b) for a in one.documents for b in other.documents if frozenset((a, b)) in expected
    ]
    documents = right[0] if right else (min(one.documents), min(other.documents))
    return RelatedRules(
        kind, one.rule.concept, (_show(one.rule), _show(other.rule)), documents, bool(right)
    )


def _show(rule: Rule) -> str:
    return f"{rule.value} {rule.unit}".strip()
