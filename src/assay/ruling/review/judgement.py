"""The status of a rule: approved, waiting for a person, unsupported, or deprecated.

All of it follows from what is stored at the moment, never from the order in which it arrived. A
second look therefore changes nothing, and a look that came too early is corrected by the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

from assay.model.hashes import canonical_json, content_hash
from assay.model.records import ReviewRequest, Source
from assay.model.rules import (
    PERSON_TIERS,
    Conflict,
    ConflictState,
    ReviewDecision,
    Rule,
    RuleStatus,
    SourcePointer,
)
from assay.ruling.review.deadlines import ReviewReason, reason_of_tier
from assay.ruling.rules.rule_support import list_quote_keys

ADDED_PER_SOURCE = 0.03
"""How much each further independent source adds."""
MAX_ADDED = 0.1
_DIGITS = 4


def compute_confidence(current: Sequence[SourcePointer], model: float | None = None) -> float:
    """The median of the current pointers, raised by every further source, and never higher than
    the model's own confidence if a model was involved.

    Two documents of one source are not independent of each other. Without support it is 0.
    """
    if not current:
        return 0.0
    further = len({pointer.source_slug for pointer in current}) - 1
    middle = median(pointer.confidence for pointer in current)
    raised = min(1.0, middle + min(MAX_ADDED, ADDED_PER_SOURCE * further))
    # Rounded, so that a confidence which equals the floor on paper equals it here as well.
    return round(raised if model is None else min(raised, model), _DIGITS)


APPROVE, REJECT, EDIT, WITHDRAW = "APPROVE", "REJECT", "EDIT", "WITHDRAW"
RESOLVE, UNDO, ANSWER = "RESOLVE", "UNDO", "ANSWER"
_APPROVING = (APPROVE, EDIT)
_REFUSING = (REJECT, WITHDRAW)
UNDECIDED = (ConflictState.OPEN.value, ConflictState.ESCALATED.value)
"""The states of conflicts that prevent their rules from being approved."""
HOLDING = (RuleStatus.APPROVED.value, RuleStatus.PUBLISHED.value)
FALLEN = (RuleStatus.DEPRECATED.value, RuleStatus.REJECTED.value)
PERSON_FIELDS = tuple(sorted(Rule.PERSON_FIELDS))


@dataclass(frozen=True, kw_only=True)
class RuleCase:
    """A rule with everything that its status depends on."""

    rule: Rule
    pointers: tuple[SourcePointer, ...]
    """Those that are still valid."""
    conflicts: tuple[Conflict, ...] = ()
    fallen: frozenset[str] = frozenset()
    """Rules that won a conflict against this one, but no longer stand themselves."""
    restated_by: str | None = None
    """A standing rule that says the same, with the date that this one lacks."""
    decisions: tuple[ReviewDecision, ...] = ()
    """What people decided about it, in any order."""
    requests: tuple[ReviewRequest, ...] = ()
    """What people were asked about it."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    worded: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Descriptions of it that were already worded."""

    @cached_property
    def quote_keys(self) -> frozenset[str]:
        """The keys of the words that support it."""
        return frozenset(list_quote_keys(self.pointers))

    @cached_property
    def words_key(self) -> str:
        """Identifies the words that support it, taken together."""
        return make_evidence_key(self.pointers)

    @property
    def last_decision(self) -> ReviewDecision | None:
        """The last decision about the rule itself."""
        known = [d for d in self.decisions if d.decision in (*_APPROVING, *_REFUSING)]
        return max(known, key=lambda d: (d.at_ms, d.decision_id), default=None)

    @property
    def is_rolled_back(self) -> bool:
        """Whether the last thing a person did about it was to roll its release back."""
        last = max(self.decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)
        return last is not None and last.decision == UNDO

    @property
    def undecided_conflicts(self) -> list[Conflict]:
        """Its conflicts that are still undecided."""
        return [conflict for conflict in self.conflicts if conflict.state in UNDECIDED]


@dataclass(frozen=True, kw_only=True)
class RuleJudgement:
    """The status that a rule should have, and whether to ask a person."""

    status: RuleStatus
    reason: str
    confidence: float
    ask: ReviewReason | None = None
    takes_back: bool = False
    """Whether an earlier approval was based on words that are gone."""

    def mark_circular(self) -> "RuleJudgement":
        """The judgement of a rule that falls if it stands, and stands if it falls."""
        return replace(
            self,
            status=RuleStatus.PENDING_REVIEW,
            reason="its conflicts were decided in a circle",
            ask=ReviewReason.QUALITY,
        )


def make_evidence_key(pointers: Sequence[SourcePointer]) -> str:
    """Identifies the words that a decision is based on."""
    return content_hash(canonical_json(list_quote_keys(pointers)))[:24]


def seen_quotes_of(decision: ReviewDecision) -> frozenset[str]:
    """The keys of the words that a person saw."""
    return frozenset(decision.machine.get("quotes", ()))


def judge_rule(case: RuleCase, floor: float) -> RuleJudgement:
    """Judge a rule; `floor` is the minimum confidence at which no person is needed.

    The floor applies only to T2 and T3. A T0 or T1 rule waits for a person, whatever its
    confidence.
    """
    confidence = compute_confidence(case.pointers)
    refused = _find_refusal(case)
    if refused is not None:
        status = RuleStatus.REJECTED if refused.decision == REJECT else RuleStatus.DEPRECATED
        word = "rejected" if refused.decision == REJECT else "withdrawn"
        return RuleJudgement(
            status=status, reason=f"{word} by {refused.person}", confidence=confidence
        )
    if not case.pointers:
        return _judge_groundless(case)
    supported = _judge_supported(case, confidence, floor)
    gone = case.rule.approved_by is not None and not has_standing_approval(case)
    return replace(supported, takes_back=True) if gone else supported


def is_standing(case: RuleCase) -> bool:
    """Whether a rule has support of its own and no person refused it, conflicts aside."""
    if not case.pointers or _find_refusal(case) is not None:
        return False
    return case.restated_by is None or has_standing_approval(case)


def has_standing_approval(case: RuleCase) -> bool:
    """Whether one of the sentences that the approving person saw still supports it."""
    rule = case.rule
    if rule.approved_by is None:
        return False
    return any(
        case.quote_keys & seen_quotes_of(decision)
        for decision in case.decisions
        if decision.decision in _APPROVING and decision.evidence_key == rule.approved_key
    )


def _find_refusal(case: RuleCase) -> ReviewDecision | None:
    """The refusal, if it still counts: there are no words that the person had not seen."""
    last = case.last_decision
    if last is None or last.decision not in _REFUSING:
        return None
    return last if case.quote_keys <= seen_quotes_of(last) else None


def _judge_groundless(case: RuleCase) -> RuleJudgement:
    last = case.last_decision
    approved = last is not None and last.decision in _APPROVING
    return RuleJudgement(
        # Only a person may drop what a person approved.
        status=RuleStatus.PENDING_REVIEW if approved else RuleStatus.DEPRECATED,
        reason="no document says so any more",
        confidence=0.0,
        ask=ReviewReason.EVIDENCE_CHANGED if approved else None,
        takes_back=case.rule.approved_by is not None,
    )


def _find_lost_conflict(case: RuleCase) -> Conflict | None:
    """The conflict that it lost to a standing rule."""
    for conflict in sorted(case.conflicts, key=lambda conflict: conflict.conflict_id):
        if conflict.state != ConflictState.RESOLVED or conflict.winner is None:
            continue
        if conflict.winner != case.rule.rule_id and conflict.winner not in case.fallen:
            return conflict
    return None


def _judge_supported(case: RuleCase, confidence: float, floor: float) -> RuleJudgement:
    rule = case.rule
    if not is_standing(case):
        return RuleJudgement(
            status=RuleStatus.DEPRECATED,
            reason=f"says without a date what {case.restated_by} says",
            confidence=confidence,
        )
    lost = _find_lost_conflict(case)
    if lost is not None:
        return RuleJudgement(
            status=RuleStatus.DEPRECATED,
            reason=f"gave way to {lost.winner} ({lost.ground})",
            confidence=confidence,
        )
    approved = has_standing_approval(case)
    ask = None if approved else _find_review_reason(case, confidence, floor)
    if case.undecided_conflicts:
        return RuleJudgement(
            status=RuleStatus.PENDING_REVIEW,
            reason="contradicted by another rule",
            confidence=confidence,
            # If only a person may approve it, ask in any case; the others are asked about later.
            ask=ask if rule.tier in PERSON_TIERS else None,
        )
    if ask is not None:
        return RuleJudgement(
            status=RuleStatus.PENDING_REVIEW,
            reason=_describe_waiting(ask, rule, confidence, floor),
            confidence=confidence,
            ask=ask,
        )
    published = rule.status == RuleStatus.PUBLISHED
    return RuleJudgement(
        status=RuleStatus.PUBLISHED if published else RuleStatus.APPROVED,
        reason=f"approved by {rule.approved_by}"
        if approved
        else f"policy: {rule.tier} from {floor} on, without a conflict, needs no person",
        confidence=confidence,
    )


def _find_review_reason(case: RuleCase, confidence: float, floor: float) -> ReviewReason | None:
    """Why a person has to be asked about a supported rule; None if nobody has to."""
    if case.is_rolled_back:
        return ReviewReason.QUALITY
    if case.last_decision is not None:
        return ReviewReason.EVIDENCE_CHANGED
    if case.rule.tier not in ("T2", "T3"):
        # An unknown tier must not bypass the person.
        return reason_of_tier(case.rule.tier)
    return ReviewReason.LOW_CONFIDENCE if confidence < floor else None


def _describe_waiting(ask: ReviewReason, rule: Rule, confidence: float, floor: float) -> str:
    if ask is ReviewReason.QUALITY:
        return "its release was rolled back"
    if ask is ReviewReason.EVIDENCE_CHANGED:
        return "the words have changed since a person decided"
    if ask is ReviewReason.LOW_CONFIDENCE:
        return f"confidence {confidence} is under {floor}"
    return f"{rule.tier} waits for a person"
