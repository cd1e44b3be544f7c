"""What runs brought: new and changed documents, facts, rules and questions, and what waits."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.status import count_waiting, describe_waiting
from assay.events import DocumentChanged, DocumentGone, Event, EvidenceStored
from assay.model.facts import CandidateFact
from assay.store import tables as t
from assay.store import truth

_MOOT = "MOOT"


def summarize_runs(app: App, run_ids: Sequence[str]) -> dict[str, Any]:
    """What these runs brought, counted in the store, and what waits now, and why.

    Facts are those of the documents that the runs took facts from; rules and questions are those
    that arose while the runs were under way.
    """
    stages = sorted(s.name for s in app.pipeline.stages if CandidateFact in s.writes)
    found = app.read(lambda connection: _summarize(connection, list(run_ids), stages))
    waiting = app.read(count_waiting)
    return {
        **found,
        "waiting": [
            {"code": code, "reason": describe_waiting(code, app.settings), "documents": count}
            for code, count in waiting.items()
        ],
    }


def _summarize(connection: sa.Connection, run_ids: list[str], stages: list[str]) -> dict[str, Any]:
    def count(query: sa.Select[Any]) -> int:
        counted = sa.select(sa.func.count()).select_from(query.distinct().subquery())
        return int(connection.execute(counted).scalar_one())

    changed, stored = _select_doc_ids(DocumentChanged, run_ids), t.event.c.body["doc_id"]
    new = _select_doc_ids(EvidenceStored, run_ids).where(stored.as_string().not_in(changed))
    evidence = sa.select(t.job.c.payload["evidence_id"].as_string()).where(
        t.job.c.run_id.in_(run_ids), t.job.c.stage.in_(stages)
    )
    fact, rule, pointer, asked = (
        truth.candidate_fact, truth.rule, truth.source_pointer, t.review_request,
    )  # fmt: skip
    # From the documents to their rules, which are few, and not through all rules.
    documents = sa.select(t.evidence.c.doc_id).where(t.evidence.c.evidence_id.in_(evidence))
    supported = rule.c.rule_id.in_(
        sa.select(pointer.c.rule_id).where(
            pointer.c.doc_id.in_(documents), pointer.c.evidence_id.in_(evidence)
        )
    )
    return {
        "new": count(new),
        "changed": count(changed),
        "gone": count(_select_doc_ids(DocumentGone, run_ids)),
        "facts": count(sa.select(fact.c.fact_id).where(fact.c.evidence_id.in_(evidence))),
        "rules": count(
            sa.select(rule.c.rule_id).where(supported, _is_during(rule.c.created_ms, run_ids))
        ),
        "questions": count(
            sa.select(asked.c.request_id).where(
                asked.c.state != _MOOT, _is_during(asked.c.created_ms, run_ids)
            )
        ),
    }


def _select_doc_ids(event: type[Event], run_ids: list[str]) -> sa.Select[Any]:
    """The documents that events of one kind are about."""
    # SQLite must look among the events of these runs, not among those of this kind in all runs;
    # an expression keeps it from using the index of kinds.
    of_kind = t.event.c.run_id.in_(run_ids), t.event.c.tag.concat("") == event.tag
    return sa.select(t.event.c.body["doc_id"].as_string()).where(*of_kind)


def _is_during(moment: sa.Column[Any], run_ids: list[str]) -> sa.ColumnElement[bool]:
    """Whether it was while one of the runs was under way."""
    run = t.run
    return sa.exists().where(
        run.c.run_id.in_(run_ids),
        moment >= run.c.started_ms,
        sa.or_(run.c.ended_ms.is_(None), moment <= run.c.ended_ms),
    )
