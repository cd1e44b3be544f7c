"""What the pages about the work read, on both databases."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.job_admin import JobFilter, browse_dead_letters, browse_jobs
from assay.app.overview import collect_overview
from assay.app.run_files import browse_runs, describe_run
from assay.app.source_reports import browse_sources, report_source
from assay.app.spending_reports import browse_calls, report_spending
from assay.store.spending import call
from tests.console.conftest import open_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


@pytest.fixture
def filled(app: App) -> App:
    """A store with something of everything."""
    fill_store(app, replace(SMALL, calls=240))
    return app


def test_the_figures_are_the_same_on_both_databases(filled: App) -> None:
    seen = collect_overview(filled)
    assert (seen["facts"], seen["documents"], seen["rules"]) == (300, 60, 60)
    assert sum(seen["urgency"].values()) == SMALL.questions and seen["urgency"]["overdue"] in (3, 4)
    assert seen["stages"]["fetch"].dead == 50 and seen["closed_endpoints"] == 1
    assert [worker["worker_id"] for worker in seen["workers"]] == ["w0"]
    dead = browse_jobs(filled, JobFilter(state="dead"), None, 30)
    rest = browse_jobs(filled, JobFilter(state="dead"), dead.last, 30)
    assert len({row["job_id"] for row in dead.rows + rest.rows}) == 50 and rest.last is None
    letters = browse_dead_letters(filled, JobFilter(source="gazette-001"), None, 100).rows
    assert letters and {row["source_slug"] for row in letters} == {"gazette-001"}
    assert len(browse_sources(filled, None, 100, in_trouble=True).rows) == 2
    assert report_source(filled, "gazette-005")["candidates"] == {"blocked": 1, "ingested": 9}
    run_id = browse_runs(filled, None, 2).rows[1]["run_id"]
    assert describe_run(filled, run_id)["stages"]["fetch"]["jobs"] == {"dead": 10}
    (today,) = filled.fetch_rows(sa.select(sa.func.max(call.c.day)))[0].values()
    spent = report_spending(filled, today)
    assert spent["disagreements"] == [] and len(spent["days"]) == 30
    assert len(browse_calls(filled, today, None, 100).rows) == spent["calls"] > 0


def test_every_page_answers_on_both_databases(filled: App) -> None:
    console = open_console(filled)
    for path in ("/", "/jobs", "/dead-letters", "/runs", "/sources", "/sources/gazette-003",
                 "/budget", "/budget/ledger"):  # fmt: skip
        assert console.get(path).status_code == 200, path


def test_a_text_that_no_database_takes_is_refused_or_not_found(filled: App) -> None:
    console = open_console(filled)
    for path in ("/jobs?state=%00", "/jobs/a%00b", "/runs/a%00b", "/sources/a%00b",
                 "/dead-letters?run=%00", "/runs/a%00b/files/run.json"):  # fmt: skip
        assert console.get(path).status_code in (400, 404), path
