"""`assay civic` as people type it, with a city's portal on loopback."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.bad_site import BadSite, serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.desk import Desk

HOST = "springfield.test"
CITY = "springfieldOR"
AGENDA = """<html><body><main><h1>City Council</h1><p>1. CALL TO ORDER</p>
<p>2. Ordinance 2026-14 amending the zoning of the mill district</p>
<p>3. Resolution approving the repair of the Main Street bridge</p>
<p>4. ADJOURNMENT</p><p>The council meets twice a month and welcomes everybody who lives here.</p>
</main></body></html>"""


@pytest.fixture
def portal() -> Iterator[BadSite]:
    """A city at PrimeGov with one meeting next week."""
    starts = f"{date.today() + timedelta(days=7)}T19:00:00"
    listed = {
        "id": 7,
        "dateTime": starts,
        "title": "City Council",
        "documentList": [
            {"templateId": 70, "templateName": "Agenda", "compileOutputType": 1, "publishDate": "1"}
        ],
    }
    with serve_in_thread({}) as site:
        api = "/api/v2/PublicPortal"
        site.paths[f"{api}/ListUpcomingMeetings"] = serve_page(json.dumps([listed]).encode())
        site.paths[f"{api}/ListArchivedMeetings"] = serve_page(b"[]")
        site.paths["/Public/CompiledDocument"] = serve_page(AGENDA.encode())
        yield site


def open_desk(
    home: Path, site: BadSite, database_url: str | None = None, *, anew: bool = False
) -> Desk:
    """A home for which the city's portal is on loopback."""
    return Desk(home, {HOST: site.url}, database_url, anew=anew)


def test_a_city_from_its_address_to_its_agenda(tmp_path: Path, portal: BadSite) -> None:
    desk = open_desk(tmp_path / "home", portal)
    site = ("--vendor", "primegov", "--site", f"http://{HOST}")
    assert "is not the id of a city" in desk.refuse("civic", "add", "Springfield", *site)
    assert "is not a known vendor" in desk.refuse(
        "civic", "add", CITY, "--vendor", "prime", "--site", "x"
    )
    added = desk.ask("civic", "add", CITY, *site, "--timezone", "America/Los_Angeles")
    assert (added["is_new"], added["probe"]["meetings"], added["probe"]["documents"]) == (
        True,
        1,
        1,
    )
    assert desk.ask("civic", "meetings") == []

    synced = desk.ask("civic", "sync", CITY)
    assert synced["jobs_left"] > 0 and synced["jobs"]["fetch"] == {"done": 1}
    (waiting,) = desk.ask("civic", "preview-queue")
    assert (waiting["job_type"], waiting["priority"], waiting["city"]) == ("meeting", 143, CITY)
    assert desk.ask("civic", "preview-queue", "elsewhereCA") == []

    desk.call("run")
    (meeting,) = desk.ask("civic", "meetings", "--city", CITY)
    assert (meeting["title"], meeting["items"]) == ("City Council", 4)
    shown = desk.ask("civic", "preview-items", meeting["meeting_id"])
    assert [item["number"] for item in shown["items"]] == ["1", "2", "3", "4"]
    assert shown["items"][0]["filter_reason"] == "roll call"

    (found,) = desk.ask("civic", "search", "bridge", "repair")
    assert found["title"].startswith("Resolution approving the repair")
    assert desk.ask("civic", "search", "bridge", "--since", "2999-01-01") == []
    assert "is not a topic" in desk.refuse("civic", "search", "x", "--topic", "bridges")
    matter = desk.ask("civic", "matter", found["matter_id"])
    assert [row["item_id"] for row in matter["appearances"]] == [found["item_id"]]

    text = tmp_path / "text.txt"
    desk.call("civic", "extract-text", meeting["meeting_id"], "-o", str(text))
    assert "zoning of the mill district" in text.read_text(encoding="utf-8")
    (city,) = desk.ask("civic", "cities")
    assert (city["banana"], city["meetings"], city["error"]) == (CITY, 1, None)


KILLS = ("commit.after_records@2", "commit.before_commit@3", "commit.after@3")


def test_kills_in_between_change_nothing(
    tmp_path: Path, portal: BadSite, database_url: str | None
) -> None:
    """Nothing is lost or done twice, wherever the program is killed."""
    site = ("--vendor", "primegov", "--site", f"http://{HOST}")
    undisturbed = open_desk(tmp_path / "peace", portal, anew=True)
    undisturbed.call("civic", "add", CITY, *site)
    undisturbed.call("run")
    desk = open_desk(tmp_path / "home", portal, database_url)
    desk.call("civic", "add", CITY, *site)
    killed = [fault for fault in KILLS if desk.end("run", fault=fault).returncode == -9]
    desk.call("run")
    assert len(killed) >= 2, killed
    assert desk.ask("dead", "list") == []
    (city,) = desk.ask("civic", "cities")
    assert (city["status"], city["found"], city["processed"]) == ("COMPLETED", 1, 1)
    dumped = desk.call("store", "dump", "--canonical")
    assert dumped.count('"table": "civic_items"') == 4
    assert dumped == undisturbed.call("store", "dump", "--canonical")


def test_a_portal_that_cannot_be_read_is_not_watched(tmp_path: Path, portal: BadSite) -> None:
    desk = open_desk(tmp_path / "home", portal)
    portal.paths.clear()
    ended = desk.end("civic", "add", CITY, "--vendor", "primegov", "--site", f"http://{HOST}")
    assert ended.returncode != 0 and "answered 404" in ended.stderr
    upcoming = "/api/v2/PublicPortal/ListUpcomingMeetings"
    for bad, said in (
        (serve_page(b"", status=500), "answered 500"),
        (serve_page(b"<html>Maintenance</html>"), "came instead of"),
    ):
        portal.paths[upcoming] = bad
        ended = desk.end("civic", "add", CITY, "--vendor", "primegov", "--site", f"http://{HOST}")
        assert ended.returncode != 0 and upcoming in ended.stderr and said in ended.stderr
    assert desk.ask("civic", "cities") == [] == desk.ask("sources", "list")
    portal.paths["/"] = serve_page(
        b"<html><a href='https://elmford.novusagenda.com/agendapublic/'>Agendas</a></html>"
    )
    found = desk.ask("civic", "detect", f"http://{HOST}/")
    assert (found["vendor"], found["site"]) == ("novusagenda", "elmford")


def test_cities_that_fail_are_listed_and_tried_again(tmp_path: Path, portal: BadSite) -> None:
    desk = open_desk(tmp_path / "home", portal)
    site = ("--vendor", "primegov", "--site", f"http://{HOST}")
    desk.call("civic", "add", CITY, *site)
    upcoming = portal.paths.pop("/api/v2/PublicPortal/ListUpcomingMeetings")
    ended = desk.end("civic", "sync")
    assert ended.returncode == 5
    assert f"{CITY} failed: http://{HOST}/api/v2" in ended.stdout
    assert "'assay civic sync --failed' tries it again." in ended.stdout
    (city,) = desk.ask("civic", "cities")
    assert (city["status"], city["found"]) == ("FAILED", 0) and "answered 404" in city["error"]
    assert "No city is due." in desk.call("civic", "sync")

    portal.paths["/api/v2/PublicPortal/ListUpcomingMeetings"] = upcoming
    again = desk.ask("civic", "run", "--failed")
    assert (again["failed"], again["jobs_left"]) == ([], 0)
    (city,) = desk.ask("civic", "cities")
    assert (city["status"], city["found"], city["processed"]) == ("COMPLETED", 1, 1)
    assert "No city's last sync failed." in desk.call("civic", "sync", "--failed")
    assert "chooses the cities itself" in desk.refuse("civic", "sync", CITY, "--failed")
