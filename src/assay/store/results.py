"""The results of whole requests, kept so that an equal request can reuse them at no cost."""

from dataclasses import dataclass

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.errors import CorruptBlob
from assay.logs import Log
from assay.store import spending as t
from assay.store.blobs import BlobStore
from assay.store.bulk import build_insert
from assay.store.database import explain_errors

log = Log("assay.store")

COMPLETE = "complete"
"""The completeness of a result that is never replaced."""


@dataclass(frozen=True, kw_only=True)
class KeptResult:
    """A stored result, without its bytes."""

    key: str
    request_id: str
    completeness: str
    created_ms: int


class ResultStore:
    """Results by the key of the request, each a row that refers to a blob."""

    def __init__(self, engine: sa.Engine, blobs: BlobStore, clock: Clock | None = None) -> None:
        self._engine = engine
        self._blobs = blobs
        self._clock = clock or SystemClock()

    def find(self, key: str) -> bytes | None:
        """The result stored under a key."""
        return self._read_result(t.result.c.key == key)

    def find_by_request(self, request_id: str) -> bytes | None:
        """The result of a request, unless that of an equal request has replaced it."""
        return self._read_result(t.result.c.request_id == request_id)

    def list_kept(
        self, kind: str, most: int, before: tuple[int, str] | None = None
    ) -> list[KeptResult]:
        """The results of a kind, the latest first; `before` is the time and key of the last one of
        an earlier list."""
        c = t.result.c
        query = sa.select(c.key, c.request_id, c.completeness, c.created_ms).where(c.kind == kind)
        if before is not None:
            at_ms, key = before
            same = sa.and_(c.created_ms == at_ms, c.key < key)
            query = query.where(sa.or_(c.created_ms < at_ms, same))
        query = query.order_by(c.created_ms.desc(), c.key.desc()).limit(most)
        with explain_errors(), self._engine.connect() as connection:
            return [KeptResult(**row) for row in connection.execute(query).mappings()]

    def keep(self, key: str, request_id: str, kind: str, completeness: str, data: bytes) -> None:
        """Keep a result. A complete one stays for good; any other is replaced by a later one."""
        # The bytes first: a crash in between leaves bytes without a row, never the reverse.
        row = {
            "key": key,
            "request_id": request_id,
            "kind": kind,
            "completeness": completeness,
            "result_hash": self._blobs.put(data),
            "created_ms": self._clock.now_ms(),
        }
        statement = build_insert(self._engine.dialect.name, t.result).values(row)
        statement = statement.on_conflict_do_update(
            index_elements=["key"],
            set_={
                name: statement.excluded[name]
                for name in ("request_id", "completeness", "result_hash", "created_ms")
            },
            where=t.result.c.completeness != COMPLETE,
        )
        with explain_errors(), self._engine.begin() as connection:
            connection.execute(statement)

    def _read_result(self, which: sa.ColumnElement[bool]) -> bytes | None:
        query = sa.select(t.result.c.result_hash).where(which).order_by(t.result.c.key)
        with explain_errors(), self._engine.connect() as connection:
            hash_of_result = connection.execute(query.limit(1)).scalar()
        if hash_of_result is None:
            return None
        try:
            return self._blobs.get(hash_of_result)
        except CorruptBlob as error:
            # A result can be computed again; nobody should have to restore a backup for it.
            log.warning("result_lost", str(error), result_hash=hash_of_result)
            return None
