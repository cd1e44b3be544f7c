"""What becomes of a rule: approved, waiting for a person, without ground, or out.

All of it follows from what is stored at the moment, never from the order in which it came. So a
second look changes nothing, and a look that came too early is set right by the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.model.hashes import canonical_json, content_hash
from assay.model.records import ReviewRequest, Source
from assay.model.rules import (
    Conflict,
    ConflictState,
    ReviewDecision,
    Rule,
    RuleStatus,
    SourcePointer,
)
from assay.ruling.declaration import PERSON_TIERS
from assay.ruling.review.deadlines import ReviewReason, reason_of_tier
from assay.ruling.rules.confidence import compute_confidence
from assay.ruling.rules.rule_support import list_quote_keys

APPROVE, REJECT, EDIT, WITHDRAW = "APPROVE", "REJECT", "EDIT", "WITHDRAW"
RESOLVE, UNDO, ANSWER = "RESOLVE", "UNDO", "ANSWER"
_APPROVING = (APPROVE, EDIT)
_REFUSING = (REJECT, WITHDRAW)
UNDECIDED = (ConflictState.OPEN.value, ConflictState.ESCALATED.value)
"""Conflicts that keep their rules from being approved."""
HOLDING = (RuleStatus.APPROVED.value, RuleStatus.PUBLISHED.value)
FALLEN = (RuleStatus.DEPRECATED.value, RuleStatus.REJECTED.value)
PERSON_FIELDS = tuple(sorted(Rule.PERSON_FIELDS))


@dataclass(frozen=True, kw_only=True)
class RuleCase:
    """A rule with all that decides about it."""

    rule: Rule
    pointers: tuple[SourcePointer, ...]
    """Those that still hold."""
    conflicts: tuple[Conflict, ...] = ()
    fallen: frozenset[str] = frozenset()
    """Rules that won a conflict against this one, and do not stand themselves any more."""
    restated_by: str | None = None
    """A rule that stands and says the same, with the date that this one lacks."""
    decisions: tuple[ReviewDecision, ...] = ()
    """What people decided about it, in any order."""
    requests: tuple[ReviewRequest, ...] = ()
    """What people were asked about it."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    worded: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What was put into words about it before."""

    def with_fallen(self, fallen: frozenset[str]) -> "RuleCase":
        """The same, in the light of what became of those that it gave way to."""
        return replace(self, fallen=fallen)

    @cached_property
    def quote_keys(self) -> frozenset[str]:
        """The keys of the words that it rests on."""
        return frozenset(list_quote_keys(self.pointers))

    @cached_property
    def words_key(self) -> str:
        """What names the words that it rests on, taken together."""
        return make_evidence_key(self.pointers)

    @property
    def last_decision(self) -> ReviewDecision | None:
        """What the last person who decided about it said."""
        known = [d for d in self.decisions if d.decision in (*_APPROVING, *_REFUSING)]
        return max(known, key=lambda d: (d.at_ms, d.decision_id), default=None)

    @property
    def is_rolled_back(self) -> bool:
        """Whether the last thing that a person did about it was to take its release back."""
        last = max(self.decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)
        return last is not None and last.decision == UNDO

    @property
    def undecided_conflicts(self) -> list[Conflict]:
        """Its conflicts that nobody has decided."""
        return [conflict for conflict in self.conflicts if conflict.state in UNDECIDED]


@dataclass(frozen=True, kw_only=True)
class RuleJudgement:
    """What a rule should be, and whether a person is to be asked."""

    status: RuleStatus
    reason: str
    confidence: float
    ask: ReviewReason | None = None
    takes_back: bool = False
    """Whether an approval that was given rests on words that are gone."""

    def mark_circular(self) -> "RuleJudgement":
        """The same for a rule that falls if it stands, and stands if it falls."""
        return replace(
            self,
            status=RuleStatus.PENDING_REVIEW,
            reason="its conflicts were decided in a circle",
            ask=ReviewReason.QUALITY,
        )


def make_evidence_key(pointers: Sequence[SourcePointer]) -> str:
    """What names the words that a decision rests on."""
    return content_hash(canonical_json(list_quote_keys(pointers)))[:24]


def seen_quotes_of(decision: ReviewDecision) -> frozenset[str]:
    """The words that were under a person's eyes."""
    return frozenset(decision.machine.get("quotes", ()))


def judge_rule(case: RuleCase, floor: float) -> RuleJudgement:
    """What becomes of a rule; `floor` is the least confidence that needs no person.

    The floor counts for T2 and T3 alone. What is T0 or T1 waits for a person, whatever it says.
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
    """Whether a rule has a ground of its own and no person refused it, conflicts aside."""
    if not case.pointers or _find_refusal(case) is not None:
        return False
    return case.restated_by is None or has_standing_approval(case)


def has_standing_approval(case: RuleCase) -> bool:
    """Whether one of the sentences that the approving person saw still says so."""
    rule = case.rule
    if rule.approved_by is None:
        return False
    return any(
        case.quote_keys & seen_quotes_of(decision)
        for decision in case.decisions
        if decision.decision in _APPROVING and decision.evidence_key == rule.approved_key
    )


def _find_refusal(case: RuleCase) -> ReviewDecision | None:
    """The refusal that still counts: nothing is said that the person had not seen."""
    last = case.last_decision
    if last is None or last.decision not in _REFUSING:
        return None
    return last if case.quote_keys <= seen_quotes_of(last) else None


def _judge_groundless(case: RuleCase) -> RuleJudgement:
    last = case.last_decision
    approved = last is not None and last.decision in _APPROVING
    return RuleJudgement(
        # What a person approved, only a person lets go.
        status=RuleStatus.PENDING_REVIEW if approved else RuleStatus.DEPRECATED,
        reason="no document says so any more",
        confidence=0.0,
        ask=ReviewReason.EVIDENCE_CHANGED if approved else None,
        takes_back=case.rule.approved_by is not None,
    )


def _find_lost_conflict(case: RuleCase) -> Conflict | None:
    """The conflict in which it had to give way to a rule that stands."""
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
            # What nobody but a person approves is asked for in any case; the rest follows later.
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
    """Why a person has to be asked about a rule that has a ground, if he has."""
    if case.is_rolled_back:
        return ReviewReason.QUALITY
    if case.last_decision is not None:
        return ReviewReason.EVIDENCE_CHANGED
    if case.rule.tier not in ("T2", "T3"):
        # An unknown tier is not a way around the person.
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
