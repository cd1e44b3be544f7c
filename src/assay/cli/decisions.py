"""Shared by all commands with which a person decides: who decides, and the quotes shown."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from assay.cli.rendering import Columns, render_rows
from assay.ruling.review.service import Reviewer

Name = Annotated[
    str, typer.Option("--by", help="Who decides. Required: it is stored with the decision.")
]
Note = Annotated[str, typer.Option("--note", help="Why, in a few words.")]


def make_reviewer(name: str, note: str) -> Reviewer:
    """The person who decides; an anonymous decision is refused."""
    return Reviewer(person=name.strip(), note=note.strip())


def render_quotes(quotes: Sequence[Mapping[str, Any]]) -> Table:
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
