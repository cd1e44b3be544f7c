"""How well a release agrees with the rules that it should contain.

When a known rule applies is only recorded in words, so a release may correctly turn two rules into
one, or one into two. The two sides are therefore counted separately: which released rules are
right, and which known rules are covered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.model.concepts import parse_concept
from assay.ruling.evaluation.scoring import UNSCORED, compute_share, is_same_value
from assay.ruling.evaluation.truth import KnownRule

UNSCORED_PREDICATES = frozenset({"refers_to", "exemption", "entry_into_force", "repeal", "form"})
"""Predicates whose rules nobody recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRule:
    """A rule as a release states it."""

    concept: str
    value_type: str
    value: str
    unit: str = ""
    effective_from: str | None = None
    effective_until: str | None = None
    documents: frozenset[str] = frozenset()
    """The documents that support it, under the names that the truth file uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTally:
    """How many rules are known and released, and how many of each the other side has too."""

    known: int = 0
    met: int = 0
    """Known rules that a released one states."""
    met_by_name: int = 0
    """Of these, those stated under the same concept."""
    released: int = 0
    right: int = 0
    """Released rules that are known."""
    right_by_name: int = 0
    dated: int = 0
    """Released rules that are right, by name, and whose dates are right as well."""

    @property
    def precision(self) -> float | None:
        return compute_share(self.right, self.released)

    @property
    def recall(self) -> float | None:
        return compute_share(self.met, self.known)

    @property
    def named_precision(self) -> float | None:
        return compute_share(self.right_by_name, self.released)

    @property
    def named_recall(self) -> float | None:
        return compute_share(self.met_by_name, self.known)

    @property
    def dated_precision(self) -> float | None:
        return compute_share(self.dated, self.released)

    def to_dict(self) -> dict[str, Any]:
        """The tally as values, for a program."""
        return {
            "known": self.known,
            "released": self.released,
            "precision": self.precision,
            "recall": self.recall,
            "named_precision": self.named_precision,
            "named_recall": self.named_recall,
            "dated_precision": self.dated_precision,
        }


@dataclass(frozen=True, slots=True)
class RuleScore:
    """How well a release agrees with what it should contain."""

    overall: RuleTally
    by_predicate: Mapping[str, RuleTally]
    missing: tuple[KnownRule, ...]
    surplus: tuple[ScoredRule, ...]
    forbidden: tuple[tuple[ScoredRule, KnownRule], ...]
    """Released although the rule loses a conflict, or waits for a person."""


def score_rules(released: Sequence[ScoredRule], expected: Sequence[KnownRule]) -> RuleScore:
    """Compare a release with what is known; predicates that nobody recorded are left out."""
    given = [
        rule
        for rule in released
        if predicate_of(rule) not in UNSCORED_PREDICATES and rule.value_type not in UNSCORED
    ]
    holding = [rule for rule in expected if rule.status == "holds"]
    names = sorted({*map(predicate_of, holding), *map(predicate_of, given)})
    wrong = [rule for rule in given if not any(_rules_agree(known, rule) for known in holding)]
    return RuleScore(
        overall=_count_rules(holding, given, lambda _rule: True),
        by_predicate={
            name: _count_rules(holding, given, _make_predicate_filter(name)) for name in names
        },
        missing=tuple(
            rule for rule in holding if not any(_rules_agree(rule, entry) for entry in given)
        ),
        surplus=tuple(wrong),
        forbidden=tuple(
            (rule, known)
            for rule in wrong
            for known in expected
            if known.status != "holds" and _rules_agree_by_name(known, rule)
        ),
    )


def _make_predicate_filter(name: str) -> Callable[[KnownRule | ScoredRule], bool]:
    return lambda rule: predicate_of(rule) == name


def _count_rules(
    holding: Sequence[KnownRule],
    given: Sequence[ScoredRule],
    counts: Callable[[KnownRule | ScoredRule], bool],
) -> RuleTally:
    known = [rule for rule in holding if counts(rule)]
    released = [rule for rule in given if counts(rule)]

    def count_met(agree: Callable[[KnownRule, ScoredRule], bool]) -> int:
        return sum(any(agree(rule, entry) for entry in given) for rule in known)

    def count_right(agree: Callable[[KnownRule, ScoredRule], bool]) -> int:
        return sum(any(agree(rule, entry) for rule in holding) for entry in released)

    return RuleTally(
        known=len(known),
        met=count_met(_rules_agree),
        met_by_name=count_met(_rules_agree_by_name),
        released=len(released),
        right=count_right(_rules_agree),
        right_by_name=count_right(_rules_agree_by_name),
        dated=count_right(_rules_agree_by_name_and_days),
    )


def predicate_of(rule: KnownRule | ScoredRule) -> str:
    """The predicate of a rule's concept."""
    return parse_concept(rule.concept).predicate


def _rules_agree(known: KnownRule, given: ScoredRule) -> bool:
    """Whether both state the same value, and share a document that supports them."""
    return (
        known.value_type == given.value_type
        and (not known.unit or known.unit == given.unit)
        and not given.documents.isdisjoint(known.documents)
        and is_same_value(known.value_type, known.value, given.value)
    )


def _rules_agree_by_name(known: KnownRule, given: ScoredRule) -> bool:
    if not known.known:
        return predicate_of(known) == predicate_of(given) and _rules_agree(known, given)
    return known.concept == parse_concept(given.concept).topic and _rules_agree(known, given)


def _rules_agree_by_name_and_days(known: KnownRule, given: ScoredRule) -> bool:
    return (
        _rules_agree_by_name(known, given)
        and known.effective_from == given.effective_from
        and known.effective_until == given.effective_until
    )
