"""The audit log: whatever is altered, taken out or put in is found, on both databases."""

import secrets
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.model.audit import GENESIS, AuditNote, compute_entry_hash
from assay.store import audit, guards, schema
from assay.store.database import open_engine
from assay.store.truth import audit_head, audit_log
from tests.waiting import PATIENCE_S

Edit = Callable[[sa.Connection], Any]
SQLITE_ONLY = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def note(subject: str, action: str = "rule_created", **more: Any) -> AuditNote:
    given: dict[str, Any] = {"subject_kind": "rule", "actor": "stage:apply", **more}
    return AuditNote(action=action, subject=subject, **given)


def filled(engine: sa.Engine, count: int = 5) -> None:
    for number in range(count):
        with engine.begin() as connection:
            audit.append_notes(
                connection, [note(f"rl_{number}", body={"n": number})], number, run_id="r"
            )


def found(engine: sa.Engine) -> audit.AuditCheck:
    with engine.connect() as connection:
        return audit.verify_chain(connection)


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def log(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[sa.Engine]:
    """A store with five entries, made once: whoever changes anything takes it back."""
    if request.param == "sqlite":
        engine = open_engine(f"sqlite:///{tmp_path_factory.mktemp('log') / 'store.db'}")
        schema.migrate(engine)
        filled(engine)
        yield engine
        engine.dispose()
        return
    server: str = request.getfixturevalue("postgres_server")
    name = f"assay_log_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        engine = open_engine(server.replace("/postgres?", f"/{name}?"))
        schema.migrate(engine)
        filled(engine)
        yield engine
        engine.dispose()
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def tampered(engine: sa.Engine, edit: Edit | sa.Executable) -> audit.AuditCheck:
    """What checking finds when somebody has lifted the guards and changed something.

    All of it is taken back afterwards.
    """
    with engine.connect() as connection:
        guards.lift_guards(connection)
        if callable(edit):
            edit(connection)
        else:
            connection.execute(edit)
        checked = audit.verify_chain(connection)
        connection.rollback()
    assert found(engine).ok
    return checked


def one(seq: int) -> sa.ColumnElement[bool]:
    return audit_log.c.seq == seq


def copied(connection: sa.Connection, which: int, **changed: Any) -> dict[str, Any]:
    row = connection.execute(sa.select(audit_log).where(one(which))).mappings().one()
    return {**row, **changed}


def test_an_empty_log_is_whole(engine: sa.Engine) -> None:
    assert found(engine) == audit.AuditCheck(0, GENESIS, ())


def test_each_entry_carries_the_hash_of_the_one_before(log: sa.Engine) -> None:
    with log.connect() as connection:
        rows = list(audit.read_entries(connection))
        head = audit.read_head(connection)
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["previous_hash"] for row in rows] == [GENESIS, *(row["hash"] for row in rows[:-1])]
    assert all(
        row["hash"] == compute_entry_hash(row["previous_hash"], row["seq"], row) for row in rows
    )
    assert head == audit.AuditHead(5, rows[-1]["hash"])
    assert found(log) == audit.AuditCheck(5, head.hash, ())


def test_the_same_note_is_written_once_and_what_may_recur_each_time(engine: sa.Engine) -> None:
    again = note("rl_1", "rule_published", once=False, body={"v": 1})
    with engine.begin() as connection:
        assert audit.append_notes(connection, [note("rl_1"), note("rl_1"), again, again], 1) == 3
    with engine.begin() as connection:
        assert audit.append_notes(connection, [note("rl_1"), again], 2) == 1
        assert audit.append_notes(connection, [note("rl_1", body={"other": 1})], 3) == 1
        assert audit.append_notes(connection, [], 3) == 0
    assert found(engine).entries == 5
    assert found(engine).ok


def test_what_was_rolled_back_leaves_no_gap(engine: sa.Engine) -> None:
    filled(engine, 2)
    with engine.connect() as connection:
        audit.append_notes(connection, [note("rl_lost")], 9)
        connection.rollback()
    with engine.begin() as connection:
        audit.append_notes(connection, [note("rl_kept")], 10)
    assert found(engine).ok
    with engine.connect() as connection:
        assert [row["subject"] for row in audit.read_entries(connection)] == [
            "rl_0",
            "rl_1",
            "rl_kept",
        ]


ALTERED = {
    "action": "rule_rejected", "subject_kind": "conflict", "subject": "rl_9", "actor": "ana",
    "body": {"n": 99}, "run_id": "other", "at_ms": 77, "hash": "f" * 64,
    "previous_hash": "e" * 64, "audit_id": "au_x",
}  # fmt: skip


def test_an_altered_entry_is_named(log: sa.Engine) -> None:
    assert {"seq", *ALTERED} == {column.name for column in audit_log.columns}
    for column, value in ALTERED.items():
        statement = sa.update(audit_log).where(one(3)).values({column: value})
        checked = tampered(log, statement)
        assert any("entry 3" in fault for fault in checked.faults), (column, checked.faults)


def test_an_entry_that_was_taken_out_is_missed(log: sa.Engine) -> None:
    for seq in (1, 3):
        statement = sa.delete(audit_log).where(one(seq))
        checked = tampered(log, statement)
        assert checked.faults[0] == f"entry {seq} is missing"
    checked = tampered(log, sa.delete(audit_log).where(one(5)))
    assert checked.faults == ("the log ends at entry 4 instead of 5",)


def test_several_missing_entries_are_told_together(log: sa.Engine) -> None:
    checked = tampered(log, sa.delete(audit_log).where(audit_log.c.seq < 4))
    assert checked.faults[0] == "entries 1 to 3 are missing"


def test_an_emptied_log_is_seen(log: sa.Engine) -> None:
    checked = tampered(log, sa.delete(audit_log))
    assert checked.faults == ("the log ends at entry 0 instead of 5",)
    checked = tampered(log, sa.delete(audit_head))
    assert checked.faults == ("the log ends at entry 5 instead of 0",)


def test_a_forged_entry_at_the_end_is_seen(log: sa.Engine) -> None:
    def forge(connection: sa.Connection) -> None:
        row = copied(connection, 5, seq=6, audit_id="au_forged", subject="rl_forged")
        row["previous_hash"] = row["hash"]
        row["hash"] = compute_entry_hash(row["previous_hash"], 6, row)
        connection.execute(sa.insert(audit_log).values(row))

    assert tampered(log, forge).faults == ("the log ends at entry 6 instead of 5",)


def test_an_entry_before_the_first_does_not_belong(log: sa.Engine) -> None:
    def put_in(connection: sa.Connection) -> None:
        row = copied(connection, 1, seq=0, audit_id="au_early")
        row["hash"] = compute_entry_hash(GENESIS, 0, row)
        connection.execute(sa.insert(audit_log).values(row))

    assert tampered(log, put_in).faults[0] == "entry 0 does not belong to the log"


def test_two_entries_that_changed_places_are_seen(log: sa.Engine) -> None:
    def swap(connection: sa.Connection) -> None:
        for old, new in ((2, 99), (3, 2), (99, 3)):
            connection.execute(sa.update(audit_log).where(one(old)).values(seq=new))

    checked = tampered(log, swap)
    assert {"entry 2", "entry 3"} <= {" ".join(f.split()[:2]) for f in checked.faults}


def test_a_moved_end_is_seen(log: sa.Engine) -> None:
    checked = tampered(log, sa.update(audit_head).values(hash="a" * 64))
    assert checked.faults == ("the last entry, 5, is not the one that was written last",)


def test_a_new_chain_is_seen_by_a_hash_from_elsewhere(log: sa.Engine) -> None:
    kept = found(log).head
    with log.connect() as connection:
        assert audit.has_entry(connection, kept)
        assert audit.has_entry(connection, GENESIS)
        connection.rollback()
        guards.lift_guards(connection)
        connection.execute(sa.delete(audit_log))
        connection.execute(sa.delete(audit_head))
        audit.append_notes(connection, [note("rl_new", body={"n": 1})], 1)
        assert audit.verify_chain(connection).ok
        assert not audit.has_entry(connection, kept)
        connection.rollback()


LAX = (
    "body = '{broken'",
    "actor = x'ff00'",
    "at_ms = 'yesterday'",
    "seq = 'two'",
)


@SQLITE_ONLY
def test_what_only_a_lax_database_holds_is_a_fault_and_no_crash(engine: sa.Engine) -> None:
    filled(engine, 3)
    for edit in LAX:
        statement = sa.text(f"UPDATE audit_log SET {edit} WHERE seq = 2")
        checked = tampered(engine, statement)
        assert any("2" in fault or "two" in fault for fault in checked.faults), edit


def test_checking_gives_up_after_enough_faults(log: sa.Engine) -> None:
    with log.connect() as connection:
        guards.lift_guards(connection)
        connection.execute(sa.update(audit_log).values(actor="mallory"))
        assert len(audit.verify_chain(connection, most_faults=3).faults) == 3
        connection.rollback()


def test_the_guards_refuse_what_the_tests_do(log: sa.Engine) -> None:
    for statement in (sa.update(audit_log).values(actor="x"), sa.delete(audit_log)):
        with log.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="refused"):
            connection.execute(statement)


def test_the_log_of_one_subject_and_its_last_entries(engine: sa.Engine) -> None:
    filled(engine, 4)
    with engine.begin() as connection:
        audit.append_notes(connection, [note("rl_1", "rule_approved"), note("rl_1", "rule_x")], 9)
        actions = [row["action"] for row in audit.read_entries(connection, "rl_1")]
        newest = [row["action"] for row in audit.read_entries(connection, "rl_1", last=2)]
        last = [row["seq"] for row in audit.read_entries(connection, last=3)]
    assert actions == ["rule_created", "rule_approved", "rule_x"]
    assert newest == ["rule_approved", "rule_x"]
    assert last == [4, 5, 6]


def test_many_writers_make_one_chain(engine: sa.Engine) -> None:
    writers, each = 5, 6
    start = threading.Barrier(writers)
    failures: list[BaseException] = []

    def write(name: int) -> None:
        try:
            start.wait(timeout=PATIENCE_S)
            for number in range(each):
                with engine.begin() as connection:
                    mine = note(f"rl_{name}_{number}")
                    audit.append_notes(connection, [mine, note("rl_shared")], number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    assert failures == []
    checked = found(engine)
    assert checked.ok, checked.faults
    assert checked.entries == writers * each + 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), inner,
        max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.dictionaries(st.text("abcč", max_size=5), _JSON, max_size=4))
def test_any_body_hashes_the_same_when_it_is_read_back(
    engine: sa.Engine, body: dict[str, Any]
) -> None:
    with engine.begin() as connection:
        audit.append_notes(connection, [note("rl_1", body=body, once=False)], 1)
    assert found(engine).ok


def test_keys_that_are_numbers_are_hashed_as_they_are_stored(engine: sa.Engine) -> None:
    body: dict[Any, Any] = {10: "ten", 9: ("a", "tuple")}
    with engine.begin() as connection:
        audit.append_notes(connection, [note("rl_1", body=body)], 1)
        (row,) = audit.read_entries(connection)
    assert row["body"] == {"10": "ten", "9": ["a", "tuple"]}
    assert found(engine).ok
