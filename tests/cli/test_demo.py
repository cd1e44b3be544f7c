"""The demo from end to end, stopped in the middle, and on Postgres."""

import signal
from pathlib import Path

import pytest

from tests.cli.calls import QUICK, Called, answer, call, real


def notes(home: Path) -> list[dict[str, int]]:
    """What became of the fetches of every run, the newest first."""
    runs = [run["run_id"] for run in answer(home, "runs", "list")]
    return [answer(home, "runs", "show", run)["notes"].get("fetch", {}) for run in runs]


def test_two_days_on_a_home_that_does_not_exist(home: Path) -> None:
    ended = real(home, "demo", "--days", "2")
    assert (ended.code, ended.err) == (0, "")
    assert "Day 1: 60 new, 0 changed, 0 unchanged, 44 routed, 16 skipped" in ended.out
    assert "Day 2: 9 new, 2 changed, 0 unchanged, 11 routed, 0 skipped" in ended.out
    for said in ("candidates", "EXTRACT_LOCAL 55", "assay.db", "blobs", "assay.jsonl",
                 f"assay --home {home} status", "runs verify"):  # fmt: skip
        assert said in ended.out
    assert all(verdict["sound"] for verdict in answer(home, "runs", "verify"))
    # Of the 58 pages that both days have, only those with a new date in the sitemap are fetched:
    # two that changed, and one that changed its noise.
    assert notes(home) == [{"done": 11, "noise": 1}, {"done": 60}]

    again = real(home, "demo", "--days", "2", "--json")
    assert again.code == 0
    (day,) = again.value["days"]
    assert [day[name] for name in ("day", "new", "changed", "unchanged")] == [2, 0, 0, 0]
    assert notes(home)[0] == {}
    assert set(again.value["files"]) == {"database", "blobs", "runs", "log"}

    other = real(home, "demo", "--seed", "8", "--json")
    assert (other.code, other.value["error"]["code"]) == (3, "invalid_input")


def test_stopped_in_the_middle_and_run_again(home: Path, played: Path) -> None:
    expected = call(played, "store", "dump", "--canonical").stdout
    other = home.parent / "other"
    # The rates of production keep the first day busy for minutes.
    called = Called(other, "demo", "--days", "2", ASSAY_PROFILE="production")
    called.wait_for("scout")
    called.process.send_signal(signal.SIGINT)
    stopped = called.end()
    assert stopped.code == 130, stopped
    assert stopped.err == ""
    assert "Stopped by SIGINT: " in stopped.out
    assert " jobs left; go on with: assay --home" in stopped.out

    ended = real(other, "demo", "--days", "2")
    assert ended.code == 0, ended
    assert "Taking up run " in ended.out
    assert " of day 1: " in ended.out
    assert call(other, "store", "dump", "--canonical").stdout == expected
    assert call(other, "store", "check").exit_code == 0


@pytest.mark.postgres
def test_on_postgres(home: Path, postgres_url: str) -> None:
    env = {**QUICK, "ASSAY_DATABASE_URL": postgres_url}
    ended = real(home, "demo", "--days", "1", "--json", ASSAY_DATABASE_URL=postgres_url)
    assert ended.code == 0, ended
    assert ended.value["days"][0]["new"] == 60
    assert "Postgres" in call(home, "doctor", env=env).stdout
    assert call(home, "store", "check", env=env).exit_code == 0
    assert answer(home, "store", "dump", "--canonical", env=env)

    called = Called(home, "worker", ASSAY_DATABASE_URL=postgres_url)
    called.wait_for("listens")
    refused = call(home, "store", "reset", "--yes", env=env)
    assert (refused.exit_code, "worker_running" in refused.stderr) == (4, True)
    called.process.terminate()
    assert called.end().code == 143
    assert call(home, "store", "reset", "--yes", env=env).exit_code == 0
    assert answer(home, "status", env=env)["documents"] == 0
