"""Reading the ledger, and what must always hold of it."""

from typing import Any

import sqlalchemy as sa

from assay.store import spending as t


def rows_of(engine: sa.Engine, table: sa.Table) -> list[dict[str, Any]]:
    """All rows of a table."""
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(sa.select(table)).mappings()]


def calls_of(engine: sa.Engine) -> list[dict[str, Any]]:
    """The ledger, in the order of the grants."""
    return sorted(rows_of(engine, t.call), key=lambda row: row["reserved_ms"])


def assert_books_balance(engine: sa.Engine) -> None:
    """Every meter is the sum of the calls that it counts."""
    sums: dict[tuple[str, str], list[int]] = {}
    for row in calls_of(engine):
        meters = ["all"] + ([f"source:{row['source_slug']}"] if row["source_slug"] else [])
        for meter in meters:
            entry = sums.setdefault((row["day"], meter), [0, 0, 0])
            entry[0] += 1
            entry[1] += row["charged_tokens"]
            entry[2] += row["charged_micros"] or 0
    found = {
        (row["day"], row["meter"]): [row["calls"], row["tokens"], row["micros"]]
        for row in rows_of(engine, t.meter)
    }
    assert found == sums
