"""`sources` and `review`: how sources do, stopping one, and what waits for a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.clock import SystemClock
from assay.governor.health import HOUR_MS, HealthLevel
from assay.governor.standings import read_health
from assay.model.bookkeeping import SourceHealth
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.model.records import (
    Document,
    Endpoint,
    Evidence,
    Record,
    ReviewRequest,
    RoutingDecision,
    Source,
)
from assay.settings import load_settings
from assay.store import tables as t
from assay.store.candidates import move_candidates
from assay.store.upserts import upsert_records
from tests.cli.calls import answer, call, refusal
from tests.engine.hand import all_rows


@dataclass
class Watched:
    """A home with two sources, one of which did badly."""

    home: Path
    app: App
    now_ms: int

    def keep(self, *records: Record) -> None:
        with self.app.engine.begin() as connection:
            upsert_records(connection, records)

    def block(self, name: str, denial: str | None, **decided: Any) -> None:
        """A document that waits."""
        evidence_id = f"ev_{name}"
        given = {"evidence_id": evidence_id, "decision": "BLOCKED", "reason": "it waits",
                 "worth_it_score": 0.6, "threshold": 0.4, "denial": denial, **decided}  # fmt: skip
        self.keep(
            Document(doc_id=name, source_slug="gazette", url=name),
            Evidence(evidence_id=evidence_id, url=name, content_hash="0" * 64, doc_id=name,
                     source_slug="gazette", content_type="text/html", size=1),
            RoutingDecision(**given),
        )  # fmt: skip
        moves = [
            Move(name, CandidateState.READY, "fetched", evidence_id=evidence_id),
            Move(name, CandidateState.BLOCKED, "it waits", counts=False),
        ]
        with self.app.engine.begin() as connection:
            move_candidates(connection, moves, RetryPolicy(), self.now_ms)

    def tags(self) -> list[str]:
        return sorted(row["tag"] for row in all_rows(self.app, t.event))


@pytest.fixture
def watched(home: Path) -> Iterator[Watched]:
    init_home(load_settings(home=home, env={}))
    now_ms = SystemClock().now_ms()
    with App(load_settings(home=home, env={})) as app:
        app.migrate()
        found = Watched(home, app, now_ms)
        found.keep(
            Source(source_slug="gazette", name="Gazette", base_url="http://x.test/"),
            Source(source_slug="council", name="Council", base_url="http://y.test/", active=False),
            Endpoint(endpoint_id="gazette/sitemap", source_slug="gazette",
                     url="http://x.test/sitemap.xml", strategy="SITEMAP_XML"),
            SourceHealth(
                source_slug="gazette", window_start_ms=now_ms, total_attempts=20, success_count=14,
                empty_count=2, error_count=4, health_score=0.15,
                min_scout_score=HealthLevel.POOR.scout_threshold, allow_cloud=False,
                budget_multiplier=HealthLevel.POOR.multiplier,
            ),
        )  # fmt: skip
        yield found


def test_sources_are_listed_with_their_health(watched: Watched) -> None:
    council, gazette = answer(watched.home, "sources", "list")
    assert gazette["source_slug"] == "gazette"
    assert (gazette["health_score"], gazette["level"]) == (0.15, "POOR")
    assert (gazette["scout_threshold"], gazette["allow_cloud"]) == (0.5, False)
    assert gazette["budget_multiplier"] == 0.5
    assert (gazette["total_attempts"], gazette["error_count"]) == (20, 4)
    assert (council["level"], council["health_score"]) == ("FAIR", 0.5)
    assert (council["scout_threshold"], council["total_attempts"]) == (0.4, 0)
    assert not council["is_paused"]
    told = call(watched.home, "sources", "list").stdout
    assert "POOR" in told
    assert "× 0.5" in told


def test_one_source_is_shown_whole(watched: Watched) -> None:
    watched.block("law", "SOURCE_IN_COOLDOWN")
    found = answer(watched.home, "sources", "show", "gazette")
    assert found["name"] == "Gazette"
    assert [e["endpoint_id"] for e in found["endpoints"]] == ["gazette/sitemap"]
    assert found["candidates"] == {"blocked": 1}
    told = call(watched.home, "sources", "show", "gazette").stdout
    assert "gazette/sitemap" in told
    assert "blocked 1" in told


def test_a_source_is_paused_and_goes_on(watched: Watched) -> None:
    told = call(watched.home, "sources", "pause", "gazette", "--reason", "their site moves")
    assert told.exit_code == 0
    assert "is paused until 2" in told.stdout
    health = read_health(watched.app.engine, "gazette")
    assert health is not None
    assert health.pause_expires_ms is not None
    assert health.pause_expires_ms >= watched.now_ms + 24 * HOUR_MS
    gazette = answer(watched.home, "sources", "list")[1]
    assert (gazette["is_paused"], gazette["pause_reason"]) == (True, "their site moves")
    assert watched.tags() == ["source.paused"]
    assert "is unpaused" in call(watched.home, "sources", "unpause", "gazette").stdout
    assert watched.tags() == ["source.paused", "source.unpaused"]
    again = answer(watched.home, "sources", "unpause", "gazette")
    assert again == {"source": "gazette", "unpaused": False, "documents": 0}
    assert "is not paused" in call(watched.home, "sources", "unpause", "gazette").stdout


def test_a_pause_lasts_as_long_as_it_is_told(watched: Watched) -> None:
    pause = ("sources", "pause", "council", "--reason", "r")
    short = answer(watched.home, *pause, "--hours", "1.5")
    assert 0 <= short["pause_expires_ms"] - watched.now_ms - 1.5 * HOUR_MS < HOUR_MS
    assert answer(watched.home, *pause, "--until-unpaused")["pause_expires_ms"] is None
    assert "a person unpauses it" in call(watched.home, "sources", "list").stdout
    for wrong in (("--hours", "0"), ("--hours", "1", "--until-unpaused"), ("--hours", "x")):
        assert refusal(watched.home, *pause, *wrong)[0] == 2
    assert refusal(watched.home, "sources", "pause", "council")[0] == 2, "a reason is asked for"


def test_the_documents_that_waited_are_taken_up_by_the_next_run(watched: Watched) -> None:
    for name in ("law", "act"):
        watched.block(name, "SOURCE_IN_COOLDOWN")
    watched.block("dear", "GLOBAL_DAILY_CAP_EXCEEDED")
    call(watched.home, "sources", "pause", "gazette", "--reason", "r")
    told = call(watched.home, "sources", "unpause", "gazette").stdout
    assert "2 documents waited for it" in told
    due = {
        row["doc_id"]: row["next_retry_unix"] <= SystemClock().now_ms() // 1000
        for row in all_rows(watched.app, t.candidate)
    }
    assert due == {"law": True, "act": True, "dear": False}
    assert {row["retry_count"] for row in all_rows(watched.app, t.candidate)} == {0}


@pytest.mark.parametrize(
    "arguments", [("show", "gazete"), ("pause", "gazete", "--reason", "r"), ("unpause", "gazete")]
)
def test_a_source_that_nobody_knows_is_refused(
    watched: Watched, arguments: tuple[str, ...]
) -> None:
    code, error = refusal(watched.home, "sources", *arguments)
    assert (code, error["code"]) == (3, "not_found")
    assert error["message"].startswith("There is no source 'gazete'.")
    assert error["advice"].startswith("Did you mean 'gazette'?")
    assert read_health(watched.app.engine, "gazete") is None


def question(number: int, deadline_ms: int, state: str = "OPEN") -> ReviewRequest:
    return ReviewRequest(
        request_id=f"rq_{number}", reason="EVIDENCE_TOO_LARGE", subject_kind="evidence",
        subject=f"ev_{number}", source_slug="gazette", question="Shall it be read?", state=state,
        created_ms=1, deadline_ms=deadline_ms,
    )  # fmt: skip


def test_open_questions_are_listed_the_most_urgent_first(watched: Watched) -> None:
    assert answer(watched.home, "review", "list") == []
    late = watched.now_ms + HOUR_MS
    watched.keep(question(1, late), question(2, 1_000), question(3, 2_000, "ANSWERED"))
    found = answer(watched.home, "review", "list")
    assert [entry["request_id"] for entry in found] == ["rq_2", "rq_1"]
    assert found[0]["question"] == "Shall it be read?"
    told = call(watched.home, "review", "list").stdout
    assert "1970-01-01 00:00:01Z (overdue)" in told
    assert "evidence ev_1" in told
    assert "1 more" in call(watched.home, "review", "list", "--limit", "1").stdout


def test_the_status_tells_what_waits(watched: Watched) -> None:
    told = call(watched.home, "status").stdout
    assert not any(word in told for word in ("blocked", "paused", "questions"))
    watched.block("law", "SOURCE_IN_COOLDOWN")
    watched.block("scan", None, decision="OCR")
    with watched.app.engine.begin() as connection:
        gone = Move("gone", CandidateState.BLOCKED, "answered 404")
        move_candidates(connection, [gone], RetryPolicy(), watched.now_ms)
    watched.keep(question(1, watched.now_ms + HOUR_MS), question(2, 0, "ANSWERED"))
    call(watched.home, "sources", "pause", "gazette", "--reason", "r")
    found = answer(watched.home, "status")
    assert found["blocked"] == {"FETCH": 1, "OCR": 1, "SOURCE_IN_COOLDOWN": 1}
    assert found["paused_sources"] == ["gazette"]
    assert found["open_questions"] == {"EVIDENCE_TOO_LARGE": 1}
    told = call(watched.home, "status").stdout
    assert "1: could not be fetched; 1: scanned pages cannot be read; 1: source is paused" in told
    assert "EVIDENCE_TOO_LARGE 1" in told


@pytest.mark.parametrize(
    "arguments",
    [("sources", "list"), ("sources", "show", "x"), ("sources", "unpause", "x"),
     ("sources", "pause", "x", "--reason", "r"), ("review", "list")],
)  # fmt: skip
def test_without_a_store_they_say_so(home: Path, arguments: tuple[str, ...]) -> None:
    code, error = refusal(home, *arguments)
    assert (code, error["code"]) == (4, "schema_missing")
