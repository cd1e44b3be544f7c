"""The program: global options, the commands, and the one place where it ends."""

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
    """Least severe lines of the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Program(TyperGroup):
    """The root command: imports a command when it is called, and turns whatever it raises into a
    message and an exit code."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands.update(build_core_commands())

    def list_commands(self, ctx: Any) -> list[str]:
        self._add_pack_commands()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # Which packs are installed takes reading the metadata of every package.
        if cmd_name not in self.commands:
            self._add_pack_commands()
        return super().get_command(ctx, cmd_name)

    def _add_pack_commands(self) -> None:
        """A pack that has the name of a command of Assay's does not take its place."""
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
        # Known before parsing, so that a wrong command line, too, is told the way that was asked.
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
            # Told here, because Typer's own way out would call it an unforeseen error.
            raise typer.Exit(report_failure(ctx.obj, error)) from error


program = typer.Typer(
    cls=Program,
    name="assay",
    help="Assay turns public documents into facts that can be cited.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        session = session_of(ctx)
        session.say(f"assay {__version__}")
        session.print_json({"version": __version__})
        raise typer.Exit


@program.callback()
def options(
    ctx: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option("--home", help="Folder of the store; else ASSAY_HOME, else ./assay-data."),
    ] = None,
    as_json: AsJson = False,
    log_level: Annotated[
        LogLevel | None,
        typer.Option(help="Least severe lines of the log; 'debug' also prints them."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print it and end."),
    ] = False,
) -> None:
    session = session_of(ctx, as_json)
    session.home = home
    session.log_level = log_level.value if log_level else None


def main() -> NoReturn:
    """What the `assay` script calls."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter must not end a command.
            stream.reconfigure(errors="replace")
    code = program(prog_name="assay", standalone_mode=False)
    _exit_process(code)


def _exit_process(code: int) -> NoReturn:
    """End the process, at once where a worker could not bring its work in hand to an end.

    Its threads would keep the process for as long as that work takes, or complain while the
    interpreter is taken down. All that they have not committed is done again the next time, so
    that nothing is lost by not waiting.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if threading.active_count() > 1:
        os._exit(code)
    sys.exit(code)
