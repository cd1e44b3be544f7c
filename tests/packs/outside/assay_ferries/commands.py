"""`assay ferries`: the notices at a glance."""

from typing import Annotated

import typer

from assay.sdk.commands import AsJson, session_of
from assay.sdk.services import Services

from .records import FerryNotice


def commands() -> typer.Typer:
    """The commands of this pack."""
    group = typer.Typer(no_args_is_help=True, help="Look at the notices of ferry lines.")

    @group.callback()
    def ferries() -> None:
        """Look at the notices of ferry lines."""

    @group.command("list")
    def list_notices(
        ctx: typer.Context,
        line: Annotated[str | None, typer.Option(help="Only of this line.")] = None,
        as_json: AsJson = False,
    ) -> None:
        """The notices that were read."""
        session = session_of(ctx, as_json)

        async def read(services: Services) -> list[FerryNotice]:
            only = {} if line is None else {"line": line}
            return services.read_records(FerryNotice, **only)

        notices = session.run(read)
        for notice in notices:
            session.say(f"{notice.line}  {notice.status}  {notice.quote}")
        session.print_json([notice.row() for notice in notices])

    return group
