"""A normal run cannot delete or rewrite what was stored: each way is tried here."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from assay.errors import InternalError
from assay.model.storage import storage_of
from assay.store import guards, spending
from assay.store import tables as t
from assay.store.columns import guard_of
from assay.store.database import explain_database_error, is_sqlite
from assay.store.record_tables import CORE_RECORDS
from assay.store.tables import METADATA, list_tables
from tests.store.guards import declared_guards, read_guards
from tests.store.rows import any_row, contents, fill

TABLES = list_tables(CORE_RECORDS)
NEVER_DELETED = [table for table in TABLES if not guard_of(table).deletable]
APPEND_ONLY = [table for table in TABLES if guard_of(table).mutable == ()]


def immutable(table: sa.Table) -> tuple[str, ...]:
    return guard_of(table).immutable_among(table.columns.keys())


# Postgres knows no INSERT OR REPLACE.
SQLITE_ONLY = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def filled(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection to a store with two rows in every table."""
    with engine.begin() as connection:
        fill(connection, "", "-other")
    with engine.connect() as connection:
        yield connection


def changed_value(column: sa.Column[Any], row: dict[str, Any]) -> Any:
    value = row[column.name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        return {"changed": True}
    return f"{value}-changed" if isinstance(value, str) else value + 1000


def refused(connection: sa.Connection, table: sa.Table, statement: Any) -> bool:
    """Whether the statement was refused in plain words and nothing changed."""
    before = contents(connection, table)
    connection.rollback()
    try:
        connection.execute(statement)
        connection.commit()
    except DBAPIError as error:
        connection.rollback()
        told = explain_database_error(error)
        assert type(told) is InternalError
        assert f"{table.name} is refused" in str(told)
        assert contents(connection, table) == before
        connection.rollback()
        return True
    return False


def test_no_row_can_be_deleted_from_any_table_that_is_kept(filled: sa.Connection) -> None:
    open_to_all = [table for table in NEVER_DELETED
                   if not refused(filled, table, sa.delete(table))]  # fmt: skip
    assert open_to_all == []


def test_not_even_a_single_row_can_be_deleted(filled: sa.Connection) -> None:
    for table in NEVER_DELETED:
        key = next(iter(table.primary_key.columns))
        one = sa.delete(table).where(key == any_row(table)[key.name])
        assert refused(filled, table, one), table.name


def test_what_may_be_taken_out_can_be(filled: sa.Connection) -> None:
    removable = set(METADATA.tables.values()) - set(NEVER_DELETED)
    assert removable == {
        t.dead_letter, t.guard_mark, t.pace, t.worker, spending.state, spending.ticket,
        spending.cooldown, spending.estimate, spending.answer, t.seen_version, t.login_attempts,
        t.login_session, t.answered_request,
    }  # fmt: skip
    for table in removable:
        assert filled.execute(sa.delete(table)).rowcount == 2


def test_no_table_that_is_kept_can_be_truncated(filled: sa.Connection) -> None:
    if is_sqlite(filled):
        # SQLite has no TRUNCATE; its DELETE without WHERE must not take the short cut either.
        for table in NEVER_DELETED:
            assert refused(filled, table, sa.text(f"DELETE FROM {table.name}"))
        return
    for table in NEVER_DELETED:
        for how in ("", " CASCADE"):
            assert refused(filled, table, sa.text(f"TRUNCATE {table.name}{how}")), table.name


@SQLITE_ONLY
def test_no_row_can_be_replaced_by_an_insert(filled: sa.Connection) -> None:
    for table in NEVER_DELETED:
        row = any_row(table)
        kept = {column.name for column in table.primary_key}
        changed = {
            column.name: row[column.name] if column.name in kept else changed_value(column, row)
            for column in table.columns
        }
        statement = sa.insert(table).prefix_with("OR REPLACE").values(changed)
        assert refused(filled, table, statement), table.name


@SQLITE_ONLY
def test_no_row_can_be_replaced_by_an_update_of_another(filled: sa.Connection) -> None:
    key = t.document.c.doc_id
    onto = sa.update(t.document).prefix_with("OR REPLACE").where(key == "doc_id-other")
    assert refused(filled, t.document, onto.values(doc_id="doc_id"))


def test_no_column_of_an_append_only_table_can_be_updated(filled: sa.Connection) -> None:
    for table in APPEND_ONLY:
        row = any_row(table)
        for column in table.columns:
            statement = sa.update(table).values({column.name: changed_value(column, row)})
            assert refused(filled, table, statement), (table.name, column.name)


def test_no_immutable_column_can_be_updated(filled: sa.Connection) -> None:
    assert sum(bool(immutable(table)) for table in TABLES) > 10
    for table in TABLES:
        row = any_row(table)
        key = next(iter(table.primary_key.columns))
        for name in immutable(table):
            value = changed_value(table.c[name], row)
            statement = sa.update(table).where(key == row[key.name]).values({name: value})
            assert refused(filled, table, statement), (table.name, name)


def test_an_immutable_column_cannot_be_slipped_in_beside_others(filled: sa.Connection) -> None:
    statement = sa.update(t.evidence).values(content_class="HTML", content_hash="other")
    assert refused(filled, t.evidence, statement)


def test_what_is_learnt_of_evidence_later_can_be_written(filled: sa.Connection) -> None:
    free = set(t.evidence.columns.keys()) - set(immutable(t.evidence))
    assert free == {"content_class", "primary_text_artifact_id"}
    assert t.artifact in APPEND_ONLY
    for name in free:
        assert filled.execute(sa.update(t.evidence).values({name: "new"})).rowcount == 2


def test_the_guards_may_be_lifted_by_an_operator_alone(filled: sa.Connection) -> None:
    guards.lift_guards(filled)
    for table in NEVER_DELETED:
        assert filled.execute(sa.delete(table)).rowcount == 2, table.name


def test_the_migrated_database_has_the_guards_that_are_declared(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        assert read_guards(connection, TABLES) == declared_guards(TABLES)


def test_a_guard_that_is_missing_would_be_found(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        on = "" if is_sqlite(connection) else " ON releases"
        connection.execute(sa.text(f"DROP TRIGGER assay_guard_update_releases{on}"))
    with engine.connect() as connection:
        found = read_guards(connection, TABLES)
    differing = {name for name, guard in declared_guards(TABLES).items() if guard != found[name]}
    assert differing == {"releases"}


def test_all_canonical_tables_are_kept() -> None:
    for record in CORE_RECORDS:
        storage = storage_of(record)
        assert not (storage.canonical and storage.guard.deletable), record


def test_every_table_says_how_it_is_guarded() -> None:
    assert {table.name for table in TABLES} == set(METADATA.tables)
    with pytest.raises(InternalError, match="stray does not declare how it is guarded"):
        guard_of(sa.Table("stray", sa.MetaData()))
