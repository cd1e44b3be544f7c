"""Many rows at once arrive as if SQLAlchemy had looked at each."""

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, ProgrammingError

from assay.model import records as r
from assay.model.agent_runs import AgentRun, Failure
from assay.model.bookkeeping import DeadLetter
from assay.store import tables as t
from assay.store.bulk import CHUNK, insert_new_rows, insert_rows
from assay.store.record_tables import table_of
from assay.store.tables import METADATA
from assay.store.upserts import upsert_records
from tests.store.rows import AGENT_RUN, EVIDENCE, SCOUTED, any_row, contents


def test_rows_of_every_table_come_back_as_they_were_given(connection: sa.Connection) -> None:
    for table in METADATA.tables.values():
        rows = [any_row(table), any_row(table, "-other")]
        insert_rows(connection, table, rows)
        assert contents(connection, table) == rows, table.name


def test_nothing_where_nothing_may_be_comes_back_as_nothing(connection: sa.Connection) -> None:
    for table in METADATA.tables.values():
        row = any_row(table)
        row.update({column.name: None for column in table.columns if column.nullable})
        insert_rows(connection, table, [row])
        assert contents(connection, table) == [row], table.name


@pytest.mark.parametrize(
    "body", [{}, {"č": "%s ? :x %(y)s \\ ' \""}, {"deep": [1, 2.5, None, True, {"a": []}]}]
)
def test_json_comes_back_as_it_was_given(
    connection: sa.Connection, body: dict[str, object]
) -> None:
    rows = [{**any_row(t.event), "body": body}]
    insert_rows(connection, t.event, rows)
    assert contents(connection, t.event) == rows


def test_texts_with_the_drivers_own_signs_come_back_as_they_were(
    connection: sa.Connection,
) -> None:
    document = r.Document(doc_id="%s", source_slug="?", url=":url", title="%(title)s %% '; --")
    upsert_records(connection, [document])
    assert contents(connection, t.document) == [document.row()]


def test_more_rows_than_fit_into_one_statement_are_all_written(connection: sa.Connection) -> None:
    rows = [{**any_row(t.event), "event_id": f"e{n:05}"} for n in range(2 * CHUNK + 1)]
    insert_rows(connection, t.event, rows)
    assert contents(connection, t.event) == rows
    insert_rows(connection, t.event, [])


def test_a_row_that_is_there_already_is_refused_or_left_alone_as_asked(
    connection: sa.Connection,
) -> None:
    old, new = any_row(t.document), any_row(t.document, "-other")
    insert_rows(connection, t.document, [old])
    insert_new_rows(connection, t.document, ("doc_id",), [{**old, "title": "changed"}, new])
    assert contents(connection, t.document) == [old, new]
    with pytest.raises(IntegrityError):
        insert_rows(connection, t.document, [old])


def test_a_row_without_one_of_its_columns_is_refused(connection: sa.Connection) -> None:
    row = any_row(t.document)
    del row["title"]
    with pytest.raises((KeyError, ProgrammingError)):
        insert_rows(connection, t.document, [row])


STORED = [
    r.Source(source_slug="s", name="n", base_url="u", packs=["b", "a"], active=False),
    EVIDENCE,
    SCOUTED.model_copy(update={"needs_ocr": True, "boilerplate_ratio": 1 / 3}),
    DeadLetter(
        job_id="j", stage="s", run_id="r", payload={"a": ["č"]}, attempt=1, error_code="c",
        error_class="INTERNAL", error_message="m", died_ms=1,
    ),
    AGENT_RUN,
    AGENT_RUN.model_copy(update={"items_produced": 3}),
    AgentRun(agent_run_id="a2", run_id="r", job_id="j", stage="s", failure=Failure.TIMEOUT),
]  # fmt: skip


@pytest.mark.parametrize("record", STORED, ids=lambda record: type(record).__name__)
def test_a_stored_record_comes_back_as_it_was(connection: sa.Connection, record: r.Record) -> None:
    upsert_records(connection, [record])
    (row,) = contents(connection, table_of(type(record)))
    back = type(record).from_row(row)
    assert back == record
    assert back.row() == record.row()
    assert back.model_copy() == record
