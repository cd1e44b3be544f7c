"""Runs with their files, and what model calls cost."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.run_files import browse_runs, list_run_files
from assay.governor.accounts import sum_calls
from assay.llm.admission import day_of
from assay.store import tables as t
from assay.store.spending import call
from tests.console.conftest import open_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


@pytest.fixture
def filled(empty: App) -> App:
    """Five runs, and sixty calls in sixty days."""
    fill_store(empty, SMALL)
    return empty


def _newest_sealed(app: App) -> str:
    rows = browse_runs(app, None, 10).rows
    return str(next(row["run_id"] for row in rows if row["state"] == "sealed"))


def test_runs_are_listed_newest_first_with_the_jobs_that_are_left(filled: App) -> None:
    rows = browse_runs(filled, None, 10).rows
    assert [row["started_ms"] for row in rows] == sorted(
        (row["started_ms"] for row in rows), reverse=True
    )
    assert rows[0]["jobs_left"] == 7
    page = open_console(filled).get("/runs").text
    assert all(row["run_id"] in page for row in rows)


def test_a_run_shows_its_stages_and_dead_letters(filled: App) -> None:
    run_id = _newest_sealed(filled)
    page = open_console(filled).get(f"/runs/{run_id}").text
    assert f"/jobs?run={run_id}&amp;stage=fetch" in page
    assert "All dead letters of this run" in page and "run.json" in page
    assert open_console(filled).get("/runs/nothing").status_code == 404


def test_a_file_of_a_run_is_downloaded_as_text(filled: App) -> None:
    run_id = _newest_sealed(filled)
    answer = open_console(filled).get(f"/runs/{run_id}/files/run.json")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.json() == {"run_id": run_id}


@pytest.mark.parametrize(
    "name",
    ["..%2f..%2fassay.toml", "..%2F..%2Fassay.db", "%2e%2e%2fassay.db", "link.txt", "folder",
     ".new-1", "%2fetc%2fpasswd", "run.json%00"],
)  # fmt: skip
def test_nothing_but_a_file_of_the_run_can_be_named(filled: App, tmp_path: Path, name: str) -> None:
    run_id = _newest_sealed(filled)
    folder = filled.folders.path(run_id)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "folder").mkdir()
    (folder / ".new-1").write_text("half")
    answer = open_console(filled).get(f"/runs/{run_id}/files/{name}")
    assert answer.status_code in (400, 404), answer.text
    assert [file.name for file in list_run_files(filled, run_id)] == ["run.json"]


def test_the_files_are_verified_when_asked(filled: App) -> None:
    run_id = _newest_sealed(filled)
    manifest_hash = filled.folders.seal(run_id, {"run.json": [b"{}\n"]})
    with filled.engine.begin() as connection:
        connection.execute(
            sa.update(t.run).where(t.run.c.run_id == run_id).values(manifest_hash=manifest_hash)
        )
    console = open_console(filled)
    assert "Verify the files" in console.get(f"/runs/{run_id}").text
    assert "as they were when the run was sealed" in console.get(f"/runs/{run_id}?verify=1").text
    file = filled.folders.path(run_id) / "run.json"
    file.chmod(0o644)
    file.write_text("changed")
    assert "run.json was altered" in console.get(f"/runs/{run_id}?verify=1").text


def test_the_budget_shows_days_sources_stages_and_models(filled: App) -> None:
    today = day_of(filled.clock.now_ms())
    page = open_console(filled).get("/budget").text
    assert f'href="/budget?day={today}" aria-label="{today}: 1,850 tokens" class="chosen"' in page
    for name in ("gazette-005", "router", "small"):
        assert f">{name}</a>" in page or f'<th scope="row">{name}</th>' in page
    assert "agree" in page and "cap" in page.lower()


def test_books_that_differ_are_reported(filled: App) -> None:
    with filled.engine.begin() as connection:
        connection.execute(sa.update(call).values(charged_tokens=call.c.charged_tokens + 5))
    assert "the ledger has +0 calls, +5 tokens" in open_console(filled).get("/budget").text


def test_what_is_above_its_cap_is_named(filled: App) -> None:
    app = App(
        filled.settings.model_copy(update={"daily_tokens": 1_000, "daily_tokens_per_source": 100}),
        clock=filled.clock,
    )
    page = open_console(app).get("/budget").text
    assert "tokens of the day" in page and "tokens of source gazette-005" in page
    assert "185 % over its cap" in page
    app.close()


def test_the_ledger_is_shown_page_by_page(empty: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.console.pages.budget._PER_PAGE", 7)
    fill_store(empty, replace(SMALL, calls=2_400))
    console = open_console(empty)
    seen: list[str] = []
    address = "/budget/ledger"
    while address:
        page = console.get(address).text
        seen += re.findall(r'href="/evidence/(\w+)"', page)
        _, _, rest = page.partition('rel="next" href="')
        address = rest.partition('"')[0].replace("&amp;", "&")
    assert len(seen) == sum_calls(empty.engine, day_of(empty.clock.now_ms())).calls > 7


def test_a_day_that_is_none_is_refused(filled: App) -> None:
    answer = open_console(filled).get("/budget?day=2026-02-30")
    assert answer.status_code == 400 and "not a valid date" in answer.text
