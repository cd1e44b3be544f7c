"""How many tokens a text has: counted with a real vocabulary, times a learned factor.

No provider's own tokenizer is available, and they differ from each other. The count of one public
vocabulary comes close, whatever the language; a factor for each model, learned from what its
provider then reported, corrects the rest.
"""

import json
import math
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from assay.clock import Clock, SystemClock
from assay.errors import AssayError
from assay.llm.messages import ModelRequest
from assay.llm.vocabulary import load_vocabulary
from assay.logs import Log
from assay.store import spending as t
from assay.store.bulk import build_insert
from assay.store.database import explain_errors

log = Log("assay.llm")

CAUTIOUS_FACTOR = 1.3
"""The factor before anything is learned."""
CALL_OVERHEAD = 4
MESSAGE_OVERHEAD = 4
SCHEMA_OVERHEAD = 16
"""Tokens that a provider's own framing adds to what is sent."""

_SLICE = 100_000
_CAUTIOUS_SAMPLES = 10
_WEIGHT = 0.1
_DECAY = 0.01
_MARGIN = 1.02
_LEAST, _MOST = 0.2, 5.0
_FRAMED = 1200
_NOTICEABLE = 0.02


@dataclass(frozen=True, slots=True)
class TokenCalibration:
    """What one model's reports have taught: actual tokens per token counted here."""

    samples: int
    factor: float
    """The usual ratio; the latest reports weigh most."""
    highest: float
    """The highest recent ratio, which decays slowly."""

    def estimate_reserve(self, counted: int) -> int:
        """Tokens that a prompt with that count will hardly exceed."""
        fading = 1.0 - self.samples / _CAUTIOUS_SAMPLES
        caution = 1.0 + (CAUTIOUS_FACTOR - 1.0) * fading if fading > 0.0 else 0.0
        safe = max(caution, self.highest * _MARGIN if self.samples else 0.0)
        # The inverse of how a ratio was computed: framing adds a constant, not a proportion.
        return math.ceil(counted * safe + _FRAMED * max(0.0, safe - self.factor))

    def with_report(self, counted: int, actual: int) -> "TokenCalibration":
        """The calibration after one more report."""
        # A provider's framing outweighs a short prompt and says little about a long one, so each
        # report is mixed with tokens of the usual ratio, fewer while that is hardly known.
        mixed = _FRAMED * (self.samples + 5) / (self.samples + 10)
        ratio = (actual + mixed * self.factor) / (counted + mixed)
        ratio = min(max(ratio, _LEAST), _MOST)
        factor = self.factor + max(_WEIGHT, 1.0 / (self.samples + 1)) * (ratio - self.factor)
        sinking = max(_DECAY, 0.5 / (self.samples + 1))
        sunk = self.highest - sinking * (self.highest - factor) if self.samples else ratio
        return TokenCalibration(self.samples + 1, factor, max(ratio, sunk))

    def differs_noticeably(self, other: "TokenCalibration") -> bool:
        """Whether the two would give noticeably different estimates."""
        return (
            abs(self.factor - other.factor) > _NOTICEABLE * other.factor
            or abs(self.highest - other.highest) > _NOTICEABLE * other.highest
            or self.samples >= 2 * other.samples
        )


NOTHING_LEARNED = TokenCalibration(0, CAUTIOUS_FACTOR, CAUTIOUS_FACTOR)


class TokenEstimator:
    """Estimates for every model; with an engine, what it learns outlives the process.

    It never fails because the database does: it then estimates with what it has. Learning may
    write, and the first estimate reads; both wait for the database like any statement.
    """

    def __init__(self, engine: sa.Engine | None = None, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock = clock or SystemClock()
        self._lock = Lock()
        self._learned: dict[tuple[str, str], TokenCalibration] | None = None
        self._stored: dict[tuple[str, str], TokenCalibration] = {}

    def count(self, text: str) -> int:
        """The tokens by the public vocabulary. Text that looks like a special token is text."""
        # In slices, so that other threads get their turn; a cut costs at most one token.
        return sum(_count_tokens(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))

    def raw_prompt(self, request: ModelRequest) -> int:
        """The token count of everything a request sends, before any factor, as `learn` takes it."""
        texts = [text for text in (request.system, request.user) if text]
        tokens = CALL_OVERHEAD + sum(self.count(text) + MESSAGE_OVERHEAD for text in texts)
        if request.schema is not None:
            schema = json.dumps(request.schema, ensure_ascii=False)
            tokens += self.count(schema) + SCHEMA_OVERHEAD
        return tokens

    def prompt_tokens(self, provider: str, model: str, request: ModelRequest) -> int:
        """What to reserve for a request's prompt; rarely less than what is then used."""
        return self.reserve_for(provider, model, self.raw_prompt(request))

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        """The same for a prompt that has already been counted."""
        return self.calibration_of(provider, model).estimate_reserve(raw)

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        """What a model's text cost, if its provider did not say."""
        return math.ceil(self.count(text) * self.calibration_of(provider, model).factor)

    def calibration_of(self, provider: str, model: str) -> TokenCalibration:
        """What is known about a model."""
        known = self._learned
        if known is None:
            known = self._load()
        return known.get((provider, model), NOTHING_LEARNED)

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        """Learn from what a provider reported for a prompt with that count."""
        if estimated_raw <= 0 or actual <= 0:
            return
        key = (provider, model)
        self.calibration_of(provider, model)
        with self._lock:
            assert self._learned is not None
            now = self._learned.get(key, NOTHING_LEARNED).with_report(estimated_raw, actual)
            self._learned[key] = now
            if not now.differs_noticeably(self._stored.get(key, NOTHING_LEARNED)):
                return
            self._stored[key] = now
        self._write(key, now)

    def _load(self) -> dict[tuple[str, str], TokenCalibration]:
        rows = self._read_rows()
        with self._lock:
            if self._learned is None:
                self._stored = {(row.provider, row.model): _parse_calibration(row) for row in rows}
                self._learned = dict(self._stored)
            return self._learned

    def _read_rows(self) -> list[sa.Row[Any]]:
        if self._engine is None:
            return []
        try:
            with explain_errors(), self._engine.connect() as connection:
                return list(connection.execute(sa.select(t.estimate)))
        except (AssayError, SQLAlchemyError) as error:
            log.warning(
                "estimates_unread", "The learned estimates cannot be read.", error=str(error)
            )
            return []

    def _write(self, key: tuple[str, str], now: TokenCalibration) -> None:
        if self._engine is None:
            return
        values = {
            "samples": now.samples,
            "factor": now.factor,
            "highest": now.highest,
            "updated_ms": self._clock.now_ms(),
        }
        statement = build_insert(self._engine.dialect.name, t.estimate).values(
            provider=key[0], model=key[1], **values
        )
        statement = statement.on_conflict_do_update(
            index_elements=["provider", "model"], set_=values
        )
        try:
            with explain_errors(), self._engine.begin() as connection:
                connection.execute(statement)
        except (AssayError, SQLAlchemyError) as error:
            log.warning("estimate_unkept", "An estimate cannot be stored.", error=str(error))


def _parse_calibration(row: sa.Row[Any]) -> TokenCalibration:
    """The stored calibration, within the same bounds as when learning."""
    learned = TokenCalibration(row.samples, row.factor, row.highest)
    factor, highest = (
        min(max(value, _LEAST), _MOST) if math.isfinite(value) else CAUTIOUS_FACTOR
        for value in (learned.factor, learned.highest)
    )
    return replace(learned, factor=factor, highest=highest)


def _count_tokens(text: str) -> int:
    # Half a surrogate pair cannot be sent either; whatever replaces it is one token.
    return len(load_vocabulary().encode_ordinary(text.encode("utf-8", "replace").decode()))
