"""`assay review`: questions that Assay cannot decide by itself, and a person's answers."""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Protocol

import typer

from assay.app import App
from assay.app.abbreviations import IdKind, expand_id
from assay.app.review_decisions import undo_decisions
from assay.app.review_kinds import answer_question
from assay.app.reviewing import (
    build_review_service,
    count_open_requests,
    describe_rule_for_review,
    find_subject,
    list_open_requests,
    load_request,
)
from assay.cli.conflicts import Name, Note, make_reviewer, render_quotes, show_conflict
from assay.cli.jobs import Limit
from assay.cli.rendering import (
    Columns,
    format_counts,
    format_time,
    pluralize,
    render_fields,
    render_rows,
    render_table,
    report_list,
)
from assay.cli.rules import describe_similar
from assay.cli.session import AsJson, Session, open_app, session_of
from assay.errors import AssayError, InvalidInput
from assay.model.rules import ReviewDecision
from assay.ruling.review.decisions import approve_rule, reject_rule, withdraw_rule
from assay.ruling.review.editing import edit_rule
from assay.ruling.review.service import Reviewer, ReviewService

review = typer.Typer(
    no_args_is_help=True, help="Show questions that wait for a person, and answer them."
)

Names = Annotated[list[str], typer.Argument(help="Questions or rules, by their ids.")]


class Decide(Protocol):
    """How a person decides about a rule."""

    def __call__(
        self, service: ReviewService, rule_id: str, by: Reviewer, /, *, request_id: str | None
    ) -> ReviewDecision: ...


class Tier(StrEnum):
    """How critical a rule is; T0 is the most critical."""

    T0 = "T0"
    T1 = "T1"
    T2 = "T2"
    T3 = "T3"


@review.command("list")
def list_(
    ctx: typer.Context,
    tier: Annotated[Tier | None, typer.Option(help="Only about rules of this tier.")] = None,
    overdue: Annotated[bool, typer.Option(help="Only questions past their deadline.")] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List open questions, most urgent first. Overdue ones are marked and stay open."""
    with open_app(ctx, as_json) as (session, app):
        found, left_out = list_open_requests(
            app, limit=session.choose_limit(limit), tier=tier and tier.value, overdue=overdue
        )
        reasons = count_open_requests(app)
    columns: Columns = {
        "question": "request_id",
        "about": lambda question: f"{question['subject_kind']} {question['subject']}",
        "source": "source_slug",
        "tier": "tier",
        "reason": "reason",
        "answer by": _format_deadline,
        "what is asked": "question",
    }
    empty = "No questions match." if tier or overdue else "No open questions."
    if left_out and not (tier or overdue):
        session.say(f"{sum(reasons.values())} open questions: {format_counts(reasons)}.")
    report_list(session, found, columns, empty, left_out=left_out)


@review.command()
def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="A question, a rule or a conflict, by its id.")],
    as_json: AsJson = False,
) -> None:
    """Show what a question is about: both versions of the rule, and its quotes in context."""
    with open_app(ctx, as_json) as (session, app):
        kind, subject, request_id = find_subject(app, _expand_name(app, name))
        if kind == "conflict":
            show_conflict(session, app, subject)
        elif kind == "rule":
            _show_rule(session, describe_rule_for_review(app, subject))
        else:
            assert request_id is not None
            found = load_request(app, request_id)
            session.show(render_fields(found))
            session.print_json(found)


@review.command()
def approve(
    ctx: typer.Context, names: Names, by: Name = "", note: Note = "", as_json: AsJson = False
) -> None:
    """Approve rules in the machine's version, based on their current quotes."""
    who = make_reviewer(by, note)
    _decide_rules(session_of(ctx, as_json), names, who, "approved", approve_rule)


@review.command()
def reject(
    ctx: typer.Context, names: Names, by: Name = "", note: Note = "", as_json: AsJson = False
) -> None:
    """Reject rules; each stays rejected until its evidence is worded differently."""
    who = make_reviewer(by, note)
    _decide_rules(session_of(ctx, as_json), names, who, "rejected", reject_rule)


@review.command()
def withdraw(
    ctx: typer.Context, names: Names, by: Name = "", note: Note = "", as_json: AsJson = False
) -> None:
    """Withdraw approved or published rules; the next release leaves them out."""

    def decide(
        service: ReviewService, rule_id: str, who: Reviewer, *, request_id: str | None
    ) -> ReviewDecision:
        return withdraw_rule(service, rule_id, who)

    _decide_rules(session_of(ctx, as_json), names, make_reviewer(by, note), "withdrawn", decide)


@review.command()
def edit(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="A rule or a question about it, by its id.")],
    changes: Annotated[
        list[str],
        typer.Argument(
            help="field=value: value, effective_from, effective_until, applies_when, label. "
            "An empty date removes it."
        ),
    ],
    by: Name = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Correct the machine's version of a rule and approve the result; both versions are kept."""
    session, changed = session_of(ctx, as_json), _parse_changes(changes)
    decide = partial(edit_rule, changed=changed)
    _decide_rules(session, [name], make_reviewer(by, note), "edited and approved", decide)


@review.command()
def answer(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="A question about evidence, by its id.")],
    words: Annotated[str, typer.Argument(help="The answer.")],
    by: Name = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Answer a question; the answer is stored and put into effect."""
    session, who = session_of(ctx, as_json), make_reviewer(by, note)
    with session.app() as app:
        question = expand_id(app, question, IdKind.QUESTION)
        made = answer_question(app, question, words, who)
    session.say(f"Question {question} is answered.")
    session.print_json([made.row()])


@review.command()
def undo(
    ctx: typer.Context,
    decisions: Annotated[
        list[str],
        typer.Argument(help="Decisions, by their ids, as 'assay review show' lists them."),
    ],
    by: Name = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Undo decisions that no release contains yet: the questions wait again.

    The undo is recorded as a decision of its own; nothing is deleted.
    """
    session, who = session_of(ctx, as_json), make_reviewer(by, note)
    with session.app() as app:
        made = undo_decisions(app, decisions, who)
    session.say(f"{pluralize(len(made), 'decision')} undone by {who.person}.")
    session.print_json([decision.row() for decision in made])


def _decide_rules(
    session: Session, names: list[str], who: Reviewer, word: str, decide: Decide
) -> None:
    """Decide one after the other, each in its own transaction."""
    made: list[ReviewDecision] = []
    with session.app() as app:
        for name in names:
            try:
                rule_id, request_id = _find_rule(app, name)
                made.append(decide(build_review_service(app), rule_id, who, request_id=request_id))
            except AssayError as error:
                if made:
                    before = ", ".join(decision.subject for decision in made)
                    error.advice = f"{error.advice} Already decided: {before}.".strip()
                raise
    session.say(f"{pluralize(len(made), 'rule')} {word} by {who.person}.")
    session.print_json([decision.row() for decision in made])


def _expand_name(app: App, name: str) -> str:
    return expand_id(app, name, IdKind.QUESTION, IdKind.RULE, IdKind.CONFLICT)


def _find_rule(app: App, name: str) -> tuple[str, str | None]:
    kind, subject, request_id = find_subject(app, _expand_name(app, name))
    if kind == "rule":
        return subject, request_id
    instead = (
        f"'assay conflicts show {subject}' and 'assay conflicts resolve'"
        if kind == "conflict"
        else "'assay review answer'"
    )
    raise InvalidInput(
        f"{name} is about {kind} {subject}, not about a rule.", advice=f"See {instead}."
    )


def _parse_changes(changes: list[str]) -> dict[str, str | None]:
    changed: dict[str, str | None] = {}
    for change in changes:
        name, sign, value = change.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(f"'{change}' is not a change.", advice="Use field=value.")
        if name in changed:
            raise InvalidInput(f"'{name}' is changed twice.")
        changed[name.strip()] = value
    return changed


def _show_rule(session: Session, found: dict[str, Any]) -> None:
    version = found["person_version"] or {}
    fields = {
        "rule": found["rule_id"],
        "says": found["says"],
        "status": f"{found['status']}: {found['status_reason']}",
        "tier": found["tier"],
        "confidence": found["confidence"],
        "approved by": found["approved_by"],
        "open conflict": _find_open_conflict(found["conflict"]),
    }
    if found["similar"]:
        fields["may concern the same thing"] = describe_similar(found["similar"])
    session.show(render_fields(fields))
    shown = ("value", "unit", "effective_from", "effective_until", "applies_when", "label")
    session.show(
        render_table(
            ["field", "the machine's version", "the person's version"],
            [[name, found.get(name), version.get(name)] for name in shown],
        )
    )
    session.show(render_quotes(found["quotes"]))
    if found["decisions"]:
        columns: Columns = {
            "decided": "decision", "by": "person", "at": "at_ms", "note": "note",
            "decision": "decision_id",
        }  # fmt: skip
        session.show(render_rows(found["decisions"], columns))
    session.print_json(found)


def _format_deadline(question: Mapping[str, Any]) -> str:
    return format_time(question["deadline_ms"]) + (" (overdue)" if question["overdue"] else "")


def _find_open_conflict(conflict: Mapping[str, Any] | None) -> str | None:
    is_open = conflict is not None and conflict["state"] in ("OPEN", "ESCALATED")
    return str(conflict["conflict_id"]) if conflict is not None and is_open else None
