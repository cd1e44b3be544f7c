"""Open questions that one decision may answer together, because they look alike.

About rules: the same concept, reason and value; or the same document and pattern, which is the
same kind of statement with the same type of value. About anything else: the same reason, kind and
source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.quoted_passages import describe_passages
from assay.app.review_decisions import MOST_AT_ONCE
from assay.app.review_questions import describe_case
from assay.app.reviewing import OPEN
from assay.model.records import ReviewRequest
from assay.model.rules import Rule
from assay.ruling.review.judgement import make_case_version
from assay.ruling.review.lookup import read_request, read_rows, read_rule_rows
from assay.ruling.review.requests import make_request_version
from assay.ruling.review.rule_cases import build_case
from assay.store import tables as t
from assay.store import truth
from assay.store.database import explain_errors

_MOST_NEAR = 2_000
"""Of a document with more rules than that, only the first are compared."""


@dataclass(frozen=True, kw_only=True)
class SimilarQuestions:
    """Questions that look alike, in the order of their deadlines, the given one first."""

    total: int
    questions: tuple[dict[str, Any], ...]
    """Those that fit on one page."""


def count_similar(app: App, request_id: str) -> int:
    """How many other open questions look like this one."""
    with explain_errors(), app.engine.connect() as connection:
        found = _select_similar(connection, read_request(connection, request_id))
        count = sa.select(sa.func.count()).select_from(found.subquery())
        return int(connection.execute(count).scalar_one())


def list_similar_questions(
    app: App, request_id: str, *, limit: int = MOST_AT_ONCE
) -> SimilarQuestions:
    """A question and the open ones that look like it, each with its quotes."""
    with explain_errors(), app.engine.connect() as connection:
        request = read_request(connection, request_id)
        similar = _select_similar(connection, request)
        count = sa.select(sa.func.count()).select_from(similar.subquery())
        total = int(connection.execute(count).scalar_one())
        asked = t.review_request.c
        query = similar.order_by(asked.deadline_ms, asked.request_id).limit(limit - 1)
        others = [str(key) for key in connection.execute(query).scalars()]
        first = [request] if request.state == OPEN else []
        requests = first + read_rows(connection, ReviewRequest, "request_id", others)
        if request.subject_kind != "rule":
            shown = [
                {"request": each.row(), "version": make_request_version(each)} for each in requests
            ]
        else:
            shown = _describe_rules(app, connection, requests)
    return SimilarQuestions(total=total + len(first), questions=tuple(shown))


def _select_similar(connection: sa.Connection, request: ReviewRequest) -> sa.Select[Any]:
    asked = t.review_request.c
    query = sa.select(asked.request_id).where(
        asked.state == OPEN,
        asked.reason == request.reason,
        asked.subject_kind == request.subject_kind,
        asked.request_id != request.request_id,
    )
    if request.subject_kind == "rule":
        return query.where(asked.subject.in_(_select_similar_rules(connection, request.subject)))
    if request.subject_kind == "conflict":
        return query.where(sa.false())
    return query.where(asked.source_slug.is_not_distinct_from(request.source_slug))


def _select_similar_rules(connection: sa.Connection, rule_id: str) -> Sequence[str]:
    """The rules that say the same of the same concept, or something alike in the same document."""
    rule, pointer, concept = truth.rule.c, truth.source_pointer.c, truth.concept.c
    found = read_rows(connection, Rule, "rule_id", [rule_id])
    if not found:
        return []
    (own,) = found
    same = sa.select(rule.rule_id).where(rule.concept == own.concept, rule.value == own.value)
    # In two steps: SQLite would begin with all rules of the pack instead of those of the document.
    documents = sa.select(pointer.doc_id).where(pointer.rule_id == rule_id)
    on_page = sa.select(pointer.rule_id).where(pointer.doc_id.in_(documents)).distinct()
    near = [str(key) for key in connection.execute(on_page).scalars()]
    predicate = sa.select(concept.predicate).where(concept.concept == own.concept)
    of_kind = (
        sa.select(rule.rule_id)
        .join(truth.concept, concept.concept == rule.concept)
        .where(
            rule.rule_id.in_(near[:_MOST_NEAR]),
            rule.tier == own.tier,
            rule.value_type == own.value_type,
            rule.unit == own.unit,
            concept.predicate == predicate.scalar_subquery(),
        )
    )
    rows = connection.execute(sa.union(same, of_kind)).scalars()
    return [str(key) for key in rows if key != rule_id]


def _describe_rules(
    app: App, connection: sa.Connection, requests: Sequence[ReviewRequest]
) -> list[dict[str, Any]]:
    subjects = [request.subject for request in requests]
    rows = read_rule_rows(connection, read_rows(connection, Rule, "rule_id", subjects))
    cases = [build_case(subject, rows) for subject in subjects]
    pointers = [pointer for case in cases for pointer in case.pointers[:1]]
    passages = iter(describe_passages(app, connection, pointers, rows.sources))
    return [
        {
            "request": request.row(),
            "version": make_case_version(case),
            "rule": describe_case(app, case),
            "passage": next(passages) if case.pointers else None,
            "passages": len(case.pointers),
        }
        for request, case in zip(requests, cases, strict=True)
    ]
