"""The keys of the specification hold in the database itself."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from assay.errors import InternalError
from assay.store import tables as t
from assay.store.database import explain_database_error
from tests.store.rows import any_row

KEYS: list[tuple[sa.Table, tuple[str, ...]]] = [
    (t.document, ("doc_id",)),
    (t.document_source, ("doc_id", "source_kind", "source_ref")),
    (t.candidate, ("doc_id",)),
    (t.candidate_event, ("doc_id", "seq")),
    (t.evidence, ("evidence_id",)),
    (t.evidence, ("url", "content_hash")),
    (t.item, ("endpoint_id", "url")),
    (t.endpoint, ("source_slug", "url")),
    (t.source, ("source_slug",)),
    (t.run, ("run_id",)),
    (t.job, ("job_id",)),
    (t.health, ("source_slug",)),
]


def other_row(table: sa.Table) -> dict[str, Any]:
    """A row that shares no value with `any_row`."""
    row = any_row(table, "-other")
    return {name: value + 1 if type(value) is int else value for name, value in row.items()}


def test_two_rows_with_the_same_key_are_refused(connection: sa.Connection) -> None:
    for table, key in KEYS:
        first = any_row(table)
        second = {**other_row(table), **{name: first[name] for name in key}}
        with connection.begin_nested() as undone:
            connection.execute(sa.insert(table).values(first))
            with pytest.raises(IntegrityError) as caught, connection.begin_nested():
                connection.execute(sa.insert(table).values(second))
            assert type(explain_database_error(caught.value)) is InternalError, (table.name, key)
            undone.rollback()


def test_rows_that_differ_in_one_part_of_the_key_live_together(connection: sa.Connection) -> None:
    for table, key in KEYS:
        for name in key:
            first, second = any_row(table), other_row(table)
            same = {part: first[part] for part in key if part != name}
            with connection.begin_nested() as undone:
                connection.execute(sa.insert(table).values(first))
                connection.execute(sa.insert(table).values({**second, **same}))
                count = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
                assert count == 2, (table.name, name)
                undone.rollback()


def test_what_must_be_there_cannot_be_left_out(connection: sa.Connection) -> None:
    for name in ("url", "content_hash", "size"):
        row = {**any_row(t.evidence), name: None}
        with pytest.raises(IntegrityError), connection.begin_nested():
            connection.execute(sa.insert(t.evidence).values(row))
