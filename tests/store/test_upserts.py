"""The same records, however often and in whatever order, give the same rows."""

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InternalError
from assay.model import records as r
from assay.model.agent_runs import AgentRun, Failure
from assay.model.storage import storage_of
from assay.store import tables as t
from assay.store.record_tables import CORE_RECORDS, table_of
from assay.store.upserts import upsert_records
from tests.store.rows import AGENT_RUN, EVIDENCE, ITEM, SCOUTED, contents

R = TypeVar("R", bound=r.Record)

# The connection is rolled back after each example, so that one fixture may serve them all.
MODEST = settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
texts = st.sampled_from(["a", "b", "B", "č", "z", "ž", "é", "😀", "\uffff"])
moments = st.integers(0, 2**40)

documents = st.builds(
    r.Document,
    doc_id=st.sampled_from(["d1", "d2"]),
    source_slug=texts,
    url=texts,
    title=st.none() | texts,
    parent_doc_id=st.none() | texts,
    first_seen_ms=moments,
)
document_sources = st.builds(
    r.DocumentSource,
    doc_id=st.sampled_from(["d1", "d2"]),
    source_kind=st.sampled_from(["endpoint", "curated"]),
    source_ref=st.sampled_from(["x", "y"]),
    confidence=st.floats(0, 1),
    first_seen_ms=moments,
)
sightings = st.builds(
    lambda item_id, parent, first, last: ITEM.model_copy(
        update={
            "item_id": item_id,
            "url": f"http://h/{item_id}",
            "parent_doc_id": parent,
            "first_seen_ms": first,
            "last_seen_ms": last,
        }
    ),
    st.sampled_from(["it_1", "it_2"]),
    st.none() | texts,
    moments,
    moments,
)
copies = st.builds(
    lambda original: SCOUTED.model_copy(update={"duplicate_of": original}),
    st.none() | st.sampled_from(["ev_0", "ev_2", "ev_A", "ev_č"]),
)


@st.composite
def told_again(draw: st.DrawFn, records: st.SearchStrategy[R]) -> tuple[list[R], list[R]]:
    """Records, and the same ones in another order with some of them repeated."""
    once = draw(st.lists(records, min_size=1, max_size=8))
    repeated = draw(st.lists(st.sampled_from(once), max_size=6))
    return once, draw(st.permutations(once + repeated))


def stored(
    connection: sa.Connection, records: Sequence[r.Record], *, at_once: bool
) -> list[dict[str, Any]]:
    """The rows after storing, one by one or together; nothing of it stays."""
    for batch in [records] if at_once else [[record] for record in records]:
        upsert_records(connection, batch)
    rows = contents(connection, table_of(type(records[0])))
    connection.rollback()
    return rows


def assert_order_blind(
    connection: sa.Connection, told: tuple[Sequence[r.Record], Sequence[r.Record]]
) -> list[dict[str, Any]]:
    once, again = told
    rows = stored(connection, once, at_once=True)
    assert stored(connection, again, at_once=True) == rows
    assert stored(connection, again, at_once=False) == rows
    return rows


@MODEST
@given(told=told_again(documents))
def test_documents_are_blind_to_order_and_repetition(
    connection: sa.Connection, told: tuple[list[r.Document], list[r.Document]]
) -> None:
    rows = assert_order_blind(connection, told)
    for row in rows:
        same = [document for document in told[0] if document.doc_id == row["doc_id"]]
        assert row["first_seen_ms"] == min(document.first_seen_ms for document in same)
        titles = [document.title for document in same if document.title is not None]
        # Code points order as UTF-8 bytes do, on whichever database.
        assert row["title"] == min(titles, default=None)
        parents = [document.parent_doc_id for document in same if document.parent_doc_id]
        assert row["parent_doc_id"] == min(parents, default=None)


@MODEST
@given(told=told_again(document_sources))
def test_places_of_a_document_are_blind_to_order_and_repetition(
    connection: sa.Connection, told: tuple[list[r.DocumentSource], list[r.DocumentSource]]
) -> None:
    rows = assert_order_blind(connection, told)
    keys = {(place.doc_id, place.source_kind, place.source_ref) for place in told[0]}
    assert len(rows) == len(keys)
    for row in rows:
        same = [
            place
            for place in told[0]
            if (place.doc_id, place.source_kind, place.source_ref)
            == (row["doc_id"], row["source_kind"], row["source_ref"])
        ]
        assert row["confidence"] == max(place.confidence for place in same)
        assert row["first_seen_ms"] == min(place.first_seen_ms for place in same)


@MODEST
@given(told=told_again(sightings))
def test_an_item_was_first_seen_at_the_earliest_and_last_at_the_latest(
    connection: sa.Connection, told: tuple[list[r.DiscoveredItem], list[r.DiscoveredItem]]
) -> None:
    for row in assert_order_blind(connection, told):
        same = [item for item in told[0] if item.item_id == row["item_id"]]
        assert row["first_seen_ms"] == min(item.first_seen_ms for item in same)
        assert row["last_seen_ms"] == max(item.last_seen_ms for item in same)


@MODEST
@given(told=told_again(copies))
def test_once_a_copy_always_a_copy_and_of_the_least_original(
    connection: sa.Connection, told: tuple[list[r.ScoutResult], list[r.ScoutResult]]
) -> None:
    (row,) = assert_order_blind(connection, told)
    named = [result.duplicate_of for result in told[0] if result.duplicate_of is not None]
    assert row["duplicate_of"] == min(named, default=None)


@MODEST
@given(
    changed=st.lists(
        st.fixed_dictionaries(
            {
                "url": texts,
                "content_hash": texts,
                "doc_id": texts,
                "source_slug": texts,
                "content_type": texts,
                "size": st.integers(0, 9),
                "fetched_ms": moments,
                "run_id": texts,
            }
        ),
        max_size=4,
    )
)
def test_evidence_stays_as_it_was_first_stored(
    connection: sa.Connection, changed: list[dict[str, Any]]
) -> None:
    rows = stored(
        connection,
        [EVIDENCE, *(EVIDENCE.model_copy(update=update) for update in changed)],
        at_once=False,
    )
    assert rows == [EVIDENCE.row()]


def test_what_is_learnt_of_evidence_later_is_added(connection: sa.Connection) -> None:
    read = EVIDENCE.model_copy(
        update={"content_class": "HTML", "primary_text_artifact_id": "ar_1", "size": 99}
    )
    reread = read.model_copy(update={"content_class": "XML", "primary_text_artifact_id": "ar_2"})
    rows = stored(connection, [EVIDENCE, read, reread], at_once=False)
    learnt = {"content_class": "HTML", "primary_text_artifact_id": "ar_2"}
    assert rows == [EVIDENCE.model_copy(update=learnt).row()]


def test_an_agent_runs_end_is_written_over_its_beginning(connection: sa.Connection) -> None:
    ended = AgentRun(
        **{
            **AGENT_RUN.model_dump(exclude={"outcome"}),
            "failure": Failure.TIMEOUT,
            "tokens_used": 7,
            "error_message": "too slow",
            "ended_ms": 9,
        }
    )
    assert stored(connection, [AGENT_RUN, ended], at_once=False) == [ended.row()]


def test_an_event_of_the_lifecycle_is_written_once(connection: sa.Connection) -> None:
    event = r.CandidateEvent(doc_id="d", seq=1, from_state="a", to_state="b", reason="first")
    other = event.model_copy(update={"reason": "second"})
    assert stored(connection, [event, other], at_once=False) == [event.row()]


def test_storing_says_how_many_records_it_took(connection: sa.Connection) -> None:
    assert upsert_records(connection, []) == 0
    assert upsert_records(connection, [EVIDENCE, SCOUTED, ITEM, EVIDENCE]) == 4


def test_more_records_than_fit_into_one_statement_are_all_stored(
    connection: sa.Connection,
) -> None:
    many = [r.Document(doc_id=f"d{n:04}", source_slug="s", url=f"u{n}") for n in range(1201)]
    upsert_records(connection, many)
    count = connection.execute(sa.select(sa.func.count()).select_from(t.document)).scalar()
    assert count == 1201


def test_tables_and_rows_are_locked_in_one_order_whatever_the_order_of_the_records(
    connection: sa.Connection,
) -> None:
    told: list[tuple[str, list[str]]] = []

    @sa.event.listens_for(connection, "before_cursor_execute")
    def note(_c: Any, _cursor: Any, statement: str, given: Any, _x: Any, many: bool) -> None:
        rows = given if many else [given]
        keys = [next(iter(row.values())) if isinstance(row, dict) else row[0] for row in rows]
        told.append((statement.split()[2], keys))

    records: list[r.Record] = [
        SCOUTED.model_copy(update={"evidence_id": "ev_2"}),
        EVIDENCE,
        SCOUTED,
        r.Document(doc_id="d2", source_slug="s", url="u"),
        r.Document(doc_id="d1", source_slug="s", url="u"),
    ]
    upsert_records(connection, records)
    first = list(told)
    told.clear()
    upsert_records(connection, records[::-1])
    assert first == told
    assert [name for name, _ in told] == ["documents", "evidence", "scout_results"]
    assert [keys for _, keys in told] == [["d1", "d2"], ["ev_1"], ["ev_1", "ev_2"]]


def test_a_record_without_a_table_is_refused(connection: sa.Connection) -> None:
    class Stray(r.Record):
        name: str

    with pytest.raises(InternalError, match=r"Stray has no table\. Declare it"):
        upsert_records(connection, [Stray(name="x")])


@pytest.mark.parametrize("record", CORE_RECORDS, ids=lambda record: record.__name__)
def test_a_record_fits_its_table_and_its_key_is_the_tables(record: type[r.Record]) -> None:
    storage, table = storage_of(record), table_of(record)
    columns = set(table.columns.keys())
    fields = set(record.model_fields) | set(record.model_computed_fields)
    assert fields - {"failure"} == columns
    assert storage.key == tuple(column.name for column in table.primary_key)
    assert set(storage.merge) <= columns - set(storage.key)
