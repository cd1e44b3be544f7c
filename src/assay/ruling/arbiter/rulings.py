"""What has to be written to put a verdict about a conflict into effect."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.engine.contract import Change
from assay.model.audit import AuditNote
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derive_id
from assay.model.records import Record, ReviewRequest
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictSide,
    ConflictState,
    Resolution,
    ReviewDecision,
)
from assay.ruling.arbiter.arbitration import (
    DIFFERENT,
    IN_TURN,
    PERSON,
    ConflictVerdict,
    ModelOpinion,
    RankedSide,
    build_side,
    chosen_in,
    has_seen_words,
)
from assay.ruling.review.consequences import ask_once, close_requests, make_request_id
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms
from assay.ruling.review.judgement import RESOLVE, RuleCase, is_standing
from assay.ruling.review.questions import word_conflict_question
from assay.ruling.rules.contradictions import (
    RulePosition,
    contradict,
    find_contradicting,
    make_position,
)

_CONFLICT_REASONS = frozenset({ReviewReason.CONFLICT.value})
_RESOLUTIONS = {IN_TURN: Resolution.IN_TURN, DIFFERENT: Resolution.DIFFERENT_THINGS}


@dataclass(frozen=True, kw_only=True)
class SideOutcome:
    """What became of the sides of a conflict, by decisions so far."""

    gave_way: Mapping[str, str]
    """rule → the rule that prevailed over it."""
    contested: frozenset[str]
    """Rules that still contradict each other."""


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A conflict with everything that its decision depends on."""

    conflict: Conflict
    sides: tuple[ConflictSide, ...]
    """Its present sides, in the order of their rules."""
    cases: Mapping[str, RuleCase]
    """rule → its case, for every side."""
    decisions: tuple[ReviewDecision, ...] = ()
    """What people decided about the conflict."""
    requests: tuple[ReviewRequest, ...] = ()
    resolutions: tuple[ConflictResolution, ...] = ()

    @cached_property
    def positions(self) -> Mapping[str, RulePosition]:
        """rule → its position, for the sides that stand."""
        return {
            side.rule_id: make_position(case.rule, case.pointers, side.until)
            for side in self.sides
            if is_standing(case := self.cases[side.rule_id])
        }

    @cached_property
    def words_key(self) -> str:
        """Identifies the words that support the sides."""
        words = sorted((key, self.cases[key].words_key) for key in self.positions)
        return content_hash(canonical_json(words))[:24]

    @property
    def was_weighed_before(self) -> bool:
        """Whether the machine, or a person, has already weighed exactly these words."""
        return self.conflict.words_key == self.words_key

    @cached_property
    def last_decision(self) -> ReviewDecision | None:
        """What a person decided last."""
        return find_last_decision(self.decisions)

    @cached_property
    def standing_decisions(self) -> tuple[ReviewDecision, ...]:
        """What people decided and nobody has undone, in order."""
        undone = {decision.version.get("undoes") for decision in self.decisions}
        return tuple(
            decision
            for decision in sorted(self.decisions, key=lambda d: (d.at_ms, d.decision_id))
            if decision.decision == RESOLVE
            and make_person_resolution_id(self.conflict, decision) not in undone
        )

    @cached_property
    def person_outcome(self) -> SideOutcome:
        """What follows from the decisions of people.

        Each concerns the rules whose words the person saw. Others contest it.
        """
        positions = self.positions
        gave_way: dict[str, str] = {}
        agreed: set[str] = set()
        for decision in self.standing_decisions:
            seen = {key for key in positions if has_seen_words(self.cases[key], decision)}
            chosen = chosen_in(decision)
            if chosen in _RESOLUTIONS:
                agreed = seen
            elif chosen in positions:
                gave_way |= self._find_losers(str(chosen), seen)
        return self._conclude(gave_way, agreed)

    @property
    def standing_resolution(self) -> ConflictResolution | None:
        """The last resolution that was not undone."""
        return self.standing_resolutions[-1] if self.standing_resolutions else None

    @property
    def standing_resolutions(self) -> list[ConflictResolution]:
        """The resolutions that were not undone, the last one at the end."""
        undone = {resolution.undoes for resolution in self.resolutions}
        standing = [
            r
            for r in self.resolutions
            if r.resolution != Resolution.ESCALATE_TO_HUMAN and r.resolution_id not in undone
        ]
        return sorted(standing, key=lambda r: (r.at_ms, r.resolution_id))

    def find_outcome(self, winner: str) -> SideOutcome:
        """What becomes of the sides if one prevails."""
        return self._conclude(self._find_losers(winner, self.positions))

    def _find_losers(self, winner: str, among: Iterable[str]) -> dict[str, str]:
        prevailing = self.positions[winner]
        return {key: winner for key in among if contradict(self.positions[key], prevailing)}

    def _conclude(self, gave_way: Mapping[str, str], agreed: Collection[str] = ()) -> SideOutcome:
        left = (position for key, position in self.positions.items() if key not in gave_way)
        return SideOutcome(gave_way=gave_way, contested=find_contradicting(left, agreed))

    def rank_contested(self) -> list[RankedSide]:
        """The sides that still contradict each other, with what matters for the decision."""
        until = {side.rule_id: side.until for side in self.sides}
        return [
            build_side(self.cases[key], until.get(key))
            for key in sorted(self.person_outcome.contested)
        ]

    def find_earlier_opinion(self, ground: str) -> ModelOpinion | None:
        """The earlier result on that ground for exactly these words, to avoid asking twice."""
        conflict = self.conflict
        winner = conflict.winner or conflict.recommendation
        if conflict.ground != ground or winner is None or not self.was_weighed_before:
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
    """Whether the conflict or one of its sides changes, which may affect rules."""


def find_last_decision(decisions: Iterable[ReviewDecision]) -> ReviewDecision | None:
    """The last of several decisions."""
    return max(decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)


def make_person_resolution_id(conflict: Conflict, decision: ReviewDecision) -> str:
    """The id of the resolution that a person's decision led to."""
    return derive_id("cr", conflict.conflict_id, decision.decision_id)


def resolution_for(choice: str) -> Resolution:
    """The resolution that a choice leads to."""
    return _RESOLUTIONS.get(choice, Resolution.RULE_PREVAILS)


def build_moot_ruling(dispute: Dispute, actor: str) -> Ruling:
    """Nothing is left to decide: the rules that still stand do not contradict each other."""
    to: dict[str, Any] = {"state": ConflictState.MOOT.value, **_make_decision_fields()}
    changes = _change_conflict(dispute, to, "conflict_moot", actor, "")
    sides = change_sides(dispute, SideOutcome(gave_way={}, contested=frozenset()))
    closed = close_requests(dispute.requests, None, _CONFLICT_REASONS)
    return Ruling((), (*changes, *sides, *closed), "moot", decides=bool(changes or sides))


def build_person_ruling(dispute: Dispute, actor: str) -> Ruling:
    """What a person decided, put into effect for the sides as they are now."""
    chosen = str(chosen_in(dispute.standing_decisions[-1]))
    to = _make_decision_fields(
        resolution=resolution_for(chosen),
        winner=None if chosen in _RESOLUTIONS else chosen,
        ground=PERSON,
        confidence=1.0,
    )
    to = {"state": ConflictState.RESOLVED.value, "words_key": dispute.words_key, **to}
    to["recommendation"] = dispute.conflict.recommendation
    changes = _change_conflict(dispute, to, "conflict_resolved", actor, "")
    sides = change_sides(dispute, dispute.person_outcome)
    closed = close_requests(dispute.requests, None, _CONFLICT_REASONS)
    return Ruling((), (*changes, *sides, *closed), "resolved", decides=bool(changes or sides))


def build_ruling(
    dispute: Dispute,
    verdict: ConflictVerdict,
    actor: str,
    now_ms: int,
    labels: Mapping[str, str] | None = None,
) -> Ruling:
    """A resolution, or a recommendation with a question for a person."""
    winner = verdict.winner
    if verdict.escalated is not None or winner is None or winner in _RESOLUTIONS:
        return _build_escalation(dispute, verdict, actor, now_ms, labels)
    outcome = dispute.find_outcome(winner)
    if outcome.contested:
        why = "those that do not contradict it contradict each other"
        verdict = ConflictVerdict(
            winner=winner, ground=verdict.ground, confidence=verdict.confidence, escalated=why
        )
        return _build_escalation(dispute, verdict, actor, now_ms, labels)
    to = _make_decision_fields(
        resolution=resolution_for(winner),
        winner=winner,
        ground=verdict.ground,
        confidence=verdict.confidence,
    )
    to = {"state": ConflictState.RESOLVED.value, "words_key": dispute.words_key, **to}
    changes = _change_conflict(dispute, to, "conflict_resolved", actor, verdict.reason)
    sides = change_sides(dispute, outcome)
    closed = close_requests(dispute.requests, None, _CONFLICT_REASONS)
    if not (changes or sides or closed):
        return Ruling((), (), "resolved", decides=False)
    before = dispute.standing_resolution
    resolution = ConflictResolution(
        resolution_id=dispute.make_resolution_id(winner, verdict.ground),
        conflict_id=dispute.conflict.conflict_id,
        resolution=resolution_for(winner).value,
        winner=winner,
        ground=verdict.ground,
        confidence=verdict.confidence,
        decided_by=actor,
        note=verdict.reason,
        undoes=before.resolution_id if before and before.winner != winner else None,
        at_ms=now_ms,
    )
    return Ruling((resolution,), (*changes, *sides, *closed), "resolved", decides=True)


def build_conflict_request(
    dispute: Dispute, advice: str, now_ms: int, labels: Mapping[str, str] | None = None
) -> ReviewRequest:
    """The one question about a conflict: which of its rules prevails."""
    conflict = dispute.conflict
    contested = [dispute.cases[key] for key in sorted(dispute.person_outcome.contested)]
    sources = sorted({p.source_slug for case in contested for p in case.pointers})
    return ReviewRequest(
        request_id=make_request_id(ReviewReason.CONFLICT, conflict.conflict_id, ""),
        reason=ReviewReason.CONFLICT.value,
        subject_kind="conflict",
        subject=conflict.conflict_id,
        source_slug=sources[0] if sources else None,
        question=word_conflict_question(conflict, contested, advice, labels),
        created_ms=now_ms,
        deadline_ms=now_ms + answer_time_ms(ReviewReason.CONFLICT),
    )


def change_sides(dispute: Dispute, outcome: SideOutcome) -> list[Change]:
    """The sides that have to change so that they reflect an outcome."""
    changes = []
    for side in dispute.sides:
        key = side.rule_id
        to = {"contested": key in outcome.contested, "gave_way_to": outcome.gave_way.get(key)}
        before = {name: getattr(side, name) for name in to}
        if before != to:
            changes.append(Change(record=ConflictSide, key=side.side_id, when=before, to=to))
    return changes


def _build_escalation(
    dispute: Dispute,
    verdict: ConflictVerdict,
    actor: str,
    now_ms: int,
    labels: Mapping[str, str] | None,
) -> Ruling:
    request = build_conflict_request(dispute, _describe_advice(verdict), now_ms, labels)
    records, changes = ask_once(request, dispute.requests, now_ms)
    changes += close_requests(dispute.requests, request, _CONFLICT_REASONS)
    to = _make_decision_fields(
        resolution=Resolution.ESCALATE_TO_HUMAN,
        ground=verdict.ground,
        confidence=verdict.confidence,
        recommendation=verdict.winner,
    )
    to = {"state": ConflictState.ESCALATED.value, "words_key": dispute.words_key, **to}
    decided = _change_conflict(
        dispute, to, "conflict_escalated", actor, verdict.escalated or verdict.reason
    )
    sides = change_sides(dispute, dispute.person_outcome)
    affects = any(name != "words_key" for change in decided for name in change.to)
    return Ruling(
        tuple(records), (*changes, *decided, *sides), "escalated", decides=affects or bool(sides)
    )


def _describe_advice(verdict: ConflictVerdict) -> str:
    why = f"A person decides because {verdict.escalated}."
    if verdict.winner is None:
        return why
    reason = f": {verdict.reason}" if verdict.reason else ""
    return f"Recommended: {verdict.winner}, by {verdict.ground}{reason}. {why}"


def _make_decision_fields(
    *,
    resolution: Resolution | None = None,
    winner: str | None = None,
    ground: str | None = None,
    confidence: float | None = None,
    recommendation: str | None = None,
) -> dict[str, Any]:
    return {
        "resolution": None if resolution is None else resolution.value,
        "winner": winner,
        "ground": ground,
        "confidence": confidence,
        "recommendation": recommendation,
    }


def _change_conflict(
    dispute: Dispute, to: Mapping[str, Any], action: str, actor: str, reason: str
) -> list[Change]:
    conflict = dispute.conflict
    different = {name: value for name, value in to.items() if getattr(conflict, name) != value}
    if not different:
        return []
    verdict = {name: to[name] for name in ("winner", "ground", "confidence", "recommendation")}
    note = AuditNote(
        action=action,
        subject_kind="conflict",
        subject=conflict.conflict_id,
        actor=actor,
        body={"from": conflict.state, "reason": reason, **verdict},
        once=False,
    )
    return [
        Change(
            record=Conflict,
            key=conflict.conflict_id,
            # If someone decided it meanwhile, that decision stands.
            when={
                "state": conflict.state,
                "winner": conflict.winner,
                "resolution": conflict.resolution,
                "ground": conflict.ground,
            },
            to=different,
            audit=None if different.keys() == {"words_key"} else note,
        )
    ]
