"""Exports: every table in every format, and the shapes of Open Civic Data."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from assay.app import App
from assay.packs.civic.outputs.open_civic_data import derive_division_id
from assay.packs.civic.outputs.tables import TABLES
from assay.packs.civic.records import City
from tests.cli.calls import answer, refusal
from tests.packs.civic.town import CITY, HOSTILE, NEXT, PAST
from tests.packs.civic.town import town as town

ROWS = {
    "meetings": 5, "items": 5, "appearances": 2, "papers": 5, "motions": 1, "summaries": 3,
    "votes": 3, "matters": 2, "members": 3,
}  # fmt: skip


def export(home: Path, form: str, folder: Path, *more: str) -> dict[str, int]:
    found = answer(home, "civic", "export", "--format", form, "-o", str(folder), *more)
    rows: dict[str, int] = found["rows"]
    return rows


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_format_contains_the_same_rows(town: App, home: Path, tmp_path: Path) -> None:
    for form in ("jsonl", "csv", "parquet"):
        assert export(home, form, tmp_path / form) == ROWS
        assert export(home, form, tmp_path / f"{form}2") == ROWS
        for name in TABLES:
            first, second = (tmp_path / f / f"{name}.{form}" for f in (form, f"{form}2"))
            assert first.read_bytes() == second.read_bytes()
    for name, count in ROWS.items():
        lines = read_lines(tmp_path / "jsonl" / f"{name}.jsonl")
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            cells = list(csv.DictReader(file))
        table = pq.read_table(tmp_path / "parquet" / f"{name}.parquet").to_pylist()
        assert len(lines) == len(cells) == len(table) == count
        assert [set(row) for row in lines] == [set(row) for row in cells]
        assert [set(row) for row in lines] == [set(row) for row in table]
    assert str(pq.read_schema(tmp_path / "parquet" / "items.parquet").field("consent").type) == (
        "bool"
    )


def test_a_spreadsheet_sees_no_formulas(town: App, home: Path, tmp_path: Path) -> None:
    export(home, "csv", tmp_path / "out")
    data = (tmp_path / "out" / "items.csv").read_bytes()
    rows = {row["item_id"]: row for row in csv.DictReader(data.decode().splitlines())}
    assert rows[HOSTILE]["title"].startswith("'=HYPERLINK(")
    exact = {row["item_id"]: row for row in read_items(home, tmp_path)}
    assert exact[HOSTILE]["title"].startswith("=HYPERLINK(")


def read_items(home: Path, tmp_path: Path) -> list[dict[str, Any]]:
    export(home, "jsonl", tmp_path / "exact")
    return read_lines(tmp_path / "exact" / "items.jsonl")


def test_a_city_and_a_day_narrow_an_export(town: App, home: Path, tmp_path: Path) -> None:
    counts = export(home, "jsonl", tmp_path / "a", "--since", "2026-04-08", "--city", CITY)
    assert (counts["meetings"], counts["votes"], counts["matters"]) == (4, 0, 1)
    code, error = refusal(
        home, "civic", "export", "--format", "csv", "-o", str(tmp_path / "a"), "--city", CITY
    )
    assert code == 3 and "not an empty folder" in error["message"]
    code, error = refusal(
        home, "civic", "export", "--format", "csv", "-o", str(tmp_path / "b"), "--city", "x"
    )
    assert code == 3 and not (tmp_path / "b").exists()


# What pupa's JSON schemas for scraped events and bills say about the fields that every object has.
_MOMENT = re.compile(
    r"([0-9]{4}((-[0-9]{2}){0,2}|(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){0,2}"
    r"(Z|[+-][0-9]{2}(:[0-9]{2})?))?)?"
)
_DIVISION = re.compile(r"ocd-division/country:[a-z]{2}(/[^\W\d]+:[\w.~-]+)*")
_JURISDICTION = re.compile(r"ocd-jurisdiction/country:[a-z]{2}(/[^\W\d]+:[\w.~-]+)*/\w+")
_ACTIONS = {"passage", "failure", "committee-passage", "committee-failure", "deferral", "referral"}


def check_texts(value: dict[str, Any], *names: str) -> None:
    for name in names:
        assert isinstance(value[name], str) and value[name], name


def check_documents(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        check_texts(document, "note")
        assert _MOMENT.fullmatch(document["date"]) and document["links"]
        for link in document["links"]:
            check_texts(link, "url")
            assert isinstance(link["media_type"], str)


def check_shared(value: dict[str, Any], kind: str) -> None:
    assert re.fullmatch(rf"ocd-{kind}/[0-9a-f-]{{36}}", value["_id"])
    assert value["sources"] and all(
        re.match("https?://", source["url"]) and isinstance(source["note"], str)
        for source in value["sources"]
    )
    assert _DIVISION.fullmatch(value["extras"]["division_id"])
    assert _JURISDICTION.fullmatch(value["extras"]["jurisdiction_id"])
    check_documents(value["documents"])


def check_event(event: dict[str, Any]) -> None:
    check_shared(event, "event")
    check_texts(event, "name", "classification", "pupa_id", "start_date")
    assert isinstance(event["description"], str) and isinstance(event["all_day"], bool)
    assert _MOMENT.fullmatch(event["start_date"]) and _MOMENT.fullmatch(event["end_date"])
    assert event["status"] in ("cancelled", "tentative", "confirmed", "passed")
    if event["location"] is not None:
        check_texts(event["location"], "name")
        assert event["location"]["note"] == "" and event["location"]["coordinates"] is None
    check_documents(event["media"])
    for participant in event["participants"]:
        check_texts(participant, "name", "note")
        assert participant["entity_type"] in ("organization", "person")
    for item in event["agenda"]:
        check_texts(item, "description", "order")
        for name in ("classification", "subjects", "notes"):
            assert all(isinstance(text, str) and text for text in item[name])
        assert item["media"] == []
        for entity in item["related_entities"]:
            check_texts(entity, "entity_type", "name", "note", "bill_id")


def check_bill(bill: dict[str, Any]) -> None:
    check_shared(bill, "bill")
    check_texts(bill, "legislative_session", "identifier", "title", "from_organization")
    assert set(bill["classification"]) <= {"ordinance", "resolution", "motion", "contract"}
    assert all(isinstance(subject, str) and subject for subject in bill["subject"])
    for action in bill["actions"]:
        check_texts(action, "description", "organization_id")
        assert _MOMENT.fullmatch(action["date"]) and set(action["classification"]) <= _ACTIONS
    for sponsorship in bill["sponsorships"]:
        check_texts(sponsorship, "name", "classification", "person_id")
        assert sponsorship["entity_type"] == "person" and sponsorship["primary"] in (True, False)
    for abstract in bill["abstracts"]:
        check_texts(abstract, "abstract", "note", "date")
    check_documents(bill["versions"])
    assert bill["related_bills"] == []


def test_open_civic_data_has_the_shapes_that_pupa_imports(
    town: App, home: Path, tmp_path: Path
) -> None:
    assert export(home, "ocd", tmp_path / "ocd") == {"events": 5, "bills": 2}
    events = {event["pupa_id"]: event for event in read_lines(tmp_path / "ocd" / "events.jsonl")}
    bills = {bill["identifier"]: bill for bill in read_lines(tmp_path / "ocd" / "bills.jsonl")}
    for event in events.values():
        check_event(event)
    for bill in bills.values():
        check_bill(bill)
    past, zoning = events[PAST], bills["26-14"]
    assert past["start_date"] == "2026-04-07T23:00Z" and past["status"] == "passed"
    assert past["extras"]["division_id"] == "ocd-division/country:us/state:or/place:springfield"
    assert [(p["name"], p["entity_type"]) for p in past["participants"]] == [
        ("City Council", "organization"), ("Ann Ray", "person"), ("Bo Li", "person"),
        ("Cy Day", "person"),
    ]  # fmt: skip
    assert past["agenda"][1]["related_entities"][0]["bill_id"] == '~{"identifier": "26-14"}'
    assert past["media"][0]["links"][0]["url"] == "https://video.example.org/7"
    assert zoning["classification"] == ["ordinance"] and zoning["legislative_session"] == "2026"
    (action,) = zoning["actions"]
    assert (action["description"], action["classification"]) == ("Adopted", ["passage"])
    assert action["date"] == "2026-04-07T23:00Z"
    assert [s["primary"] for s in zoning["sponsorships"]] == [True, False]
    assert [version["note"] for version in zoning["versions"]] == ["Ordinance 2026-14"]
    assert bills[f"{CITY}_bridge"]["documents"][0]["links"][0]["media_type"] == "application/pdf"
    assert events[NEXT]["location"]["name"].startswith("City Hall")


@pytest.mark.parametrize(
    ("name", "state", "division"),
    [
        ("Palo Alto", "CA", "country:us/state:ca/place:palo_alto"),
        ("City of O'Fallon", "MO", "country:us/state:mo/place:o~fallon"),
        ("St. Louis", "MO", "country:us/state:mo/place:st._louis"),
        ("Cook County", "IL", "country:us/state:il/county:cook"),
        ("Orleans Parish", "LA", "country:us/state:la/parish:orleans"),
        ("Washington", "DC", "country:us/district:dc"),
        ("Kelowna", "BC", None),
        ("Eugene School District", "OR", None),
    ],
)
def test_a_division_follows_from_the_name_or_is_unknown(
    name: str, state: str, division: str | None
) -> None:
    city = City(banana=f"x{state}", name=name, state=state, vendor="v", site="s", timezone="UTC")
    assert derive_division_id(city) == (division and f"ocd-division/{division}")
