"""Runs that are limited to documents, and the summary of a run whose documents wait."""

from assay.app.documents import DocumentFilter, list_documents
from assay.app.run_scope import RunScope, plan_scope
from assay.app.run_summaries import summarize_runs
from assay.app.runs import start_run
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
