"""Scout through the whole spine: what is kept of each kind of document, and what is set aside."""

import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from assay.engine.process_pool import ProcessPool
from assay.model.content import ArtifactKind, ContentClass
from assay.model.records import Source
from assay.reading.result import Reading, restore_reading
from assay.store import tables as t
from tests.spine import killing
from tests.spine.sites import HOME, Watch, act, sitemap

TABLE = "<table><tr><th>Bracket</th><th>Rate</th></tr><tr><td>low</td><td>20 %</td></tr></table>"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 200


def pdf(*pages: str) -> bytes:
    data = io.BytesIO()
    canvas = Canvas(data, invariant=1)
    for page in pages:
        for number, start in enumerate(range(0, len(page), 80)):
            canvas.drawString(50, 780 - 14 * number, page[start : start + 80])
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def act_pdf(number: int = 1) -> bytes:
    line = "Article {}. The tax rate is 25 % and the deadline is 15 March; the penalty is {} EUR. "
    return pdf(*("Act on Taxes. " + line.format(page, number) * 4 for page in (1, 2, 3)))


def listed(watch: Watch, **bodies: bytes) -> None:
    """A site with these documents, each under its name."""
    watch.endpoint()
    watch.show("/sitemap.xml", sitemap(*(f"/{name}" for name in bodies)))
    for name, body in bodies.items():
        watch.show(f"/{name}", body)


def texts(watch: Watch, name: str) -> tuple[Reading, dict[str, dict[str, Any]]]:
    """What is stored of a document, put together again."""
    (evidence,) = watch.evidence(f"/{name}")
    found = {
        row["kind"]: row for row in watch.rows(t.artifact, evidence_id=evidence["evidence_id"])
    }
    (main,) = [row for row in found.values() if row["map_hash"]]
    assert main["artifact_id"] == evidence["primary_text_artifact_id"]
    blobs = watch.app.blobs
    tables = found.get(ArtifactKind.TABLE_JSON)
    reading = restore_reading(
        blobs.get(main["content_hash"]).decode(),
        blobs.get(main["map_hash"]),
        blobs.get(tables["content_hash"]) if tables else b"[]",
    )
    assert reading.content_class == evidence["content_class"]
    assert main["length"] == len(reading.text)
    assert main["page_count"] == len(reading.pages)
    return reading, found


def assert_within(reading: Reading) -> None:
    """Every way back begins and ends within the text, and pages cover it in order."""
    size = len(reading.text)
    spans = [
        *((segment.start, segment.end) for segment in reading.segments),
        *((page.start, page.end) for page in reading.pages),
        *((table.start, table.end) for table in reading.tables),
        *((mark.start, mark.end) for mark in reading.marks),
    ]
    assert all(0 <= start <= end <= size for start, end in spans)
    for page, following in zip(reading.pages, reading.pages[1:], strict=False):
        assert page.end <= following.start
    assert all(segment.source_start <= segment.source_end for segment in reading.segments)


def test_what_is_read_is_kept_with_the_way_back_to_the_document(watch: Watch) -> None:
    value = {"title": "Act on Taxes \ud83d", "text": act().decode(), "odd": "a\0b"}
    listed(watch, page=act(extra=TABLE), paper=act_pdf(), data=json.dumps(value).encode())
    watch.run()
    assert watch.dead() == []
    page, kinds = texts(watch, "page")
    assert_within(page)
    assert set(kinds) == {ArtifactKind.HTML_CLEANED, ArtifactKind.TABLE_JSON}
    assert page.tables[0].rows == (("Bracket", "Rate"), ("low", "20 %"))
    source = act(extra=TABLE).decode()
    words = [s for s in page.segments if not s.place and "deadline" in page.text[s.start : s.end]]
    assert all("deadline" in source[s.source_start : s.source_end] for s in words)
    assert words
    paper, kinds = texts(watch, "paper")
    assert_within(paper)
    assert set(kinds) == {ArtifactKind.PDF_TEXT}
    assert [span.number for span in paper.pages] == [1, 2, 3]
    assert paper.page_of(paper.text.index("Article 2")) == 2
    data, kinds = texts(watch, "data")
    assert_within(data)
    assert set(kinds) == {ArtifactKind.JSON_TEXT}


def test_the_class_is_told_by_the_bytes_and_not_by_the_header(watch: Watch) -> None:
    listed(watch)
    watch.show("/sitemap.xml", sitemap("/page.pdf", "/paper.html"))
    watch.show("/page.pdf", act(), headers={"Content-Type": "application/pdf"})
    watch.show("/paper.html", act_pdf(), headers={"Content-Type": "text/html; charset=utf-8"})
    watch.run()
    classes = {row["url"]: row["content_class"] for row in watch.rows(t.evidence)}
    assert classes == {
        f"{HOME}/page.pdf": ContentClass.HTML, f"{HOME}/paper.html": ContentClass.PDF_TEXT,
    }  # fmt: skip
    assert {row["kind"] for row in watch.rows(t.artifact)} == {
        ArtifactKind.HTML_CLEANED, ArtifactKind.PDF_TEXT,
    }  # fmt: skip


def test_what_cannot_be_read_is_skipped_with_the_reason(watch: Watch) -> None:
    reasons = {
        "picture": (PNG, "a PNG picture"),
        "archive": (b"PK\x03\x04" + b"\0" * 100, "a ZIP archive"),
        "half": (act_pdf()[:300], ""),
        "short": (b"<p>Short.</p>", "too short"),
        "script": (
            b"<html><body><div id='app'></div><script>x()</script></body></html>",
            "no text",
        ),
    }
    listed(watch, **{name: body for name, (body, _) in reasons.items()})
    run_id = watch.run()
    assert watch.dead() == []
    assert len(watch.notes("scout", run_id)) == len(reasons)
    for name, (_, told) in reasons.items():
        (evidence,) = watch.evidence(f"/{name}")
        (result,) = watch.rows(t.scout_result, evidence_id=evidence["evidence_id"])
        assert told in result["skip_reason"]
        (decision,) = watch.rows(t.routing_decision, evidence_id=evidence["evidence_id"])
        assert (decision["decision"], decision["reason"]) == ("SKIP", result["skip_reason"])
        (candidate,) = watch.rows(t.candidate, doc_id=evidence["doc_id"])
        assert candidate["state"] == "skipped"
    assert watch.rows(t.artifact) == []
    assert watch.rows(t.text_signature) == []


def test_a_document_that_kills_its_reader_is_blamed_alone(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.spine.scout.scout_file", killing.scout_file)
    bodies = {f"act-{number}": act(number) for number in range(6)}
    bodies["act-3"] = act(3, extra=killing.KILLER.decode())
    listed(watch, **bodies)
    watch.run()
    assert len({row["batch_id"] for row in watch.rows(t.job, stage="scout")}) == 1
    skipped = [row for row in watch.rows(t.scout_result) if row["skip_reason"]]
    (killer,) = watch.evidence("/act-3")
    assert [row["evidence_id"] for row in skipped] == [killer["evidence_id"]]
    assert "crashes the process" in skipped[0]["skip_reason"]
    assert len(watch.rows(t.artifact)) == 5
    assert watch.dead() == []


def test_a_document_is_read_once_however_often_it_is_met(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    each = ProcessPool.run_each

    async def counted(
        self: ProcessPool, task: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], **more: Any
    ) -> Any:
        read.extend(piece[1] for piece in pieces)
        return await each(self, task, pieces, **more)

    monkeypatch.setattr(ProcessPool, "run_each", counted)
    listed(watch, one=act(1), two=act(2), copy=act(1))
    watch.run()
    assert len(read) == 3
    before = watch.dump()
    watch.run()
    watch.show("/one", act(1), headers={"Content-Type": "text/html"})
    watch.run()
    assert len(read) == 3
    assert watch.dump() == before


def test_a_copy_is_judged_as_a_document_of_its_own_source(watch: Watch) -> None:
    watch.endpoint("/a.xml", name="a", options={"hosts": ["files.test"]})
    paths = [f"http://files.test/{number}" for number in range(4)]
    watch.show("/a.xml", sitemap("/own", *paths))
    for path in ("/own", *(f"/{number}" for number in range(4))):
        watch.show(path, act())
    watch.run()
    slugs = {row["evidence_id"]: row["source_slug"] for row in watch.rows(t.evidence)}
    assert set(slugs.values()) == {"gazette", "files-test"}
    for stage in ("scout", "router"):
        for job in watch.rows(t.job, stage=stage):
            assert job["source_slug"] == slugs[job["payload"]["evidence_id"]]
    copies = [row for row in watch.rows(t.scout_result) if row["duplicate_of"]]
    assert {row["duplicate_of"] for row in copies} == {min(slugs)}
    assert {row["similarity"] for row in copies} == {1.0}
    assert len(copies) == 4


def test_once_a_pack_watches_its_source_a_document_is_taken_up(watch: Watch) -> None:
    listed(watch, one=act(1))
    source = Source(source_slug="gazette", name="Gazette", base_url=HOME)
    watch.store(source)
    watch.run()
    assert [row["decision"] for row in watch.rows(t.routing_decision)] == ["NO_PACK"]
    assert [row["state"] for row in watch.rows(t.candidate)] == ["skipped"]
    assert watch.rows(t.job, stage="sink") == []
    before = watch.dump()
    watch.run()
    assert watch.dump() == before

    watch.store(source.model_copy(update={"packs": ["regulatory"]}))
    watch.run()
    decisions = {row["pack"]: row["decision"] for row in watch.rows(t.routing_decision)}
    assert decisions == {"": "NO_PACK", "regulatory": "EXTRACT_LOCAL"}
    assert [row["state"] for row in watch.rows(t.candidate)] == ["ready"]
    assert len(watch.rows(t.job, stage="sink")) == 1
    before = watch.dump()
    watch.run()
    assert watch.dump() == before
