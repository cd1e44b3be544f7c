"""The result of a pack's demo: a person decides, a release is created and verified, questions are
asked."""

import asyncio
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from assay.app import App, release_proofs, releases
from assay.app.asking import ReleaseAnswer, ask
from assay.app.releases import ReleaseResult
from assay.app.status import OPEN, collect_status
from assay.demo.reviewer import ReviewRound, decide_reviews
from assay.errors import NotFound
from assay.llm.messages import Lane
from assay.model.rules import Conflict, ConflictState, Release, ReviewDecision
from assay.ruling.arbiter.arbitration import PERSON, build_side
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.release.plan import find_current_release
from assay.ruling.release.proof import ReleaseProof
from assay.ruling.review.lookup import read_dispute
from assay.ruling.rules.descriptions import describe_value
from assay.sdk.demo import Demo, DemoQuestion, RuleCase
from assay.store import spending, truth
from assay.store import tables as t
from assay.store.counts import count_rows
from assay.store.database import explain_errors

_COUNTED: Final = {
    "documents": t.document,
    "facts": truth.candidate_fact,
    "rejected": truth.extraction_rejected,
    "rules": truth.rule,
    "pointers": truth.source_pointer,
    "decisions": truth.review_decision,
    "releases": truth.release,
}


@dataclass(frozen=True)
class DemoResult:
    """The result for one pack, with the counts from before the person decided."""

    counts: dict[str, int]
    """The pack's documents, facts and rejected claims."""
    rules: dict[str, dict[str, int]]
    """status → tier → number, before the person decided."""
    questions: dict[str, dict[str, int]]
    """Questions that were open before the person decided."""
    scans_waiting: int
    """Scanned documents that wait for Tesseract, of any pack."""
    decided: ReviewRound | None
    """None if the demo has no reviewer."""
    conflicts: list[dict[str, Any]]
    created: ReleaseResult
    release: Release
    """The current release, created now or earlier."""
    proof: ReleaseProof
    replies: list[tuple[DemoQuestion, ReleaseAnswer]]


def finish_demo(
    app: App, pack: str, demo: Demo, stop: threading.Event | None = None
) -> DemoResult | None:
    """Let the reviewer decide, and release what is approved.

    None if nothing was released, or if it was asked to stop.
    """
    stop = stop or threading.Event()
    counts, rules = _count_pack_records(app, pack, demo), _count_rules(app, pack)
    questions = count_questions(app, pack, demo)
    reviewer = demo.reviewer
    decided = None if reviewer is None else decide_reviews(app, pack, reviewer, stop)
    if stop.is_set():
        return None
    created = releases.create_release(app, pack, by=reviewer.name if reviewer else "", stop=stop)
    release = find_current_release(releases.list_releases(app, pack))
    if stop.is_set() or release is None:
        return None
    return DemoResult(
        counts=counts,
        rules=rules,
        questions=questions,
        scans_waiting=int(collect_status(app)["blocked"].get("OCR", 0)),
        decided=decided,
        conflicts=_describe_conflicts(app, pack),
        created=created,
        release=release,
        proof=asyncio.run(release_proofs.verify_stored_release(app, release)),
        replies=_ask_questions(app, pack, demo.questions),
    )


def count_records(app: App) -> dict[str, int]:
    """How many records there are of each kind. A second run of the demo must not change them.

    How many conflicts became moot depends on the order in which documents were read.
    """
    is_live = truth.conflict.c.state != ConflictState.MOOT.value
    is_of_model = spending.call.c.lane != Lane.SERVICE.value
    with explain_errors(), app.engine.connect() as connection:
        counts = {name: count_rows(connection, table) for name, table in _COUNTED.items()}
        return {
            **counts,
            "conflicts": count_rows(connection, truth.conflict, is_live),
            "model_calls": count_rows(connection, spending.call, is_of_model),
        }


def _count_pack_records(app: App, pack: str, demo: Demo) -> dict[str, int]:
    slugs = [source.source_slug for source in demo.sources]
    facts, rejected = truth.candidate_fact, truth.extraction_rejected
    with explain_errors(), app.engine.connect() as connection:
        return {
            "documents": count_rows(connection, t.document, t.document.c.source_slug.in_(slugs)),
            "facts": count_rows(connection, facts, facts.c.pack == pack),
            "rejected": count_rows(connection, rejected, rejected.c.pack == pack),
        }


def _count_rules(app: App, pack: str) -> dict[str, dict[str, int]]:
    """status → tier → number of rules."""
    status, tier = truth.rule.c.status, truth.rule.c.tier
    query = (
        sa.select(status, tier, sa.func.count())
        .where(truth.rule.c.pack == pack)
        .group_by(status, tier)
        .order_by(status, tier)
    )
    found: dict[str, dict[str, int]] = {}
    with explain_errors(), app.engine.connect() as connection:
        for name, of_tier, count in connection.execute(query):
            found.setdefault(name, {})[of_tier] = int(count)
    return found


def count_questions(app: App, pack: str, demo: Demo) -> dict[str, dict[str, int]]:
    """Reason for asking a person → how many questions are open, and the first deadline."""
    asked, rule, conflict = t.review_request.c, truth.rule.c, truth.conflict.c
    of_rules = sa.select(rule.rule_id).where(rule.pack == pack)
    of_conflicts = sa.select(conflict.conflict_id).where(conflict.pack == pack)
    # A question about a document names its source; one about a conflict may not.
    is_own = sa.or_(
        asked.subject.in_(of_rules.union_all(of_conflicts)),
        asked.source_slug.in_([source.source_slug for source in demo.sources]),
    )
    query = (
        sa.select(asked.reason, sa.func.count(), sa.func.min(asked.deadline_ms))
        .where(asked.state == OPEN, is_own)
        .group_by(asked.reason)
        .order_by(sa.func.min(asked.deadline_ms), asked.reason)
    )
    with explain_errors(), app.engine.connect() as connection:
        return {
            reason: {"open": int(count), "deadline_ms": int(deadline)}
            for reason, count, deadline in connection.execute(query)
        }


def _describe_conflicts(app: App, pack: str) -> list[dict[str, Any]]:
    """Every conflict that is not moot: who says what, which side prevails, why, and who decided."""
    table = truth.conflict
    query = (
        sa.select(table.c.conflict_id)
        .where(table.c.pack == pack, table.c.state != ConflictState.MOOT.value)
        .order_by(table.c.concept, table.c.conflict_id)
    )
    with explain_errors(), app.engine.connect() as connection:
        keys = list(connection.execute(query).scalars())
        return [_describe_dispute(read_dispute(connection, key, app.facts)) for key in keys]


def _ask_questions(
    app: App, pack: str, questions: Iterable[DemoQuestion]
) -> list[tuple[DemoQuestion, ReleaseAnswer]]:
    """What the newest release answers; questions about unknown concepts are left out."""
    found = []
    for question in questions:
        try:
            reply = ask(app, question.concept, question.situation, question.as_of, pack=pack)
        except NotFound:
            continue
        found.append((question, reply))
    return found


def _describe_dispute(dispute: Dispute) -> dict[str, Any]:
    conflict, decision = dispute.conflict, dispute.last_decision
    preferred = conflict.winner or conflict.recommendation
    lost = {side.rule_id for side in dispute.sides if side.gave_way_to is not None}
    # A rule that held before the one that prevails, or will hold after it, did not lose.
    cases = [
        case
        for key, case in dispute.cases.items()
        if conflict.winner is None or key == conflict.winner or key in lost
    ]
    sides = sorted(map(_describe_side, cases), key=lambda s: s["rule_id"] != preferred)
    return {
        "conflict_id": conflict.conflict_id,
        "concept": conflict.concept,
        "tier": min(case.rule.tier for case in dispute.cases.values()),
        "kind": conflict.kind,
        "state": conflict.state,
        "resolution": conflict.resolution,
        "sides": sides,
        "winner": conflict.winner,
        "recommendation": conflict.recommendation,
        "ground": _find_ground(conflict, decision),
        "decided_by": _find_decider(conflict, decision),
    }


def _describe_side(case: RuleCase) -> dict[str, Any]:
    rule, side = case.rule, build_side(case)
    source = case.sources.get(side.source)
    return {
        "rule_id": rule.rule_id,
        "display": describe_value(rule.value, rule.value_type, rule.unit),
        "source": side.source if source is None else source.name,
        "hierarchy": side.hierarchy,
        "effective_from": rule.effective_from,
    }


def _find_ground(conflict: Conflict, decision: ReviewDecision | None) -> str | None:
    """The ground for the side that prevails, or is recommended."""
    if conflict.ground == PERSON and decision is not None:
        return str(decision.machine.get("ground") or PERSON)
    return conflict.ground


def _find_decider(conflict: Conflict, decision: ReviewDecision | None) -> str | None:
    if conflict.state != ConflictState.RESOLVED:
        return None
    return decision.person if conflict.ground == PERSON and decision is not None else "the machine"
