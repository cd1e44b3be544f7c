"""Watches: whole words, phrases and matters, and every piece of news exactly once."""

from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.clock import TurnedClock
from assay.errors import InvalidInput, NotFound
from assay.packs.civic.portals.listed import MeetingStatus
from assay.packs.civic.records import AgendaItem
from assay.packs.civic.watches import (
    add_watch,
    list_watches,
    parse_words,
    remove_watch,
    repeat_report,
    report_news,
)
from assay.sdk.records import Record
from assay.sdk.services import Services
from tests.cli.calls import answer, call
from tests.packs.civic.town import (
    BRIDGE,
    CITY,
    HOSTILE,
    NEXT,
    PACKET,
    ZONING,
    build_item,
    build_meeting,
    list_records,
    store,
)
from tests.packs.civic.town import town as town


def watch(app: App, *words: str, **more: Any) -> str:
    given = {"matter": None, "city": None, "topic": None, **more}
    return add_watch(app.services, words, **given).watch_id


def report(app: App, since: str | None = None) -> list[tuple[str, list[str]]]:
    return [(row["subject_id"], row["news"]) for row in report_news(app.services, since)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("BRIDGE",), [BRIDGE]),
        (("bridg",), []),
        (("main street",), [BRIDGE]),
        (("street main",), []),
        (("street", "main"), [BRIDGE]),
        # A phrase is found across the end of a line, and the text of an item counts.
        (("elm street",), [HOSTILE]),
        # So do summaries, and a meeting whose items are not known.
        (("mixed-use",), [ZONING]),
        (("$2 million",), [BRIDGE]),
        (("library", "sundays"), [PACKET]),
        (("test",), []),
    ],
)
def test_whole_words_and_phrases_are_found(
    town: App, words: tuple[str, ...], found: list[str]
) -> None:
    watch(town, *words)
    assert [subject for subject, _ in report(town)] == found


def test_quotation_marks_make_a_phrase() -> None:
    assert parse_words(['bridge "Main  Street" bridge']) == ["bridge", "main street"]
    assert parse_words(["Main Street", "", "x"]) == ["main street", "x"]
    assert parse_words(['"unclosed phrase']) == ["phrase", "unclosed"]


def test_everything_is_announced_once_and_later_news_once_more(town: App) -> None:
    watch(town, "bridge")
    watch(town, matter=f"{CITY}_26-14")
    assert report(town) == [
        (BRIDGE, ["on the agenda"]),
        (ZONING, ["decided", "on the agenda"]),
    ]
    assert report(town) == []
    changed = build_meeting(NEXT, "2026-04-29T16:30", earlier_starts=["2026-04-28T16:30"])
    store(town, changed, build_item(BRIDGE, "Repair of the Main Street bridge", tally="3-0"))
    assert report(town) == [(BRIDGE, ["decided", "moved to Wednesday, April 29, 2026, 4:30 PM"])]
    store(town, changed.model_copy(update={"status": MeetingStatus.CANCELLED}))
    assert isinstance(town.clock, TurnedClock)
    town.clock.turn(seconds=1)
    assert report(town) == [(BRIDGE, ["cancelled"])]
    assert report(town) == []
    again = [(row["subject_id"], row["news"]) for row in repeat_report(town.services)]
    assert again == [(BRIDGE, ["cancelled"])]


def test_an_agenda_that_is_numbered_anew_is_not_announced_again(town: App) -> None:
    watch(town, "bridge")
    watch(town, "potholes")
    assert [subject for subject, _ in report(town)] == [BRIDGE, HOSTILE]
    (bridge, pothole) = (
        record
        for record in list_records()
        if isinstance(record, AgendaItem) and record.item_id in (BRIDGE, HOSTILE)
    )
    store(
        town,
        bridge.model_copy(update={"withdrawn": True}),
        pothole.model_copy(update={"withdrawn": True}),
        bridge.model_copy(update={"item_id": f"{NEXT}_8", "number": "8"}),
        pothole.model_copy(update={"item_id": f"{NEXT}_9", "number": "9"}),
    )
    assert report(town) == []
    store(town, bridge.model_copy(update={"item_id": f"{NEXT}_8", "withdrawn": True}))
    assert [news for _, news in report(town)] == [["withdrawn"]]


def test_a_city_a_topic_and_a_day_narrow_a_watch(town: App) -> None:
    watch(town, "the", topic="zoning")
    watch(town, "council", city=CITY)
    assert report(town, "2026-04-08") == []
    assert report(town) == [(ZONING, ["decided", "on the agenda"])]
    # Words are looked for in the meetings of the last 90 days.
    assert isinstance(town.clock, TurnedClock)
    town.clock.turn(days=200)
    watch(town, "library")
    assert report(town) == []
    assert report(town, "2026-05-01") == [(PACKET, ["on the agenda"])]


def test_a_crash_after_the_record_announces_nothing_twice(
    town: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(town, "bridge")
    services, write = town.services, town.services.write_records

    def write_and_crash(records: list[Record]) -> None:
        write(records)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(services, "write_records", write_and_crash)
        with pytest.raises(KeyboardInterrupt):
            report_news(services, None)
    assert report(town) == []
    # Yet it is not lost.
    assert [row["subject_id"] for row in repeat_report(services)] == [BRIDGE]


def test_of_two_reports_at_once_only_one_gets_the_news(
    town: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(town, "bridge")
    services, write = town.services, town.services.write_records
    other: list[Any] = []

    def write_after_another(records: list[Record]) -> None:
        monkeypatch.setattr(services, "write_records", write)
        other.extend(report_news(services, None))
        write(records)

    monkeypatch.setattr(services, "write_records", write_after_another)
    assert report_news(services, None) == [] and len(other) == 1


def test_a_watch_that_is_removed_and_added_again_stays_the_same(town: App) -> None:
    services: Services = town.services
    watch_id = watch(town, "bridge")
    assert report(town) != [] and watch(town, "Bridge") == watch_id
    remove_watch(services, watch_id)
    assert list_watches(services) == []
    with pytest.raises(NotFound):
        remove_watch(services, watch_id)
    assert watch(town, "bridge") == watch_id and len(list_watches(services)) == 1
    assert report(town) == []


def test_a_watch_that_could_never_find_anything_is_refused(town: App) -> None:
    with pytest.raises(InvalidInput, match="needs words or a matter"):
        watch(town, " ")
    with pytest.raises(InvalidInput, match="needs words or a matter"):
        watch(town, "x", matter=f"{CITY}_26-14")
    with pytest.raises(NotFound, match="no matter"):
        watch(town, matter="none")
    with pytest.raises(NotFound, match="no city"):
        watch(town, "x", city="elsewhereCA")
    with pytest.raises(InvalidInput, match="not a topic"):
        watch(town, "x", topic="bridges")
    with pytest.raises(InvalidInput, match="not a valid date"):
        report(town, "yesterday")


def test_the_commands_say_what_they_did(town: App, home: Path) -> None:
    assert "No watches yet" in call(home, "civic", "watch", "list").output
    added = answer(home, "civic", "watch", "add", "main street", "--city", CITY)
    assert added["words"] == ["main street"]
    assert f'"main street" in {CITY}' in call(home, "civic", "watch", "list").output
    shown = call(home, "civic", "watch", "report", "--since", "2026-01-01").output
    assert "Repair of the Main Street bridge" in shown and "Staff report" in shown
    assert "Nothing new." in call(home, "civic", "watch", "report", "--since", "2026-01-01").output
    (again,) = answer(home, "civic", "watch", "report", "--again")
    assert again["summary"][0]["sources"][0]["name"] == "Staff report"
    assert answer(home, "civic", "watch", "remove", added["watch_id"])["removed"]
