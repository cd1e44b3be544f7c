"""Graphs of texts for commands and routes: whom to ask, what to keep, and how to stop work."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from uuid import uuid4

from assay.packs.graph.extraction import Caller, ExtractionStop, extract
from assay.packs.graph.memory import Memory
from assay.packs.graph.model import DETERMINISTIC
from assay.packs.graph.ontology.cache import IndexedOntology, OntologyCache
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import LearnedCues
from assay.packs.graph.results import GraphResult, parse_stored_result
from assay.sdk.errors import InvalidInput
from assay.sdk.models import CancellationMode, CancellationSignal, ProgressListener, RunningRequest
from assay.sdk.services import Services

_COMPUTING = 2
"""How many orders read an ontology, or a text without a model, at a time: each takes memory, and
more at a time would not be done sooner."""


@dataclass(frozen=True, kw_only=True)
class GraphOrder:
    """A text to turn into a graph."""

    text: str
    ontology: bytes
    ontology_name: str = ""
    """The name of its file, whose ending gives the format."""
    imports: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the ontology may import, by address. Nothing is fetched."""
    options: GraphOptions = field(default_factory=GraphOptions)
    use_model: bool = True
    """Whether a model may be asked; otherwise only the pack's own extractor reads the text."""
    provider: str | None = None
    """The provider to ask; None: the preferred one."""
    learned: LearnedCues | None = None
    request_id: str = field(default_factory=lambda: uuid4().hex)
    name: str = ""
    """What the document is called in the graph."""


class GraphService:
    """Takes orders. Equal concurrent orders share one execution, and later ones reuse its result.

    Without a home, no model is asked and nothing is stored.
    """

    def __init__(self, services: Services) -> None:
        self._has_store = services.has_store
        self._models = services.models
        self._results = services.results if self._has_store else None
        self._ontologies = OntologyCache()
        self._memory = Memory()
        self._stops: dict[str, ExtractionStop] = {}
        self._computing = 0
        self._changed = asyncio.Event()

    async def read_ontology(self, order: GraphOrder) -> IndexedOntology:
        """Read the ontology of an order; the same bytes are read only once."""
        # In a thread, because it may be large.
        return await asyncio.to_thread(
            self._ontologies.get,
            order.ontology,
            name=order.ontology_name,
            imports=dict(order.imports),
        )

    async def extract(
        self, order: GraphOrder, on_progress: ProgressListener | None = None
    ) -> GraphResult:
        """Return the graph of an order, from the store if an equal one was done before."""
        if order.request_id in self._stops:
            raise InvalidInput(f"Request '{order.request_id}' is already running.")
        caller = self._build_caller(order, on_progress)
        self._stops[order.request_id] = caller.stop
        try:
            async with self._hold_place(caller.stop):
                ontology = await self.read_ontology(order)
                if caller.provider is None:
                    return await self._extract(order, ontology, caller)
            return await self._extract(order, ontology, caller)
        finally:
            del self._stops[order.request_id]

    async def _extract(
        self, order: GraphOrder, ontology: IndexedOntology, caller: Caller
    ) -> GraphResult:
        return await extract(
            order.text,
            ontology,
            options=order.options,
            learned=order.learned,
            caller=caller,
            name=order.name,
        )

    @asynccontextmanager
    async def _hold_place(self, stop: ExtractionStop) -> AsyncIterator[None]:
        """Wait for a place among those that compute; what is cancelled does not wait."""
        while self._computing >= _COMPUTING and stop.signal is None:
            await self._changed.wait()
        self._computing += 1
        try:
            yield
        finally:
            self._computing -= 1
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def cancel(self, request_id: str, mode: CancellationMode, reason: str = "user_request") -> bool:
        """Stop a request with all its parts; False if there is nothing left to stop."""
        stop = self._stops.get(request_id)
        if stop is None:
            return False
        signal = CancellationSignal(request_id=request_id, mode=mode, reason=reason)
        if stop.signal is None or stop.signal.mode.strength < mode.strength:
            stop.signal = signal
        self._wake()
        # By waiter: an equal request may be running under another request's id.
        for mine in {name for each in self.list_running() for name in each.waiters}:
            if is_part_of(mine, request_id):
                self._models.cancel(replace(signal, request_id=mine))
        return True

    def cancel_all(self, mode: CancellationMode, reason: str) -> None:
        """Stop every request."""
        for request_id in tuple(self._stops):
            self.cancel(request_id, mode, reason)

    def list_running(self) -> tuple[RunningRequest, ...]:
        """List all running requests, each part separately."""
        return self._models.running_requests()

    def is_under_way(self, request_id: str) -> bool:
        return request_id in self._stops

    async def find_result(self, request_id: str) -> GraphResult | None:
        """Find the stored result of a request."""
        if self._results is None:
            return None
        data = await asyncio.to_thread(self._results.find_by_request, request_id)
        return None if data is None else await asyncio.to_thread(parse_stored_result, data)

    async def close(self) -> None:
        """Stop everything that is running."""
        self.cancel_all(CancellationMode.IMMEDIATE, "shutdown")

    def _build_caller(self, order: GraphOrder, on_progress: ProgressListener | None) -> Caller:
        asks = order.use_model and self._has_store
        provider = self._models.choose(order.provider) if asks else None
        return Caller(
            supervisor=self._models.supervisor(offline=provider is None),
            provider=None if provider is None else provider.name,
            by=DETERMINISTIC if provider is None else f"{provider.name}:{provider.model}",
            request_id=order.request_id,
            results=self._results,
            memory=self._memory,
            on_progress=on_progress,
        )


def is_part_of(name: str, request_id: str) -> bool:
    """Whether this is the request itself or one of its parts."""
    return name == request_id or name.startswith(f"{request_id}.")
