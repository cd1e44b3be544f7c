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
    Conflict,
    ConflictSide,
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
AGREE = "AGREE"
"""The first of two approvals. By itself it approves nothing."""
APPROVING = (APPROVE, EDIT)
REFUSING = (REJECT, WITHDRAW)
UNDECIDED = (ConflictState.OPEN.value, ConflictState.ESCALATED.value)
"""The states of conflicts that prevent their rules from being approved."""
HOLDING = (RuleStatus.APPROVED.value, RuleStatus.PUBLISHED.value)
PERSON_FIELDS = tuple(sorted(Rule.PERSON_FIELDS))


@dataclass(frozen=True, kw_only=True)
class RuleCase:
    """A rule with everything that its status depends on."""

    rule: Rule
    pointers: tuple[SourcePointer, ...]
    """Those that are still valid."""
    conflict: Conflict | None = None
    """The conflict about its case, if it is or was a side of one."""
    side: ConflictSide | None = None
    decisions: tuple[ReviewDecision, ...] = ()
    """What people decided about it, in any order."""
    requests: tuple[ReviewRequest, ...] = ()
    """What people were asked about it."""
    sources: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def quote_keys(self) -> frozenset[str]:
        """The keys of the words that support it."""
        return frozenset(list_quote_keys(self.pointers))

    @cached_property
    def words_key(self) -> str:
        """Identifies the words that support it, taken together."""
        return make_evidence_key(self.pointers)

    @cached_property
    def standing_decisions(self) -> tuple[ReviewDecision, ...]:
        """What people decided and nobody has undone, in order."""
        undone = {decision.version.get("undoes") for decision in self.decisions}
        return tuple(
            decision
            for decision in sorted(self.decisions, key=lambda d: (d.at_ms, d.decision_id))
            if decision.decision_id not in undone and "undoes" not in decision.version
        )

    @property
    def last_decision(self) -> ReviewDecision | None:
        """The last decision about the rule itself."""
        known = [d for d in self.standing_decisions if d.decision in (*APPROVING, *REFUSING)]
        return known[-1] if known else None

    @property
    def is_rolled_back(self) -> bool:
        """Whether the last thing a person did about it was to roll its release back."""
        known = [d for d in self.standing_decisions if d.decision != AGREE]
        return bool(known) and known[-1].decision == UNDO

    @property
    def first_approval(self) -> ReviewDecision | None:
        """The approval that waits for a second person: nothing was decided since, and the words are
        those that the first person saw."""
        last = max(self.decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)
        if last is None or last.decision != AGREE:
            return None
        return last if last.evidence_key == self.words_key else None

    @property
    def undecided_conflict(self) -> Conflict | None:
        """Its conflict, if another side contradicts it and nobody has decided that yet."""
        if self.side is None or not (self.side.holds and self.side.contested):
            return None
        # A conflict that was decided may have a new side, which the arbiter has not seen yet.
        is_moot = self.conflict is not None and self.conflict.state == ConflictState.MOOT
        return None if is_moot else self.conflict


@dataclass(frozen=True, kw_only=True)
class RuleJudgement:
    """The status that a rule should have, and whether to ask a person."""

    status: RuleStatus
    reason: str
    confidence: float
    ask: ReviewReason | None = None
    takes_back: bool = False
    """Whether an earlier approval was based on words that are gone."""


def make_evidence_key(pointers: Sequence[SourcePointer]) -> str:
    """Identifies the words that a decision is based on."""
    return content_hash(canonical_json(list_quote_keys(pointers)))[:24]


def make_case_version(case: RuleCase) -> str:
    """Identifies what a person sees of a rule: it changes with every decision, with the words
    that support it, with its conflict, and with the questions about it."""
    rule, side = case.rule, case.side
    conflict = case.undecided_conflict
    seen = [
        *(getattr(rule, name) for name in ("rule_id", "status", *PERSON_FIELDS)),
        case.words_key,
        len(case.decisions),
        None if side is None else [side.contested, side.gave_way_to, side.holds],
        None if conflict is None else conflict.conflict_id,
        sorted(request.request_id for request in case.requests if request.state == "OPEN"),
    ]
    return content_hash(canonical_json(seen))[:16]


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
    return bool(case.pointers) and _find_refusal(case) is None


def has_standing_approval(case: RuleCase) -> bool:
    """Whether one of the sentences that the approving person saw still supports it."""
    rule = case.rule
    if rule.approved_by is None:
        return False
    return any(
        case.quote_keys & seen_quotes_of(decision)
        for decision in case.standing_decisions
        if decision.decision in APPROVING and decision.evidence_key == rule.approved_key
    )


def _find_refusal(case: RuleCase) -> ReviewDecision | None:
    """The refusal, if it still counts: there are no words that the person had not seen."""
    last = case.last_decision
    if last is None or last.decision not in REFUSING:
        return None
    return last if case.quote_keys <= seen_quotes_of(last) else None


def _judge_groundless(case: RuleCase) -> RuleJudgement:
    last = case.last_decision
    approved = last is not None and last.decision in APPROVING
    return RuleJudgement(
        # Only a person may drop what a person approved.
        status=RuleStatus.PENDING_REVIEW if approved else RuleStatus.DEPRECATED,
        reason="no document says so any more",
        confidence=0.0,
        ask=ReviewReason.EVIDENCE_CHANGED if approved else None,
        takes_back=case.rule.approved_by is not None,
    )


def _judge_supported(case: RuleCase, confidence: float, floor: float) -> RuleJudgement:
    rule, side = case.rule, case.side
    if side is not None and side.holds and side.gave_way_to is not None:
        return RuleJudgement(
            status=RuleStatus.DEPRECATED,
            reason=f"gave way to {side.gave_way_to}",
            confidence=confidence,
        )
    approved = has_standing_approval(case)
    ask = None if approved else _find_review_reason(case, confidence, floor)
    if case.undecided_conflict is not None:
        # A person is asked about the conflict as a whole, and then about the rule that prevails.
        return RuleJudgement(
            status=RuleStatus.PENDING_REVIEW,
            reason="contradicted by another rule",
            confidence=confidence,
        )
    if ask is not None:
        return RuleJudgement(
            status=RuleStatus.PENDING_REVIEW,
            reason=_describe_waiting(ask, case, confidence, floor),
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


def _describe_waiting(ask: ReviewReason, case: RuleCase, confidence: float, floor: float) -> str:
    if (first := case.first_approval) is not None:
        return f"approved by {first.person}; waits for a second person"
    if ask is ReviewReason.QUALITY:
        return "its release was rolled back"
    if ask is ReviewReason.EVIDENCE_CHANGED:
        return "the words have changed since a person decided"
    if ask is ReviewReason.LOW_CONFIDENCE:
        return f"confidence {confidence} is under {floor}"
    return f"{case.rule.tier} waits for a person"
