"""Works as people see them: chosen from everything that lists, services and papers say."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from assay.packs.literature.identity import find_address
from assay.packs.literature.records import (
    FullText,
    ReferenceList,
    WorkDetails,
    WorkId,
    WorkReference,
)
from assay.sdk.records import IngestCandidate, Record
from assay.sdk.services import Services
from assay.sdk.stages import Reader

_PROVIDERS: Final = ("crossref", "openalex", "arxiv")
"""Who is believed first: the publisher, then the catalogue, then the preprint."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Work:
    """One work, whatever the number of its ids and versions."""

    doc_id: str
    ids: tuple[str, ...]
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    abstract: str = ""
    kind: str = ""
    url: str = ""
    pdf_url: str = ""
    is_retracted: bool = False
    lists: tuple[str, ...] = ()
    """The lists that name it."""
    tiers: tuple[str, ...] = ()
    state: str = "discovered"
    reason: str = ""
    """Why it is blocked or failed."""
    retry_count: int = 0
    next_retry_unix: int | None = None
    has_text: bool = False
    said_by: Mapping[str, str] = field(default_factory=dict)
    """Which service or list each value is from."""
    cites: tuple[str, ...] = ()
    """The ids of the works that it cites, as services and its own list of references say."""

    def find_id(self, scheme: str) -> str | None:
        """Its first id of a scheme, without the scheme: `doi`, `arxiv`, `pmid`, `isbn`."""
        found = (each for each in self.ids if each.startswith(f"{scheme}:"))
        return next((each.partition(":")[2] for each in found), None)


@dataclass
class WorkParts:
    """What is stored about one work."""

    doc_id: str
    ids: list[str] = field(default_factory=list)
    details: list[WorkDetails] = field(default_factory=list)
    references: list[WorkReference] = field(default_factory=list)
    citations: list[WorkReference] = field(default_factory=list)
    """Its own references to others."""
    candidate: IngestCandidate | None = None
    texts: list[FullText] = field(default_factory=list)


def build_work(parts: WorkParts, lists: Mapping[str, ReferenceList]) -> Work:
    """Choose each value from the first that has one; the result does not depend on order."""
    details = sorted(parts.details, key=_rank_details)
    entries = sorted(
        (r for r in parts.references if not r.citing),
        key=lambda r: (-len(r.title), r.reference_id),
    )
    own = sorted(parts.texts, key=lambda text: (text.doc_id != parts.doc_id, text.doc_id))
    rows: list[tuple[str, WorkDetails | WorkReference | FullText]] = [
        *((row.provider, row) for row in details),
        *((row.list_id, row) for row in entries),
        *(("its text", row) for row in own),
    ]
    said_by: dict[str, str] = {}

    def choose(name: str, empty: T) -> T:
        for said, row in rows:
            if value := getattr(row, name, None):
                said_by[name] = said
                return value  # type: ignore[no-any-return]
        return empty

    named = sorted({reference.list_id for reference in entries})
    candidate = parts.candidate
    cited = [each for row in details for each in row.cites]
    cited += [reference.doc_id for reference in parts.citations]
    pdf_urls = [url for row in details for url in row.pdf_urls]
    return Work(
        doc_id=parts.doc_id,
        ids=tuple(sorted({*parts.ids, parts.doc_id})),
        title=choose("title", ""),
        authors=tuple(choose("authors", [])),
        year=choose("year", None),
        venue=choose("venue", ""),
        abstract=choose("abstract", ""),
        kind=next((row.kind for row in details if row.kind), ""),
        url=find_address(parts.doc_id, sorted(u for r in entries for u in r.urls)),
        pdf_url=pdf_urls[0] if pdf_urls else "",
        is_retracted=any(row.is_retracted for row in details),
        lists=tuple(named),
        tiers=tuple(sorted({lists[name].tier for name in named if name in lists})),
        state="discovered" if candidate is None else candidate.state,
        reason="" if candidate is None else candidate.last_error or "",
        retry_count=0 if candidate is None else candidate.retry_count,
        next_retry_unix=None if candidate is None else candidate.next_retry_unix,
        has_text=bool(parts.texts),
        said_by=said_by,
        cites=tuple(sorted(set(cited) - {*parts.ids})),
    )


def _rank_details(row: WorkDetails) -> tuple[int, str]:
    known = row.provider in _PROVIDERS
    return _PROVIDERS.index(row.provider) if known else len(_PROVIDERS), row.doc_id


@dataclass
class StoredParts:
    """The rows that some works are built from."""

    ids: Sequence[WorkId]
    details: Sequence[WorkDetails] = ()
    references: Sequence[WorkReference] = ()
    citations: Sequence[WorkReference] = ()
    texts: Sequence[FullText] = ()
    candidates: Sequence[IngestCandidate] = ()
    lists: Sequence[ReferenceList] = ()

    def build_works(self) -> list[Work]:
        """The works, ordered by document id."""
        owner = {row.id: row.doc_id for row in self.ids}
        parts = {doc_id: WorkParts(doc_id) for doc_id in sorted({*owner.values()})}
        for each, doc_id in owner.items():
            parts[doc_id].ids.append(each)
        for details in self.details:
            parts[owner[details.doc_id]].details.append(details)
        for reference in self.references:
            parts[owner[reference.doc_id]].references.append(reference)
        for reference in self.citations:
            parts[owner[reference.citing]].citations.append(reference)
        for text in self.texts:
            parts[owner[text.doc_id]].texts.append(text)
        for candidate in self.candidates:
            parts[candidate.doc_id].candidate = candidate
        lists = {each.list_id: each for each in self.lists}
        return [build_work(found, lists) for found in parts.values()]


def load_works(services: Services, ids: Iterable[str] | None = None) -> list[Work]:
    """The works that these ids lead to, or all."""
    if ids is None:
        rows = services.read_records(WorkId)
    else:
        asked = services.read_records(WorkId, id=sorted(set(ids)))
        rows = services.read_records(WorkId, doc_id=sorted({row.doc_id for row in asked}))
    every = sorted({row.id for row in rows})
    return StoredParts(
        rows,
        services.read_records(WorkDetails, doc_id=every),
        services.read_records(WorkReference, doc_id=every),
        services.read_records(WorkReference, citing=every),
        services.read_records(FullText, doc_id=every),
        services.read_records(IngestCandidate, doc_id=sorted({row.doc_id for row in rows})),
        services.read_records(ReferenceList),
    ).build_works()


async def read_works(read: Reader, ids: Iterable[str]) -> list[Work]:
    """The same for a stage, which must declare `WORK_PARTS` among what it reads."""
    asked = await read.find_where(WorkId, "id", set(ids))
    rows = await read.find_where(WorkId, "doc_id", {row.doc_id for row in asked})
    every = {row.id for row in rows}
    return StoredParts(
        rows,
        await read.find_where(WorkDetails, "doc_id", every),
        await read.find_where(WorkReference, "doc_id", every),
        await read.find_where(WorkReference, "citing", every),
        await read.find_where(FullText, "doc_id", every),
        await read.find_where(IngestCandidate, "doc_id", {row.doc_id for row in rows}),
        await read.find_all(ReferenceList),
    ).build_works()


WORK_PARTS: Final[frozenset[type[Record]]] = frozenset(
    {WorkId, WorkDetails, WorkReference, FullText, IngestCandidate, ReferenceList}
)


def group_citations(works: Iterable[Work]) -> dict[str, list[str]]:
    """For each work, the works of the same corpus that cite it."""
    works = list(works)
    owner = {each: work.doc_id for work in works for each in work.ids}
    citing: dict[str, set[str]] = defaultdict(set)
    for work in works:
        for each in work.cites:
            if (cited := owner.get(each)) is not None and cited != work.doc_id:
                citing[cited].add(work.doc_id)
    return {doc_id: sorted(found) for doc_id, found in sorted(citing.items())}
