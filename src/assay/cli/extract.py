"""`assay extract`: the facts of any file, without a store."""

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.asking import day_of
from assay.app.extracting import STDIN, FileFacts, Known, choose_facts, extract_files
from assay.app.tools import tools_of
from assay.cli.exits import ExitCode
from assay.cli.read import progress_of
from assay.cli.session import AsJson, Session, session_of
from assay.cli.show import plural, record
from assay.ruling.declaration import Facts
from assay.ruling.facts.gates import Accepted, Rejected
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.rules.conditions import is_always, parse, rendered
from assay.ruling.rules.readable import period_said, value_said

_LANGUAGE = re.compile(r"[a-z]{2,3}")


def extract(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Argument(help="Files, or addresses to fetch; - is what is piped.")
    ],
    pack: Annotated[
        str | None,
        typer.Option("--pack", help="Who extracts; default: the only pack with facts."),
    ] = None,
    published: Annotated[
        str | None, typer.Option("--published", help="The day of publication, as 2026-01-31.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="A code such as en; default: detected.")
    ] = None,
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Give the facts of files with quote, span and page, and the rejected ones with their reasons.

    Nothing is stored and no model is asked.
    """
    session = session_of(ctx, as_json)
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise typer.BadParameter(f"'{language}' is not a language code; use one such as en or fr")
    known = Known(language, None if published is None else day_of(published).isoformat())
    facts = choose_facts(session.settings, pack)
    found = asyncio.run(_extracted(session, files, facts, known, ocr))
    session.print_json({"files": [entry.values() for entry in found]})
    for entry in found:
        session.show(_screen(entry))
    if any(entry.error is not None for entry in found):
        raise typer.Exit(ExitCode.INPUT)


async def _extracted(
    session: Session, files: Sequence[str], pack: Facts, known: Known, ocr: bool
) -> list[FileFacts]:
    tools = tools_of(session.settings)
    # One byte more than is read, so that too much is told as such.
    piped = sys.stdin.buffer.read(tools.scout.limits.max_bytes + 1) if STDIN in files else b""
    try:
        with progress_of(session, len(files)) as (on_done, on_page):
            return await extract_files(
                files,
                tools,
                pack,
                known=known,
                ocr=ocr,
                piped=piped,
                on_done=on_done,
                on_page=on_page,
            )
    finally:
        await tools.close()


def _screen(entry: FileFacts) -> Group:
    return Group(*_lines(entry))


def _lines(entry: FileFacts) -> Iterator[RenderableType]:
    yield Text(entry.file, style="bold")
    if entry.error is not None:
        yield record({"refused": str(entry.error)})
        yield Text("")
        return
    assert entry.reading and entry.extracted
    found = entry.extracted
    coverage = found.coverage
    fields = {
        "title": entry.reading.title,
        "language": entry.language,
        "facts": f"{len(found.accepted)}, {len(found.rejected)} rejected",
        "coverage": f"{coverage.covered} of {plural(coverage.relevant, 'relevant sentence')}"
        f" ({coverage.share:.0%})",
    }
    for number, warning in enumerate(entry.warnings):
        fields["warning" if number == 0 else f"warning {number + 1}"] = warning
    yield record(fields)
    for fact in found.accepted:
        yield Text("")
        yield from _fact(fact, entry.pack)
    for refused in found.rejected:
        yield Text("")
        yield from _rejected(refused)
    yield Text("")


def _fact(fact: Accepted, pack: Facts) -> Iterator[Text]:
    said = fact.proposed
    line = Text(_claim(said), style="bold")
    line.append(f"  {pack.tier_of(said.predicate)}, {said.confidence:.0%} sure", style="dim")
    yield line
    condition = parse(said.applies_when)
    if not is_always(condition):
        yield Text(f"  if {rendered(condition)}")
    if said.effective_from is not None or said.effective_until is not None:
        yield Text(f"  {period_said(said.effective_from, said.effective_until)}")
    if said.amends:
        yield Text(f"  amends{f', in place of {said.replaces}' if said.replaces else ''}")
    yield Text(f"  “{' '.join(fact.quote.split())}”")
    place = [f"characters {fact.start} to {fact.end}"]
    place += [] if fact.page is None else [f"page {fact.page}"]
    place += [said.article] if said.article else []
    yield Text(f"  {', '.join(place)}", style="dim")


def _rejected(refused: Rejected) -> Iterator[Text]:
    yield Text(f"rejected: {_claim(refused.proposed)}", style="yellow")
    yield Text(f"  {refused.reason.value}: {refused.detail}")
    yield Text(f"  “{' '.join(refused.proposed.quote.split())}”")


def _claim(said: ProposedFact) -> str:
    return f"{said.concept}: {value_said(said.value, said.value_type, said.unit)}"
