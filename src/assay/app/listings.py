"""The lists of the API, page by page, each in an order that an index has."""

from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.keyset import KeysetPage, Place, SortKey, fetch_keyset
from assay.app.rule_queries import select_concepts
from assay.store import tables as t
from assay.store import truth


def page_documents(
    app: App, after: Place | None, limit: int, *, source: str | None, state: str | None
) -> KeysetPage:
    """Documents by their id, with their state."""
    document, candidate = t.document, t.candidate
    query = sa.select(document, candidate.c.state, candidate.c.evidence_id).outerjoin(
        candidate, candidate.c.doc_id == document.c.doc_id
    )
    query = _filter(query, {document.c.source_slug: source, candidate.c.state: state})
    return fetch_keyset(app, query, [SortKey(document.c.doc_id)], after, limit)


def page_facts(
    app: App,
    after: Place | None,
    limit: int,
    *,
    concept: str | None,
    source: str | None,
    evidence_id: str | None,
) -> KeysetPage:
    """Facts by their id; `concept` is any name of one."""
    fact = truth.candidate_fact
    query = _filter(sa.select(fact), {fact.c.source_slug: source, fact.c.evidence_id: evidence_id})
    if concept is not None:
        query = query.where(fact.c.concept.in_(select_concepts(app, fact, concept)))
    return fetch_keyset(app, query, [SortKey(fact.c.fact_id)], after, limit)


def page_questions(
    app: App, after: Place | None, limit: int, *, state: str, kind: str | None
) -> KeysetPage:
    """Questions in one state, the most urgent first."""
    asked = t.review_request
    query = _filter(sa.select(asked), {asked.c.state: state, asked.c.subject_kind: kind})
    keys = [SortKey(asked.c.deadline_ms), SortKey(asked.c.request_id)]
    return fetch_keyset(app, query, keys, after, limit)


def page_conflicts(app: App, after: Place | None, limit: int, *, state: str | None) -> KeysetPage:
    """Conflicts by their id."""
    conflict = truth.conflict
    query = _filter(sa.select(conflict), {conflict.c.state: state})
    return fetch_keyset(app, query, [SortKey(conflict.c.conflict_id)], after, limit)


def page_runs(app: App, after: Place | None, limit: int) -> KeysetPage:
    """Runs, newest first."""
    keys = [SortKey(t.run.c.started_ms, descending=True), SortKey(t.run.c.run_id)]
    return fetch_keyset(app, sa.select(t.run), keys, after, limit)


def page_jobs(
    app: App,
    after: Place | None,
    limit: int,
    *,
    stage: str | None,
    state: str | None,
    run_id: str | None,
) -> KeysetPage:
    """Jobs by their id."""
    job = t.job
    query = _filter(sa.select(job), {job.c.stage: stage, job.c.state: state, job.c.run_id: run_id})
    return fetch_keyset(app, query, [SortKey(job.c.job_id)], after, limit)


def page_dead_letters(
    app: App, after: Place | None, limit: int, *, stage: str | None
) -> KeysetPage:
    """Dead letters by the id of their job."""
    letter = t.dead_letter
    query = _filter(sa.select(letter), {letter.c.stage: stage})
    return fetch_keyset(app, query, [SortKey(letter.c.job_id)], after, limit)


def _filter(query: sa.Select[Any], wanted: dict[sa.Column[Any], str | None]) -> sa.Select[Any]:
    return query.where(*(column == value for column, value in wanted.items() if value is not None))
