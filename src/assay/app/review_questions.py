"""One question as the review desk shows it: the proposal, the words behind it, and the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.quoted_passages import describe_passages
from assay.app.review_decisions import list_editable_fields
from assay.app.review_kinds import find_kind
from assay.app.review_queue import describe_reason
from assay.app.reviewing import OPEN, find_subject
from assay.app.rule_queries import list_similar_rules
from assay.governor.large_documents import REASON as TOO_LARGE
from assay.model.records import ReviewRequest
from assay.model.rules import ReviewDecision, RuleStatus
from assay.ruling.review.judgement import (
    APPROVE,
    EDIT,
    HOLDING,
    REJECT,
    WITHDRAW,
    RuleCase,
    make_case_version,
)
from assay.ruling.review.lookup import read_request, read_rows, read_rule, read_rule_rows
from assay.ruling.review.questions import describe_rule
from assay.ruling.review.requests import make_request_version
from assay.ruling.review.rule_cases import build_case
from assay.ruling.rules.conditions import parse_condition_text, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value
from assay.store import truth
from assay.store.database import explain_errors

SAY: Final = "say"
"""The answer in a person's own words."""
_MOST_QUOTES = 5
_MOST_SIMILAR_RULES = 10


@dataclass(frozen=True, kw_only=True)
class DeskAnswer:
    """One of the answers that a question can have."""

    name: str
    """APPROVE, EDIT, REJECT, WITHDRAW, `say`, or an answer that the asking pack allows."""
    key: str
    """What a person presses to choose it."""
    title: str
    effect: str
    """What happens if it is given, in one sentence."""
    needs_reason: bool = False
    obstacle: str = ""
    """Why it cannot be given, if it cannot."""


@dataclass(frozen=True, kw_only=True)
class DeskQuestion:
    """A question, or a rule that nobody is asked about at the moment."""

    name: str
    """Its id."""
    kind: str
    """What it is about: `rule`, `evidence`, or what a pack declares."""
    subject: str
    version: str
    """What is seen here; a decision about anything else is refused."""
    title: str
    reason: str = ""
    reason_name: str = ""
    why: str = ""
    request: Mapping[str, Any] | None = None
    rule: Mapping[str, Any] | None = None
    passages: Sequence[Mapping[str, Any]] = ()
    more_passages: int = 0
    similar_rules: Sequence[Mapping[str, Any]] = ()
    decisions: Sequence[Mapping[str, Any]] = ()
    answers: tuple[DeskAnswer, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether somebody has to decide."""
        return self.request is not None and self.request["state"] == OPEN


def describe_question(app: App, name: str) -> DeskQuestion:
    """The question, or the rule, with that id."""
    kind, subject, request_id = find_subject(app, name)
    with explain_errors(), app.engine.connect() as connection:
        request = None if request_id is None else read_request(connection, request_id)
        if kind == "rule":
            return _describe_rule_question(app, connection, subject, request)
        if request is None or kind == "conflict":
            return DeskQuestion(name=name, kind=kind, subject=subject, version="", title=subject)
        return _describe_other_question(app, connection, request)


def _describe_rule_question(
    app: App, connection: sa.Connection, rule_id: str, request: ReviewRequest | None
) -> DeskQuestion:
    # Only this rule: others of its concept do not change what is shown.
    rule = read_rule(connection, rule_id)
    case = build_case(rule_id, read_rule_rows(connection, [rule]))
    if request is None:
        request = next((known for known in case.requests if known.state == OPEN), None)
    shown = describe_case(app, case)
    label = _find_label(connection, rule.concept)
    name, why = describe_reason(request.reason) if request else ("", rule.status_reason)
    return DeskQuestion(
        name=request.request_id if request else rule_id,
        kind="rule",
        subject=rule_id,
        version=make_case_version(case),
        title=label or rule.concept,
        reason=request.reason if request else "",
        reason_name=name,
        why=why,
        request=_describe_request(app, request),
        rule=shown,
        passages=describe_passages(app, connection, case.pointers[:_MOST_QUOTES], case.sources),
        more_passages=max(0, len(case.pointers) - _MOST_QUOTES),
        similar_rules=[
            {**row, "says": describe_value(row["value"], row["value_type"], row["unit"])}
            for row in list_similar_rules(connection, rule.row())[:_MOST_SIMILAR_RULES]
        ],
        decisions=[_describe_decision(d) for d in sorted(case.decisions, key=lambda d: d.at_ms)],
        answers=_list_rule_answers(case, request),
    )


def describe_case(app: App, case: RuleCase) -> dict[str, Any]:
    """The proposal: what the rule says, in words, in the machine's version and the person's."""
    rule = case.rule
    pack = app.facts.get(rule.pack)
    labels = pack.fields if pack else None
    condition = render_condition(parse_condition_text(rule.applies_when), "en", labels)
    conflict = case.undecided_conflict
    return {
        **rule.row(),
        "says": describe_rule(rule, labels),
        "value_says": describe_value(rule.value, rule.value_type, rule.unit),
        "condition": condition,
        "editable": list_editable_fields(rule),
        "period": describe_period(rule.effective_from, rule.effective_until),
        "undecided_conflict": None if conflict is None else conflict.conflict_id,
    }


def _describe_other_question(
    app: App, connection: sa.Connection, request: ReviewRequest
) -> DeskQuestion:
    kind = find_kind(app, request.subject_kind)
    name, why = describe_reason(request.reason)
    decisions = read_rows(
        connection,
        ReviewDecision,
        "subject",
        [request.subject],
        subject_kind=request.subject_kind,
    )
    return DeskQuestion(
        name=request.request_id,
        kind=request.subject_kind,
        subject=request.subject,
        version=make_request_version(request),
        title=name if kind is None else kind.title,
        reason=request.reason,
        reason_name=name,
        why=why,
        request=_describe_request(app, request),
        decisions=[_describe_decision(d) for d in sorted(decisions, key=lambda d: d.at_ms)],
        answers=_list_answers_in_words(request, None if kind is None else kind.answers),
    )


def _describe_request(app: App, request: ReviewRequest | None) -> dict[str, Any] | None:
    if request is None:
        return None
    return {**request.row(), "overdue": request.deadline_ms < app.clock.now_ms()}


def _describe_decision(decision: ReviewDecision) -> dict[str, Any]:
    row = decision.row()
    return {name: row[name] for name in row if name not in ("machine", "evidence_key")}


def _find_label(connection: sa.Connection, concept: str) -> str:
    query = sa.select(truth.concept.c.label).where(truth.concept.c.concept == concept)
    return str(connection.execute(query).scalar() or "")


def _list_rule_answers(case: RuleCase, request: ReviewRequest | None) -> tuple[DeskAnswer, ...]:
    rule = case.rule
    if request is not None and request.state != OPEN:
        return ()
    held = rule.status in HOLDING
    obstacle = _find_obstacle(case)
    approve = DeskAnswer(
        name=APPROVE,
        key="a",
        title="Approve",
        effect="The rule is approved as it is, in your name; the next release may contain it.",
        obstacle=f"It is already approved by {rule.approved_by}."
        if held and rule.approved_by
        else obstacle,
    )
    edit = DeskAnswer(
        name=EDIT,
        key="e",
        title="Correct",
        effect="Your version is approved instead; the machine's version is kept beside it.",
        obstacle=obstacle,
    )
    if held:
        withdraw = DeskAnswer(
            name=WITHDRAW,
            key="w",
            title="Withdraw",
            effect="The next release leaves the rule out; earlier releases do not change.",
            needs_reason=True,
        )
        return approve, edit, withdraw
    reject = DeskAnswer(
        name=REJECT,
        key="r",
        title="Reject",
        effect="No release contains the rule; you are asked again only if other words support it.",
        needs_reason=True,
        obstacle=f"It is already {rule.status.lower()}: {rule.status_reason}."
        if rule.status in (RuleStatus.REJECTED, RuleStatus.DEPRECATED)
        else "",
    )
    return approve, edit, reject


def _find_obstacle(case: RuleCase) -> str:
    if (conflict := case.undecided_conflict) is not None:
        return f"Another rule contradicts it: decide conflict {conflict.conflict_id} first."
    if not case.pointers:
        return "No document supports it any more."
    if case.rule.status == RuleStatus.DRAFT:
        return "It has not been reviewed by the pipeline yet; the next run does that."
    return ""


def _list_answers_in_words(
    request: ReviewRequest, allowed: tuple[str, ...] | None
) -> tuple[DeskAnswer, ...]:
    if request.state != OPEN:
        return ()
    if request.reason == TOO_LARGE:
        return (
            DeskAnswer(
                name="yes", key="1", title="Yes", effect="A model reads it in the next run."
            ),
            DeskAnswer(name="no", key="2", title="No", effect="No model reads it."),
        )
    if allowed:
        return tuple(
            DeskAnswer(
                name=word,
                key=str(number) if number <= 9 else "",
                title=word.replace("_", " ").capitalize(),
                effect=f"The answer “{word}” is stored and takes effect; it cannot be undone.",
            )
            for number, word in enumerate(allowed, 1)
        )
    stored = "Your answer is stored with your name"
    is_final = allowed is not None
    return (
        DeskAnswer(
            name=SAY,
            key="a",
            title="DeskAnswer",
            effect=f"{stored} and takes effect; it cannot be undone."
            if is_final
            else f"{stored}, and the question is closed.",
        ),
    )
