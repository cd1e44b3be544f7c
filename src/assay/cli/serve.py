"""`assay serve`: gives the same answers over HTTP."""

import asyncio
from typing import Annotated

import typer

from assay.app.access import refuse_open_server
from assay.cli.session import AsJson, session_of
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
    """Show the console, and answer over HTTP below /api/, until Ctrl-C.

    Where only this machine reaches the server, nobody logs in. Any other address, and a public name
    in serve_hosts, needs a login, and is refused unless there is a user ('assay users add').
    """
    session = session_of(ctx, as_json)
    needs_login = False

    def on_ready(url: str) -> None:
        session.say(f"Serving {url}; press Ctrl-C to stop.")
        if needs_login:
            session.say(
                "People log in, and programs need a token. Put a proxy with TLS in front: without "
                "it, passwords and answers can be read on the way."
            )
        session.print_json({"url": url})
        session.out.file.flush()

    with session.app() as app, catch_signals(session.say) as stop:
        needs_login = refuse_open_server(app, host)
        asyncio.run(serve_app(app, host, port, stop=stop.event, on_ready=on_ready))
    if stop.signal is not None:
        raise typer.Exit(stop.exit_code)
