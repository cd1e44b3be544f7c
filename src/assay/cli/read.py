"""`assay read`: shows how Assay reads any file or address, without a store."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from assay.app.examination import Examination, examine_targets
from assay.app.extracting import choose_pack
from assay.app.tools import build_tools
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import pluralize, render_fields
from assay.cli.session import AsJson, Session, session_of
from assay.spine.scouting.profile import NEUTRAL, Scouting

_SHOWN = 600
"""How many characters of the text are shown without --text."""


def read(
    ctx: typer.Context,
    targets: Annotated[list[str], typer.Argument(help="Files, or addresses to fetch.")],
    text: Annotated[
        bool, typer.Option("--text", help="Print the whole text, page by page.")
    ] = False,
    pack: Annotated[
        str | None,
        typer.Option("--pack", help="Judge as this pack does; default: by quality alone."),
    ] = None,
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Show how Assay reads files or addresses: class, language, text, score, and route.

    Nothing is stored and no model is called.
    """
    session = session_of(ctx, as_json)
    chosen = choose_pack(session.settings, pack)
    scouting = NEUTRAL if chosen is None else chosen.scouting
    found = asyncio.run(_examine_with_progress(session, targets, scouting, ocr))
    session.print_json([entry.values() for entry in found])
    for entry in found:
        session.show(_render_document(entry, whole=text))
    if any(entry.error is not None for entry in found):
        raise typer.Exit(ExitCode.INPUT)


async def _examine_with_progress(
    session: Session, targets: Sequence[str], scouting: Scouting, ocr: bool
) -> list[Examination]:
    tools = build_tools(session.settings)
    try:
        with show_reading_progress(session, len(targets)) as (on_done, on_page):
            return await examine_targets(
                targets, tools, scouting=scouting, ocr=ocr, on_done=on_done, on_page=on_page
            )
    finally:
        await tools.close()


@contextmanager
def show_reading_progress(
    session: Session, count: int
) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """Show bars on a terminal; elsewhere a line now and then, and nothing with JSON."""
    if session.json or not session.err.is_terminal:
        yield _make_line_reporters(session, count)
        return
    columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=session.err, transient=True) as bars:
        documents = bars.add_task("documents", total=count)
        pages = bars.add_task("scans", total=None, visible=False)

        def on_page() -> None:
            bars.update(pages, advance=1, visible=True)

        yield lambda: bars.update(documents, advance=1), on_page


def _make_line_reporters(
    session: Session, count: int
) -> tuple[Callable[[], None], Callable[[], None]]:
    """For pipes and logs: a line for every tenth of the documents, and for every tenth page."""
    documents, pages = itertools.count(1), itertools.count(1)

    def report(what: str) -> None:
        if not session.json:
            session.err.print(Text(what))

    def on_done() -> None:
        done = next(documents)
        if count >= 20 and done % (count // 10) == 0:
            report(f"{done} of {count} read")

    def on_page() -> None:
        done = next(pages)
        if done % 10 == 0:
            report(f"{done} scanned pages read")

    return on_done, on_page


def _render_document(entry: Examination, *, whole: bool) -> Group:
    if entry.error is not None:
        return Group(
            Text(entry.target, style="bold"), render_fields({"refused": str(entry.error)}), ""
        )
    assert entry.reading and entry.scout and entry.route and entry.measures
    reading, scout = entry.reading, entry.scout
    facts: dict[str, Any] = {
        "class": _describe_class(entry),
        "title": reading.title,
        "language": f"{scout.language} ({entry.measures.language_confidence:.0%} sure)",
        "text": f"{len(reading.text):,} characters, about {scout.estimated_tokens:,} tokens",
        "score": f"{scout.worth_it_score:.2f} {scout.doc_type}, "
        f"{scout.boilerplate_ratio:.0%} boilerplate, "
        f"{scout.determinism_confidence:.0%} chance without a model",
        "route": f"{entry.route.decision.value}: {entry.route.reason}",
    }
    if scout.version_of is not None:
        facts["version"] = f"of {scout.version_of}, with different figures"
    for name, count in (("tables", len(reading.tables)), ("marks", len(reading.marks))):
        if count:
            facts[name] = count
    if entry.scanned is not None:
        facts["scanned"] = entry.scanned.describe()
    for number, warning in enumerate((*reading.warnings, *entry.notes)):
        facts["warning" if number == 0 else f"warning {number + 1}"] = warning
    return Group(
        Text(entry.target, style="bold"), render_fields(facts), Text(_format_text(entry, whole)), ""
    )


def _describe_class(entry: Examination) -> str:
    assert entry.reading
    reading = entry.reading
    parts = [reading.content_class.value, f"{entry.size:,} bytes"]
    if reading.encoding:
        parts.append(f"decoded as {reading.encoding}")
    if reading.pages:
        parts.append(pluralize(len(reading.pages), "page"))
    return ", ".join(parts)


def _format_text(entry: Examination, whole: bool) -> str:
    assert entry.reading
    reading = entry.reading
    if not whole:
        shown = reading.text[:_SHOWN].rstrip()
        return shown + (" …" if len(reading.text) > _SHOWN else "")
    if not reading.pages:
        return reading.text
    return "\n".join(
        f"--- page {page.number}{f' {page.label}' if page.label else ''} ---\n"
        + reading.text[page.start : page.end]
        for page in reading.pages
    )
