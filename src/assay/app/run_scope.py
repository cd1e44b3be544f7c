"""What a run is limited to: some sources, some documents, or what has changed lately."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.documents import DocumentFilter, find_document, list_documents
from assay.app.runs import plan_looks
from assay.engine.contract import Payload
from assay.model.lifecycle import CandidateState
from assay.sources.portals import ENTRY_SCHEME
from assay.spine.payloads import FetchJob, RouterJob
from assay.store import tables as t
from assay.store.bulk import CHUNK


@dataclass(frozen=True)
class RunScope:
    """What a run is limited to; by default to nothing."""

    sources: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    since_ms: int | None = None

    @property
    def is_limited(self) -> bool:
        return bool(self.sources or self.documents or self.since_ms is not None)

    def params(self) -> dict[str, Any]:
        """What the run records of it."""
        given = {
            "sources": list(self.sources),
            "documents": list(self.documents),
            "since_ms": self.since_ms,
        }
        return {name: value for name, value in given.items() if value not in ([], None)}


def plan_scope(app: App, scope: RunScope) -> list[tuple[str, Payload]] | None:
    """The first jobs of a run with this scope; None for one that is not limited.

    Sources alone are looked at. Documents, named or recently changed, are fetched again, and those
    that wait are routed again; no listing is read.
    """
    if not scope.is_limited:
        return None
    if not scope.documents and scope.since_ms is None:
        return plan_looks(app, scope.sources)
    return list(_plan_documents(app, _find_documents(app, scope)))


def _find_documents(app: App, scope: RunScope) -> list[str]:
    named = [find_document(app, given) for given in scope.documents]
    if scope.since_ms is None and not scope.sources:
        return list(dict.fromkeys(named))
    wanted = [
        DocumentFilter(source=source, since_ms=scope.since_ms)
        for source in scope.sources or (None,)
    ]
    found = [
        str(entry["doc_id"]) for each in wanted for entry in list_documents(app, each).documents
    ]
    return [doc_id for doc_id in found if not named or doc_id in named]


def _plan_documents(app: App, doc_ids: Sequence[str]) -> Iterator[tuple[str, Payload]]:
    item, candidate, evidence = t.item, t.candidate, t.evidence
    for start in range(0, len(doc_ids), CHUNK):
        some = doc_ids[start : start + CHUNK]
        items = sa.select(item.c.item_id, item.c.source_slug, item.c.url).where(
            item.c.doc_id.in_(some), ~item.c.url.startswith(f"{ENTRY_SCHEME}://")
        )
        for row in app.fetch_rows(items.order_by(item.c.item_id)):
            yield (
                "fetch",
                FetchJob(item_id=row["item_id"], source=row["source_slug"], url=row["url"]),
            )
        waiting = (
            sa.select(candidate.c.evidence_id, candidate.c.event_count, evidence.c.source_slug)
            .join(evidence, evidence.c.evidence_id == candidate.c.evidence_id)
            .where(
                candidate.c.doc_id.in_(some),
                candidate.c.state == CandidateState.BLOCKED.value,
                sa.exists().where(t.scout_result.c.evidence_id == candidate.c.evidence_id),
            )
            .order_by(candidate.c.doc_id)
        )
        for row in app.fetch_rows(waiting):
            yield (
                "router",
                # Each block adds an event to the candidate, which makes each return a separate job.
                RouterJob(
                    evidence_id=row["evidence_id"],
                    source=row["source_slug"],
                    visit=row["event_count"],
                ),
            )
