"""The dump: equal histories give equal bytes, on either database."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.model import records as r
from assay.model.storage import storage_of
from assay.store import schema
from assay.store.database import open_engine
from assay.store.dump import dump_all, dump_canonical
from assay.store.record_tables import CORE_RECORDS, table_of
from assay.store.tables import METADATA, scout_result
from assay.store.upserts import upsert_records
from tests.store.rows import AGENT_RUN, EVIDENCE, ITEM, SCOUTED, any_row, fill

# In an order that neither a locale nor UTF-16 would give them.
NAMES = ["Z", "a", "z", "é", "č", "ž", "\ufb01", "\uffff", "😀", "a b", "a-b", "ab", ""]


@pytest.fixture
def both(tmp_path: Path, postgres_url: str) -> Iterator[tuple[sa.Engine, sa.Engine]]:
    """A store of each kind."""
    engines = (open_engine(f"sqlite:///{tmp_path / 'store.db'}"), open_engine(postgres_url))
    for engine in engines:
        schema.migrate(engine)
    yield engines
    for engine in engines:
        engine.dispose()


def history(mark: int) -> list[r.Record]:
    """Some of everything; the mark changes what a history does not promise to repeat."""
    made: list[r.Record] = [r.Source(source_slug="s1", name="Ž", base_url="u", created_ms=mark)]
    for number, name in enumerate(NAMES):
        key, url = f"d:{name}", f"http://h/{name}"
        made += [
            r.Document(doc_id=key, source_slug="s1", url=url, title=name, first_seen_ms=mark),
            r.DocumentSource(doc_id=key, source_kind="endpoint", source_ref=name, confidence=1 / 3),
            r.IngestCandidate(doc_id=key, state="ready", updated_ms=mark, next_retry_unix=mark),
            r.CandidateEvent(
                doc_id=key, seq=number, from_state="a", to_state="b", reason=name, at_ms=mark
            ),
            ITEM.model_copy(
                update={"item_id": name, "url": url, "run_id": f"r{mark}", "last_seen_ms": mark}
            ),
            EVIDENCE.model_copy(
                update={"evidence_id": name, "url": url, "fetched_ms": mark, "run_id": f"r{mark}"}
            ),
            SCOUTED.model_copy(update={"evidence_id": name, "needs_ocr": True}),
        ]
    return [*made, AGENT_RUN.model_copy(update={"agent_run_id": f"a{mark}"})]


def dumped(connection: sa.Connection) -> list[dict[str, Any]]:
    return [json.loads(line) for line in dump_canonical(connection)]


@pytest.mark.postgres
def test_the_same_content_gives_the_same_bytes_on_both_databases(
    both: tuple[sa.Engine, sa.Engine],
) -> None:
    dumps = []
    for mark, engine in enumerate(both, start=1):
        records = history(mark)
        random.Random(mark).shuffle(records)
        with engine.begin() as connection:
            for start in range(0, len(records), 7):
                upsert_records(connection, records[start : start + 7])
        with engine.connect() as connection:
            dumps.append(b"".join(dump_canonical(connection)))
    assert dumps[0] == dumps[1]
    assert dumps[0].count(b"\n") == 7 * len(NAMES) + 1


@pytest.mark.postgres
def test_keys_of_any_letters_sort_by_their_bytes_on_both_databases(
    both: tuple[sa.Engine, sa.Engine],
) -> None:
    for engine in both:
        with engine.connect() as connection:
            upsert_records(connection, history(1))
            keys = [line["doc_id"] for line in dumped(connection) if line["table"] == "documents"]
            assert keys == sorted((f"d:{name}" for name in NAMES), key=str.encode)


@pytest.mark.postgres
def test_order_and_comparison_of_texts_do_not_hang_on_a_servers_collation(
    both: tuple[sa.Engine, sa.Engine],
) -> None:
    told: list[str] = []
    with both[1].connect() as connection:

        @sa.event.listens_for(connection, "before_cursor_execute")
        def note(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
            told.append(statement)

        list(dump_canonical(connection))
        list(dump_all(connection))
        upsert_records(connection, [SCOUTED])
    ordered = [statement for statement in told if "ORDER BY" in statement]
    assert len(ordered) > 20
    for statement in ordered:
        first_key = statement.rpartition("ORDER BY")[2].split(",")[0].strip()
        # Numbers have no collation.
        assert 'COLLATE "C"' in first_key or first_key in ("text_bands.band", "audit_log.seq")
    assert 'least(scout_results.duplicate_of COLLATE "C"' in told[-1]


def test_clocks_run_ids_and_paths_are_left_out(connection: sa.Connection) -> None:
    upsert_records(connection, history(1))
    for line in dumped(connection):
        assert not [name for name in line if name.endswith("_ms")]
        assert not {"run_id", "next_retry_unix"} & line.keys()


def test_every_canonical_column_is_there_and_no_volatile_one(connection: sa.Connection) -> None:
    fill(connection)
    connection.execute(sa.update(scout_result).values(duplicate_of=None))
    lines = {line.pop("table"): set(line) for line in dumped(connection)}
    canonical = {table_of(record) for record in CORE_RECORDS if storage_of(record).canonical}
    assert set(lines) == {table.name for table in canonical}
    for table in canonical:
        volatile = {column.name for column in table.columns if column.info.get("volatile")}
        assert lines[table.name] == set(table.columns.keys()) - volatile


def test_what_was_made_of_a_copy_is_left_out(connection: sa.Connection) -> None:
    fill(connection)
    tables = {line["table"] for line in dumped(connection)}
    connection.execute(sa.update(scout_result).values(duplicate_of=None))
    found_out = {line["table"] for line in dumped(connection)} - tables
    assert found_out == {
        "candidate_facts", "coverage_reports", "extraction_rejected", "ingest_candidates",
        "ingest_candidate_events", "source_pointers",
    }  # fmt: skip


def test_tables_and_keys_come_in_a_fixed_order(connection: sa.Connection) -> None:
    fill(connection, "-b", "", "-a")
    lines = dumped(connection)
    assert [line["table"] for line in lines] == sorted(line["table"] for line in lines)
    keys = [line["doc_id"] for line in lines if line["table"] == "documents"]
    assert keys == ["doc_id", "doc_id-a", "doc_id-b"]


def test_a_line_is_one_json_object_with_sorted_keys(connection: sa.Connection) -> None:
    upsert_records(connection, [r.Document(doc_id="d", source_slug="s", url="u\n", title="Č")])
    (line,) = dump_canonical(connection)
    assert line.decode() == (
        '{"doc_id": "d", "parent_doc_id": null, "source_slug": "s", "table": "documents", '
        '"title": "Č", "url": "u\\n"}\n'
    )


def test_an_empty_store_gives_nothing(connection: sa.Connection) -> None:
    assert list(dump_canonical(connection)) == []
    assert list(dump_all(connection)) == []


def test_the_full_dump_has_every_column_of_every_row(connection: sa.Connection) -> None:
    fill(connection, "", "-other")
    lines = [json.loads(line) for line in dump_all(connection)]
    assert len(lines) == 2 * len(METADATA.tables)
    assert [line["table"] for line in lines] == sorted(2 * list(METADATA.tables))
    for line in lines:
        table = METADATA.tables[line.pop("table")]
        assert line in (any_row(table), any_row(table, "-other"))


PASSING = r".*_(ms|unix)|run_id|job_id|velocity|yield_state|alarm|audit_hash"
"""Names of moments, of runs, and of what follows from how often someone looked."""


def test_what_names_a_moment_or_a_run_is_marked_volatile() -> None:
    for record in CORE_RECORDS:
        if storage_of(record).canonical:
            for column in table_of(record).columns:
                passing = re.fullmatch(PASSING, column.name) is not None
                assert bool(column.info.get("volatile")) == passing, (record, column.name)
