"""The candidate lifecycle: every arrow, every non-arrow, and what each leaves behind."""

from itertools import product

import pytest

from assay.errors import IllegalTransition
from assay.model.lifecycle import (
    TRANSITIONS,
    CandidateState,
    Move,
    RetryPolicy,
    advance_candidate,
    new_candidate,
)
from assay.model.records import CandidateEvent, IngestCandidate

S = CandidateState
NOW_MS = 1_700_000_000_500
NOW = 1_700_000_000
POLICY = RetryPolicy(days=14.0, limit=5)
DRAWN = [(here, there) for here, targets in TRANSITIONS.items() for there in sorted(targets)]
ASKED = [(here, there) for here, there in DRAWN if there is not S.FAILED]
NOT_DRAWN = [
    (here, there)
    for here, there in product(S, S)
    if here is not there
    and there not in TRANSITIONS[here]
    and there not in (S.FAILED, S.DISCOVERED)
]


def standing(state: CandidateState, *, retries: int = 0) -> IngestCandidate:
    """A candidate in a state, with a past of three events."""
    return IngestCandidate(
        doc_id="d",
        state=state.value,
        evidence_id="ev_old",
        retry_count=retries,
        next_retry_unix=123 if state is S.BLOCKED else None,
        last_error="an old error" if retries else None,
        event_count=3,
        updated_ms=1,
    )


def moved(
    candidate: IngestCandidate, to: CandidateState, **asked: object
) -> tuple[IngestCandidate, CandidateEvent]:
    move = Move("d", to, "the reason", **asked)  # type: ignore[arg-type]
    result = advance_candidate(candidate, move, POLICY, NOW_MS)
    assert result is not None
    return result


def test_the_arrows_of_the_specification_are_drawn() -> None:
    spec = {
        (S.DISCOVERED, S.READY),
        (S.READY, S.INGESTED),
        (S.READY, S.BLOCKED),
        (S.BLOCKED, S.READY),
        (S.BLOCKED, S.FAILED),
    }
    assert spec <= set(DRAWN)
    assert set(TRANSITIONS) == set(S)
    assert not TRANSITIONS[S.RESOLVED]


@pytest.mark.parametrize(("here", "there"), ASKED)
def test_every_arrow_is_passable_and_leaves_an_event(
    here: CandidateState, there: CandidateState
) -> None:
    after, event = moved(standing(here), there)
    assert after.state == there.value
    assert (after.event_count, after.updated_ms) == (4, NOW_MS)
    assert event == CandidateEvent(
        doc_id="d",
        seq=4,
        from_state=here.value,
        to_state=there.value,
        reason="the reason",
        evidence_id="ev_old",
        at_ms=NOW_MS,
    )


@pytest.mark.parametrize(("here", "there"), [arrow for arrow in DRAWN if arrow[1] is S.FAILED])
def test_every_arrow_to_failed_is_gone_along_by_one_block_too_many(
    here: CandidateState, there: CandidateState
) -> None:
    after, event = moved(standing(here, retries=POLICY.limit), S.BLOCKED)
    assert after.state == event.to_state == there.value
    assert event.from_state == here.value


@pytest.mark.parametrize(("here", "there"), NOT_DRAWN)
def test_every_other_way_is_refused(here: CandidateState, there: CandidateState) -> None:
    with pytest.raises(IllegalTransition, match=f"from '{here}' to '{there}'"):
        advance_candidate(standing(here), Move("d", there, "r"), POLICY, NOW_MS)


@pytest.mark.parametrize("here", S)
@pytest.mark.parametrize("evidence", [None, "ev_new"])
def test_failed_cannot_be_asked_for_in_any_state(
    here: CandidateState, evidence: str | None
) -> None:
    with pytest.raises(IllegalTransition, match="the retry limit does that"):
        advance_candidate(
            standing(here), Move("d", S.FAILED, "r", evidence_id=evidence), POLICY, NOW_MS
        )


@pytest.mark.parametrize("here", [state for state in S if state is not S.DISCOVERED])
def test_being_found_again_throws_no_candidate_back(here: CandidateState) -> None:
    # A sitemap and a feed name the same document; the second must not stop at the first.
    assert (
        advance_candidate(standing(here), Move("d", S.DISCOVERED, "found"), POLICY, NOW_MS) is None
    )


@pytest.mark.parametrize("state", [state for state in S if state not in (S.BLOCKED, S.FAILED)])
def test_staying_where_it_is_changes_nothing(state: CandidateState) -> None:
    for evidence in (None, "ev_old"):
        move = Move("d", state, "again", evidence_id=evidence)
        assert advance_candidate(standing(state), move, POLICY, NOW_MS) is None


@pytest.mark.parametrize("state", [state for state in S if state not in (S.BLOCKED, S.FAILED)])
def test_renewed_evidence_keeps_the_state_and_is_told_of(state: CandidateState) -> None:
    before = standing(state, retries=2)
    after, event = moved(before, state, evidence_id="ev_new")
    assert after.evidence_id == event.evidence_id == "ev_new"
    assert (event.from_state, event.to_state, event.seq) == (state.value, state.value, 4)
    kept = {"state", "retry_count", "next_retry_unix", "last_error"}
    assert after.model_dump(include=kept) == before.model_dump(include=kept)


@pytest.mark.parametrize("state", [S.INGESTED, S.SKIPPED])
def test_only_new_evidence_opens_again_what_was_dealt_with(state: CandidateState) -> None:
    same = Move("d", S.READY, "fetched", evidence_id="ev_old")
    assert advance_candidate(standing(state), same, POLICY, NOW_MS) is None
    after, _ = moved(standing(state), S.READY, evidence_id="ev_new")
    assert (after.state, after.evidence_id) == (S.READY.value, "ev_new")
    asked_for_by_a_person, _ = moved(standing(state), S.READY)
    assert asked_for_by_a_person.state == S.READY.value


@pytest.mark.parametrize("state", [S.BLOCKED, S.FAILED])
def test_the_same_evidence_may_be_tried_again_after_a_failure(state: CandidateState) -> None:
    after, _ = moved(standing(state), S.READY, evidence_id="ev_old")
    assert after.state == S.READY.value


@pytest.mark.parametrize("here", [S.DISCOVERED, S.READY, S.BLOCKED])
def test_a_block_counts_waits_and_says_why(here: CandidateState) -> None:
    after, _ = moved(standing(here, retries=2), S.BLOCKED)
    assert after.retry_count == 3
    assert after.next_retry_unix == NOW + 14 * 86_400
    assert after.last_error == "the reason"


@pytest.mark.parametrize("moment", [NOW + 60, 0])
def test_a_block_may_name_its_own_moment(moment: int) -> None:
    after, _ = moved(standing(S.READY), S.BLOCKED, next_retry_unix=moment)
    assert after.next_retry_unix == moment


@pytest.mark.parametrize("here", [S.READY, S.BLOCKED])
def test_a_block_that_does_not_count_uses_up_no_try(here: CandidateState) -> None:
    candidate = standing(here, retries=POLICY.limit)
    for _ in range(3):
        candidate, _event = moved(candidate, S.BLOCKED, counts=False, next_retry_unix=NOW + 60)
        assert (candidate.state, candidate.retry_count) == (S.BLOCKED.value, POLICY.limit)


@pytest.mark.parametrize(("here", "there"), ASKED)
def test_what_was_decided_about_older_evidence_moves_nobody(
    here: CandidateState, there: CandidateState
) -> None:
    move = Move("d", there, "the reason", only_with="ev_older")
    assert advance_candidate(standing(here), move, POLICY, NOW_MS) is None
    after, _ = moved(standing(here), there, only_with="ev_old")
    assert after.state == there.value


def test_the_limit_leads_to_failed_and_not_one_block_earlier() -> None:
    candidate = new_candidate("d")
    states = []
    for _ in range(POLICY.limit + 1):
        candidate, _event = moved(candidate, S.BLOCKED)
        states.append(candidate.state)
    assert states == ["blocked"] * POLICY.limit + ["failed"]
    assert candidate.retry_count == POLICY.limit + 1
    assert candidate.next_retry_unix is None
    assert candidate.last_error == "the reason"


def test_coming_back_between_blocks_does_not_reset_the_count() -> None:
    candidate = new_candidate("d")
    for _ in range(POLICY.limit):
        candidate, _event = moved(candidate, S.BLOCKED)
        candidate, _event = moved(candidate, S.READY)
    candidate, event = moved(candidate, S.BLOCKED)
    assert (event.from_state, event.to_state) == ("ready", "failed")


@pytest.mark.parametrize(("here", "there"), ASKED)
def test_only_a_blocked_candidate_waits(here: CandidateState, there: CandidateState) -> None:
    after, _ = moved(standing(here, retries=1), there)
    assert (after.next_retry_unix is not None) == (there is S.BLOCKED)


@pytest.mark.parametrize(("here", "there"), ASKED)
def test_success_and_a_fresh_start_clear_the_count_and_nothing_else_does(
    here: CandidateState, there: CandidateState
) -> None:
    after, _ = moved(standing(here, retries=2), there)
    if there is S.BLOCKED:
        assert after.retry_count == 3
    elif here is S.FAILED or there is S.INGESTED:
        assert after.retry_count == 0
    else:
        assert after.retry_count == 2


@pytest.mark.parametrize(("here", "there"), [arrow for arrow in ASKED if arrow[1] is not S.BLOCKED])
def test_the_last_error_is_kept_for_the_record(here: CandidateState, there: CandidateState) -> None:
    after, _ = moved(standing(here, retries=2), there)
    assert after.last_error == "an old error"


def test_a_candidate_begins_discovered_with_no_past() -> None:
    assert new_candidate("d") == IngestCandidate(doc_id="d", state="discovered")
