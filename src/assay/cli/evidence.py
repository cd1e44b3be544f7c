"""`assay evidence`: shows what a document says, with the quotes of its facts highlighted."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from assay.app import documents as app_documents
from assay.app.abbreviations import IdKind, expand_id
from assay.cli.passages import mark_passages
from assay.cli.rendering import Columns, format_time, render_fields, render_rows
from assay.cli.rules import describe_place, format_value
from assay.cli.session import AsJson, Session, open_app
from assay.errors import NotFound

evidence = typer.Typer(
    no_args_is_help=True, help="Show evidence with the quotes of its facts highlighted."
)
_AROUND = 400
"""Characters of text on either side of the quote of one fact."""
_SIGNS = ("[[", "]]")


@evidence.command()
def show(
    ctx: typer.Context,
    evidence_id: Annotated[str, typer.Argument(metavar="ID", help="The evidence.")],
    fact: Annotated[
        str | None, typer.Option("--fact", help="Only this fact, and the text around its quote.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the text of evidence with the quotes of its facts: in colour, or between [[ and ]]."""
    with open_app(ctx, as_json) as (session, app):
        found = app_documents.describe_evidence(app, expand_id(app, evidence_id, IdKind.EVIDENCE))
        chosen, text = None, found["text"]
        if fact is not None:
            chosen = _choose_fact(found, expand_id(app, fact, IdKind.FACT))
            text = app_documents.read_fact_text(app, chosen)
            found["facts"] = [chosen]
    session.show(
        render_fields(
            {
                "evidence": found["evidence_id"],
                "document": found["doc_id"],
                "version": found["number"],
                "address": found["url"],
                "fetched": format_time(found["fetched_ms"]),
            }
        )
    )
    columns: Columns = {
        "fact": "fact_id",
        "concept": "concept",
        "value": format_value,
        "place": describe_place,
    }
    if found["facts"]:
        session.show(render_rows(found["facts"], columns))
    _show_text(session, text, found, chosen)
    session.print_json({**found, "text": text})


def _choose_fact(found: Mapping[str, Any], fact_id: str) -> Mapping[str, Any]:
    for entry in found["facts"]:
        if entry["fact_id"] == fact_id:
            chosen: Mapping[str, Any] = entry
            return chosen
    raise NotFound(
        f"Evidence {found['evidence_id']} has no fact {fact_id}.",
        advice=f"'assay facts list --evidence {found['evidence_id']}' lists its facts.",
    )


def _show_text(
    session: Session, text: str, found: Mapping[str, Any], chosen: Mapping[str, Any] | None
) -> None:
    """The text, or the part of it around one fact."""
    if not text:
        session.say("It has not been read yet.")
        return
    # A document that was read again has other places; those are not marked in the wrong text.
    places = [
        (fact["start"], fact["end"])
        for fact in found["facts"]
        if text[fact["start"] : fact["end"]] == fact["quote"]
    ]
    begin, end = 0, len(text)
    if chosen is not None:
        begin, end = max(0, chosen["start"] - _AROUND), chosen["end"] + _AROUND
        places = [(start - begin, until - begin) for start, until in places]
    part = text[begin:end]
    if begin:
        session.say(f"… from character {begin}")
    session.say(mark_passages(session, part, places, "bold black on yellow", _SIGNS))
    if end < len(text):
        session.say("…")
