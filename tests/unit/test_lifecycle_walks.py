"""However a candidate is pushed about, its history stays whole."""

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import IllegalTransition
from assay.model.lifecycle import (
    TRANSITIONS,
    CandidateState,
    Move,
    RetryPolicy,
    advance_candidate,
    new_candidate,
)
from assay.model.records import CandidateEvent

moves = st.builds(
    Move,
    st.just("d"),
    st.one_of(st.sampled_from(CandidateState), st.just(CandidateState.BLOCKED)),
    st.sampled_from(["r1", "r2"]),
    evidence_id=st.sampled_from([None, "ev_1", "ev_2"]),
    next_retry_unix=st.none() | st.integers(0, 10),
    counts=st.booleans(),
    only_with=st.sampled_from([None, None, "ev_1", "ev_2"]),
)
policies = st.builds(RetryPolicy, st.floats(0.1, 30.0), st.integers(1, 4))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(moves, max_size=30), policies)
def test_events_are_gapless_and_the_state_is_always_the_last_events(
    asked: list[Move], policy: RetryPolicy
) -> None:
    candidate = new_candidate("d")
    events: list[CandidateEvent] = []
    for now, move in enumerate(asked):
        before = candidate
        try:
            result = advance_candidate(candidate, move, policy, now * 1000)
        except IllegalTransition:
            assert candidate == before
            continue
        if result is None:
            continue
        candidate, event = result
        assert event.from_state == before.state
        events.append(event)

        state = CandidateState(candidate.state)
        renewed = before.state == candidate.state and before.evidence_id != candidate.evidence_id
        assert renewed or state in TRANSITIONS[CandidateState(before.state)]
        assert (state is CandidateState.BLOCKED) == (candidate.next_retry_unix is not None)
        assert (state is CandidateState.FAILED) == (candidate.retry_count > policy.limit)
        if state in (CandidateState.BLOCKED, CandidateState.FAILED) and not renewed:
            assert candidate.last_error == move.reason

    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert candidate.event_count == len(events)
    told = [CandidateState.DISCOVERED.value, *(event.to_state for event in events)]
    assert candidate.state == told[-1]
    assert [event.from_state for event in events] == told[:-1]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(moves, max_size=20))
def test_a_resolved_candidate_never_leaves(asked: list[Move]) -> None:
    result = advance_candidate(
        new_candidate("d"), Move("d", CandidateState.RESOLVED, "an alias"), RetryPolicy(), 0
    )
    assert result is not None
    candidate = result[0]
    for move in asked:
        try:
            further = advance_candidate(candidate, move, RetryPolicy(), 1)
        except IllegalTransition:
            continue
        if further is not None:
            candidate = further[0]
        assert candidate.state == CandidateState.RESOLVED.value
