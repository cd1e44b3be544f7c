"""Conflicts side by side, and a person's decision about them."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from assay.app import App
from assay.app.principals import Role
from assay.store import truth
from tests.console.conftest import identify
from tests.console.desk_store import ask, dispute, pending
from tests.console.test_review import TOKEN, person, version_on
from tests.ruling.release_builders import THRESHOLD


def state_of(app: App, conflict_id: str) -> dict[str, Any]:
    table = truth.conflict
    (row,) = app.fetch_rows(sa.select(table).where(table.c.conflict_id == conflict_id))
    return row


def rules_on(page: str) -> list[str]:
    return re.findall(r'name="choice" value="(rl_\w+)"', page)


def resolve(client: TestClient, conflict_id: str, choice: str, version: str) -> Any:
    data = {"token": TOKEN, "choice": choice, "version": version, "note": "the law is newer"}
    return client.post(f"/conflicts/{conflict_id}", data=data)


@pytest.fixture
def conflict(empty: App) -> str:
    return dispute(empty, 3)


def test_the_sides_stand_next_to_each_other_with_what_the_arbiter_recommends(
    empty: App, conflict: str
) -> None:
    client = person(empty)
    assert f"/conflicts/{conflict}" in client.get("/conflicts").text
    page = client.get(f"/conflicts/{conflict}").text
    for value, source in (("5 %", "Gazette"), ("13 %", "Tax-Office"), ("25 %", "Forum")):
        assert value in page and source in page
    assert page.count("<mark>") == 3
    assert "by authority: the law comes first. A person decides because all are T0." in page
    assert page.index("recommended") < page.index("Clause 1")
    assert len(rules_on(page)) == 3
    assert "has no first day" in page, "why they cannot hold in turn"


def test_a_decision_is_recorded_and_can_be_undone(empty: App, conflict: str) -> None:
    client = person(empty)
    page = client.get(f"/conflicts/{conflict}").text
    winner = rules_on(page)[1]
    assert resolve(client, conflict, winner, version_on(page)).status_code == 303
    row = state_of(empty, conflict)
    assert (row["state"], row["winner"], row["ground"]) == ("RESOLVED", winner, "person")
    page = client.get(f"/conflicts/{conflict}").text
    assert "prevails" in page and rules_on(page) == []
    resolution = re.search(r'name="resolution" value="(cr_\w+)"', page)
    assert resolution is not None
    data = {"token": TOKEN, "resolution": resolution[1], "version": version_on(page)}
    assert client.post(f"/conflicts/{conflict}/undo", data=data).status_code == 303
    assert state_of(empty, conflict)["state"] == "ESCALATED"
    assert len(rules_on(client.get(f"/conflicts/{conflict}").text)) == 3
    assert "the law is newer" in client.get(f"/conflicts/{conflict}").text


def test_what_somebody_else_decided_meanwhile_is_not_overwritten(empty: App, conflict: str) -> None:
    ana, bo = person(empty), person(empty, "bo")
    page = bo.get(f"/conflicts/{conflict}").text
    first, second, _ = rules_on(page)
    resolve(ana, conflict, first, version_on(page))
    late = resolve(bo, conflict, second, version_on(page))
    assert late.status_code == 409
    assert "changed since you looked at it" in late.text and "Last: ana" in late.text
    assert state_of(empty, conflict)["winner"] == first


def test_a_refused_choice_says_why(empty: App, conflict: str) -> None:
    client = person(empty)
    page = client.get(f"/conflicts/{conflict}").text
    refused = resolve(client, conflict, "in-turn", version_on(page))
    assert refused.status_code == 400 and "cannot hold in turn" in refused.text
    assert state_of(empty, conflict)["state"] == "ESCALATED"


def test_a_reader_only_looks(empty: App, conflict: str) -> None:
    reader = person(empty, "ivo", Role.READER)
    page = reader.get(f"/conflicts/{conflict}").text
    assert rules_on(page) == [] and "Only reviewers can decide" in page
    assert resolve(reader, conflict, "different", "x").status_code == 403
    data = {"token": TOKEN, "resolution": "cr_1", "version": "x"}
    assert reader.post(f"/conflicts/{conflict}/undo", data=data).status_code == 403


def test_who_has_a_conflict_open_has_its_question_open(empty: App, conflict: str) -> None:
    (question,) = ask(empty, pending(THRESHOLD))
    ana = person(empty)
    bo = TestClient(
        ana.app,
        base_url="http://localhost",
        headers=identify("bo", Role.REVIEWER),
        follow_redirects=False,
    )
    leads = ana.get("/review/next").headers["Location"]
    assert ana.get(leads).headers["Location"] == f"/conflicts/{conflict}"
    ana.get(f"/conflicts/{conflict}")
    assert "ana has this open" in bo.get("/conflicts").text
    assert "ana has this open" in bo.get("/review").text
    assert bo.get("/review/next").headers["Location"] == f"/review/{question}"


def test_many_sides_are_grouped_by_value_and_paged(empty: App) -> None:
    conflict = dispute(empty, 60)
    client = person(empty)
    page = client.get(f"/conflicts/{conflict}").text
    assert page.count('<section class="side') == 12
    assert "1 to 12 of 60" in page
    assert re.search(r"13 %\s*<b>20</b>", page)
    seen = set(rules_on(page))
    for offset in (12, 24, 36, 48):
        seen |= set(rules_on(client.get(f"/conflicts/{conflict}?offset={offset}").text))
    assert len(seen) == 60
    only = client.get(f"/conflicts/{conflict}?value=13&offset=12").text
    assert "13 to 20 of 20" in only
    # A side of a later page can be chosen, too.
    (chosen, *_) = rules_on(only)
    assert resolve(client, conflict, chosen, version_on(only)).status_code == 303
    assert state_of(empty, conflict)["winner"] == chosen


def test_no_conflict_is_said_plainly(empty: App) -> None:
    client = person(empty)
    assert "No conflict waits." in client.get("/conflicts").text
    assert client.get("/conflicts/cf_nothing").status_code == 404
