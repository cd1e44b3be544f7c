"""Editing a rule. The machine's version and the person's are both kept."""

from collections.abc import Mapping
from typing import Any

from assay.errors import InvalidCondition, InvalidInput
from assay.model.concepts import parse_concept
from assay.model.content import ContentClass
from assay.model.rules import ReviewDecision, Rule
from assay.reading.result import Reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.gates import RejectedFact, Rejection, check_proposal
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.review.decisions import (
    SeenRule,
    read_seen_case,
    record_approval,
    refuse_unapprovable,
)
from assay.ruling.review.judgement import EDIT, HOLDING, RuleCase, has_standing_approval
from assay.ruling.review.service import Reviewer, ReviewService
from assay.ruling.rules.conditions import as_json, parse_condition_text, to_canonical_bytes

EDITABLE = ("value", "effective_from", "effective_until", "applies_when", "label")
"""The fields that a person may edit."""
_DAYS = ("effective_from", "effective_until")
_MAX_LABEL = 200


def edit_rule(
    service: ReviewService,
    rule_id: str,
    by: Reviewer,
    changed: Mapping[str, str | None],
    *,
    request_id: str | None = None,
    version: str | None = None,
) -> ReviewDecision:
    """Edit a rule and approve the edited version. The machine's version is kept beside it.

    Words that support the rule must contain the value; None removes a date. With `version`, only
    if the rule is still as the person saw it.
    """
    with service.decide(by) as transaction:
        seen = SeenRule(rule_id=rule_id, request_id=request_id, version=version)
        case = read_seen_case(transaction, seen)
        is_open = case.undecided_conflict is not None
        if not (case.rule.status in HOLDING and case.pointers) or is_open:
            refuse_unapprovable(transaction, case)
        edited = build_person_version(case, changed, service.pack_of(case.rule))
        return record_approval(transaction, case, EDIT, edited)


def build_person_version(
    case: RuleCase, changed: Mapping[str, str | None], pack: Facts
) -> dict[str, Any]:
    """The checked differences from the machine's version; InvalidInput says what is wrong."""
    if not changed:
        raise InvalidInput(
            f"No change to rule {case.rule.rule_id} was given.",
            advice=f"Use field=value; the fields are {', '.join(EDITABLE)}.",
        )
    for name in sorted(set(changed) - set(EDITABLE)):
        raise InvalidInput(
            f"The field '{name}' of a rule cannot be edited.",
            advice=f"The fields are {', '.join(EDITABLE)}.",
        )
    before = case.rule.person_version if has_standing_approval(case) else None
    version = {
        **(before or {}),
        **{name: _normalize_field(name, value) for name, value in changed.items()},
    }
    _check_gates(case, version, pack)
    differences = {
        name: value
        for name, value in version.items()
        if name == "label" or value != getattr(case.rule, name)
    }
    if not differences:
        raise InvalidInput(
            f"Rule {case.rule.rule_id} already says that.",
            advice=f"Approve it with 'assay review approve {case.rule.rule_id}'.",
        )
    return differences


def _normalize_field(name: str, value: str | None) -> str | None:
    if name in _DAYS:
        return value or None
    if value is None or not value.strip():
        raise InvalidInput(f"'{name}' of a rule cannot be empty.")
    if name == "applies_when":
        return to_canonical_bytes(parse_condition_text(value)).decode()
    folded = " ".join(value.split())
    if name == "label" and len(folded) > _MAX_LABEL:
        raise InvalidInput(f"A label can have at most {_MAX_LABEL} characters.")
    return folded


def _check_gates(case: RuleCase, version: Mapping[str, Any], pack: Facts) -> None:
    """Raise an error unless the person's version passes the same gates as a fact."""
    rule = case.rule.model_copy(
        update={name: value for name, value in version.items() if name != "label"}
    )
    refusals = [_find_rejection(rule, pointer.quote, pack) for pointer in case.pointers]
    if None in refusals:
        return
    first = next(refusal for refusal in refusals if refusal is not None)
    if any(r.reason is Rejection.VALUE_NOT_IN_QUOTE for r in refusals if r is not None):
        raise InvalidInput(
            f"'{rule.value}' is not in any quote that supports rule {rule.rule_id}.",
            advice="A rule can only say what a document says: reject it instead.",
        )
    if "condition" in first.detail:
        raise InvalidCondition(f"Rule {rule.rule_id}: {first.detail}")
    raise InvalidInput(f"Rule {rule.rule_id} cannot be edited like this: {first.detail}")


def _find_rejection(rule: Rule, quote: str, pack: Facts) -> RejectedFact | None:
    name = parse_concept(rule.concept)
    proposed = ProposedFact(
        domain=rule.domain,
        subject=name.subject,
        predicate=name.predicate,
        value=rule.value,
        value_type=rule.value_type,
        unit=rule.unit,
        quote=quote,
        start=0,
        confidence=1.0,
        effective_from=rule.effective_from,
        effective_until=rule.effective_until,
        applies_when=as_json(parse_condition_text(rule.applies_when)),
    )
    found = check_proposal(proposed, Reading(content_class=ContentClass.HTML, text=quote), pack)
    return found if isinstance(found, RejectedFact) else None
