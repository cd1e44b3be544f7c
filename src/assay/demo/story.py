"""What came of the demo: facts, rules, questions, conflicts, and answers from the release."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from assay.app import App
from assay.app.asking import Reply, ask
from assay.app.status import OPEN
from assay.demo.country import PACK
from assay.errors import NotFound
from assay.model.rules import Conflict, ConflictState, ReviewDecision
from assay.ruling.arbiter.arbitration import PERSON, side_of
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.review.judgement import Case
from assay.ruling.review.lookup import dispute_in
from assay.ruling.rules.readable import value_said
from assay.store import spending, truth
from assay.store import tables as t
from assay.store.database import plain_errors

_COUNTED: Final = {
    "documents": t.document,
    "facts": truth.candidate_fact,
    "rejected": truth.extraction_rejected,
    "rules": truth.rule,
    "pointers": truth.source_pointer,
    "conflicts": truth.conflict,
    "decisions": truth.review_decision,
    "releases": truth.release,
    "model_calls": spending.call,
}


@dataclass(frozen=True)
class Question:
    """What is asked of the release."""

    concept: str
    day: date
    situation: Mapping[str, object]

    @property
    def command(self) -> str:
        """The same for the command line."""
        told = "".join(f"{name}={value} " for name, value in self.situation.items())
        return f"ask --as-of {self.day} {told}{self.concept}"


QUESTIONS: Final = (
    Question("pdv.rate", date(2026, 6, 30), {}),
    Question("fiskalizacija.penalty_max", date(2026, 6, 30), {"taxpayer": "sole_trader"}),
)


def tally(app: App) -> dict[str, int]:
    """How many there are of each thing. A second run of the demo must not change it."""
    with plain_errors(), app.engine.connect() as connection:
        return {
            name: int(
                connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            )
            for name, table in _COUNTED.items()
        }


def rules_by_status(app: App) -> dict[str, dict[str, int]]:
    """status → tier → number of rules."""
    status, tier = truth.rule.c.status, truth.rule.c.tier
    query = sa.select(status, tier, sa.func.count()).group_by(status, tier).order_by(status, tier)
    found: dict[str, dict[str, int]] = {}
    with plain_errors(), app.engine.connect() as connection:
        for name, of_tier, count in connection.execute(query):
            found.setdefault(name, {})[of_tier] = int(count)
    return found


def open_questions(app: App) -> dict[str, dict[str, int]]:
    """Why a person is asked → how many questions are open, and when the first must be answered."""
    asked = t.review_request.c
    query = (
        sa.select(asked.reason, sa.func.count(), sa.func.min(asked.deadline_ms))
        .where(asked.state == OPEN)
        .group_by(asked.reason)
        .order_by(sa.func.min(asked.deadline_ms), asked.reason)
    )
    with plain_errors(), app.engine.connect() as connection:
        return {
            reason: {"open": int(count), "deadline_ms": int(deadline)}
            for reason, count, deadline in connection.execute(query)
        }


def conflicts(app: App) -> list[dict[str, Any]]:
    """Every conflict that is or was one: who says what, who prevails, why, and who decided."""
    table = truth.conflict
    query = (
        sa.select(table.c.conflict_id)
        .where(table.c.state != ConflictState.MOOT.value)
        .order_by(table.c.concept, table.c.conflict_id)
    )
    with plain_errors(), app.engine.connect() as connection:
        keys = list(connection.execute(query).scalars())
        return [_told(dispute_in(connection, key, app.facts)) for key in keys]


def answers(app: App) -> list[tuple[Question, Reply]]:
    """What the newest release answers; what it does not speak of is left out."""
    found = []
    for question in QUESTIONS:
        try:
            reply = ask(app, question.concept, question.situation, question.day, pack=PACK)
        except NotFound:
            continue
        found.append((question, reply))
    return found


def _told(dispute: Dispute) -> dict[str, Any]:
    conflict = dispute.conflict
    decision = max(dispute.decisions, key=lambda d: (d.at_ms, d.decision_id), default=None)
    preferred = conflict.winner or conflict.recommendation
    sides = sorted(
        (_side(case) for case in (dispute.a, dispute.b)), key=lambda s: s["rule_id"] != preferred
    )
    return {
        "conflict_id": conflict.conflict_id,
        "concept": conflict.concept,
        "tier": dispute.a.rule.tier,
        "kind": conflict.kind,
        "state": conflict.state,
        "sides": sides,
        "winner": conflict.winner,
        "recommendation": conflict.recommendation,
        "ground": _ground(conflict, decision),
        "decided_by": _decided_by(conflict, decision),
    }


def _side(case: Case) -> dict[str, Any]:
    rule, side = case.rule, side_of(case)
    source = case.sources.get(side.source)
    return {
        "rule_id": rule.rule_id,
        "said": value_said(rule.value, rule.value_type, rule.unit),
        "source": side.source if source is None else source.name,
        "hierarchy": side.hierarchy,
        "effective_from": rule.effective_from,
    }


def _ground(conflict: Conflict, decision: ReviewDecision | None) -> str | None:
    """What speaks for the one that prevails, or would."""
    if conflict.ground == PERSON and decision is not None:
        return str(decision.machine.get("ground") or PERSON)
    return conflict.ground


def _decided_by(conflict: Conflict, decision: ReviewDecision | None) -> str | None:
    if conflict.state != ConflictState.RESOLVED:
        return None
    return decision.person if conflict.ground == PERSON and decision is not None else "the machine"
