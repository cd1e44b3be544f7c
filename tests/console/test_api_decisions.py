"""What the API changes: decisions, sources and jobs, and requests that are sent twice."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from assay.app import App
from assay.app.answered_requests import KEPT_MS, begin_request
from assay.app.principals import Role
from assay.clock import TurnedClock
from assay.errors import TransientError
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from tests.console.conftest import open_console
from tests.console.questions import ABOUT_EVIDENCE, ABOUT_RULE, ask_people

RULE, EVIDENCE = (f"/api/questions/{name}/decision" for name in (ABOUT_RULE, ABOUT_EVIDENCE))
ANSWER = {"action": "answer", "answer": "yes"}
KEY = {"Idempotency-Key": "one"}


@pytest.fixture
def asked(app: App) -> Iterator[TestClient]:
    """The API of a store with questions, on either database."""
    ask_people(app)
    with open_console(app, "ana", Role.REVIEWER) as client:
        yield client


def decisions_of(app: App) -> list[tuple[str, str, str]]:
    row = truth.review_decision.c
    found = app.fetch_rows(sa.select(row.subject, row.decision, row.person).order_by(row.at_ms))
    return [(each["subject"], each["decision"], each["person"]) for each in found]


def test_a_rule_is_approved_under_the_name_of_the_person(asked: TestClient, app: App) -> None:
    made = asked.post(RULE, json={"action": "approve", "note": "as printed"})
    assert made.status_code == 200, made.text
    told = made.json()
    assert (told["subject"], told["decision"], told["person"], told["note"]) == (
        "rl_books", "APPROVE", "ana", "as printed",
    )  # fmt: skip
    assert asked.get(f"/api/questions/{ABOUT_RULE}").json()["state"] == "ANSWERED"
    assert asked.get("/api/questions").json()["questions"][0]["request_id"] == ABOUT_EVIDENCE
    again = asked.post(RULE, json={"action": "reject"})
    assert again.status_code == 409 and decisions_of(app) == [("rl_books", "APPROVE", "ana")]


def test_a_rule_is_rejected_or_corrected(asked: TestClient, app: App) -> None:
    refused = asked.post(RULE, json={"action": "edit", "changes": {"color": "red"}})
    assert refused.status_code == 400 and "color" in refused.json()["detail"]
    made = asked.post(RULE, json={"action": "edit", "changes": {"effective_until": "2030-01-01"}})
    assert made.status_code == 200, made.text
    assert made.json()["version"]["effective_until"] == "2030-01-01"
    assert decisions_of(app) == [("rl_books", "EDIT", "ana")]


def test_a_question_in_words_is_answered_in_words(asked: TestClient, app: App) -> None:
    refused = asked.post(EVIDENCE, json={"action": "approve"})
    assert refused.status_code == 400
    assert '"action": "answer"' in refused.json()["advice"]
    assert asked.post(EVIDENCE, json=ANSWER).json()["version"] == {"answer": "yes"}
    assert asked.post(EVIDENCE, json=ANSWER).status_code == 409
    assert decisions_of(app) == [("ev_1", "ANSWER", "ana")]


def test_only_a_reviewer_decides_and_only_an_operator_pauses(asked: TestClient, app: App) -> None:
    reader = open_console(app, "ivo", Role.READER)
    assert reader.post(RULE, json={"action": "approve"}).status_code == 403
    pause = {"reason": "too much"}
    assert asked.post("/api/sources/gazette/pause", json=pause).status_code == 403
    assert asked.post("/api/releases", json={}).status_code == 403
    assert decisions_of(app) == []


def test_a_request_that_is_sent_twice_counts_once(asked: TestClient, app: App) -> None:
    first = asked.post(EVIDENCE, json=ANSWER, headers=KEY)
    again = asked.post(EVIDENCE, json=ANSWER, headers=KEY)
    assert (again.status_code, again.content) == (first.status_code, first.content) != (400, b"")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    # It survives a restart: another process finds it in the store.
    assert (
        open_console(app, "ana").post(EVIDENCE, json=ANSWER, headers=KEY).content == first.content
    )
    assert decisions_of(app) == [("ev_1", "ANSWER", "ana")]


def test_a_key_belongs_to_one_request_of_one_person(asked: TestClient, app: App) -> None:
    assert asked.post(EVIDENCE, json=ANSWER, headers=KEY).status_code == 200
    for path, body in ((EVIDENCE, ANSWER | {"answer": "no"}), (RULE, {"action": "approve"})):
        refused = asked.post(path, json=body, headers=KEY)
        assert (refused.status_code, refused.json()["code"]) == (422, "request_key_reused")
    other = open_console(app, "ivo").post(RULE, json={"action": "approve"}, headers=KEY)
    assert other.status_code == 200


def test_a_refused_request_may_be_sent_again_with_its_key(asked: TestClient, app: App) -> None:
    refused = asked.post(EVIDENCE, json=ANSWER | {"answer": "  "}, headers=KEY)
    assert refused.status_code == 400
    assert asked.post(EVIDENCE, json=ANSWER, headers=KEY).status_code == 200


def test_a_key_is_free_again_after_a_day(settings: Settings, make_app: Callable[..., App]) -> None:
    clock = TurnedClock()
    app = make_app(settings, clock=clock)
    ask_people(app)
    asked = open_console(app)
    assert asked.post(EVIDENCE, json=ANSWER, headers=KEY).status_code == 200
    clock.turn(seconds=KEPT_MS / 1000 + 1)
    assert asked.post(RULE, json={"action": "approve"}, headers=KEY).status_code == 200
    assert len(app.fetch_rows(sa.select(t.answered_request))) == 1


def test_while_the_first_is_being_answered_the_second_waits(app: App) -> None:
    begun = begin_request(app, "key", "print")
    assert not isinstance(begun, tuple)
    with pytest.raises(TransientError, match="still being answered"):
        begin_request(app, "key", "print")
    begun.keep(200, "{}")
    assert begin_request(app, "key", "print") == (200, "{}")


def test_of_many_at_once_one_counts(asked: TestClient, app: App) -> None:
    with ThreadPoolExecutor(8) as threads:
        sent = [threads.submit(asked.post, EVIDENCE, json=ANSWER, headers=KEY) for _ in range(8)]
        statuses = {each.result().status_code for each in sent}
    assert 200 in statuses and statuses <= {200, 503}
    assert decisions_of(app) == [("ev_1", "ANSWER", "ana")]


def test_a_source_is_paused_and_resumed(app: App) -> None:
    ask_people(app)
    client = open_console(app)
    paused = client.post("/api/sources/gazette/pause", json={"reason": "too much", "hours": 2})
    assert paused.status_code == 200, paused.text
    assert (paused.json()["is_paused"], paused.json()["pause_reason"]) == (True, "too much")
    assert client.get("/api/status").json()["paused_sources"] == ["gazette"]
    assert client.post("/api/sources/gazette/resume").json()["is_paused"] is False
    assert client.post("/api/sources/nobody/resume").status_code == 404


def test_what_does_not_exist_or_is_not_asked_for_is_refused(asked: TestClient) -> None:
    for path, body, status in (
        ("/api/questions/rq_none/decision", ANSWER, 404),
        (RULE, {"action": "guess"}, 400),
        (RULE, {"action": "approve", "color": "red"}, 400),
        (RULE, {"action": "approve", "note": "a\0b"}, 400),
        (RULE, {"action": "approve", "note": "\ud800"}, 400),
        (RULE, {"\ud800": 1}, 400),
        (RULE, {"action": "\ud800"}, 400),
        (RULE, [], 400),
    ):
        content = json.dumps(body)
        answer = asked.post(path, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == status, (body, answer.text)
        assert answer.headers["Content-Type"] == "application/problem+json"
