"""Watches: queries whose new matches are reported."""

from collections.abc import Sequence
from typing import Any, Final

from assay.packs.literature.index import IndexedWork, SearchFilters
from assay.packs.literature.index.database import fold_name
from assay.packs.literature.records import LiteratureWatch, WatchedWork
from assay.packs.literature.vectors import MOST_CHARACTERS, split_words
from assay.packs.literature.works import load_works
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import AtLeast, derive_id
from assay.sdk.services import Services
from assay.sdk.stages import Reader

_LEAST_SHARE: Final = 0.75
"""A work matches if it has at least this share of the query's words."""
_STEM: Final = 6


async def find_hits(entries: Sequence[IndexedWork], read: Reader) -> list[WatchedWork]:
    """The works among these that match a watch for the first time."""
    watches = await read.find_all(LiteratureWatch, {"is_active": True})
    hits = []
    words = [_list_stems(_join_texts(entry)) for entry in entries] if watches else []
    for watch in watches:
        wanted, filters = _list_stems(watch.query), SearchFilters(**watch.filters)
        found = {
            entry.doc_id: len(wanted & stems) / len(wanted)
            for entry, stems in zip(entries, words, strict=True)
            if wanted and _is_allowed(entry, filters)
        }
        known = await read.find_where(
            WatchedWork, "doc_id", found, beside={"watch_id": watch.watch_id}
        )
        hits += [
            WatchedWork(watch_id=watch.watch_id, doc_id=doc_id, score=share, found_ms=read.now_ms)
            for doc_id, share in found.items()
            if share >= _LEAST_SHARE and doc_id not in {hit.doc_id for hit in known}
        ]
    return hits


def _is_allowed(work: IndexedWork, filters: SearchFilters) -> bool:
    """Whether a search with these filters may find a work."""
    year, venue = work.year, filters.venue
    names = [fold_name(author).split() for author in work.authors]
    wanted = fold_name(filters.author or "").split()
    return (
        (venue is None or fold_name(venue) == fold_name(work.venue))
        and (filters.year_from is None or (year is not None and year >= filters.year_from))
        and (filters.year_to is None or (year is not None and year <= filters.year_to))
        and (not wanted or any(set(wanted) <= set(name) for name in names))
        and (filters.source is None or filters.source in work.sources)
        and (filters.tier is None or filters.tier in work.tiers)
    )


def _join_texts(entry: IndexedWork) -> str:
    return "\n".join([entry.title, entry.abstract, *(each.text for each in entry.passages)])


def _list_stems(text: str) -> set[str]:
    """The beginnings of a text's words, so that a plural matches its singular."""
    return {
        word[:_STEM]
        for at in range(0, len(text), MOST_CHARACTERS)
        for word in split_words(text[at : at + MOST_CHARACTERS])
    }


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
