"""What the transport needs to know about one provider's dialect."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from assay.errors import ProviderFailed
from assay.llm.messages import AnswerPiece, ModelRequest, RateHints
from assay.llm.providers.rates import read_retry_after_ms

Json = dict[str, Any]


@dataclass(frozen=True)
class Complaint:
    """What a provider says when it refuses to answer."""

    what: str = ""
    quota: bool = False
    """Whether an allowance is used up, which makes trying again pointless."""
    auth: bool = False
    """Whether the key is at fault, whatever the status."""
    retry_after_ms: int | None = None


class StreamFault(Exception):
    """An error in the middle of a stream; the status is what it would have been at the start."""

    def __init__(self, status: int, body: Json) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


class AnswerReader(Protocol):
    """Reads one answer, line by line."""

    finished: bool = False
    """Whether the answer has ended."""
    max_line: int = 1_000_000
    """The most bytes of a line."""

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        """The pieces of a line, usually one; StreamFault if it reports an error."""
        ...

    def end(self) -> Iterable[AnswerPiece]:
        """The remaining pieces after the last line. The answer was cut unless it is finished."""
        return []


class Dialect(Protocol):
    """How to ask a provider, and how it answers."""

    content_types: frozenset[str] = frozenset({"text/event-stream"})
    """The content types of a stream."""

    def path(self, model: str) -> str:
        """Where the request goes, after the base address."""
        ...

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers that carry the key; most providers take it as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, model: str, request: ModelRequest) -> Json: ...

    def reader(self) -> AnswerReader: ...

    def hints(self, headers: Mapping[str, str], now_ms: int) -> RateHints:
        """What the headers say about limits; not every provider reports any."""
        return RateHints(retry_after_ms=read_retry_after_ms(headers, now_ms))

    def complaint(self, status: int, body: Json) -> Complaint: ...


def parse_event_data(line: str) -> str | None:
    """The data in a line of server-sent events; None for any other line of such a stream."""
    return line[5:].strip() if line.startswith("data:") else None


def parse_object(text: str) -> Json:
    """A line's JSON object; anything else is an error."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ProviderFailed("The provider sent a response in an unexpected format.")
    return value


def get_object(value: Json, name: str) -> Json:
    """The object with that name, or an empty one."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def get_text(value: Json, name: str) -> str:
    """The text with that name, or an empty one."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def sum_counts(value: Json, *names: str) -> int | None:
    """The sum of the counts with those names; None if the first is missing."""
    counts = [value.get(name) for name in names]
    if not isinstance(counts[0], int):
        return None
    return sum(count for count in counts if isinstance(count, int))
