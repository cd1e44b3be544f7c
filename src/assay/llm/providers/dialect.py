"""What one provider's way of speaking must tell the transport."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from assay.errors import ProviderFailed
from assay.llm.messages import AnswerPiece, ModelRequest, RateHints

Json = dict[str, Any]


@dataclass(frozen=True)
class Complaint:
    """What a provider says when it does not answer."""

    what: str = ""
    quota: bool = False
    """It says that an allowance is used up, so that trying again is pointless."""
    auth: bool = False
    """It says that the key is at fault, whatever the status."""
    retry_after_ms: int | None = None


class StreamFault(Exception):
    """An error that came where a piece was due; the status is what it would have been before."""

    def __init__(self, status: int, body: Json) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


class AnswerReader(Protocol):
    """Reads one answer, line by line."""

    finished: bool
    """Whether the answer has come to its end."""

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        """The pieces of a line, mostly one; FaultInStream where it tells an error."""
        ...

    def end(self) -> Iterable[AnswerPiece]:
        """The lines are over: what is left to tell. The answer was cut unless it is finished."""
        ...


class Dialect(Protocol):
    """How a provider is asked, and how it answers."""

    content_types: frozenset[str]
    """What a stream says that it is."""

    def path(self, model: str) -> str:
        """Where the request goes, after the base address."""
        ...

    def headers(self, key: str | None) -> dict[str, str]: ...

    def body(self, model: str, request: ModelRequest) -> Json: ...

    def reader(self) -> AnswerReader: ...

    def hints(self, headers: Mapping[str, str], now_ms: int) -> RateHints: ...

    def complaint(self, status: int, body: Json) -> Complaint: ...


def build_bearer_header(key: str | None) -> dict[str, str]:
    """The header of the providers that take a bearer's key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def parse_event_data(line: str) -> str | None:
    """What a line of server-sent events carries; None for all else that such a stream has."""
    return line[5:].strip() if line.startswith("data:") else None


def parse_object(text: str) -> Json:
    """A line's JSON object; anything else is junk."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ProviderFailed("The provider sent something else than its dialect.")
    return value


def get_object(value: Json, name: str) -> Json:
    """The object under a name, an empty one where there is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def get_text(value: Json, name: str) -> str:
    """The text under a name, empty where there is none."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def sum_counts(value: Json, *names: str) -> int | None:
    """The sum of the counts under the names; None where the first is not told."""
    told = [value.get(name) for name in names]
    if not isinstance(told[0], int):
        return None
    return sum(count for count in told if isinstance(count, int))
