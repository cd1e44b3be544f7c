"""`assay conflicts`: shows conflicts between rules, decides them, and undoes decisions."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from assay.app import App
from assay.app.abbreviations import IdKind, expand_id
from assay.app.reviewing import build_review_service, describe_conflict
from assay.app.reviewing import list_conflicts as find_conflicts
from assay.cli.jobs import Limit
from assay.cli.rendering import Columns, render_fields, render_rows, report_list
from assay.cli.session import AsJson, Session, open_app, session_of
from assay.model.rules import Resolution
from assay.ruling.review.conflicts import resolve_conflict, undo_resolution
from assay.ruling.review.service import Reviewer
from assay.sdk.screens import StackingTable

conflicts = typer.Typer(
    no_args_is_help=True, help="Show rules that contradict each other, and decide."
)

ConflictId = Annotated[str, typer.Argument(help="The conflict.")]
Name = Annotated[
    str, typer.Option("--by", help="Who decides. Required: it is stored with the decision.")
]
_OUTCOMES = {
    Resolution.RULE_PREVAILS: "{} prevails",
    Resolution.IN_TURN: "each rule holds until the next one begins",
    Resolution.DIFFERENT_THINGS: "its rules are about different things",
}
Note = Annotated[str, typer.Option("--note", help="Why, in a few words.")]


@conflicts.command("list")
def list_(
    ctx: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Include those that are decided or moot.")
    ] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List conflicts that wait for the arbiter or for a person."""
    with open_app(ctx, as_json) as (session, app):
        found, left_out = find_conflicts(
            app, limit=session.choose_limit(limit), everything=everything
        )
    columns: Columns = {
        "conflict": "conflict_id", "concept": "concept", "kind": "kind", "sign": "sign",
        "state": "state", "sides": "sides", "winner": "winner",
        "recommended": "recommendation", "ground": "ground",
    }  # fmt: skip
    empty = "No conflicts." if everything else "No open conflicts."
    report_list(session, found, columns, empty, left_out=left_out)


@conflicts.command()
def show(ctx: typer.Context, conflict_id: ConflictId, as_json: AsJson = False) -> None:
    """Show the rules, the quotes behind each, and the decisions so far."""
    with open_app(ctx, as_json) as (session, app):
        show_conflict(session, app, expand_id(app, conflict_id, IdKind.CONFLICT))


@conflicts.command()
def resolve(
    ctx: typer.Context,
    conflict_id: ConflictId,
    choice: Annotated[
        str,
        typer.Argument(
            help="The id of the rule that prevails; or 'in-turn' if each holds until the next one "
            "begins, or 'different' if they are about different things."
        ),
    ],
    by: Name = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Let one of the rules prevail and drop those that contradict it, or keep them all.

    This does not approve any of them.
    """
    session, who = session_of(ctx, as_json), make_reviewer(by, note)
    with session.app() as app:
        conflict_id = expand_id(app, conflict_id, IdKind.CONFLICT)
        choice = expand_id(app, choice, IdKind.RULE)
        made = resolve_conflict(build_review_service(app), conflict_id, choice, who)
    session.say(
        f"Conflict {conflict_id} is decided: {_OUTCOMES[Resolution(made.resolution)]}.".format(
            choice
        )
    )
    session.print_json(made.row())


@conflicts.command()
def undo(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The conflict, or the resolution.")],
    by: Name = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Undo a resolution, a person's or the machine's; the conflict then waits for a person."""
    session, who = session_of(ctx, as_json), make_reviewer(by, note)
    with session.app() as app:
        name = expand_id(app, name, IdKind.CONFLICT, IdKind.RESOLUTION)
        made = undo_resolution(build_review_service(app), name, who)
    session.say(f"Conflict {made.conflict_id} waits for a person again.")
    session.print_json(made.row())


def show_conflict(session: Session, app: App, conflict_id: str) -> None:
    """All sides of a conflict."""
    found = describe_conflict(app, conflict_id)
    session.show(
        render_fields(
            {
                "conflict": found["conflict_id"],
                "concept": found["concept"],
                "state": found["state"],
                "found as": f"{found['kind']}, {found['sign']}",
                "decided": found["resolution"],
                "winner": found["winner"],
                "recommended": found["recommendation"],
                "ground": found["ground"],
                "confidence": found["confidence"],
            }
        )
    )
    for rule in found["sides"]:
        session.say(f"{rule['rule_id']}, {rule['tier']}, {rule['status']}: {rule['says']}")
        session.show(render_quotes(rule["quotes"]))
    if found["resolutions"]:
        columns: Columns = {
            "resolution": "resolution_id", "winner": "winner", "ground": "ground",
            "by": "decided_by", "at": "at_ms", "undoes": "undoes", "note": "note",
        }  # fmt: skip
        session.show(render_rows(found["resolutions"], columns))
    session.print_json(found)


def make_reviewer(name: str, note: str) -> Reviewer:
    """The person who decides; an anonymous decision is refused."""
    return Reviewer(person=name.strip(), note=note.strip())


def render_quotes(quotes: Sequence[Mapping[str, Any]]) -> StackingTable:
    """The quotes behind a rule, with the text around them."""
    columns: Columns = {
        "source": "source",
        "authority": "authority",
        "place": _describe_place,
        "confidence": "confidence",
        "quote": _render_in_context,
    }
    return render_rows(quotes, columns)


def _describe_place(quote: Mapping[str, Any]) -> str:
    page = "" if quote["page"] is None else f"page {quote['page']}"
    return ", ".join(part for part in (quote["article"], page) if part)


def _render_in_context(quote: Mapping[str, Any]) -> Text:
    shown = Text()
    before, after = (" ".join(str(quote[name]).split()) for name in ("before", "after"))
    if before:
        shown.append(f"… {before} ", style="dim")
    shown.append(f"“{' '.join(quote['quote'].split())}”", style="bold")
    if after:
        shown.append(f" {after} …", style="dim")
    return shown
