"""Documents, their versions, texts and changes, and evidence with its quotes."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import answer, call, refusal

COLOURED = {"TTY_COMPATIBLE": "1", "COLUMNS": "100", "TERM": "xterm-256color"}


@pytest.fixture
def changed(played: Path) -> dict[str, Any]:
    """The document of the demo that has two versions."""
    (found,) = (d for d in answer(played, "documents", "list") if d["versions"] == 2)
    shown: dict[str, Any] = answer(played, "documents", "show", found["doc_id"])
    return shown


def test_documents_are_listed_and_counted(played: Path) -> None:
    found = answer(played, "documents", "list")
    assert len(found) == answer(played, "status")["documents"]
    text = call(played, "documents", "list").stdout
    assert text.startswith(f"{len(found)} ingested: its facts were extracted\n")
    assert all(document["doc_id"] in text for document in found)
    changes = [document["changed_ms"] for document in found]
    assert changes == sorted(changes, reverse=True)


def test_documents_are_filtered(played: Path, changed: dict[str, Any]) -> None:
    own = answer(played, "documents", "list", "--source", changed["source_slug"])
    assert {document["source_slug"] for document in own} == {changed["source_slug"]}
    assert answer(played, "documents", "list", "--state", "blocked") == []
    assert answer(played, "documents", "list", "--reason", "FACTS were extracted")
    assert answer(played, "documents", "list", "--reason", "nothing of the kind") == []
    assert answer(played, "documents", "list", "--since", "1h")
    assert answer(played, "documents", "list", "--since", "2999-01-01") == []
    assert "No documents match." in call(played, "documents", "list", "--state", "failed").stdout
    code, error = refusal(played, "documents", "list", "--since", "yesterday")
    assert (code, error["code"]) == (3, "invalid_input")
    assert "YYYY-MM-DD" in error["advice"]


def test_a_document_shows_versions_judgement_facts_and_history(
    played: Path, changed: dict[str, Any]
) -> None:
    assert [version["number"] for version in changed["versions"]] == [1, 2]
    assert [version["is_current"] for version in changed["versions"]] == [False, True]
    assert {result["evidence_id"] for result in changed["scout_results"]} == {
        version["evidence_id"] for version in changed["versions"]
    }
    assert changed["history"][0]["reason"] == "fetched"
    text = call(played, "documents", "show", changed["doc_id"]).stdout
    for word in (
        changed["url"], "2 (current)", "EXTRACT_LOCAL", changed["routing"][0]["reason"],
        *(fact["fact_id"] for fact in changed["facts"]),
    ):  # fmt: skip
        assert word in text


def test_a_document_is_found_by_any_of_its_names(played: Path, changed: dict[str, Any]) -> None:
    names = [
        changed["doc_id"][:12], changed["versions"][0]["evidence_id"],
        changed["versions"][1]["evidence_id"][:9], changed["url"],
    ]  # fmt: skip
    for name in names:
        assert answer(played, "documents", "show", name)["doc_id"] == changed["doc_id"]
    code, error = refusal(played, "documents", "show", "http://nowhere.test/")
    assert (code, error["code"]) == (3, "not_found")


def test_a_diff_shows_the_words_that_changed(played: Path, changed: dict[str, Any]) -> None:
    text = call(played, "documents", "diff", changed["doc_id"]).stdout
    assert "iznosi [-8,15-] % godišnje" in text
    assert "iznosi {+7,90+} % godišnje" in text
    found = answer(played, "documents", "diff", changed["doc_id"])
    assert (found["from"]["number"], found["to"]["number"]) == (1, 2)
    assert {line["kind"] for line in found["lines"]} == {"added", "removed"}
    back = answer(played, "documents", "diff", changed["doc_id"], "--from", "2", "--to", "1")
    added = [line["text"] for line in found["lines"] if line["kind"] == "added"]
    assert [line["text"] for line in back["lines"] if line["kind"] == "removed"] == added
    coloured = call(played, "documents", "diff", changed["doc_id"], env=COLOURED).stdout
    assert "\x1b[" in coloured and "{+" not in coloured
    plain = call(played, "documents", "diff", changed["doc_id"], env={**COLOURED, "NO_COLOR": "1"})
    assert "{+7,90+}" in plain.stdout


def test_a_diff_starts_from_the_version_that_was_seen(
    played: Path, changed: dict[str, Any]
) -> None:
    name = changed["doc_id"]
    code, error = refusal(played, "documents", "diff", name, "--since-seen")
    assert (code, error["code"]) == (3, "not_found")
    assert "--mark-seen" in error["advice"]
    answer(played, "documents", "text", name, "--version", "1", "--mark-seen")
    seen = answer(played, "documents", "diff", name, "--since-seen", "--mark-seen")
    assert (seen["from"]["number"], seen["to"]["number"]) == (1, 2)
    assert answer(played, "documents", "diff", name, "--since-seen")["lines"] == []
    assert (
        "The texts are the same." in call(played, "documents", "diff", name, "--since-seen").stdout
    )
    shown = answer(played, "documents", "show", name)
    assert shown["seen"]["evidence_id"] == changed["versions"][1]["evidence_id"]


def test_a_document_with_one_version_has_no_diff(played: Path) -> None:
    single = next(d for d in answer(played, "documents", "list") if d["versions"] == 1)
    code, error = refusal(played, "documents", "diff", single["doc_id"])
    assert (code, error["code"]) == (3, "not_found")
    assert "only one version" in error["message"]


def test_the_text_of_any_version(played: Path, changed: dict[str, Any]) -> None:
    name = changed["doc_id"]
    assert "7,90 %" in call(played, "documents", "text", name).stdout
    assert "8,15 % godišnje" in call(played, "documents", "text", name, "--version", "1").stdout
    first = changed["versions"][0]["evidence_id"]
    assert answer(played, "documents", "text", name, "--version", first[:10])["version"] == 1
    code, error = refusal(played, "documents", "text", name, "--version", "9")
    assert (code, error["code"]) == (3, "not_found")


def test_evidence_shows_the_quotes_of_its_facts(played: Path, changed: dict[str, Any]) -> None:
    fact = next(f for f in changed["facts"] if f["value"] == "7.9")
    text = call(played, "evidence", "show", fact["evidence_id"]).stdout
    assert f"[[{fact['quote']}]]" in text
    assert fact["fact_id"] in text
    alone = call(played, "evidence", "show", fact["evidence_id"], "--fact", fact["fact_id"][:12])
    assert alone.stdout.count("[[") == 1
    found = answer(played, "evidence", "show", fact["evidence_id"])
    for entry in found["facts"]:
        assert found["text"][entry["start"] : entry["end"]] == entry["quote"]
    coloured = call(played, "evidence", "show", fact["evidence_id"], env=COLOURED).stdout
    assert "[[" not in coloured and "\x1b[" in coloured
    other = next(f for f in changed["facts"] if f["evidence_id"] != fact["evidence_id"])
    code, error = refusal(
        played, "evidence", "show", fact["evidence_id"], "--fact", other["fact_id"]
    )
    assert (code, error["code"]) == (3, "not_found")


def test_ids_can_be_abbreviated_everywhere(played: Path) -> None:
    rule = answer(played, "rules", "list")[0]["rule_id"]
    assert answer(played, "rules", "show", rule[:9])["rule_id"] == rule
    assert answer(played, "review", "show", rule[:9])["rule_id"] == rule
    job = answer(played, "jobs", "list", "--stage", "release")[0]["job_id"]
    assert answer(played, "jobs", "show", job[:9])["job_id"] == job
    run = answer(played, "runs", "list")[0]["run_id"]
    assert answer(played, "runs", "show", run[:-2])["run_id"] == run
    assert answer(played, "jobs", "list", "--run", run[:-2])[0]["run_id"] == run
    assert len(answer(played, "runs", "verify", run[:-2])) == 1
    evidence = answer(played, "facts", "list")[0]["evidence_id"]
    assert answer(played, "facts", "list", "--evidence", evidence[:9])
    assert answer(played, "audit", "list", "--subject", rule[:9])[0]["subject"] == rule


def test_an_abbreviation_of_several_ids_names_them(played: Path) -> None:
    rules = {rule["rule_id"] for rule in answer(played, "rules", "list")}
    few = next(
        [rule for rule in rules if rule.startswith(prefix)]
        for prefix in sorted({rule[:4] for rule in rules})
        if 1 < sum(rule.startswith(prefix) for rule in rules) <= 10
    )
    code, error = refusal(played, "rules", "show", few[0][:4])
    assert (code, error["code"]) == (3, "ambiguous_id")
    assert all(rule in error["message"] for rule in few)
    code, error = refusal(played, "rules", "show", "rl_")
    assert error["code"] == "not_found"
    code, error = refusal(played, "rules", "show", "RL_0")
    assert error["code"] == "not_found"
