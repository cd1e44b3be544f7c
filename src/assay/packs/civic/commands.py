"""`assay civic`: add cities, synchronize and process them, and read what was found."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from assay.packs.civic import queries
from assay.packs.civic.cities import (
    add_city,
    build_options,
    plan_city_sync,
    plan_due_syncs,
    plan_failed_syncs,
)
from assay.packs.civic.commands_people import add_people_commands
from assay.packs.civic.dossiers import check_topic
from assay.packs.civic.ids import check_banana
from assay.packs.civic.portals import PORTALS
from assay.packs.civic.probe import Probe, detect_site, probe_portal
from assay.sdk.commands import (
    AsJson,
    ExitCode,
    check_output_path,
    pluralize,
    render_fields,
    render_table,
    session_of,
    write_output,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.services import Services
from assay.sdk.stages import Payload

CityName = Annotated[str, typer.Argument(help="The city's id, such as paloaltoCA.")]
SomeCity = Annotated[
    str | None, typer.Argument(help="The city's id; without it, all that are due.")
]
Failed = Annotated[bool, typer.Option("--failed", help="All cities whose last sync failed.")]
MeetingName = Annotated[str, typer.Argument(help="The meeting's id, as 'meetings' lists it.")]
Most = Annotated[
    int | None,
    typer.Option(
        "--limit", min=1, help="List at most this many; by default 50, and all with --json."
    ),
]


def commands() -> typer.Typer:
    """The commands of this pack."""
    group = typer.Typer(no_args_is_help=True, help="Follow the meetings of councils and boards.")
    group.command("add")(add)
    group.command("detect")(detect)
    group.command("cities")(list_cities)
    group.command("sync")(sync)
    group.command("process")(process)
    group.command("run")(run_city)
    group.command("meetings")(list_meetings)
    group.command("preview-queue")(preview_queue)
    group.command("preview-items")(preview_items)
    group.command("extract-text")(extract_text)
    group.command("search")(search)
    group.command("matter")(show_matter)
    add_people_commands(group)
    return group


def add(
    ctx: typer.Context,
    city: CityName,
    vendor: Annotated[str, typer.Option(help="The vendor of its portal.")],
    site: Annotated[str, typer.Option(help="The vendor's name for the city, or the address.")],
    name: Annotated[str | None, typer.Option(help="The city's name for people.")] = None,
    timezone: Annotated[str, typer.Option(help="Its time zone.")] = "America/New_York",
    probe: Annotated[bool, typer.Option(help="Ask the portal first what it lists.")] = True,
    as_json: AsJson = False,
) -> None:
    """Ask a city's portal what it lists, and watch it from now on."""
    session = session_of(ctx, as_json)
    banana = check_banana(city)
    portal = next((each for each in PORTALS if each.name == vendor), None)
    if portal is None:
        known = ", ".join(sorted(each.name for each in PORTALS))
        raise InvalidInput(f"'{vendor}' is not a known vendor.", advice=f"Vendors: {known}.")

    async def store(services: Services) -> dict[str, Any]:
        options = build_options(site, timezone)
        found = await probe_portal(services, portal, options) if probe else None
        added = await asyncio.to_thread(
            add_city, services, portal, banana, name or banana[:-2].title(), options
        )
        return {**added, "probe": None if found is None else asdict(found)}

    added = session.run(store)
    if added["probe"] is not None:
        session.say(Probe(**added["probe"]).describe())
    session.say(f"{banana} is watched at {added['url']}. 'assay civic run {banana}' looks at it.")
    session.print_json(added)


def detect(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(help="A page of the city, or of its portal.")],
    as_json: AsJson = False,
) -> None:
    """Find out which vendor's portal an address belongs or links to."""
    session = session_of(ctx, as_json)
    found = session.run(lambda services: detect_site(services, url))
    session.say(f"{found.vendor}: --vendor {found.vendor} --site {found.site}")
    if found.others:
        session.say(f"It might also be {', '.join(str(other) for other in found.others)}.")
    session.print_json(asdict(found))


def list_cities(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the cities that are watched, with their meetings and last synchronization."""
    session = session_of(ctx, as_json)
    found = session.run(queries.list_cities)
    columns = ["banana", "vendor", "site", "meetings", "last_sync", "status", "error"]
    _show_rows(session, columns, found, "No cities yet. 'assay civic add' adds one.")


def sync(
    ctx: typer.Context, city: SomeCity = None, failed: Failed = False, as_json: AsJson = False
) -> None:
    """Look at the portal of a city, or of all that are due, and fetch documents; process nothing.

    Exit code 5: a portal could not be read, or there are other dead letters.
    """
    _work_on_cities(ctx, city, failed, as_json, sync_only=True)


def run_city(
    ctx: typer.Context, city: SomeCity = None, failed: Failed = False, as_json: AsJson = False
) -> None:
    """Look at the portal of a city, or of all that are due, fetch documents and process them.

    Exit code 5: a portal could not be read, or there are other dead letters.
    """
    _work_on_cities(ctx, city, failed, as_json, sync_only=False)


def process(ctx: typer.Context, city: CityName, as_json: AsJson = False) -> None:
    """Process what is known about a city's meetings, without looking at its portal.

    Exit code 5: there are new dead letters.
    """
    session = session_of(ctx, as_json)
    banana = check_banana(city)
    _report_work(session, session.work_on(lambda services: queries.plan_process(services, banana)))


def _work_on_cities(
    ctx: typer.Context, city: str | None, failed: bool, as_json: bool, *, sync_only: bool
) -> None:
    session = session_of(ctx, as_json)
    banana = None if city is None else check_banana(city)
    if banana is not None and failed:
        raise InvalidInput("--failed chooses the cities itself.", advice=f"Leave out {banana}.")

    def plan(services: Services) -> list[tuple[str, Payload]]:
        if banana is not None:
            return plan_city_sync(services, banana)
        return plan_failed_syncs(services) if failed else plan_due_syncs(services)

    done = session.work_on(plan, sync_only=sync_only)
    if done["run_id"] is None:
        session.say("No city's last sync failed." if failed else "No city is due.")
        session.print_json({**done, "failed": []})
        return
    failures = session.run(lambda services: queries.list_failures(services, done["run_id"]))
    _report_work(session, {**done, "failed": failures})


def _report_work(session: Any, done: dict[str, Any]) -> None:
    session.print_json(done)
    failures = done.get("failed", [])
    for row in failures:
        session.say(f"{row['banana']} failed: {row['error']}")
    if failures:
        session.say(f"'assay civic sync --failed' tries {_count_cities(failures)} again.")
    if done["jobs_left"]:
        session.say(f"{pluralize(done['jobs_left'], 'job')} left; 'assay run' does them.")
    if done["dead"]:
        session.say(f"{pluralize(done['dead'], 'dead letter')}; 'assay dead list' shows why.")
    if done["dead"] or failures:
        raise typer.Exit(ExitCode.FAULTS)


def _count_cities(rows: list[dict[str, Any]]) -> str:
    return "it" if len(rows) == 1 else f"these {len(rows)} cities"


def list_meetings(
    ctx: typer.Context,
    city: Annotated[str | None, typer.Option(help="Only of this city.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this day on, YYYY-MM-DD.")] = None,
    limit: Most = None,
    as_json: AsJson = False,
) -> None:
    """List meetings, the latest first."""
    session = session_of(ctx, as_json)
    most = session.choose_limit(limit)
    found, left_out = session.run(
        lambda services: queries.list_meetings(services, city, since, most)
    )
    columns = ["meeting_id", "starts", "title", "body", "status", "items", "summaries"]
    _show_rows(session, columns, found, "No meetings. 'assay civic run CITY' looks for some.")
    session.report_left_out(left_out)


def preview_queue(
    ctx: typer.Context,
    city: Annotated[str | None, typer.Argument(help="Only of this city.")] = None,
    limit: Most = None,
    as_json: AsJson = False,
) -> None:
    """Show the jobs that wait for processing, in the order in which they are taken."""
    session = session_of(ctx, as_json)
    most = session.choose_limit(limit)
    found, left_out = session.run(lambda services: queries.list_waiting(services, city, most))
    columns = ["priority", "job_type", "subject", "city", "attempt"]
    _show_rows(session, columns, found, "Nothing waits for processing.")
    session.report_left_out(left_out)


def preview_items(ctx: typer.Context, meeting: MeetingName, as_json: AsJson = False) -> None:
    """Show a meeting's agenda items with their documents, summaries, or why they are set aside."""
    session = session_of(ctx, as_json)
    found = session.run(lambda services: queries.describe_meeting(services, meeting))
    shown = ("title", "starts", "body", "status", "location", "page", "video")
    session.show(render_fields({name: found[name] for name in shown if found[name]}))
    for item in found["items"]:
        session.say(f"\n{item['number'] or item['sequence']}  {item['title']}")
        if item["filter_reason"]:
            session.say(f"   set aside: {item['filter_reason']}")
        for paper in item["papers"]:
            session.say(f"   {paper['name']}  {paper['url']}")
        for sentence in item["summary"]:
            session.say(f"   · {sentence}")
    for sentence in found["summary"]:
        session.say(f"· {sentence}")
    session.print_json(found)


def extract_text(
    ctx: typer.Context,
    meeting: MeetingName,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    as_json: AsJson = False,
) -> None:
    """Write the text of a meeting's documents to a file."""
    session = session_of(ctx, as_json)
    check_output_path(output, [])
    found = session.run(lambda services: queries.collect_texts(services, meeting))
    write_output(output, found["text"])
    session.say(f"{pluralize(found['documents'], 'document')} of {meeting} in {output}.")
    session.print_json({"documents": found["documents"], "characters": len(found["text"])})


def search(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(help="All of these words.")],
    city: Annotated[str | None, typer.Option(help="Only in this city.")] = None,
    topic: Annotated[str | None, typer.Option(help="Only with this topic.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this day on, YYYY-MM-DD.")] = None,
    limit: Most = None,
    as_json: AsJson = False,
) -> None:
    """Find agenda items by words of their titles and summaries, the latest first."""
    session = session_of(ctx, as_json)
    check_topic(topic)
    most = session.choose_limit(limit)
    found, left_out = session.run(
        lambda services: queries.search_items(services, words, city, topic, since, most)
    )
    columns = ["starts", "city", "title", "topics", "item_id"]
    _show_rows(session, columns, found, "Nothing matches.")
    session.report_left_out(left_out)


def show_matter(
    ctx: typer.Context,
    matter: Annotated[str, typer.Argument(help="The matter's id, such as paloaltoCA_25-1234.")],
    as_json: AsJson = False,
) -> None:
    """Show a matter and its way through the meetings."""
    session = session_of(ctx, as_json)
    found = session.run(lambda services: queries.describe_matter(services, matter))
    shown = ("matter_id", "title", "matter_file", "matter_type", "topics")
    session.show(render_fields({name: found[name] for name in shown if found[name]}))
    for sentence in found["summary"]:
        session.say(f"· {sentence}")
    columns = ["starts", "title", "body", "decision", "tally", "item_id"]
    _show_rows(session, columns, found["appearances"], "It was on no agenda yet.", found)


def _show_rows(
    session: Any, columns: list[str], rows: list[dict[str, Any]], empty: str, value: Any = None
) -> None:
    """Print a table, or a sentence if it is empty; with --json, the rows or the value."""
    cells = [[_format_cell(row[name]) for name in columns] for row in rows]
    titles = [name.replace("_", " ") for name in columns]
    session.show(render_table(titles, cells) if rows else Text(empty))
    session.print_json(rows if value is None else value)


def _format_cell(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, list) else value
