"""Counting rows, in the caller's transaction."""

from typing import Any

import sqlalchemy as sa


def count_rows(connection: sa.Connection, table: sa.Table, *where: sa.ColumnElement[bool]) -> int:
    """How many rows of a table meet the conditions."""
    query = sa.select(sa.func.count()).select_from(table).where(*where)
    return int(connection.execute(query).scalar_one())


def count_by(
    connection: sa.Connection, column: sa.Column[Any], *where: sa.ColumnElement[bool]
) -> dict[str, int]:
    """How many rows there are for each value of a column, by value."""
    query = sa.select(column, sa.func.count()).where(*where).group_by(column).order_by(column)
    return {str(value): int(count) for value, count in connection.execute(query)}
