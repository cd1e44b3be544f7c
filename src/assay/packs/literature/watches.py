"""Watches: queries whose new matches are reported."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from assay.packs.literature.index import LiteratureIndex, SearchFilters
from assay.packs.literature.records import LiteratureWatch, WatchedWork
from assay.packs.literature.works import load_works
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import AtLeast, derive_id
from assay.sdk.services import Services
from assay.sdk.stages import Reader

_LEAST_SHARE: Final = 0.5
"""A work matches if it has at least this share of the query's words."""


async def find_hits(
    doc_ids: Sequence[str], read: Reader, index: LiteratureIndex
) -> list[WatchedWork]:
    """The works among these that match a watch for the first time."""
    watches = await read.find_all(LiteratureWatch, {"is_active": True})
    hits = []
    for watch in watches:
        known = await read.find_where(
            WatchedWork, "doc_id", doc_ids, beside={"watch_id": watch.watch_id}
        )
        found = await asyncio.to_thread(
            index.match, watch.query, SearchFilters(**watch.filters), doc_ids
        )
        old = {hit.doc_id for hit in known}
        hits += [
            WatchedWork(watch_id=watch.watch_id, doc_id=doc_id, score=score, found_ms=read.now_ms)
            for doc_id, score in found.items()
            if doc_id not in old and score >= _LEAST_SHARE
        ]
    return hits


def add_watch(services: Services, query: str, filters: dict[str, Any]) -> dict[str, Any]:
    """Watch a query from now on."""
    if not query.strip():
        raise InvalidInput("The query is empty.", advice="Give the words to watch for.")
    watch = LiteratureWatch(
        watch_id=derive_id("watch", query, str(sorted(filters.items()))),
        query=query,
        filters=filters,
    )
    services.write_records([watch])
    return watch.model_dump()


def end_watch(services: Services, watch_id: str) -> dict[str, Any]:
    """Stop watching a query; what it found stays."""
    found = services.read_records(LiteratureWatch, watch_id=watch_id)
    if not found:
        raise NotFound(
            f"There is no watch '{watch_id}'.", advice="'assay literature watch list' shows all."
        )
    ended = found[0].model_copy(update={"is_active": False})
    services.write_records([ended])
    return ended.model_dump()


def list_watches(services: Services) -> list[dict[str, Any]]:
    """The watches, with the number of works that each has found."""
    counts = services.count_records_by(WatchedWork, "watch_id")
    return [
        {**watch.model_dump(), "hits": counts.get(watch.watch_id, 0)}
        for watch in services.read_records(LiteratureWatch)
    ]


def list_hits(services: Services, watch_id: str | None, since_ms: int) -> list[dict[str, Any]]:
    """What watches have found since then, the latest first."""
    where: dict[str, Any] = {"found_ms": AtLeast(since_ms)}
    if watch_id is not None:
        where["watch_id"] = watch_id
    hits = services.read_records(WatchedWork, **where)
    works = {each: work for work in load_works(services, {hit.doc_id for hit in hits})
             for each in work.ids}  # fmt: skip
    queries = {watch.watch_id: watch.query for watch in services.read_records(LiteratureWatch)}
    rows = [
        {
            "found_ms": hit.found_ms,
            "watch_id": hit.watch_id,
            "query": queries.get(hit.watch_id, ""),
            "doc_id": works[hit.doc_id].doc_id,
            "title": works[hit.doc_id].title,
            "year": works[hit.doc_id].year,
        }
        for hit in hits
        if hit.doc_id in works
    ]
    return sorted(rows, key=lambda row: (-int(str(row["found_ms"])), str(row["doc_id"])))
