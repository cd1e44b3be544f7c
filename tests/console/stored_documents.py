"""Documents with real texts, PDFs and quotes, without the stages that would store them."""

from collections.abc import Sequence

from assay.app import App
from assay.app.evidence_views import load_evidence
from assay.model.content import ArtifactKind
from assay.model.facts import CandidateFact
from assay.model.hashes import content_hash
from assay.model.ids import derive_evidence_id
from assay.model.records import (
    Artifact,
    CandidateEvent,
    Document,
    Evidence,
    IngestCandidate,
    Record,
    ScannedPage,
    Source,
)
from assay.reading.documents import read_document
from assay.reading.result import Reading
from assay.spine.texts import build_stored_text, pack_reading
from assay.store.upserts import upsert_records

AT_MS = 1_700_000_000_000


def store_records(app: App, records: Sequence[Record]) -> None:
    with app.engine.begin() as connection:
        upsert_records(connection, records)


def store_document(
    app: App,
    doc_id: str = "do_act",
    *,
    title: str | None = "Act on Fees",
    url: str = "https://gazette.example/acts/1",
    source: str = "gazette",
    state: str = "ingested",
    reason: str = "its facts were extracted",
    at_ms: int = AT_MS,
    evidence_id: str | None = None,
) -> str:
    """A document in a state, with the event that led there."""
    store_records(
        app,
        [
            Source(source_slug=source, name=source.title(), base_url=f"https://{source}.example/"),
            Document(doc_id=doc_id, source_slug=source, url=url, title=title, first_seen_ms=at_ms),
            IngestCandidate(
                doc_id=doc_id,
                state=state,
                event_count=1,
                updated_ms=at_ms,
                evidence_id=evidence_id,
            ),
            CandidateEvent(
                doc_id=doc_id,
                seq=1,
                from_state="ready",
                to_state=state,
                reason=reason,
                evidence_id=evidence_id,
                at_ms=at_ms,
            ),
        ],
    )
    return doc_id


def store_version(
    app: App,
    data: bytes,
    *,
    doc_id: str = "do_act",
    url: str = "https://gazette.example/acts/1",
    reading: Reading | None = None,
    kept: bool = True,
    at_ms: int = AT_MS,
    hocr: str = "",
    scanned: Sequence[ScannedPage] = (),
) -> str:
    """A version of a document, read as a stage would; returns its evidence's id."""
    evidence_id = derive_evidence_id(url, content_hash(data))
    app.blobs.put(data)
    evidence = Evidence(
        evidence_id=evidence_id,
        url=url,
        content_hash=content_hash(data),
        doc_id=doc_id,
        source_slug="gazette",
        content_type="text/plain; charset=utf-8",
        size=len(data),
        fetched_ms=at_ms,
        run_id="run_1",
    )
    records: list[Record] = []
    if kept:
        packed = pack_reading(reading or read_document(data, None, "utf-8"), "test/1")
        beside = [(ArtifactKind.OCR_HOCR, hocr.encode())] if hocr else []
        stored = build_stored_text(evidence_id, packed, at_ms, beside=beside)
        app.blobs.put_all(stored.blobs)
        records += stored.records
        evidence = evidence.model_copy(
            update={
                "content_class": packed.content_class.value,
                "primary_text_artifact_id": stored.artifact_id,
            }
        )
    pages = [page.model_copy(update={"evidence_id": evidence_id}) for page in scanned]
    store_records(app, [evidence, *records, *pages])
    return evidence_id


def store_reading(app: App, evidence_id: str, text: str) -> str:
    """An earlier reading of the same bytes."""
    app.blobs.put(text.encode())
    store_records(
        app,
        [
            Artifact(
                artifact_id="ar_earlier",
                evidence_id=evidence_id,
                kind="PLAIN_TEXT",
                content_hash=content_hash(text.encode()),
                length=len(text),
            )
        ],
    )
    return "ar_earlier"


def store_fact(
    app: App, evidence_id: str, start: int, quote: str, *, name: str = "fa_1", reading: str = ""
) -> str:
    """A fact with a quote that starts there."""
    evidence, _ = load_evidence(app, evidence_id)
    store_records(
        app,
        [
            CandidateFact(
                fact_id=name,
                pack="regulatory",
                evidence_id=evidence_id,
                artifact_id=reading or evidence["primary_text_artifact_id"],
                doc_id=evidence["doc_id"],
                source_slug="gazette",
                domain="fees",
                concept=f"fees.{name}",
                subject="fees",
                predicate="amount",
                value="8.15",
                value_type="currency",
                unit="EUR",
                quote=quote,
                start=start,
                end=start + len(quote),
                confidence=0.9,
                applies_when='{"all":[]}',
                extractor="test",
            )
        ],
    )
    return name
