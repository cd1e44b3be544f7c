"""Search, answers and related works: what commands ask of the index."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from assay.packs.literature.answering import LiteratureAnswer, answer_question
from assay.packs.literature.index import (
    IndexedPassage,
    IndexedWork,
    LiteratureIndex,
    SearchFilters,
    SearchMode,
    open_index,
    search_works,
)
from assay.packs.literature.outputs.graph import CitedTogether, list_related
from assay.packs.literature.provider_vectors import choose_embedder
from assay.packs.literature.records import FullText, WorkId
from assay.packs.literature.related import find_related
from assay.packs.literature.texts import decode_passages
from assay.packs.literature.vectors import DEFAULT_EMBEDDER, Embedder
from assay.packs.literature.works import Work, load_works
from assay.sdk.records import Artifact
from assay.sdk.screens import pluralize
from assay.sdk.services import Services

_TOGETHER: Final = 500
_CONSIDERED: Final = 100


class SharedIndex:
    """The index that all stages and routes of a process use."""

    def __init__(self, index: LiteratureIndex) -> None:
        self.index = index

    async def close(self) -> None:
        await asyncio.to_thread(self.index.close)


def share_index(services: Services) -> SharedIndex:
    """Open the index for everyone; for `services.share`."""
    return SharedIndex(open_index(services, choose_embedder(services)))


def share_read_only_index(services: Services) -> SharedIndex:
    """The same where nothing may be written and no model asked: it searches words only."""
    return SharedIndex(open_index(services, read_only=True))


async def search_corpus(
    services: Services,
    query: str,
    filters: SearchFilters,
    mode: SearchMode,
    limit: int,
    *,
    share: Callable[[Services], SharedIndex] = share_index,
) -> list[dict[str, Any]]:
    """The works that match a query, with their best passages."""
    index = services.share(share).index
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


async def list_related_works(services: Services, work: Work, limit: int) -> list[dict[str, Any]]:
    """Works about the same, and works that cite or are cited together with it."""
    everything = {each.doc_id: each for each in load_works(services)}
    cited = {each.doc_id: each for each in list_related(work, everything.values(), _CONSIDERED)}
    found = await find_related(
        services.share(share_index).index,
        work.doc_id,
        shared_citations={doc_id: each.score for doc_id, each in cited.items()},
        limit=limit,
    )
    return [
        {
            "doc_id": other.doc_id,
            "title": everything[other.doc_id].title,
            "year": everything[other.doc_id].year,
            "score": round(other.score, 4),
            "why": _explain_relation(cited.get(other.doc_id)),
        }
        for other in found
        if other.doc_id in everything
    ]


def _explain_relation(cited: CitedTogether | None) -> str:
    reasons = []
    if cited is not None and cited.shared_references:
        reasons.append(f"shares {pluralize(cited.shared_references, 'reference')}")
    if cited is not None and cited.cited_together:
        reasons.append(f"cited together {pluralize(cited.cited_together, 'time')}")
    return ", ".join(reasons) or "about the same"


def rebuild_index(services: Services) -> int:
    """Build the index again from what is stored; return how many works it has."""
    index = services.share(share_index).index
    count = 0

    def list_entries() -> Iterator[IndexedWork]:
        nonlocal count
        docs = sorted({row.doc_id for row in services.read_records(WorkId)})
        for at in range(0, len(docs), _TOGETHER):
            for entry in load_entries(services, docs[at : at + _TOGETHER], index.embedder):
                count += 1
                yield entry

    index.rebuild(list_entries())
    return count


def load_entries(
    services: Services, doc_ids: Iterable[str], embedder: Embedder
) -> Iterator[IndexedWork]:
    """Works as the index holds them."""
    works = load_works(services, doc_ids)
    ids = sorted({each for work in works for each in work.ids})
    texts = services.read_records(FullText, doc_id=ids)
    names = sorted({text.artifact_id for text in texts})
    artifacts = {a.artifact_id: a for a in services.read_records(Artifact, artifact_id=names)}
    for work in works:
        text = choose_text(work, texts)
        if text is None:
            yield build_entry(work, embedder)
            continue
        get = services.blobs.get
        whole = get(artifacts[text.artifact_id].content_hash).decode()
        passages, vectors = get(text.passages_hash), get(text.vectors_hash)
        yield build_entry(work, embedder, text, whole, passages, vectors)


def choose_text(work: Work, texts: Iterable[FullText]) -> FullText | None:
    """Of the texts of a work, that of its own document, or else the first by id."""
    own = [text for text in texts if text.doc_id in work.ids]
    return min(own, key=lambda text: (text.doc_id != work.doc_id, text.doc_id), default=None)


def build_entry(
    work: Work,
    embedder: Embedder,
    text: FullText | None = None,
    whole: str = "",
    passages: bytes = b"",
    vectors: bytes = b"",
) -> IndexedWork:
    """A work as the index holds it; vectors of another embedder cannot be compared."""
    indexed = []
    vector = b""
    if text is None and embedder is DEFAULT_EMBEDDER:
        vector = DEFAULT_EMBEDDER.embed_text(f"{work.title}\n{work.abstract}")
    if text is not None:
        vectors = vectors if text.embedder == embedder.name else b""
        spans = decode_passages(passages)
        # The first vector is that of title and abstract.
        size = len(vectors) // (len(spans) + 1)
        vector = vectors[:size]
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
            for number, span in enumerate(spans, 1)
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
        vector=vector,
    )


async def answer_from_corpus(services: Services, question: str) -> LiteratureAnswer:
    """Answer with a model and checked quotes, or show the best passages."""
    index = services.share(share_index).index
    return await answer_question(question, await search_works(index, question), services)
