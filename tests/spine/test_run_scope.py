"""Runs that are limited to documents, and the summary of a run whose documents wait."""

from typing import Any

from sqlalchemy import event

from assay.app.documents import (
    DocumentFilter,
    list_documents,
    list_versions,
    read_version_text,
)
from assay.app.run_scope import RunScope, plan_scope
from assay.app.run_summaries import summarize_runs
from assay.app.runs import start_run
from assay.store import tables as t
from tests.spine.sites import Watch, act, sitemap


def test_a_document_that_waits_is_tried_again_now(watch: Watch) -> None:
    watch.show("/sitemap.xml", sitemap("/1", "/2"))
    watch.show("/1", act(1))
    watch.show("/2", act(2))
    # Its pack is not installed, so its documents wait.
    watch.endpoint(pack="civic")
    run_id = watch.run()
    summary = summarize_runs(watch.app, [run_id])
    assert (summary["new"], summary["waiting"]) == (
        2,
        [
            {
                "code": "NO_PACK",
                "reason": "its pack is not installed",
                "documents": 2,
            }
        ],
    )
    listed = list_documents(watch.app, DocumentFilter())
    (group,) = listed.groups
    assert group == {
        "state": "blocked", "code": "NO_PACK", "reason": "", "documents": 2,
    }  # fmt: skip
    by_code = list_documents(watch.app, DocumentFilter(reason="no_pack"))
    assert len(by_code.documents) == 2
    (one, _) = sorted(listed.documents, key=lambda entry: entry["url"])
    planned = plan_scope(watch.app, RunScope(documents=(one["doc_id"],)))
    assert planned is not None
    assert [stage for stage, _ in planned] == ["fetch", "router"]
    again = start_run(watch.app, first=planned)
    watch.drain()
    # The pack is still missing, so it was decided again, and waits again.
    assert watch.notes("router", again) == ["blocked"]
    # Later runs are able to do the same.
    planned = plan_scope(watch.app, RunScope(documents=(one["doc_id"],)))
    assert planned is not None
    third = start_run(watch.app, first=planned)
    watch.drain()
    assert watch.notes("router", third) == ["blocked"]


def test_documents_of_some_sources_and_of_some_time(watch: Watch) -> None:
    watch.show("/sitemap.xml", sitemap("/1"))
    watch.show("/1", act(1))
    watch.endpoint()
    watch.run()
    now_ms = watch.clock.now_ms()
    assert plan_scope(watch.app, RunScope()) is None
    for scope, count in (
        (RunScope(since_ms=now_ms - 1_000), 1),
        (RunScope(since_ms=now_ms + 1_000), 0),
        (RunScope(sources=("gazette",), since_ms=0), 1),
        (RunScope(sources=("other",), since_ms=0), 0),
    ):
        assert len(plan_scope(watch.app, scope) or []) == count


def test_a_document_of_several_listings_is_fetched_once(watch: Watch) -> None:
    for name in ("a", "b"):
        watch.endpoint(f"/{name}.xml", name=name)
        watch.show(f"/{name}.xml", sitemap("/1"))
    watch.show("/1", act(1))
    watch.run()
    (document,) = watch.rows(t.document)
    planned = plan_scope(watch.app, RunScope(documents=(document["doc_id"],)))
    watch.asked()
    run_id = start_run(watch.app, first=planned)
    watch.drain()
    assert watch.asked() == ["/1"]
    assert watch.notes("fetch", run_id) == ["unchanged"]


def test_a_summary_reads_what_its_runs_brought_and_not_the_whole_store(watch: Watch) -> None:
    if watch.app.engine.dialect.name != "sqlite":
        return
    plans: list[str] = []

    def explain(connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("SELECT") and "FROM (SELECT DISTINCT" in statement:
            found = connection.connection.cursor().execute(
                f"EXPLAIN QUERY PLAN {statement}", values
            )
            plans.extend(str(row[3]) for row in found.fetchall())

    event.listen(watch.app.engine, "before_cursor_execute", explain)
    summarize_runs(watch.app, ["20260101T000000Z-one"])
    assert any("ix_events_run_id" in step for step in plans)
    for table in ("events", "rules", "source_pointers", "candidate_facts", "jobs"):
        assert not [step for step in plans if step.startswith(f"SCAN {table}")], table
    assert not [step for step in plans if "ix_events_tag_at_ms" in step]


def test_versions_of_a_page_that_is_skipped_have_texts_to_compare(watch: Watch) -> None:
    watch.show("/sitemap.xml", sitemap("/1"))
    watch.endpoint(frequency="EVERY_RUN")
    for fee in (8, 9):
        watch.show("/1", f"<title>Fees</title><p>The fee is {fee} EUR.</p>".encode())
        watch.run()
        watch.clock.turn(days=1)
    (listed,) = list_documents(watch.app, DocumentFilter()).documents
    assert (listed["state"], listed["versions"]) == ("skipped", 2)
    texts = [
        read_version_text(watch.app, version)
        for version in list_versions(watch.app, listed["doc_id"])
    ]
    assert ["The fee is 8 EUR." in text for text in texts] == [True, False]
    assert ["The fee is 9 EUR." in text for text in texts] == [False, True]
