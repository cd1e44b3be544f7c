"""The demo from documents to a release: its story, again, stopped in the middle, on Postgres."""

import signal
from pathlib import Path

import pytest

from tests.cli.calls import PART, QUICK, Called, answer, call, real
from tests.waiting import until

ANA = "Ana (demo reviewer)"


def test_the_story_of_the_whole_country(home: Path) -> None:
    ended = Called(home, "demo", ASSAY_READ_PROCESSES="2").end()
    assert (ended.code, ended.err) == (0, ""), ended
    for said in ("Day 1: ", "Day 2: ", "each with its exact quote", "0 model calls",
                 "PENDING_REVIEW", "TIER_T0", f"{ANA} decides", "only Gospodarska komora",
                 "Conflicts", "authority", "regulatory 1.0.0 is current", "Verified: ",
                 "$ assay ask --as-of", "24 %", "“PDV se obračunava i plaća po stopi od 24 %.”",
                 "Council meetings since ", "CANCELLED - Planning Board", "(Agenda Packet)",
                 "26-011, meeting by meeting", ": passed, 4-1", "civic meetings",
                 f"assay --home {home} review list", "audit verify"):  # fmt: skip
        assert said in ended.out, said
    # The digest comes last, and its links lead nowhere once the demo has ended.
    assert ended.out.index("$ assay ask") < ended.out.index("Council meetings since ")
    assert "council.demo.test" not in ended.out
    assert all(verdict["sound"] for verdict in answer(home, "runs", "verify"))
    assert answer(home, "release", "verify")["ok"]
    assert answer(home, "audit", "verify")["ok"]

    again = Called(home, "demo", "--json").end()
    assert again.code == 0, again
    assert set(again.value["added"].values()) == {0}
    assert [day["day"] for day in again.value["days"]] == [2]
    of_pack = again.value["packs"]["regulatory"]
    assert not of_pack["release"]["new"]
    assert of_pack["person"]["approved"] == of_pack["person"]["resolved"] == []
    _only_people_approve(home)
    _something_waits(of_pack["person"]["left"], home)


def _only_people_approve(home: Path) -> None:
    rules = answer(home, "rules", "list", "--limit", "1000")
    holding = [rule for rule in rules if rule["status"] in ("APPROVED", "PUBLISHED")]
    assert {rule["approved_by"] for rule in holding if rule["tier"] in ("T0", "T1")} == {ANA}
    assert {rule["tier"] for rule in holding if rule["approved_by"] is None} <= {"T2", "T3"}


def _something_waits(left: list[dict[str, str]], home: Path) -> None:
    """At least one rule of tier T0 waits for a person, and is in no release."""
    waiting = [entry for entry in left if entry["kind"] == "rule" and entry["tier"] == "T0"]
    assert waiting
    shown = answer(home, "rules", "show", waiting[0]["subject"])
    assert (shown["status"], shown["approved_by"]) == ("PENDING_REVIEW", None)
    assert shown["releases"] == []


def test_everything_for_a_machine(home: Path) -> None:
    ended = real(home, "demo", "--json", module=PART)
    assert (ended.code, ended.err) == (0, ""), ended
    found = ended.value
    assert [(day["day"], day["new"], day["changed"]) for day in found["days"]] == [
        (1, 10, 0), (2, 0, 1),
    ]  # fmt: skip
    assert found["added"]["facts"] > 50
    of_pack = found["packs"]["regulatory"]
    assert of_pack["rules"]["PENDING_REVIEW"]["T0"] > 20
    assert of_pack["questions"]["TIER_T0"]["open"] == of_pack["rules"]["PENDING_REVIEW"]["T0"]
    assert of_pack["person"]["person"] == ANA
    assert of_pack["verified"]["ok"]
    assert of_pack["release"]["version"] == "1.0.0"
    assert len(answer(home, "release", "show")["rules"]) == of_pack["release"]["rule_count"]
    assert set(found["files"]) == {"database", "blobs", "runs", "log"}
    assert (found["jobs_left"], found["stopped"]) == (0, None)

    again = real(home, "demo", module=PART)
    assert again.code == 0, again
    assert "Nothing new: no document, no fact, no rule" in again.out
    assert "1.0.0 is still current" in again.out
    assert "decides" not in again.out


def test_stopped_in_the_middle_and_run_again(home: Path, played: Path) -> None:
    expected = call(played, "store", "dump", "--canonical").stdout
    other = home.parent / "other"
    # The rates of production keep the first day busy for minutes.
    called = Called(other, "demo", module=PART, ASSAY_PROFILE="production")
    called.wait_for("Day 1: run ")
    _wait_for_blobs(other)
    called.process.send_signal(signal.SIGINT)
    stopped = called.end()
    assert stopped.code == 130, stopped
    assert stopped.err == ""
    assert "Stopped by SIGINT: " in stopped.out
    assert " left; resume with: assay --home" in stopped.out

    ended = real(other, "demo", module=PART)
    assert ended.code == 0, ended
    assert "Resuming run " in ended.out
    assert " of day 1 (" in ended.out
    assert call(other, "store", "dump", "--canonical").stdout == expected
    assert call(other, "store", "check").exit_code == 0


def _wait_for_blobs(home: Path) -> None:
    until(lambda: any((home / "blobs").iterdir()))


def test_without_tesseract_scans_wait_and_the_rest_goes_on(home: Path) -> None:
    ended = real(home, "demo", "--days", "1", module=PART, ASSAY_TESSDATA="/none")
    assert ended.code == 0, ended
    assert "1 scan waiting" in ended.out
    assert "1 scanned document waits: Tesseract is not installed." in ended.out
    assert "regulatory 1.0.0 is current" in ended.out


@pytest.mark.postgres
def test_on_postgres(home: Path, postgres_url: str, played: Path) -> None:
    env = {**QUICK, "ASSAY_DATABASE_URL": postgres_url}
    ended = real(home, "demo", "--json", module=PART, ASSAY_DATABASE_URL=postgres_url)
    assert ended.code == 0, ended
    assert ended.value["days"][0]["new"] == 10
    assert "Postgres" in call(home, "doctor", env=env).stdout
    assert call(home, "store", "check", env=env).exit_code == 0
    # The database makes no difference to what is released.
    hashes = [answer(played, "release", "list")[0]["manifest_hash"],
              answer(home, "release", "list", env=env)[0]["manifest_hash"]]  # fmt: skip
    assert hashes[0] == hashes[1]

    called = Called(home, "worker", ASSAY_DATABASE_URL=postgres_url)
    called.wait_for("is running")
    refused = call(home, "store", "reset", "--yes", env=env)
    assert (refused.exit_code, "worker_running" in refused.stderr) == (4, True)
    called.process.terminate()
    assert called.end().code == 143
    reset = call(home, "store", "reset", "--yes", env=env)
    assert reset.exit_code == 0, reset.stderr
    assert answer(home, "status", env=env)["documents"] == 0
