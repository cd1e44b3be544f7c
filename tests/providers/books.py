"""What the provider server writes down of each call, on its own clock."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ServedState(StrEnum):
    """How a call stands, or ended."""

    OPEN = "open"
    DONE = "done"
    CUT = "cut"
    """The server ended the connection before the answer's end."""
    CANCELLED = "cancelled"
    """The client went away before the answer's end."""
    REFUSED = "refused"
    STOPPED = "stopped"
    """The server itself was stopped."""


@dataclass(kw_only=True)
class Call:
    """One call as the server saw it."""

    number: int
    at_ms: int
    """When it arrived, in milliseconds since 1970."""
    dialect: str
    path: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Words really written."""
    charged_tokens: int = 0
    """What the strict limits took for it at its arrival."""
    state: ServedState = ServedState.OPEN
    status: int | None = None
    """The status that was sent; None where none was."""
    ended_ms: int | None = None
    """When the last word was written, or the client's going away was noticed."""
    max_tokens: int | None = None
    stream: bool = True
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The request as it came."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Its headers, names in lower case."""

    def as_json(self) -> dict[str, Any]:
        """Without body and headers, which may hold a key."""
        return {k: v for k, v in vars(self).items() if k not in ("body", "headers")}


class Books:
    """Every call of a server."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.under_way = 0
        self.max_concurrent = 0

    def begin(self, dialect: str, path: str, headers: Mapping[str, str]) -> Call:
        call = Call(
            number=len(self.calls) + 1,
            at_ms=now_ms(),
            dialect=dialect,
            path=path,
            headers={name.lower(): value for name, value in headers.items()},
        )
        self.calls.append(call)
        self.under_way += 1
        self.max_concurrent = max(self.max_concurrent, self.under_way)
        return call

    def end(self, call: Call, state: ServedState) -> None:
        call.state = state
        call.ended_ms = now_ms()
        self.under_way -= 1

    def count(self, state: ServedState) -> int:
        """Calls in that state."""
        return sum(call.state is state for call in self.calls)

    def totals(self) -> dict[str, int]:
        """Sums over all calls, refused ones left out of the tokens."""
        taken = [call for call in self.calls if call.state is not ServedState.REFUSED]
        return {
            "calls": len(self.calls),
            "granted": len(taken),
            "prompt_tokens": sum(call.prompt_tokens for call in taken),
            "completion_tokens": sum(call.completion_tokens for call in taken),
            "charged": sum(call.charged_tokens > 0 for call in taken),
            "charged_tokens": sum(call.charged_tokens for call in taken),
            "busy": sum(call.status == 429 for call in self.calls),
            **{str(state): self.count(state) for state in ServedState},
        }


def now_ms() -> int:
    """Milliseconds since 1970, the same for every process of a machine."""
    return time.time_ns() // 1_000_000
