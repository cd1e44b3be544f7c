"""`budget`: what was spent, by whom, and whether the books agree."""

import json
from pathlib import Path

import pytest

from assay.app.models import open_ledger
from assay.clock import SystemClock
from assay.governor.standings import pause_source
from assay.store import guards
from tests.cli.calls import answer, call, refusal
from tests.cli.spending import Spent


def test_a_day_without_calls(spent: Spent) -> None:
    found = answer(spent.home, "budget")
    assert found["day"] == spent.day
    assert found["tokens"] == {"cap": 500_000, "used": 0, "reserved": 0, "left": 500_000}
    assert (found["calls"], found["rows"], found["cooldowns"]) == (0, [], [])
    assert "No model was called." in call(spent.home, "budget").stdout


def test_the_budget_of_today(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget")
    assert found["tokens"] == {
        "cap": 500_000, "used": 21_560, "reserved": 1_500, "left": 476_940,
    }  # fmt: skip
    # 900 × 100 + 100 × 400 millionths.
    assert found["micros"] == {
        "cap": 2_000_000, "used": 130_000, "reserved": 0, "left": 1_870_000,
    }  # fmt: skip
    assert (found["calls"], found["open"], found["lost"], found["unpriced"]) == (4, 1, 0, 0)
    rows = {row["name"]: row for row in found["rows"]}
    assert [row["name"] for row in found["rows"]] == ["council", "gazette", None]
    gazette = rows["gazette"]
    assert (gazette["used_tokens"], gazette["reserved_tokens"], gazette["open"]) == (
        1_000,
        1_500,
        1,
    )
    assert (gazette["cap"], gazette["left"]) == (50_000, 47_500)
    assert (rows[None]["cap"], rows[None]["left"]) == (None, None)
    assert found["disagreements"] == []


def test_the_budget_as_text(two_sources: Spent) -> None:
    told = call(two_sources.home, "budget")
    assert told.exit_code == 0
    for words in (
        "21,560 used, 1,500 reserved, 476,940 of 500,000 left",
        "0.1300 used, 1.8700 of 2.0000 left",
        "4, of which 1 open, 0 lost",
        "ledger and meters agree",
        "47,500",
        "council",
    ):
        assert words in told.stdout


@pytest.mark.parametrize(
    ("by", "sums"),
    [
        ("source", {"council": 20_500, "gazette": 2_500, None: 60}),
        ("stage", {"extract": 21_500, "compose": 1_500, "other": 60}),
        ("provider", {"local": 22_060, "gpt": 1_000}),
        ("model", {"small": 22_060, "large": 1_000}),
        ("run", {"run-1": 21_500, None: 1_560}),
    ],
)
def test_the_same_calls_added_up_otherwise(
    two_sources: Spent, by: str, sums: dict[str | None, int]
) -> None:
    found = answer(two_sources.home, "budget", "--by", by)
    assert {r["name"]: r["used_tokens"] + r["reserved_tokens"] for r in found["rows"]} == sums
    assert sum(row["calls"] for row in found["rows"]) == 4
    assert found["by"] == by
    assert call(two_sources.home, "budget", "--by", by).exit_code == 0


def test_by_request_the_dearest_come_first_and_the_rest_is_counted(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget", "--by", "request", "--limit", "2")
    assert [r["used_tokens"] + r["reserved_tokens"] for r in found["rows"]] == [20_500, 2_500]
    assert found["rows"][1]["name"] == "req-1"
    assert found["left_out"] == 1
    told = call(two_sources.home, "budget", "--by", "request", "--limit", "2").stdout
    assert "1 more; --limit shows them." in told


def test_another_day_has_its_own_sums_and_no_caps(two_sources: Spent) -> None:
    found = answer(two_sources.home, "budget", "--day", "2020-01-31")
    assert (found["day"], found["calls"], found["ends_ms"]) == ("2020-01-31", 0, None)
    assert found["tokens"] == {"cap": None, "used": 0, "reserved": 0, "left": None}
    assert answer(two_sources.home, "budget", "--day", two_sources.day)["calls"] == 4


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-02-30", "15.11.2026"])
def test_a_day_that_is_none_is_refused(spent: Spent, day: str) -> None:
    code, error = refusal(spent.home, "budget", "--day", day)
    assert (code, error["code"]) == (2, "usage")
    assert "YYYY-MM-DD" in error["message"]
    assert refusal(spent.home, "budget", "--by", "colour")[0] == 2


def test_a_source_s_cap_follows_its_health(two_sources: Spent) -> None:
    now_ms = SystemClock().now_ms()
    pause_source(two_sources.app.engine, "gazette", "by hand", 1, now_ms=now_ms)
    two_sources.execute("UPDATE source_health SET budget_multiplier = 0.5")
    rows = {row["name"]: row for row in answer(two_sources.home, "budget")["rows"]}
    assert (rows["gazette"]["cap"], rows["gazette"]["left"]) == (25_000, 22_500)
    assert rows["council"]["cap"] == 50_000


def test_a_lost_call_is_charged_in_full_and_told_of(two_sources: Spent) -> None:
    two_sources.execute("UPDATE llm_calls SET expires_ms = 1 WHERE state = 'open'")
    found = answer(two_sources.home, "budget")
    assert (found["open"], found["overdue"], found["lost"]) == (1, 1, 0)
    assert "1 open (1 of dead workers)" in call(two_sources.home, "budget").stdout
    told = call(two_sources.home, "doctor")
    assert told.exit_code == 0
    assert "warn spending" in told.stdout
    assert open_ledger(two_sources.app).sweep() == 1
    found = answer(two_sources.home, "budget")
    assert (found["open"], found["overdue"], found["lost"]) == (0, 0, 1)
    assert found["tokens"]["used"] == 23_060
    assert "ok   spending" in call(two_sources.home, "doctor").stdout


@pytest.mark.parametrize(
    ("change", "meters"),
    [
        ("UPDATE llm_meters SET tokens = tokens + 1 WHERE meter = 'all'", ["all"]),
        ("UPDATE llm_meters SET micros = micros - 5 WHERE meter = 'source:gazette'",
         ["source:gazette"]),
        ("UPDATE llm_meters SET calls = 0", ["all", "source:council", "source:gazette"]),
        ("DELETE FROM llm_meters WHERE meter = 'source:council'", ["source:council"]),
        ("INSERT INTO llm_meters VALUES ('2020-01-31', 'all', 1, 5, 0)", []),
        ("UPDATE llm_calls SET charged_tokens = 7 WHERE source_slug IS NULL", ["all"]),
    ],
)  # fmt: skip
def test_books_that_differ_are_a_fault(two_sources: Spent, change: str, meters: list[str]) -> None:
    with two_sources.app.engine.begin() as connection:
        guards.lift_guards(connection)
    two_sources.execute(change)
    told = call(two_sources.home, "budget", "--json")
    found = json.loads(told.stdout)["disagreements"]
    assert [line.split()[1].rstrip(":") for line in found] == meters
    assert told.exit_code == (5 if meters else 0)
    text = call(two_sources.home, "budget")
    assert text.exit_code == told.exit_code
    assert ("The books differ: " in text.stdout) is bool(meters)
    # The doctor looks at every day.
    for arguments in (("doctor",), ("store", "check")):
        looked = call(two_sources.home, *arguments)
        assert looked.exit_code == 5
        assert "fail spending" in looked.stdout


@pytest.mark.parametrize(
    "arguments",
    [("budget",), ("circuit", "status"), ("circuit", "close", "gpt"), ("cooldown", "list"),
     ("cooldown", "clear", "gazette")],
)  # fmt: skip
def test_without_a_store_they_say_so(home: Path, arguments: tuple[str, ...]) -> None:
    code, error = refusal(home, *arguments)
    assert (code, error["code"]) == (4, "schema_missing")
