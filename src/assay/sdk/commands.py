"""What a pack's commands use: the session, exit codes, tables, and input and output files.

`Pack.commands` returns a Typer application, which is mounted as `assay NAME`. A command starts with
`session_of(ctx, as_json)`, does its work in `session.run`, and reports the result: with
`print_json` to a program, and with `say` or `show` to a person.
"""

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer
from rich.console import Console, RenderableType

from assay.errors import InvalidInput
from assay.sdk.screens import (
    format_counts,
    format_time,
    pluralize,
    render_cell,
    render_fields,
    render_table,
)
from assay.store.snapshots import replace_snapshot

if TYPE_CHECKING:
    # A command that only shows its help need not wait for the store and the models.
    from assay.engine.contract import Payload
    from assay.sdk.services import Services
    from assay.settings import Settings

__all__ = [
    "MOST_ROWS",
    "AsJson",
    "CommandSession",
    "ExitCode",
    "check_output_path",
    "format_counts",
    "format_time",
    "pluralize",
    "read_input",
    "render_cell",
    "render_fields",
    "render_table",
    "session_of",
    "write_output",
]

T = TypeVar("T")
MOST_ROWS = 50
"""Rows of a list that are printed for a person; a program gets all of them."""
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    INPUT = 3
    UNAVAILABLE = 4
    FAULTS = 5
    NO_SINGLE_ANSWER = 6
    STALE_ANSWER = 7
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


class CommandSession(Protocol):
    """One invocation of the program."""

    json: bool
    """Whether the output is one JSON value."""
    out: Console
    err: Console

    @property
    def settings(self) -> "Settings": ...

    def run(self, work: "Callable[[Services], Awaitable[T]]") -> T:
        """Run asynchronous work with the services, and close them all afterwards."""

    def work_on(
        self,
        plan: "Callable[[Services], Sequence[tuple[str, Payload]]]",
        *,
        sync_only: bool = False,
        resume: bool = False,
    ) -> dict[str, Any]:
        """Start a run with these jobs, and show its progress until it is done; with `sync_only`,
        until every listing is read and every document fetched. With `resume`, runs that are not
        finished come first, such as those of documents just added. Returns what was done."""

    def choose_limit(self, given: int | None, usual: int = MOST_ROWS) -> int | None:
        """How many rows of a list to print: as many as were asked for; otherwise the usual number
        for a person, and None, which means all of them, for a program."""

    def report_left_out(self, left_out: int) -> None:
        """Say how many rows of a list are not printed, and how to get them."""

    def say(self, what: RenderableType) -> None:
        """Print for a person; does nothing with --json, because then a program is reading."""

    def show(self, what: RenderableType) -> None:
        """Print something that wraps its own text, such as a table."""

    def print_json(self, value: Any) -> None:
        """Print the single JSON value of this invocation, for a program."""


def session_of(ctx: typer.Context, as_json: bool = False) -> CommandSession:
    """The session of this invocation; --json may also follow the command's name."""
    session: CommandSession = ctx.obj
    session.json = session.json or as_json
    return session


def read_input(path: Path, most: int, what: str) -> bytes:
    """Read a file named on the command line, of at most `most` bytes."""
    try:
        with path.open("rb") as file:
            # The size of a device or a pipe is not known beforehand.
            data = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            f"{what} {path} cannot be read: {error.strerror}.",
            advice="Check that the file exists and is readable.",
        ) from error
    if len(data) > most:
        raise InvalidInput(
            f"{what} {path} has more than {most} bytes.", advice="Use a smaller file."
        )
    return data


def check_output_path(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output path that cannot be written, or that is one of the inputs.

    Call it before reading anything: otherwise work is paid for that cannot be saved.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder.", advice="Name a file inside it.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"{path} cannot be written: there is no folder {path.parent}.",
            advice="Create the folder first.",
        )
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InvalidInput(f"No permission to write {path}.", advice="Choose another path.")
    if any(os.path.realpath(path) == os.path.realpath(each) for each in inputs):
        raise InvalidInput(
            f"{path} is one of the input files.", advice="Choose another path for the output."
        )


def write_output(path: Path, text: str) -> None:
    """Write the whole file or nothing; a symbolic link stays a link."""
    replace_snapshot(Path(os.path.realpath(path)), [text.encode("utf-8", "replace")])
