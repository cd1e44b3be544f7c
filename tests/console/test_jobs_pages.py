"""Jobs and dead letters: filters, pages, and changing one or many."""

import re
from collections.abc import Iterable

import pytest
import sqlalchemy as sa
from httpx2 import Response
from starlette.testclient import TestClient

from assay.app import App
from assay.app.job_admin import load_job_states
from assay.app.principals import Role
from assay.console.forms import TOKEN_COOKIE
from assay.store import tables as t
from tests.console.conftest import open_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


@pytest.fixture
def busy(empty: App) -> App:
    """A store with 400 jobs, of which 50 are dead and 7 wait."""
    fill_store(empty, SMALL)
    return empty


def _find_ids(page: str) -> list[str]:
    return re.findall(r'name="job" value="([^"]+)"', page)


def _send(
    console: TestClient, action: str, jobs: Iterable[str], back: str = "/jobs", **more: str
) -> Response:
    console.get("/jobs")
    data = {"token": console.cookies[TOKEN_COOKIE], "action": action, "back": back, **more}
    return console.post("/jobs", data={**data, "job": list(jobs)})


def test_jobs_are_shown_page_by_page_newest_first_and_each_once(busy: App) -> None:
    console = open_console(busy)
    seen: list[str] = []
    address: str | None = "/jobs"
    while address:
        page = console.get(address).text
        seen += _find_ids(page)
        found = re.search(r'rel="next" href="([^"]+)"', page)
        address = found[1].replace("&amp;", "&") if found else None
    assert len(seen) == SMALL.jobs == len(set(seen))
    assert seen == sorted(seen, key=lambda name: name.rpartition(":")[2], reverse=True)


def test_jobs_are_filtered_by_stage_state_source_and_run(busy: App) -> None:
    console = open_console(busy)
    dead = console.get("/jobs?state=dead&stage=fetch").text
    assert len(_find_ids(dead)) == 50
    assert len(_find_ids(console.get("/jobs?source=gazette-001&state=queued").text)) == 1
    (run_id,) = busy.fetch_rows(sa.select(t.run.c.run_id).limit(1))[0].values()
    assert all(run_id in name for name in _find_ids(console.get(f"/jobs?run={run_id}").text))
    assert "No jobs match." in console.get("/jobs?stage=nothing").text


def test_a_job_is_shown_with_its_payload_and_attempts_and_foreign_text_is_inert(busy: App) -> None:
    job_id = _find_ids(open_console(busy).get("/jobs?state=dead").text)[-1]
    with busy.engine.begin() as connection:
        connection.execute(
            sa.update(t.job)
            .where(t.job.c.job_id == job_id)
            .values(error_message="<script>alert(1)</script>", payload={"url": "<b>x</b>"})
        )
    page = open_console(busy).get(f"/jobs/{job_id}").text
    assert "&lt;script&gt;alert(1)" in page and "<b>x" not in page
    assert "All attempts are used up" in page and 'value="discard"' in page
    assert 'value="cancel"' not in page


def test_many_jobs_are_retried_after_the_number_was_confirmed(busy: App) -> None:
    console = open_console(busy)
    chosen = _find_ids(console.get("/dead-letters").text)
    assert len(chosen) == 50
    asked = _send(console, "retry", chosen, "/dead-letters")
    assert asked.status_code == 200 and "Retry 50 jobs?" in asked.text
    assert set(load_job_states(busy, chosen).values()) == {"dead"}
    done = _send(console, "retry", chosen, "/dead-letters", count="50")
    assert (done.status_code, done.headers["Location"]) == (303, "/dead-letters")
    assert set(load_job_states(busy, chosen).values()) == {"queued"}
    page = console.get("/dead-letters").text
    assert "50 jobs queued again." in page and "No dead letters" in page


def test_jobs_that_changed_meanwhile_are_asked_about_again(busy: App) -> None:
    console = open_console(busy)
    chosen = _find_ids(console.get("/dead-letters").text)[:3]
    _send(console, "discard", chosen[:1], count="1")
    asked = _send(console, "discard", chosen, count="3")
    assert "Discard 2 jobs?" in asked.text and "1 other selected job" in asked.text
    assert sorted(load_job_states(busy, chosen).values()) == ["dead", "dead", "discarded"]


def test_waiting_jobs_are_cancelled(busy: App) -> None:
    console = open_console(busy)
    chosen = _find_ids(console.get("/jobs?state=queued").text)
    assert len(chosen) == 7
    _send(console, "cancel", chosen, count="7")
    assert set(load_job_states(busy, chosen).values()) == {"cancelled"}


def test_only_an_operator_may_change_jobs_and_only_from_a_page_of_the_console(busy: App) -> None:
    reader = open_console(busy, "ivo", Role.REVIEWER)
    chosen = _find_ids(open_console(busy).get("/dead-letters").text)[:1]
    assert 'type="checkbox"' not in reader.get("/dead-letters").text
    assert _send(reader, "retry", chosen, count="1").status_code == 403
    forged = open_console(busy).post("/jobs", data={"action": "retry", "job": chosen, "count": "1"})
    assert forged.status_code == 403
    assert set(load_job_states(busy, chosen).values()) == {"dead"}


def test_a_change_leads_back_to_the_console_only(busy: App) -> None:
    console = open_console(busy)
    answer = _send(console, "retry", [], "https://elsewhere.example/")
    assert answer.headers["Location"] == "/jobs"
    assert "Select 1 to 500 jobs first." in console.get("/jobs").text


@pytest.mark.parametrize("after", ["x", "W10", "WyJhIiwgImIiXQ", "bnVsbA", "A" * 3_000])
def test_an_address_of_a_page_that_nobody_gave_out_is_refused(busy: App, after: str) -> None:
    assert open_console(busy).get(f"/jobs?after={after}").status_code == 400
