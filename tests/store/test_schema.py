"""The schema: made whole, made once, and refused where it does not fit."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from assay.errors import SchemaMissing, SchemaOutdated, SchemaTooNew
from assay.store import guards, schema
from assay.store.database import is_sqlite, open_engine
from assay.store.tables import METADATA
from tests.store.rows import contents, fill
from tests.waiting import PATIENCE_S

HEAD = schema.find_newest_versions()


def tables(engine: sa.Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names())


def guard_names(engine: sa.Engine) -> list[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if is_sqlite(engine)
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    )
    with engine.connect() as connection:
        return sorted(connection.execute(sa.text(query)).scalars())


def pretend(engine: sa.Engine, version: str) -> None:
    with engine.begin() as connection:
        connection.execute(
            sa.text(f"UPDATE {schema.VERSION_TABLE} SET version_num = :v"), {"v": version}
        )


def test_a_fresh_store_gets_every_table_and_the_newest_version(empty: sa.Engine) -> None:
    assert schema.migrate(empty) == ({}, HEAD)
    assert tables(empty) == {*METADATA.tables, schema.VERSION_TABLE}
    schema.require_current(empty)
    with empty.connect() as connection:
        assert schema.read_versions(connection) == HEAD


def test_migrating_again_changes_nothing(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        fill(connection)
        before = {table.name: contents(connection, table) for table in METADATA.sorted_tables}
    guarded = guard_names(engine)
    assert schema.migrate(engine) == (HEAD, HEAD)
    assert guard_names(engine) == guarded
    with engine.connect() as connection:
        after = {table.name: contents(connection, table) for table in METADATA.sorted_tables}
    assert after == before
    assert all(before.values())


def test_the_models_and_the_migrated_database_do_not_differ(engine: sa.Engine) -> None:
    options = {"version_table": schema.VERSION_TABLE, "compare_type": True}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []


def test_a_difference_between_models_and_database_would_be_found(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE documents ADD COLUMN stray TEXT"))
        connection.execute(sa.text("DROP INDEX ix_events_run_id"))
    options = {"version_table": schema.VERSION_TABLE, "compare_type": True}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        found: list[Any] = compare_metadata(context, METADATA)
    assert sorted(entry[0] for entry in found) == ["add_index", "remove_column"]


def test_the_partial_index_of_live_jobs_is_partial(engine: sa.Engine) -> None:
    (live,) = [
        index for index in sa.inspect(engine).get_indexes("jobs") if index["name"] == "ix_jobs_live"
    ]
    where = live["dialect_options"][f"{engine.dialect.name}_where"]
    assert "state = 'queued'" in str(where)


def test_a_missing_store_is_said_to_be_missing(empty: sa.Engine) -> None:
    with pytest.raises(SchemaMissing, match="assay init"):
        schema.require_current(empty)
    assert tables(empty) == set()


def test_an_older_store_is_refused_until_it_is_migrated(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "find_newest_versions", lambda _branches: {schema.CORE: "9999"})
    known = HEAD[schema.CORE]
    with pytest.raises(SchemaOutdated, match=rf"schema {known}; this Assay needs 9999\. Run"):
        schema.require_current(engine)


def test_a_newer_store_is_refused_and_left_alone(engine: sa.Engine) -> None:
    pretend(engine, "9999")
    guarded, named = guard_names(engine), tables(engine)
    with pytest.raises(SchemaTooNew, match="schema 9999"):
        schema.require_current(engine)
    with pytest.raises(SchemaTooNew, match="nothing was changed"):
        schema.migrate(engine)
    with engine.connect() as connection:
        assert schema.read_versions(connection) == {schema.CORE: "9999"}
    assert (guard_names(engine), tables(engine)) == (guarded, named)


@pytest.mark.parametrize("step", ["forbid_delete", "forbid_update"])
def test_a_migration_that_breaks_off_leaves_nothing_and_can_be_repeated(
    empty: sa.Engine, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def crash(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(guards, step, crash)
        with pytest.raises(KeyboardInterrupt):
            schema.migrate(empty)
    assert tables(empty) == set()
    assert guard_names(empty) == []
    assert schema.migrate(empty) == ({}, HEAD)
    assert tables(empty) == {*METADATA.tables, schema.VERSION_TABLE}


def test_many_that_migrate_at_once_make_the_tables_once(store_url: str, empty: sa.Engine) -> None:
    crowd = 4
    together = threading.Barrier(crowd)

    def migrate() -> tuple[schema.Versions, schema.Versions]:
        engine = open_engine(store_url, wait_s=PATIENCE_S)
        try:
            together.wait(timeout=PATIENCE_S)
            return schema.migrate(engine)
        finally:
            engine.dispose()

    with ThreadPoolExecutor(crowd) as pool:
        ends = [pool.submit(migrate) for _ in range(crowd)]
        versions = [end.result(timeout=PATIENCE_S) for end in ends]
    assert sorted(versions, key=str) == [(HEAD, HEAD)] * (crowd - 1) + [({}, HEAD)]
    schema.require_current(empty)


def test_lifting_the_guards_is_part_of_the_transaction(engine: sa.Engine) -> None:
    guarded = guard_names(engine)
    assert guarded
    with engine.connect() as connection:
        guards.lift_guards(connection)
        connection.rollback()
    assert guard_names(engine) == guarded
    with engine.begin() as connection:
        guards.lift_guards(connection)
    assert guard_names(engine) == []
