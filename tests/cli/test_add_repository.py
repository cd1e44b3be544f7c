"""`assay add REPO`: a git repository with its history, from the command line."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import QUICK, answer, call, real, refusal
from tests.repositories import GitRepository, make_repository

ACT = """Value Added Tax Act. Article 1. The standard rate of value added tax is {rate} %, and
applies to every taxpayer under this Act. Article 2. Records shall be kept for ten years.
"""


@pytest.fixture
def laws(home: Path, tmp_path: Path) -> GitRepository:
    call(home, "init")
    made = make_repository(tmp_path / "laws")
    made.commit("2014-02-01", {"b/vat.txt": ACT.format(rate=20), "notes.txt": "Notes."})
    made.commit("2020-02-01", {"b/vat.txt": ACT.format(rate=22)})
    return made


def add(home: Path, *words: str, code: int = 0) -> dict[str, Any]:
    told = call(home, "add", *words, "--pack", "regulatory", "--json", env=QUICK)
    assert told.exit_code == code, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_a_repository_is_added_with_its_history(home: Path, laws: GitRepository) -> None:
    added = add(home, str(laws.path), "--path", "b/**", "--since", "2015")
    assert (added["source"], added["is_new"]) == ("laws", True)
    assert (added["documents"], added["versions"], added["gone"]) == (1, 2, 0)
    facts = answer(home, "facts", "list")
    assert {f["value"] for f in facts if f["concept"] == "pdv.rate"} == {"20", "22"}
    again = add(home, str(laws.path), "--path", "b/**", "--since", "2015")
    assert (again["is_new"], again["versions"]) == (False, 2)
    text = call(home, "add", str(laws.path), "--path", "b/**", "--pack", "regulatory", env=QUICK)
    assert "1 document, 2 versions, 0 gone." in text.output


def test_a_folder_of_files_stays_a_folder_of_files(home: Path, laws: GitRepository) -> None:
    added = add(home, str(laws.path))
    assert added["new"] == 2
    bare = laws.path.parent / "bare"
    laws.git("clone", "--quiet", "--bare", str(laws.path), str(bare))
    assert add(home, str(bare), "--source", "bare")["versions"] == 3


def test_a_rewritten_history_ends_with_exit_code_5_until_it_is_accepted(
    home: Path, laws: GitRepository
) -> None:
    add(home, str(laws.path), "--path", "b/**")
    laws.git("reset", "--quiet", "--hard", "HEAD~1")
    laws.commit("2020-03-01", {"b/vat.txt": ACT.format(rate=30)})
    assert add(home, str(laws.path), "--path", "b/**", code=5)["dead"] == 1
    (dead,) = answer(home, "dead", "list")
    assert "--accept-rewritten" in dead["error_message"]
    accepted = add(home, str(laws.path), "--accept-rewritten")
    assert (accepted["dead"], accepted["versions"]) == (0, 3)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--since", "soon"], "'since' cannot be read: 'soon' is not a valid date"),
        (["other", "--since", "2015"], "A git repository is added alone."),
    ],
)
def test_wrong_options_say_what_is_wrong(
    home: Path, laws: GitRepository, words: list[str], reason: str
) -> None:
    _, error = refusal(home, "add", str(laws.path), *words, "--pack", "regulatory")
    assert reason in error["message"]


def test_addresses_of_other_transports_are_refused(home: Path) -> None:
    call(home, "init")
    for url in ("ssh://git@example.org/laws.git", "file:///srv/laws.git"):
        _, error = refusal(home, "add", url, "--pack", "regulatory")
        assert error["code"] == "address_refused"


@pytest.mark.parametrize("fault", ["commit.after_records@2", "commit.before_commit@2"])
def test_a_killed_process_loses_and_doubles_nothing(
    home: Path, laws: GitRepository, fault: str
) -> None:
    words = ("add", str(laws.path), "--pack", "regulatory", "--since", "2010")
    killed = real(home, *words, ASSAY_FAULT=fault)
    assert killed.code != 0
    assert real(home, "run").code == 0
    with sqlite3.connect(home / "assay.db") as store:
        (versions,) = store.execute("SELECT count(*) FROM evidence").fetchone()
        (files,) = store.execute("SELECT count(*) FROM repository_files").fetchone()
        (open_jobs,) = store.execute("SELECT count(*) FROM jobs WHERE ended_ms IS NULL").fetchone()
    assert (versions, files, open_jobs) == (3, 2, 0)
    assert answer(home, "dead", "list") == []
