"""Graphs over a store: the supervisor, the way to a model, and the results that are kept."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from assay.app.models import patient, plane_of, usable_providers
from assay.errors import InvalidInput
from assay.llm.choice import in_order, named
from assay.llm.messages import Provider
from assay.llm.plane import ControlPlane
from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.progress import Report
from assay.llm.requests.supervisor import Supervisor, UnderWay
from assay.llm.scope import Standing
from assay.packs.graph.extracting import Caller, Stop, extract
from assay.packs.graph.memory import Memory
from assay.packs.graph.model import DETERMINISTIC
from assay.packs.graph.ontology.shelf import IndexedOntology, OntologyShelf
from assay.packs.graph.options import Options
from assay.packs.graph.pattern_extractor import LearnedCues
from assay.packs.graph.results import GraphResult, stored_result
from assay.store.results import ResultShelf

if TYPE_CHECKING:
    from assay.app.composition import App


@dataclass(frozen=True, kw_only=True)
class Order:
    """A text that is to become a graph."""

    text: str
    ontology: bytes
    ontology_name: str = ""
    """The name of its file, which tells the format."""
    imports: Mapping[str, bytes] = field(default_factory=dict)
    """What the ontology may import, by address. Nothing is fetched for it."""
    options: Options = field(default_factory=Options)
    use_model: bool = True
    """Whether a model may be asked; without one the extractor of the pack reads alone."""
    provider: str | None = None
    """Who is to be asked; None: whoever comes first."""
    learned: LearnedCues | None = None
    request_id: str = field(default_factory=lambda: uuid4().hex)
    name: str = ""
    """What the document is called in the graph."""


async def ontology_of(order: Order, shelf: OntologyShelf) -> IndexedOntology:
    """The ontology of an order, off the loop, since it may be large."""
    return await asyncio.to_thread(
        shelf.get, order.ontology, name=order.ontology_name, imports=dict(order.imports)
    )


class GraphDesk:
    """Takes orders. Equal ones at the same time share one execution, and later ones its result."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self.results = ResultShelf(app.engine, app.blobs)
        self._shelf = OntologyShelf()
        self._memory = Memory()
        self._timeouts = patient(app.settings.request_patience)
        self._plain = Supervisor(timeouts=self._timeouts, clock=app.clock)
        self._plane: ControlPlane | None = None
        self._asking: Supervisor | None = None
        self._stops: dict[str, Stop] = {}

    async def ontology(self, order: Order) -> IndexedOntology:
        """The ontology of an order, read once for all who bring the same bytes."""
        return await ontology_of(order, self._shelf)

    async def extract(self, order: Order, on_progress: Report | None = None) -> GraphResult:
        """The graph of an order, from the store where an equal one was done before."""
        if order.request_id in self._stops:
            raise InvalidInput(f"Request '{order.request_id}' is already under way.")
        provider = self._provider(order)
        stop = self._stops[order.request_id] = Stop()
        try:
            caller = Caller(
                supervisor=self._plain if provider is None else self._supervisor(),
                provider=None if provider is None else provider.name,
                by=DETERMINISTIC if provider is None else f"{provider.name}:{provider.model}",
                request_id=order.request_id,
                results=self.results,
                memory=self._memory,
                on_progress=on_progress,
                stop=stop,
            )
            return await extract(
                order.text,
                await self.ontology(order),
                options=order.options,
                learned=order.learned,
                caller=caller,
                name=order.name,
            )
        finally:
            del self._stops[order.request_id]

    def cancel(self, request_id: str, mode: CancellationMode, reason: str = "user_request") -> bool:
        """Stop a request with all its parts; False if there is nothing to stop any more."""
        stop = self._stops.get(request_id)
        if stop is None:
            return False
        signal = CancellationSignal(request_id=request_id, mode=mode, reason=reason)
        if stop.signal is None or stop.signal.mode.strength < mode.strength:
            stop.signal = signal
        # By those who wait: an equal request may run under the name of another.
        for mine in {name for each in self.under_way() for name in each.waiters}:
            if is_part_of(mine, request_id):
                self._signal(replace(signal, request_id=mine))
        return True

    def cancel_all(self, mode: CancellationMode, reason: str) -> None:
        """Stop every request."""
        for request_id in tuple(self._stops):
            self.cancel(request_id, mode, reason)

    def under_way(self) -> tuple[UnderWay, ...]:
        """All requests that are running, each part by itself."""
        asking = () if self._asking is None else self._asking.requests()
        return (*self._plain.requests(), *asking)

    def is_under_way(self, request_id: str) -> bool:
        return request_id in self._stops

    async def result(self, request_id: str) -> GraphResult | None:
        """What a request gave, from the store."""
        data = await asyncio.to_thread(self.results.of_request, request_id)
        return None if data is None else await asyncio.to_thread(stored_result, data)

    def permits(self) -> int:
        """How many model calls hold or wait for a permit in this process."""
        if self._plane is None:
            return 0
        return self._plane.turnstile.held + self._plane.turnstile.waiting

    async def close(self) -> None:
        """Stop everything that is under way, and let go of connections."""
        self.cancel_all(CancellationMode.IMMEDIATE, "shutdown")
        await self._plain.close()
        if self._asking is not None:
            await self._asking.close()
        if self._plane is not None:
            await self._plane.close()

    def _signal(self, signal: CancellationSignal) -> None:
        for supervisor in (self._plain, self._asking):
            if supervisor is not None and supervisor.cancel(signal):
                return

    def _provider(self, order: Order) -> Provider | None:
        if not order.use_model:
            return None
        usable = (
            usable_providers(self._app.settings) if self._plane is None else (self._plane.providers)
        )
        if order.provider is not None:
            return named(usable, order.provider)
        return in_order(usable, None, Standing())[0] if usable else None

    def _supervisor(self) -> Supervisor:
        if self._asking is None:
            self._plane = plane_of(self._app, cached=True)
            self._asking = Supervisor(self._plane, timeouts=self._timeouts, clock=self._app.clock)
        return self._asking


def is_part_of(name: str, request_id: str) -> bool:
    """Whether something runs for a request: itself, or one of its parts."""
    return name == request_id or name.startswith(f"{request_id}.")
