"""Works related to a work: alike in words, or citing and cited together."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.packs.literature.index import LiteratureIndex, search_works
from assay.packs.literature.index.entries import NO_FILTERS, SearchFilters
from assay.packs.literature.vectors import split_words
from assay.sdk.errors import NotFound

_CITATIONS: Final = 0.4
"""How much shared citations count beside the words."""
_CONSIDERED: Final = 50


@dataclass(frozen=True, kw_only=True)
class RelatedWork:
    """A work that has to do with another."""

    doc_id: str
    score: float
    alike: float
    """How much its words are alike, as a share of the most similar work's."""
    shared: float
    """How many citations it shares, from 0 to 1."""


async def find_related(
    index: LiteratureIndex,
    doc_id: str,
    *,
    shared_citations: Mapping[str, float] | None = None,
    filters: SearchFilters = NO_FILTERS,
    limit: int = 10,
) -> list[RelatedWork]:
    """The works most related to a work, the most related first.

    `shared_citations` has for other works how much they share with it, from 0 to 1, such as the
    common references divided by the geometric mean of their numbers.
    """
    known = await asyncio.to_thread(index.read_work, doc_id)
    if known is None:
        raise NotFound(
            f"'{doc_id}' is not in the search index.",
            advice="Only works that were ingested or have a title are; check 'assay literature "
            f"show {doc_id}'.",
        )
    title, abstract = known
    text = f"{title} {title} {abstract}"
    alike = {}
    if split_words(text):
        hits = await search_works(index, text, filters=filters, limit=max(_CONSIDERED, 2 * limit))
        alike = {hit.doc_id: hit.score for hit in hits if hit.doc_id != doc_id}
    best = max(alike.values(), default=1.0)
    shared = dict(shared_citations or {})
    if filters != NO_FILTERS:
        # Only the index knows which works a filter lets through.
        shared = {each: share for each, share in shared.items() if each in alike}
    weight = _CITATIONS if shared else 0.0
    found = [
        RelatedWork(
            doc_id=each,
            score=(1.0 - weight) * alike.get(each, 0.0) / best + weight * shared.get(each, 0.0),
            alike=alike.get(each, 0.0) / best,
            shared=shared.get(each, 0.0),
        )
        for each in {*alike, *shared} - {doc_id}
    ]
    return sorted(found, key=lambda work: (-work.score, work.doc_id))[:limit]
