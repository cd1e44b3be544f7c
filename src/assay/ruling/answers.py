"""What applies on a day, according to a release's rules. There may be several answers, or none.

Nothing is guessed: if a situation leaves out a field, a rule that depends on it does not apply, and
the answer says so.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from assay.engine.grouping import group_pairs
from assay.errors import NotFound
from assay.model.concepts import ConceptName, parse_concept
from assay.ruling.release.published_rules import PublishedRule, RuleDoubt
from assay.ruling.rules.authority import Authority
from assay.ruling.rules.conditions import (
    WORDING_FIELD,
    Condition,
    Explanation,
    compute_specificity,
    condition_holds,
    explain_condition,
    fields_of,
    render_condition,
    simplify_condition,
)
from assay.ruling.rules.conditions.nodes import Always, And, Compare, Comparison, Not, OneOf, Or


class AnswerState(StrEnum):
    """How a question was answered."""

    ANSWERED = "ANSWERED"
    SEVERAL = "SEVERAL"
    """Different values apply, and nothing says that one takes precedence over the others."""
    AS_WORDED = "AS_WORDED"
    """A value applies as its provision says, whose words have to be read for the case at hand."""
    UNCERTAIN = "UNCERTAIN"
    """A value applied until something may have changed it; whether or when it did is unknown."""
    NONE = "NONE"


class ExclusionReason(StrEnum):
    """Why a rule is not part of the answer."""

    FIELD_MISSING = "FIELD_MISSING"
    """The situation leaves out a field that the rule depends on."""
    NOT_MET = "NOT_MET"
    NOT_YET = "NOT_YET"
    ENDED = "ENDED"
    GENERAL = "GENERAL"
    """It applies, but a more specific rule takes precedence."""


@dataclass(frozen=True, slots=True)
class ApplicableValue:
    """A value that applies, and the rules that say so."""

    value: str
    value_type: str
    unit: str
    rules: tuple[PublishedRule, ...]
    assumed: tuple[str, ...] = ()
    """Missing fields whose values could rule the value out."""
    doubt: RuleDoubt | None = None
    """What may have changed it by that day."""


@dataclass(frozen=True, slots=True)
class ExcludedRule:
    """A rule that does not apply here, or not by itself, and why."""

    rule: PublishedRule
    why: ExclusionReason
    reason: str
    """One sentence, without its full stop."""
    fields: tuple[str, ...] = ()
    """The fields that would have to be known."""


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """The answer of a release's rules to a question."""

    concept: str
    label: str
    as_of: date
    situation: Mapping[str, object]
    state: AnswerState
    found: tuple[ApplicableValue, ...]
    """The most specific ones first."""
    misses: tuple[ExcludedRule, ...]
    """The other rules of the concept, the closest first."""

    @property
    def open_fields(self) -> tuple[str, ...]:
        """Missing fields that would decide whether further rules in force on the day apply."""
        asked = {
            f
            for miss in self.misses
            if miss.why is ExclusionReason.FIELD_MISSING
            for f in miss.fields
            if f != WORDING_FIELD
        }
        return tuple(sorted(asked | {f for found in self.found for f in found.assumed}))


def answer_question(
    rules: Iterable[PublishedRule],
    concept: str,
    situation: Mapping[str, object],
    as_of: date,
    *,
    side_by_side: bool = False,
) -> RuleAnswer:
    """What applies on a day; the order of the rules does not matter.

    A concept without a jurisdiction or a kind asks about all of them.
    `side_by_side` says that several values of the concept may apply at once, as penalties do, so
    that no specific rule takes precedence over a general one.
    """
    name = parse_concept(concept)
    asked = sorted(
        (rule for rule in rules if name.covers(parse_concept(rule.concept))), key=_sort_key
    )
    if not asked:
        raise NotFound(f"There is no rule about '{concept}'.")
    misses = [
        miss for rule in asked if (miss := _find_exclusion(rule, situation, as_of)) is not None
    ]
    missed = {miss.rule.rule_id for miss in misses}
    held = [rule for rule in asked if rule.rule_id not in missed]
    certain = {rule.concept for rule in held}
    # Nobody states the words of a provision; what they say is better than nothing. An answer about
    # several concepts is not certain because one of them is.
    worded = {
        miss.rule.rule_id: miss.rule
        for miss in misses
        if miss.fields == (WORDING_FIELD,) and miss.rule.concept not in certain
    }
    held += worded.values()
    misses = [miss for miss in misses if miss.rule.rule_id not in worded]
    if not side_by_side:
        general = [miss for rule in held if (miss := _find_overriding_rule(rule, held)) is not None]
        misses += general
        overridden = {miss.rule.rule_id for miss in general}
        held = [rule for rule in held if rule.rule_id not in overridden]
    found = _group_by_value(held, situation, as_of)
    states = {0: AnswerState.NONE, 1: AnswerState.ANSWERED}
    state = states.get(len(found), AnswerState.SEVERAL)
    if any(rule.rule_id in worded for rule in held):
        state = AnswerState.AS_WORDED
    if any(value.doubt is not None for value in found):
        state = AnswerState.UNCERTAIN
    return RuleAnswer(
        concept=concept,
        label=_find_label(asked, name),
        as_of=as_of,
        situation=dict(situation),
        state=state,
        found=found,
        misses=tuple(sorted(misses, key=lambda miss: _rank_exclusion(miss, as_of))),
    )


def _find_label(rules: Sequence[PublishedRule], name: ConceptName) -> str:
    """The label of what was asked; empty if the question covers several concepts."""
    concepts = {rule.concept for rule in rules}
    known = [rule.label for rule in rules if len(concepts) == 1 or rule.concept == str(name)]
    return known[-1] if known else ""


def _sort_key(rule: PublishedRule) -> tuple[date, str]:
    return rule.effective_from or date.min, rule.rule_id


def _find_exclusion(
    rule: PublishedRule, situation: Mapping[str, object], as_of: date
) -> ExcludedRule | None:
    """Why a rule does not apply, or None if it does."""
    if rule.effective_from is not None and as_of < rule.effective_from:
        return ExcludedRule(
            rule, ExclusionReason.NOT_YET, f"it is in force only from {rule.effective_from}"
        )
    if not rule.is_in_force(as_of):
        return ExcludedRule(rule, ExclusionReason.ENDED, f"it ended on {rule.effective_until}")
    if condition_holds(rule.applies_when, situation, as_of):
        return None
    explanation = explain_condition(rule.applies_when, situation, as_of)
    if _could_be(explanation, holds=True):
        missing = explanation.missing
        told = [name for name in missing if name != WORDING_FIELD]
        reason = f"needs: {', '.join(told)}" if told else "applies as its provision says"
        return ExcludedRule(rule, ExclusionReason.FIELD_MISSING, reason, missing)
    return ExcludedRule(
        rule, ExclusionReason.NOT_MET, "; ".join(_describe_failed_parts(explanation))
    )


def _could_be(explanation: Explanation, *, holds: bool) -> bool:
    """Whether a condition could turn out to hold, or not to, if the missing fields were known."""
    condition, parts = explanation.condition, explanation.parts
    if isinstance(condition, Not):
        return _could_be(parts[0], holds=not holds)
    if isinstance(condition, And | Or):
        possible = (_could_be(part, holds=holds) for part in parts)
        return all(possible) if isinstance(condition, And) == holds else any(possible)
    return bool(explanation.missing) or explanation.holds == holds


def _describe_failed_parts(explanation: Explanation) -> list[str]:
    """The conditions that are not met, in words; at least one."""
    parts = explanation.parts if isinstance(explanation.condition, And) else (explanation,)
    decided = [part for part in parts if not _could_be(part, holds=True)]
    return [f"does not apply: requires that {render_condition(part.condition)}" for part in decided]


def _find_overriding_rule(
    rule: PublishedRule, held: Collection[PublishedRule]
) -> ExcludedRule | None:
    """The exclusion of this rule, if a more specific one takes precedence over it.

    That is only a rule whose condition requires everything that this one requires, and more, and
    whose authority is at least as high. Of two rules with merely different requirements, neither is
    more specific, and both are reported.
    """
    asks = _list_requirements(rule.applies_when)
    for other in sorted(held, key=lambda entry: entry.rule_id):
        if other.concept != rule.concept or other.meaning == rule.meaning:
            continue
        if _authority_of(other) < _authority_of(rule):
            continue
        more = _list_requirements(other.applies_when)
        if _covers(more, asks) and not _covers(asks, more):
            return ExcludedRule(
                rule,
                ExclusionReason.GENERAL,
                f"the more specific rule {other.rule_id} takes precedence",
            )
    return None


def _authority_of(rule: PublishedRule) -> int:
    """The authority of a rule; without a known one it counts as the lowest."""
    return Authority[rule.authority] if rule.authority in Authority.__members__ else 0


def _list_requirements(condition: Condition) -> tuple[Condition, ...]:
    """The conditions that must all be met; none, if a rule always applies."""
    plain = simplify_condition(condition)
    if isinstance(plain, Always):
        return ()
    return plain.members if isinstance(plain, And) else (plain,)


def _covers(special: Iterable[Condition], general: Iterable[Condition]) -> bool:
    """Whether every situation that meets the specific conditions meets the general ones too."""
    known = tuple(special)
    return all(any(_implies(one, other) for one in known) for other in general)


def _implies(one: Condition, other: Condition) -> bool:
    if one == other:
        return True
    if isinstance(one, Compare) and one.comparison is Comparison.EQ:
        values: tuple[object, ...] = (one.value,)
    elif isinstance(one, OneOf):
        values = one.values
    else:
        return False
    # A condition on this field alone is decided by the values that the field may have.
    return fields_of(other) == (one.field,) and all(
        condition_holds(other, {one.field: value}) for value in values
    )


def _group_by_value(
    held: Collection[PublishedRule], situation: Mapping[str, object], as_of: date
) -> tuple[ApplicableValue, ...]:
    """One entry for each value, with all rules that say it."""
    ranked = sorted(
        held, key=lambda entry: (-compute_specificity(entry.applies_when), *_sort_key(entry))
    )
    groups = group_pairs((rule.meaning, rule) for rule in ranked)
    found = []
    for (value_type, value, unit), rules in groups.items():
        explanations = [explain_condition(rule.applies_when, situation, as_of) for rule in rules]
        assumed = {
            field
            for explanation in explanations
            if _could_be(explanation, holds=False)
            for field in explanation.missing
            if field != WORDING_FIELD
        }
        doubt = _find_doubt(rules, as_of)
        found.append(
            ApplicableValue(value, value_type, unit, tuple(rules), tuple(sorted(assumed)), doubt)
        )
    return tuple(found)


def _find_doubt(rules: Sequence[PublishedRule], as_of: date) -> RuleDoubt | None:
    """The doubt about a value in one of its concepts: what one of its rules of the highest
    authority says without any is certain."""
    for own in group_pairs((rule.concept, rule) for rule in rules).values():
        highest = max(map(_authority_of, own))
        doubts = [rule.find_doubt(as_of) for rule in own if _authority_of(rule) == highest]
        if all(doubts):
            return doubts[0]
    return None


_REASON_ORDER = (
    ExclusionReason.FIELD_MISSING,
    ExclusionReason.GENERAL,
    ExclusionReason.NOT_MET,
    ExclusionReason.NOT_YET,
    ExclusionReason.ENDED,
)


def _rank_exclusion(miss: ExcludedRule, as_of: date) -> tuple[int, int, str]:
    """The closest first: rules that lack a field before rules that lack a day."""
    rule, days = miss.rule, 0
    if miss.why is ExclusionReason.NOT_YET and rule.effective_from is not None:
        days = (rule.effective_from - as_of).days
    if miss.why is ExclusionReason.ENDED and rule.effective_until is not None:
        days = (as_of - rule.effective_until).days
    return _REASON_ORDER.index(miss.why), days, rule.rule_id
