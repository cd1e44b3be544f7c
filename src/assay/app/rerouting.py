"""Routes stored documents to packs that began to watch their source; nothing is fetched again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from assay.engine.jobs import NewJob
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.model.records import Source
from assay.spine.handoffs import packs_of
from assay.spine.payloads import ScoutJob
from assay.spine.routing import RouteTarget
from assay.store import candidates
from assay.store import tables as t
from assay.store.bulk import CHUNK

_MOST_DOCUMENTS = 50_000
"""The most that one run routes again; the next run continues."""
_DONE_WITH = (CandidateState.SKIPPED, CandidateState.READY, CandidateState.INGESTED)
"""A blocked document is routed again anyway, for all packs of its source."""


def plan_rerouting(connection: sa.Connection, run_id: str, now_ms: int) -> list[NewJob]:
    """Queue the documents for which a pack that watches their source has no decision yet.

    Scout judges them for that pack, and only that pack gets them; what other packs made of them
    stays.
    """
    jobs: list[NewJob] = []
    for packs, slugs in _group_watched_sources(connection).items():
        for start in range(0, len(slugs), CHUNK):
            most = _MOST_DOCUMENTS - len(jobs)
            found = _find_undecided(connection, packs, slugs[start : start + CHUNK], most)
            _reopen_documents(connection, found, now_ms)
            decided = _find_decided(connection, [row["evidence_id"] for row in found])
            jobs += [
                NewJob("scout", _build_scout_job(row, packs, decided[row["evidence_id"]]), run_id)
                for row in found
            ]
    return jobs


def _group_watched_sources(connection: sa.Connection) -> dict[tuple[str, ...], list[str]]:
    """packs → the sources that they watch."""
    watched = sa.select(t.source).where(t.source.c.active.is_(True))
    rows = connection.execute(watched.order_by(t.source.c.source_slug)).mappings()
    found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for source in (Source.from_row(dict(row)) for row in rows):
        if packs := packs_of(source):
            found[packs].append(source.source_slug)
    return found


def _find_undecided(
    connection: sa.Connection, packs: Sequence[str], slugs: Sequence[str], most: int
) -> Sequence[Mapping[str, object]]:
    """Documents that were routed, but not for each of these packs."""
    decision = t.routing_decision
    of_evidence = decision.c.evidence_id == t.evidence.c.evidence_id
    for_packs = (
        sa.select(sa.func.count())
        .where(of_evidence, decision.c.pack.in_(packs))
        .correlate(t.evidence)
        .scalar_subquery()
    )
    # A decision for no pack stands for all, unless it says that there was none.
    none_watched = decision.c.decision == RouteTarget.NO_PACK.value
    for_all = sa.exists().where(of_evidence, decision.c.pack == "", ~none_watched)
    query = (
        sa.select(t.candidate, t.evidence.c.source_slug)
        .join(t.evidence, t.evidence.c.evidence_id == t.candidate.c.evidence_id)
        .where(
            t.candidate.c.state.in_([state.value for state in _DONE_WITH]),
            t.evidence.c.source_slug.in_(slugs),
            sa.exists().where(of_evidence),
            for_packs < len(packs),
            ~for_all,
        )
        .order_by(t.candidate.c.doc_id)
        .limit(max(0, most))
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _reopen_documents(
    connection: sa.Connection, found: Iterable[Mapping[str, object]], now_ms: int
) -> None:
    moves = [
        Move(
            str(row["doc_id"]),
            CandidateState.READY,
            "a pack watches its source now",
            evidence_id=str(row["evidence_id"]),
            only_from=CandidateState(str(row["state"])),
        )
        for row in found
    ]
    candidates.move_candidates(connection, moves, RetryPolicy(), now_ms)


def _find_decided(
    connection: sa.Connection, evidence_ids: Sequence[object]
) -> defaultdict[object, set[str]]:
    """evidence → the packs for which it was routed."""
    found: defaultdict[object, set[str]] = defaultdict(set)
    decision = t.routing_decision
    for start in range(0, len(evidence_ids), CHUNK):
        some = decision.c.evidence_id.in_(evidence_ids[start : start + CHUNK])
        rows = connection.execute(sa.select(decision.c.evidence_id, decision.c.pack).where(some))
        for row in rows:
            found[row.evidence_id].add(row.pack)
    return found


def _build_scout_job(
    row: Mapping[str, object], packs: Sequence[str], decided: set[str]
) -> ScoutJob:
    return ScoutJob(
        evidence_id=str(row["evidence_id"]),
        source=str(row["source_slug"]),
        visit=int(str(row["event_count"])) + 1,
        newcomers=tuple(pack for pack in packs if pack not in decided),
    )
