"""Questions for people, what they are about, and the service that answers them."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App, RowPage
from assay.app.rule_queries import list_similar_rules
from assay.errors import NotFound
from assay.model.records import Artifact, ReviewRequest
from assay.model.rules import Conflict, ReviewDecision, Rule, SourcePointer
from assay.ruling.review.judgement import RuleCase, make_evidence_key
from assay.ruling.review.lookup import read_case, read_dispute, read_request, read_rows
from assay.ruling.review.questions import describe_rule
from assay.ruling.review.service import ReviewService
from assay.ruling.rules.authority import LOWEST, authority_of
from assay.store import tables as t
from assay.store import truth
from assay.store.counts import count_by
from assay.store.database import explain_errors

OPEN = "OPEN"
_CONTEXT = 160
"""Characters of text shown on either side of a quote."""


def build_review_service(app: App) -> ReviewService:
    """Build the service through which people decide about the rules of this store."""
    two_people = frozenset(app.settings.two_people)
    return ReviewService(app.engine, app.facts, app.clock.now_ms(), two_people)


def list_open_requests(
    app: App, *, limit: int | None = None, tier: str | None = None, overdue: bool = False
) -> RowPage:
    """Open questions, most urgent first, and how many were left out.

    `tier` is that of the rule, or of the most critical of several rules. `overdue` leaves out
    questions that are not yet due.
    """
    asked, now_ms = t.review_request, app.clock.now_ms()
    graver = tier_of(asked)
    query = sa.select(asked, graver.label("tier")).where(asked.c.state == OPEN)
    if tier is not None:
        query = query.where(graver == tier)
    if overdue:
        query = query.where(asked.c.deadline_ms < now_ms)
    query = query.order_by(asked.c.deadline_ms, asked.c.request_id)
    found, left_out = app.fetch_page(query, limit)
    for row in found:
        row["overdue"] = row["deadline_ms"] < now_ms
    return found, left_out


def count_open_requests(app: App) -> dict[str, int]:
    """Reasons to ask a person, and how many open questions each has."""
    asked = t.review_request.c
    return app.read(lambda connection: count_by(connection, asked.reason, asked.state == OPEN))


def tier_of(asked: sa.Table) -> sa.ColumnElement[Any]:
    """The tier of a question's rule; for a conflict, the most critical of all, which sorts
    first."""
    rule, side = truth.rule, truth.conflict_side
    of_rule = sa.select(rule.c.tier).where(rule.c.rule_id == asked.c.subject)
    of_conflict = (
        sa.select(sa.func.min(rule.c.tier))
        .join_from(side, rule, rule.c.rule_id == side.c.rule_id)
        .where(side.c.conflict_id == asked.c.subject, side.c.holds)
    )
    return sa.func.coalesce(
        of_rule.correlate(asked).scalar_subquery(), of_conflict.correlate(asked).scalar_subquery()
    )


def find_subject(app: App, name: str) -> tuple[str, str, str | None]:
    """What an id refers to: the subject's kind and id, and the question if the id is one."""
    with explain_errors(), app.engine.connect() as connection:
        requests = read_rows(connection, ReviewRequest, "request_id", [name])
        if requests:
            return requests[0].subject_kind, requests[0].subject, name
        if read_rows(connection, Rule, "rule_id", [name]):
            return "rule", name, None
        if read_rows(connection, Conflict, "conflict_id", [name]):
            return "conflict", name, None
    raise NotFound(
        f"There is no question, rule or conflict {name}.",
        advice="'assay review list' lists the questions, 'assay rules list' the rules.",
    )


def describe_rule_for_review(app: App, rule_id: str) -> dict[str, Any]:
    """What a person needs to decide on a rule: both versions, quotes in context, the history."""
    packs = app.facts
    with explain_errors(), app.engine.connect() as connection:
        case = read_case(connection, rule_id, packs)
        artifacts = _load_artifacts(connection, case.pointers)
        similar = list_similar_rules(connection, case.rule.row())
    pack = packs.get(case.rule.pack)
    return {
        **case.rule.row(),
        "says": describe_rule(case.rule, pack.fields if pack else None),
        "evidence_key": make_evidence_key(case.pointers),
        "quotes": [_describe_quote(app, pointer, case, artifacts) for pointer in case.pointers],
        "conflict": None if case.conflict is None else case.conflict.row(),
        "decisions": [_describe_decision(d) for d in sorted(case.decisions, key=lambda d: d.at_ms)],
        "similar": similar,
        "requests": [request.row() for request in case.requests if request.state == OPEN],
    }


def load_request(app: App, request_id: str) -> dict[str, Any]:
    """A question that is neither about a rule nor about a conflict."""
    with explain_errors(), app.engine.connect() as connection:
        return read_request(connection, request_id).row()


def list_conflicts(app: App, *, limit: int | None = None, everything: bool = False) -> RowPage:
    """Waiting conflicts, or all of them, with their number of sides, and how many were left out."""
    table, side = truth.conflict, truth.conflict_side
    sides = (
        sa.select(sa.func.count())
        .where(side.c.conflict_id == table.c.conflict_id, side.c.holds)
        .scalar_subquery()
    )
    query = sa.select(table, sides.label("sides"))
    if not everything:
        query = query.where(table.c.state.in_(("OPEN", "ESCALATED")))
    return app.fetch_page(query.order_by(table.c.concept, table.c.conflict_id), limit)


def describe_conflict(app: App, conflict_id: str) -> dict[str, Any]:
    """Rules that cannot all apply, with their quotes and the decisions so far."""
    packs = app.facts
    with explain_errors(), app.engine.connect() as connection:
        dispute = read_dispute(connection, conflict_id, packs)
        pointers = [pointer for case in dispute.cases.values() for pointer in case.pointers]
        artifacts = _load_artifacts(connection, pointers)
    return {
        **dispute.conflict.row(),
        "sides": [
            {
                **_describe_side(app, dispute.cases[side.rule_id], artifacts, packs),
                "contested": side.contested,
                "gave_way_to": side.gave_way_to,
            }
            for side in dispute.sides
        ],
        "resolutions": [
            resolution.row()
            for resolution in sorted(dispute.resolutions, key=lambda r: (r.at_ms, r.resolution_id))
        ],
    }


def _describe_side(
    app: App, case: RuleCase, artifacts: Mapping[str, Artifact], packs: Mapping[str, Any]
) -> dict[str, Any]:
    pack = packs.get(case.rule.pack)
    return {
        **case.rule.row(),
        "says": describe_rule(case.rule, pack.fields if pack else None),
        "quotes": [_describe_quote(app, pointer, case, artifacts) for pointer in case.pointers],
    }


def _load_artifacts(
    connection: sa.Connection, pointers: Sequence[SourcePointer]
) -> dict[str, Artifact]:
    artifact_ids = {pointer.artifact_id for pointer in pointers}
    found = read_rows(connection, Artifact, "artifact_id", artifact_ids)
    return {artifact.artifact_id: artifact for artifact in found}


def _describe_quote(
    app: App, pointer: SourcePointer, case: RuleCase, artifacts: Mapping[str, Artifact]
) -> dict[str, Any]:
    source = case.sources.get(pointer.source_slug)
    before, after = _read_context(app, pointer, artifacts.get(pointer.artifact_id))
    return {
        "source": pointer.source_slug,
        "authority": authority_of(LOWEST if source is None else source.hierarchy).name,
        "evidence_id": pointer.evidence_id,
        "article": pointer.article,
        "page": pointer.page,
        "start": pointer.start,
        "end": pointer.end,
        "confidence": pointer.confidence,
        "before": before,
        "quote": pointer.quote,
        "after": after,
    }


def _read_context(app: App, pointer: SourcePointer, artifact: Artifact | None) -> tuple[str, str]:
    """The text on either side of a quote, if it is stored."""
    if artifact is None or artifact.content_hash not in app.blobs:
        return "", ""
    text = app.blobs.get(artifact.content_hash).decode("utf-8", "replace")
    if text[pointer.start : pointer.end] != pointer.quote:
        # The quote is shown as stored; 'assay release verify' reports what is wrong.
        return "", ""
    before = text[max(0, pointer.start - _CONTEXT) : pointer.start]
    return before, text[pointer.end : pointer.end + _CONTEXT]


def _describe_decision(decision: ReviewDecision) -> dict[str, Any]:
    row = decision.row()
    # The keys of the quotes are for programs.
    row["machine"] = {k: v for k, v in row["machine"].items() if k != "quotes"}
    return row
