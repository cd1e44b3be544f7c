"""`assay civic` for readers: digests, feeds, watches, exports, and how the cities are doing."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from assay.packs.civic import watches
from assay.packs.civic.dossiers import check_topic, choose_meetings, iterate_dossiers
from assay.packs.civic.outputs.digest import build_digest, format_start
from assay.packs.civic.status import describe_status
from assay.sdk.commands import (
    AsJson,
    CommandSession,
    check_output_path,
    format_counts,
    format_time,
    pluralize,
    render_fields,
    render_table,
    session_of,
    write_output,
)
from assay.sdk.screens import escape_controls
from assay.sdk.services import Services

T = TypeVar("T")
CityOption = Annotated[str | None, typer.Option("--city", help="Only of this city.")]
TopicOption = Annotated[str | None, typer.Option("--topic", help="Only about this topic.")]
SinceOption = Annotated[
    str | None, typer.Option("--since", help="Only meetings from this day on, YYYY-MM-DD.")
]


class DigestFormat(StrEnum):
    """How a digest is written."""

    MARKDOWN = "markdown"
    HTML = "html"


class FeedKind(StrEnum):
    """What a feed is for: a calendar or a feed reader."""

    ICAL = "ical"
    ATOM = "atom"


class CivicFormat(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    OCD = "ocd"


def add_people_commands(group: typer.Typer) -> None:
    """Add the commands of this module."""
    group.command("digest")(digest)
    group.command("feed")(feed)
    group.command("export")(export)
    group.command("status")(show_status)
    watch = typer.Typer(
        no_args_is_help=True, help="Watch words and matters, and report what is new."
    )
    watch.command("add")(add_watch)
    watch.command("list")(list_watches)
    watch.command("remove")(remove_watch)
    watch.command("report")(report_watches)
    group.add_typer(watch, name="watch")


def _read(session: CommandSession, function: Callable[..., T], *given: Any) -> T:
    """Read the store in a thread, as everything that blocks does."""

    async def read(services: Services) -> T:
        return await asyncio.to_thread(function, services, *given)

    return session.run(read)


def digest(
    ctx: typer.Context,
    since: Annotated[str, typer.Option("--since", help="From this day on, YYYY-MM-DD.")],
    city: CityOption = None,
    topic: TopicOption = None,
    form: Annotated[DigestFormat, typer.Option("--format", help="How to write it.")] = (
        DigestFormat.MARKDOWN
    ),
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The file to write; by default it is printed."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what was decided, what comes up, and what was cancelled or moved."""
    from assay.packs.civic.outputs.digest_html import render_html
    from assay.packs.civic.outputs.digest_markdown import render_markdown

    session = session_of(ctx, as_json)
    if output is not None:
        check_output_path(output, [])
    found = _read(session, build_digest, since, city, check_topic(topic))
    text = render_html(found) if form is DigestFormat.HTML else render_markdown(found)
    if output is not None:
        write_output(output, text)
        session.say(f"Digest of {pluralize(len(found.cities), 'city', 'cities')} in {output}.")
    elif not session.json:
        typer.echo(escape_controls(text), nl=False)
    session.print_json(asdict(found))


def feed(
    ctx: typer.Context,
    kind: Annotated[FeedKind, typer.Option("--kind", help="For calendars or feed readers.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    city: CityOption = None,
    topic: TopicOption = None,
    since: SinceOption = None,
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="At most this many, the latest.")
    ] = 500,
    as_json: AsJson = False,
) -> None:
    """Write meetings as an iCalendar or Atom feed, to be published or subscribed to."""
    session = session_of(ctx, as_json)
    check_output_path(output, [])
    check_topic(topic)
    text, count = _read(session, _render_feed, kind, city, topic, since, limit)
    write_output(output, text)
    session.say(f"{pluralize(count, 'meeting')} in {output}.")
    session.print_json({"meetings": count, "file": str(output)})


def _render_feed(
    services: Services,
    kind: FeedKind,
    city: str | None,
    topic: str | None,
    since: str | None,
    limit: int,
) -> tuple[str, int]:
    from assay.packs.civic.outputs.atom import render_atom
    from assay.packs.civic.outputs.calendar import count_versions, render_calendar

    title = " ".join(
        [
            "Council meetings",
            *([f"in {city}"] if city else []),
            *([f"about {topic}"] if topic else []),
        ]
    )
    meetings = choose_meetings(services, city, since)
    chosen = []
    # The latest first, so that no more is read than is wanted.
    for dossier in iterate_dossiers(services, meetings[::-1]):
        found = dossier.select_topic(topic)
        if found is not None:
            chosen.append(found)
        if len(chosen) == limit:
            break
    if kind is FeedKind.ATOM:
        return render_atom(title, f"{city or ''}/{topic or ''}", chosen), len(chosen)
    chosen.reverse()
    versions = count_versions(services, [dossier.meeting for dossier in chosen])
    return render_calendar(title, chosen, versions), len(chosen)


def export(
    ctx: typer.Context,
    form: Annotated[CivicFormat, typer.Option("--format", help="The format of the files.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="A new folder for the files.")],
    city: CityOption = None,
    since: SinceOption = None,
    as_json: AsJson = False,
) -> None:
    """Write meetings, items, matters, votes, motions, summaries and papers to files."""
    session = session_of(ctx, as_json)
    counts = _read(session, _export, form, output, city, since)
    session.say(f"Exported to {output}: {format_counts(counts)}.")
    session.print_json({"folder": str(output), "rows": counts})


def _export(
    services: Services, form: CivicFormat, output: Path, city: str | None, since: str | None
) -> dict[str, int]:
    from assay.packs.civic.outputs.open_civic_data import write_open_civic_data
    from assay.packs.civic.outputs.tables import TableReader, write_tables
    from assay.sdk.files import write_folder

    counts: dict[str, int] = {}

    def write_files(folder: Path) -> None:
        if form is CivicFormat.OCD:
            counts.update(write_open_civic_data(services, city, since, folder))
        else:
            counts.update(write_tables(TableReader(services, city, since), form, folder))

    write_folder(output, write_files)
    return counts


def show_status(
    ctx: typer.Context,
    city: Annotated[str | None, typer.Argument(help="Only of this city.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show how the cities are doing: last sync, what is stored, what waits, what failed."""
    session = session_of(ctx, as_json)
    found = _read(session, describe_status, city)
    rows = [
        {
            **row,
            "last_sync": format_time(row["last_sync"]),
            **{name: format_counts(row[name]) for name in ("waiting", "dead")},
        }
        for row in found["cities"]
    ]
    if not rows:
        session.say("No cities yet. 'assay civic add' adds one.")
    elif city is not None:
        session.show(render_fields(rows[0]))
    else:
        columns = [name for name in rows[0] if name not in ("name", "vendor", "found")]
        titles = [name.replace("_", " ") for name in columns]
        session.show(render_table(titles, [[row[name] for name in columns] for row in rows]))
    session.say(f"{pluralize(found['watches'], 'watch', 'watches')}.")
    session.print_json(found)


def add_watch(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(help="Words to look for; a phrase in quotes.")
    ] = None,
    matter: Annotated[str | None, typer.Option(help="A matter to follow, by its id.")] = None,
    city: CityOption = None,
    topic: TopicOption = None,
    as_json: AsJson = False,
) -> None:
    """Watch for agenda items that contain all the words, or for a matter."""
    session = session_of(ctx, as_json)
    added = _read(session, watches.add_watch, words or [], matter, city, topic)
    session.say(f"Watching {watches.describe_watch(added)} as {added.watch_id}.")
    session.say("'assay civic watch report' shows what is new.")
    session.print_json(added.row())


def list_watches(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the watches."""
    session = session_of(ctx, as_json)
    found = _read(session, watches.list_watches)
    for watch in found:
        session.say(f"{watch.watch_id}  {watches.describe_watch(watch)}")
    if not found:
        session.say("No watches yet. 'assay civic watch add' adds one.")
    session.print_json([watch.row() for watch in found])


def remove_watch(
    ctx: typer.Context,
    watch: Annotated[str, typer.Argument(help="The watch's id, as 'watch list' lists it.")],
    as_json: AsJson = False,
) -> None:
    """Stop watching."""
    session = session_of(ctx, as_json)
    _read(session, watches.remove_watch, watch)
    session.say(f"{watch} is removed.")
    session.print_json({"watch_id": watch, "removed": True})


def report_watches(
    ctx: typer.Context,
    since: SinceOption = None,
    again: Annotated[
        bool, typer.Option("--again", help="Show the last report with news once more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Report what is new since the last report. Nothing is reported twice, except with --again."""
    session = session_of(ctx, as_json)
    news = (
        _read(session, watches.repeat_report)
        if again
        else _read(session, watches.report_news, since)
    )
    for row in news:
        number = f"{row['number']} " if row["number"] else ""
        session.say(f"{row['watch']}: {', '.join(row['news'])}")
        session.say(f"   {number}{row['title']}")
        session.say(f"   {row['meeting']}, {row['city']}, {format_start(row['starts'])}")
        if row["action"] or row["tally"]:
            session.say(f"   {', '.join(filter(None, (row['action'], row['tally'])))}")
        for sentence in row["summary"]:
            session.say(f"   · {sentence['text']}")
            for source in sentence["sources"]:
                session.say(f"     {source['name']}  {source['url']}")
        if row["page"]:
            session.say(f"   {row['page']}")
    if not news:
        session.say("Nothing new.")
    session.print_json(news)
