"""The only way a stage can read: it sees what its contract declares and nothing else."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from assay.engine.contract import Stage
from assay.errors import ContractViolation
from assay.model.records import Artifact, Evidence
from assay.model.storage import AtLeast, Contains, Record, ValuesOf, Within, storage_of
from assay.store.blobs import BlobStore
from assay.store.database import collate_bytewise, outlast
from assay.store.record_tables import table_of

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Record)
Values = Iterable[str] | Iterable[int]
_CHUNK = 500
_NO_CONDITIONS: Mapping[str, Any] = {}
_LAST_KEY = "\U0010ffff"
"""Sorts after every id, compared byte by byte."""


class Reader:
    """Reads declared tables and the bytes they refer to; remembers every refusal."""

    def __init__(
        self,
        stage: Stage,
        engine: sa.Engine,
        blobs: BlobStore,
        now_ms: int,
        threads: Executor | None = None,
    ) -> None:
        self._stage = stage
        self._threads = threads
        self._engine = engine
        self._blobs = blobs
        self.now_ms = now_ms
        """When this attempt began."""
        self.refusals: list[str] = []
        self._seen: dict[type[Record], dict[str, list[Any]]] = {}

    async def get(self, record: type[R], key: str) -> R | None:
        """The row with that key, for a table whose key is one column."""
        return (await self.get_many(record, [key])).get(key)

    async def get_many(self, record: type[R], keys: Iterable[str]) -> dict[str, R]:
        """The rows with those keys, for a table whose key is one column."""
        if len(storage_of(record).key) != 1:
            # One of several rows would pass for the only one.
            raise ContractViolation(
                f"A {record.__name__} has a key of several columns.",
                advice="Read it with 'get_groups', which returns all rows by the first column.",
            )
        return {key: rows[0] for key, rows in (await self.get_groups(record, keys)).items()}

    async def get_groups(self, record: type[R], keys: Iterable[str]) -> dict[str, list[R]]:
        """The rows grouped by the first column of their key, for these values of it; a piece of
        evidence, for example, has one row for each pack.

        What the gates have already read is not read again. Keys without a row are left out.
        """
        self._require(record)
        column = storage_of(record).key[0]
        seen: dict[str, list[R]] = self._seen.setdefault(record, {})
        requested = set(keys)
        if missing := requested - seen.keys():
            for row in await self.find_where(record, column, missing):
                seen.setdefault(getattr(row, column), []).append(row)
        return {key: seen[key] for key in sorted(requested) if key in seen}

    async def find_where(
        self,
        record: type[R],
        column: str,
        values: Values,
        *,
        beside: Mapping[str, Any] = _NO_CONDITIONS,
    ) -> list[R]:
        """The rows whose column has one of the values, ordered by key.

        `beside` gives further columns, each with the value it must have.
        """
        self._require(record)
        chosen = sorted({*values})
        return await self._read(self._select, record, column, chosen, beside)

    async def find_all(self, record: type[R], equal: Mapping[str, Any] = _NO_CONDITIONS) -> list[R]:
        """All rows that have these values, ordered by key."""
        self._require(record)
        return await self._read(self._find_all, record, equal)

    async def find_first_per_value(
        self, record: type[R], column: str, values: Values, most: int
    ) -> list[R]:
        """The rows whose column has one of the values, but at most `most` for each value, the
        first by key.

        The column must be the first of a two-column key. No further rows are read, however many
        a value has.
        """
        self._require(record)
        chosen = sorted({*values})
        return await self._read(self._select, record, column, chosen, _NO_CONDITIONS, most)

    async def count(
        self,
        record: type[Record],
        equal: Mapping[str, Any],
        above: Mapping[str, int] = _NO_CONDITIONS,
    ) -> int:
        """How many rows have the `equal` values and, in other columns, more than the `above`
        values."""
        self._require(record)
        return await self._read(self._count_rows, record, equal, above)

    async def count_by_value(
        self,
        record: type[Record],
        column: str,
        values: Values,
        *,
        beside: Mapping[str, Any] = _NO_CONDITIONS,
    ) -> dict[Any, int]:
        """The number of rows for each value of a column; values without rows are left out."""
        self._require(record)
        chosen = sorted({*values})
        return await self._read(self._count_by_value, record, column, chosen, beside)

    async def blob(self, hash_of_content: str) -> bytes:
        """Stored bytes, checked against their hash."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return await asyncio.to_thread(self._blobs.get, hash_of_content)

    async def blobs(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """Stored bytes by their hash, each checked against it."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        wanted = sorted(set(hashes))
        # In one thread: for small files, changing threads costs more than reading.
        return await asyncio.to_thread(lambda: {each: self._blobs.get(each) for each in wanted})

    def blob_file(self, hash_of_content: str) -> Path:
        """The file that holds stored bytes, for a separate process to read."""
        if not self._stage.reads & {Evidence, Artifact}:
            self._refuse("stored bytes")
        return self._blobs.path(hash_of_content)

    async def _read(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read in a thread of the reader's own: one that waits for a lost database must not take
        the place of one that resolves a host name."""
        loop = asyncio.get_running_loop()
        whole = partial(outlast, self._engine, lambda: read(*args, **kwargs))
        return await loop.run_in_executor(self._threads, whole)

    def _select(
        self,
        record: type[R],
        column: str,
        values: Sequence[str] | Sequence[int],
        beside: Mapping[str, Any],
        most: int | None = None,
    ) -> list[R]:
        found: list[R] = []
        dialect = self._engine.dialect.name
        with self._engine.connect() as connection:
            for start in range(0, len(values), _CHUNK):
                chunk = values[start : start + _CHUNK]
                if most is None:
                    query = _select_by_values(dialect, record, column, chunk, beside)
                else:
                    query = _select_first_of_each(dialect, record, column, chunk, most)
                rows = connection.execute(query)
                names = tuple(rows.keys())
                # All at once: fetching rows one by one costs more than reading them.
                found.extend(
                    record.from_row(dict(zip(names, row, strict=True))) for row in rows.fetchall()
                )
        return found

    def _find_all(self, record: type[R], equal: Mapping[str, Any]) -> list[R]:
        with self._engine.connect() as connection:
            return read_rows(connection, record, equal)

    def _count_rows(
        self, record: type[Record], equal: Mapping[str, Any], above: Mapping[str, int]
    ) -> int:
        table = table_of(record)
        query = sa.select(sa.func.count()).select_from(table)
        query = query.where(*(table.c[name] == value for name, value in equal.items()))
        query = query.where(*(table.c[name] > value for name, value in above.items()))
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def _count_by_value(
        self,
        record: type[Record],
        column: str,
        values: Sequence[str] | Sequence[int],
        beside: Mapping[str, Any],
    ) -> dict[Any, int]:
        table = table_of(record)
        query = sa.select(table.c[column], sa.func.count()).group_by(table.c[column])
        query = query.where(*(table.c[name] == value for name, value in beside.items()))
        found: dict[Any, int] = {}
        with self._engine.connect() as connection:
            for start in range(0, len(values), _CHUNK):
                chunk = table.c[column].in_(values[start : start + _CHUNK])
                rows = connection.execute(query.where(chunk))
                found.update({value: int(count) for value, count in rows})
        return found

    def _require(self, record: type[Record]) -> None:
        if record not in self._stage.reads:
            self._refuse(record.__name__)

    def _refuse(self, what: str) -> None:
        self.refusals.append(what)
        raise ContractViolation(
            f"Stage {self._stage.name} tried to read {what}, which its contract does not declare."
        )


def read_rows(
    connection: sa.Connection, record: type[R], where: Mapping[str, Any] = _NO_CONDITIONS
) -> list[R]:
    """All rows of a record that meet the conditions, ordered by key.

    A condition is the value that a column must have, a collection of such values, `AtLeast`,
    `Within`, `Contains` or `ValuesOf`.
    """
    table, dialect = table_of(record), connection.dialect.name
    key = storage_of(record).key
    query = sa.select(table).order_by(*(collate_bytewise(dialect, table.c[name]) for name in key))
    found = [
        record.from_row(dict(row))
        for conditions in _build_conditions(dialect, table, where)
        for row in connection.execute(query.where(*conditions)).mappings()
    ]
    if any(_is_collection(condition) for condition in where.values()):
        found.sort(key=lambda row: tuple(getattr(row, name) for name in key))
    return found


def read_last_rows(
    connection: sa.Connection,
    record: type[R],
    column: str,
    most: int | None,
    where: Mapping[str, Any] = _NO_CONDITIONS,
) -> list[R]:
    """The rows with the greatest values of a column, greatest first, among those that meet the
    conditions of `read_rows`."""
    return _read_ordered(connection, record, column, most, where, reverse=True)


def read_first_rows(
    connection: sa.Connection,
    record: type[R],
    column: str,
    most: int | None,
    where: Mapping[str, Any] = _NO_CONDITIONS,
) -> list[R]:
    """The same with the least values, least first."""
    return _read_ordered(connection, record, column, most, where, reverse=False)


def _read_ordered(
    connection: sa.Connection,
    record: type[R],
    column: str,
    most: int | None,
    where: Mapping[str, Any],
    *,
    reverse: bool,
) -> list[R]:
    table, dialect = table_of(record), connection.dialect.name
    names = (column, *storage_of(record).key)
    order = [collate_bytewise(dialect, table.c[name]) for name in names]
    query = sa.select(table).limit(most)
    query = query.order_by(*(each.desc() if reverse else each.asc() for each in order))
    found = [
        record.from_row(dict(row))
        for conditions in _build_conditions(dialect, table, where)
        for row in connection.execute(query.where(*conditions)).mappings()
    ]
    found.sort(key=lambda row: tuple(getattr(row, name) for name in names), reverse=reverse)
    return found[:most]


def count_rows(
    connection: sa.Connection, record: type[Record], where: Mapping[str, Any] = _NO_CONDITIONS
) -> int:
    """How many rows meet the conditions of `read_rows`."""
    table, dialect = table_of(record), connection.dialect.name
    query = sa.select(sa.func.count()).select_from(table)
    return sum(
        connection.execute(query.where(*conditions)).scalar_one()
        for conditions in _build_conditions(dialect, table, where)
    )


def count_rows_by(
    connection: sa.Connection,
    record: type[Record],
    column: str,
    where: Mapping[str, Any] = _NO_CONDITIONS,
) -> dict[str, int]:
    """How many rows meet the conditions of `read_rows`, for each value of a column."""
    table, dialect = table_of(record), connection.dialect.name
    query = sa.select(table.c[column], sa.func.count()).group_by(table.c[column])
    found: Counter[str] = Counter()
    for conditions in _build_conditions(dialect, table, where):
        rows = connection.execute(query.where(*conditions))
        found.update({str(value): int(count) for value, count in rows})
    return found


def _build_conditions(
    dialect: str, table: sa.Table, where: Mapping[str, Any]
) -> Iterator[list[sa.ColumnElement[bool]]]:
    """The conditions of one statement; of several if a collection is too large for one."""
    plain: list[sa.ColumnElement[bool]] = []
    large: tuple[str, list[Any]] | None = None
    for name, condition in where.items():
        column = table.c[name]
        if isinstance(condition, AtLeast):
            plain.append(collate_bytewise(dialect, column) >= condition.value)
        elif isinstance(condition, Within):
            compared = collate_bytewise(dialect, column)
            plain += [compared >= condition.first, compared <= condition.last]
        elif isinstance(condition, Contains):
            plain += [column.icontains(word, autoescape=True) for word in condition.words]
        elif isinstance(condition, ValuesOf):
            plain.append(column.in_(sa.select(table_of(condition.record).c[condition.column])))
        elif not _is_collection(condition):
            plain.append(column == condition)
        elif large is None:
            large = name, sorted({*condition})
        else:
            plain.append(column.in_(sorted({*condition})))
    if large is None:
        yield plain
        return
    name, values = large
    for start in range(0, len(values), _CHUNK):
        yield [*plain, table.c[name].in_(values[start : start + _CHUNK])]


def _is_collection(condition: object) -> bool:
    return isinstance(condition, Collection) and not isinstance(condition, str | bytes | dict)


def read_latest_rows(connection: sa.Connection, record: type[R], by: str, order: str) -> list[R]:
    """For each value of one column, the row with the greatest value of another."""
    table = table_of(record)
    last = sa.func.max(table.c[order]).label("last")
    groups = sa.select(table.c[by], last).group_by(table.c[by]).subquery()
    same = (table.c[by] == groups.c[by]) & (table.c[order] == groups.c.last)
    rows = connection.execute(sa.select(table).join(groups, same).order_by(table.c[by])).mappings()
    found = {row[by]: record.from_row(dict(row)) for row in rows}
    return list(found.values())


def _select_by_values(
    dialect: str,
    record: type[Record],
    column: str,
    values: Sequence[str] | Sequence[int],
    beside: Mapping[str, Any],
) -> sa.Select[Any]:
    table = table_of(record)
    query = sa.select(table).where(table.c[column].in_(values))
    query = query.where(*(table.c[name] == value for name, value in beside.items()))
    return query.order_by(
        *(collate_bytewise(dialect, table.c[name]) for name in storage_of(record).key)
    )


def _select_first_of_each(
    dialect: str,
    record: type[Record],
    column: str,
    values: Sequence[str] | Sequence[int],
    most: int,
) -> sa.Select[Any]:
    """Reads only the rows needed, through the index of the key, however many others there are."""
    table, key = table_of(record), storage_of(record).key
    assert len(key) == 2 and key[0] == column, "the column must be the first of a two-column key"
    # All values in one parameter, so that the statement is compiled once.
    if dialect == "sqlite":
        given = sa.func.json_each(json.dumps(values)).table_valued("value")
        return _select_without_lateral(table, key, given, most).order_by(
            *(table.c[name] for name in key)
        )
    array = sa.bindparam("wanted", list(values), type_=ARRAY(table.c[column].type))
    given = sa.func.unnest(array).table_valued("value").render_derived()
    of_one = sa.select(table).where(table.c[column] == given.c.value)
    first = of_one.order_by(table.c[key[1]]).limit(most).lateral()
    query = sa.select(first).join_from(given, first, sa.true())
    return query.order_by(*(first.c[name] for name in key))


def _select_without_lateral(
    table: sa.Table, key: tuple[str, ...], given: sa.TableValuedAlias, most: int
) -> sa.Select[Any]:
    """The same for a database without LATERAL: all rows before the first one too many."""
    other = table.alias()
    beyond = (
        sa.select(other.c[key[1]])
        .where(other.c[key[0]] == given.c.value)
        .order_by(other.c[key[1]])
        .limit(1)
        .offset(most)
        .scalar_subquery()
        .correlate(given)
    )
    query = sa.select(table).join_from(given, table, table.c[key[0]] == given.c.value)
    # Not "or it is null", because no index would be used for that.
    return query.where(table.c[key[1]] < sa.func.coalesce(beyond, _LAST_KEY))
