"""A normal run cannot delete or rewrite what was stored: each way is tried here."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from assay.errors import InternalError
from assay.store import guards, specs, spending
from assay.store import tables as t
from assay.store.database import explained, is_sqlite
from assay.store.migrations import versions
from assay.store.tables import METADATA
from tests.store.rows import any_row, contents, fill

MIGRATIONS = [
    importlib.import_module(f"{versions.__name__}.{found.name}")
    for found in pkgutil.iter_modules(versions.__path__)
]

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
        told = explained(error)
        assert type(told) is InternalError
        assert f"{table.name} is refused" in str(told)
        assert contents(connection, table) == before
        connection.rollback()
        return True
    return False


def test_no_row_can_be_deleted_from_any_table_that_is_kept(filled: sa.Connection) -> None:
    open_to_all = [table for table in specs.NEVER_DELETED
                   if not refused(filled, table, sa.delete(table))]  # fmt: skip
    assert open_to_all == []


def test_not_even_a_single_row_can_be_deleted(filled: sa.Connection) -> None:
    for table in specs.NEVER_DELETED:
        key = next(iter(table.primary_key.columns))
        one = sa.delete(table).where(key == any_row(table)[key.name])
        assert refused(filled, table, one), table.name


def test_what_may_be_taken_out_can_be(filled: sa.Connection) -> None:
    removable = set(METADATA.tables.values()) - set(specs.NEVER_DELETED)
    assert removable == {
        t.dead_letter, t.worker, spending.state, spending.ticket, spending.cooldown,
        spending.estimate, spending.answer,
    }  # fmt: skip
    for table in removable:
        assert filled.execute(sa.delete(table)).rowcount == 2


def test_no_table_that_is_kept_can_be_truncated(filled: sa.Connection) -> None:
    if is_sqlite(filled):
        # SQLite has no TRUNCATE; its DELETE without WHERE must not take the short cut either.
        for table in specs.NEVER_DELETED:
            assert refused(filled, table, sa.text(f"DELETE FROM {table.name}"))
        return
    for table in specs.NEVER_DELETED:
        for how in ("", " CASCADE"):
            assert refused(filled, table, sa.text(f"TRUNCATE {table.name}{how}")), table.name


@SQLITE_ONLY
def test_no_row_can_be_replaced_by_an_insert(filled: sa.Connection) -> None:
    for table in specs.NEVER_DELETED:
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
    for table in specs.APPEND_ONLY:
        row = any_row(table)
        for column in table.columns:
            statement = sa.update(table).values({column.name: changed_value(column, row)})
            assert refused(filled, table, statement), (table.name, column.name)


def test_no_immutable_column_can_be_updated(filled: sa.Connection) -> None:
    for table, columns in specs.IMMUTABLE_COLUMNS.items():
        row = any_row(table)
        key = next(iter(table.primary_key.columns))
        for name in columns:
            value = changed_value(table.c[name], row)
            statement = sa.update(table).where(key == row[key.name]).values({name: value})
            assert refused(filled, table, statement), (table.name, name)


def test_an_immutable_column_cannot_be_slipped_in_beside_others(filled: sa.Connection) -> None:
    statement = sa.update(t.evidence).values(content_class="HTML", content_hash="other")
    assert refused(filled, t.evidence, statement)


def test_what_is_learnt_of_evidence_later_can_be_written(filled: sa.Connection) -> None:
    free = set(t.evidence.columns.keys()) - set(specs.IMMUTABLE_COLUMNS[t.evidence])
    assert free == {"content_class", "primary_text_artifact_id"}
    assert set(t.artifact.columns.keys()) == set(specs.IMMUTABLE_COLUMNS[t.artifact])
    for name in free:
        assert filled.execute(sa.update(t.evidence).values({name: "new"})).rowcount == 2


def test_the_guards_may_be_lifted_by_an_operator_alone(filled: sa.Connection) -> None:
    guards.lift(filled)
    for table in specs.NEVER_DELETED:
        assert filled.execute(sa.delete(table)).rowcount == 2, table.name


def test_the_specs_and_the_migrations_lists_agree() -> None:
    assert MIGRATIONS
    never = {name for module in MIGRATIONS for name in getattr(module, "NEVER_DELETED", ())}
    append = {name for module in MIGRATIONS for name in getattr(module, "APPEND_ONLY", ())}
    fixed: dict[str, set[str]] = {}
    for module in MIGRATIONS:
        for name, columns in getattr(module, "IMMUTABLE_COLUMNS", {}).items():
            fixed.setdefault(name, set()).update(columns)
    assert never == {table.name for table in specs.NEVER_DELETED}
    assert append == {table.name for table in specs.APPEND_ONLY}
    assert fixed == {table.name: set(columns) for table, columns in specs.IMMUTABLE_COLUMNS.items()}


def test_all_canonical_tables_are_kept_and_append_only_ones_are_never_merged() -> None:
    canonical = {spec.table for spec in specs.RECORDS.values() if spec.canonical}
    assert canonical <= set(specs.NEVER_DELETED)
    assert set(specs.APPEND_ONLY) <= set(specs.NEVER_DELETED)
    for spec in specs.RECORDS.values():
        if spec.table in specs.APPEND_ONLY:
            assert not spec.merge
        assert not set(spec.merge) & set(specs.IMMUTABLE_COLUMNS.get(spec.table, ()))
