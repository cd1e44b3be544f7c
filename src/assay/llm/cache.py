"""The answer cache, which makes sure that the same question is paid for only once."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from assay.clock import Clock, SystemClock
from assay.errors import AnswerInvalid, AssayError
from assay.llm.messages import ModelRequest, Usage
from assay.logs import Log
from assay.model.hashes import canonical_json, content_hash
from assay.store import spending as t
from assay.store.bulk import insert_new_rows
from assay.store.database import explain_errors, outlast

log = Log("assay.llm")

FINISHED = "stop"
"""How a complete answer ends. No other answer is kept."""


@dataclass(frozen=True)
class CachedAnswer:
    """A complete answer, and what it cost when it was given."""

    provider: str
    model: str
    body: str
    finish: str
    usage: Usage
    created_ms: int = 0
    """When it was stored; set by the cache."""


def cache_key(provider: str, model: str, request: ModelRequest) -> str:
    """The same for two requests exactly if one's answer may be used for the other."""
    return content_hash(
        canonical_json(
            {
                "provider": provider,
                "model": model,
                "max_tokens": request.max_tokens,
                "temperature": float(request.temperature),
                "prompt_version": request.prompt_version,
                "schema": _hash_schema(request),
                "input": [_hash_text(request.system), _hash_text(request.user)],
            }
        )
    )


class AnswerCache:
    """The answers in the store. The cache saves calls and must never cost one: if the database
    fails, nothing is found and nothing is kept, and the log says so."""

    def __init__(self, engine: sa.Engine, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock = clock or SystemClock()

    def find(self, key: str) -> CachedAnswer | None:
        """The answer stored under a key. The caller checks it like a fresh answer."""
        try:
            # Waited for: without its answer, the question would be paid for a second time.
            row = outlast(self._engine, lambda: self._read_row(key))
        except (AssayError, SQLAlchemyError) as error:
            log.warning("cache_failed", "The cache cannot be read.", error=str(error))
            return None
        if row is None:
            return None
        usage = Usage(row.prompt_tokens, row.completion_tokens)
        return CachedAnswer(row.provider, row.model, row.body, row.finish, usage, row.created_ms)

    def find_valid(self, key: str, check: Callable[[CachedAnswer], bool]) -> CachedAnswer | None:
        """The stored answer if it is still valid; otherwise it is dropped, and the question is
        asked again.

        The check rejects an answer by returning False or raising AnswerInvalid.
        """
        cached = self.find(key)
        if cached is None:
            return None
        try:
            if check(cached):
                return cached
        except AnswerInvalid:
            pass
        log.info("cache_dropped", "A cached answer no longer fits the question.", cache_key=key)
        self._delete(sa.and_(t.answer.c.cache_key == key, t.answer.c.body == cached.body))
        return None

    def keep(self, key: str, answer: CachedAnswer) -> bool:
        """Store a complete answer unless there is one already; return whether it was stored."""
        if answer.finish != FINISHED or not _is_storable(answer.body):
            return False
        row = {
            "cache_key": key,
            "provider": answer.provider,
            "model": answer.model,
            "body": answer.body,
            "finish": answer.finish,
            "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "created_ms": self._clock.now_ms(),
        }
        try:
            return outlast(self._engine, lambda: self._insert_row(row)) > 0
        except (AssayError, SQLAlchemyError) as error:
            log.warning("cache_failed", "An answer cannot be cached.", error=str(error))
            return False

    def forget(self, older_than_ms: int) -> int:
        """Drop answers older than that many milliseconds; return how many."""
        return self._delete(t.answer.c.created_ms < self._clock.now_ms() - older_than_ms)

    def _read_row(self, key: str) -> sa.Row[Any] | None:
        with self._engine.connect() as connection:
            query = sa.select(t.answer).where(t.answer.c.cache_key == key)
            return connection.execute(query).one_or_none()

    def _insert_row(self, row: Mapping[str, Any]) -> int:
        with self._engine.begin() as connection:
            return insert_new_rows(connection, t.answer, ("cache_key",), [dict(row)])

    def _delete(self, which: sa.ColumnElement[bool]) -> int:
        try:
            with explain_errors(), self._engine.begin() as connection:
                return connection.execute(sa.delete(t.answer).where(which)).rowcount
        except (AssayError, SQLAlchemyError) as error:
            log.warning("cache_failed", "Cached answers cannot be dropped.", error=str(error))
            return 0


def _hash_schema(request: ModelRequest) -> str:
    if request.schema is None:
        return ""
    # Not sorted: a model writes the fields in the order of its schema, so a different order asks
    # for a different answer.
    return _hash_text(json.dumps([request.schema_name, request.schema]))


def _hash_text(text: str) -> str:
    return content_hash(text.encode("utf-8", "surrogatepass"))


def _is_storable(text: str) -> bool:
    """Postgres accepts no zero bytes, and no database accepts half a surrogate pair."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False
