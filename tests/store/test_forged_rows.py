"""Guards and hashes against somebody with a plain database shell."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import SchemaOutdated
from assay.model.rules import ReviewDecision
from assay.store import audit, guards, schema, truth
from assay.store.columns import guard_of
from assay.store.database import is_sqlite
from assay.store.guard_check import find_guard_faults
from assay.store.record_tables import CORE_RECORDS
from assay.store.row_hashes import record_row_hashes, verify_rows
from assay.store.tables import list_tables
from assay.store.upserts import upsert_records
from tests.store.rows import any_row, fill

TABLES = list_tables(CORE_RECORDS)
SQLITE_ONLY = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
Edit = Callable[[sa.Connection], Any]


def decision(name: str, person: str = "ana") -> ReviewDecision:
    return ReviewDecision(
        decision_id=name, subject_kind="rule", subject="rl_1", decision="APPROVE", person=person,
        version={"value": 1.5, "č": [True, None]}, at_ms=7,
    )  # fmt: skip


def write(engine: sa.Engine, *records: ReviewDecision) -> int:
    with engine.begin() as connection:
        upsert_records(connection, records)
        return record_row_hashes(connection, records, 1)


def shell(engine: sa.Engine) -> sqlite3.Connection:
    """SQLite as a shell opens it: nothing is set."""
    return sqlite3.connect(str(engine.url.database))


@SQLITE_ONLY
def test_no_row_can_be_replaced_from_a_plain_shell(engine: sa.Engine) -> None:
    kept = [table for table in TABLES if not guard_of(table).deletable]
    with engine.begin() as connection:
        fill(connection)
    with closing(shell(engine)) as connection:
        for table in kept:
            names = table.columns.keys()
            row = [f'"{name}"' for name in names]
            copied = f"SELECT {', '.join(row)} FROM {table.name} LIMIT 1"
            with pytest.raises(sqlite3.IntegrityError, match=f"replace on {table.name} is refused"):
                connection.execute(
                    f"INSERT OR REPLACE INTO {table.name} ({', '.join(row)}) {copied}"
                )
    assert len(kept) > 30


@SQLITE_ONLY
def test_no_row_can_be_displaced_by_an_update_from_a_plain_shell(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        fill(connection, "", "-other")
    with closing(shell(engine)) as connection:
        for table in (table for table in TABLES if not guard_of(table).deletable):
            pairs = [
                f"\"{name}\" = '{value}'"
                for name, value in any_row(table).items()
                if name in table.primary_key.columns
            ]
            with pytest.raises(sqlite3.IntegrityError, match=f"{table.name} is refused"):
                connection.execute(f"UPDATE OR REPLACE {table.name} SET {', '.join(pairs)}")


@SQLITE_ONLY
def test_no_row_can_be_replaced_through_its_number(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        fill(connection, "", "-other")
    with closing(shell(engine)) as connection:
        for table in (table for table in TABLES if not guard_of(table).deletable):
            before = list(connection.execute(f"SELECT rowid, * FROM {table.name}"))
            new = any_row(table, "-new")
            values = [json.dumps(v) if isinstance(v, dict) else v for v in new.values()]
            names = ", ".join(f'"{name}"' for name in new)
            marks = ", ".join("?" for _ in new)
            for number in (1, -1):
                with pytest.raises(sqlite3.IntegrityError, match=f"{table.name} is refused"):
                    connection.execute(
                        f"INSERT OR REPLACE INTO {table.name} (rowid, {names}) "
                        f"VALUES ({number}, {marks})",
                        values,
                    )
            for name in ("rowid", "oid", "_rowid_"):
                for changed in ("2", "rowid + 100"):
                    with pytest.raises(sqlite3.IntegrityError, match=f"{table.name} is refused"):
                        connection.execute(
                            f"UPDATE OR REPLACE {table.name} SET {name} = {changed} WHERE rowid = 1"
                        )
            assert list(connection.execute(f"SELECT rowid, * FROM {table.name}")) == before


@SQLITE_ONLY
def test_a_replaced_row_is_told_from_one_that_an_upsert_keeps(engine: sa.Engine) -> None:
    """A kept row leaves a mark; the next new row must not be taken for a replaced one."""
    assert write(engine, decision("rd_1")) == 1
    assert write(engine, decision("rd_1", "eve"), decision("rd_2")) == 1
    assert write(engine, decision("rd_3")) == 1
    with engine.connect() as connection:
        people = connection.execute(sa.select(truth.review_decision.c.person)).scalars()
        assert list(people) == ["ana"] * 3


def test_a_migrated_store_has_all_guards(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        assert list(find_guard_faults(connection, TABLES)) == []


@SQLITE_ONLY
def test_a_migration_completes_the_guards_of_an_earlier_store(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        for name in ("renumber", "note"):
            connection.execute(sa.text(f"DROP TRIGGER assay_guard_{name}_rules"))
        connection.execute(
            sa.text(
                "CREATE TRIGGER assay_guard_note_rules BEFORE INSERT ON rules BEGIN SELECT 1; END"
            )
        )
        # What later migrations created was not there yet.
        connection.execute(sa.text("DROP TABLE seen_versions"))
        connection.execute(sa.text("UPDATE assay_schema SET version_num = '0017'"))
    with pytest.raises(SchemaOutdated):
        schema.require_current(engine)
    schema.migrate(engine)
    with engine.connect() as connection:
        assert list(find_guard_faults(connection, TABLES)) == []


BOTH = {
    "index ix_rules_concept of table rules is missing": "DROP INDEX ix_rules_concept",
    "index extra of table rules is not declared": "CREATE INDEX extra ON rules (value)",
    "column stray of table rules is not declared": "ALTER TABLE rules ADD COLUMN stray TEXT",
}
LITE = {
    "trigger assay_guard_update_rules of table rules is missing":
        "DROP TRIGGER assay_guard_update_rules",
    "trigger quiet of table rules is not declared":
        "CREATE TRIGGER quiet AFTER INSERT ON rules BEGIN SELECT 1; END",
}  # fmt: skip
POSTGRES = {
    "trigger assay_guard_update_rules of table rules is missing":
        "DROP TRIGGER assay_guard_update_rules ON rules",
    "trigger assay_guard_update_rules of table rules does not fire":
        "ALTER TABLE rules DISABLE TRIGGER assay_guard_update_rules",
    "check ck_rules_person_approved of table rules is not as declared":
        "ALTER TABLE rules DROP CONSTRAINT ck_rules_person_approved, "
        "ADD CONSTRAINT ck_rules_person_approved CHECK (tier <> '')",
    "function assay_guard_refuse is not as declared":
        "CREATE OR REPLACE FUNCTION assay_guard_refuse() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN RETURN OLD; END $$",
    "rule away of table rules is not declared":
        "CREATE RULE away AS ON INSERT TO rules DO INSTEAD NOTHING",
}  # fmt: skip


def test_each_missing_changed_or_foreign_guard_is_named(engine: sa.Engine) -> None:
    edits = BOTH | (LITE if is_sqlite(engine) else POSTGRES)
    for what, statement in edits.items():
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN" if is_sqlite(engine) else "SELECT 1")
            connection.execute(sa.text(statement))
            assert [str(f) for f in find_guard_faults(connection, TABLES)] == [what]
            connection.rollback()


@SQLITE_ONLY
def test_a_trigger_rewritten_in_the_schema_is_named(engine: sa.Engine) -> None:
    with closing(shell(engine)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'ON rules', 'ON rules WHEN 0') "
            "WHERE name = 'assay_guard_delete_rules'"
        )
        connection.commit()
    with engine.connect() as connection:
        assert [(f.code, str(f)) for f in find_guard_faults(connection, TABLES)] == [
            ("guard_changed", "trigger assay_guard_delete_rules of table rules is not as declared")
        ]


@pytest.mark.parametrize(
    "database_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
def test_guards_fire_for_a_session_that_claims_to_replicate(engine: sa.Engine) -> None:
    write(engine, decision("rd_1"))
    with engine.connect() as connection:
        connection.execute(sa.text("SET session_replication_role = replica"))
        with pytest.raises(sa.exc.DBAPIError, match="refused"):
            connection.execute(sa.delete(truth.review_decision))


FORGED: dict[str, tuple[str, Edit]] = {
    "altered": ("row_altered", lambda c: c.execute(
        sa.update(truth.review_decision).values(person="eve"))),
    "removed": ("row_removed", lambda c: c.execute(
        sa.delete(truth.review_decision).where(truth.review_decision.c.decision_id == "rd_1"))),
    "added": ("row_added", lambda c: upsert_records(c, [decision("rd_9")])),
    "hash replaced": ("row_hashes_altered", lambda c: c.execute(
        sa.update(truth.row_hash).values(hash="0" * 64))),
    "hash and row removed": ("row_hashes_altered", lambda c: (
        c.execute(sa.delete(truth.row_hash)), c.execute(sa.delete(truth.review_decision)))),
    "hash of nothing": ("row_hashes_altered", lambda c: c.execute(sa.insert(truth.row_hash).values(
        table_name="rules", row_key="rl_9", hash="0" * 64, seq=99))),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_each_forged_row_is_found(engine: sa.Engine, how: str) -> None:
    assert write(engine, decision("rd_1"), decision("rd_2")) == 2
    with engine.connect() as connection:
        sound = verify_rows(connection, CORE_RECORDS)
        assert (sound.rows, sound.entries, sound.faults) == (2, 1, [])
        assert audit.verify_chain(connection).ok
        connection.rollback()
        code, edit = FORGED[how]
        guards.lift_guards(connection)
        edit(connection)
        found = verify_rows(connection, CORE_RECORDS)
        connection.rollback()
    assert found.faults[0].code == code, found.faults


def test_a_row_that_was_kept_is_not_hashed_again(engine: sa.Engine) -> None:
    assert write(engine, decision("rd_1")) == 1
    assert write(engine, decision("rd_1", "eve")) == 0
    with engine.connect() as connection:
        assert verify_rows(connection, CORE_RECORDS).faults == []
