"""`assay sources`: adds sources, shows their health, pauses and unpauses them."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from assay.app import known_sources, source_folders
from assay.app import sources as app_sources
from assay.app.installed_packs import HomePacks
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import (
    Columns,
    describe_missing_pack,
    explain_empty,
    format_counts,
    format_time,
    pluralize,
    render_fields,
    report_list,
)
from assay.cli.session import AsJson, open_app, session_of
from assay.governor.health import PAUSE_HOURS
from assay.sources.folders.parameters import parse_choices

sources = typer.Typer(
    no_args_is_help=True,
    help="Try, add and remove sources, show them and their health; pause or unpause one.",
)
Slug = Annotated[str, typer.Argument(help="The source.")]
OfPack = Annotated[str | None, typer.Option("--pack", help="Only those of this pack.")]


@sources.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List every source with its health, and what that allows it to spend."""
    with open_app(ctx, as_json) as (session, app):
        found = app_sources.list_sources(app)
    columns: Columns = {
        "source": "source_slug",
        "health": lambda source: f"{source['health_score']:.2f}",
        "level": "level",
        "threshold": lambda source: f"{source['scout_threshold']:.2f}",
        "cloud": lambda source: _format_flag(source["allow_cloud"]),
        "budget": lambda source: f"× {source['budget_multiplier']:g}",
        "attempts": "total_attempts",
        "good": "success_count",
        "empty": "empty_count",
        "errors": "error_count",
        "watched": lambda source: _format_flag(source["active"]),
        "paused until": _describe_pause_end,
    }
    empty = explain_empty("sources", advice="Add one with 'assay sources add'.")
    report_list(session, found, columns, empty)


@sources.command()
def show(ctx: typer.Context, slug: Slug, as_json: AsJson = False) -> None:
    """Show one source with its endpoints and the states of its documents."""
    with open_app(ctx, as_json) as (session, app):
        found = app_sources.describe_source(app, slug)
    fields = {name: value for name, value in found.items() if name != "endpoints"}
    fields["candidates"] = format_counts(found["candidates"])
    fields["packs"] = ", ".join(found["packs"])
    fields["routing"] = format_counts(found["routing"])
    session.show(render_fields(fields))
    columns: Columns = {
        "endpoint": "endpoint_id",
        "active": lambda endpoint: _format_flag(endpoint["active"]),
        "last check": "last_scraped_ms",
        "error": "last_error",
        "alarm": "alarm",
    }
    report_list(session, found["endpoints"], columns, explain_empty("endpoints"), values=found)


@sources.command()
def pause(
    ctx: typer.Context,
    slug: Slug,
    reason: Annotated[str, typer.Option(help="Why; stored and shown to others.")],
    hours: Annotated[
        float | None, typer.Option(min=0.01, help=f"For how long; {PAUSE_HOURS:g} by default.")
    ] = None,
    until_unpaused: Annotated[
        bool, typer.Option("--until-unpaused", help="Until 'assay sources unpause'.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Stop a source from spending: its documents are found and read, but no model is called."""
    if until_unpaused and hours is not None:
        raise typer.BadParameter("give --hours or --until-unpaused, not both")
    session = session_of(ctx, as_json)
    lasts = None if until_unpaused else (PAUSE_HOURS if hours is None else hours)
    with session.app() as app:
        found = app_sources.pause_source(app, slug, reason, lasts)
    session.say(f"Source '{slug}' is paused until {_describe_pause_end(found)}.")
    session.print_json({"source": slug, **found})


@sources.command()
def unpause(ctx: typer.Context, slug: Slug, as_json: AsJson = False) -> None:
    """Unpause a source; the next run picks up the documents that waited."""
    with open_app(ctx, as_json) as (session, app):
        was_paused, documents = app_sources.unpause_source(app, slug)
    if was_paused:
        waited = f"; {pluralize(documents, 'document')} waited for it" if documents else ""
        session.say(f"Source '{slug}' is unpaused{waited}.")
    else:
        session.say(f"Source '{slug}' is not paused.")
    session.print_json({"source": slug, "unpaused": was_paused, "documents": documents})


@sources.command()
def available(ctx: typer.Context, pack: OfPack = None, as_json: AsJson = False) -> None:
    """List the sources that come with Assay, with their licences, options and caveats."""
    session = session_of(ctx, as_json)
    found = known_sources.list_available_sources(pack)
    columns: Columns = {
        "source": "source",
        "pack": "pack",
        "name": "name",
        "rank": "hierarchy",
        "endpoints": lambda source: ", ".join(source["endpoints"]),
        "note": lambda source: "template to copy" if source["template"] else "",
    }
    report_list(session, found, columns, explain_empty("sources", pack))
    for source in found:
        for line in _describe_terms(source):
            session.say(line)


def _describe_terms(source: Mapping[str, Any]) -> list[str]:
    """What a person should know before adding a source."""
    given = {"licence": source["licence"], "caveats": source["caveats"]}
    for name, option in source["options"].items():
        default = ", ".join(option["default"])
        given[f"option {name}"] = f"{option['about']} Default: {default}."
    told = [f"  {name}: {value}" for name, value in given.items() if value]
    return [source["source"], *told] if told else []


@sources.command()
def check(
    ctx: typer.Context,
    targets: Annotated[
        list[str], typer.Argument(help="Folders, or names of sources that come with Assay.")
    ],
    as_json: AsJson = False,
) -> None:
    """Test source folders on their examples; nothing is fetched or stored."""
    session = session_of(ctx, as_json)
    paths = [known_sources.find_source_folder(target) for target in targets]
    with session.working("Reading the examples"):
        found = source_folders.check_folders(session.settings, paths)
    for target, checked in zip(targets, found, strict=True):
        if checked.ok:
            session.say(f"{target}: {pluralize(checked.examples, 'example')} as expected.")
        if checked.missing_pack:
            session.say(f"{target}: {describe_missing_pack(checked.missing_pack)}")
        for failure in checked.failures:
            session.say(f"{target}: {failure}")
    session.print_json(
        [
            {
                "folder": str(c.folder),
                "ok": c.ok,
                "examples": c.examples,
                "failures": c.failures,
                "missing_pack": c.missing_pack,
            }
            for c in found
        ]
    )
    if not all(checked.ok for checked in found):
        raise typer.Exit(ExitCode.FAULTS)


@sources.command("try")
def try_(
    ctx: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="URL|FILE", help="An address, or a file saved from the site.")
    ],
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="How to read it; proposed by default.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", help="An option, such as item=li.act; repeatable."),
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help="Where the file was saved from.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try selectors on a listing: show what it yields and which of them match. Nothing is stored.

    The options are those of an endpoint: within, item, link, title, date, next, and so on. Exit
    code 5: no entry is found.
    """
    from assay.app.source_proposals import try_source
    from assay.cli.trials import report_trial

    session = session_of(ctx, as_json)
    tried = try_source(session.settings, target, strategy=strategy, selects=select or (), url=url)
    report_trial(session, tried)
    session.print_json(tried.values())
    if not (tried.trial.listing.items or tried.trial.listing.parts):
        raise typer.Exit(ExitCode.FAULTS)


@sources.command()
def add(
    ctx: typer.Context,
    target: Annotated[
        str, typer.Argument(help="A folder, or the name of a source that comes with Assay.")
    ],
    pack: Annotated[
        str | None, typer.Option("--pack", help="The pack that the source belongs to.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="A choice that the source offers, such as title=12."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Watch the source in a folder, or update a watched one; safe to repeat."""
    session = session_of(ctx, as_json)
    path = known_sources.find_source_folder(target, pack, HomePacks(session.settings.home).names())
    with session.app() as app:
        added = source_folders.add_source(app, path, pack, parse_choices(option or ()))
        missing = app_sources.list_unread_sources(app).get(added.source)
    count = pluralize(len(added.endpoints), "endpoint")
    if added.is_new:
        session.say(f"Source '{added.source}' is now watched at {count}.")
    elif added.changes:
        session.say(f"Source '{added.source}' has changed:")
    else:
        session.say(f"Source '{added.source}' is already watched; nothing has changed.")
    if not added.is_new:
        for change in added.changes:
            session.say(f"  {change}")
    for name in added.left:
        session.say(f"  endpoint {name} is no longer in the folder; it is still watched")
    if missing is not None:
        session.say(f"Source '{added.source}': {describe_missing_pack(missing)}")
    session.print_json(
        {
            "source": added.source,
            "missing_pack": missing,
            "new": added.is_new,
            "endpoints": added.endpoints,
            "changes": added.changes,
            "left": added.left,
        }
    )


@sources.command()
def remove(ctx: typer.Context, slug: Slug, as_json: AsJson = False) -> None:
    """Stop watching a source and keep everything that came from it; safe to repeat.

    'assay sources add' watches it again.
    """
    with open_app(ctx, as_json) as (session, app):
        was_watched = app_sources.remove_source(app, slug)
    if was_watched:
        session.say(f"Source '{slug}' is no longer watched. Its evidence, facts and rules stay.")
    else:
        session.say(f"Source '{slug}' is not watched.")
    session.print_json({"source": slug, "removed": was_watched})


def _format_flag(value: bool) -> str:
    return "yes" if value else "no"


def _describe_pause_end(source: Mapping[str, Any]) -> str:
    if not source["is_paused"]:
        return ""
    expires_ms = source["pause_expires_ms"]
    return "a person unpauses it" if expires_ms is None else format_time(expires_ms)
