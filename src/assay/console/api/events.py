"""`GET /api/events`: what happens, as it happens, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated

from fastapi import Header, Request
from starlette.responses import StreamingResponse

from assay.app.event_stream import EventStream, StoredEvent
from assay.console.access import Reader
from assay.console.api.routing import build_router, refuse_zeros
from assay.console.layout import OwnApp
from assay.errors import TransientError

POLL_S = 1.0
"""How often the store is asked for new events."""
BEAT_S = 15.0
"""How often a silent stream says that it is still there, which reveals a dead connection."""
MOST_STREAMS = 64
"""Streams at a time; each asks the store for itself."""
router = build_router("events")


class OpenStreams:
    """The streams that are open, up to a limit."""

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Count one more until it ends."""
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1


class EventStreamResponse(StreamingResponse):
    """Events as they come."""

    media_type = "text/event-stream"


@router.get(
    "/api/events",
    response_class=EventStreamResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def stream_events(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    after: str | None = None,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> EventStreamResponse:
    """Every event from now on, or after the one with that id, until the client goes.

    An event has an `id`, its tag as `event`, and JSON as `data`. Events of the last ten seconds
    before that id may come again.
    """
    streams: OpenStreams = request.app.state.streams
    if streams.count >= MOST_STREAMS:
        raise TransientError(
            f"{MOST_STREAMS} clients are reading events, which is the limit.",
            advice="Try again later.",
        )
    position = last_event_id or after
    refuse_zeros(position)
    stream = await asyncio.to_thread(EventStream, app, position)
    return EventStreamResponse(_encode_events(stream, streams))


async def _encode_events(stream: EventStream, streams: OpenStreams) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    with streams.open():
        yield b"retry: 3000\n\n"
        said = loop.time()
        while True:
            found = await asyncio.to_thread(stream.read_next)
            for event in found:
                yield _encode(event)
            if found:
                said = loop.time()
            elif loop.time() - said >= BEAT_S:
                yield b": still here\n\n"
                said = loop.time()
            else:
                await asyncio.sleep(POLL_S)


def _encode(event: StoredEvent) -> bytes:
    data = json.dumps(asdict(event), ensure_ascii=True)
    return f"id: {event.position}\nevent: {event.tag}\ndata: {data}\n\n".encode()
