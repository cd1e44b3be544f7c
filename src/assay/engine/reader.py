"""The only eyes of a stage: it sees what its contract declares and nothing else."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from assay.engine.contract import Stage
from assay.errors import ContractViolation
from assay.model.records import Artifact, Evidence, Record
from assay.store.blobs import BlobStore
from assay.store.database import plain_errors
from assay.store.upserts import spec_of

R = TypeVar("R", bound=Record)
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

    async def where(
        self, record: type[R], column: str, values: Iterable[str] | Iterable[int]
    ) -> list[R]:
        """The rows whose column has one of the values, in the order of their key."""
        self._require(record)
        return await asyncio.to_thread(self._select, record, column, sorted({*values}))

    async def least(
        self, record: type[R], column: str, values: Iterable[str] | Iterable[int], most: int
    ) -> list[R]:
        """The same, but of each value no more than so many rows, the first by key."""
        self._require(record)
        return await asyncio.to_thread(self._select, record, column, sorted({*values}), most)

    async def blob(self, hash_of_content: str) -> bytes:
        """Stored bytes, checked against their hash."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return await asyncio.to_thread(self._blobs.get, hash_of_content)

    def blob_file(self, hash_of_content: str) -> Path:
        """Where stored bytes lie, for a process of its own to read."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return self._blobs.path(hash_of_content)

    def _select(
        self,
        record: type[R],
        column: str,
        values: Sequence[str] | Sequence[int],
        most: int | None = None,
    ) -> list[R]:
        found: list[R] = []
        with plain_errors(), self._engine.connect() as connection:
            for start in range(0, len(values), _CHUNK):
                chunk = values[start : start + _CHUNK]
                rows = connection.execute(_selecting(record, column, chunk, most))
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


def _selecting(
    record: type[Record], column: str, values: Sequence[str] | Sequence[int], most: int | None
) -> sa.Select[Any]:
    spec = spec_of(record)
    query = sa.select(spec.table).where(spec.table.c[column].in_(values))
    order = [spec.table.c[name] for name in spec.key]
    if most is None:
        return query.order_by(*order)
    rank = sa.func.row_number().over(partition_by=spec.table.c[column], order_by=order)
    ranked = query.add_columns(rank.label("rank")).subquery()
    kept = sa.select(*(ranked.c[each.name] for each in spec.table.columns))
    return kept.where(ranked.c.rank <= most).order_by(*(ranked.c[name] for name in spec.key))
