"""The status of the cities: the last look, what is stored, what waits, and what failed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.app import App
from assay.engine.jobs import NewJob
from assay.model.bookkeeping import DeadLetter
from assay.packs.civic.jobs import PROCESS_STAGE, CivicJob, MatterJob
from assay.packs.civic.outputs.digest import build_digest
from assay.packs.civic.outputs.tables import TableReader
from assay.packs.civic.records import City, SyncResult, SyncStatus
from assay.packs.civic.status import describe_status
from assay.packs.civic.watches import add_watch, report_news
from assay.settings import Settings
from tests.cli.calls import answer, call, refusal
from tests.packs.civic.town import BRIDGE, CITY, PACKET, ZONING, settle_town, store
from tests.packs.civic.town import town as town


def build_letter(job_id: str, stage: str, source: str | None, **payload: Any) -> DeadLetter:
    return DeadLetter(
        job_id=job_id, stage=stage, run_id="r", source_slug=source, payload=payload, attempt=1,
        error_code="x", error_class="TRANSIENT", error_message="x", died_ms=1,
    )  # fmt: skip


def test_jobs_and_dead_letters_are_counted_by_kind(town: App) -> None:
    jobs = [
        NewJob(PROCESS_STAGE, CivicJob(banana=banana, work=MatterJob(matter_id=matter)), "r")
        for banana, matter in ((CITY, "a"), (CITY, "b"), ("otherCA", "c"))
    ]
    with town.engine.begin() as connection:
        town.book.schedule(connection, jobs, 0)
    work = {"job_type": "meeting", "meeting_id": "x"}
    store(
        town,
        build_letter("j1", "fetch", CITY),
        build_letter("j2", PROCESS_STAGE, CITY, work=work),
        build_letter("j3", "fetch", "otherCA"),
        build_letter("j4", "fetch", None),
    )
    add_watch(town.services, ["bridge"], None, None, None)
    found = describe_status(town.services, CITY)
    (city,) = found["cities"]
    assert city["waiting"] == {"matter": 2}
    assert city["dead"] == {"fetch": 1, "meeting": 1}
    assert (city["meetings"], city["items"], city["summaries"]) == (6, 5, 3)
    assert (city["last_sync"], city["result"], found["watches"]) == (None, None, 1)


def test_the_newest_result_of_a_sync_is_shown(town: App, home: Path) -> None:
    store(
        town,
        SyncResult(
            banana=CITY, run_id="b", status=SyncStatus.FAILED, error="It answered 503.", ended_ms=9
        ),
        SyncResult(banana=CITY, run_id="c", status=SyncStatus.COMPLETED, found=4, ended_ms=5),
        City(banana="adaOH", name="Ada", state="OH", vendor="v", site="s", timezone="UTC"),
    )
    found = {row["city"]: row for row in answer(home, "civic", "status")["cities"]}
    assert list(found) == ["adaOH", CITY]
    assert found[CITY]["error"] == "It answered 503." and found[CITY]["result"] == "FAILED"
    shown = call(home, "civic", "status", CITY).output
    assert "1970-01-01 00:00:00Z" in shown and "It answered 503." in shown and "adaOH" not in shown
    every = call(home, "civic", "status").output
    assert "adaOH" in every and "FAILED" in every and "0 watches." in every
    assert refusal(home, "civic", "status", "nowhereCA")[0] == 3


def test_both_databases_answer_alike(settings: Settings, make_app: Callable[..., App]) -> None:
    services = settle_town(make_app, settings).services
    add_watch(services, ["the"], None, CITY, None)
    assert [row["subject_id"] for row in report_news(services, None)] == [ZONING, BRIDGE, PACKET]
    assert report_news(services, None) == []
    (city,) = describe_status(services, None)["cities"]
    assert (city["meetings"], city["items"], city["summaries"]) == (6, 5, 3)
    (found,) = build_digest(services, "2026-04-01", CITY, None).cities
    assert [len(found.decided), len(found.upcoming), len(found.changed)] == [1, 3, 2]
    reader = TableReader(services, CITY, "2026-04-08")
    assert [len(rows) for rows in reader.read("papers")] == [3]
