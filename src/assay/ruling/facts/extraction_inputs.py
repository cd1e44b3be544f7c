"""What extraction needs to know about a document before it starts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.engine.grouping import group_pairs
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import Reader
from assay.errors import AssayError
from assay.governor.large_documents import make_request_id
from assay.logs import Log
from assay.model.content import ArtifactKind, ContentClass
from assay.model.facts import CandidateFact
from assay.model.records import (
    Artifact,
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    ReviewRequest,
    RoutingDecision,
    ScoutResult,
)
from assay.ruling.declaration import Facts
from assay.ruling.facts.extraction import DocumentContext, StoredPassage, TextFiles
from assay.ruling.facts.jurisdictions import find_country
from assay.ruling.payloads import ExtractJob
from assay.sources.folders import DocumentDescription, describe_stored_document
from assay.spine.listing_fetcher import AdapterFinder

log = Log("assay.ruling.facts.extract")


@dataclass(frozen=True)
class ExtractionInput:
    """A document with everything that extraction needs to know about it."""

    job: ExtractJob
    evidence: Evidence
    artifact: Artifact
    files: TextFiles
    scout: ScoutResult | None
    candidate: IngestCandidate | None
    pack: Facts
    look: DocumentContext
    earlier: tuple[CandidateFact, ...] = ()
    """The facts that an earlier version of the extractor found in it."""
    decisions: tuple[RoutingDecision, ...] = ()
    """What the router decided about it, for each pack."""
    question: ReviewRequest | None = None
    """Whether a model shall read it beyond the cap on one document, if a person was asked."""


async def read_inputs(
    jobs: Sequence[ExtractJob],
    packs: Mapping[str, Facts],
    read: Reader,
    earlier_extractors: Collection[str] = (),
) -> dict[ExtractJob, ExtractionInput | None]:
    """What is known about the documents; None for one whose pack is not installed."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    docs = {entry.doc_id for entry in evidence.values()}
    scouts = await read.get_groups(ScoutResult, list(evidence))
    candidates = await read.get_many(IngestCandidate, docs)
    artifacts = await _read_artifacts(list(evidence), read)
    published = _find_published_days(await read.find_where(DiscoveredItem, "doc_id", docs))
    stored = await read.find_where(CandidateFact, "evidence_id", list(evidence))
    earlier = group_pairs(
        ((fact.evidence_id, fact.pack), fact)
        for fact in stored
        if fact.extractor in earlier_extractors
    )
    routed = await read.get_groups(RoutingDecision, list(evidence))
    questions = await read.get_many(ReviewRequest, [make_request_id(key) for key in evidence])
    subjects: dict[ExtractJob, ExtractionInput | None] = {}
    for job in jobs:
        entry = evidence[job.evidence_id]
        pack = packs.get(job.pack)
        judged = scouts.get(job.evidence_id, [])
        # A pack that started to watch the source later has no judgement of its own.
        scout = next((row for row in judged if row.pack == job.pack), next(iter(judged), None))
        mine = artifacts[job.evidence_id]
        main = mine[str(entry.primary_text_artifact_id)]
        subjects[job] = (
            None
            if pack is None
            else ExtractionInput(
                job=job,
                evidence=entry,
                artifact=main,
                files=_locate_files(main, mine, read),
                scout=scout,
                candidate=candidates.get(entry.doc_id),
                pack=pack,
                look=DocumentContext(
                    scout.language if scout else "und",
                    published.get(entry.doc_id),
                    find_country(entry.url),
                ),
                earlier=tuple(earlier.get((job.evidence_id, job.pack), ())),
                decisions=tuple(routed.get(job.evidence_id, ())),
                question=questions.get(make_request_id(job.evidence_id)),
            )
        )
    return subjects


@dataclass(frozen=True)
class StoredDocument:
    """A piece of evidence with its text."""

    evidence: Evidence
    artifact: Artifact
    text: StoredPassage


async def read_stored_texts(evidence_ids: Sequence[str], read: Reader) -> dict[str, StoredDocument]:
    """Evidence with its text, for stages of packs that read texts themselves."""
    evidence = await read.get_many(Evidence, evidence_ids)
    scouts = await read.get_groups(ScoutResult, list(evidence))
    artifacts = await _read_artifacts(list(evidence), read)
    docs = {entry.doc_id for entry in evidence.values()}
    published = _find_published_days(await read.find_where(DiscoveredItem, "doc_id", docs))
    found = {}
    for key, entry in evidence.items():
        main = artifacts[key].get(str(entry.primary_text_artifact_id))
        if main is None or main.map_hash is None:
            continue
        judged = scouts.get(key, [])
        context = DocumentContext(
            judged[0].language if judged else "und",
            published.get(entry.doc_id),
            find_country(entry.url),
        )
        is_xml = entry.content_class == ContentClass.XML
        xml = read.blob_file(entry.content_hash) if is_xml else None
        text = StoredPassage(_locate_files(main, artifacts[key], read), context, xml)
        found[key] = StoredDocument(entry, main, text)
    return found


async def add_descriptions(
    subjects: Mapping[ExtractJob, ExtractionInput | None],
    pool: ProcessPool,
    adapter_of: AdapterFinder,
    read: Reader,
) -> dict[ExtractJob, ExtractionInput | None]:
    """The inputs with the publishers' descriptions added; None for a document that has no text."""
    described = dict(subjects)
    pieces: dict[ExtractJob, tuple[Path, Path, str]] = {}
    for job, subject in subjects.items():
        folder = None if subject is None else adapter_of(subject.evidence.source_slug)
        if subject is not None and folder is not None:
            file = read.blob_file(subject.evidence.content_hash)
            pieces[job] = (folder, file, subject.evidence.url)
    found = await pool.run_each(describe_stored_document, list(pieces.values())) if pieces else []
    for job, description in zip(pieces, found, strict=True):
        subject = subjects[job]
        assert subject is not None
        if isinstance(description, AssayError):
            # Its text can still be read: a publisher's description helps but is not required.
            log.warning("document_not_described", str(description), evidence_id=job.evidence_id)
        else:
            described[job] = _apply_description(subject, description)
    return described


def _apply_description(
    subject: ExtractionInput, description: DocumentDescription
) -> ExtractionInput | None:
    if not description.is_text:
        return None
    look = DocumentContext(
        description.language or subject.look.language,
        description.published or subject.look.published,
    )
    return replace(subject, look=look)


async def _read_artifacts(
    evidence_ids: Sequence[str], read: Reader
) -> dict[str, dict[str, Artifact]]:
    found: dict[str, dict[str, Artifact]] = {key: {} for key in evidence_ids}
    for artifact in await read.find_where(Artifact, "evidence_id", evidence_ids):
        found[artifact.evidence_id][artifact.artifact_id] = artifact
    return found


def _locate_files(main: Artifact, beside: Mapping[str, Artifact], read: Reader) -> TextFiles:
    # Tables belong to the text that was read at the same time by the same reader.
    tables: list[Path] = [
        read.blob_file(artifact.content_hash)
        for artifact in beside.values()
        if artifact.kind == ArtifactKind.TABLE_JSON.value
        and (artifact.reader, artifact.created_ms) == (main.reader, main.created_ms)
    ]
    return TextFiles(
        text=read.blob_file(main.content_hash),
        map=read.blob_file(str(main.map_hash)),
        tables=tables[0] if tables else None,
    )


def _find_published_days(items: Sequence[DiscoveredItem]) -> dict[str, str]:
    """The earliest day on which a listing says that a document was published."""
    found: dict[str, str] = {}
    for item in items:
        day = (item.published or "")[:10]
        if len(day) == 10:
            found[item.doc_id] = min(day, found.get(item.doc_id, day))
    return found
