"""What has to be written to put a judgement about a rule into effect, and ask a person once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.engine.contract import Change
from assay.model.audit import AuditNote
from assay.model.ids import derive_id
from assay.model.records import Record, ReviewRequest
from assay.model.rules import Rule, RuleStatus
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms
from assay.ruling.review.judgement import PERSON_FIELDS, RuleCase, RuleJudgement
from assay.ruling.review.questions import word_rule_question

OPEN, ANSWERED, MOOT = "OPEN", "ANSWERED", "MOOT"
_ABOUT_RULES = frozenset(
    {
        ReviewReason.TIER_T0.value,
        ReviewReason.TIER_T1.value,
        ReviewReason.LOW_CONFIDENCE.value,
        ReviewReason.EVIDENCE_CHANGED.value,
        ReviewReason.QUALITY.value,
    }
)
_ACTIONS = {
    RuleStatus.APPROVED: "rule_approved",
    RuleStatus.PUBLISHED: "rule_published",
    RuleStatus.PENDING_REVIEW: "rule_held_for_review",
    RuleStatus.DEPRECATED: "rule_deprecated",
    RuleStatus.REJECTED: "rule_rejected",
    RuleStatus.DRAFT: "rule_drafted",
}


@dataclass(frozen=True)
class Consequences:
    """Rows to add, and rows to change if they are still as they were when read."""

    records: tuple[Record, ...] = ()
    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.records or self.changes)


@dataclass(frozen=True, kw_only=True)
class WriteContext:
    """Who writes, when, and the labels of the fields in conditions."""

    actor: str
    now_ms: int
    labels: Mapping[str, str] = field(default_factory=dict)


def find_consequences(case: RuleCase, judgement: RuleJudgement, by: WriteContext) -> Consequences:
    """What has to change to put a judgement into effect; nothing if it already is."""
    rule = case.rule
    request = _build_request(case, judgement, by)
    records, changes = ask_once(request, case.requests, by.now_ms)
    changes += close_requests(case.requests, request, _ABOUT_RULES)
    if rule.confidence != judgement.confidence:
        changes.append(
            Change(
                record=Rule,
                key=rule.rule_id,
                when={"confidence": rule.confidence},
                to={"confidence": judgement.confidence},
            )
        )
    changes += _change_status(rule, judgement, by)
    return Consequences(tuple(records), tuple(changes))


def make_request_id(reason: ReviewReason, subject: str, words: str) -> str:
    """A question is identified by its subject, its reason, and the words it is about."""
    return derive_id("rq", reason.value, subject, words)


def ask_once(
    request: ReviewRequest | None, known: Sequence[ReviewRequest], now_ms: int
) -> tuple[list[Record], list[Change]]:
    """Ask it once; a closed question that must be asked again is reopened."""
    if request is None:
        return [], []
    before = next((r for r in known if r.request_id == request.request_id), None)
    if before is None:
        return [request], []
    if before.state == OPEN:
        # The source also changes if the document that was read first turns out to be a copy.
        is_same = (before.question, before.source_slug) == (request.question, request.source_slug)
        return [] if is_same else [request], []
    again = Change(
        record=ReviewRequest,
        key=request.request_id,
        when={"state": before.state, "answered_ms": before.answered_ms},
        to={
            "state": OPEN,
            "answer": None,
            "answered_by": None,
            "answered_ms": None,
            "question": request.question,
            "source_slug": request.source_slug,
            "created_ms": now_ms,
            "deadline_ms": request.deadline_ms,
        },
    )
    return [], [again]


def close_requests(
    known: Sequence[ReviewRequest], current: ReviewRequest | None, reasons: frozenset[str]
) -> list[Change]:
    """Close the questions that no longer need an answer."""
    return [
        Change(
            record=ReviewRequest,
            key=request.request_id,
            when={"state": OPEN},
            to={"state": MOOT},
        )
        for request in known
        if request.state == OPEN
        and request.reason in reasons
        and (current is None or request.request_id != current.request_id)
    ]


def _build_request(
    case: RuleCase, judgement: RuleJudgement, by: WriteContext
) -> ReviewRequest | None:
    if judgement.ask is None:
        return None
    if judgement.ask is ReviewReason.QUALITY:
        # One request for another look is enough, no matter who made it.
        for known in case.requests:
            if known.reason == ReviewReason.QUALITY and known.state == OPEN:
                return known
    rule = case.rule
    sources = sorted({pointer.source_slug for pointer in case.pointers})
    return ReviewRequest(
        request_id=make_request_id(judgement.ask, rule.rule_id, case.words_key),
        reason=judgement.ask.value,
        subject_kind="rule",
        subject=rule.rule_id,
        source_slug=sources[0] if sources else None,
        question=word_rule_question(case, judgement.ask, judgement.confidence, by.labels),
        created_ms=by.now_ms,
        deadline_ms=by.now_ms + answer_time_ms(judgement.ask, rule.tier),
    )


def _change_status(rule: Rule, judgement: RuleJudgement, by: WriteContext) -> list[Change]:
    to: dict[str, Any] = {}
    if rule.status != judgement.status:
        to["status"] = judgement.status.value
    if rule.status_reason != judgement.reason:
        to["status_reason"] = judgement.reason
    if judgement.takes_back and rule.approved_by is not None:
        to |= dict.fromkeys(PERSON_FIELDS)
    if not to:
        return []
    is_audited = "status" in to or "approved_by" in to
    return [
        Change(
            record=Rule,
            key=rule.rule_id,
            # If someone approved or rejected it meanwhile, that decision stands.
            when={
                "status": rule.status,
                "approved_by": rule.approved_by,
                "approved_key": rule.approved_key,
            },
            to=to,
            audit=_make_audit_note(rule, judgement, by) if is_audited else None,
        )
    ]


def _make_audit_note(rule: Rule, judgement: RuleJudgement, by: WriteContext) -> AuditNote:
    body: dict[str, Any] = {
        "from": rule.status,
        "to": judgement.status.value,
        "reason": judgement.reason,
        "confidence": judgement.confidence,
    }
    if judgement.takes_back and rule.approved_by is not None:
        body |= {"approval_taken_back": rule.approved_by, "approved_key": rule.approved_key}
    return AuditNote(
        action=_ACTIONS[judgement.status],
        subject_kind="rule",
        subject=rule.rule_id,
        actor=by.actor,
        body=body,
        # The status may change back and forth; each time is a separate entry.
        once=False,
    )
