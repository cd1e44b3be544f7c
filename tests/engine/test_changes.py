"""Changes that count only while a row is as it was seen, and what no stage may ever write."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from assay.app import App
from assay.engine.contract import (
    BoundStage,
    Change,
    NextJob,
    Outcome,
    Payload,
    Pipeline,
    QueueLimits,
    Result,
    Stage,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.errors import ContractViolation
from assay.model.audit import AuditNote
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import IngestCandidate
from assay.model.rules import AuditEntry, Rule, RuleEdge, SourcePointer
from assay.settings import Settings
from assay.stages.compose import COMPOSE
from assay.store import tables as t
from assay.store import truth
from assay.store.changes import change_row
from assay.store.upserts import upsert
from tests.engine.hand import all_rows, drain
from tests.rules.rule_makers import a_fact, a_pointer, a_rule

MakeApp = Callable[..., App]
NOTE = AuditNote(
    action="rule_changed", subject_kind="rule", subject="r", actor="stage:x", once=False
)


class Told(Payload):
    """One job."""

    name: str = "n"

    @property
    def subject(self) -> str:
        return self.name


WRITER = Stage(
    name="writer", version=1, payload=Told, queue=QueueLimits(), entry=True,
    writes=frozenset({Rule, SourcePointer, IngestCandidate, AuditEntry}),
)  # fmt: skip
MUTE = Stage(
    name="mute", version=1, payload=Told, queue=QueueLimits(), entry=True, writes=COMPOSE.writes
)


def wanting(stage: Stage, *outcomes: Outcome) -> Pipeline:
    """A pipeline of one stage, which wants these things, one for each job."""
    left = list(outcomes)

    async def work(jobs: Sequence[Told], read: Reader) -> Sequence[Result]:
        return [left.pop(0) for _ in jobs]

    return Pipeline([BoundStage(stage, work)])


def run(make_app: MakeApp, settings: Settings, stage: Stage, *outcomes: Outcome) -> App:
    app = make_app(settings, pipeline=wanting(stage, *outcomes))
    with app.engine.begin() as connection:
        upsert(connection, [a_rule("r", "25"), a_rule("t2", "7", tier="T2")])
        jobs = [NewJob(stage.name, Told(name=f"n{i}"), "run") for i in range(len(outcomes))]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    drain(app)
    return app


def changed(to: dict[str, Any], when: dict[str, Any] | None = None, **more: Any) -> Outcome:
    change = Change(record=Rule, key="r", when=when or {"status": "DRAFT"}, to=to, audit=NOTE)
    return Outcome(changes=(change,), **more)


def status_of(app: App, rule_id: str = "r") -> str:
    (found,) = [row for row in all_rows(app, truth.rule) if row["rule_id"] == rule_id]
    return str(found["status"])


@pytest.mark.parametrize(
    ("when", "comes_about"),
    [
        ({"status": "DRAFT"}, True),
        ({"status": "APPROVED"}, False),
        ({"status": ("APPROVED", "DRAFT")}, True),
        ({"status": ()}, False),
        ({"approved_by": None}, True),
        ({"approved_by": ("Ana", None)}, True),
        ({"approved_by": "Ana"}, False),
        ({"status": "DRAFT", "approved_by": "Ana"}, False),
    ],
    ids=str,
)
def test_a_change_counts_only_while_the_row_is_as_it_was_seen(
    make_app: MakeApp, settings: Settings, when: dict[str, Any], comes_about: bool
) -> None:
    app = run(make_app, settings, WRITER, changed({"status": "PENDING_REVIEW"}, when))
    assert status_of(app) == ("PENDING_REVIEW" if comes_about else "DRAFT")
    assert len(all_rows(app, truth.audit_log)) == comes_about
    assert all_rows(app, t.dead_letter) == []


def test_of_two_that_want_the_same_row_one_loses_and_leaves_no_trace(
    make_app: MakeApp, settings: Settings
) -> None:
    app = run(
        make_app, settings, WRITER,
        changed({"status": "PENDING_REVIEW"}), changed({"status": "DEPRECATED"}),
    )  # fmt: skip
    assert len(all_rows(app, truth.audit_log)) == 1
    assert status_of(app) in ("PENDING_REVIEW", "DEPRECATED")


def test_what_a_person_worded_is_taken_back_as_a_whole(
    make_app: MakeApp, settings: Settings
) -> None:
    app = make_app(settings, pipeline=wanting(WRITER))
    with app.engine.begin() as connection:
        edited = {"approved_by": "Ana", "person_version": {"value": "26"}}
        upsert(connection, [a_rule("r", "25", **edited)])
        assert change_row(
            connection, Rule, "r", {"approved_by": "Ana"},
            {"approved_by": None, "person_version": None},
        )  # fmt: skip
        assert change_row(
            connection, Rule, "r", {"approved_by": None}, {"person_version": {"value": "27"}}
        )
    (row,) = all_rows(app, truth.rule)
    assert (row["approved_by"], row["person_version"]) == (None, {"value": "27"})


@pytest.mark.parametrize(
    "change",
    [
        Change(record=Rule, key="r", when={}, to={"status": "DRAFT"}),
        Change(record=Rule, key="r", when={"status": "DRAFT"}, to={}),
        Change(record=Rule, key="r", when={"colour": "red"}, to={"status": "DRAFT"}),
        Change(record=Rule, key="r", when={"status": "DRAFT"}, to={"colour": "red"}),
        Change(record=Rule, key="r", when={"status": "DRAFT"}, to={"rule_id": "s"}),
        Change(record=Rule, key="r", when={"person_version": None}, to={"status": "DRAFT"}),
        Change(record=RuleEdge, key="r", when={"holds": True}, to={"holds": False}),
    ],
    ids=["no condition", "no change", "unknown condition", "unknown column", "key", "json", "keys"],
)
def test_a_change_that_could_hit_anything_is_refused(change: Change) -> None:
    stage = Stage(
        name="s", version=1, payload=Told, queue=QueueLimits(), entry=True,
        writes=frozenset({Rule, RuleEdge}),
    )  # fmt: skip
    with pytest.raises(ContractViolation):
        wanting(stage).check(stage, Outcome(changes=(change,)))


APPROVALS = {
    "record": Outcome(records=(a_rule("new", "1", approved_by="Ana"), a_pointer("new"))),
    "change": changed({"approved_by": "Ana"}, records=(a_pointer("r"),)),
    "empty name": changed({"approved_by": ""}),
    "version": changed({"person_version": {"value": "1"}}),
    "key": changed({"approved_key": "k"}),
}


@pytest.mark.parametrize("name", APPROVALS)
def test_no_stage_approves_in_a_persons_name(
    make_app: MakeApp, settings: Settings, name: str
) -> None:
    app = run(make_app, settings, WRITER, APPROVALS[name])
    assert [row["error_code"] for row in all_rows(app, t.dead_letter)] == ["contract_violation"]
    assert status_of(app) == "DRAFT"
    assert all_rows(app, truth.source_pointer) == [] and all_rows(app, truth.audit_log) == []


@pytest.mark.parametrize("tier", ["T0", "T1", "T9"])
@pytest.mark.parametrize("by", [None, ""])
def test_the_database_itself_refuses_what_nobody_approved(
    make_app: MakeApp, settings: Settings, tier: str, by: str | None
) -> None:
    app = make_app(settings, pipeline=wanting(WRITER))
    with app.engine.begin() as connection:
        upsert(connection, [a_rule("r", "25", tier=tier)])
    raw = sa.update(truth.rule).values(status="APPROVED", approved_by=by)
    with pytest.raises(DBAPIError), app.engine.begin() as connection:
        connection.execute(raw)
    with app.engine.begin() as connection:
        connection.execute(raw.values(approved_by="Ana"))
    assert status_of(app) == "APPROVED"


def test_a_stage_that_approves_a_rate_by_itself_fails_and_changes_nothing(
    make_app: MakeApp, settings: Settings
) -> None:
    app = run(make_app, settings, WRITER, changed({"status": "APPROVED"}))
    assert status_of(app) == "DRAFT"
    assert len(all_rows(app, t.dead_letter)) == 1 and all_rows(app, truth.audit_log) == []


@pytest.mark.parametrize(
    "table", [truth.candidate_fact, truth.source_pointer, truth.audit_log], ids=lambda t: t.name
)
@pytest.mark.parametrize("act", ["update", "delete"])
def test_facts_pointers_and_the_log_stay_as_they_were_written(
    make_app: MakeApp, settings: Settings, table: sa.Table, act: str
) -> None:
    app = run(make_app, settings, WRITER, changed({"status": "PENDING_REVIEW"}))
    with app.engine.begin() as connection:
        upsert(connection, [a_fact("f"), a_pointer("r")])
    before = all_rows(app, table)
    assert before
    column = next(c.name for c in table.columns if c.name in ("quote", "actor"))
    statement = sa.delete(table) if act == "delete" else sa.update(table).values({column: "x"})
    with pytest.raises(DBAPIError), app.engine.begin() as connection:
        connection.execute(statement)
    assert all_rows(app, table) == before


WISHES = {
    "a record": Outcome(records=(a_pointer("r"),)),
    "a change": Outcome(
        changes=(Change(record=Rule, key="r", when={"status": "DRAFT"}, to={"status_reason": "x"}),)
    ),
    "a note": Outcome(audit=(NOTE,)),
    "a move": Outcome(moves=(Move("d", CandidateState.READY, "why"),)),
    "bytes": Outcome(blobs=(b"bytes",)),
    "a job of its own": Outcome(next=(NextJob("mute", Told(name="more")),)),
}


@pytest.mark.parametrize("wish", WISHES)
def test_a_contract_that_writes_nothing_lets_nothing_through(
    make_app: MakeApp, settings: Settings, wish: str
) -> None:
    assert COMPOSE.writes == frozenset() and COMPOSE.uses == frozenset()
    app = run(make_app, settings, MUTE, WISHES[wish])
    assert [row["error_code"] for row in all_rows(app, t.dead_letter)] == ["contract_violation"]
    assert all_rows(app, truth.source_pointer) == [] and all_rows(app, truth.audit_log) == []
    assert {row["status_reason"] for row in all_rows(app, truth.rule)} == {""}
    assert all_rows(app, t.candidate) == [] and len(all_rows(app, t.job)) == 1
    assert not list(app.settings.blobs.rglob("*/*"))
