"""The only eyes of a stage: it sees what its contract declares and nothing else."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from assay.engine.contract import Stage
from assay.errors import ContractViolation
from assay.model.records import Artifact, Evidence, Record
from assay.store.blobs import BlobStore
from assay.store.database import plain_errors
from assay.store.upserts import spec_of

R = TypeVar("R", bound=Record)
L = TypeVar("L")
_CHUNK = 500


class Reader:
    """Reads declared tables and the bytes behind them; remembers every refusal."""

    def __init__(self, stage: Stage, engine: sa.Engine, blobs: BlobStore, now_ms: int) -> None:
        self._stage = stage
        self._engine = engine
        self._blobs = blobs
        self.now_ms = now_ms
        """The moment at which this attempt began."""
        self.refusals: list[str] = []
        self._seen: dict[type[Record], dict[str, Any]] = {}

    async def get(self, record: type[R], key: str) -> R | None:
        """The row under that key, where its table has a key of one column."""
        return (await self.many(record, [key])).get(key)

    async def many(self, record: type[R], keys: Iterable[str]) -> dict[str, R]:
        """The rows under those keys. What the gates have read is not read again."""
        self._require(record)
        column = spec_of(record).key[0]
        seen: dict[str, R] = self._seen.setdefault(record, {})
        wanted = set(keys)
        if missing := wanted - seen.keys():
            rows = await self.where(record, column, missing)
            seen.update({getattr(row, column): row for row in rows})
        return {key: seen[key] for key in sorted(wanted) if key in seen}

    async def where(self, record: type[R], column: str, values: Iterable[str]) -> list[R]:
        """The rows whose column has one of the values, in the order of their key."""
        self._require(record)
        return await asyncio.to_thread(self._select, record, column, sorted(set(values)))

    async def blob(self, hash_of_content: str) -> bytes:
        """Stored bytes, checked against their hash."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return await asyncio.to_thread(self._blobs.get, hash_of_content)

    async def look_at_blobs(
        self, hashes: Sequence[str], look: Callable[[bytes], L]
    ) -> list[L | Exception]:
        """What a look at each of several gives, one after the other, so that no more than one
        is held in memory; what cannot be read or looked at stands as its error."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return await asyncio.to_thread(self._look_at_all, hashes, look)

    def _look_at_all(
        self, hashes: Sequence[str], look: Callable[[bytes], L]
    ) -> list[L | Exception]:
        found: list[L | Exception] = []
        for hash_of_content in hashes:
            try:
                found.append(look(self._blobs.get(hash_of_content)))
            except Exception as error:
                found.append(error)
        return found

    def _select(self, record: type[R], column: str, values: Sequence[str]) -> list[R]:
        spec = spec_of(record)
        order = [spec.table.c[name] for name in spec.key]
        found: list[R] = []
        with plain_errors(), self._engine.connect() as connection:
            for start in range(0, len(values), _CHUNK):
                query = sa.select(spec.table).where(
                    spec.table.c[column].in_(values[start : start + _CHUNK])
                )
                rows = connection.execute(query.order_by(*order))
                names = tuple(rows.keys())
                found.extend(record.restored(dict(zip(names, row, strict=True))) for row in rows)
        return found

    def _require(self, record: type[Record]) -> None:
        if record not in self._stage.reads:
            self._refuse(record.__name__)

    def _refuse(self, what: str) -> None:
        self.refusals.append(what)
        raise ContractViolation(
            f"Stage {self._stage.name} tried to read {what}, which its contract does not declare."
        )
