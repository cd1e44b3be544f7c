"""An empty list is one sentence for a person, and an empty list with --json."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.model.facts import CoverageReport
from assay.settings import load_settings
from assay.store.upserts import upsert_records
from tests.cli.calls import answer, call
from tests.ready import ReadyStores

_FIND = "'assay run' reads documents and looks for facts and rules."
EMPTY = {
    "audit list": "The audit log is empty.",
    "audit list --subject x": "No entries match.",
    "circuit status": "No providers are configured, and none was ever called.",
    "conflicts list": "No open conflicts.",
    "conflicts list --all": "No conflicts.",
    "cooldown list": "No source is in cooldown or paused.",
    "dead list": "No dead letters.",
    "dead list --stage fetch": "No dead letters in stage fetch.",
    "facts list": f"No facts yet. {_FIND}",
    "facts rejected": "No rejected claims yet.",
    "jobs list": "No jobs yet. 'assay run' creates them.",
    "jobs list --state dead": "No jobs match.",
    "release list": "No releases yet. Create one with 'assay release create'.",
    "review list": "No open questions.",
    "review list --overdue": "No questions match.",
    "rules list": f"No rules yet. {_FIND}",
    "rules list --concept x": "No rules match.",
    "runs list": "No runs yet. Start one with 'assay run'.",
    "runs verify": "No runs yet. Start one with 'assay run'.",
    "sources list": "No sources yet. Add one with 'assay sources add'.",
}


@pytest.fixture
def empty(home: Path, ready_stores: ReadyStores) -> Path:
    settings = load_settings(home=home, env={})
    init_home(settings)
    ready_stores.place(settings)
    return home


@pytest.mark.parametrize("command", EMPTY)
def test_an_empty_list_is_one_sentence(empty: Path, command: str) -> None:
    assert call(empty, *command.split()).stdout == f"{EMPTY[command]}\n"
    assert answer(empty, *command.split()) == []


def test_the_coverage_of_nothing_has_no_share(empty: Path) -> None:
    assert call(empty, "coverage").stdout == f"No documents yet. {_FIND}\n"
    found = answer(empty, "coverage")
    assert (found["documents"], found["share"], found["reports"]) == (0, None, [])


def test_the_coverage_of_a_document_without_relevant_sentences_has_no_share(
    empty: Path, opened: Callable[[Path], App]
) -> None:
    report = CoverageReport(
        evidence_id="ev_1", pack="regulatory", artifact_id="ar_1", sentences=9, relevant=0,
        covered=0, facts=0, rejected=0, extractor="deterministic@1",
    )  # fmt: skip
    with opened(empty).engine.begin() as connection:
        upsert_records(connection, [report])
    shown = call(empty, "coverage").stdout
    assert shown.startswith("No relevant sentences in 1 document; 0 facts, 0 rejected.\n")
    assert "%" not in shown and "–" in shown
    assert answer(empty, "coverage")["share"] is None


def test_an_empty_audit_log_is_called_empty(empty: Path) -> None:
    assert call(empty, "audit", "verify").stdout == "ok    The audit log is empty.\n"
    assert answer(empty, "audit", "verify")["entries"] == 0
