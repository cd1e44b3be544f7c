"""Two thousand changed documents and two hundred watches: the work grows with neither product."""

from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from assay.app import runs
from assay.events import EvidenceStored
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id, doc_id_of_url
from assay.model.records import Document, Evidence
from assay.notices.terms import WatchIndex
from assay.store import tables as t
from assay.store.event_log import write_event
from assay.store.upserts import upsert_records
from tests.notices.conftest import Newsroom
from tests.spine.sites import HOME

DOCUMENTS, WATCHES = 2000, 200


def test_changes_are_not_compared_with_every_watch(
    newsroom: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, watch = newsroom.app, newsroom.watch
    for number in range(WATCHES):
        newsroom.add(f"word{number}", "rate", to="feed")
    now_ms = watch.clock.now_ms()
    run_id = runs.start_run(app, run_id="20260101T000000Z-many", first=[])
    documents, evidence = [], []
    for number in range(DOCUMENTS):
        # Every tenth document has the word of one watch; all have the common one.
        body = f"The rate of document {number}. word{number // 10 if number % 10 == 0 else 'x'}"
        url = f"{HOME}/many/{number}"
        hashed = app.blobs.put(body.encode())
        key = derive_evidence_id(url, content_hash(body.encode()))
        documents.append(Document(doc_id=doc_id_of_url(url), source_slug="gazette", url=url))
        evidence.append(
            Evidence(
                evidence_id=key, url=url, content_hash=hashed, doc_id=doc_id_of_url(url),
                source_slug="gazette", content_type="text/plain", size=len(body),
                fetched_ms=now_ms, run_id=run_id,
            )
        )  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, [*documents, *evidence])
        for one in evidence:
            stored = EvidenceStored(evidence_id=one.evidence_id, doc_id=one.doc_id, size=one.size)
            write_event(connection, stored, now_ms, run_id=run_id)
    counted = _count_work(app.engine, monkeypatch)
    newsroom.finish()
    batches = {row["batch_id"] for row in watch.rows(t.job, stage="notice")}
    assert len(watch.rows(t.delivery)) == WATCHES
    assert counted["compared"] == WATCHES, "only likely watches are looked at"
    assert len(batches) <= DOCUMENTS // 200 + 1
    assert counted["watches"] <= 10 + 3 * len(batches), "they are read once for each batch"
    assert counted["all"] < 100 * len(batches), "and not once for each document"


def _count_work(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()

    def count(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        counted["all"] += 1
        counted["watches"] += "FROM watches" in statement

    event.listen(engine, "before_cursor_execute", count)
    compare = WatchIndex._compare

    def counting(self: WatchIndex, *arguments: Any) -> Any:
        counted["compared"] += 1
        return compare(self, *arguments)

    monkeypatch.setattr(WatchIndex, "_compare", counting)
    return counted
