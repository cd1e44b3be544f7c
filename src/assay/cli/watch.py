"""`assay watch`: says what to hear about, and where to send it."""

import asyncio
from typing import Annotated

import typer

from assay.app import watches as app_watches
from assay.app.watches import WatchRequest
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import Columns, explain_empty, pluralize, render_fields, report_list
from assay.cli.session import AsJson, open_app
from assay.errors import InvalidInput
from assay.model.watches import Digest, Shown
from assay.notices.messages import describe_watch

watch = typer.Typer(
    no_args_is_help=True,
    help="Get notified of changes: add, list, show, remove and test watches.",
)
WatchId = Annotated[str, typer.Argument(help="The watch, or the beginning of its id.")]


@watch.command()
def add(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="Words that must all be in changed text: added lines, or a new document. "
            "Quote a phrase; 'tax*' matches any ending."
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Watch this source.")] = None,
    document: Annotated[
        str | None, typer.Option(help="Watch this document: its URL or its id.")
    ] = None,
    concept: Annotated[
        str | None, typer.Option(help="Watch the rules of this concept, by any of its names.")
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(
            help="A channel of the settings, an e-mail address, or 'feed' (the default); "
            "repeatable."
        ),
    ] = None,
    digest: Annotated[
        Digest, typer.Option(help="One message per day or week instead of one per run.")
    ] = "none",
    show: Annotated[
        Shown, typer.Option("--show", help="Show only added lines, or a diff.")
    ] = "added",
    as_json: AsJson = False,
) -> None:
    """Watch a source, a document, a concept or words, from now on.

    Adding the same watch again changes only its channels, digest and what it shows.
    """
    asked = WatchRequest(
        words=words or (),
        source=source,
        document=document,
        concept=concept,
        channels=to or (),
        digest=digest,
        shown=show,
    )
    with open_app(ctx, as_json) as (session, app):
        added = app_watches.add_watch(app, asked)
    channels = ", ".join(added.channels)
    often = "" if added.digest == "none" else f", {added.digest}"
    session.say(f"Watching {describe_watch(added)} ({added.watch_id}); to {channels}{often}.")
    session.print_json(added.model_dump(mode="json"))


@watch.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the watches, and how many notifications each has sent."""
    with open_app(ctx, as_json) as (session, app):
        found = app_watches.list_watches(app)
    columns: Columns = {
        "watch": "watch_id",
        "watches": "watches",
        "to": lambda row: ", ".join(row["channels"]),
        "digest": "digest",
        "waiting": "waiting",
        "sent": "sent",
    }
    report_list(
        session, found, columns, explain_empty("watches", advice="Add one with 'assay watch add'.")
    )


@watch.command()
def show(ctx: typer.Context, watch_id: WatchId, as_json: AsJson = False) -> None:
    """Show one watch, what it reported last, and what could not be delivered."""
    with open_app(ctx, as_json) as (session, app):
        found = app_watches.show_watch(app, watch_id)
    fields = ("watch_id", "watches", "digest", "shown", "waiting", "sent")
    channels = {"channels": ", ".join(found["channels"])}
    session.show(render_fields({**{name: found[name] for name in fields}, **channels}))
    columns: Columns = {
        "found": "created_ms",
        "change": "kind",
        "title": "title",
        "to": "channel",
        "state": "state",
    }
    report_list(session, found["recent"], columns, "Nothing was reported yet.", values=found)
    for failure in found["failed"]:
        session.say(f"not delivered: {failure['error']} ({failure['job_id']})")


@watch.command()
def remove(ctx: typer.Context, watch_id: WatchId, as_json: AsJson = False) -> None:
    """Stop watching; what was sent stays on record, and what waits is not sent."""
    with open_app(ctx, as_json) as (session, app):
        removed = app_watches.remove_watch(app, watch_id)
    session.say(f"No longer watching {describe_watch(removed)} ({removed.watch_id}).")
    session.print_json({"removed": removed.watch_id})


@watch.command()
def test(
    ctx: typer.Context,
    channels: Annotated[
        list[str] | None,
        typer.Argument(help="Channels or e-mail addresses; by default all that are in use."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Send a test message to channels, and report what failed.

    Exit code 5: a channel did not take it.
    """
    with open_app(ctx, as_json) as (session, app):
        names = channels or app_watches.list_channels(app)
        if not names:
            raise InvalidInput(
                "There is no channel to test.",
                advice="Name an e-mail address, or add [channels.NAME] to assay.toml.",
            )
        failures = asyncio.run(
            app_watches.test_channels(app.tools.notifier, names, app.clock.now_ms())
        )
    for name in names:
        session.say(f"{name}: {failures.get(name, 'delivered')}")
    session.print_json(
        [{"channel": n, "ok": n not in failures, "error": failures.get(n)} for n in names]
    )
    if failures:
        session.say(f"{pluralize(len(failures), 'channel')} did not take the test message.")
        raise typer.Exit(ExitCode.FAULTS)
