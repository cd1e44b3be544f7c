"""The router on a real store: what it leaves behind, and that nothing which waits is lost."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.app import App, runs
from assay.app.models import open_ledger
from assay.app.sources import describe_source
from assay.app.status import collect_status
from assay.errors import AuthError
from assay.governor.health import HOUR_MS, HealthLevel, pause_health
from assay.governor.standings import pause_source, unpause_source
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.limits import UNLIMITED
from assay.llm.scope import CallSettlement, CallState, Denial, Permit, UsageBasis
from assay.model.bookkeeping import SourceHealth
from assay.model.lifecycle import CandidateState, Move
from assay.settings import Settings
from assay.spine.payloads import RouterJob
from assay.store import tables as t
from assay.store.dump import dump_canonical
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.engine.hand import all_rows, drain
from tests.spine.routes import LOCAL, MIDNIGHT, NOON, PACK, Office, call, opened

MakeApp = Callable[..., App]
Open = Callable[..., Office]


@pytest.fixture
def office(make_app: MakeApp, settings: Settings) -> Open:
    def make(*providers: ScriptedProvider, **changed: Any) -> Office:
        return opened(make_app, settings, *providers, **changed)

    return make


@pytest.fixture
def desk(make_app: MakeApp, home: Path) -> Office:
    """Without a provider, on SQLite, for what no database makes a difference to."""
    return opened(make_app, quick_settings(home))


def record(office: Office, source: str = "gazette", **fields: Any) -> None:
    given: dict[str, Any] = {"source_slug": source, "window_start_ms": NOON, **fields}
    with office.app.engine.begin() as connection:
        upsert_records(connection, [SourceHealth(**given)])


def dump(office: Office) -> bytes:
    with office.app.engine.connect() as connection:
        return b"".join(dump_canonical(connection))


def test_every_decision_is_kept_with_its_reason(desk: Office) -> None:
    desk.take_in("law", 0.9)
    desk.take_in("menu", 0.1)
    desk.take_in("copy", 0.9, duplicate_of="ev_law")
    desk.take_in("scan", 0.5, needs_ocr=True)
    desk.route("law", "menu", "copy", "scan")
    assert {name: desk.decision(name)["decision"] for name in ("law", "menu", "copy", "scan")} == {
        "law": "EXTRACT_LOCAL", "menu": "SKIP", "copy": "SKIP", "scan": "OCR",
    }  # fmt: skip
    assert all(row["reason"] for row in all_rows(desk.app, t.routing_decision))
    assert {row["threshold"] for row in all_rows(desk.app, t.routing_decision)} == {0.4}
    states = {row["doc_id"]: row["state"] for row in all_rows(desk.app, t.candidate)}
    assert states == {"law": "ready", "menu": "skipped", "copy": "skipped", "scan": "ready"}
    assert [job.evidence_id for job in desk.pictures] == ["ev_scan"]
    notes = {row["subject"]: row["outcome"] for row in all_rows(desk.app, t.progress)}
    assert (notes["ev_law"], notes["ev_menu"]) == ("done", "skipped")


def test_the_provider_is_named_with_the_decision(office: Open) -> None:
    desk = office(LOCAL)
    desk.take_in("law")
    desk.route("law")
    assert desk.decision("law")["provider"] == "local"


def test_a_source_is_measured_by_its_own_health(desk: Office) -> None:
    for level in HealthLevel:
        record(desk, level.name, budget_multiplier=level.multiplier)
        desk.take_in(f"at-{level.name}", level.scout_threshold, source=level.name)
        desk.take_in(f"under-{level.name}", level.scout_threshold - 0.001, source=level.name)
        desk.route(f"at-{level.name}", f"under-{level.name}", source=level.name)
        assert desk.decision(f"at-{level.name}")["decision"] == "EXTRACT_LOCAL"
        assert desk.decision(f"under-{level.name}")["decision"] == "SKIP"
        assert desk.decision(f"at-{level.name}")["threshold"] == level.scout_threshold


def test_a_run_measures_all_documents_of_a_source_alike(desk: Office) -> None:
    names = [f"d{number:02}" for number in range(30)]
    for name in names:
        desk.take_in(name, 0.9 if name < "d15" else 0.38)
    # So many successes raise the level while the run goes on; the threshold stays what it was.
    desk.route(*names[:20])
    (health,) = all_rows(desk.app, t.health)
    assert (health["budget_multiplier"], health["min_scout_score"]) == (1.5, 0.4)
    assert {desk.decision(name)["decision"] for name in names[15:20]} == {"SKIP"}
    desk.route(*names[20:])
    assert {desk.decision(name)["threshold"] for name in names[20:]} == {0.3}
    assert {desk.decision(name)["decision"] for name in names[20:]} == {"EXTRACT_LOCAL"}


def test_a_denied_model_keeps_no_document_from_its_pack(office: Open) -> None:
    desk = office(LOCAL, daily_tokens_per_source=1_000)
    desk.spend(950)
    desk.take_in("law")
    desk.route("law")
    decision, candidate = desk.decision("law"), desk.candidate("law")
    assert (decision["decision"], decision["provider"]) == ("EXTRACT_LOCAL", "local")
    assert (decision["denial"], decision["retry_ms"]) == (None, None)
    assert "50 of the day's 1000" in decision["reason"]
    assert candidate["state"] == "ready"
    assert [(job.evidence_id, job.provider) for job in desk.handed_on] == [("ev_law", "local")]


def test_what_waits_for_a_model_is_handed_on_after_midnight(office: Open) -> None:
    desk = office(LOCAL, daily_tokens_per_source=1_000)
    desk.spend(950)
    desk.take_in("law")
    desk.route("law")
    desk.deny("law", Denial.SOURCE_DAILY_CAP_EXCEEDED, MIDNIGHT)
    before = dump(desk)
    desk.clock.turn(seconds=12 * 3600 - 1)
    desk.run()
    assert dump(desk) == before, "its time has not come"
    desk.clock.turn(seconds=1)
    desk.run()
    decision = desk.decision("law")
    assert (decision["decision"], decision["denial"]) == ("EXTRACT_LOCAL", None)
    assert (decision["retry_ms"], decision["tokens"]) == (None, None)
    assert desk.candidate("law")["state"] == "ready"
    assert [job.visit > 0 for job in desk.handed_on] == [False, True]
    assert desk.asked == [], "it is there already"
    before = dump(desk)
    desk.run()
    assert dump(desk) == before


def test_what_is_denied_day_after_day_is_never_given_up(office: Open) -> None:
    desk = office(LOCAL, daily_tokens=10, candidate_retry_limit=2)
    desk.take_in("law")
    desk.route("law")
    desk.deny("law", Denial.GLOBAL_DAILY_CAP_EXCEEDED, MIDNIGHT)
    for _ in range(5):
        desk.clock.turn(days=1)
        desk.run()
        assert desk.candidate("law")["state"] == "blocked"
        assert desk.candidate("law")["retry_count"] == 0
        assert desk.decision("law")["tokens"] == 100
    assert desk.history("law") == ["ready", *["blocked"] * 6]
    assert len(desk.handed_on) == 1, "the pack has it already"


@pytest.mark.parametrize(
    ("denial", "reason", "over"),
    [
        (Denial.SOURCE_DAILY_CAP_EXCEEDED, "spent", "raised"),
        (Denial.CIRCUIT_OPEN, "latched", "closed"),
        (Denial.SOURCE_IN_COOLDOWN, "paused", "unpaused"),
        (Denial.CIRCUIT_OPEN, "latched", "without models"),
    ],
)
def test_the_next_run_goes_on_when_the_reason_is_over(
    office: Open, denial: Denial, reason: str, over: str
) -> None:
    desk = office(LOCAL)
    ledger, engine = open_ledger(desk.app), desk.app.engine
    if reason == "spent":
        desk.spend(49_950)
    elif reason == "paused":
        pause_source(engine, "gazette", "by hand", None, now_ms=NOON)
    else:
        permit = ledger.reserve(call(LOCAL))
        assert isinstance(permit, Permit)
        refused = AuthError("The key is refused.")
        ledger.settle(permit.call_id, UNLIMITED, CallSettlement(
            state=CallState.FAILED, basis=UsageBasis.NOTHING, error=refused,
        ))  # fmt: skip
    desk.take_in("law")
    desk.route("law")
    desk.deny("law", denial, NOON + 6 * HOUR_MS)
    before = dump(desk)
    desk.run()
    assert dump(desk) == before, "nothing has changed"
    if over == "raised":
        desk.cap(LOCAL, daily_tokens_per_source=50_050)
    elif over == "closed":
        ledger.close_circuit("local")
    elif over == "unpaused":
        unpause_source(engine, "gazette", now_ms=NOON)
    else:
        desk.cap()
    desk.run()
    assert len(desk.handed_on) == 2
    assert desk.candidate("law")["state"] == "ready"
    assert desk.decision("law")["denial"] is None
    assert desk.decision("law")["provider"] == (None if over == "without models" else "local")


def test_what_is_no_longer_worth_it_is_skipped_after_the_wait(office: Open) -> None:
    desk = office(LOCAL, daily_tokens=10)
    desk.take_in("law", 0.6)
    desk.route("law")
    desk.deny("law", Denial.GLOBAL_DAILY_CAP_EXCEEDED, MIDNIGHT)
    record(desk, budget_multiplier=HealthLevel.CRITICAL.multiplier)
    desk.clock.turn(days=1)
    desk.run()
    assert desk.history("law") == ["ready", "blocked", "skipped"]
    assert desk.candidate("law")["next_retry_unix"] is None


def test_a_document_that_is_routed_for_another_reason_waits_on(office: Open) -> None:
    desk = office(LOCAL)
    desk.take_in("law")
    desk.route("law")
    desk.deny("law", Denial.GLOBAL_DAILY_CAP_EXCEEDED, MIDNIGHT)
    again = RouterJob(evidence_id="ev_law", source="gazette", original="ev_near")
    runs.start_run(desk.app, first=[("router", again)])
    drain(desk.app)
    assert desk.decision("law")["denial"] == "GLOBAL_DAILY_CAP_EXCEEDED"
    assert desk.candidate("law")["state"] == "blocked"
    desk.run()
    assert desk.candidate("law")["state"] == "ready", "its reason is over"
    assert len(desk.handed_on) == 2


def test_what_is_judged_for_another_pack_is_not_handed_again_to_one_that_has_finished(
    desk: Office,
) -> None:
    desk.take_in("law")
    desk.route("law")
    desk.move(
        Move("law", CandidateState.INGESTED, "its facts were extracted", evidence_id="ev_law")
    )
    again = RouterJob(evidence_id="ev_law", source="gazette", visit=7)
    runs.start_run(desk.app, first=[("router", again)])
    drain(desk.app)
    assert len(desk.handed_on) == 1
    desk.move(Move("law", CandidateState.READY, "changed", evidence_id="ev_newer"))
    desk.move(Move("law", CandidateState.READY, "changed back", evidence_id="ev_law"))
    back = RouterJob(evidence_id="ev_law", source="gazette", visit=8)
    runs.start_run(desk.app, first=[("router", back)])
    drain(desk.app)
    assert len(desk.handed_on) == 2, "its facts must count again"


def test_what_another_worker_finishes_in_the_meantime_stands(
    desk: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A late copy: its pack finishes with it after the router has read its state."""
    desk.take_in("copy", 0.9, duplicate_of="ev_law")

    def finish() -> None:
        done = "its facts were extracted"
        desk.move(Move("copy", CandidateState.INGESTED, done, evidence_id="ev_copy"))

    monkeypatch.setattr(desk, "find_budget", finish)
    desk.route("copy")
    assert desk.candidate("copy")["state"] == "ingested"
    assert [row["error_code"] for row in all_rows(desk.app, t.progress)] == [None]
    assert "copy of ev_law" in desk.decision("copy")["reason"]


def test_a_paused_source_keeps_nothing_from_its_pack(office: Open) -> None:
    desk = office(LOCAL)
    pause_source(desk.app.engine, "gazette", "by hand", 2, now_ms=NOON)
    desk.take_in("law")
    desk.take_in("scan", needs_ocr=True)
    desk.route("law", "scan")
    assert desk.decision("law")["decision"] == "EXTRACT_LOCAL"
    assert "is paused" in desk.decision("law")["reason"]
    assert desk.decision("scan")["decision"] == "OCR", "reading pictures costs no token"
    assert [job.evidence_id for job in desk.handed_on] == ["ev_law"]


def test_a_pause_ends_at_the_very_millisecond(office: Open) -> None:
    desk = office(LOCAL)
    for late_ms, is_paused in ((-1, True), (0, False)):
        name, engine = f"s{late_ms}", desk.app.engine
        pause_source(engine, name, "by hand", 1, now_ms=NOON - HOUR_MS - late_ms)
        desk.take_in(name, source=name)
        desk.route(name, source=name)
        assert ("is paused" in desk.decision(name)["reason"]) == is_paused


def test_what_waits_for_the_end_of_a_pause_is_not_asked_for_a_moment_too_early(
    office: Open,
) -> None:
    desk = office(LOCAL)
    # Not a whole second.
    ends_ms = NOON + 500 + 2 * HOUR_MS
    record(desk)
    with desk.app.engine.begin() as connection:
        health = pause_health(SourceHealth(source_slug="gazette"), "by hand", NOON + 500, 2)
        upsert_records(connection, [health])
    desk.take_in("law")
    desk.route("law")
    desk.deny("law", Denial.SOURCE_IN_COOLDOWN, ends_ms)
    desk.clock.turn(seconds=7200)
    desk.run()
    assert desk.candidate("law")["state"] == "blocked"
    desk.clock.turn(seconds=1)
    desk.run()
    assert desk.candidate("law")["state"] == "ready"


def test_what_ocr_could_not_read_comes_back_through_the_router(office: Open) -> None:
    desk = office()
    desk.refuse_ocr = True
    desk.take_in("scan", needs_ocr=True)
    desk.route("scan")
    assert desk.candidate("scan")["state"] == "blocked"
    desk.refuse_ocr = False
    desk.clock.turn(days=14)
    desk.run()
    assert desk.candidate("scan")["state"] == "ready"
    assert [job.visit > 0 for job in desk.pictures] == [False, True]
    assert desk.asked == []


def test_what_was_never_had_is_fetched_again(desk: Office) -> None:
    desk.take_in("law")
    desk.route("law")
    desk.move(Move("gone", CandidateState.BLOCKED, "answered 404"))
    with desk.app.engine.begin() as connection:
        connection.execute(t.item.insert().values(
            item_id="it_gone", endpoint_id="e", source_slug="gazette", url="http://x.test/gone",
            doc_id="gone", first_seen_ms=0, last_seen_ms=0, run_id="",
        ))  # fmt: skip
    desk.clock.turn(days=14)
    desk.run()
    assert desk.asked == ["it_gone"]


def test_an_older_version_moves_nobody(office: Open) -> None:
    desk = office(LOCAL)
    desk.take_in("law", 0.1)
    desk.move(Move("law", CandidateState.READY, "changed", evidence_id="ev_newer"))
    desk.route("law")
    assert desk.decision("law")["decision"] == "SKIP"
    assert desk.candidate("law")["state"] == "ready"


def test_evidence_that_nobody_judged_is_no_crash(desk: Office) -> None:
    desk.route("unheard-of")
    assert "scout has not judged it" in desk.decision("unheard-of")["reason"]


def test_a_provider_without_its_key_stops_nobody(
    make_app: MakeApp, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay.app")
    cloud = {"kind": "openai", "model": "large", "key_env": "NO_SUCH_KEY"}
    app = make_app(quick_settings(home, providers={"gpt": cloud}))
    assert app.budget_view is None
    app.log_providers()
    assert "Models that may be called: none." in caplog.text
    assert "Provider 'gpt' is not used" in caplog.text
    local = {"kind": "ollama", "model": "small"}
    both = make_app(quick_settings(home, providers={"gpt": cloud, "local": local}))
    assert both.budget_view is not None
    assert [provider.name for provider in both.budget_view.providers] == ["local"]


def test_what_no_pack_watches_is_skipped_with_that_reason(desk: Office) -> None:
    desk.take_in("law", 0.9, pack="")
    desk.take_in("scan", 0.5, pack="", needs_ocr=True)
    desk.route("law", "scan")
    for name in ("law", "scan"):
        assert desk.decision(name)["decision"] == "NO_PACK"
        assert desk.candidate(name)["state"] == "skipped"
        (*_, event) = [
            row for row in all_rows(desk.app, t.candidate_event) if row["doc_id"] == name
        ]
        assert event["reason"] == "no pack watches this source"
    assert (desk.handed_on, desk.pictures) == ([], [])
    assert collect_status(desk.app)["routing"] == {"NO_PACK": 2}
    assert describe_source(desk.app, "gazette")["routing"] == {"NO_PACK": 2}


def test_a_pack_gets_what_it_accepts_and_one_that_is_missing_is_waited_for(desk: Office) -> None:
    desk.take_in("law", 0.9)
    desk.take_in("other", 0.9, source="council", pack="civic")
    desk.route("law")
    desk.route("other", source="council")
    assert [(job.evidence_id, job.pack) for job in desk.handed_on] == [("ev_law", PACK)]
    assert desk.decision("other")["decision"] == "NO_PACK"
    candidate = desk.candidate("other")
    assert candidate["state"] == "blocked"
    assert candidate["last_error"].endswith("but the pack 'civic' is not installed")
    assert collect_status(desk.app)["blocked"] == {"NO_PACK": 1}
