"""Every command that looks, in its text and its JSON form."""

import json
from pathlib import Path

import pytest

from assay.cli.doctor import assess_confinement
from assay.engine.sandbox import Confinement
from tests.cli.calls import answer, call, refusal


def test_init_can_be_repeated(home: Path) -> None:
    first = answer(home, "init")
    assert first["made"] is True
    assert first["schema_before"] is None
    again = call(home, "init")
    assert again.exit_code == 0
    assert "already exists" in again.stdout
    assert "up to date" in again.stdout
    assert answer(home, "init")["schema_before"] == first["schema"]


def test_json_is_taken_before_and_after_the_command(played: Path) -> None:
    before = call(played, "--json", "status")
    after = call(played, "status", "--json")
    assert json.loads(before.stdout) == json.loads(after.stdout)
    assert json.loads(call(played, "runs", "list", "--json").stdout)


def test_packs_say_what_they_add(home: Path) -> None:
    found = {pack["name"]: pack["adds"] for pack in answer(home, "packs")}
    assert {"commands", "routes", "family"} <= set(found["graph"])
    assert {"commands", "evaluation"} <= set(found["regulatory"])
    assert "routes" not in found["regulatory"]
    assert "Rules from gazettes" in call(home, "packs").stdout


def test_status(played: Path) -> None:
    found = answer(played, "status")
    assert found["documents"] == 10
    assert found["queues"]["fetch"] == {"waiting": 0, "delayed": 0, "running": 0, "dead": 0}
    text = call(played, "status")
    assert text.exit_code == 0
    for word in ("sentinel", "waiting", "candidates", "ingested", str(found["documents"])):
        assert word in text.stdout


def test_status_watch_shows_it_again_and_again(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def no_sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.home.time.sleep", no_sleep)
    result = call(played, "status", "--watch")
    assert result.exit_code == 130
    assert result.stdout.count("sentinel") == 3
    assert result.stderr == ""
    assert call(played, "status", "--watch", "--json").exit_code == 2


def test_jobs_list_and_show(played: Path) -> None:
    found = answer(played, "jobs", "list", "--stage", "scout", "--state", "done", "--limit", "3")
    assert len(found) == 3
    assert {job["stage"] for job in found} == {"scout"}
    name = found[0]["job_id"]
    assert name in call(played, "jobs", "list", "--stage", "scout").stdout
    shown = answer(played, "jobs", "show", name)
    assert shown["attempts"][0]["outcome"] == "done"
    text = call(played, "jobs", "show", name).stdout
    assert name in text
    assert "outcome" in text
    run_id = found[0]["run_id"]
    assert answer(played, "jobs", "list", "--run", run_id, "--stage", "sentinel")


def test_jobs_retry_and_cancel(played: Path) -> None:
    name = answer(played, "jobs", "list", "--stage", "router", "--limit", "1")[0]["job_id"]
    code, error = refusal(played, "jobs", "cancel", name)
    assert (code, error["code"]) == (3, "invalid_input")
    assert answer(played, "jobs", "retry", name) == {"retried": 1}
    code, error = refusal(played, "jobs", "retry", name)
    assert (code, error["code"]) == (3, "invalid_input")
    assert answer(played, "status")["queues"]["router"]["waiting"] == 1
    assert answer(played, "jobs", "cancel", name) == {"cancelled": [name]}
    assert "1 job queued again" in call(played, "jobs", "retry", name).stdout
    assert "1 job cancelled" in call(played, "jobs", "cancel", name).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("jobs", "list", "--stage", "scuot"),
        ("jobs", "list", "--run", "nowhere"),
        ("jobs", "show", "nobody"),
        ("jobs", "retry", "nobody"),
        ("dead", "list", "--stage", "scuot"),
        ("dead", "show", "nobody"),
        ("dead", "retry", "nobody"),
        ("runs", "show", "nowhere"),
        ("runs", "verify", "nowhere"),
    ],
)
def test_what_does_not_exist_is_said_to_be_missing(
    played: Path, arguments: tuple[str, ...]
) -> None:
    code, error = refusal(played, *arguments)
    assert (code, error["code"], error["class"]) == (3, "not_found", "VALIDATION")
    if "scuot" in arguments:
        assert "Did you mean 'scout'?" in error["advice"]


def test_runs_list_and_show(played: Path) -> None:
    found = answer(played, "runs", "list")
    assert [run["state"] for run in found] == ["sealed"] * 3
    assert [run["label"] for run in found] == ["release", "demo", "demo"]
    assert [run["params"]["day"] for run in found[1:]] == [2, 1]
    assert len(answer(played, "runs", "list", "--limit", "1")) == 1
    name = found[1]["run_id"]
    assert name in call(played, "runs", "list").stdout
    shown = answer(played, "runs", "show", name)
    assert shown["events"]["endpoint.scanned"] == 12
    assert shown["jobs_left"] == 0
    text = call(played, "runs", "show", name).stdout
    assert "done 1" in text
    assert Path(shown["folder"]).is_dir()


def test_runs_verify(played: Path) -> None:
    assert all(verdict["sound"] for verdict in answer(played, "runs", "verify"))
    name = answer(played, "runs", "list")[0]["run_id"]
    assert "sound" in call(played, "runs", "verify", name).stdout


def test_contracts_need_no_home(home: Path) -> None:
    found = answer(home, "contracts")
    stages = [
        "sentinel", "listing", "fetch", "history", "intake", "scout", "router", "ocr", "extract",
        "compose", "apply", "review", "arbiter", "release", "embed", "notice", "deliver",
        "civic_sync", "civic_document",
        "civic_texts", "civic_process", "civic_batch", "civic_result", "literature_list",
        "literature_piece", "literature_record", "literature_identity", "literature_resolve",
        "literature_text", "literature_index", "law_act",
        "law_statute",
    ]  # fmt: skip
    assert [entry["stage"] for entry in found] == stages
    assert found[0]["next"] == [
        "civic_result", "civic_sync", "fetch", "history", "listing", "literature_list", "scout",
    ]  # fmt: skip
    assert found[0]["gates"] == ["endpoint_is_open"]
    table = call(home, "contracts").stdout
    for column in ("stage", "purpose", "payload", "reads", "writes", "gates", "next", "rate"):
        assert column in table
    picture = call(home, "contracts", "--format", "mermaid").stdout
    assert picture.startswith("flowchart LR\n")
    assert "    fetch --> scout\n" in picture
    page = call(home, "contracts", "--format", "markdown").stdout.splitlines()
    assert page[0].startswith("| stage | purpose |")
    assert len(page) == 2 + len(found)
    assert not home.exists()


def test_contracts_on_a_narrow_terminal_are_lists(home: Path) -> None:
    result = call(home, "contracts", env={"FORCE_COLOR": "1", "COLUMNS": "60"})
    assert result.exit_code == 0
    assert "endpoint_is_open" in result.stdout


def test_dump_in_all_its_forms(played: Path, tmp_path: Path) -> None:
    lines = call(played, "store", "dump").stdout.splitlines()
    tables = {json.loads(line)["table"] for line in lines}
    assert {"evidence", "jobs", "runs"} <= tables
    assert len(json.loads(call(played, "store", "dump", "--json").stdout)) == len(lines)
    out = tmp_path / "dump.jsonl"
    out.write_text("older")
    told = answer(played, "store", "dump", "--canonical", "--out", str(out))
    canonical = out.read_text().splitlines()
    assert told == {"file": str(out), "rows": len(canonical)}
    assert call(played, "store", "dump", "--canonical").stdout.splitlines() == canonical
    assert not any("fetched_ms" in line for line in canonical)
    assert [path.name for path in tmp_path.glob(".dump*")] == []


def test_dump_of_an_empty_store_is_an_empty_array(home: Path) -> None:
    call(home, "init")
    assert json.loads(call(home, "store", "dump", "--canonical", "--json").stdout) == []


def test_migrate(played: Path) -> None:
    found = answer(played, "store", "migrate")
    assert found["schema_before"] == found["schema"]
    assert "up to date" in call(played, "store", "migrate").stdout


def test_reset_wants_a_yes(played: Path) -> None:
    code, error = refusal(played, "store", "reset")
    assert (code, error["code"]) == (3, "confirmation_missing")
    assert answer(played, "status")["documents"] == 10
    assert answer(played, "store", "reset", "--yes") == {"reset": str(played)}
    assert answer(played, "status")["documents"] == 0
    assert list((played / "blobs").iterdir()) == []
    assert "is empty" in call(played, "store", "reset", "--yes").stdout


def test_doctor_on_a_sound_home(played: Path) -> None:
    found = {entry["name"]: entry for entry in answer(played, "doctor")}
    assert set(found) == {
        "python", "dbos", "extras", "settings", "home", "disk", "models", "ocr", "sandbox", "packs",
        "database", "schema", "workers", "spending", "sources",
    }  # fmt: skip
    assert {entry["level"] for entry in found.values()} == {"ok"}
    text = call(played, "doctor").stdout
    assert text.count("ok ") == len(found)
    assert "SQLite" in text


def test_doctor_says_what_an_old_landlock_leaves_to_seccomp() -> None:
    old, new = (assess_confinement(Confinement({}, version)) for version in (5, 6))
    assert (old.level, new.level) == ("ok", "ok")
    assert "Landlock 5 is older than 6, so seccomp alone refuses signals" in old.what
    assert "Landlock" not in new.what


def test_doctor_where_there_is_nothing_says_what_to_do(home: Path) -> None:
    result = call(home, "doctor")
    assert result.exit_code == 0
    assert "does not exist. Run 'assay init'." in result.stdout
    assert "Run 'assay init'" in result.stdout
    assert not home.exists()
    call(home, "init")
    (home / "assay.db").unlink()
    assert "warn database: there is no store yet" in call(home, "doctor").stdout
    assert not (home / "assay.db").exists()


def test_doctor_lists_every_setting(home: Path) -> None:
    rows = answer(home, "doctor", "--settings", env={"ASSAY_GRACE_S": "7"})
    found = {row["setting"]: row for row in rows}
    assert found["grace_s"]["value"] == 7.0
    assert found["grace_s"]["default"] == 20.0
    assert found["grace_s"]["variable"] == "ASSAY_GRACE_S"
    assert all(row["help"] for row in rows)
    assert "retry_delays_s" in call(home, "doctor", "--settings").stdout


def test_doctor_never_shows_a_password(home: Path) -> None:
    env = {"ASSAY_DATABASE_URL": "postgresql://me:sesame@localhost:1/none"}
    result = call(home, "doctor", "--settings", env=env)
    assert "sesame" not in result.output
    assert "me:***@localhost" in result.output
