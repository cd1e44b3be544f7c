"""What a contract does not declare is refused, and nothing of it is stored."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from assay.app import App
from assay.app.installed_packs import load_all_packs
from assay.app.pipeline import build_pipeline
from assay.app.tools import build_tools
from assay.engine.commit import Committer
from assay.engine.contract import (
    BoundStage,
    Failed,
    NextJob,
    Outcome,
    Pipeline,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.engine.retries import RetryAction
from assay.errors import ContentEmpty, ContractViolation, ErrorClass, StartupRefused
from assay.events import RunResumed, RunStarted
from assay.model.lifecycle import CandidateState, Move
from assay.model.records import Document, Evidence, Source
from assay.settings import Settings
from assay.store import tables as t
from tests.engine import toy
from tests.engine.hand import all_rows, drain
from tests.engine.toy import GROW, PLANT, REAP, Named, grow, plant, reap, rows, sow
from tests.spine.sites import SINK, sinking_pack

MakeApp = Callable[..., App]
DOCUMENT = Document(doc_id="x", source_slug="toy", url="http://toy.test/x")


async def reads_undeclared(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    await read.get(Source, "toy")
    return [Outcome() for _ in jobs]


async def reads_undeclared_and_hides_it(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    with suppress(ContractViolation):
        await read.get(Source, "toy")
    return [Outcome(records=(DOCUMENT,)) for _ in jobs]


async def reads_bytes(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    await read.blob("0" * 64)
    return [Outcome() for _ in jobs]


async def writes_undeclared(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    source = Source(source_slug="sneaked", name="", base_url="")
    return [Outcome(records=(DOCUMENT, source)) for _ in jobs]


async def leaves_undeclared_last_words(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    source = Source(source_slug="sneaked", name="", base_url="")
    return [Failed(ValueError("x"), last=Outcome(records=(source,))) for _ in jobs]


async def schedules_undeclared(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    return [Outcome(records=(DOCUMENT,), next=(NextJob("plant", toy.Seed(count=1)),)) for _ in jobs]


async def schedules_wrong_payload(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    return [Outcome(records=(DOCUMENT,), next=(NextJob("reap", toy.Seed(count=1)),)) for _ in jobs]


async def answers_too_little(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    return []


async def tells_no_event(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    return [Outcome(records=(DOCUMENT,), events=("happened",)) for _ in jobs]  # type: ignore[arg-type]


async def names_bytes_it_does_not_bring(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
    evidence = Evidence(
        evidence_id="ev",
        url="http://toy.test/x",
        content_hash="f" * 64,
        doc_id="x",
        source_slug="toy",
        content_type="",
        size=1,
    )
    return [Outcome(records=(DOCUMENT, evidence)) for _ in jobs]


BAD = [
    reads_undeclared,
    reads_undeclared_and_hides_it,
    reads_bytes,
    writes_undeclared,
    leaves_undeclared_last_words,
    schedules_undeclared,
    schedules_wrong_payload,
    answers_too_little,
    tells_no_event,
    names_bytes_it_does_not_bring,
]


@pytest.mark.parametrize("function", BAD, ids=lambda function: function.__name__)
def test_a_stage_that_breaks_its_contract_stores_nothing(
    settings: Settings, make_app: MakeApp, function: StageFunction
) -> None:
    app = make_app(settings, pipeline=toy.toy_pipeline(grow_with=function))
    sow(app, 3)
    drain(app)
    letters = all_rows(app, t.dead_letter)
    assert {letter["error_code"] for letter in letters} == {"contract_violation"}
    assert [letter["attempt"] for letter in letters] == [2, 2, 2]
    for table in (t.document, t.source, t.evidence, t.candidate):
        assert rows(app, table) == 0
    assert {job["stage"] for job in all_rows(app, t.job)} == {"plant", "grow"}


def test_a_move_without_the_right_to_it_is_refused(settings: Settings, make_app: MakeApp) -> None:
    async def moves_it(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [Outcome(moves=(Move("x", CandidateState.READY, ""),)) for _ in jobs]

    silent = replace(GROW, writes=frozenset({Document}))
    app = make_app(
        settings,
        pipeline=Pipeline(
            [BoundStage(PLANT, plant), BoundStage(silent, moves_it), BoundStage(REAP, reap)]
        ),
    )
    sow(app, 1)
    drain(app)
    assert all_rows(app, t.dead_letter)[0]["error_code"] == "contract_violation"
    assert rows(app, t.candidate) == 0


def test_what_a_stage_makes_of_an_error_is_held_to_its_contract(
    settings: Settings, make_app: MakeApp
) -> None:
    def sneaks(job: Named, error: Exception) -> Outcome:
        return Outcome(records=(Source(source_slug="sneaked", name="", base_url=""),))

    async def empty(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [Failed(ContentEmpty("Nothing.")) for _ in jobs]

    scout = replace(GROW, name="scout", on_error={ErrorClass.CONTENT: sneaks})
    start = replace(PLANT, next=frozenset({"scout"}), payload=Named)

    async def begin(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        return [Outcome(next=(NextJob("scout", job),)) for job in jobs]

    app = make_app(
        settings,
        pipeline=Pipeline(
            [BoundStage(start, begin), BoundStage(scout, empty), BoundStage(REAP, reap)]
        ),
    )
    with app.engine.begin() as connection:
        app.book.schedule(connection, [NewJob("plant", Named(name="x"), toy.RUN)], 0)
    drain(app)
    assert all_rows(app, t.dead_letter)[0]["error_code"] == "contract_violation"
    assert rows(app, t.source) == 0


def test_a_database_that_is_away_for_a_while_costs_no_attempt(
    settings: Settings, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Committer.commit
    away = [3]

    def sometimes(self: Committer, *given: Any, **named: Any) -> int:
        if away[0]:
            away[0] -= 1
            raise OperationalError("COMMIT", {}, sqlite3.OperationalError("database is locked"))
        return commit(self, *given, **named)

    monkeypatch.setattr(Committer, "commit", sometimes)
    app = make_app(settings, pipeline=toy.toy_pipeline())
    sow(app, 3)
    drain(app)
    toy.check_books(app, 3)


def test_one_bad_document_does_not_sink_its_batch(settings: Settings, make_app: MakeApp) -> None:
    async def mostly(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        if any(job.name == "d0003" for job in jobs):
            raise RuntimeError("d0003 is cursed")
        return await grow(jobs, read)

    app = make_app(settings, pipeline=toy.toy_pipeline(grow_with=mostly))
    sow(app, 8)
    drain(app)
    assert rows(app, t.document) == 7
    (letter,) = all_rows(app, t.dead_letter)
    assert letter["job_id"] == "grow.1:d0003"
    assert letter["error_code"] == "stage_crashed"
    assert "cursed" in letter["error_message"]


def test_a_result_that_cannot_be_stored_fails_alone(settings: Settings, make_app: MakeApp) -> None:
    async def skips_an_arrow(jobs: Sequence[Named], read: Reader) -> Sequence[Result]:
        wrong = Outcome(moves=(Move("d0001", CandidateState.SKIPPED, "no such arrow"),))
        grown = await grow(jobs, read)
        return [
            wrong if job.name == "d0001" else result
            for job, result in zip(jobs, grown, strict=True)
        ]

    app = make_app(settings, pipeline=toy.toy_pipeline(grow_with=skips_an_arrow))
    sow(app, 5)
    drain(app)
    (letter,) = all_rows(app, t.dead_letter)
    assert (letter["job_id"], letter["error_code"]) == ("grow.1:d0001", "illegal_transition")
    assert rows(app, t.document) == 4
    assert rows(app, t.document_source) == 4


def _refused(*stages: Stage, **parts: tuple[type, ...]) -> str:
    functions: dict[str, StageFunction] = {"plant": plant, "grow": grow, "reap": reap}
    with pytest.raises(StartupRefused) as refused:
        Pipeline([BoundStage(stage, functions.get(stage.name, grow)) for stage in stages], **parts)
    return str(refused.value)


def test_start_up_refuses_what_does_not_fit_together() -> None:
    assert "leads to reap" in _refused(PLANT, GROW)
    assert "called grow" in _refused(PLANT, GROW, GROW, REAP)
    reader = replace(REAP, reads=frozenset({Source}))
    assert "reads Source, which no stage writes" in _refused(PLANT, GROW, reader)
    lonely = replace(REAP, name="lonely")
    assert "reaches stage lonely" in _refused(PLANT, GROW, REAP, lonely)


def test_start_up_refuses_handling_without_a_handler() -> None:
    unhandled = replace(GROW, on_error={ErrorClass.CONTENT: RetryAction.HANDLE})
    assert "handles CONTENT errors, but has no handler" in _refused(PLANT, unhandled, REAP)


def test_an_event_that_the_pack_of_a_stage_does_not_declare_is_refused() -> None:
    outcome = Outcome(events=(RunResumed(jobs_left=1),))
    declared = [
        BoundStage(PLANT, plant),
        BoundStage(GROW, grow, events=frozenset({RunStarted})),
        BoundStage(REAP, reap, events=frozenset({RunResumed})),
    ]
    pipeline = Pipeline(declared)
    pipeline.check(PLANT, outcome)
    pipeline.check(REAP, outcome)
    with pytest.raises(ContractViolation, match="grow tried to emit RunResumed"):
        pipeline.check(GROW, outcome)


def test_a_stage_of_a_pack_may_emit_the_events_of_its_pack() -> None:
    packs = {"regulatory": replace(sinking_pack(), events=(RunResumed,))}
    pipeline = build_pipeline(build_tools(Settings()), packs)
    pipeline.check(SINK, Outcome(events=(RunResumed(jobs_left=1),)))
    with pytest.raises(ContractViolation, match="tried to emit RunStarted"):
        pipeline.check(SINK, Outcome(events=(RunStarted(label="", jobs=1),)))


def test_the_spine_fits_together() -> None:
    pipeline = build_pipeline(build_tools(Settings()), load_all_packs())
    names = [stage.name for stage in pipeline.stages]
    assert names == [
        "sentinel", "listing", "fetch", "history", "intake", "scout", "router", "ocr", "extract",
        "compose", "apply", "review", "arbiter", "release", "embed", "notice", "deliver",
        "civic_sync", "civic_document",
        "civic_texts", "civic_process", "civic_batch", "civic_result", "literature_list",
        "literature_piece", "literature_record", "literature_identity", "literature_resolve",
        "literature_text", "literature_index", "law_act",
        "law_statute",
    ]  # fmt: skip


def test_payloads_are_frozen_and_take_nothing_undeclared() -> None:
    with pytest.raises(ValueError):
        Named(name="x", text="no text in payloads")  # type: ignore[call-arg]
    payload = Named(name="x")
    with pytest.raises(ValueError):
        payload.name = "y"
