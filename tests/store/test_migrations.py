"""Migrations keep what was stored before them."""

from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.exc import DBAPIError

from assay.model.facts import CoverageReport
from assay.model.records import RoutingDecision, ScoutResult, Source
from assay.store import schema
from assay.store.record_tables import table_of
from tests.store.rows import any_row, contents


@pytest.fixture
def of_five(empty: sa.Engine) -> sa.Engine:
    """A store of version 0005 with documents of a source that has a pack, and of one without."""
    with empty.begin() as connection:
        connection.exec_driver_sql("SELECT 1")
        config = schema.build_branch_config(
            connection, schema.CORE, schema.core_migrations_folder()
        )
        command.upgrade(config, "0005")
        for slug, pack in (("gazette", "regulatory"), ("blog", "")):
            insert(connection, "sources", {"source_slug": slug, "pack": pack})
            key = {"evidence_id": f"ev_{slug}"}
            insert(connection, "evidence", {**key, "source_slug": slug, "url": slug})
            for table in ("scout_results", "routing_decisions"):
                insert(connection, table, key)
            insert(connection, "coverage_reports", {**key, "pack": "regulatory"})
        for table in ("documents", "discovered_items"):
            insert(connection, table, {})
    return empty


def insert(connection: sa.Connection, name: str, values: Mapping[str, Any]) -> None:
    table = sa.Table(name, sa.MetaData(), autoload_with=connection)
    row = {**_plain(table), **values}
    connection.execute(sa.insert(table).values(row))


def _plain(table: sa.Table) -> dict[str, Any]:
    values: dict[str, Any] = any_row(table)
    for column in table.columns:
        # A reflected column has the database's own name of its type.
        kind = column.type
        if isinstance(kind, sa.Boolean):
            values[column.name] = True
        elif isinstance(kind, sa.Float):
            values[column.name] = 0.5
        elif isinstance(kind, sa.String):
            values[column.name] = column.name
    return values


def test_what_was_judged_before_belongs_to_the_pack_of_its_source(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.connect() as connection:
        sources = {row["source_slug"]: row for row in contents(connection, table_of(Source))}
        assert {slug: row["packs"] for slug, row in sources.items()} == {
            "gazette": ["regulatory"], "blog": [],
        }  # fmt: skip
        assert Source.from_row(sources["gazette"]).hierarchy == 1
        for record in (ScoutResult, RoutingDecision):
            rows = contents(connection, table_of(record))
            packs = {row["evidence_id"]: row["pack"] for row in rows}
            assert packs == {"ev_gazette": "regulatory", "ev_blog": ""}, record
        (scouted, _) = contents(connection, table_of(ScoutResult))
        assert (scouted["doc_type"], scouted["worth_it_score"]) == ("doc_type", 0.5)
        assert len(contents(connection, table_of(CoverageReport))) == 2


def test_documents_have_no_parents_yet(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.connect() as connection:
        for name in ("documents", "discovered_items"):
            parents = connection.execute(sa.text(f"SELECT parent_doc_id FROM {name}")).scalars()
            assert list(parents) == [None]


def test_tables_that_were_made_anew_are_still_guarded(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    for record in (ScoutResult, RoutingDecision, CoverageReport):
        with pytest.raises(DBAPIError, match="is refused"), of_five.begin() as connection:
            connection.execute(sa.delete(table_of(record)))


def test_two_packs_may_judge_the_same_evidence(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.begin() as connection:
        for record in (ScoutResult, RoutingDecision, CoverageReport):
            table = table_of(record)
            (first, *_) = contents(connection, table)
            connection.execute(sa.insert(table).values({**first, "pack": "another"}))
            rows = connection.execute(sa.select(table).where(table.c.pack == "another")).all()
            assert len(rows) == 1
