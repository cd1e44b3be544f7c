"""The council of the demo: what its portal says becomes a digest that a newcomer can read."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from assay.app import App
from assay.demo.play import DemoCallbacks, play_demo
from assay.packs.civic.demo import LAST_DAY, build_council_demo
from assay.packs.civic.portals.primegov import PRIMEGOV
from assay.packs.civic.records import AgendaItem, Meeting, PacketPart
from assay.store.dump import dump_canonical
from tests.demo.part import settings_of

TODAY = date(2026, 3, 20)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has seen both days; only to be looked at."""
    home = tmp_path_factory.mktemp("council") / "home"
    play(home)
    return home


def play(home: Path, days: int = LAST_DAY) -> None:
    demos = {"civic": build_council_demo()}
    # An agenda that outruns its meeting must find it at the second or third attempt.
    settings = settings_of(home, retry_delays_s=(0.5, 20.0))
    reports = play_demo(settings, demos, days=days, watchers=DemoCallbacks())
    assert not any(states.get("dead") for day in reports for states in day.jobs.values())


def write_epilogue(home: Path) -> str:
    epilogue = build_council_demo().epilogue
    assert epilogue is not None
    with App(settings_of(home)) as app:
        return epilogue(app.services)


def test_the_digest_shows_all_meetings_the_packet_and_the_way_of_the_matter(played: Path) -> None:
    text = write_epilogue(played)
    lines = text.splitlines()
    assert lines[0].startswith("# Council meetings since ")
    assert [line for line in lines if line.startswith("##")] == [
        "## Vedrine Harbour, VD",
        "### Decided", "#### Town Council", "#### Harbour Commission",
        "### Coming up", "#### Town Council",
        "### Cancelled or moved", "#### CANCELLED - Planning Board",
        "## 26-011, meeting by meeting",
    ]  # fmt: skip
    assert text.count("- **Ordinance limiting the speed on Quay Street to 30 km/h**") == 2
    assert "Passed, 4-1 (moved by Kovač, seconded by Marin)" in text
    assert "  - No: Tomić" in lines
    (fee,) = [line for line in lines if "€2.40 per metre" in line]
    assert "[Agenda Packet]" in fee
    assert lines[-2].startswith("- Town Council, ") and lines[-2].endswith(": passed, 4-1")
    assert lines[-1].startswith("- Town Council, ") and lines[-1].endswith(": not decided yet")


def test_every_item_of_the_commission_has_its_page_of_the_packet(played: Path) -> None:
    with App(settings_of(played)) as app:
        (meeting,) = app.services.read_records(Meeting, title="Harbour Commission")
        items = app.services.read_records(AgendaItem, meeting_id=meeting.meeting_id)
        parts = app.services.read_records(PacketPart, meeting_id=meeting.meeting_id)
    assert {part.item_id for part in parts} == {item.item_id for item in items}
    assert len(parts) == 2


def test_minutes_and_a_cancellation_come_on_the_second_day(tmp_path: Path, played: Path) -> None:
    home = tmp_path / "home"
    play(home, days=1)
    first = write_epilogue(home)
    assert "Cancelled" not in first and "Motion" not in first
    play(home)
    assert write_epilogue(home) == write_epilogue(played)
    assert dump(home) == dump(played)


def dump(home: Path) -> bytes:
    with App(settings_of(home)) as app, app.engine.connect() as connection:
        return b"".join(dump_canonical(connection, app.records))


@pytest.mark.parametrize("day", [TODAY + timedelta(days=days) for days in range(0, 366, 5)])
def test_the_meetings_are_near_the_present_on_any_day(day: date) -> None:
    demo = build_council_demo(day)
    pages = demo.pages(LAST_DAY)
    (endpoint,) = demo.endpoints
    tenant = PRIMEGOV.settings.model_validate(endpoint.options)
    days: list[str] = []
    for request in PRIMEGOV.start(tenant, day, None):
        read = PRIMEGOV.read(pages[request.url.removeprefix("http://")].body, request, tenant)
        days += [str(item.published) for item in read.items if item.content is not None]
    days.sort()
    assert len(days) == 4
    assert days[1] < day.isoformat() < days[2]
