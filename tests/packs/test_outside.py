"""A pack outside the tree, as its own distribution: from fetch to release, killed in between."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import assay
from tests.bad_site import BadSite, serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.forking import Forked
from tests.waiting import PATIENCE_S, until

OUTSIDE = Path(__file__).parent / "outside"
HOST = "board.test"
KILLS = (
    "batch.after_read@2",
    "batch.after_work@3",
    "commit.after_fence@2",
    "commit.after_records@4",
    "commit.after_jobs@1",
    "commit.before_commit@3",
    "commit.after@2",
    "batch.end@1",
)
NOTICES = {
    "n1.html": "Line 602 runs as planned from 1 March.",
    "n2.html": "Line 604 is cancelled because of high waves. Line 605 runs as planned.",
    "n3.html": "Line 606 may not run after noon.",
}
CLIENT = {"name": "test", "version": "1"}
FILLER = "The harbour office of the island publishes what its ferries do, day by day. " * 4


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The distribution, installed into a folder of its own."""
    target = tmp_path_factory.mktemp("ferries")
    # A copy, since building leaves files beside the sources.
    tree = shutil.copytree(OUTSIDE, tmp_path_factory.mktemp("tree") / "ferries")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--no-index", "--disable-pip-version-check", "--target", str(target), str(tree)],
        check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    return target


@pytest.fixture
def board() -> Iterator[BadSite]:
    """A board with two lines and three notices."""
    with serve_in_thread({}) as site:
        lines = [{"id": "west", "changed": "2026-03-01"}, {"id": "east", "changed": "2026-03-01"}]
        of_line = {"west": ["n1.html", "n2.html"], "east": ["n3.html"]}
        site.paths["/lines.json"] = serve_page(json.dumps({"lines": lines}).encode())
        for name, notices in of_line.items():
            told = json.dumps({"notices": notices}).encode()
            site.paths[f"/lines/{name}.json"] = serve_page(told)
        for name, words in NOTICES.items():
            text = f"<html><title>{name}</title><body><p>{words}</p><p>{FILLER}</p></body></html>"
            site.paths[f"/{name}"] = serve_page(text.encode())
        yield site


@dataclass
class Office:
    """One home, and the program that works on it with the pack."""

    home: Path
    installed: Path
    site: BadSite
    database_url: str | None
    settings: dict[str, str] = field(default_factory=dict)
    anew: bool = False
    """Whether all commands run in a new Python."""

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """A command under way, in a new Python."""
        given = [sys.executable, "-m", "assay.cli", "--home", str(self.home), *words]
        return subprocess.Popen(
            given,
            env=self._env(),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def fork(self, *words: str, fault: str = "") -> Forked:
        """The same in a fork; `fault` kills it on the way."""
        env = {**self._env(), "ASSAY_FAULT": fault}
        given = ("--home", str(self.home), *words)
        return Forked("assay.cli", *given, env=env, path=[self.installed])

    def _env(self) -> dict[str, str]:
        path = os.pathsep.join((str(self.installed), str(Path(assay.__file__).parents[1])))
        env = {
            **os.environ,
            "PYTHONPATH": path,
            "ASSAY_POLLING_S": "0.05",
            "ASSAY_FETCH_GAP_S": "0",
            "ASSAY_READ_PROCESSES": "1",
        }
        return {**env, "ASSAY_DATABASE_URL": self.database_url} if self.database_url else env

    def call(self, *words: str, code: int = 0) -> str:
        """What a command prints."""
        process = self.start(*words) if self.anew else self.fork(*words)
        printed, errors = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == code, f"{words}: {printed}{errors}"
        return printed

    def is_killed(self, fault: str) -> bool:
        """Whether a run was killed at that point; it may end before it comes there."""
        process = self.fork("run", fault=fault)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode in (0, -signal.SIGKILL)
        return process.returncode != 0

    def ask(self, *words: str) -> Any:
        return json.loads(self.call("--json", *words))

    def begin(self, folder: Path) -> None:
        """A home that watches one harbour of the board."""
        self.call("init")
        hosts = f'[hosts]\n"{HOST}" = "{self.site.url}"\n'
        (self.home / "assay.toml").write_text(hosts, encoding="utf-8")
        harbour = folder / "island"
        harbour.mkdir(parents=True)
        (harbour / "source.yml").write_text(
            f"name: Island harbour\nbase_url: http://{HOST}/\npack: ferries\nendpoints:\n"
            f"  board:\n    url: http://{HOST}/\n    strategy: ferry_board\n"
            f"    frequency: EVERY_RUN\n    options: {{base: 'http://{HOST}'}}\n",
            encoding="utf-8",
        )
        self.call("sources", "add", str(harbour))

    def finish(self) -> dict[str, Any]:
        """What a person answers, and the release that follows."""
        (question,) = [q for q in self.ask("review", "list") if q["subject_kind"] == "ferry_notice"]
        assert "Does line 606 run?" in question["question"]
        self.call("review", "answer", question["request_id"], "perhaps", "--by", "Ana", code=3)
        self.call("review", "answer", question["request_id"], "cancelled", "--by", "Ana")
        self.call("release", "create", "--pack", "ferries", "--by", "Ana")
        (made,) = self.ask("release", "list")
        verified = self.ask("release", "verify")
        assert verified["ok"] is True
        return dict(made)


@pytest.fixture
def office(tmp_path: Path, installed: Path, board: BadSite, database_url: str | None) -> Office:
    made = Office(tmp_path / "home", installed, board, database_url)
    made.begin(tmp_path / "sources")
    return made


def test_it_runs_from_fetch_to_release_and_offers_all_that_it_declares(office: Office) -> None:
    office.call("run")
    notices = office.ask("ferries", "list")
    assert sorted((n["line"], n["status"], n["state"]) for n in notices) == [
        ("602", "runs", "GRADED"),
        ("604", "cancelled", "GRADED"),
        ("605", "runs", "GRADED"),
        ("606", "unclear", "ASKED"),
    ]
    assert all(n["quote"] in " ".join(NOTICES.values()) for n in notices)
    (run,) = office.ask("runs", "list")
    assert office.ask("runs", "show", run["run_id"])["events"]["ferries.line_cancelled"] == 1
    said = {entry["name"]: entry for entry in office.ask("doctor")}
    assert said["ferry notices"]["level"] == "warn"
    release = office.finish()
    assert (release["pack"], release["version"]) == ("ferries", "0.0.1")
    changes = release["changes"]["records"]
    assert [entry["change"] for entry in changes] == ["added"] * 4
    stages = {entry["stage"] for entry in office.ask("contracts")}
    assert {"ferries_read", "ferries_grade", "router", "extract"} <= stages
    dumped = office.call("store", "dump")
    assert dumped.count('"table": "ferry_notices"') == 4


def test_kills_in_between_change_nothing(
    office: Office, tmp_path: Path, installed: Path, board: BadSite
) -> None:
    undisturbed = Office(tmp_path / "other", installed, board, None, anew=True)
    undisturbed.begin(tmp_path / "other-sources")
    undisturbed.call("run")
    expected = undisturbed.finish()
    killed = [fault for fault in KILLS if office.is_killed(fault)]
    office.call("run")
    assert office.ask("dead", "list") == []
    made = office.finish()
    assert len(killed) >= 3, killed
    assert made["content_hash"] == expected["content_hash"]
    assert made["manifest_hash"] == expected["manifest_hash"]


def test_it_answers_over_http(office: Office) -> None:
    office.call("run")
    server = office.start("--json", "serve", "--port", "0")
    try:
        assert server.stdout is not None
        printed = ""
        while "}" not in printed:
            printed += server.stdout.readline()
        url = json.loads(printed)["url"]
        notices = json.loads(_get(f"{url}/ferries/notices"))
        assert {notice["line"] for notice in notices} == {"602", "604", "605", "606"}
        assert "<li>602: Line 602 runs as planned" in _get(f"{url}/ferries")
        assert 'ferries_notices{pack="ferries"} 4' in _get(f"{url}/metrics")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=PATIENCE_S)


def test_an_assistant_finds_its_records(office: Office) -> None:
    office.call("run")
    called = {"name": "ferries_list_notices", "arguments": {"line": "604"}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": called},
    ]
    with office.start("mcp") as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
        server.stdin.flush()
        answers = {each["id"]: each["result"] for each in (
            json.loads(server.stdout.readline()) for _ in range(2)
        )}  # fmt: skip
        server.communicate(timeout=PATIENCE_S)
    found = answers[2]["structuredContent"]["result"]
    assert [notice["status"] for notice in found["notices"]] == ["cancelled"]
    assert found["notices"][0]["quote"] in NOTICES["n2.html"]


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
    return text


def test_its_schedule_begins_runs(office: Office) -> None:
    office.call("run")
    with (office.home / "assay.toml").open("a", encoding="utf-8") as file:
        file.write('[schedules]\n"ferries.regrade" = "* * * * * *"\n')
    worker = office.start("worker")
    try:
        until(lambda: any(run["label"] == "ferries-regrade" for run in office.ask("runs", "list")))
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=PATIENCE_S)
    labels = {run["label"] for run in office.ask("runs", "list")}
    assert "ferries-regrade" in labels
