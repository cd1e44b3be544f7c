"""Record: turns references into documents of the corpus, with their places and their ids."""

from collections.abc import Iterable, Sequence

from assay.packs.literature.identity import find_address, list_links
from assay.packs.literature.ids import doc_id_of
from assay.packs.literature.jobs import (
    IDENTITY_STAGE,
    INDEX_STAGE,
    RECORD_STAGE,
    ReferencesJob,
    plan_works,
)
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.priorities import PlaceKind, find_source_kind, rate_reference
from assay.packs.literature.records import IdLink, ReferenceList, WorkId, WorkReference
from assay.sdk.records import (
    Document,
    DocumentSource,
    Evidence,
    IngestCandidate,
    Record,
    canonical_json,
    derive_id,
)
from assay.sdk.services import Services
from assay.sdk.stages import (
    CandidateState,
    Move,
    Outcome,
    QueueLimits,
    Reader,
    Result,
    Stage,
)

RECORD = Stage(
    name=RECORD_STAGE,
    version=1,
    payload=ReferencesJob,
    queue=QueueLimits(),
    reads=frozenset({Evidence, WorkReference, ReferenceList}),
    writes=frozenset({WorkReference, Document, DocumentSource, IngestCandidate, IdLink, WorkId}),
    next=frozenset({IDENTITY_STAGE, INDEX_STAGE}),
    purpose="records the references of a list",
)
_TOGETHER = 500
"""Works whose ids are compared in one job."""


async def record_references(
    jobs: Sequence[ReferencesJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Record what is new in each part of a list; what is known costs one look-up."""
    lists = await read.get_many(ReferenceList, {job.source for job in jobs})
    return [await _record_part(job, lists.get(job.source), read) for job in jobs]


async def _record_part(job: ReferencesJob, declared: ReferenceList | None, read: Reader) -> Outcome:
    lines = (await read.blob(job.content_hash)).splitlines()
    found: dict[str, ListedReference] = {}
    for line in lines:
        listed = ListedReference.model_validate_json(line)
        found.setdefault(_identify(job, listed), listed)
    # Most of a list that has changed is known: whether it is costs less than reading it.
    known = await read.count_by_value(WorkReference, "reference_id", found)
    new = [_build_reference(job, key, each) for key, each in found.items() if key not in known]
    if not new:
        return Outcome(note="unchanged")
    if job.citing and (declared is None or not declared.follow):
        # A citation is recorded, but what is cited does not become a part of the corpus.
        return Outcome(records=tuple(new))
    records: list[Record] = [*new]
    moves: dict[str, Move] = {}
    kind = find_source_kind(job.kind, is_cited=bool(job.citing))
    for reference in new:
        records += _build_documents(reference, kind, read.now_ms)
        for doc_id in list_doc_ids(reference):
            moves[doc_id] = Move(doc_id, CandidateState.DISCOVERED, "found in a list")
    named = {each.doc_id for each in new}
    return Outcome(
        records=tuple(records),
        moves=tuple(moves.values()),
        next=(
            *plan_works(IDENTITY_STAGE, named, job.source, _TOGETHER),
            # A work that was known is now in one more list, which its identity does not tell.
            *plan_works(INDEX_STAGE, named, job.source, _TOGETHER),
        ),
    )


def _identify(job: ReferencesJob, listed: ListedReference) -> str:
    """The id of a reference: the same for the same content in the same list."""
    content = listed.model_dump(exclude={"start", "end", "section"})
    return derive_id("ref", canonical_json([job.source, job.citing, content]).decode())


def _build_reference(job: ReferencesJob, key: str, listed: ListedReference) -> WorkReference:
    return WorkReference(
        reference_id=key,
        list_id=job.source,
        kind=job.kind,
        citing=job.citing,
        doc_id=doc_id_of(listed.ids, listed.urls, listed.title, listed.authors, listed.year),
        evidence_id=job.evidence_id,
        ids=list(listed.ids),
        version=listed.version,
        urls=list(listed.urls),
        title=listed.title,
        authors=list(listed.authors),
        year=listed.year,
        venue=listed.venue,
        abstract=listed.abstract,
        section=listed.section,
        start=job.place + listed.start,
        end=job.place + listed.end,
    )


def list_doc_ids(reference: WorkReference) -> list[str]:
    """The documents that a reference names: one for each arXiv id and DOI, or the only one."""
    named = [each for each in reference.ids if each.startswith(("arxiv:", "doi:"))]
    return sorted({*named, reference.doc_id})


def _build_documents(reference: WorkReference, kind: PlaceKind, now_ms: int) -> Iterable[Record]:
    """The documents, their places and the links between their ids.

    An alias is a document, too: whether it is found before or after what it stands for, both end
    up in the store.
    """
    for doc_id in list_doc_ids(reference):
        yield Document(
            doc_id=doc_id,
            source_slug=reference.list_id,
            url=find_address(doc_id, reference.urls),
            title=reference.title or None,
            first_seen_ms=now_ms,
        )
        yield DocumentSource(
            doc_id=doc_id,
            source_kind=kind,
            source_ref=reference.list_id,
            confidence=rate_reference(doc_id, reference.version, reference.urls),
            first_seen_ms=now_ms,
        )
    yield from list_links({*reference.ids, reference.doc_id}, stated_by=reference.list_id)
