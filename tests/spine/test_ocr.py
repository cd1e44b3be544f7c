"""The OCR stage with real Tesseract: pages are read once, told of, and never lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from assay.app import App, runs
from assay.clock import TurnedClock
from assay.engine.jobs import NewJob
from assay.errors import ContentHostile
from assay.model.content import ContentClass
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.model.records import DiscoveredItem, Evidence, Source
from assay.reading.ocr import OcrPage
from assay.reading.result import Mark, MarkKind, PageSpan, Reading, Segment, restore_reading
from assay.settings import Settings
from assay.spine.payloads import ScoutJob
from assay.spine.scanning import merge_readings
from assay.store import tables as t
from assay.store.candidates import move_candidates
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain
from tests.spine.scans import LAW, scan
from tests.spine.sites import sinking_app

MakeApp = Callable[..., App]
URL = "http://scans.test/law.pdf"


def take_in(app: App, body: bytes) -> str:
    """Evidence of a scanned law, ready to be scouted."""
    key = derive_evidence_id(URL, content_hash(body))
    app.blobs.put(body)
    with app.engine.begin() as connection:
        upsert_records(
            connection,
            [
                Source(source_slug="s", name="", base_url="", packs=["regulatory"]),
                DiscoveredItem(
                    item_id="it", endpoint_id="e", source_slug="s", url=URL, doc_id="law"
                ),
                Evidence(
                    evidence_id=key,
                    url=URL,
                    content_hash=content_hash(body),
                    doc_id="law",
                    source_slug="s",
                    content_type="application/pdf",
                    size=len(body),
                ),
            ],
        )
        ready = Move("law", CandidateState.READY, "fetched", evidence_id=key)
        move_candidates(connection, [ready], RetryPolicy(), app.clock.now_ms())
    return key


def work(app: App, key: str) -> None:
    run_id = runs.start_run(app)
    with app.engine.begin() as connection:
        app.book.schedule(
            connection,
            [NewJob("scout", ScoutJob(evidence_id=key, source="s"), run_id)],
            app.clock.now_ms(),
        )
    drain(app)


def one(app: App, table: Any) -> dict[str, Any]:
    (row,) = all_rows(app, table)
    return row


@pytest.fixture
def app(settings: Settings, make_app: MakeApp) -> App:
    return sinking_app(make_app, settings, clock=TurnedClock())


def test_a_scan_is_read_judged_and_routed(app: App) -> None:
    key = take_in(app, scan(LAW))
    work(app, key)
    evidence = one(app, t.evidence)
    assert evidence["content_class"] == "PDF_SCANNED"
    artifacts = {row["kind"]: row for row in all_rows(app, t.artifact)}
    assert set(artifacts) == {"OCR_TEXT", "OCR_HOCR"}
    kept = artifacts["OCR_TEXT"]
    assert evidence["primary_text_artifact_id"] == kept["artifact_id"]
    text = app.blobs.get(kept["content_hash"]).decode()
    reading = restore_reading(text, app.blobs.get(kept["map_hash"]))
    assert "tax is 25 %" in text[reading.pages[0].start : reading.pages[0].end]
    assert "1 January 2025." in text[reading.pages[1].start : reading.pages[1].end]
    assert b"ocr_page" in app.blobs.get(artifacts["OCR_HOCR"]["content_hash"])
    pages = all_rows(app, t.scanned_page)
    assert [row["page"] for row in pages] == [1, 2]
    assert all(row["confidence"] > 0.8 and row["flags"] == [] for row in pages)
    judged = one(app, t.scout_result)
    assert (judged["needs_ocr"], judged["language"]) == (False, "en")
    assert one(app, t.routing_decision)["decision"] == "EXTRACT_LOCAL"
    assert one(app, t.candidate)["state"] == "ready"


def test_a_scan_with_nothing_to_read_asks_a_person(app: App) -> None:
    noise = Image.effect_noise((1654, 1000), 160)
    key = take_in(app, scan([noise]))
    work(app, key)
    question = one(app, t.review_request)
    assert question["reason"] in ("OCR_FAILED", "LOW_CONFIDENCE")
    assert question["subject"] == key
    hours = (question["deadline_ms"] - question["created_ms"]) / 3_600_000
    assert hours == 48
    assert one(app, t.candidate)["state"] == "blocked"
    assert "SKIP" not in {row["decision"] for row in all_rows(app, t.routing_decision)}


def test_without_tesseract_the_evidence_waits(app: App) -> None:
    key = take_in(app, scan(LAW[:1]))
    bare = app.settings.model_copy(update={"ocr_languages": ("xyz",)})
    other = sinking_app(App, bare, clock=app.clock)
    with other:
        work(other, key)
    candidate = one(app, t.candidate)
    assert candidate["state"] == "blocked"
    assert "tesseract-ocr-xyz" in candidate["last_error"]
    assert candidate["retry_count"] == 0
    assert candidate["next_retry_unix"] == app.clock.now_ms() // 1000 + 3600
    # Once Tesseract is there, the next run after that time reads it.
    assert isinstance(app.clock, TurnedClock)
    app.clock.turn(seconds=3601)
    runs.start_run(app)
    drain(app)
    assert one(app, t.candidate)["state"] == "ready"
    assert {row["kind"] for row in all_rows(app, t.artifact)} == {"OCR_TEXT", "OCR_HOCR"}


async def test_a_page_that_was_read_is_not_read_again(app: App) -> None:
    body = scan(LAW)
    file = app.settings.blobs / "law.pdf"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)
    scanner = app.tools.scanner
    unread = Reading(
        content_class=ContentClass.PDF_SCANNED, text="", pages_without_text=(1, 2),
        pages=(PageSpan(1, 0, 0), PageSpan(2, 0, 0)),
    )  # fmt: skip
    try:
        first = await scanner.scan(file, "h", unread)
        (place,) = scanner.scratch.folder.iterdir()
        kept = json.loads((place / "page-2").read_bytes())
        (place / "page-2").write_bytes(json.dumps({**kept, "text": "put aside"}).encode())
        (place / "page-1").unlink()
        second = await scanner.scan(file, "h", unread)
    finally:
        await app.tools.close()
    assert second.pages[1].text == "put aside"
    assert second.pages[0] == first.pages[0]


async def test_a_page_that_breaks_the_bounds_is_told_of(
    app: App, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def each(*_given: Any, on_done: Any, **_named: Any) -> list[OcrPage | ContentHostile]:
        error = ContentHostile("Reading it took more than 1 s.")
        on_done(0, error)
        return [error]

    monkeypatch.setattr(app.tools.pool, "run_each", each)
    unread = Reading(content_class=ContentClass.PDF_SCANNED, text="", pages_without_text=(1,))
    found = await app.tools.scanner.scan(tmp_path / "x", "h", unread)
    assert found.pages[0].flags == ("no_text",)
    assert "Page 1 could not be read: Reading it took more than 1 s." in found.reading.warnings
    assert found.document.person_needed


def test_pages_of_both_kinds_are_put_in_their_order() -> None:
    layer = Reading(
        content_class=ContentClass.PDF_TEXT,
        text="one\n\nthree",
        pages=(PageSpan(1, 0, 3), PageSpan(2, 3, 3), PageSpan(3, 5, 10)),
        segments=(Segment(0, 3, 0, 3, "page 1"), Segment(5, 10, 0, 5, "page 3")),
        marks=(Mark(MarkKind.STRUCK, 6, 8),),
        pages_without_text=(2,),
    )
    scans = Reading(
        content_class=ContentClass.PDF_SCANNED,
        text="two",
        pages=(PageSpan(2, 0, 3),),
        segments=(Segment(0, 3, 0, 3, "page 2"),),
        warnings=("Page 2 is faint.",),
    )
    whole = merge_readings(layer, scans)
    assert whole.text == "one\n\ntwo\n\nthree"
    assert [whole.text[p.start : p.end] for p in whole.pages] == ["one", "two", "three"]
    assert [whole.text[s.start : s.end] for s in whole.segments] == ["one", "two", "three"]
    assert [whole.text[m.start : m.end] for m in whole.marks] == ["hr"]
    assert whole.content_class is ContentClass.PDF_TEXT
    assert whole.warnings == ("Page 2 is faint.",)
    assert whole.pages_without_text == ()
