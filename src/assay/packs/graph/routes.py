"""`/extract`: a text and an ontology in, a graph out, watched and stopped while it is made."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from typing import Any

from aiohttp import web

from assay.packs.graph.request_body import KNOWN_ID, read_order
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder, GraphService, is_part_of
from assay.sdk.errors import AssayError, InvalidInput, NotFound, TransientError
from assay.sdk.models import CancellationMode, ProgressKind, RequestProgress
from assay.sdk.pack import Route
from assay.sdk.services import Services
from assay.sdk.stages import Log
from assay.sdk.web import (
    ServerEvent,
    answer_json,
    read_parameter,
    refuse_unknown_parameters,
    stream_events,
)

_REMEMBERED = 200
"""Requests that are over and whose steps can still be seen."""
_REMEMBERED_CHARACTERS = 10_000_000
"""Of their texts together, since what was found in them is held along."""
_MOST_STEPS = 2_000
"""Of one request; of what comes after, only the ends of its steps are kept."""
_LEAVE_S = 5.0
"""How long requests may take to end when the server does."""
_BEAT_S = 15.0
"""How often a silent stream says that it lives."""
log = Log("assay.graph")


@dataclass(eq=False)
class RunningGraph:
    """A request with all that can be seen of it."""

    request_id: str
    weight: int
    """Characters that it stands for in memory."""
    steps: list[dict[str, Any]] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[GraphResult] | None" = None

    @property
    def is_over(self) -> bool:
        return self.task is not None and self.task.done()

    def add_step(self, progress: RequestProgress) -> None:
        """One more step."""
        if len(self.steps) < _MOST_STEPS or progress.what is ProgressKind.ENDED:
            told = {
                "stage" if name == "step" else name: value
                for name, value in asdict(progress).items()
                if value != ""
            }
            self.steps.append(told | {"what": progress.what.value})
            self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class GraphRequests:
    """The requests of one server: how many at a time, and the last that are over."""

    def __init__(self, services: Services) -> None:
        self.graphs = services.share(GraphService)
        self._most = services.settings.requests_at_once
        self._known: OrderedDict[str, RunningGraph] = OrderedDict()

    def begin(self, order: GraphOrder) -> RunningGraph:
        """Take a request on, or refuse it."""
        under_way = sum(not running.is_over for running in self._known.values())
        if under_way >= self._most:
            raise TransientError(
                f"{under_way} requests are under way, and no more are taken on at a time.",
                advice="Try again in a while, or raise requests_at_once.",
            )
        known = self._known.get(order.request_id)
        if known is not None and not known.is_over:
            raise InvalidInput(f"Request '{order.request_id}' is already under way.")
        running = RunningGraph(order.request_id, len(order.text))
        running.task = asyncio.create_task(self.graphs.extract(order, running.add_step))
        running.task.add_done_callback(lambda task: self._on_end(running, order, task))
        self._known[order.request_id] = running
        self._known.move_to_end(order.request_id)
        return running

    def find(self, request_id: str) -> RunningGraph | None:
        return self._known.get(request_id)

    def list_all(self) -> list[RunningGraph]:
        return list(self._known.values())

    async def close(self) -> None:
        """Stop all, and wait until they have stopped: what they use is closed after them."""
        tasks = {running.task for running in self._known.values() if running.task is not None}
        self.graphs.cancel_all(CancellationMode.IMMEDIATE, "shutdown")
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=_LEAVE_S)
            for task in slow:
                task.cancel()
            await asyncio.wait(tasks)

    def _on_end(
        self, running: RunningGraph, order: GraphOrder, task: "asyncio.Task[GraphResult]"
    ) -> None:
        # Whoever waits is told of an error; where nobody does, nobody is.
        if not task.cancelled() and task.exception() is not None:
            # An error holds on to all that it came from.
            running.weight += len(order.ontology)
        running.wake()
        if self._known.get(running.request_id) is running:
            # Whoever asked for it comes back now, however long ago that was.
            self._known.move_to_end(running.request_id)
        over = [each for each in self._known.values() if each.is_over]
        weight = sum(each.weight for each in over)
        for each in over[:-1]:
            if len(self._known) <= _REMEMBERED and weight <= _REMEMBERED_CHARACTERS:
                break
            weight -= each.weight
            del self._known[each.request_id]


async def _extract(request: web.Request, services: Services) -> web.StreamResponse:
    """Wait for the graph; with `Accept: text/event-stream` watch it being made, with
    `Prefer: respond-async` come back for it."""
    refuse_unknown_parameters(request)
    order = await read_order(request, services)
    running = services.share(GraphRequests).begin(order)
    assert running.task is not None
    if "respond-async" in request.headers.get("Prefer", ""):
        path = f"/extract/{order.request_id}"
        answer = answer_json(
            {"request_id": order.request_id, "result": path, "events": f"{path}/events"},
            status=202,
        )
        answer.headers["Location"] = path
        return answer
    try:
        if "text/event-stream" in request.headers.get("Accept", ""):
            return await _stream_events(request, running)
        return _answer_result(await asyncio.shield(running.task))
    finally:
        # Where it is not over, whoever asked has gone, and it is nobody else's.
        running.task.cancel()


async def _list(request: web.Request, services: Services) -> web.Response:
    refuse_unknown_parameters(request)
    under_way = services.share(GraphRequests).graphs.list_running()
    return answer_json(
        {
            "requests": [
                {
                    "request_id": running.request_id,
                    "state": "done" if running.is_over else "running",
                    "stages": [
                        each.step
                        for each in under_way
                        if any(is_part_of(name, running.request_id) for name in each.waiters)
                    ],
                }
                for running in services.share(GraphRequests).list_all()
            ]
        }
    )


async def _show(request: web.Request, services: Services) -> web.Response:
    """The result of a request, or that it is still under way."""
    refuse_unknown_parameters(request)
    request_id = request.match_info["id"]
    running = services.share(GraphRequests).find(request_id)
    if running is not None and running.task is not None:
        if not running.is_over:
            last = running.steps[-1] if running.steps else None
            return answer_json(
                {"request_id": request_id, "state": "running", "last": last}, status=202
            )
        return _answer_result(_result_of(running))
    if not KNOWN_ID.fullmatch(request_id):
        raise _unknown_request_error(request_id)
    stored = await services.share(GraphRequests).graphs.find_result(request_id)
    if stored is None:
        raise _unknown_request_error(request_id)
    return _answer_result(stored)


async def _serve_events(request: web.Request, services: Services) -> web.StreamResponse:
    """Every step so far, then every step as it is made, then the result."""
    refuse_unknown_parameters(request)
    request_id = request.match_info["id"]
    running = services.share(GraphRequests).find(request_id)
    if running is None:
        raise _unknown_request_error(request_id)
    return await _stream_events(request, running)


async def _cancel(request: web.Request, services: Services) -> web.Response:
    """Stop a request; what it has by then is its result."""
    refuse_unknown_parameters(request, ("mode", "reason"))
    request_id, told = request.match_info["id"], read_parameter(request, "mode") or "graceful"
    try:
        mode = CancellationMode(told)
    except ValueError as error:
        known = ", ".join(each.value for each in CancellationMode)
        raise InvalidInput(f"There is no mode '{told}'.", advice=f"Known are {known}.") from error
    requests = services.share(GraphRequests)
    reason = read_parameter(request, "reason") or "user_request"
    if not requests.graphs.cancel(request_id, mode, reason):
        running = requests.find(request_id)
        if running is not None and running.is_over:
            raise NotFound(
                f"Request '{request_id}' is over.",
                advice=f"GET /extract/{request_id} has its result.",
            )
        raise _unknown_request_error(request_id)
    return answer_json({"request_id": request_id, "cancelled": mode.value}, status=202)


async def _stream_events(request: web.Request, running: RunningGraph) -> web.StreamResponse:
    async def events() -> AsyncIterator[ServerEvent | None]:
        yield ServerEvent("request", {"request_id": running.request_id})
        async for step in _follow_steps(running):
            yield None if step is None else ServerEvent("progress", step)
        yield _build_last_event(running, request.path)

    return await stream_events(request, events())


def _build_last_event(running: RunningGraph, path: str) -> ServerEvent:
    try:
        return ServerEvent("result", _result_of(running).to_dict())
    except AssayError as error:
        told = {"code": error.code, "message": error.what, "advice": error.advice}
    except Exception as error:  # a bug: whoever watches is told, as whoever waits would be
        log.error("bug", f"{type(error).__name__}: {error}", path=path, traceback=True)
        told = {"code": "bug", "message": "This is a bug in Assay.", "advice": "The log has more."}
    return ServerEvent("error", told)


async def _follow_steps(running: RunningGraph) -> AsyncIterator[dict[str, Any] | None]:
    """The steps as they come; None now and then, so that a dead connection is noticed."""
    told = 0
    while True:
        changed, over = running.changed, running.is_over
        while told < len(running.steps):
            yield running.steps[told]
            told += 1
        if over:
            return
        try:
            async with asyncio.timeout(_BEAT_S):
                await changed.wait()
        except TimeoutError:
            yield None


def _result_of(running: RunningGraph) -> GraphResult:
    assert running.task is not None
    if running.task.cancelled():
        raise TransientError(
            f"Request '{running.request_id}' was given up.", advice="Send it again."
        )
    return running.task.result()


def _answer_result(result: GraphResult) -> web.Response:
    """A result; one whose graph could not be written is an error, with what there is."""
    if result.error is None:
        return answer_json(result.to_dict())
    error = {
        "code": result.error.code,
        "class": "INTERNAL",
        "message": f"Stage '{result.error.stage}' failed: {result.error.reason}",
        "advice": "Send it again; the log has more.",
    }
    return answer_json({"error": error, "result": result.to_dict()}, status=500)


def _unknown_request_error(request_id: str) -> NotFound:
    # It may be anything that an address can hold.
    shown = request_id[:80].encode("ascii", "backslashreplace").decode()
    return NotFound(f"There is no request '{shown}'.", advice="GET /extract names those under way.")


ROUTES = (
    Route(method="POST", path="/extract", handler=_extract),
    Route(method="GET", path="/extract", handler=_list),
    Route(method="GET", path="/extract/{id}", handler=_show),
    Route(method="GET", path="/extract/{id}/events", handler=_serve_events),
    Route(method="DELETE", path="/extract/{id}", handler=_cancel),
)
