"""Index: brings the search index up to date with what is stored about works.

The index is derived from the store and can be built again at any time. Doing the same work twice
changes nothing in it, so a crash between writing to it and noting that does no harm.
"""

import asyncio
from collections.abc import Iterable, Sequence

from assay.packs.literature.index import IndexedPassage, IndexedWork, open_index
from assay.packs.literature.jobs import INDEX_STAGE, WorksJob
from assay.packs.literature.passages import decode_passages
from assay.packs.literature.records import FullText, LiteratureWatch, WatchedWork
from assay.packs.literature.watches import find_hits
from assay.packs.literature.works import WORK_PARTS, Work, read_works
from assay.sdk.records import Artifact
from assay.sdk.services import Services
from assay.sdk.stages import Outcome, QueueLimits, Reader, Result, Stage

INDEX = Stage(
    name=INDEX_STAGE,
    version=1,
    payload=WorksJob,
    queue=QueueLimits(concurrency=1),
    reads=WORK_PARTS | {Artifact, LiteratureWatch, WatchedWork},
    writes=frozenset({WatchedWork}),
    batch=10,
    once="waiting",
    entry=True,
    purpose="brings the search index up to date",
)


async def index_works(
    jobs: Sequence[WorksJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Write the works to the index, take out aliases, and note what watches have found."""
    asked = {doc_id for job in jobs for doc_id in job.doc_ids}
    works = await read_works(read, asked)
    texts = await read.find_where(FullText, "doc_id", {each for w in works for each in w.ids})
    entries = [await build_entry(work, texts, read) for work in works]
    gone = {each for work in works for each in work.ids} | asked
    gone -= {work.doc_id for work in works}
    index = services.share(open_index)
    await asyncio.to_thread(index.update, entries, remove=sorted(gone))
    hits = await find_hits([work.doc_id for work in works], read, index)
    return [Outcome(records=tuple(hits)), *(Outcome() for _ in jobs[1:])]


async def build_entry(work: Work, texts: Iterable[FullText], read: Reader) -> IndexedWork:
    """A work as the index holds it. Of several texts, that of the work's own document counts."""
    own = sorted(
        (text for text in texts if text.doc_id in work.ids),
        key=lambda text: (text.doc_id != work.doc_id, text.doc_id),
    )
    passages: list[IndexedPassage] = []
    vectors = b""
    if own:
        text = own[0]
        artifact = await read.get(Artifact, text.artifact_id)
        assert artifact is not None
        whole = (await read.blob(artifact.content_hash)).decode()
        spans = decode_passages(await read.blob(text.passages_hash))
        vectors = await read.blob(text.vectors_hash)
        passages = [
            IndexedPassage(
                text=whole[span.start : span.end],
                start=span.start,
                end=span.end,
                page=span.page,
                section=span.section,
                artifact_id=text.artifact_id,
            )
            for span in spans
        ]
    return IndexedWork(
        doc_id=work.doc_id,
        title=work.title,
        abstract=work.abstract,
        authors=work.authors,
        year=work.year,
        venue=work.venue,
        lists=work.lists,
        tiers=work.tiers,
        passages=tuple(passages),
        vectors=vectors,
    )
