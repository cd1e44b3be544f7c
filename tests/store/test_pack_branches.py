"""A pack's own tables: made by its own branch of migrations, next to the core's."""

from pathlib import Path
from typing import Annotated

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from assay.errors import SchemaOutdated, SchemaTooNew, StartupRefused
from assay.model.records import Document
from assay.model.storage import APPEND_ONLY, Merge, Moment, Record, fixed_except
from assay.store import schema
from assay.store.dump import dump_all, dump_canonical
from assay.store.record_tables import CORE_RECORDS, table_of
from assay.store.tables import METADATA, list_tables
from assay.store.upserts import upsert_records
from tests.store.guards import declared_guards, read_guards

CORE = schema.find_newest_versions()


class Harbour(
    Record,
    table="harbours",
    key=("harbour_id",),
    unique=(("name", "country"),),
    indexes=(("country",),),
    guard=fixed_except("depth", "seen_ms"),
):
    """A toy record that is merged."""

    harbour_id: str
    name: str
    country: str
    depth: Annotated[float | None, Merge.MAX] = None
    seen_ms: Annotated[Moment, Merge.MIN] = 0


class Call(
    Record, table="harbour_calls", key=("harbour_id", "ship"), guard=APPEND_ONLY, canonical=False
):
    """A toy record that is only added to."""

    harbour_id: str
    ship: str
    crew: list[str]


RECORDS = (Harbour, Call)
FIRST = """
import sqlalchemy as sa
from alembic import op
from assay.sdk.migrations import forbid_delete, forbid_update

revision, down_revision = "0001", None

def upgrade():
    op.create_table(
        "harbours",
        sa.Column("harbour_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("harbour_id", name="pk_harbours"),
        sa.UniqueConstraint("name", "country", name="uq_harbours_name_country"),
    )
    op.create_index("ix_harbours_country", "harbours", ["country"])
    forbid_delete(op.get_bind(), ["harbours"])
    forbid_update(op.get_bind(), "harbours", ["harbour_id", "name", "country"])
"""
SECOND = """
import sqlalchemy as sa
from alembic import op
from assay.sdk.migrations import forbid_delete, forbid_update

revision, down_revision = "0002", "0001"

def upgrade():
    op.add_column("harbours", sa.Column("depth", sa.Float()))
    op.create_table(
        "harbour_calls",
        sa.Column("harbour_id", sa.Text(), nullable=False),
        sa.Column("ship", sa.Text(), nullable=False),
        sa.Column("crew", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("harbour_id", "ship", name="pk_harbour_calls"),
    )
    forbid_delete(op.get_bind(), ["harbour_calls"])
    forbid_update(op.get_bind(), "harbour_calls")
"""
BROKEN = 'revision, down_revision = "0002", "0001"\n\ndef upgrade():\n    raise KeyboardInterrupt\n'


def write_branch(folder: Path, *versions: str) -> dict[str, Path]:
    folder.mkdir()
    for number, text in enumerate(versions, start=1):
        (folder / f"v{number:04}.py").write_text(text)
    return {"harbour": folder}


@pytest.fixture
def branches(tmp_path: Path) -> dict[str, Path]:
    return write_branch(tmp_path / "harbour: 100 %", FIRST, SECOND)


def named(engine: sa.Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names())


def versions_in(engine: sa.Engine) -> schema.Versions:
    with engine.connect() as connection:
        return schema.read_versions(connection)


def test_a_packs_tables_are_made_next_to_the_cores(
    empty: sa.Engine, branches: dict[str, Path]
) -> None:
    both = {**CORE, "harbour": "0002"}
    assert schema.migrate(empty, branches) == ({}, both)
    assert schema.migrate(empty, branches) == (both, both)
    schema.require_current(empty, branches)
    made = {"harbours", "harbour_calls", schema.version_table_of("harbour")}
    assert named(empty) == {*METADATA.tables, schema.VERSION_TABLE, *made}
    assert schema.describe_versions(both) == f"{CORE[schema.CORE]} (harbour 0002)"


def test_a_pack_that_comes_later_is_migrated_then(
    engine: sa.Engine, branches: dict[str, Path]
) -> None:
    schema.require_current(engine)
    with pytest.raises(SchemaOutdated, match="no tables of the pack 'harbour' yet"):
        schema.require_current(engine, branches)
    assert schema.migrate(engine, branches) == (CORE, {**CORE, "harbour": "0002"})


def test_declarations_and_the_migrated_database_do_not_differ(
    engine: sa.Engine, branches: dict[str, Path]
) -> None:
    schema.migrate(engine, branches)
    tables, catalogue = list_tables(RECORDS), sa.MetaData()
    for table in tables:
        table.to_metadata(catalogue)

    def is_own(entry: object, name: str | None, kind: str, *_rest: object) -> bool:
        return not (kind == "table" and str(name).startswith(schema.VERSION_TABLE))

    options = {"compare_type": True, "include_object": is_own}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, catalogue) == []
        assert read_guards(connection, tables) == declared_guards(tables)


def test_a_packs_records_are_stored_guarded_and_dumped_like_the_cores(
    engine: sa.Engine, branches: dict[str, Path]
) -> None:
    schema.migrate(engine, branches)
    split = Harbour(harbour_id="h1", name="Split", country="HR", depth=9.5, seen_ms=7)
    call = Call(harbour_id="h1", ship="Ada", crew=["Č"])
    with engine.begin() as connection:
        upsert_records(connection, [call, split, Document(doc_id="d", source_slug="s", url="u")])
        upsert_records(connection, [split.model_copy(update={"depth": 3.0, "name": "x"})])
    table = table_of(Harbour)
    with engine.connect() as connection:
        (row,) = connection.execute(sa.select(table)).mappings()
        assert Harbour.from_row(dict(row)) == split
        canonical = b"".join(dump_canonical(connection, (*CORE_RECORDS, *RECORDS)))
        everything = b"".join(dump_all(connection, RECORDS))
    assert b'"country": "HR"' in canonical
    assert b"seen_ms" not in canonical and b"harbour_calls" not in canonical
    assert b'"table": "harbour_calls"' in everything and b'"table": "documents"' in everything
    for statement in (sa.delete(table), sa.update(table).values(name="other")):
        with pytest.raises(DBAPIError, match="harbours is refused"), engine.begin() as connection:
            connection.execute(statement)


def test_a_pack_that_is_gone_leaves_its_tables_and_stands_in_nobodys_way(
    engine: sa.Engine, branches: dict[str, Path]
) -> None:
    schema.migrate(engine, branches)
    schema.require_current(engine)
    before, after = schema.migrate(engine)
    assert before == after == {**CORE, "harbour": "0002"}
    assert schema.find_orphaned_branches(versions_in(engine), {}) == ["harbour"]
    assert schema.find_orphaned_branches(versions_in(engine), branches) == []
    assert "harbours" in named(engine)


def test_a_pack_that_is_newer_or_older_than_its_tables_is_told_apart(
    engine: sa.Engine, tmp_path: Path, branches: dict[str, Path]
) -> None:
    old = write_branch(tmp_path / "old", FIRST)
    schema.migrate(engine, old)
    with pytest.raises(SchemaOutdated, match=r"schema 0001 of the pack 'harbour'.*needs 0002"):
        schema.require_current(engine, branches)
    schema.migrate(engine, branches)
    with pytest.raises(SchemaTooNew, match="0002, which the installed pack 'harbour' does not"):
        schema.require_current(engine, old)
    with pytest.raises(SchemaTooNew, match="nothing was changed"):
        schema.migrate(engine, old)


def test_a_migration_of_a_pack_that_breaks_off_leaves_nothing_of_any(
    empty: sa.Engine, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        schema.migrate(empty, write_branch(tmp_path / "broken", FIRST, BROKEN))
    assert named(empty) == set()


def test_migrations_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    twice = SECOND.replace('"0002"', '"0003"')
    with pytest.raises(StartupRefused, match="of 'harbour' do not fit together"):
        schema.find_newest_versions(write_branch(tmp_path / "heads", FIRST, SECOND, twice))
    with pytest.raises(StartupRefused, match="of 'harbour' are missing"):
        schema.find_newest_versions(write_branch(tmp_path / "none"))
