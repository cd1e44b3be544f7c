"""Moving candidates in the store: whole histories, one after the other."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from assay.errors import IllegalTransition
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.model.records import IngestCandidate
from assay.store import tables as t
from assay.store.candidates import find_due_candidates, move_candidates
from assay.store.upserts import upsert_records
from tests.store.rows import contents
from tests.waiting import PATIENCE_S

S = CandidateState
POLICY = RetryPolicy(days=1.0, limit=5)
PATIENT = RetryPolicy(days=1.0, limit=1000)


def move(engine: sa.Engine, *moves: Move, now_ms: int = 1000, policy: RetryPolicy = POLICY) -> int:
    with engine.begin() as connection:
        return move_candidates(connection, moves, policy, now_ms)


def states(engine: sa.Engine) -> dict[str, str]:
    with engine.connect() as connection:
        return {row["doc_id"]: row["state"] for row in contents(connection, t.candidate)}


def histories(engine: sa.Engine) -> dict[str, list[tuple[int, str, str]]]:
    told: dict[str, list[tuple[int, str, str]]] = {}
    with engine.connect() as connection:
        for row in contents(connection, t.candidate_event):
            entry = (row["seq"], row["from_state"], row["to_state"])
            told.setdefault(row["doc_id"], []).append(entry)
    return told


def history(engine: sa.Engine, doc_id: str) -> list[tuple[int, str, str]]:
    return histories(engine).get(doc_id, [])


def assert_whole(engine: sa.Engine) -> None:
    """Every candidate's events are gapless and end where it stands."""
    told = histories(engine)
    with engine.connect() as connection:
        candidates = contents(connection, t.candidate)
    for row in candidates:
        events = told.get(row["doc_id"], [])
        assert [seq for seq, _, _ in events] == list(range(1, row["event_count"] + 1))
        visited = ["discovered", *(to_state for _, _, to_state in events)]
        assert row["state"] == visited[-1]
        assert [from_state for _, from_state, _ in events] == visited[:-1]


def test_a_new_document_begins_discovered_and_leaves_no_event(engine: sa.Engine) -> None:
    assert move(engine, Move("d", S.DISCOVERED, "found")) == 0
    assert states(engine) == {"d": "discovered"}
    assert history(engine, "d") == []


def test_moves_are_applied_in_order_and_each_leaves_an_event(engine: sa.Engine) -> None:
    moves = [
        Move("d", S.READY, "fetched", evidence_id="ev_1"),
        Move("other", S.BLOCKED, "no answer"),
        Move("d", S.SKIPPED, "too short"),
        Move("d", S.SKIPPED, "too short"),
        Move("d", S.READY, "changed", evidence_id="ev_2"),
    ]
    assert move(engine, *moves) == 4
    assert states(engine) == {"d": "ready", "other": "blocked"}
    assert history(engine, "d") == [
        (1, "discovered", "ready"),
        (2, "ready", "skipped"),
        (3, "skipped", "ready"),
    ]
    assert_whole(engine)


def test_events_go_on_counting_over_transactions(engine: sa.Engine) -> None:
    for now_ms, to in enumerate([S.READY, S.INGESTED, S.READY, S.BLOCKED, S.READY]):
        assert move(engine, Move("d", to, "r"), now_ms=now_ms) == 1
    assert [to_state for _, _, to_state in history(engine, "d")] == [
        "ready",
        "ingested",
        "ready",
        "blocked",
        "ready",
    ]
    assert_whole(engine)


def test_the_reason_the_evidence_and_the_moment_are_kept(engine: sa.Engine) -> None:
    move(engine, Move("d", S.READY, "fetched", evidence_id="ev_1"), now_ms=1)
    move(engine, Move("d", S.BLOCKED, "no text"), now_ms=2000)
    with engine.connect() as connection:
        (candidate,) = contents(connection, t.candidate)
        event = contents(connection, t.candidate_event)[-1]
    assert candidate["last_error"] == event["reason"] == "no text"
    assert candidate["evidence_id"] == event["evidence_id"] == "ev_1"
    assert candidate["updated_ms"] == event["at_ms"] == 2000
    assert candidate["next_retry_unix"] == 2 + 86_400


def test_an_illegal_move_undoes_the_whole_transaction(engine: sa.Engine) -> None:
    move(engine, Move("d", S.READY, "r"))
    with pytest.raises(IllegalTransition):
        move(engine, Move("d", S.INGESTED, "r"), Move("new", S.INGESTED, "r"))
    assert states(engine) == {"d": "ready"}
    assert len(history(engine, "d")) == 1


def test_no_moves_are_no_work(engine: sa.Engine) -> None:
    assert move(engine) == 0
    assert states(engine) == {}


def test_more_candidates_than_fit_into_one_statement_are_all_moved(engine: sa.Engine) -> None:
    ids = [f"d{number:04}" for number in range(1203)]
    assert move(engine, *(Move(doc_id, S.READY, "r") for doc_id in ids[:600])) == 600
    assert move(engine, *(Move(doc_id, S.BLOCKED, "r") for doc_id in reversed(ids))) == 1203
    assert set(states(engine).values()) == {"blocked"}
    assert len(states(engine)) == 1203
    assert_whole(engine)


@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
def test_a_second_mover_waits_for_the_first_and_goes_on_from_there(
    engine: sa.Engine, known: bool
) -> None:
    if known:
        move(engine, Move("d", S.DISCOVERED, "found"))
    done = threading.Event()

    def second() -> int:
        count = move(engine, Move("d", S.BLOCKED, "second"))
        done.set()
        return count

    with ThreadPoolExecutor(1) as pool, engine.begin() as first:
        assert move_candidates(first, [Move("d", S.READY, "first")], POLICY, 1) == 1
        waiting = pool.submit(second)
        assert not done.wait(0.3)
        first.commit()
        assert waiting.result(timeout=PATIENCE_S) == 1
    assert history(engine, "d") == [(1, "discovered", "ready"), (2, "ready", "blocked")]
    assert_whole(engine)


def test_a_mover_that_gives_up_leaves_the_way_to_the_second(engine: sa.Engine) -> None:
    with ThreadPoolExecutor(1) as pool, engine.connect() as first:
        move_candidates(first, [Move("d", S.READY, "first")], POLICY, 1)
        waiting = pool.submit(move, engine, Move("d", S.BLOCKED, "second"))
        first.rollback()
        assert waiting.result(timeout=PATIENCE_S) == 1
    assert history(engine, "d") == [(1, "discovered", "blocked")]
    assert_whole(engine)


def test_movers_in_a_crowd_lose_nothing_and_do_not_deadlock(engine: sa.Engine) -> None:
    ids = [f"d{number}" for number in range(8)]
    orders: Sequence[list[str]] = [ids, ids[::-1], ids[4:] + ids[:4], ids[1::2] + ids[::2]]
    together = threading.Barrier(len(orders))

    def crowd(order: list[str]) -> int:
        together.wait(timeout=PATIENCE_S)
        return sum(
            move(engine, *(Move(doc_id, S.BLOCKED, "r") for doc_id in order), policy=PATIENT)
            for _ in range(4)
        )

    with ThreadPoolExecutor(len(orders)) as pool:
        counts = [pool.submit(crowd, order).result for order in orders]
        assert [count(timeout=PATIENCE_S) for count in counts] == [4 * len(ids)] * len(orders)
    assert_whole(engine)
    with engine.connect() as connection:
        assert {row["retry_count"] for row in contents(connection, t.candidate)} == {16}


def waiting(doc_id: str, until: int | None, state: CandidateState = S.BLOCKED) -> IngestCandidate:
    return IngestCandidate(doc_id=doc_id, state=state.value, next_retry_unix=until)


def test_due_are_blocked_candidates_whose_second_has_come(connection: sa.Connection) -> None:
    upsert_records(
        connection,
        [
            waiting("past", 99),
            waiting("now", 100),
            waiting("future", 101),
            waiting("never", None),
            *(waiting(f"not {state}", 1, state) for state in S if state is not S.BLOCKED),
        ],
    )
    assert [candidate.doc_id for candidate in find_due_candidates(connection, 100_999)] == [
        "past",
        "now",
    ]
    assert [candidate.doc_id for candidate in find_due_candidates(connection, 99_999)] == ["past"]
    assert find_due_candidates(connection, 98_999) == []


def test_due_gives_the_longest_waiting_first_and_no_more_than_asked(
    connection: sa.Connection,
) -> None:
    upsert_records(connection, [waiting("b", 5), waiting("a", 5), waiting("c", 4), waiting("d", 6)])
    assert [candidate.doc_id for candidate in find_due_candidates(connection, 10_000)] == [
        "c",
        "a",
        "b",
        "d",
    ]
    assert [candidate.doc_id for candidate in find_due_candidates(connection, 10_000, limit=2)] == [
        "c",
        "a",
    ]
    assert find_due_candidates(connection, 10_000)[0] == waiting("c", 4)


def test_a_blocked_candidate_comes_back_when_its_time_has_come(engine: sa.Engine) -> None:
    move(engine, Move("d", S.BLOCKED, "no answer"), now_ms=1000)
    with engine.connect() as connection:
        assert find_due_candidates(connection, 1000 + 86_399_000) == []
        (candidate,) = find_due_candidates(connection, 1000 + 86_400_000)
    move(engine, Move(candidate.doc_id, S.READY, "tried again"), now_ms=2000)
    with engine.connect() as connection:
        assert find_due_candidates(connection, 2**50) == []
    assert states(engine) == {"d": "ready"}
