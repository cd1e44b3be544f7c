"""Wording a rule otherwise than the machine did. Both versions are kept."""

from collections.abc import Mapping
from typing import Any

from assay.errors import InvalidCondition, InvalidInput
from assay.model.content import ContentClass
from assay.model.rules import ReviewDecision, Rule
from assay.reading.result import Reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.gates import RejectedFact, Rejection, check_proposal
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.review.decisions import record_approval, refuse_stale, refuse_unapprovable
from assay.ruling.review.judgement import EDIT, HOLDING, RuleCase, has_standing_approval
from assay.ruling.review.lookup import read_case
from assay.ruling.review.service import Reviewer, ReviewService
from assay.ruling.rules.conditions import as_json, parse_condition_text, to_canonical_bytes

EDITABLE = ("value", "effective_from", "effective_until", "applies_when", "label")
"""What a person may word otherwise."""
_DAYS = ("effective_from", "effective_until")
_MAX_LABEL = 200


def edit_rule(
    service: ReviewService,
    rule_id: str,
    by: Reviewer,
    changed: Mapping[str, str | None],
    *,
    request_id: str | None = None,
) -> ReviewDecision:
    """Word a rule otherwise, and approve it so. The machine's version stays beside it.

    A value must stand in words that the rule rests on; None takes a date away.
    """
    with service.decide(by) as transaction:
        case = read_case(transaction.connection, rule_id, service.packs)
        refuse_stale(transaction, case, request_id)
        if not (case.rule.status in HOLDING and not case.undecided_conflicts and case.pointers):
            refuse_unapprovable(transaction, case)
        version = build_person_version(case, changed, service.pack_of(case.rule))
        return record_approval(transaction, case, EDIT, version)


def build_person_version(
    case: RuleCase, changed: Mapping[str, str | None], pack: Facts
) -> dict[str, Any]:
    """What differs from the machine's version, checked; InvalidInput says what is wrong."""
    if not changed:
        raise InvalidInput(
            f"Nothing of rule {case.rule.rule_id} is to be changed.",
            advice=f"Say field=value; fields are {', '.join(EDITABLE)}.",
        )
    for name in sorted(set(changed) - set(EDITABLE)):
        raise InvalidInput(
            f"'{name}' of a rule is not a person's to change.",
            advice=f"Fields are {', '.join(EDITABLE)}.",
        )
    before = case.rule.person_version if has_standing_approval(case) else None
    version = {
        **(before or {}),
        **{name: _normalize_field(name, value) for name, value in changed.items()},
    }
    _check_gates(case, version, pack)
    kept = {
        name: value
        for name, value in version.items()
        if name == "label" or value != getattr(case.rule, name)
    }
    if not kept:
        raise InvalidInput(
            f"That is what rule {case.rule.rule_id} says already.",
            advice=f"Approve it: 'assay review approve {case.rule.rule_id}'.",
        )
    return kept


def _normalize_field(name: str, value: str | None) -> str | None:
    if name in _DAYS:
        return value or None
    if value is None or not value.strip():
        raise InvalidInput(f"'{name}' of a rule cannot be empty.")
    if name == "applies_when":
        return to_canonical_bytes(parse_condition_text(value)).decode()
    folded = " ".join(value.split())
    if name == "label" and len(folded) > _MAX_LABEL:
        raise InvalidInput(f"A label has at most {_MAX_LABEL} characters.")
    return folded


def _check_gates(case: RuleCase, version: Mapping[str, Any], pack: Facts) -> None:
    """The gates of every fact hold for a person's version as well."""
    rule = case.rule.model_copy(
        update={name: value for name, value in version.items() if name != "label"}
    )
    refusals = [_find_rejection(rule, pointer.quote, pack) for pointer in case.pointers]
    if None in refusals:
        return
    told = next(refusal for refusal in refusals if refusal is not None)
    if any(r.reason is Rejection.VALUE_NOT_IN_QUOTE for r in refusals if r is not None):
        raise InvalidInput(
            f"'{rule.value}' does not stand in any of the words that rule {rule.rule_id} rests on.",
            advice="A rule never says what no document says: reject it instead.",
        )
    if "condition" in told.detail:
        raise InvalidCondition(f"Rule {rule.rule_id}: {told.detail}")
    raise InvalidInput(f"Rule {rule.rule_id} cannot be worded so: {told.detail}")


def _find_rejection(rule: Rule, quote: str, pack: Facts) -> RejectedFact | None:
    subject, _, predicate = rule.concept.rpartition(".")
    proposed = ProposedFact(
        domain=rule.domain,
        subject=subject,
        predicate=predicate,
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
