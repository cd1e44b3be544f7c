"""The commands of the program: one table, and a way to import a command only when it is called.

Listing the commands needs their names and one line each, which this table has. A command is
imported only when it is called or its own help is requested: most commands need a database, a
worker or a document reader, and importing all of them takes seconds.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from assay.errors import InvalidInput, NotFound

CommandOrGroup = Callable[..., None] | typer.Typer
"""A function that is one command, or a group of commands."""


@dataclass(frozen=True)
class CommandEntry:
    """A command or a group of commands, before it is imported."""

    name: str
    place: str
    """module:attribute, below `assay.cli`."""
    help: str
    """The first paragraph of its own help."""

    def load(self) -> CommandOrGroup:
        """The command itself."""
        module, _, attribute = self.place.partition(":")
        part: CommandOrGroup = getattr(import_module(f"assay.cli.{module}"), attribute)
        return part


COMMANDS = (
    CommandEntry("init", "home:init",
        "Create the home and its store, or bring the store up to date; safe to repeat."),
    CommandEntry("add", "add:add",
        "Add your own documents: files, folders, addresses, and git repositories."),
    CommandEntry("run", "work:run",
        "Finish interrupted runs, then check every source once and do all the work that follows."),
    CommandEntry("worker", "work:worker",
        "Work through the queues until SIGINT or SIGTERM, and close finished runs."),
    CommandEntry("daemon", "work:daemon",
        "Look at every source when it is due and process what comes, until SIGINT or SIGTERM."),
    CommandEntry("status", "home:status",
        "Show queues, workers, runs, candidates and the size of the corpus."),
    CommandEntry("jobs", "jobs:jobs", "Show jobs; retry or cancel them."),
    CommandEntry("dead", "dead:dead", "Show dead letters; retry or discard them."),
    CommandEntry("sources", "sources:sources",
        "Try, add and remove sources, show them and their health; pause or unpause one."),
    CommandEntry("watch", "watch:watch",
        "Get notified of changes: add, list, show, remove and test watches."),
    CommandEntry("documents", "documents:documents",
        "Show documents, their versions, their texts and what changed."),
    CommandEntry("evidence", "evidence:evidence",
        "Show evidence with the quotes of its facts highlighted."),
    CommandEntry("review", "review:review",
        "Show questions that wait for a person, and answer them."),
    CommandEntry("conflicts", "conflicts:conflicts",
        "Show rules that contradict each other, and decide."),
    CommandEntry("rules", "rules:rules", "Show rules and the quotes behind them."),
    CommandEntry("facts", "rules:facts", "Show facts and rejected claims."),
    CommandEntry("coverage", "rules:coverage",
        "Show how many relevant sentences became facts, the least covered documents first."),
    CommandEntry("release", "release:release", "Publish approved rules, check and export them."),
    CommandEntry("ask", "ask:ask",
        "Ask which value applies on a date; "
        "the answer cites the rule, its quotes and the release."),
    CommandEntry("audit", "audit:audit", "Read and check the audit log."),
    CommandEntry("serve", "serve:serve",
        "Show the console, and answer over HTTP below /api/, until Ctrl-C."),
    CommandEntry("mcp", "mcp:mcp",
        "Let an assistant look things up over MCP, on standard input and output."),
    CommandEntry("users", "access:users",
        "Show who may log in to the server; add, change and disable users."),
    CommandEntry("tokens", "access:tokens",
        "Show the API tokens of programs; create and revoke them."),
    CommandEntry("runs", "runs:runs", "Show runs and verify their folders."),
    CommandEntry("budget", "budget:budget",
        "Show tokens and money used by model calls and their caps. Exit code 5: the books differ."),
    CommandEntry("circuit", "circuit:circuit", "Show the circuits of providers; close one."),
    CommandEntry("cooldown", "circuit:cooldown", "Show sources in cooldown; end a cooldown."),
    CommandEntry("read", "read:read",
        "Show how Assay reads files or addresses: class, language, text, score, and route."),
    CommandEntry("extract", "extract:extract",
        "Extract facts from files, with quote, span and page, and "
        "list rejected ones with reasons."),
    CommandEntry("eval", "evaluate:evaluation",
        "Compare the facts and rules that a pack finds with those that are known."),
    CommandEntry("new", "new:new", "Create something of your own."),
    CommandEntry("packs", "packs:packs",
        "Show the installed packs and what each of them adds. Needs no home."),
    CommandEntry("contracts", "contracts:contracts",
        "Show what each stage may read, write and lead to. Needs no home."),
    CommandEntry("doctor", "doctor:doctor",
        "Check the machine, the home and the store, and say what to fix. Exit code 5: a fault."),
    CommandEntry("backup", "backup:backup", "Create, list and verify backups."),
    CommandEntry("restore", "backup:restore",
        "Restore a backup into a new home, all of it or nothing, and bring the store up to date."),
    CommandEntry("store", "store:store", "Migrate, check, dump or reset the store."),
    CommandEntry("demo", "demo:demo",
        "Turn the documents of invented sites into a release, through the real pipeline."),
)  # fmt: skip


class DeferredCommand(TyperCommand):
    """A placeholder for a command until it is called: has its name and help line, and loads it.

    To call a command, Typer first makes a context for it and then continues with the command of
    that context, which is why the real command takes over there.
    """

    def __init__(self, name: str, help: str, load: Callable[[], CommandOrGroup | None]) -> None:
        super().__init__(name, help=help, rich_markup_mode=None)
        self._load = load

    @cached_property
    def loaded(self) -> Any:
        """The command itself, imported and built; None for a pack that has no commands."""
        assert self.name is not None
        parent = typer.Typer(rich_markup_mode=None)
        part = self._load()
        if part is None:
            return None
        if isinstance(part, typer.Typer):
            parent.add_typer(part, name=self.name)
        else:
            parent.command(self.name)(part)
        return get_group(parent).commands[self.name]

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        if self.loaded is None:
            raise NotFound(
                f"The pack '{self.name}' has no commands.",
                advice="'assay packs' shows what it adds instead.",
            )
        return self.loaded.make_context(info_name, args, parent, **extra)


def build_core_commands() -> dict[str, DeferredCommand]:
    """Assay's own commands by name, none of them imported."""
    return {entry.name: DeferredCommand(entry.name, entry.help, entry.load) for entry in COMMANDS}


def build_pack_commands() -> Iterator[DeferredCommand]:
    """A command for each installed pack; only loading a pack shows whether it has commands."""
    from assay.app.pack_entries import list_incomplete_packs, list_pack_names

    # The command of a pack whose extra is missing says what to install.
    for name in (*list_pack_names(), *list_incomplete_packs()):
        yield DeferredCommand(
            name, f"Commands of the pack '{name}'.", partial(load_pack_commands, name)
        )


def refuse_names_of_commands(packs: Iterable[str]) -> None:
    """Refuse a pack with the name of a command of Assay, because its own could not be called."""
    own = {entry.name for entry in COMMANDS}
    for name in packs:
        if name in own:
            raise InvalidInput(
                f"Pack '{name}' has the name of the command 'assay {name}'.",
                advice="Rename the pack, or uninstall it.",
            )


def load_pack_commands(name: str) -> typer.Typer | None:
    """Load an installed pack and return its commands; None if it has none."""
    from assay.app.installed_packs import load_pack

    commands = load_pack(name).commands
    return None if commands is None else commands()


def find_command(group: TyperGroup, context: Any, name: str) -> Any:
    """A command of a group, imported; None if there is none, or for a pack without commands."""
    command = group.get_command(context, name)
    return command.loaded if isinstance(command, DeferredCommand) else command


def list_commands(group: TyperGroup, context: Any) -> Iterator[tuple[str, Any]]:
    """The commands of a group with their names, all of them imported, to describe them."""
    for name in group.list_commands(context):
        command = find_command(group, context, name)
        if command is not None:
            yield name, command
