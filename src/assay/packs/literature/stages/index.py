"""Index: brings the search index up to date with what is stored about works.

The index is derived from the store and can be built again at any time. Doing the same work twice
changes nothing in it, so a crash between writing to it and noting that does no harm.
"""

import asyncio
from collections.abc import Sequence

from assay.packs.literature.jobs import INDEX_STAGE, WorksJob
from assay.packs.literature.records import FullText, LiteratureWatch, WatchedWork
from assay.packs.literature.searching import build_entry, choose_text, share_index
from assay.packs.literature.watches import find_hits
from assay.packs.literature.works import WORK_PARTS, read_works
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


async def index_works(
    jobs: Sequence[WorksJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Write the works to the index, take out aliases, and note what watches have found."""
    index = services.share(share_index).index
    asked = {doc_id for job in jobs for doc_id in job.doc_ids}
    works = await read_works(read, asked)
    texts = await read.find_where(FullText, "doc_id", {each for w in works for each in w.ids})
    artifacts = await read.get_many(Artifact, {text.artifact_id for text in texts})
    entries = []
    for work in works:
        text = choose_text(work, texts)
        if text is None:
            entries.append(build_entry(work, index.embedder))
            continue
        whole = (await read.blob(artifacts[text.artifact_id].content_hash)).decode()
        passages, vectors = await read.blob(text.passages_hash), await read.blob(text.vectors_hash)
        entries.append(build_entry(work, index.embedder, text, whole, passages, vectors))
    aliases = {each for work in works for each in work.ids} | asked
    aliases -= {work.doc_id for work in works}
    await asyncio.to_thread(index.update, entries, removed=aliases)
    hits = await find_hits(entries, read)
    return [Outcome(records=tuple(hits)), *(Outcome() for _ in jobs[1:])]
