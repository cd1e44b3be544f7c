"""Text: divides the text of a paper into passages with vectors; without text, nothing is ingested.

A list that a person gave as a file arrives here, too, and is read as a list.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.packs.literature.identity import find_address, is_document_id, list_links
from assay.packs.literature.ids import find_ids
from assay.packs.literature.jobs import (
    IDENTITY_STAGE,
    INDEX_STAGE,
    PIECE_STAGE,
    RECORD_STAGE,
    TEXT_STAGE,
    PaperTextJob,
    ReferencesJob,
    plan_works,
)
from assay.packs.literature.listed import ListedReference, ListKind, encode_references
from assay.packs.literature.provider_vectors import choose_embedder
from assay.packs.literature.records import (
    FullText,
    IdLink,
    ReferenceList,
)
from assay.packs.literature.stages.list import move_to_ingested, read_one_list
from assay.packs.literature.texts import encode_passages
from assay.packs.literature.vectors import DEFAULT_EMBEDDER, Embedder
from assay.sdk.errors import AssayError, CallDenied
from assay.sdk.reading import ContentClass, Reading, restore_reading
from assay.sdk.records import (
    Artifact,
    Document,
    Evidence,
    IngestCandidate,
    Record,
    content_hash,
)
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Failed,
    Move,
    NextJob,
    Outcome,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

if TYPE_CHECKING:
    from assay.packs.literature.passages import TextPassage

TEXT = Stage(
    name=TEXT_STAGE,
    version=1,
    payload=PaperTextJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, Artifact, IngestCandidate, ReferenceList, FullText}),
    writes=frozenset({FullText, IdLink, Document, IngestCandidate}),
    next=frozenset({PIECE_STAGE, RECORD_STAGE, IDENTITY_STAGE, INDEX_STAGE}),
    uses=frozenset({"model"}),
    batch=50,
    entry=True,
    purpose="divides a paper's text into passages with vectors",
)
_LEAST_TEXT: Final = 400
"""Fewer characters than that are a notice or a cover, not a paper."""
_MOST_CITED: Final = 5000
_LONGEST_TITLE: Final = 300
_LONGEST_ABSTRACT: Final = 4000
_FRONT: Final = 3000
"""Characters in which a paper without an abstract names itself."""
_HOUR_MS: Final = 60 * 60 * 1000


async def take_in_texts(
    jobs: Sequence[PaperTextJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Take in each paper; what has not changed is neither divided nor embedded again."""
    evidence = await read.get_many(Evidence, [job.evidence_id for job in jobs])
    lists = await read.get_many(ReferenceList, {job.source for job in jobs})
    texts = await read.get_many(FullText, {each.doc_id for each in evidence.values()})
    # All at once: each paper then finds its own among what was read.
    await read.get_many(
        Artifact, {each.primary_text_artifact_id or "" for each in evidence.values()}
    )
    results = await asyncio.gather(
        *(
            read_one_list(evidence[job.evidence_id], lists[job.source], read, services)
            if job.source in lists
            else _take_in(job, evidence[job.evidence_id], texts, read, services)
            for job in jobs
        )
    )
    return _plan_together(jobs[0].source, results)


def _plan_together(source: str, results: Sequence[Result]) -> list[Result]:
    """Add the jobs that continue with all papers of the batch, to the first that has a new text."""
    taken = [
        record.doc_id
        for result in results
        if isinstance(result, Outcome) and result.note == "done"
        for record in result.records
        if isinstance(record, FullText)
    ]
    # A person gave the file: only its first page says which work it is.
    given = [doc_id for doc_id in taken if doc_id.startswith("url:")]
    jobs = plan_works(INDEX_STAGE, set(taken) - set(given), source, len(results))
    jobs += plan_works(IDENTITY_STAGE, given, source, len(results))
    jobs += plan_works(INDEX_STAGE, given, source, len(results))
    planned = list(results)
    for place, result in enumerate(planned):
        if jobs and isinstance(result, Outcome) and result.note == "done":
            planned[place] = replace(result, next=(*result.next, *jobs))
            break
    return planned


async def _take_in(
    job: PaperTextJob,
    evidence: Evidence,
    texts: dict[str, FullText],
    read: Reader,
    services: Services,
) -> Result:
    artifact = await read.get(Artifact, evidence.primary_text_artifact_id or "")
    if artifact is None or artifact.length < _LEAST_TEXT:
        return _block(evidence, "no text could be read in it")
    before, embedder = texts.get(evidence.doc_id), choose_embedder(services)
    if (
        before is not None
        and before.text_hash == artifact.content_hash
        and before.embedder == embedder.name
        and not job.force
    ):
        same = before.model_copy(
            update={"evidence_id": evidence.evidence_id, "artifact_id": artifact.artifact_id}
        )
        moved = move_to_ingested(evidence, "its text has not changed")
        return Outcome(records=(same,), moves=(moved,), note="unchanged")
    places = None if artifact.map_hash is None else read.blob_file(artifact.map_hash)
    is_default = embedder is DEFAULT_EMBEDDER
    try:
        made = await services.pool.run(
            prepare_text, read.blob_file(artifact.content_hash), places, is_default
        )
        if made.count and not is_default:
            made.vectors = b"".join(await embedder.embed(made.texts))
    except CallDenied as error:
        later_ms = error.recovers_ms or read.now_ms + _HOUR_MS
        return _block(evidence, error.what, next_retry_unix=-(-later_ms // 1000), counts=False)
    except AssayError as error:
        return Failed(error, last=_block(evidence, error.what))
    if not made.count:
        return _block(evidence, "no text could be read in it")
    return _build_outcome(job, evidence, artifact, embedder, made, read.now_ms)


def _block(
    evidence: Evidence, reason: str, *, next_retry_unix: int | None = None, counts: bool = True
) -> Outcome:
    blocked = Move(
        evidence.doc_id,
        CandidateState.BLOCKED,
        reason,
        next_retry_unix=next_retry_unix,
        counts=counts,
        evidence_id=evidence.evidence_id,
        only_with=evidence.evidence_id,
        only_from=CandidateState.READY,
    )
    return Outcome(moves=(blocked,), note="blocked")


@dataclass
class PreparedText:
    """What was made of a paper's text."""

    passages: bytes = b""
    count: int = 0
    vectors: bytes = b""
    texts: list[str] = field(default_factory=list)
    """What a provider is to compute vectors for; empty if they are there."""
    pages: int = 0
    sections: list[str] = field(default_factory=list)
    title: str = ""
    abstract: str = ""
    ids: list[str] = field(default_factory=list)
    """The ids on its first page, if they can only be its own."""
    cited: list[bytes] = field(default_factory=list)


def prepare_text(file: Path, places: Path | None, is_default: bool) -> PreparedText:
    """Divide and embed a text; runs in a process with limits on time and memory."""
    # Only these processes need the patterns, which take long to compile.
    from assay.packs.literature.passages import divide_text

    text = file.read_text(encoding="utf-8")
    reading = (
        Reading(content_class=ContentClass.TEXT, text=text)
        if places is None
        else restore_reading(text, places.read_bytes())
    )
    passages = divide_text(reading)
    if not passages:
        return PreparedText()
    title, abstract, end = _find_front(reading, passages)
    texts = [f"{title}\n{abstract}", *(each.text for each in passages)]
    return PreparedText(
        passages=encode_passages(passages),
        count=len(passages),
        vectors=b"".join(map(DEFAULT_EMBEDDER.embed_text, texts)) if is_default else b"",
        texts=[] if is_default else texts,
        pages=len(reading.pages),
        sections=list(dict.fromkeys(each.section for each in passages if each.section)),
        title=title,
        abstract=abstract,
        ids=find_own_ids(text[:end]),
        cited=encode_references(_find_cited(text)),
    )


def _find_front(reading: Reading, passages: "Sequence[TextPassage]") -> tuple[str, str, int]:
    """The title, the abstract, and where the first page ends."""
    first = next((line.strip() for line in reading.text[:2000].splitlines() if line.strip()), "")
    title = (reading.title or first)[:_LONGEST_TITLE]
    own = [each for each in passages[:5] if each.section.casefold().startswith("abstract")]
    abstract = " ".join(" ".join(each.text for each in own).split())[:_LONGEST_ABSTRACT]
    return title, abstract, own[-1].end if own else _FRONT


def find_own_ids(front: str) -> list[str]:
    """The ids that a first page shows, if there is not more than one of a kind."""
    found = sorted(set(find_ids(front)))
    kinds = [each.partition(":")[0] for each in found]
    return [each for each, kind in zip(found, kinds, strict=True) if kinds.count(kind) == 1]


def _find_cited(text: str) -> Sequence[ListedReference]:
    from assay.packs.literature.lists import parse_list
    from assay.packs.literature.references.sections import find_reference_section

    section = find_reference_section(text)
    if section is None:
        return []
    start, end = section
    parsed = parse_list(text[start:end].encode(), ListKind.BIBLIOGRAPHY, most=_MOST_CITED)
    return [
        each.model_copy(update={"start": each.start + start, "end": each.end + start})
        for each in parsed.references
        if each.ids or each.title
    ]


def _build_outcome(
    job: PaperTextJob,
    evidence: Evidence,
    artifact: Artifact,
    embedder: Embedder,
    made: PreparedText,
    now_ms: int,
) -> Outcome:
    doc_id = evidence.doc_id
    text = FullText(
        doc_id=doc_id,
        evidence_id=evidence.evidence_id,
        artifact_id=artifact.artifact_id,
        text_hash=artifact.content_hash,
        passages_hash=content_hash(made.passages),
        vectors_hash=content_hash(made.vectors),
        embedder=embedder.name,
        passages=made.count,
        pages=made.pages,
        sections=made.sections[:100],
        title=made.title,
        abstract=made.abstract,
    )
    records: list[Record] = [text]
    if doc_id.startswith("url:"):
        records += list_links({doc_id, *made.ids}, stated_by=doc_id)
        records += [
            Document(
                doc_id=each,
                source_slug=job.source,
                url=find_address(each, []),
                title=made.title or None,
                first_seen_ms=now_ms,
            )
            for each in made.ids
            if is_document_id(each)
        ]
    next_jobs = [
        NextJob(
            RECORD_STAGE,
            ReferencesJob(
                source=job.source,
                kind=ListKind.BIBLIOGRAPHY,
                content_hash=content_hash(part),
                evidence_id=evidence.evidence_id,
                citing=doc_id,
            ),
        )
        for part in made.cited
    ]
    return Outcome(
        records=tuple(records),
        moves=(move_to_ingested(evidence, "its text was taken in"),),
        next=tuple(next_jobs),
        blobs=(made.passages, made.vectors, *made.cited),
    )
