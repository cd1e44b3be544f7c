"""Long lists, page by page: the next page begins after the last row of this one, not after a number
of rows, so that it costs the same however far away it is, and new rows shift nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.errors import InvalidInput

_GREATEST = 2**63 - 1


@dataclass(frozen=True)
class SortKey:
    """A column that a list is sorted by; an index should have it."""

    column: sa.Column[Any]
    descending: bool = False

    def order(self) -> sa.ColumnElement[Any]:
        """The column as ORDER BY needs it."""
        return self.column.desc() if self.descending else self.column.asc()

    def follows(self, value: Any) -> sa.ColumnElement[bool]:
        """Whether a row comes after that value."""
        found: sa.ColumnElement[bool] = (
            self.column < value if self.descending else self.column > value
        )
        return found


Place = tuple[str | int, ...]
"""The sort keys of a row."""


@dataclass(frozen=True)
class KeysetPage:
    """Some rows of a list, and where the rest begins."""

    rows: list[dict[str, Any]]
    last: Place | None = None
    """The place of the last row; None if no row follows it."""


def fetch_keyset(
    app: App, query: sa.Select[Any], keys: Sequence[SortKey], after: Place | None, limit: int
) -> KeysetPage:
    """The rows after a place; the last key must be unique among rows that share the others."""
    if after is not None:
        _refuse_foreign(keys, after)
        query = query.where(_follows(keys, after))
    rows = app.fetch_rows(query.order_by(*(key.order() for key in keys)).limit(limit + 1))
    if len(rows) <= limit:
        return KeysetPage(rows)
    shown = rows[:limit]
    return KeysetPage(shown, tuple(shown[-1][key.column.name] for key in keys))


def _follows(keys: Sequence[SortKey], after: Place) -> sa.ColumnElement[bool]:
    """Whether a row comes after a place: `a > x OR (a = x AND b > y)`."""
    first, rest = keys[0], keys[1:]
    if not rest:
        return first.follows(after[0])
    same = sa.and_(first.column == after[0], _follows(rest, after[1:]))
    # Of these two, only the first lets the database begin in the middle of the index.
    reached = first.column <= after[0] if first.descending else first.column >= after[0]
    return sa.and_(reached, sa.or_(first.follows(after[0]), same))


def _refuse_foreign(keys: Sequence[SortKey], after: Place) -> None:
    """Refuse a place that is not one of this list."""
    fits = len(keys) == len(after) and all(
        type(value) is key.column.type.python_type
        and (not isinstance(value, int) or abs(value) <= _GREATEST)
        and (not isinstance(value, str) or ("\0" not in value and value.isprintable()))
        for key, value in zip(keys, after, strict=True)
    )
    if not fits:
        raise InvalidInput(
            "The cursor does not belong to this list.",
            advice="Use the value of 'next', or start again without a cursor.",
        )
