"""Rows and records to fill a store with."""

from typing import Any

import sqlalchemy as sa

from assay.model import records as r
from assay.model.agent_runs import AgentRun
from assay.store.tables import METADATA

EVIDENCE = r.Evidence(
    evidence_id="ev_1",
    url="http://h/a",
    content_hash="c1",
    doc_id="d1",
    source_slug="s1",
    content_type="text/html",
    size=10,
    fetched_ms=5,
    run_id="r1",
)
SCOUTED = r.ScoutResult(
    evidence_id="ev_1",
    worth_it_score=0.5,
    doc_type="NEWS",
    content_length=200,
    language="hr",
    boilerplate_ratio=0.25,
)
ITEM = r.DiscoveredItem(
    item_id="it_1", endpoint_id="e1", source_slug="s1", url="http://h/a", doc_id="d1"
)
AGENT_RUN = AgentRun(agent_run_id="a1", run_id="r1", job_id="j1", stage="extract")


def any_row(table: sa.Table, mark: str = "") -> dict[str, Any]:
    """A row that fits the table; another mark gives another row."""
    number = sum(map(ord, mark)) + 1
    values: dict[type, Any] = {
        sa.Text: None,
        sa.Boolean: True,
        sa.Float: 0.5,
        sa.JSON: {"a": [1, "č"]},
    }
    row = {}
    for column in table.columns:
        value = values.get(type(column.type), number)
        row[column.name] = f"{column.name}{mark}" if value is None else value
    return row


def fill(connection: sa.Connection, *marks: str) -> None:
    """A row in every table, for each mark."""
    for table in METADATA.tables.values():
        for mark in marks or ("",):
            connection.execute(sa.insert(table).values(any_row(table, mark)))


def contents(connection: sa.Connection, table: sa.Table) -> list[dict[str, Any]]:
    """All rows, as they are."""
    order = list(table.primary_key.columns)
    found = connection.execute(sa.select(table).order_by(*order)).mappings()
    return [dict(row) for row in found]
