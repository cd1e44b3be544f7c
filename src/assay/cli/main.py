"""The program: global options, the commands, and the single place where it exits."""

import io
import logging
import os
import sys
import threading
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from assay import __version__
from assay.cli.commands import build_core_commands, build_pack_commands
from assay.cli.failures import report_failure
from assay.cli.session import AsJson, Session, session_of


class LogLevel(StrEnum):
    """Lowest severity that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Program(TyperGroup):
    """The root command: imports a command when it is called, and turns any exception into a
    message and an exit code."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands.update(build_core_commands())

    def list_commands(self, ctx: Any) -> list[str]:
        self._add_pack_commands()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # Finding the installed packs means reading the metadata of every package.
        if cmd_name not in self.commands:
            self._add_pack_commands()
        return super().get_command(ctx, cmd_name)

    def _add_pack_commands(self) -> None:
        """Add a command per pack; one named like a command of Assay does not replace it."""
        for command in build_pack_commands():
            assert command.name is not None
            self.commands.setdefault(command.name, command)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        # Looked up before parsing: an invalid command line must be reported as JSON too.
        options = given[: given.index("--")] if "--" in given else given
        session = Session(json="--json" in options)
        code = self._run_to_end(session, given, prog_name, complete_var)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run_to_end(
        self, session: Session, args: list[str], prog_name: str | None, complete_var: str | None
    ) -> int:
        try:
            returned = super().main(
                args=args,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                obj=session,
            )
        except Exception as error:
            return report_failure(session, error)
        return returned if isinstance(returned, int) else 0

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # Reported here, because Typer itself would treat it as an unexpected error.
            raise typer.Exit(report_failure(ctx.obj, error)) from error


program = typer.Typer(
    cls=Program,
    name="assay",
    help="Assay turns public documents into facts that can be cited.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(ctx: typer.Context, is_requested: bool) -> None:
    if is_requested:
        session = session_of(ctx)
        session.say(f"assay {__version__}")
        session.print_json({"version": __version__})
        raise typer.Exit


@program.callback()
def options(
    ctx: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option("--home", help="Folder of the store; default: ASSAY_HOME or ./assay-data."),
    ] = None,
    as_json: AsJson = False,
    log_level: Annotated[
        LogLevel | None,
        typer.Option(help="Lowest severity to log; 'debug' also prints the lines."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_print_version,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    session = session_of(ctx, as_json)
    session.home = home
    session.log_level = log_level.value if log_level else None


def main() -> NoReturn:
    """The entry point of the `assay` script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character must not end a command.
            stream.reconfigure(errors="replace")
    code = program(prog_name="assay", standalone_mode=False)
    _exit_process(code)


def _exit_process(code: int) -> NoReturn:
    """End the process, immediately if a worker could not finish its current work.

    Its threads would keep the process alive for as long as that work takes, or complain while the
    interpreter shuts down. Whatever they have not committed is redone by the next run, so nothing
    is lost by not waiting.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if threading.active_count() > 1:
        os._exit(code)
    sys.exit(code)
