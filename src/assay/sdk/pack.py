"""`Pack`: one declaration of everything that a domain brings. Every part but the first is optional.

Assay iterates over declarations and never looks for a name. Start-up validates all packs together
and says which one is at fault.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engine.contract import Outcome, Payload, Result, Stage
from assay.engine.reader import Reader
from assay.events import Event
from assay.model.records import Record, ReviewRequest
from assay.ruling.declaration import Facts
from assay.ruling.release.publication import Publication
from assay.sdk.demo import Demo
from assay.sdk.services import Services
from assay.spine.scouting.profile import NEUTRAL, DocumentKind, Scouting

if TYPE_CHECKING:
    # Whoever only looks at a pack must not load what reads listings or speaks HTTP.
    import typer
    from aiohttp import web

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
    "Scouting",
]

PackStageFunction = Callable[[Sequence[Any], Reader, Services], Awaitable[Sequence[Result]]]


@dataclass(frozen=True)
class PackStage:
    """A stage of a pack: its declaration, and the function that carries it out."""

    stage: Stage
    function: PackStageFunction


@dataclass(frozen=True, kw_only=True)
class Accepts:
    """Which evidence becomes the pack's work, and where it begins."""

    first_stage: str
    """The stage that gets an `EvidenceJob` for each document that the router sends on."""
    content_classes: frozenset[str] = frozenset()
    """What it can read; empty: whatever has a text."""


@dataclass(frozen=True, kw_only=True)
class PackSchedule:
    """Work that begins by itself."""

    name: str
    cron: str
    """Minute, hour, day, month, weekday."""
    start: Callable[[Services], Iterable[tuple[str, Payload]]]
    """The stages and payloads with which a run begins."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """An address of the HTTP API. Start-up refuses two packs that claim the same one."""

    method: str
    path: str
    """Such as `/votes/{id}`; a variable is found in `request.match_info`."""
    handler: "Callable[[web.Request, Services], Awaitable[web.StreamResponse]]"


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of the console."""

    path: str
    """Below the pack's own: `/meetings` of the pack `civic` is found at `/civic/meetings`."""
    title: str
    handler: "Callable[[web.Request, Services], Awaitable[web.StreamResponse]]"


@dataclass(frozen=True, kw_only=True)
class ReviewKind:
    """Something that a person can be asked about, and what an answer brings about."""

    name: str
    """The `subject_kind` of its review requests."""
    title: str
    answers: tuple[str, ...] = ()
    """What may be answered; empty: any words."""
    effect: Callable[[ReviewRequest, str], Outcome]
    """What follows from an answer; committed in the transaction that keeps the answer."""
    writes: frozenset[type[Record]] = frozenset()
    next: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number that `/metrics` exposes."""

    name: str
    help: str
    read: Callable[[Services], float]


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that `assay doctor` looks at."""

    name: str
    run: Callable[[Services], tuple[bool, str]]
    """Whether all is well, and a sentence."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """How well the pack does, measured on documents whose facts are known."""

    corpus: Path
    """A folder of documents beside a `truth.jsonl`, or several such folders."""
    demo: Callable[[], Demo] | None = None
    """Sites that publish the corpus; with them `assay eval` measures released rules as well."""


@dataclass(frozen=True, kw_only=True)
class PackFamily:
    """Packs that are made of files in a home, such as one for each ontology."""

    find: Callable[[Path], Mapping[str, Path]]
    """The files of a home, by the name of the pack that each becomes."""
    make: "Callable[[str, Path], Pack]"
    """The pack of a file. InvalidInput says what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Pack:
    """A domain, as one declaration."""

    name: str
    version: str
    title: str
    records: tuple[type[Record], ...] = ()
    """What it stores; each declares its own table."""
    migrations: Path | None = None
    """The folder of the Alembic revisions that make its tables: a branch of its own, with its own
    version in the store."""
    stages: tuple[PackStage, ...] = ()
    accepts: Accepts | None = None
    """None: it gets no evidence of its own; a pack with facts begins with their extraction."""
    scouting: Scouting = NEUTRAL
    """What is worth reading to it; by default every document that can be read."""
    portals: "tuple[Portal, ...]" = ()
    """Sites of vendors, each with any number of tenants."""
    sources: Path | None = None
    """The folder of the sources that it knows."""
    facts: Facts | None = None
    """What enables ruling: facts become rules, are reviewed, released, and can be asked for."""
    schedules: tuple[PackSchedule, ...] = ()
    commands: "Callable[[], typer.Typer] | None" = None
    """Commands under `assay NAME`; called when they are wanted, to import nothing before."""
    routes: Callable[[], tuple[Route, ...]] | None = None
    """Called when the server starts."""
    pages: Callable[[], tuple[Page, ...]] | None = None
    review_kinds: tuple[ReviewKind, ...] = ()
    publishes: tuple[Publication, ...] = ()
    metrics: tuple[Metric, ...] = ()
    checks: tuple[Check, ...] = ()
    events: tuple[type[Event], ...] = ()
    demo: Callable[[], Demo] | None = None
    """Its part of `assay demo`; made only when the demo is played."""
    evaluation: Evaluation | None = None
    family: PackFamily | None = None

    @property
    def first_stage(self) -> str | None:
        """Where its documents begin; None: it takes none."""
        if self.accepts is not None:
            return self.accepts.first_stage
        return None if self.facts is None else "extract"
