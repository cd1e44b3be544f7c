"""What the commands of a pack use: the session, exit codes, screens, and files in and out.

`Pack.commands` gives a Typer application, which is mounted as `assay NAME`. A command begins with
`session_of(ctx, as_json)`, does its work in `session.run`, and tells the result with `give` to a
machine and with `say` or `show` to a person.
"""

import os
from collections.abc import Awaitable, Callable, Iterable
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
    from assay.sdk.services import Services
    from assay.settings import Settings

__all__ = [
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
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


class CommandSession(Protocol):
    """One call of the program."""

    json: bool
    """Whether the output is one JSON value."""
    out: Console
    err: Console

    @property
    def settings(self) -> "Settings": ...

    def run(self, work: "Callable[[Services], Awaitable[T]]") -> T:
        """Do asynchronous work with what Assay lends; all of it is closed afterwards."""

    def say(self, what: RenderableType) -> None:
        """Tell a person; with --json there is none."""

    def show(self, what: RenderableType) -> None:
        """Tables, which wrap their own cells."""

    def print_json(self, value: Any) -> None:
        """Tell a machine: the one JSON value of this call."""


def session_of(ctx: typer.Context, as_json: bool = False) -> CommandSession:
    """The session, with --json also taken from behind the command's name."""
    session: CommandSession = ctx.obj
    session.json = session.json or as_json
    return session


def read_input(path: Path, most: int, what: str) -> bytes:
    """The bytes of a file that a command names."""
    try:
        with path.open("rb") as file:
            # A device or a pipe tells no size beforehand.
            data = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            f"{what} {path} cannot be read: {error.strerror}.",
            advice="Give a file that is there and may be read.",
        ) from error
    if len(data) > most:
        raise InvalidInput(
            f"{what} {path} has more than {most} bytes.", advice="Give a smaller one."
        )
    return data


def check_output_path(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a place that cannot be written, or that holds what is to be read.

    Asked before anything is read, so that nothing is paid for in vain.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder.", advice="Name a file in it.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"{path} cannot be written: there is no folder {path.parent}.", advice="Make it first."
        )
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InvalidInput(f"There is no right to write {path}.", advice="Name another place.")
    if any(path.resolve() == each.resolve() for each in inputs):
        raise InvalidInput(
            f"{path} is one of the files that are read.", advice="Name another place."
        )


def write_output(path: Path, text: str) -> None:
    """Write a whole file or none; a link stays one."""
    replace_snapshot(path.resolve(), [text.encode("utf-8", "replace")])
