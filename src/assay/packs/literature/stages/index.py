"""Index: brings the search index up to date with what is stored about works.

The index is derived from the store and can be built again at any time. Doing the same work twice
changes nothing in it, so a crash between writing to it and noting that does no harm.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from assay.packs.literature.index import IndexedWork
from assay.packs.literature.jobs import INDEX_STAGE, WorksJob
from assay.packs.literature.records import FullText, LiteratureWatch, WatchedWork
from assay.packs.literature.searching import build_entry, choose_text, share_index
from assay.packs.literature.vectors import Embedder
from assay.packs.literature.watches import find_hits
from assay.packs.literature.works import WORK_PARTS, Work, read_works
from assay.sdk.records import Artifact
from assay.sdk.services import Services
from assay.sdk.stages import Outcome, QueueLimits, Reader, Result, Stage

INDEX = Stage(
    name=INDEX_STAGE,
    version=1,
    payload=WorksJob,
    # One at a time: the index has one writer.
    queue=QueueLimits(concurrency=1),
    reads=WORK_PARTS | {Artifact, LiteratureWatch, WatchedWork},
    writes=frozenset({WatchedWork}),
    batch=20,
    once="waiting",
    entry=True,
    purpose="brings the search index up to date",
)
_READ_TOGETHER: Final = 100
"""Works whose stored texts are in memory at a time."""


async def index_works(
    jobs: Sequence[WorksJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Write the works to the index, take out aliases, and note what watches have found."""
    index = services.share(share_index).index
    asked = {doc_id for job in jobs for doc_id in job.doc_ids}
    works = await read_works(read, asked)
    texts = await read.find_where(FullText, "doc_id", {each for w in works for each in w.ids})
    artifacts = await read.get_many(Artifact, {text.artifact_id for text in texts})
    by_doc = {text.doc_id: text for text in texts}
    entries: list[IndexedWork] = []
    for at in range(0, len(works), _READ_TOGETHER):
        chosen = [
            (work, choose_text(work, [by_doc[each] for each in work.ids if each in by_doc]))
            for work in works[at : at + _READ_TOGETHER]
        ]
        entries += await _build_entries(chosen, artifacts, index.embedder, read)
    aliases = {each for work in works for each in work.ids} | asked
    aliases -= {work.doc_id for work in works}
    await asyncio.to_thread(index.update, entries, removed=aliases)
    hits = await find_hits(entries, read)
    return [Outcome(records=tuple(hits)), *(Outcome() for _ in jobs[1:])]


async def _build_entries(
    works: Sequence[tuple[Work, FullText | None]],
    artifacts: Mapping[str, Artifact],
    embedder: Embedder,
    read: Reader,
) -> list[IndexedWork]:
    """Works as the index holds them, each with its text."""
    hashes = {
        text.doc_id: (
            artifacts[text.artifact_id].content_hash,
            text.passages_hash,
            text.vectors_hash,
        )
        for _, text in works
        if text is not None
    }
    stored = await read.blobs(each for of_text in hashes.values() for each in of_text)
    entries = []
    for work, text in works:
        if text is None:
            entries.append(build_entry(work, embedder))
            continue
        whole, passages, vectors = (stored[each] for each in hashes[text.doc_id])
        entries.append(build_entry(work, embedder, text, whole.decode(), passages, vectors))
    return entries
