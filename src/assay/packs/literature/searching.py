"""Search, answers and related works: what commands ask of the index."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any, Final

from assay.packs.literature.index import (
    IndexedPassage,
    IndexedWork,
    LiteratureIndex,
    SearchFilters,
    SearchMode,
    open_index,
    search_works,
)
from assay.packs.literature.outputs.graph import list_related
from assay.packs.literature.passages import decode_passages
from assay.packs.literature.records import FullText, WorkId
from assay.packs.literature.vectors import DEFAULT_EMBEDDER
from assay.packs.literature.works import Work, load_works
from assay.sdk.records import Artifact
from assay.sdk.screens import pluralize
from assay.sdk.services import Services

_TOGETHER: Final = 500


class SharedIndex:
    """The index that all stages and routes of a process use."""

    def __init__(self, index: LiteratureIndex) -> None:
        self.index = index

    async def close(self) -> None:
        await asyncio.to_thread(self.index.close)


def share_index(services: Services) -> SharedIndex:
    """Open the index for everyone; for `services.share`."""
    return SharedIndex(open_index(services))


async def search_corpus(
    services: Services, query: str, filters: SearchFilters, mode: SearchMode, limit: int
) -> list[dict[str, Any]]:
    """The works that match a query, with their best passages."""
    index = services.share(share_index).index
    hits = await search_works(index, query, mode=mode, filters=filters, limit=limit)
    works = {
        each: work for work in load_works(services, [hit.doc_id for hit in hits])
        for each in work.ids
    }  # fmt: skip
    return [
        {
            "doc_id": hit.doc_id,
            "title": work.title,
            "authors": list(work.authors),
            "year": work.year,
            "venue": work.venue,
            "ids": list(work.ids),
            "score": round(hit.score, 4),
            "passages": [vars(passage) for passage in hit.passages],
        }
        for hit in hits
        if (work := works.get(hit.doc_id)) is not None
    ]


async def find_related(services: Services, work: Work, limit: int) -> list[dict[str, Any]]:
    """Works about the same, and works that cite or are cited together with it."""
    everything = load_works(services)
    rows: dict[str, dict[str, Any]] = {}
    for other in list_related(work, everything, limit):
        shared, together = other.shared_references, other.cited_together
        why = f"shares {pluralize(shared, 'reference')}" if shared else ""
        why += ", " if shared and together else ""
        why += f"cited together {pluralize(together, 'time')}" if together else ""
        rows[other.doc_id] = {"score": other.score, "why": why}
    words = f"{work.title} {work.abstract}".strip()
    if words:
        index = services.share(share_index).index
        for hit in await search_works(index, words, limit=limit + 1):
            if hit.doc_id != work.doc_id and hit.doc_id not in rows:
                rows[hit.doc_id] = {"score": hit.score, "why": "about the same"}
    known = {each.doc_id: each for each in everything}
    return [
        {"doc_id": doc_id, "title": known[doc_id].title, "year": known[doc_id].year, **row}
        for doc_id, row in list(rows.items())[:limit]
        if doc_id in known
    ]


def rebuild_index(services: Services) -> int:
    """Build the index again from what is stored; return how many works it has."""
    index = services.share(share_index).index
    count = 0

    def list_entries() -> Iterator[IndexedWork]:
        nonlocal count
        docs = sorted({row.doc_id for row in services.read_records(WorkId)})
        for at in range(0, len(docs), _TOGETHER):
            for entry in load_entries(services, docs[at : at + _TOGETHER]):
                count += 1
                yield entry

    index.rebuild(list_entries())
    return count


def load_entries(services: Services, doc_ids: Iterable[str]) -> Iterator[IndexedWork]:
    """Works as the index holds them."""
    works = load_works(services, doc_ids)
    ids = sorted({each for work in works for each in work.ids})
    texts = services.read_records(FullText, doc_id=ids)
    names = sorted({text.artifact_id for text in texts})
    artifacts = {a.artifact_id: a for a in services.read_records(Artifact, artifact_id=names)}
    for work in works:
        text = choose_text(work, texts)
        if text is None:
            yield build_entry(work)
            continue
        get = services.blobs.get
        whole = get(artifacts[text.artifact_id].content_hash).decode()
        yield build_entry(work, text, whole, get(text.passages_hash), get(text.vectors_hash))


def choose_text(work: Work, texts: Iterable[FullText]) -> FullText | None:
    """Of the texts of a work, that of its own document, or else the first by id."""
    own = [text for text in texts if text.doc_id in work.ids]
    return min(own, key=lambda text: (text.doc_id != work.doc_id, text.doc_id), default=None)


def build_entry(
    work: Work,
    text: FullText | None = None,
    whole: str = "",
    passages: bytes = b"",
    vectors: bytes = b"",
) -> IndexedWork:
    """A work as the index holds it."""
    indexed = []
    if text is not None:
        spans = decode_passages(passages)
        size = len(vectors) // max(1, len(spans))
        indexed = [
            IndexedPassage(
                text=whole[span.start : span.end],
                start=span.start,
                end=span.end,
                page=span.page,
                section=span.section,
                artifact_id=text.artifact_id,
                vector=vectors[number * size : (number + 1) * size],
            )
            for number, span in enumerate(spans)
        ]
    return IndexedWork(
        doc_id=work.doc_id,
        title=work.title,
        abstract=work.abstract,
        authors=work.authors,
        year=work.year,
        venue=work.venue,
        sources=work.lists,
        tiers=work.tiers,
        passages=tuple(indexed),
        vector=DEFAULT_EMBEDDER.embed_text(f"{work.title}\n{work.abstract}"),
    )


async def answer_question(services: Services, question: str) -> dict[str, Any]:
    """The best passages."""
    rows = await search_corpus(services, question, SearchFilters(), SearchMode.FUSED, 5)
    passages = [
        {"number": number, "title": row["title"], "doc_id": row["doc_id"], **row["passages"][0]}
        for number, row in enumerate((row for row in rows if row["passages"]), 1)
    ]
    return {"sentences": [], "notes": [], "passages": passages}
