"""Acting as a person: what waits is decided by the functions that `assay review` calls.

Nothing here approves by itself. Every decision is one that the demo, or an evaluation, makes in the
name of a person whom it invents and names.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from assay.app import App
from assay.app.reviewing import review_service
from assay.model.rules import ConflictState, RuleStatus
from assay.ruling.review.conflicts import resolve_conflict
from assay.ruling.review.decisions import approve_rule
from assay.ruling.review.judgement import Case
from assay.ruling.review.lookup import case_in
from assay.ruling.review.service import By
from assay.sdk.demo import DemoReviewer
from assay.store import truth
from assay.store.database import plain_errors

EVALUATOR = DemoReviewer("evaluation", lambda case: None)
"""Approves whatever is asked."""


@dataclass(frozen=True, slots=True)
class LeftWaiting:
    """Something that the person did not decide."""

    kind: str
    """rule or conflict"""
    subject: str
    concept: str
    tier: str
    why: str


@dataclass(frozen=True)
class DecidedReviews:
    """What a person decided at one go."""

    person: str
    resolved: tuple[str, ...]
    """Conflicts, decided as the machine recommended."""
    approved: tuple[str, ...]
    """Rules."""
    left: tuple[LeftWaiting, ...]
    """What still waits."""


def decide_reviews(
    app: App, pack: str, reviewer: DemoReviewer, stop: threading.Event | None = None
) -> DecidedReviews:
    """Decide the pack's conflicts that have a recommendation, then its rules that wait.

    The order is that of their ids: after an interruption it goes on where it ended.
    """
    stop = stop or threading.Event()
    resolved: list[str] = []
    approved: list[str] = []
    while True:
        before = len(resolved) + len(approved)
        left = tuple(_decide_once(app, pack, reviewer, stop, resolved, approved))
        # A decision may let another rule stand or fall, which leaves more to decide.
        if stop.is_set() or len(resolved) + len(approved) == before:
            return DecidedReviews(reviewer.name, tuple(resolved), tuple(approved), left)


def _decide_once(
    app: App,
    pack: str,
    reviewer: DemoReviewer,
    stop: threading.Event,
    resolved: list[str],
    approved: list[str],
) -> Iterator[LeftWaiting]:
    """Once through all that waits; gives what is left."""
    by = By(person=reviewer.name)
    for key, concept, recommendation in _conflicts(app, pack):
        if stop.is_set():
            return
        if recommendation is None:
            yield LeftWaiting("conflict", key, concept, "", "nothing tells the two apart")
            continue
        resolve_conflict(review_service(app), key, recommendation, by)
        resolved.append(key)
    for rule_id in _waiting_rules(app, pack):
        if stop.is_set():
            return
        case = _case(app, rule_id)
        why = _contradiction(case) or reviewer.find_objection(case)
        if why is not None:
            yield LeftWaiting("rule", rule_id, case.rule.concept, case.rule.tier, why)
            continue
        approve_rule(review_service(app), rule_id, by)
        approved.append(rule_id)


def _case(app: App, rule_id: str) -> Case:
    with plain_errors(), app.engine.connect() as connection:
        return case_in(connection, rule_id, app.facts)


def _contradiction(case: Case) -> str | None:
    return "it is contradicted, and nobody has decided" if case.undecided_conflicts else None


def _conflicts(app: App, pack: str) -> Iterator[tuple[str, str, str | None]]:
    """Conflicts that wait for a person, with the rule that the machine recommends.

    Each is looked for anew: a decision may settle the next conflict as well.
    """
    table = truth.conflict
    last = ""
    while True:
        query = (
            sa.select(table.c.conflict_id, table.c.concept, table.c.recommendation)
            .where(
                table.c.pack == pack,
                table.c.state == ConflictState.ESCALATED.value,
                table.c.conflict_id > last,
            )
            .order_by(table.c.conflict_id)
            .limit(1)
        )
        with plain_errors(), app.engine.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            return
        last = row.conflict_id
        yield row.conflict_id, row.concept, row.recommendation


def _waiting_rules(app: App, pack: str) -> list[str]:
    """Rules that wait for a person."""
    table = truth.rule
    query = (
        sa.select(table.c.rule_id)
        .where(table.c.pack == pack, table.c.status == RuleStatus.PENDING_REVIEW.value)
        .order_by(table.c.rule_id)
    )
    with plain_errors(), app.engine.connect() as connection:
        return list(connection.execute(query).scalars())
