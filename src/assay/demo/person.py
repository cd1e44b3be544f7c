"""Acting as a person: what waits is decided by the functions that `assay review` calls.

Nothing here approves by itself. Every decision is one that the demo, or an evaluation, makes in the
name of a person whom it invents and names.
"""

import threading
from collections.abc import Callable, Iterator
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
from assay.store import truth
from assay.store.database import plain_errors

REVIEWER = "Ana (demo reviewer)"
EVALUATOR = "evaluation"
_LOWEST_RANK = 5
"""The lowest rank of a source whose word alone is enough for the demo's reviewer."""

Hesitation = Callable[[Case], str | None]
"""Why a person leaves a rule waiting; None where the person approves it."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something that the person did not decide."""

    kind: str
    """rule or conflict"""
    subject: str
    concept: str
    tier: str
    why: str


@dataclass(frozen=True)
class Decided:
    """What a person decided in one sitting."""

    person: str
    resolved: tuple[str, ...]
    """Conflicts, decided as the machine recommended."""
    approved: tuple[str, ...]
    """Rules."""
    left: tuple[Left, ...]
    """What waits on: this sitting changed nothing about it."""


def cautious(case: Case) -> str | None:
    """The demo's reviewer does not believe a portal or a newspaper that nobody bears out."""
    ranks = [case.sources[p.source_slug].hierarchy for p in case.pointers]
    if min(ranks, default=_LOWEST_RANK + 1) <= _LOWEST_RANK:
        return None
    names = sorted({case.sources[p.source_slug].name for p in case.pointers})
    return f"only {' and '.join(names)} says so" if names else "no document says so any more"


def agreeing(case: Case) -> str | None:
    """Approves whatever is asked."""
    return None


def decide(
    app: App, person: str, hesitation: Hesitation, stop: threading.Event | None = None
) -> Decided:
    """Decide the conflicts that have a recommendation, then the rules that wait.

    The order is that of their ids, so that whoever is interrupted goes on where it ended.
    """
    stop = stop or threading.Event()
    by = By(person=person)
    resolved: list[str] = []
    approved: list[str] = []
    while True:
        before = len(resolved) + len(approved)
        left = tuple(_sit(app, by, hesitation, stop, resolved, approved))
        # A decision may let another rule stand or fall, so that there is more to decide.
        if stop.is_set() or len(resolved) + len(approved) == before:
            return Decided(person, tuple(resolved), tuple(approved), left)


def _sit(
    app: App,
    by: By,
    hesitation: Hesitation,
    stop: threading.Event,
    resolved: list[str],
    approved: list[str],
) -> Iterator[Left]:
    """Once through all that waits; gives what is left."""
    for key, concept, recommendation in _conflicts(app):
        if stop.is_set():
            return
        if recommendation is None:
            yield Left("conflict", key, concept, "", "nothing tells the two apart")
            continue
        resolve_conflict(review_service(app), key, recommendation, by)
        resolved.append(key)
    for rule_id in _waiting(app):
        if stop.is_set():
            return
        case = _case(app, rule_id)
        why = _contradiction(case) or hesitation(case)
        if why is not None:
            yield Left("rule", rule_id, case.rule.concept, case.rule.tier, why)
            continue
        approve_rule(review_service(app), rule_id, by)
        approved.append(rule_id)


def _case(app: App, rule_id: str) -> Case:
    with plain_errors(), app.engine.connect() as connection:
        return case_in(connection, rule_id, app.facts)


def _contradiction(case: Case) -> str | None:
    return "it is contradicted, and nobody has decided" if case.undecided else None


def _conflicts(app: App) -> Iterator[tuple[str, str, str | None]]:
    """Conflicts that wait for a person, with the rule that the machine recommends.

    Each is looked for anew: a decision may settle the next conflict as well.
    """
    table = truth.conflict
    last = ""
    while True:
        query = (
            sa.select(table.c.conflict_id, table.c.concept, table.c.recommendation)
            .where(table.c.state == ConflictState.ESCALATED.value, table.c.conflict_id > last)
            .order_by(table.c.conflict_id)
            .limit(1)
        )
        with plain_errors(), app.engine.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            return
        last = row.conflict_id
        yield row.conflict_id, row.concept, row.recommendation


def _waiting(app: App) -> list[str]:
    """Rules that wait for a person."""
    table = truth.rule
    query = (
        sa.select(table.c.rule_id)
        .where(table.c.status == RuleStatus.PENDING_REVIEW.value)
        .order_by(table.c.rule_id)
    )
    with plain_errors(), app.engine.connect() as connection:
        return list(connection.execute(query).scalars())
