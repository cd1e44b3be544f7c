"""Deciding at the review desk: one question or several alike, and undoing what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.review_kinds import answer_questions, find_kind
from assay.app.reviewing import build_review_service, find_subject
from assay.errors import InvalidInput, NotFound
from assay.governor.large_documents import REASON as TOO_LARGE
from assay.model.rules import ReviewDecision, Rule
from assay.ruling.review.decisions import SeenRule, decide_rules
from assay.ruling.review.editing import EDITABLE, edit_rule
from assay.ruling.review.judgement import ANSWER, APPROVE, EDIT, REJECT, UNDO, WITHDRAW
from assay.ruling.review.lookup import read_rows, read_rule
from assay.ruling.review.requests import SeenRequest
from assay.ruling.review.service import Reviewer
from assay.ruling.review.undoing import find_undo_obstacle, undo_all
from assay.ruling.rules.descriptions import describe_value
from assay.store import truth
from assay.store.database import explain_errors

MOST_AT_ONCE = 50
"""How many questions one decision may answer."""
_WITH_REASON = (REJECT, WITHDRAW)
_PAST = {
    APPROVE: "approved", EDIT: "corrected and approved", REJECT: "rejected", WITHDRAW: "withdrawn",
    UNDO: "undid a decision about", ANSWER: "answered",
}  # fmt: skip


@dataclass(frozen=True)
class SeenQuestion:
    """A question, or a rule, that a person decides on, and the version of it that they saw."""

    name: str
    version: str


def decide_questions(
    app: App, seen: Sequence[SeenQuestion], answer: str, by: Reviewer
) -> list[ReviewDecision]:
    """Give the same answer to one or several questions, in one transaction.

    Nothing is decided if one of them is no longer as it was seen.
    """
    if not seen:
        raise InvalidInput("No question is selected.", advice="Select at least one.")
    if len(seen) > MOST_AT_ONCE:
        raise InvalidInput(f"At most {MOST_AT_ONCE} questions can be decided together.")
    found = [find_subject(app, each.name) for each in seen]
    kinds = {kind for kind, _, _ in found}
    if "conflict" in kinds or (len(kinds) > 1 and "rule" in kinds):
        raise InvalidInput("Questions of different kinds cannot be decided together.")
    if kinds == {"rule"}:
        if answer not in (APPROVE, REJECT, WITHDRAW):
            raise InvalidInput(f"'{answer[:40]}' is not an answer to a question about a rule.")
        require_reason(answer, by)
        rules = [
            SeenRule(rule_id=subject, request_id=request_id, version=each.version)
            for each, (_, subject, request_id) in zip(seen, found, strict=True)
        ]
        return decide_rules(build_review_service(app), answer, rules, by)
    requests = [SeenRequest(each.name, each.version) for each in seen]
    return answer_questions(app, requests, answer, by)


def correct_question(
    app: App, seen: SeenQuestion, given: Mapping[str, str], by: Reviewer
) -> list[ReviewDecision]:
    """Approve a person's version of a rule: all its fields, as they should be."""
    kind, rule_id, request_id = find_subject(app, seen.name)
    if kind != "rule":
        raise InvalidInput("Only a rule can be corrected.")
    with explain_errors(), app.engine.connect() as connection:
        before = list_editable_fields(read_rule(connection, rule_id))
    changed = {
        name: value.strip()
        for name, value in given.items()
        if name in EDITABLE and value.strip() != before[name]
    }
    service = build_review_service(app)
    made = edit_rule(service, rule_id, by, changed, request_id=request_id, version=seen.version)
    return [made]


def list_editable_fields(rule: Rule) -> dict[str, str]:
    """The fields that a person may correct, as they are now."""
    now = {**rule.row(), "label": "", **(rule.person_version or {})}
    return {name: now[name] or "" for name in EDITABLE}


def require_reason(answer: str, by: Reviewer) -> None:
    """Refuse a rejection or a withdrawal without a reason: the next person needs to know it."""
    if answer in _WITH_REASON and not by.note:
        raise InvalidInput("A rejection or a withdrawal needs a reason.", advice="Add a reason.")


def load_decisions(app: App, decision_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Decisions with what they were about, in words, in the given order."""
    with explain_errors(), app.engine.connect() as connection:
        found = read_rows(connection, ReviewDecision, "decision_id", decision_ids)
        subjects = [decision.subject for decision in found if decision.subject_kind == "rule"]
        says = _describe_subjects(connection, subjects)
    known = {decision.decision_id: decision for decision in found}
    if len(known) < len(set(decision_ids)):
        missing = next(each for each in decision_ids if each not in known)
        raise NotFound(f"There is no decision {missing}.")
    return [
        {
            **known[key].row(),
            "about": says.get(known[key].subject, known[key].subject),
            "says": _describe_act(known[key]),
        }
        for key in decision_ids
    ]


def find_last_decision(app: App, name: str) -> dict[str, Any] | None:
    """The last decision about what a question is about, in words."""
    kind, subject, _ = find_subject(app, name)
    table = truth.review_decision
    query = (
        sa.select(table.c.decision_id)
        .where(table.c.subject == subject, table.c.subject_kind == kind)
        .order_by(table.c.at_ms.desc(), table.c.decision_id.desc())
    )
    rows = app.fetch_rows(query.limit(1))
    return load_decisions(app, [rows[0]["decision_id"]])[0] if rows else None


def explain_undo(app: App, decision_ids: Sequence[str], by: Reviewer) -> str:
    """Why some of these decisions cannot be undone; nothing if all can."""
    for row in load_decisions(app, decision_ids):
        if obstacle := _find_effect(app, row):
            return obstacle
        obstacle = find_undo_obstacle(build_review_service(app), row["decision_id"], by)
        if obstacle:
            return obstacle
    return ""


def undo_decisions(app: App, decision_ids: Sequence[str], by: Reviewer) -> list[ReviewDecision]:
    """Undo decisions by further decisions, in one transaction."""
    for row in load_decisions(app, decision_ids):
        if obstacle := _find_effect(app, row):
            raise InvalidInput(obstacle)
    return undo_all(build_review_service(app), decision_ids, by)


def _find_effect(app: App, decision: Mapping[str, Any]) -> str:
    """Why an answer cannot be undone: what it led to cannot be taken back."""
    is_final = decision["machine"].get("reason") == TOO_LARGE or (
        find_kind(app, decision["subject_kind"]) is not None
    )
    if decision["decision"] != ANSWER or not is_final:
        return ""
    return (
        f"The answer about {decision['subject']} has already taken effect, and what it led to "
        "cannot be undone."
    )


def _describe_act(decision: ReviewDecision) -> str:
    if decision.decision == ANSWER:
        return f"answered “{decision.version.get('answer', '')}”"
    return _PAST.get(decision.decision, decision.decision.lower())


def _describe_subjects(connection: sa.Connection, rule_ids: Sequence[str]) -> dict[str, str]:
    rule = truth.rule.c
    query = sa.select(rule.rule_id, rule.concept, rule.value, rule.value_type, rule.unit)
    rows = connection.execute(query.where(rule.rule_id.in_(rule_ids)))
    return {
        row.rule_id: f"{row.concept}: {describe_value(row.value, row.value_type, row.unit)}"
        for row in rows
    }
