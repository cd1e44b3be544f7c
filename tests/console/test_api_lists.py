"""Long lists of the API: page by page, in one order, however they grow meanwhile."""

import base64
import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from assay.app import App
from assay.engine.jobs import QUEUED
from assay.model.lifecycle import CandidateState
from assay.model.records import Document, IngestCandidate, ReviewRequest, Source
from assay.model.rules import Conflict
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.console.conftest import open_console
from tests.server.stored import LINES, publish

COUNT = 25


@pytest.fixture
def filled(app: App) -> Iterator[TestClient]:
    """The API of a store with 25 of everything, on either database."""
    publish(app, *LINES)
    numbers = [f"{number:02}" for number in range(COUNT)]
    records = [
        *(Source(source_slug=f"s{n}", name=n, base_url="https://s.example/") for n in numbers),
        *(Document(doc_id=f"do_x{n}", source_slug="s1", url=f"https://s/{n}") for n in numbers),
        *(IngestCandidate(doc_id=f"do_x{n}", state=CandidateState.BLOCKED) for n in numbers[:3]),
        *(
            ReviewRequest(
                request_id=f"rq_{n}",
                reason="QUALITY",
                subject_kind="evidence",
                subject=n,
                question="?",
                # Several have the same deadline.
                deadline_ms=int(n) // 4,
            )
            for n in numbers
        ),
        *(
            Conflict(
                conflict_id=f"co_{n}", pack="regulatory", concept="pdv.rate", value_type="text",
                applies_when="{}", kind="SOURCE", sign="VALUE_MISMATCH",
            )
            for n in numbers
        ),
    ]  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, records)
        runs = [
            {"run_id": f"run_{n}", "label": "", "params": {}, "state": "open",
             "started_ms": int(n) // 3}
            for n in numbers
        ]  # fmt: skip
        jobs = [
            {"job_id": f"x.1:{n}", "stage": "scout", "subject": n, "run_id": "run_01",
             "batch_id": "b", "state": QUEUED, "priority": 0, "attempt": 1, "payload": {},
             "created_ms": 0}
            for n in numbers
        ]  # fmt: skip
        connection.execute(t.run.insert(), runs)
        connection.execute(t.job.insert(), jobs)
    with open_console(app) as client:
        yield client


LISTS = (
    ("/api/documents?source=s1", "documents", "doc_id"),
    ("/api/questions", "questions", "request_id"),
    ("/api/conflicts?state=OPEN", "conflicts", "conflict_id"),
    ("/api/sources", "sources", "source_slug"),
    ("/api/runs", "runs", "run_id"),
    ("/api/jobs?stage=scout&state=queued&run=run_01", "jobs", "job_id"),
)


@pytest.mark.parametrize(("path", "name", "key"), LISTS, ids=[each[1] for each in LISTS])
def test_pages_together_are_the_whole_list(
    filled: TestClient, path: str, name: str, key: str
) -> None:
    sign = "&" if "?" in path else "?"
    whole = filled.get(f"{path}{sign}limit=200").json()
    keys = [row[key] for row in whole[name]]
    assert whole["next"] is None and len(keys) >= COUNT and len(set(keys)) == len(keys)
    found, url = list[str](), f"{path}{sign}limit=7"
    while url:
        answer = filled.get(url)
        found += [row[key] for row in answer.json()[name]]
        link = answer.headers.get("Link", "")
        assert bool(link) == bool(answer.json()["next"])
        url = link.removeprefix("<").partition(">")[0]
    assert found == keys


def test_questions_come_by_their_deadline_and_runs_with_the_newest_first(
    filled: TestClient,
) -> None:
    deadlines = [row["deadline_ms"] for row in filled.get("/api/questions").json()["questions"]]
    assert deadlines == sorted(deadlines)
    started = [row["started_ms"] for row in filled.get("/api/runs").json()["runs"]]
    assert started == sorted(started, reverse=True)


def test_a_new_row_shifts_nothing(filled: TestClient, app: App) -> None:
    first = filled.get("/api/documents?source=s1&limit=5").json()
    with app.engine.begin() as connection:
        new = Document(doc_id="do_a", source_slug="s1", url="https://s/a")
        upsert_records(connection, [new])
    second = filled.get(f"/api/documents?source=s1&limit=5&cursor={first['next']}").json()
    assert [row["doc_id"] for row in second["documents"]] == [f"do_x{n:02}" for n in range(5, 10)]


def test_a_list_is_filtered(filled: TestClient) -> None:
    found = filled.get(f"/api/documents?state={CandidateState.BLOCKED.value}").json()["documents"]
    assert [row["doc_id"] for row in found] == ["do_x00", "do_x01", "do_x02"]
    assert filled.get("/api/jobs?stage=extract").json() == {"jobs": [], "next": None}
    assert filled.get("/api/facts?concept=pdv.rate").json()["facts"] == []


def encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


CURSORS = (
    "", "x", "é", encode({}), encode(1), encode([]), encode([1]), encode(["a", "b"]),
    encode([2**70]), encode([True]), encode(["a\0"]), encode(["\ud800"]), encode([None]),
    encode([[]]), "A" * 5_000,
)  # fmt: skip


@pytest.mark.parametrize("path", ["/api/documents", "/api/runs", "/api/questions"])
def test_a_cursor_that_is_none_is_refused(filled: TestClient, path: str) -> None:
    for cursor in CURSORS:
        answer = filled.get(path, params={"cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input"), cursor
        assert "again without" in answer.json()["advice"]


def test_odd_parameters_are_refused(filled: TestClient) -> None:
    for query in ("limit=201", "limit=x", "limit=1&limit=2", "page=2", "state=X"):
        assert filled.get(f"/api/documents?{query}").status_code == 400


def test_documents_and_evidence_are_shown(filled: TestClient) -> None:
    shown = filled.get("/api/documents/do_1").json()
    (version,) = shown["versions"]
    assert (shown["url"], version["is_current"]) == ("https://gazette.example/acts/1", False)
    evidence = filled.get(f"/api/evidence/{version['evidence_id']}")
    assert (evidence.json()["doc_id"], evidence.json()["text"]) == ("do_1", "")
    tag = {"If-None-Match": evidence.headers["ETag"]}
    assert filled.get(evidence.url.path, headers=tag).status_code == 304
    assert filled.get("/api/documents/do_none").status_code == 404
    assert filled.get("/api/evidence/ev_none").status_code == 404


def test_jobs_are_cancelled_and_queued_again(filled: TestClient) -> None:
    assert filled.get("/api/jobs/x.1:01").json()["attempts"] == []
    assert filled.post("/api/jobs/x.1:01/cancel").json()["state"] == "cancelled"
    assert filled.post("/api/jobs/x.1:01/cancel").status_code == 400
    assert filled.post("/api/jobs/none/retry").status_code == 404


def test_state_and_budget_are_shown(filled: TestClient) -> None:
    assert filled.get("/api/status").json()["open_questions"] == {"QUALITY": COUNT}
    spent = filled.get("/api/budget?day=2024-01-02&by=stage").json()
    assert (spent["day"], spent["by"], spent["calls"]) == ("2024-01-02", "stage", 0)
    assert filled.get("/api/budget?day=soon").status_code == 400
