"""`store check` finds what was done to a store behind its back."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cli.calls import answer, call


def _findings(home: Path, code: int) -> dict[str, dict[str, Any]]:
    result = call(home, "store", "check", "--json")
    assert result.exit_code == code, result.output
    return {entry["name"]: entry for entry in json.loads(result.stdout)}


def _blob(home: Path) -> Path:
    """The bytes of a piece of evidence."""
    with closing(sqlite3.connect(home / "assay.db")) as connection:
        (name,) = connection.execute("SELECT min(content_hash) FROM evidence").fetchone()
    return home / "blobs" / str(name)[:2] / str(name)


def _sql(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "assay.db")) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_sound_store(played: Path) -> None:
    found = _findings(played, 0)
    assert {entry["level"] for entry in found.values()} == {"ok"}
    assert set(found) == {
        "schema", "database", "blobs", "evidence", "unfinished files", "open jobs", "runs",
        "spending", "audit log", "guards", "hashed rows",
    }  # fmt: skip
    assert call(played, "store", "check").stdout.count("ok ") == len(found)


def test_an_altered_blob_is_named(played: Path) -> None:
    blob = _blob(played)
    blob.chmod(0o644)
    blob.write_bytes(b"forged")
    found = _findings(played, 5)
    assert found["blobs"]["level"] == "fail"
    assert found["blobs"]["cases"] == [blob.name]
    assert blob.name in call(played, "store", "check").stdout


def test_a_missing_blob_is_named_with_its_evidence(played: Path) -> None:
    blob = _blob(played)
    blob.unlink()
    found = _findings(played, 5)
    assert found["evidence"]["level"] == "fail"
    assert blob.name in found["evidence"]["cases"][0]


def test_unfinished_files_are_counted_and_harmless(played: Path) -> None:
    (_blob(played).parent / ".new-abc").write_bytes(b"half")
    found = _findings(played, 0)
    assert found["unfinished files"]["level"] == "warn"
    assert found["unfinished files"]["what"].startswith("1,")
    assert found["blobs"]["level"] == "ok"


def test_an_open_job_that_no_queue_knows_is_named(played: Path) -> None:
    name = answer(played, "jobs", "list", "--stage", "router", "--limit", "1")[0]["job_id"]
    answer(played, "jobs", "retry", name)
    assert _findings(played, 0)["open jobs"]["what"].startswith("1,")
    _sql(played, "UPDATE workflow_status SET status = 'ERROR' WHERE status = 'ENQUEUED'")
    assert _findings(played, 0)["open jobs"]["level"] == "warn"
    _sql(played, "DELETE FROM workflow_status WHERE status = 'ERROR'")
    found = _findings(played, 5)
    assert found["open jobs"]["cases"] == [name]
    # The advice holds: cancelled and retried, it stands in a queue again.
    answer(played, "jobs", "cancel", name)
    answer(played, "jobs", "retry", name)
    assert _findings(played, 0)["open jobs"]["level"] == "ok"


def test_an_altered_run_folder_is_named(played: Path) -> None:
    name = answer(played, "runs", "list")[0]["run_id"]
    file = played / "runs" / name / "summary.json"
    file.chmod(0o644)
    file.write_text("{}")
    found = _findings(played, 5)
    assert found["runs"]["cases"] == [f"{name}: summary.json was altered"]


def test_tables_of_a_pack_that_is_gone_are_reported_and_stop_nobody(played: Path) -> None:
    _sql(played, "CREATE TABLE assay_schema_harbour (version_num VARCHAR(32) NOT NULL)")
    _sql(played, "INSERT INTO assay_schema_harbour VALUES ('0002')")
    assert _findings(played, 0)["schema"]["level"] == "ok"
    (schema,) = [entry for entry in answer(played, "doctor") if entry["name"] == "schema"]
    assert schema["level"] == "warn"
    assert "packs that are not installed: harbour" in schema["what"]
    refused = call(played, "store", "reset", "--yes")
    assert refused.exit_code != 0
    assert "tables of the pack 'harbour', which is not installed" in refused.output
    assert answer(played, "status")["evidence"] > 0
