"""Runs of an application: their folder and their row agree, whatever happens between."""

import json
from pathlib import Path

import pytest

from assay.app import App
from assay.app import runs as app_runs
from assay.errors import RunIdReused
from assay.store.runs import MANIFEST
from tests.store.test_run_folders import RUN, kill_while_sealing


def sealed_run(app: App, run_id: str) -> Path:
    app_runs.start_run(app, run_id=run_id)
    assert app_runs.seal_finished_runs(app) == [run_id]
    return app.folders.path(run_id)


def test_a_sealed_run_is_sound_and_the_store_keeps_its_manifests_hash(app: App) -> None:
    path = sealed_run(app, "r1")
    run = app_runs.get_run(app, "r1")
    assert run.state == app_runs.SEALED
    assert run.manifest_hash == app.folders.manifest_hash("r1")
    (verdict,) = app_runs.verify_runs(app)
    assert (verdict.run_id, verdict.sealed, verdict.faults) == ("r1", True, ())
    events = [json.loads(line) for line in (path / "events.jsonl").read_bytes().splitlines()]
    assert [event["tag"] for event in events] == ["run.started"]


def test_a_used_run_id_is_refused_even_where_its_folder_was_taken_away(app: App) -> None:
    path = sealed_run(app, "r1")
    with pytest.raises(RunIdReused):
        app_runs.start_run(app, run_id="r1")
    path.chmod(0o755)
    for entry in path.iterdir():
        entry.unlink()
    path.rmdir()
    with pytest.raises(RunIdReused):
        app_runs.start_run(app, run_id="r1")
    assert [run.run_id for run in app_runs.list_runs(app)] == ["r1"]


def test_a_forged_folder_is_found_by_the_stores_hash(app: App) -> None:
    path = sealed_run(app, "r1")
    path.chmod(0o755)
    (path / MANIFEST).chmod(0o644)
    (path / MANIFEST).write_bytes((path / MANIFEST).read_bytes() + b" ")
    (verdict,) = app_runs.verify_runs(app, "r1")
    assert verdict.faults == ("the manifest is not the one recorded in the store",)


def test_a_run_whose_sealing_was_killed_is_sealed_after_it_was_resumed(app: App) -> None:
    # Resuming writes an event, so that the export differs from the half that was left behind.
    app_runs.start_run(app, run_id=RUN)
    events = app.folders.path(RUN) / "events.jsonl"
    assert kill_while_sealing(app.folders, 8, {"events.jsonl": [b"as it was\n"], "b": [], "c": []})
    assert events.read_bytes() == b"as it was\n"
    assert not app.folders.is_sealed(RUN)
    app_runs.record_resumption(app, RUN)
    assert app_runs.seal_finished_runs(app) == [RUN]
    assert b"run.resumed" in events.read_bytes()
    assert app_runs.verify_runs(app)[0].faults == ()
