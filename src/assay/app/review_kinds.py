"""Stores answers to questions and applies the effect that the asking pack declares.

A pack may ask a person about anything. The effect of an answer is an outcome like that of a stage:
it may only do what the review kind declares, and it is committed together with the answer.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from assay.app.composition import App
from assay.app.model_waits import plan_answer
from assay.app.reviewing import build_review_service
from assay.app.runs import begin_run, reserve_run
from assay.engine.contract import Outcome, QueueLimits, Stage, refuse_undeclared_events
from assay.errors import InvalidInput
from assay.governor.large_documents import REASON as TOO_LARGE
from assay.governor.large_documents import is_yes
from assay.model.lifecycle import RetryPolicy
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision
from assay.ruling.review.lookup import read_request
from assay.ruling.review.requests import Effect, SeenRequest, record_answer
from assay.ruling.review.service import DecisionTransaction, Reviewer
from assay.sdk.pack import Pack, ReviewKind
from assay.spine.payloads import PackJob
from assay.store.candidates import move_candidates
from assay.store.database import explain_errors
from assay.store.event_log import write_event

LABEL = "answer"


def answer_question(app: App, request_id: str, answer: str, by: Reviewer) -> ReviewDecision:
    """Store a person's answer and apply its effect."""
    (made,) = answer_questions(app, [SeenRequest(request_id)], answer, by)
    return made


def answer_questions(
    app: App, seen: Sequence[SeenRequest], answer: str, by: Reviewer
) -> list[ReviewDecision]:
    """Answer several questions alike, in one transaction with one decision for each."""
    with explain_errors(), app.engine.connect() as connection:
        requests = [read_request(connection, each.request_id) for each in seen]
    effects = [_prepare_effect(app, request, answer) for request in requests]
    with build_review_service(app).decide(by) as transaction:
        return [
            record_answer(transaction, each, answer, apply_effect)
            for each, apply_effect in zip(seen, effects, strict=True)
        ]


def find_kind(app: App, subject_kind: str) -> ReviewKind | None:
    """What the pack that asks about such subjects declares about its questions."""
    found = _find_kind(app.packs.installed, subject_kind)
    return None if found is None else found[1]


def _prepare_effect(app: App, request: ReviewRequest, answer: str) -> Effect | None:
    """What an answer leads to; an invalid one is refused before anything is stored."""
    if request.reason == TOO_LARGE:
        is_yes(answer)
        return partial(_let_model_read, app, request, answer)
    found = _find_kind(app.packs.installed, request.subject_kind)
    if found is None:
        return None
    outcome = _compute_effect(app, *found, request, answer)
    # Reserved before the transaction: a leftover folder does no harm.
    run_id = reserve_run(app) if outcome.next else ""
    return partial(_apply_outcome, app, request, outcome, run_id)


def _let_model_read(
    app: App, request: ReviewRequest, answer: str, transaction: DecisionTransaction
) -> None:
    """Let a document go on whose model waited for a person."""
    moves = plan_answer(transaction.connection, request, answer)
    move_candidates(transaction.connection, moves, RetryPolicy(), app.clock.now_ms())


def _find_kind(packs: Mapping[str, Pack], subject_kind: str) -> tuple[Pack, ReviewKind] | None:
    """The pack that asks about such subjects, and its declaration."""
    for pack in packs.values():
        for kind in pack.review_kinds:
            if kind.name == subject_kind:
                return pack, kind
    return None


def _compute_effect(
    app: App, pack: Pack, kind: ReviewKind, request: ReviewRequest, answer: str
) -> Outcome:
    if kind.answers and answer not in kind.answers:
        raise InvalidInput(
            f"'{answer}' is not an answer to {request.request_id}.",
            advice=f"Answer with one of: {', '.join(kind.answers)}.",
        )
    outcome = kind.effect(request, answer)
    app.pipeline.check(_build_contract(kind), outcome)
    refuse_undeclared_events(f"Review kind '{kind.name}'", outcome, pack.events)
    if outcome.blobs:
        raise InvalidInput(
            f"Review kind '{kind.name}' tried to store bytes; an answer must not do that."
        )
    return outcome


def _build_contract(kind: ReviewKind) -> Stage:
    """What an answer may write and lead to, as a contract that the engine can check."""
    return Stage(
        name=f"answer to {kind.name}",
        version=1,
        payload=PackJob,
        queue=QueueLimits(),
        writes=kind.writes,
        next=kind.next,
    )


def _apply_outcome(
    app: App,
    request: ReviewRequest,
    outcome: Outcome,
    run_id: str,
    transaction: DecisionTransaction,
) -> None:
    """Write everything that an answer leads to, in the transaction of the answer."""
    connection, settings, now_ms = transaction.connection, app.settings, app.clock.now_ms()
    transaction.write_records(outcome.records)
    policy = RetryPolicy(settings.candidate_retry_days, settings.candidate_retry_limit)
    move_candidates(connection, outcome.moves, policy, now_ms)
    for change in outcome.changes:
        transaction.change_row(change.record, change.key, change.when, change.to)
        if change.audit is not None:
            transaction.notes.append(change.audit)
    transaction.notes.extend(outcome.audit)
    if outcome.next:
        first: list[tuple[str, Any]] = [(job.stage, job.payload) for job in outcome.next]
        begin_run(app, connection, run_id, label=LABEL, first=first)
    for event in outcome.events:
        source = request.source_slug
        write_event(connection, event, now_ms, run_id=run_id or None, source_slug=source)
    if outcome.note != Outcome().note:
        # An answer is not an attempt of a job, so no progress can show the note.
        transaction.add_audit_note(
            "answer_applied",
            request.subject_kind,
            request.subject,
            request_id=request.request_id,
            outcome=outcome.note,
        )
