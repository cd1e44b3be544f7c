"""`/extract`: a text and an ontology in, a graph out, with progress and cancellation."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from aiohttp import web
from pydantic import BaseModel

from assay.packs.graph.clients import Client, find_client, find_or_make_client
from assay.packs.graph.request_body import KNOWN_ID, ExtractBody, read_order
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder, GraphService, is_part_of
from assay.sdk.errors import AssayError, ErrorClass, InvalidInput, NotFound, TransientError
from assay.sdk.models import CancellationMode, ProgressKind, RequestProgress
from assay.sdk.pack import Route
from assay.sdk.problems import PROBLEM_TYPE, Problem
from assay.sdk.services import Services
from assay.sdk.stages import Log
from assay.sdk.web import (
    ServerEvent,
    answer_json,
    answer_large_json,
    read_parameter,
    refuse_unknown_parameters,
    stream_events,
)

_REMEMBERED = 200
"""How many finished requests are remembered with their steps."""
_REMEMBERED_CHARACTERS = 10_000_000
"""Limit on their texts and results together, which are held in memory."""
_MOST_STEPS = 2_000
"""Steps kept per request; beyond this, only the ends of steps are kept."""
_LEAVE_S = 5.0
"""How long requests may take to finish when the server shuts down."""
_BEAT_S = 15.0
"""How often a silent stream sends a heartbeat."""
log = Log("assay.graph")


@dataclass(eq=False)
class RunningGraph:
    """A request with its visible progress."""

    client: Client
    request_id: str
    """Its id inside the server; `name` is the one that its client knows."""
    weight: int
    """How much memory it accounts for, in characters."""
    steps: list[dict[str, Any]] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_waiting: bool = True
    """Whether it waits for its turn: nothing has been done for it yet."""
    task: "asyncio.Task[GraphResult] | None" = None

    @property
    def name(self) -> str:
        return self.client.unscope(self.request_id)

    @property
    def is_over(self) -> bool:
        return self.task is not None and self.task.done()

    @property
    def state(self) -> str:
        """What to say about it."""
        return "done" if self.is_over else "waiting" if self.is_waiting else "running"

    def add_step(self, progress: RequestProgress) -> None:
        """Record one more step."""
        if len(self.steps) < _MOST_STEPS or progress.what is ProgressKind.ENDED:
            values = {
                "stage" if name == "step" else name: value
                for name, value in asdict(progress).items()
                if value != ""
            }
            values["request_id"] = self.client.unscope(progress.request_id)
            self.steps.append(values | {"what": progress.what.value})
            self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class GraphRequests:
    """The requests of one server: those running, up to a limit, and the latest finished ones."""

    def __init__(self, services: Services) -> None:
        self.graphs = services.share(GraphService)
        self._most = services.settings.requests_at_once
        self.reading_stored = asyncio.Semaphore(1)
        """Held while a result of the store is in memory: it takes far more than its bytes."""
        self._most_waiting = services.settings.requests_waiting
        self._turns = asyncio.Semaphore(self._most)
        self._known: OrderedDict[str, RunningGraph] = OrderedDict()

    def begin(self, order: GraphOrder, client: Client) -> RunningGraph:
        """Accept a request of a client, or refuse it."""
        order = replace(order, request_id=client.scope(order.request_id))
        under_way = sum(not running.is_over for running in self._known.values())
        if under_way >= self._most + self._most_waiting:
            raise TransientError(
                f"{self._most} requests are running and {under_way - self._most} are waiting, "
                "which is the limit.",
                advice="Try again later, or raise requests_at_once or requests_waiting.",
            )
        known = self._known.get(order.request_id)
        if known is not None and not known.is_over:
            raise InvalidInput(f"Request '{known.name}' is already running.")
        running = RunningGraph(client, order.request_id, len(order.text))
        running.task = asyncio.create_task(self._extract_in_turn(order, running))
        running.task.add_done_callback(lambda task: self._on_end(running, order, task))
        self._known[order.request_id] = running
        self._known.move_to_end(order.request_id)
        return running

    async def _extract_in_turn(self, order: GraphOrder, running: RunningGraph) -> GraphResult:
        """Wait until a request before it ends, if there are too many; the first comes first."""
        async with self._turns:
            running.is_waiting = False
            return await self.graphs.extract(order, running.add_step)

    def cancel(self, request_id: str, client: Client, mode: CancellationMode, reason: str) -> bool:
        """Stop a request; False if nothing of that name is under way."""
        running = self.find(request_id, client)
        if running is not None and running.task is not None and running.state == "waiting":
            return running.task.cancel(reason)
        return self.graphs.cancel(client.scope(request_id), mode, reason)

    def find(self, request_id: str, client: Client) -> RunningGraph | None:
        return self._known.get(client.scope(request_id))

    def list_of(self, client: Client) -> list[RunningGraph]:
        """The requests of a client."""
        return [each for each in self._known.values() if each.client.prefix == client.prefix]

    async def close(self) -> None:
        """Stop all requests and wait for them: what they use is closed afterwards."""
        tasks = {running.task for running in self._known.values() if running.task is not None}
        for running in self._known.values():
            if running.is_waiting and running.task is not None:
                running.task.cancel()
        self.graphs.cancel_all(CancellationMode.IMMEDIATE, "shutdown")
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=_LEAVE_S)
            for task in slow:
                task.cancel()
            await asyncio.wait(tasks)

    def _on_end(
        self, running: RunningGraph, order: GraphOrder, task: "asyncio.Task[GraphResult]"
    ) -> None:
        # Retrieving the exception marks it as handled; a waiting client sees it anyway.
        if not task.cancelled() and task.exception() is not None:
            # An exception keeps everything it came from in memory.
            running.weight += len(order.ontology)
        elif not task.cancelled():
            running.weight += task.result().weight
        running.wake()
        if self._known.get(running.request_id) is running:
            # The client comes back for it now, however long ago it asked.
            self._known.move_to_end(running.request_id)
        over = [each for each in self._known.values() if each.is_over]
        weight = sum(each.weight for each in over)
        for each in over[:-1]:
            if len(self._known) <= _REMEMBERED and weight <= _REMEMBERED_CHARACTERS:
                break
            weight -= each.weight
            del self._known[each.request_id]


async def _extract(request: web.Request, services: Services) -> web.StreamResponse:
    """Wait for the graph; with `Accept: text/event-stream` stream its progress, with
    `Prefer: respond-async` return at once."""
    refuse_unknown_parameters(request)
    client = find_or_make_client(request)
    order = await read_order(request, services)
    running = services.share(GraphRequests).begin(order, client)
    assert running.task is not None
    if "respond-async" in request.headers.get("Prefer", ""):
        return _answer_accepted(running)
    try:
        if "text/event-stream" in request.headers.get("Accept", ""):
            return await _stream_events(request, running)
        await asyncio.wait([running.task])
        answer = await _answer_result(_result_of(running))
        answer.headers.update(client.headers)
        return answer
    finally:
        # If it is not finished, the client has disconnected, and nobody else wants the result.
        running.task.cancel()


def _answer_accepted(running: RunningGraph) -> web.Response:
    path = f"/extract/{running.name}"
    told = {"request_id": running.name, "result": path, "events": f"{path}/events"}
    answer = answer_json(told, status=202)
    answer.headers.update({"Location": path, **running.client.headers})
    return answer


async def _list(request: web.Request, services: Services) -> web.Response:
    """List the requests of this client."""
    refuse_unknown_parameters(request)
    client = find_client(request)
    under_way = services.share(GraphRequests).graphs.list_running()
    return answer_json(
        {
            "requests": [
                {
                    "request_id": running.name,
                    "state": running.state,
                    "stages": [
                        each.step
                        for each in under_way
                        if any(is_part_of(name, running.request_id) for name in each.waiters)
                    ],
                }
                for running in services.share(GraphRequests).list_of(client)
            ]
        }
    )


async def _show(request: web.Request, services: Services) -> web.Response:
    """Return the result of a request, or report that it is still running."""
    refuse_unknown_parameters(request)
    client, request_id = find_client(request), request.match_info["id"]
    running = services.share(GraphRequests).find(request_id, client)
    if running is not None and running.task is not None:
        if not running.is_over:
            last = running.steps[-1] if running.steps else None
            return answer_json(
                {"request_id": request_id, "state": running.state, "last": last}, status=202
            )
        return await _answer_result(_result_of(running))
    if not KNOWN_ID.fullmatch(request_id):
        raise _unknown_request_error(request_id)
    requests = services.share(GraphRequests)
    async with requests.reading_stored:
        stored = await requests.graphs.find_result(client.scope(request_id))
        if stored is None:
            raise _unknown_request_error(request_id)
        return await _answer_result(replace(stored, request_id=request_id))


async def _events(request: web.Request, services: Services) -> web.StreamResponse:
    """Stream every step so far, then every new step, then the result."""
    refuse_unknown_parameters(request)
    client, request_id = find_client(request), request.match_info["id"]
    running = services.share(GraphRequests).find(request_id, client)
    if running is None:
        raise _unknown_request_error(request_id)
    return await _stream_events(request, running)


async def _cancel(request: web.Request, services: Services) -> web.Response:
    """Stop a request; what it has found by then is its result."""
    refuse_unknown_parameters(request, ("mode", "reason"))
    client, request_id = find_client(request), request.match_info["id"]
    name = read_parameter(request, "mode") or "graceful"
    try:
        mode = CancellationMode(name)
    except ValueError as error:
        known = ", ".join(each.value for each in CancellationMode)
        raise InvalidInput(f"Unknown mode '{name}'.", advice=f"Use one of {known}.") from error
    requests = services.share(GraphRequests)
    reason = read_parameter(request, "reason") or "user_request"
    if not requests.cancel(request_id, client, mode, reason):
        running = requests.find(request_id, client)
        if running is not None and running.is_over:
            raise NotFound(
                f"Request '{request_id}' has already finished.",
                advice=f"GET /extract/{request_id} returns its result.",
            )
        raise _unknown_request_error(request_id)
    return answer_json({"request_id": request_id, "cancelled": mode.value}, status=202)


async def _stream_events(request: web.Request, running: RunningGraph) -> web.StreamResponse:
    async def events() -> AsyncIterator[ServerEvent | None]:
        yield ServerEvent("request", {"request_id": running.name})
        async for step in _follow_steps(running):
            yield None if step is None else ServerEvent("progress", step)
        yield await asyncio.to_thread(_build_last_event, running, request.path)

    return await stream_events(request, events(), headers=running.client.headers)


def _build_last_event(running: RunningGraph, path: str) -> ServerEvent:
    try:
        return ServerEvent("result", _result_of(running).to_dict())
    except AssayError as error:
        body = {"code": error.code, "message": error.what, "advice": error.advice}
    except Exception as error:  # a bug: report it in the stream, as a plain response would
        log.error("bug", f"{type(error).__name__}: {error}", path=path, traceback=True)
        body = {"code": "bug", "message": "This is a bug in Assay.", "advice": "See the log."}
    return ServerEvent("error", body)


async def _follow_steps(running: RunningGraph) -> AsyncIterator[dict[str, Any] | None]:
    """Yield the steps as they come, and None now and then to notice a dead connection."""
    sent = 0
    while True:
        changed, over = running.changed, running.is_over
        while sent < len(running.steps):
            yield running.steps[sent]
            sent += 1
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
        raise TransientError(f"Request '{running.name}' was cancelled.", advice="Send it again.")
    return replace(running.task.result(), request_id=running.name)


async def _answer_result(result: GraphResult) -> web.Response:
    """Answer with a result; if its graph could not be written, with an error and what there is."""
    if result.error is None:
        return await answer_large_json(result.to_dict)
    problem = Problem(
        status=500,
        code=result.error.code,
        error_class=ErrorClass.INTERNAL.value,
        detail=f"Stage '{result.error.stage}' failed: {result.error.reason}",
        advice="Send it again; see the log for details.",
    )
    answer = await answer_large_json(
        lambda: problem.as_json() | {"result": result.to_dict()}, status=problem.status
    )
    answer.content_type = PROBLEM_TYPE
    return answer


def _unknown_request_error(request_id: str) -> NotFound:
    # The id may contain anything that an address can.
    shown = request_id[:80].encode("ascii", "backslashreplace").decode()
    return NotFound(
        f"No request '{shown}'.", advice="GET /extract lists those that belong to your token."
    )


class AcceptedRequest(BaseModel):
    """A request that goes on after its response."""

    request_id: str
    result: str
    """Where its result will be."""
    events: str
    """Where its progress is."""


class ListedRequest(BaseModel):
    """A request of this client."""

    request_id: str
    state: Literal["waiting", "running", "done"]
    stages: list[str]


class RequestList(BaseModel):
    """The requests of this client that the server still knows."""

    requests: list[ListedRequest]


class UnfinishedRequest(BaseModel):
    """A request that is not finished."""

    request_id: str
    state: Literal["waiting", "running"]
    last: dict[str, Any] | None
    """Its last step."""


class CancelledRequest(BaseModel):
    """A request that is being stopped."""

    request_id: str
    cancelled: str
    """How: the mode."""


ROUTES = (
    Route(
        method="POST",
        path="/extract",
        handler=_extract,
        summary="Find the graph of a text by an ontology.",
        request=ExtractBody,
        responses={200: GraphResult, 202: AcceptedRequest},
    ),
    Route(
        method="GET",
        path="/extract",
        handler=_list,
        summary="List the requests that belong to your token.",
        responses={200: RequestList},
    ),
    Route(
        method="GET",
        path="/extract/{id}",
        handler=_show,
        summary="Return the result of a request, or where it is.",
        responses={200: GraphResult, 202: UnfinishedRequest},
    ),
    Route(
        method="GET",
        path="/extract/{id}/events",
        handler=_events,
        summary="Stream the progress of a request, then its result, as server-sent events.",
        responses={200: None},
    ),
    Route(
        method="DELETE",
        path="/extract/{id}",
        handler=_cancel,
        summary="Stop a request; what it has found by then is its result.",
        parameters={
            "mode": "How: immediate, graceful, drain or abort; graceful by default.",
            "reason": "Why, for the log.",
        },
        responses={202: CancelledRequest},
    ),
)
