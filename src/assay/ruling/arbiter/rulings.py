"""What has to be written to put a verdict about a conflict into effect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.engine.contract import Change
from assay.model.audit import AuditNote
from assay.model.ids import derive_id
from assay.model.records import Record, ReviewRequest
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictState,
    Resolution,
    ReviewDecision,
    Rule,
    RuleStatus,
)
from assay.ruling.arbiter.arbitration import ConflictVerdict, ModelOpinion
from assay.ruling.review.consequences import ask_once, close_requests, make_request_id
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms
from assay.ruling.review.judgement import RuleCase
from assay.ruling.review.questions import word_conflict_question

_CONFLICT_REASONS = frozenset({ReviewReason.CONFLICT.value})
_DECISION_FIELDS = ("resolution", "winner", "ground", "confidence", "recommendation")


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A conflict with everything that its decision depends on."""

    conflict: Conflict
    a: RuleCase
    b: RuleCase
    decisions: tuple[ReviewDecision, ...] = ()
    """What people decided about the conflict."""
    requests: tuple[ReviewRequest, ...] = ()
    resolutions: tuple[ConflictResolution, ...] = ()

    @cached_property
    def words_key(self) -> str:
        """Identifies the words that support the two rules."""
        return f"{self.a.words_key} {self.b.words_key}"

    @cached_property
    def request_id(self) -> str:
        """The id of the question to a person about the two rules with these words."""
        return make_request_id(ReviewReason.CONFLICT, self.conflict.conflict_id, self.words_key)

    @property
    def was_asked_before(self) -> bool:
        """Whether a person was already asked about exactly these words."""
        return any(request.request_id == self.request_id for request in self.requests)

    @property
    def standing_resolution(self) -> ConflictResolution | None:
        """The last resolution, if it was not undone."""
        undone = {resolution.undoes for resolution in self.resolutions}
        standing = [
            r
            for r in self.resolutions
            if (r.undoes is None or r.winner is not None) and r.resolution_id not in undone
        ]
        return max(standing, key=lambda r: (r.at_ms, r.resolution_id), default=None)

    def find_earlier_opinion(self, ground: str) -> ModelOpinion | None:
        """The earlier result on that ground for exactly these words, to avoid asking twice."""
        conflict = self.conflict
        winner = conflict.winner or conflict.recommendation
        if conflict.ground != ground or winner is None:
            return None
        resolved = self.make_resolution_id(winner, ground)
        if not self.was_asked_before and all(r.resolution_id != resolved for r in self.resolutions):
            return None
        return ModelOpinion(winner=winner, confidence=conflict.confidence or 0.0)

    def make_resolution_id(self, winner: str, ground: str) -> str:
        """A resolution is identified by what was decided, on which ground, for which words."""
        return derive_id("cr", self.conflict.conflict_id, self.words_key, winner, ground)


@dataclass(frozen=True)
class Ruling:
    """Rows to add, and rows to change if they are still as they were when read."""

    records: tuple[Record, ...]
    changes: tuple[Change, ...]
    note: str
    decides: bool
    """Whether the conflict itself changes."""


def find_last_decision(decisions: Iterable[ReviewDecision]) -> ReviewDecision | None:
    """The last of several decisions."""
    return max(decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)


def resolution_for(conflict: Conflict, winner: str) -> Resolution:
    """The resolution in which that rule wins."""
    if winner == conflict.rule_a:
        return Resolution.RULE_A_PREVAILS
    return Resolution.RULE_B_PREVAILS


def build_moot_ruling(dispute: Dispute, actor: str) -> Ruling:
    """Nothing is left to decide: one of the two rules no longer stands."""
    to: dict[str, Any] = dict.fromkeys(_DECISION_FIELDS)
    changes = _change_conflict(
        dispute.conflict, {"state": ConflictState.MOOT.value, **to}, "conflict_moot", actor, ""
    )
    return Ruling(
        (),
        (*changes, *close_requests(dispute.requests, None, _CONFLICT_REASONS)),
        "moot",
        decides=bool(changes),
    )


def build_ruling(
    dispute: Dispute,
    verdict: ConflictVerdict,
    actor: str,
    now_ms: int,
    labels: Mapping[str, str] | None = None,
) -> Ruling:
    """A resolution, or a recommendation with a question for a person."""
    if verdict.escalated is not None or verdict.winner is None:
        return _build_escalation(dispute, verdict, actor, now_ms, labels)
    conflict, winner = dispute.conflict, verdict.winner
    changes = _change_conflict(
        conflict,
        {
            "state": ConflictState.RESOLVED.value,
            "resolution": resolution_for(conflict, winner).value,
            "winner": winner,
            "ground": verdict.ground,
            "confidence": verdict.confidence,
            "recommendation": None,
        },
        "conflict_resolved",
        actor,
        verdict.reason,
    )
    changes += close_requests(dispute.requests, None, _CONFLICT_REASONS)
    if not changes:
        return Ruling((), (), "resolved", decides=False)
    before = dispute.standing_resolution
    resolution = ConflictResolution(
        resolution_id=dispute.make_resolution_id(winner, verdict.ground),
        conflict_id=conflict.conflict_id,
        resolution=resolution_for(conflict, winner).value,
        winner=winner,
        ground=verdict.ground,
        confidence=verdict.confidence,
        decided_by=actor,
        note=verdict.reason,
        undoes=before.resolution_id if before and before.winner != winner else None,
        at_ms=now_ms,
    )
    loser = dispute.b if winner == dispute.a.rule.rule_id else dispute.a
    changes += _deprecate_rule(loser.rule, verdict, actor)
    return Ruling((resolution,), tuple(changes), "resolved", decides=True)


def build_conflict_request(
    dispute: Dispute, advice: str, now_ms: int, labels: Mapping[str, str] | None = None
) -> ReviewRequest:
    """The question which of the two rules prevails."""
    conflict = dispute.conflict
    sources = sorted({p.source_slug for case in (dispute.a, dispute.b) for p in case.pointers})
    return ReviewRequest(
        request_id=dispute.request_id,
        reason=ReviewReason.CONFLICT.value,
        subject_kind="conflict",
        subject=conflict.conflict_id,
        source_slug=sources[0] if sources else None,
        question=word_conflict_question(conflict, dispute.a, dispute.b, advice, labels),
        created_ms=now_ms,
        deadline_ms=now_ms + answer_time_ms(ReviewReason.CONFLICT),
    )


def _build_escalation(
    dispute: Dispute,
    verdict: ConflictVerdict,
    actor: str,
    now_ms: int,
    labels: Mapping[str, str] | None,
) -> Ruling:
    request = build_conflict_request(dispute, _describe_advice(dispute, verdict), now_ms, labels)
    records, changes = ask_once(request, dispute.requests, now_ms)
    changes += close_requests(dispute.requests, request, _CONFLICT_REASONS)
    decided = _change_conflict(
        dispute.conflict,
        {
            "state": ConflictState.ESCALATED.value,
            "resolution": Resolution.ESCALATE_TO_HUMAN.value,
            "winner": None,
            "ground": verdict.ground,
            "confidence": verdict.confidence,
            "recommendation": verdict.winner,
        },
        "conflict_escalated",
        actor,
        verdict.escalated or "",
    )
    return Ruling(tuple(records), (*changes, *decided), "escalated", decides=bool(decided))


def _describe_advice(dispute: Dispute, verdict: ConflictVerdict) -> str:
    why = f"A person decides because {verdict.escalated}."
    if verdict.winner is None:
        return why
    name = "a" if verdict.winner == dispute.conflict.rule_a else "b"
    reason = f": {verdict.reason}" if verdict.reason else ""
    return f"Recommended: ({name}) by {verdict.ground}{reason}. {why}"


def _change_conflict(
    conflict: Conflict, to: Mapping[str, Any], action: str, actor: str, reason: str
) -> list[Change]:
    different = {name: value for name, value in to.items() if getattr(conflict, name) != value}
    if not different:
        return []
    verdict = {name: to[name] for name in ("winner", "ground", "confidence", "recommendation")}
    return [
        Change(
            record=Conflict,
            key=conflict.conflict_id,
            # If someone decided it meanwhile, that decision stands.
            when={
                "state": conflict.state,
                "winner": conflict.winner,
                "ground": conflict.ground,
            },
            to=different,
            audit=AuditNote(
                action=action,
                subject_kind="conflict",
                subject=conflict.conflict_id,
                actor=actor,
                body={"from": conflict.state, "reason": reason, **verdict},
                once=False,
            ),
        )
    ]


def _deprecate_rule(loser: Rule, verdict: ConflictVerdict, actor: str) -> list[Change]:
    if loser.status == RuleStatus.DEPRECATED:
        return []
    reason = f"gave way to {verdict.winner} ({verdict.ground})"
    return [
        Change(
            record=Rule,
            key=loser.rule_id,
            when={"status": loser.status, "approved_by": loser.approved_by},
            to={"status": RuleStatus.DEPRECATED.value, "status_reason": reason},
            audit=AuditNote(
                action="rule_deprecated",
                subject_kind="rule",
                subject=loser.rule_id,
                actor=actor,
                body={"from": loser.status, "to": "DEPRECATED", "reason": reason},
                once=False,
            ),
        )
    ]
