"""Acts as a person: decides what waits, with the functions that `assay review` calls.

Nothing here approves on its own. Every decision is made by the demo, or by an evaluation, in the
name of a person it invents and names.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from assay.app import App
from assay.app.reviewing import build_review_service
from assay.model.rules import ConflictState, RuleStatus
from assay.ruling.review.conflicts import resolve_conflict
from assay.ruling.review.decisions import approve_rule
from assay.ruling.review.judgement import RuleCase
from assay.ruling.review.lookup import read_case
from assay.ruling.review.service import Reviewer
from assay.sdk.demo import DemoReviewer
from assay.store import truth
from assay.store.database import explain_errors

EVALUATOR = DemoReviewer("evaluation", lambda case: None)
"""Approves everything."""


@dataclass(frozen=True, slots=True)
class UndecidedReview:
    """Something that the person did not decide."""

    kind: str
    """rule or conflict"""
    subject: str
    concept: str
    tier: str
    why: str


@dataclass(frozen=True)
class ReviewRound:
    """What a person decided in one session."""

    person: str
    resolved: tuple[str, ...]
    """Conflicts, decided as the machine recommended."""
    approved: tuple[str, ...]
    """Rules."""
    left: tuple[UndecidedReview, ...]
    """What is still waiting."""


def decide_reviews(
    app: App, pack: str, reviewer: DemoReviewer, stop: threading.Event | None = None
) -> ReviewRound:
    """Decide the pack's conflicts that have a recommendation, then its waiting rules.

    They are decided in the order of their ids: after an interruption it continues where it stopped.
    """
    stop = stop or threading.Event()
    resolved: list[str] = []
    approved: list[str] = []
    while True:
        before = len(resolved) + len(approved)
        left = tuple(_decide_once(app, pack, reviewer, stop, resolved, approved))
        # A decision may affect other rules, which leaves more to decide.
        if stop.is_set() or len(resolved) + len(approved) == before:
            return ReviewRound(reviewer.name, tuple(resolved), tuple(approved), left)


def _decide_once(
    app: App,
    pack: str,
    reviewer: DemoReviewer,
    stop: threading.Event,
    resolved: list[str],
    approved: list[str],
) -> Iterator[UndecidedReview]:
    """Go through everything that waits once; yield what is left."""
    by = Reviewer(person=reviewer.name)
    for key, concept, recommendation in _find_conflicts(app, pack):
        if stop.is_set():
            return
        if recommendation is None:
            yield UndecidedReview("conflict", key, concept, "", "nothing decides between its rules")
            continue
        resolve_conflict(build_review_service(app), key, recommendation, by)
        resolved.append(key)
    for rule_id in _list_waiting_rules(app, pack):
        if stop.is_set():
            return
        with explain_errors(), app.engine.connect() as connection:
            case = read_case(connection, rule_id, app.facts)
        why = _find_contradiction(case) or reviewer.find_objection(case)
        if why is not None:
            yield UndecidedReview("rule", rule_id, case.rule.concept, case.rule.tier, why)
            continue
        approve_rule(build_review_service(app), rule_id, by)
        approved.append(rule_id)


def _find_contradiction(case: RuleCase) -> str | None:
    return "it has an undecided conflict" if case.undecided_conflict else None


def _find_conflicts(app: App, pack: str) -> Iterator[tuple[str, str, str | None]]:
    """Conflicts that wait for a person, with what the machine recommends.

    Each is queried separately: a decision may settle the next conflict as well.
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
        with explain_errors(), app.engine.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            return
        last = row.conflict_id
        yield row.conflict_id, row.concept, row.recommendation


def _list_waiting_rules(app: App, pack: str) -> list[str]:
    """Rules that wait for a person."""
    table = truth.rule
    query = (
        sa.select(table.c.rule_id)
        .where(table.c.pack == pack, table.c.status == RuleStatus.PENDING_REVIEW.value)
        .order_by(table.c.rule_id)
    )
    with explain_errors(), app.engine.connect() as connection:
        return list(connection.execute(query).scalars())
