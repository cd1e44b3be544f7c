"""`Pack`: one declaration of everything that a domain adds to Assay.

Only the name, version and title are required. Assay iterates over declarations and never looks for
a particular pack by name. It validates all packs together at start-up and names the one at fault.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from assay.engine.contract import Outcome, Payload, Result, Stage
from assay.engine.reader import Reader
from assay.events import Event
from assay.model.records import Record, ReviewRequest
from assay.ruling.declaration import Facts
from assay.ruling.release.publication import Publication
from assay.sdk.demo import Demo
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.services import Services
from assay.spine.scouting.profile import NEUTRAL, DocumentKind, Scouting

if TYPE_CHECKING:
    # Code that only inspects a pack must not load the listing readers or the HTTP server.
    import typer
    from aiohttp import web

    from assay.sdk.tools import AssistantTool
    from assay.sources.portals import Portal

__all__ = [
    "Accepts",
    "Check",
    "DocumentKind",
    "Evaluation",
    "Metric",
    "Pack",
    "PackFamily",
    "PackSchedule",
    "PackStage",
    "Page",
    "Publication",
    "ReviewKind",
    "Route",
    "RunFile",
    "Scouting",
]

PackStageFunction = Callable[[Sequence[Any], Reader, Services], Awaitable[Sequence[Result]]]


@dataclass(frozen=True)
class PackStage:
    """A stage of a pack: its declaration, and the function that does the work."""

    stage: Stage
    function: PackStageFunction


@dataclass(frozen=True, kw_only=True)
class Accepts:
    """Which evidence the pack works on, and which stage receives it first."""

    first_stage: str
    """The stage that gets a `PackJob` for each document that the router passes on."""


@dataclass(frozen=True, kw_only=True)
class PackSchedule:
    """Work that starts on a schedule."""

    name: str
    cron: str
    """Minute, hour, day, month and weekday, as in a crontab."""
    start: Callable[[Services], Iterable[tuple[str, Payload]]]
    """Returns the first jobs of a run, as pairs of a stage's name and a payload."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """A route of the HTTP API. Start-up fails if two packs claim the same one."""

    method: str
    path: str
    """Such as `/votes/{id}`; read a variable from `request.match_info`."""
    handler: "Callable[[web.Request, Services], Awaitable[web.StreamResponse]]"
    summary: str = ""
    """One sentence about it, for the description of the API."""
    request: type[BaseModel] | None = None
    """What the body must be; None: it takes none."""
    responses: Mapping[int, Any] = field(default_factory=dict)
    """The type of the JSON for each status, such as a pydantic model or a dataclass; an error needs
    no type. None: what it sends is not JSON."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Its query parameters, and what each means."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of the console."""

    path: str
    """Relative to the pack: `/meetings` of the pack `civic` is served at `/civic/meetings`."""
    title: str
    """What leads to it in the navigation, unless its path has a variable."""
    is_listed: bool = True
    """Whether the navigation leads to it; otherwise another page of the pack does."""
    handler: Callable[[ConsoleRequest, Services], ConsolePage | Awaitable[ConsolePage]]
    """A plain function is called in a thread."""


@dataclass(frozen=True, kw_only=True)
class ReviewKind:
    """A kind of question that the pack asks a person, and the effect of an answer."""

    name: str
    """The `subject_kind` of its review requests."""
    title: str
    answers: tuple[str, ...] = ()
    """The allowed answers; empty: any text."""
    effect: Callable[[ReviewRequest, str], Outcome]
    """Returns the effect of an answer, committed in the same transaction as the answer itself."""
    writes: frozenset[type[Record]] = frozenset()
    """The records that an effect may write."""
    next: frozenset[str] = frozenset()
    """The stages for which an effect may queue jobs."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number that `/metrics` exposes."""

    name: str
    help: str
    read: Callable[[Services], float]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check that `assay doctor` runs."""

    name: str
    run: Callable[[Services], tuple[bool, str]]
    """Returns whether the check passed, and a sentence about it."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Data with known answers, to measure how well the pack does."""

    corpus: Path | None = None
    """A folder that contains documents and a `truth.jsonl`, or several such folders. None: a person
    has to give one."""
    measure: Callable[[Path], Mapping[str, Sequence[Mapping[str, Any]]]] | None = None
    """Measures the pack on such a folder in its own way, instead of comparing facts: returns
    tables by their titles, each a list of rows with the same columns."""
    demo: Callable[[], Demo] | None = None
    """Sites that publish the corpus. With them, `assay eval` measures released rules as well."""
    excerpts: Path | None = None
    """A folder of excerpts annotated aspect by aspect, in a tuning and a held-out half."""


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """Records that the folder of a run contains, in addition to what every run leaves there."""

    record: type[Record]
    """A record with a field `run_id`, which Assay fills in."""
    name: str
    """The name of the file; `{}` stands for the value of `by`, one file for each."""
    by: str


@dataclass(frozen=True, kw_only=True)
class PackFamily:
    """Packs built from files in a home, such as one pack for each ontology."""

    find: Callable[[Path], Mapping[str, Path]]
    """Returns the files of a home, by the name of the pack that each one defines."""
    make: "Callable[[str, Path], Pack]"
    """Builds the pack with that name from its file; raises InvalidInput if the file is wrong."""


@dataclass(frozen=True, kw_only=True)
class Pack:
    """The declaration of a domain."""

    name: str
    version: str
    title: str
    records: tuple[type[Record], ...] = ()
    """The record classes it stores; each declares its own table."""
    given: tuple[type[Record], ...] = ()
    """Those of its records that a person enters with a command; its stages only read them."""
    migrations: Path | None = None
    """The folder of the Alembic revisions that create its tables. They form a separate branch,
    with a separate version in the store."""
    stages: tuple[PackStage, ...] = ()
    accepts: Accepts | None = None
    """None: no stage of the pack receives evidence directly. The documents of a pack with `facts`
    then start with fact extraction."""
    scouting: Scouting = NEUTRAL
    """Which documents the pack considers worth reading; by default all that can be read."""
    portals: "tuple[Portal, ...]" = ()
    """Vendors' platforms, each of which hosts the sites of any number of tenants."""
    sources: Path | None = None
    """The folder of the sources that come with the pack."""
    facts: Facts | None = None
    """Declaring facts enables rulings: facts become rules, which people review, which are
    released, and which can be queried with `assay ask`."""
    schedules: tuple[PackSchedule, ...] = ()
    commands: "Callable[[], typer.Typer] | None" = None
    """Builds the commands under `assay NAME`. It is called only when they are needed, which keeps
    imports out of every other command."""
    routes: Callable[[], tuple[Route, ...]] | None = None
    """Called when the server starts, as `pages` is."""
    pages: Callable[[], tuple[Page, ...]] | None = None
    templates: Path | None = None
    """The folder of the templates of its pages. What is in the folder `static` next to it is served
    below `/static/packs/NAME/`."""
    tools: Callable[[], "tuple[AssistantTool, ...]"] | None = None
    """What assistants may look up, over MCP. Called when a server for assistants starts."""
    review_kinds: tuple[ReviewKind, ...] = ()
    publishes: tuple[Publication, ...] = ()
    metrics: tuple[Metric, ...] = ()
    checks: tuple[Check, ...] = ()
    events: tuple[type[Event], ...] = ()
    """The events that its stages and review kinds emit; any other is refused."""
    demo: Callable[[], Demo] | None = None
    """Its part of `assay demo`; built only when the demo runs."""
    evaluation: Evaluation | None = None
    run_files: tuple[RunFile, ...] = ()
    family: PackFamily | None = None

    @property
    def first_stage(self) -> str | None:
        """The stage where its documents start; None: it takes no documents."""
        if self.accepts is not None:
            return self.accepts.first_stage
        return None if self.facts is None else "extract"
