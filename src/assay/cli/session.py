"""What every command shares: the global options, the output, and access to the store."""

import asyncio
import json
import logging
import re
import shlex
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    RenderableType,
    RenderHook,
    RenderResult,
)
from rich.segment import Segment
from rich.text import Text

from assay import logs
from assay.cli.commands import refuse_names_of_commands
from assay.display import escape_controls
from assay.sdk.commands import MOST_ROWS, AsJson

if TYPE_CHECKING:
    from assay.app import App
    from assay.engine.contract import Payload
    from assay.sdk.services import Services
    from assay.settings import Settings

_MOMENT_S = 1.0
_PLAIN_WIDTH = 400
"""Wide enough that a table in a pipe is never cut; lines are not wrapped there."""
_HINT = re.compile(r"(?<=')assay (?=[a-z])(?![^']*--help')")
"""The start of a quoted command; help needs no home."""

__all__ = ["AsJson", "Session", "open_app", "session_of"]

T = TypeVar("T")


def _make_console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    console.push_render_hook(_EscapeHook())
    return console


class _EscapeHook(RenderHook):
    """Escapes everything that is printed, just before it is: no command can forget to."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Escaped(each) for each in renderables]


@dataclass(frozen=True)
class _Escaped:
    inner: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            # What is marked as control moves the cursor for a progress bar, and is Rich's own.
            is_own = segment.control is not None
            yield segment if is_own else Segment(escape_controls(segment.text), segment.style)


def _is_for_console(record: logging.LogRecord) -> bool:
    """Leave out failed batches: each is retried, or ends the command, which then says why."""
    fields: dict[str, object] = getattr(record, "assay", {})
    return fields.get("action") != "batch_failed"


@dataclass
class Session:
    """One call of the program."""

    json: bool = False
    home: Path | None = None
    log_level: str | None = None
    log_file: Path | None = None
    """Where the log is, once there is one."""
    out: Console = field(default_factory=_make_console)
    err: Console = field(default_factory=lambda: _make_console(stderr=True))

    @cached_property
    def settings(self) -> "Settings":
        """The settings of this call, read when a command first needs them."""
        from assay.settings import load_settings

        return load_settings(home=self.home, log_level=self.log_level)

    def start_logging(self, settings: "Settings", *, console_level: str | None = None) -> None:
        """Write the log into the home; if that is not possible, only to the console."""
        level = console_level or ("DEBUG" if self.log_level == "debug" else "ERROR")
        # A full disk is reported once, by the command, not by every line that cannot be logged.
        logging.raiseExceptions = False
        try:
            logs.configure(settings.log_level, settings.log_file, console_level=level)
        except OSError:
            logs.configure(settings.log_level, None, console_level=level)
        else:
            self.log_file = settings.log_file
        for handler in logging.getLogger("assay").handlers:
            if not isinstance(handler, logging.FileHandler):
                handler.addFilter(_is_for_console)

    @contextmanager
    def app(
        self,
        *,
        settings: "Settings | None" = None,
        migrated: bool = True,
        read_only: bool = False,
    ) -> "Iterator[App]":
        """The application on the home's store, whose schema must match this program."""
        from assay.app import App

        settings = settings or self.settings
        if settings.home.is_dir():
            self.start_logging(settings)
        with App(settings, read_only=read_only) as app:
            refuse_names_of_commands(app.packs.installed)
            if migrated:
                app.require_store()
            yield app

    def run(self, work: "Callable[[Services], Awaitable[T]]") -> T:
        """Do asynchronous work with the services that packs get, and close them afterwards.

        The store is opened, and its schema checked, when the work first uses it.
        """

        from assay.app.services import AppServices
        from assay.app.tools import build_tools

        async def do_work() -> T:
            tools = build_tools(self.settings)
            with ExitStack() as opened:
                services = AppServices(
                    self.settings, tools, lambda: opened.enter_context(self.app())
                )
                try:
                    return await work(services)
                finally:
                    await services.close()
                    await tools.close()

        return asyncio.run(do_work())

    def work_on(
        self,
        plan: "Callable[[Services], Sequence[tuple[str, Payload]]]",
        *,
        sync_only: bool = False,
        resume: bool = False,
    ) -> dict[str, Any]:
        """Do the planned jobs and what follows from them; or, of that, only what synchronizes."""
        from assay.cli.work import work_on

        return work_on(self, lambda app: plan(app.services), sync_only=sync_only, resume=resume)

    @property
    def has_colours(self) -> bool:
        """Whether colours reach the person: on a terminal, unless NO_COLOR forbids them."""
        out = self.out
        return out.is_terminal and out.color_system is not None and not out.no_color

    @contextmanager
    def working(self, on: str) -> "Iterator[None]":
        """Show on a terminal what is being done, if it takes longer than a moment."""
        if self.json or not self.out.is_terminal:
            yield
            return
        done = threading.Event()
        # The thread both shows and removes the line, so that none is left when this ends.
        shows = threading.Thread(target=self._show_working, args=(on, done), daemon=True)
        shows.start()
        try:
            yield
        finally:
            done.set()
            shows.join()

    def _show_working(self, on: str, done: threading.Event) -> None:
        if not done.wait(_MOMENT_S):
            with self.out.status(Text(f"{on} …")):
                done.wait()

    def choose_limit(self, given: int | None, usual: int = MOST_ROWS) -> int | None:
        """How many rows of a list to print: as many as were asked for; otherwise some for a
        person, and all for a program, for which it is None."""
        return usual if given is None and not self.json else given

    def report_left_out(self, left_out: int) -> None:
        """Say how many rows of a list are not shown, and how to get them."""
        if not left_out:
            return
        if self.json:
            # Not part of the one value on stdout, which lists what was asked for.
            note = f"{left_out} more; without --limit, --json prints all."
            self.err.print(Text(note), soft_wrap=True)
        else:
            self.say(f"{left_out} more; --limit shows them.")

    def complete_hints(self, text: str) -> str:
        """The text with the global options of this call in the commands that it names, so that
        they can be pasted: 'assay --home X dead list'."""
        options = [] if self.home is None else ["--home", str(self.home)]
        options += [] if self.log_level is None else ["--log-level", self.log_level]
        if not options:
            return text
        return _HINT.sub(lambda _: f"assay {shlex.join(options)} ", text)

    def say(self, what: RenderableType) -> None:
        """Print a message for a person; nothing with --json."""
        if not self.json:
            text = Text(self.complete_hints(what)) if isinstance(what, str) else what
            self.out.print(text, soft_wrap=True)

    def show(self, what: RenderableType) -> None:
        """Print a table, which wraps its own cells; nothing with --json."""
        if not self.json:
            # Nothing is cropped: a word that is longer than a line is the terminal's to break.
            self.out.print(what, crop=False)

    def print_json(self, value: Any) -> None:
        """Print the one JSON value of this call; nothing without --json."""
        if self.json:
            text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
            typer.echo(escape_controls(text).encode())


def session_of(ctx: typer.Context, as_json: bool = False) -> Session:
    """The session; --json may also be given after the command's name."""
    session = ctx.obj
    assert isinstance(session, Session)
    session.json = session.json or as_json
    return session


@contextmanager
def open_app(
    ctx: typer.Context, as_json: bool, *, on: str = "Reading the store"
) -> "Iterator[tuple[Session, App]]":
    """The session, and the application on the store: what most commands need.

    `on` is what is being done, shown if it takes longer than a moment; empty: nothing is shown.
    """
    session = session_of(ctx, as_json)
    with session.working(on) if on else nullcontext(), session.app() as app:
        yield session, app
