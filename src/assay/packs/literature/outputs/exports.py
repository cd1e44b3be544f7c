"""Exports of works: as bibliographies for other programs, or with everything that is known."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final

from assay.packs.literature.citing import CitationStyle, assign_keys, build_csl_item, cite_work
from assay.packs.literature.works import Work
from assay.sdk.extras import needs_extra
from assay.sdk.files import replace_snapshot
from assay.sdk.screens import escape_controls

_ROWS_AT_ONCE: Final = 5_000


class CorpusFormat(StrEnum):
    """The formats of an export."""

    BIBTEX = "bibtex"
    CSL = "csl"
    RIS = "ris"
    JSONL = "jsonl"
    PARQUET = "parquet"


def export_works(works: Iterable[Work], form: CorpusFormat, path: Path) -> int:
    """Write the whole file or nothing, in the order of the works; returns how many there are."""
    chosen = list({work.doc_id: work for work in works}.values())
    replace_snapshot(Path(os.path.realpath(path)), _WRITERS[form](chosen))
    return len(chosen)


def build_row(work: Work) -> dict[str, Any]:
    """Everything that is known about a work, for a program: `said_by` names who said it."""
    row = {field.name: getattr(work, field.name) for field in fields(work)}
    return {name: _copy_plain(value) for name, value in row.items()}


def _copy_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(sorted(value.items()))
    return list(value) if isinstance(value, tuple) else value


def _write_bibtex(works: Sequence[Work]) -> Iterator[bytes]:
    keys = assign_keys(works)
    for work in works:
        yield _encode(f"{cite_work(work, CitationStyle.BIBTEX, keys[work.doc_id])}\n")


def _write_ris(works: Sequence[Work]) -> Iterator[bytes]:
    keys = assign_keys(works)
    for work in works:
        # In a file, the format's lines end as on Windows.
        entry = cite_work(work, CitationStyle.RIS, keys[work.doc_id])
        yield _encode(entry.replace("\n", "\r\n"))


def _write_csl(works: Sequence[Work]) -> Iterator[bytes]:
    keys = assign_keys(works)
    yield b"["
    for number, work in enumerate(works):
        item = build_csl_item(work, keys[work.doc_id])
        yield _encode(f"{',' if number else ''}\n{_format_json(item)}")
    yield b"\n]\n"


def _write_json_lines(works: Sequence[Work]) -> Iterator[bytes]:
    for work in works:
        yield _encode(f"{_format_json(build_row(work))}\n")


def _write_parquet(works: Sequence[Work]) -> Iterator[bytes]:
    # Imported when needed: no other command should wait for it.
    with needs_extra("parquet", "An export to Parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    many, whole = pa.list_(pa.string()), pa.int64()
    types = {
        **dict.fromkeys(("ids", "authors", "lists", "tiers", "cites"), many),
        **dict.fromkeys(("year", "retry_count", "next_retry_unix"), whole),
        **dict.fromkeys(("is_retracted", "has_text"), pa.bool_()),
        "said_by": pa.map_(pa.string(), pa.string()),
    }
    schema = pa.schema([(each.name, types.get(each.name, pa.string())) for each in fields(Work)])
    sink = _ByteChunks()
    with pq.ParquetWriter(pa.PythonFile(sink, "w"), schema, compression="snappy") as writer:
        rows = iter(works)
        while part := [build_row(work) for work in islice(rows, _ROWS_AT_ONCE)]:
            # A lone surrogate, which no file can hold, becomes a question mark.
            plain = json.loads(_encode(json.dumps(part, ensure_ascii=False)))
            for row in plain:
                row["said_by"] = list(row["said_by"].items())
            writer.write_table(pa.Table.from_pylist(plain, schema))
            yield sink.take()
    yield sink.take()


class _ByteChunks:
    """A file that is only written, and whose bytes are taken away part by part."""

    closed = False

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._length = 0

    def write(self, data: Any) -> int:
        chunk = bytes(data)
        self._chunks.append(chunk)
        self._length += len(chunk)
        return len(chunk)

    def take(self) -> bytes:
        taken, self._chunks = b"".join(self._chunks), []
        return taken

    def tell(self) -> int:
        return self._length

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is open."""


def _format_json(value: Any) -> str:
    """One line of JSON; controls and changes of direction are escaped, as its readers expect."""
    return escape_controls(json.dumps(value, ensure_ascii=False))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_WRITERS: Final[Mapping[CorpusFormat, Callable[[Sequence[Work]], Iterator[bytes]]]] = {
    CorpusFormat.BIBTEX: _write_bibtex,
    CorpusFormat.CSL: _write_csl,
    CorpusFormat.RIS: _write_ris,
    CorpusFormat.JSONL: _write_json_lines,
    CorpusFormat.PARQUET: _write_parquet,
}
