"""`assay extract`: extracts the facts of any file, without a store."""

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.asking import parse_day
from assay.app.extracting import STDIN, FileFacts, FileMetadata, choose_facts, extract_files
from assay.app.tools import build_tools
from assay.cli.exit_codes import ExitCode
from assay.cli.read import show_reading_progress
from assay.cli.rendering import pluralize, render_fields
from assay.cli.session import AsJson, Session, session_of
from assay.ruling.declaration import Facts
from assay.ruling.facts.coverage import Coverage
from assay.ruling.facts.gates import AcceptedFact, RejectedFact
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.rules.conditions import is_always, parse_condition, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_SHOWN = 160
"""The most characters of one provision of a fact's context."""


def extract(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Argument(help="Files, or addresses to fetch; - reads standard input.")
    ],
    pack: Annotated[
        str | None,
        typer.Option("--pack", help="The pack that extracts; default: the only one with facts."),
    ] = None,
    published: Annotated[
        str | None, typer.Option("--published", help="The date of publication, YYYY-MM-DD.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="A code such as en; default: detected.")
    ] = None,
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Extract facts from files, with quote, span and page, and list rejected ones with reasons.

    Nothing is stored and no model is called.
    """
    session = session_of(ctx, as_json)
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise typer.BadParameter(f"'{language}' is not a language code; use one such as en or fr")
    known = FileMetadata(language, None if published is None else parse_day(published).isoformat())
    facts = choose_facts(session.settings, pack)
    found = asyncio.run(_extract_with_progress(session, files, facts, known, ocr))
    session.print_json({"files": [entry.values() for entry in found]})
    for entry in found:
        session.show(Group(*_render_lines(entry)))
    if any(entry.error is not None for entry in found):
        raise typer.Exit(ExitCode.INPUT)


async def _extract_with_progress(
    session: Session, files: Sequence[str], pack: Facts, known: FileMetadata, ocr: bool
) -> list[FileFacts]:
    tools = build_tools(session.settings)
    # One byte more than the limit, to detect input that is too large.
    piped = sys.stdin.buffer.read(tools.scout.limits.max_bytes + 1) if STDIN in files else b""
    try:
        with show_reading_progress(session, len(files)) as (on_done, on_page):
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


def _describe_coverage(coverage: Coverage) -> str:
    if coverage.share is None:
        return "– (no relevant sentences)"
    sentences = pluralize(coverage.relevant, "relevant sentence")
    values = pluralize(coverage.values_total, "value")
    found = f", {coverage.values_found} of {values}" if coverage.values_total else ""
    return f"{coverage.covered} of {sentences} ({coverage.share:.0%}){found}"


def _render_lines(entry: FileFacts) -> Iterator[RenderableType]:
    yield Text(entry.file, style="bold")
    if entry.error is not None:
        yield render_fields({"refused": str(entry.error)})
        yield Text("")
        return
    assert entry.reading and entry.extracted
    found = entry.extracted
    fields = {
        "title": entry.reading.title,
        "language": entry.language,
        "facts": f"{len(found.accepted)}, {len(found.rejected)} rejected",
        "coverage": _describe_coverage(found.coverage),
    }
    for number, warning in enumerate(entry.warnings):
        fields["warning" if number == 0 else f"warning {number + 1}"] = warning
    yield render_fields(fields)
    for fact in found.accepted:
        yield Text("")
        yield from _render_fact(fact, entry.pack)
    for refused in found.rejected:
        yield Text("")
        yield from _render_rejected(refused)
    yield Text("")


def _render_fact(fact: AcceptedFact, pack: Facts) -> Iterator[Text]:
    claim = fact.proposed
    line = Text(_describe_claim(claim), style="bold")
    line.append(f"  {pack.tier_of(claim.predicate)}, {claim.confidence:.0%} sure", style="dim")
    yield line
    condition = parse_condition(claim.applies_when)
    if not is_always(condition):
        yield Text(f"  if {render_condition(condition)}")
    if claim.effective_from is not None or claim.effective_until is not None:
        yield Text(f"  {describe_period(claim.effective_from, claim.effective_until)}")
    if claim.amends:
        yield Text(f"  amends{f', replacing {claim.replaces}' if claim.replaces else ''}")
    if claim.context:
        yield Text(f"  in: {'; '.join(map(_shorten, claim.context))}", style="dim")
    yield Text(f"  “{' '.join(fact.quote.split())}”")
    place = [f"characters {fact.start} to {fact.end}"]
    place += [] if fact.page is None else [f"page {fact.page}"]
    place += [claim.article] if claim.article else []
    yield Text(f"  {', '.join(place)}", style="dim")


def _render_rejected(refused: RejectedFact) -> Iterator[Text]:
    yield Text(f"rejected: {_describe_claim(refused.proposed)}", style="yellow")
    yield Text(f"  {refused.reason.value}: {refused.detail}")
    yield Text(f"  “{' '.join(refused.proposed.quote.split())}”")


def _shorten(words: str) -> str:
    """The beginning of a provision in the context; '--json' has all of it."""
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(' ')[0]} …"


def _describe_claim(claim: ProposedFact) -> str:
    return f"{claim.concept}: {describe_value(claim.value, claim.value_type, claim.unit)}"
