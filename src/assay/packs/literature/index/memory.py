"""The vectors of an index in memory, for an exact search: every passage is compared."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from assay.packs.literature.index.database import Ranking, read_setting
from assay.packs.literature.vectors import FloatVector

WORTH_A_FILE: Final = 20_000
"""From so many passages on, the vectors are also kept in a file that every process can map."""
_HEADER: Final = 64
_ROWS_AT_ONCE: Final = 64
"""So few that the converted numbers stay in the processor's cache; with a thousand it takes
several times as long."""


class StoredVectors:
    """The vectors of all passages."""

    def __init__(
        self, ids: npt.NDArray[np.int64], lengths: FloatVector, values: npt.NDArray[np.int8]
    ) -> None:
        self._ids = ids
        self._lengths = lengths
        self._values = values

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, bytes]]) -> Self:
        """From the ids of passages and their encoded vectors."""
        size = max((len(vector) for _, vector in rows), default=0)
        # A passage without a vector is nowhere near anything.
        usable = [(passage, vector) for passage, vector in rows if len(vector) == size]
        ids = np.array([passage for passage, _ in usable], np.int64)
        joined = b"".join(vector for _, vector in usable)
        values = np.frombuffer(joined, np.int8).reshape(len(usable), size)
        lengths = np.ones(len(usable), np.float32)
        for start, block in _read_blocks(values):
            found = np.sqrt(np.einsum("ij,ij->i", block, block))
            lengths[start : start + len(block)] = np.maximum(found, 1.0)
        return cls(ids, lengths, values)

    @classmethod
    def map_file(cls, path: Path, generation: str) -> Self | None:
        """From a file that `write_file` wrote for this generation; None if there is none."""
        try:
            with path.open("rb") as file:
                found, count, size = file.read(_HEADER).decode("ascii").split()
            if found != generation:
                return None
            rows, width = int(count), int(size)
            ids = np.memmap(path, np.int64, "r", _HEADER, (rows,))
            lengths = np.memmap(path, np.float32, "r", _HEADER + 8 * rows, (rows,))
            values = np.memmap(path, np.int8, "r", _HEADER + 12 * rows, (rows, width))
        except (OSError, ValueError):
            return None
        return cls(ids, lengths, values)

    def write_file(self, path: Path, generation: str) -> None:
        """Keep the vectors for other processes; without room for it they load them themselves."""
        header = f"{generation} {self._values.shape[0]} {self._values.shape[1]}"
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with fresh.open("wb") as file:
                file.write(header.ljust(_HEADER).encode("ascii"))
                for part in (self._ids, self._lengths, self._values):
                    part.tofile(file)
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)

    def __len__(self) -> int:
        return len(self._ids)

    def rank(self, vector: FloatVector, allowed: set[int] | None, limit: int) -> Ranking:
        """The passages nearest to a vector, and how near they are."""
        ids, values = self._ids, self._values
        if not len(ids) or values.shape[1] != len(vector):
            return {}
        scores = np.empty(len(ids), np.float32)
        for start, rows in _read_blocks(values):
            np.dot(rows, vector, out=scores[start : start + len(rows)])
        scores /= self._lengths
        if allowed is not None:
            scores[~np.isin(ids, np.fromiter(allowed, np.int64, len(allowed)))] = -np.inf
        best = _find_best(scores, min(limit, len(ids)))
        return {int(ids[at]): float(scores[at]) for at in best if scores[at] > 0.0}


class VectorMemory:
    """Keeps the vectors of an index in memory, and loads them again when the index has changed."""

    def __init__(self, prefix: str, file: Path | None = None) -> None:
        """`file` is where many vectors are kept, because reading them one by one takes seconds."""
        self._prefix = prefix
        self._file = file
        self._lock = Lock()
        self._loaded: tuple[str, StoredVectors] | None = None

    def rank(
        self,
        connection: sa.Connection,
        vector: FloatVector,
        where: tuple[str, Mapping[str, Any]],
        limit: int,
    ) -> Ranking:
        """The passages that meet a condition and are nearest to a vector."""
        condition, values = where
        passages = f"{self._prefix}passages p"
        allowed = None
        if condition:
            statement = sa.text(f"SELECT p.passage_id FROM {passages} WHERE TRUE{condition}")
            allowed = set(connection.execute(statement, values).scalars())
        generation = read_setting(connection, self._prefix, "generation")
        with self._lock:
            if self._loaded is None or self._loaded[0] != generation:
                self._loaded = generation, self._load(connection, generation)
            vectors = self._loaded[1]
        return vectors.rank(vector, allowed, limit)

    def _load(self, connection: sa.Connection, generation: str) -> StoredVectors:
        known = StoredVectors.map_file(self._file, generation) if self._file else None
        if known is not None:
            return known
        statement = f"SELECT passage_id, vector FROM {self._prefix}passages ORDER BY passage_id"
        rows = connection.exec_driver_sql(statement).fetchall()
        loaded = StoredVectors.from_rows([(int(i), bytes(v)) for i, v in rows])
        if self._file and len(loaded) >= WORTH_A_FILE:
            loaded.write_file(self._file, generation)
        return loaded

    def clear(self) -> None:
        """Free the memory."""
        with self._lock:
            self._loaded = None


def _read_blocks(
    values: npt.NDArray[np.int8],
) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """The rows as numbers that can be multiplied, a few at a time, in memory that is used again."""
    block = np.empty((_ROWS_AT_ONCE, values.shape[1]), np.float32)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        part = values[start : start + _ROWS_AT_ONCE]
        rows = block[: len(part)]
        np.copyto(rows, part)
        yield start, rows


def _find_best(scores: FloatVector, limit: int) -> npt.NDArray[np.intp]:
    found = np.sort(np.argpartition(-scores, limit - 1)[:limit])
    return found[np.argsort(-scores[found], kind="stable")]
