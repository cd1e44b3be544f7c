"""`assay serve`: gives the same answers over HTTP."""

import asyncio
from ipaddress import ip_address
from typing import Annotated

import typer

from assay.cli.session import AsJson, Session, session_of
from assay.cli.signals import catch_signals
from assay.server import serve as serve_app


def serve(
    ctx: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")
    ] = 8080,
    as_json: AsJson = False,
) -> None:
    """Show the console, and answer over HTTP below /api/, until Ctrl-C."""
    session = session_of(ctx, as_json)

    def on_ready(url: str) -> None:
        session.say(f"Serving {url}; press Ctrl-C to stop.")
        _warn_if_public(session, host)
        session.print_json({"url": url})
        session.out.file.flush()

    with session.app() as app, catch_signals(session.say) as stop:
        asyncio.run(serve_app(app, host, port, stop=stop.event, on_ready=on_ready))
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)


def _warn_if_public(session: Session, host: str) -> None:
    """Warn that anyone who can reach the server can read everything, and spend."""
    if not _is_loopback(host):
        session.say(
            f"{host} may be reachable by others: anyone who reaches it can read all rules "
            "and trigger model calls, within the budgets."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
