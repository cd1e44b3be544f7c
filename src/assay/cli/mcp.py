"""`assay mcp`: lets an assistant look things up, over the Model Context Protocol."""

import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from assay.cli.rendering import render_table
from assay.cli.session import AsJson, Session, session_of
from assay.cli.signals import catch_signals

if TYPE_CHECKING:
    from assay.assistants.catalog import ToolCatalog


def mcp(
    ctx: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Answer over HTTP, on this machine only.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port for --http; 0 picks a free one.")
    ] = 8765,
    list_tools: Annotated[
        bool, typer.Option("--list", help="List the tools, and answer nobody.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let an assistant look things up over MCP, on standard input and output.

    The tools find released rules, evidence, open questions and what packs add. They only read: no
    tool changes the store, fetches anything or asks a model. The assistant's program starts this
    command itself, and it ends when that program closes its input.
    """
    from assay.assistants.catalog import ToolCatalog

    session = session_of(ctx, as_json)
    with session.app(read_only=True) as app:
        catalog = ToolCatalog(app)
        if list_tools:
            _show_tools(session, catalog)
        elif http:
            _serve_http(session, catalog, port)
        else:
            _serve_stdio(session, catalog)


def _show_tools(session: Session, catalog: "ToolCatalog") -> None:
    rows = [[each.name, each.tool.description] for each in catalog.tools.values()]
    session.show(render_table(["tool", "finds"], rows))
    session.print_json(
        [
            {
                "name": each.name,
                "description": each.tool.description,
                "input": each.describe_input(),
            }
            for each in catalog.tools.values()
        ]
    )


def _serve_stdio(session: Session, catalog: "ToolCatalog") -> None:
    from assay.assistants.mcp_server import serve_stdio

    if sys.stdin.isatty():
        note = "Waiting for an assistant on standard input; press Ctrl-C to stop."
        session.err.print(Text(note), soft_wrap=True)
    # A thread that waits for input cannot be interrupted; and there is nothing to finish.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(catalog.close_after(serve_stdio(catalog)))


def _serve_http(session: Session, catalog: "ToolCatalog", port: int) -> None:
    from assay.assistants.mcp_server import HOST, PATH, open_listener, serve_http

    with open_listener(port) as listener:
        url = f"http://{HOST}:{listener.getsockname()[1]}{PATH}"
        session.say(f"Serving {url}; press Ctrl-C to stop.")
        session.print_json({"url": url})
        session.out.file.flush()
        with catch_signals(_say_nothing) as stop:
            asyncio.run(catalog.close_after(serve_http(catalog, listener)))
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)


def _say_nothing(_line: str) -> None:
    """The server has finished its requests before it passes the signal on."""
