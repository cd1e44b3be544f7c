"""How the batch server shall behave, and what it writes down of each batch."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from assay.llm.doubles.words import count_tokens, take_words
from assay.llm.messages import Usage
from tests.providers.dialects import Asked


class KeyFault(StrEnum):
    """What the server does to the keys of its answers."""

    ROTATED = "rotated"
    """Each answer comes under the key of the next question."""
    UNKNOWN = "unknown"
    """The first answer comes under a key that nobody sent."""
    MISSING = "missing"
    """The first answer does not come."""
    DOUBLED = "doubled"
    """The first answer comes under the key of the second, too; the first has none."""
    NONE = "none"
    """No answer has a key."""


class Fate(StrEnum):
    """What becomes of a question."""

    ANSWERED = "answered"
    FAILED = "failed"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class BatchBehaviour:
    """What the server does with a batch. The default answers all of it at the first look."""

    looks: int = 1
    """At which look it has ended."""
    fates: Mapping[int, Fate] = field(default_factory=lambda: MappingProxyType({}))
    """What becomes of the questions at these places; the others are answered."""
    ending: str = "completed"
    """Or 'failed', 'expired', 'cancelled'; then all that `fates` does not name ends so too."""
    keys: KeyFault | None = None
    usage: bool = True
    """Whether it tells the usage."""
    named: bool = True
    """Whether it tells what its maker called a batch."""
    status: int = 200
    """Any other status refuses the creation."""
    takes: bool = False
    """Whether a creation is taken though its status refuses it."""
    drops: bool = False
    """Whether the connection ends in the place of a status, after the batch was taken."""
    quota: bool = False
    retry_ms: int | None = None
    upload_status: int = 200
    look_status: int = 200
    results_status: int = 200
    cut_results: bool = False
    """Whether the connection ends in the midst of the results."""
    say: Callable[[Asked], str] = lambda asked: f"re: {asked.texts[-1]}"
    """What it answers."""


@dataclass(kw_only=True)
class HeldItem:
    """One question, as the server holds it."""

    key: str
    asked: Asked
    fate: Fate = Fate.ANSWERED
    text: str = ""

    @property
    def usage(self) -> Usage:
        """What the server charges for it; nothing where it gave no answer."""
        if self.fate is not Fate.ANSWERED:
            return Usage(0, 0)
        return Usage(count_tokens(*self.asked.texts), count_tokens(self.text))

    @property
    def finish(self) -> str:
        most = self.asked.max_tokens
        return "length" if most is not None and count_tokens(self.text) >= most else "stop"


@dataclass(kw_only=True)
class HeldBatch:
    """One batch, as the server holds it."""

    handle: str
    dialect: str
    name: str
    """What its maker called it, where the dialect has a place for that."""
    items: Sequence[HeldItem]
    behaviour: BatchBehaviour
    file: str = ""
    """Where its questions came from, where they came in a file."""
    created_s: float = field(default_factory=time.time)
    looks: int = 0
    cancelled: bool = False

    @property
    def ended(self) -> bool:
        return self.looks >= self.behaviour.looks

    @property
    def ending(self) -> str:
        return "cancelled" if self.cancelled else self.behaviour.ending

    def look(self) -> None:
        """Somebody asks how far it is."""
        self.looks += 1
        if self.looks != self.behaviour.looks:
            return
        rest = Fate.ANSWERED if self.ending == "completed" else Fate(self.ending)
        for place, item in enumerate(self.items):
            item.fate = self.behaviour.fates.get(place, rest)
            if item.fate is Fate.ANSWERED:
                said = self.behaviour.say(item.asked)
                most = item.asked.max_tokens
                item.text = said if most is None else take_words(said, most)

    def answers(self) -> list[tuple[str | None, HeldItem]]:
        """Every item under the key that it is given."""
        items = list(self.items)
        right: list[tuple[str | None, HeldItem]] = [(item.key, item) for item in items]
        match self.behaviour.keys:
            case KeyFault.ROTATED:
                keys = [item.key for item in items]
                return list(zip([*keys[1:], keys[0]], items, strict=True))
            case KeyFault.UNKNOWN:
                return [("nobodys-key", items[0]), *right[1:]]
            case KeyFault.MISSING:
                return right[1:]
            case KeyFault.DOUBLED:
                return [(items[1].key, items[0]), *right[1:]]
            case KeyFault.NONE:
                return [(None, item) for item in items]
        return right

    @property
    def tokens(self) -> int:
        """What the server charges for all of it."""
        return sum(item.usage.total_tokens for item in self.items)


@dataclass(frozen=True)
class Seen:
    """One request that reached the server."""

    method: str
    path: str
    """With its query."""
    key: str
    """The key that came in a header."""


class BatchBooks:
    """Everything that a batch server saw."""

    def __init__(self) -> None:
        self.batches: list[HeldBatch] = []
        self.files: dict[str, tuple[str, bytes]] = {}
        """What was uploaded, and under which name."""
        self.seen: list[Seen] = []

    @property
    def tokens(self) -> int:
        """What the server charges for everything so far."""
        return sum(batch.tokens for batch in self.batches)

    def held(self, handle: str) -> HeldBatch | None:
        return next((batch for batch in self.batches if batch.handle == handle), None)

    def newest(self, dialect: str) -> list[HeldBatch]:
        """The batches of a dialect, the newest first."""
        return [batch for batch in reversed(self.batches) if batch.dialect == dialect]
