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
from assay.ruling.rules.compose import COMPOSE
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from assay.store.changes import change_row
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain
from tests.ruling.rule_makers import a_fact, a_pointer, a_rule

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

    async def work(jobs: Sequence[Told], read: Reader) -> Sequence[Result]:
        return [outcomes[int(job.name)] for job in jobs]

    return Pipeline([BoundStage(stage, work)])


def run(make_app: MakeApp, settings: Settings, stage: Stage, *outcomes: Outcome) -> App:
    """One job for each outcome, on a store with a rule for each."""
    app = make_app(settings, pipeline=wanting(stage, *outcomes))
    with app.engine.begin() as connection:
        upsert_records(connection, [a_rule(f"r{number}", "25") for number in range(len(outcomes))])
        jobs = [NewJob(stage.name, Told(name=str(i)), "run") for i in range(len(outcomes))]
        app.book.schedule(connection, jobs, app.clock.now_ms())
    drain(app)
    return app


def changed(
    to: dict[str, Any], when: dict[str, Any] | None = None, key: str = "r0", **more: Any
) -> Outcome:
    change = Change(record=Rule, key=key, when=when or {"status": "DRAFT"}, to=to, audit=NOTE)
    return Outcome(changes=(change,), **more)


def status_of(app: App, rule_id: str = "r0") -> str:
    (found,) = [row for row in all_rows(app, truth.rule) if row["rule_id"] == rule_id]
    return str(found["status"])


CONDITIONS: list[tuple[dict[str, Any], bool]] = [
    ({"status": "DRAFT"}, True),
    ({"status": "APPROVED"}, False),
    ({"status": ("APPROVED", "DRAFT")}, True),
    ({"status": ()}, False),
    ({"approved_by": None}, True),
    ({"approved_by": ("Ana", None)}, True),
    ({"approved_by": "Ana"}, False),
    ({"status": "DRAFT", "approved_by": "Ana"}, False),
]


def test_a_change_counts_only_while_the_row_is_as_it_was_seen(
    make_app: MakeApp, settings: Settings
) -> None:
    wanted = [
        changed({"status": "PENDING_REVIEW"}, when, key=f"r{number}")
        for number, (when, _) in enumerate(CONDITIONS)
    ]
    app = run(make_app, settings, WRITER, *wanted)
    assert [status_of(app, f"r{n}") == "PENDING_REVIEW" for n in range(len(CONDITIONS))] == [
        comes_about for _, comes_about in CONDITIONS
    ]
    assert len(all_rows(app, truth.audit_log)) == 4
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
        upsert_records(connection, [a_rule("r", "25", **edited)])
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
    "change": changed({"approved_by": "Ana"}, records=(a_pointer("r0"),)),
    "empty name": changed({"approved_by": ""}),
    "version": changed({"person_version": {"value": "1"}}),
    "key": changed({"approved_key": "k"}),
}


def test_no_stage_approves_in_a_persons_name(make_app: MakeApp, settings: Settings) -> None:
    app = run(make_app, settings, WRITER, *APPROVALS.values())
    refused = [row["error_code"] for row in all_rows(app, t.dead_letter)]
    assert refused == ["contract_violation"] * len(APPROVALS)
    assert {row["status"] for row in all_rows(app, truth.rule)} == {"DRAFT"}
    assert {row["approved_by"] for row in all_rows(app, truth.rule)} == {None}
    assert all_rows(app, truth.source_pointer) == [] and all_rows(app, truth.audit_log) == []


def test_the_database_itself_refuses_what_nobody_approved(
    make_app: MakeApp, settings: Settings
) -> None:
    app = run(make_app, settings, WRITER, changed({"status": "APPROVED"}))
    assert status_of(app) == "DRAFT"
    assert len(all_rows(app, t.dead_letter)) == 1 and all_rows(app, truth.audit_log) == []
    with app.engine.begin() as connection:
        upsert_records(
            connection, [a_rule(tier, "25", tier=tier) for tier in ("T0", "T1", "T2", "T9")]
        )
    for tier in ("T0", "T1", "T9"):
        raw = sa.update(truth.rule).where(truth.rule.c.tier == tier).values(status="APPROVED")
        for by in (None, ""):
            with pytest.raises(DBAPIError), app.engine.begin() as connection:
                connection.execute(raw.values(approved_by=by))
        with app.engine.begin() as connection:
            connection.execute(raw.values(approved_by="Ana"))
        assert status_of(app, tier) == "APPROVED"
    with app.engine.begin() as connection:
        assert change_row(connection, Rule, "T2", {"status": "DRAFT"}, {"status": "APPROVED"})


def test_facts_pointers_and_the_log_stay_as_they_were_written(
    make_app: MakeApp, settings: Settings
) -> None:
    app = run(make_app, settings, WRITER, changed({"status": "PENDING_REVIEW"}))
    with app.engine.begin() as connection:
        upsert_records(connection, [a_fact("f"), a_pointer("r0")])
    for table, column in (
        (truth.candidate_fact, "quote"),
        (truth.source_pointer, "quote"),
        (truth.audit_log, "actor"),
    ):
        before = all_rows(app, table)
        assert before
        for statement in (sa.delete(table), sa.update(table).values({column: "x"})):
            with pytest.raises(DBAPIError), app.engine.begin() as connection:
                connection.execute(statement)
        assert all_rows(app, table) == before


WISHES = (
    Outcome(records=(a_pointer("r0"),)),
    changed({"status_reason": "x"}),
    Outcome(audit=(NOTE,)),
    Outcome(moves=(Move("d", CandidateState.READY, "why"),)),
    Outcome(blobs=(b"bytes",)),
    Outcome(next=(NextJob("mute", Told(name="9")),)),
)


def test_a_contract_that_writes_nothing_lets_nothing_through(
    make_app: MakeApp, settings: Settings
) -> None:
    assert COMPOSE.writes == frozenset() and COMPOSE.uses == frozenset()
    app = run(make_app, settings, MUTE, *WISHES)
    refused = [row["error_code"] for row in all_rows(app, t.dead_letter)]
    assert refused == ["contract_violation"] * len(WISHES)
    assert all_rows(app, truth.source_pointer) == [] and all_rows(app, truth.audit_log) == []
    assert {row["status_reason"] for row in all_rows(app, truth.rule)} == {""}
    assert all_rows(app, t.candidate) == [] and len(all_rows(app, t.job)) == len(WISHES)
    assert not [path for path in app.settings.blobs.rglob("*") if path.is_file()]
