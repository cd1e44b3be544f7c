"""Narrow terminals, colours, progress and hints: nothing is lost, and all can be copied."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assay.cli.main import program
from assay.cli.progress import LineReporter
from assay.cli.release import report_faults
from assay.cli.session import Session
from assay.ruling.release.gates import STRENGTH_GATE, GateFault
from assay.sdk.screens import render_fields, render_table
from tests.cli.calls import answer, call
from tests.waiting import until

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SHOWN = {
    "documents list": ("doc_id", "source_slug", "state", "reason", "title"),
    "facts list": ("concept", "evidence_id"),
    "jobs list": ("job_id", "state"),
    "rules list": ("rule_id", "concept", "status", "tier", "approved_by"),
    "runs list": ("run_id", "label", "state"),
    "release list": ("version", "state", "manifest_hash"),
    "sources list": ("source_slug", "level"),
    "audit list": ("action", "subject", "actor"),
}
"""Each list with what must be readable in it."""
WHOLE = {"concept", "doc_id", "evidence_id", "job_id", "manifest_hash", "rule_id", "run_id"}
"""What is copied, and must be in one piece on one line."""


def _show(home: Path, width: int, *words: str) -> str:
    """What a person sees on a terminal of this width."""
    terminal = {
        "TTY_COMPATIBLE": "1", "TTY_INTERACTIVE": "0", "COLUMNS": str(width), "NO_COLOR": "1",
    }  # fmt: skip
    ended = call(home, *words, env=terminal)
    assert ended.exit_code == 0, ended.output
    return _STYLE.sub("", ended.stdout)


def _join(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_lists_show_every_id_value_and_state(played: Path, name: str, width: int) -> None:
    words = name.split()
    options = ["--limit", "40"] if name not in ("release list", "sources list") else []
    seen = _show(played, width, *words, *options)
    joined = _join(seen)
    for row in answer(played, *words, *options):
        for field in SHOWN[name]:
            value = str(row[field] or "")
            assert (value in seen) if field in WHOLE else (_join(value) in joined), (field, value)
    _check_width(seen, width)


def _check_width(seen: str, width: int) -> None:
    """Only a line with a single word that is longer than the line goes beyond the edge."""
    for line in seen.splitlines():
        longest = max(map(len, line.split()), default=0)
        assert len(line.rstrip()) <= width or longest > width - 14 or ": " in line, line


@pytest.mark.parametrize("width", [60, 80, 120])
def test_single_things_are_shown_whole(played: Path, width: int) -> None:
    rule = next(r for r in answer(played, "rules", "list") if r["status"] == "PUBLISHED")
    source = answer(played, "rules", "show", rule["rule_id"])["sources"][0]
    document = answer(played, "documents", "show", source["evidence_id"])
    job = answer(played, "jobs", "list", "--limit", "1")[0]
    run = answer(played, "runs", "list")[0]
    release = answer(played, "release", "show")
    for words, expected in (
        (["rules", "show", rule["rule_id"]], [rule["rule_id"], rule["concept"], source["url"]]),
        (["review", "show", rule["rule_id"]], [rule["rule_id"], source["source_slug"]]),
        (["documents", "show", document["doc_id"]], [
            document["doc_id"], document["url"], document["state"],
            *(fact["fact_id"] for fact in document["facts"]),
            *(version["evidence_id"] for version in document["versions"]),
        ]),
        (["evidence", "show", source["evidence_id"]], [
            source["evidence_id"], document["doc_id"], document["url"],
        ]),
        (["jobs", "show", job["job_id"]], [job["job_id"], job["run_id"], job["stage"]]),
        (["runs", "show", run["run_id"]], [run["run_id"], run["manifest_hash"], "sealed"]),
        (["release", "show"], [
            release["version"], *(line["rule_id"] for line in release["rules"]),
        ]),
        (["sources", "show", document["source_slug"]], [document["source_slug"], "endpoint"]),
        (["status"], ["candidates", "ingested", "literature_resolve", "law_statute"]),
    ):  # fmt: skip
        seen = _show(played, width, *words)
        for text in expected:
            assert text in seen, (words, text)
        assert "…" not in seen.replace(" …", "").replace("… ", "").replace("[…]", ""), words


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 400])
def test_no_word_is_broken_at_any_width(width: int) -> None:
    name, words = "x" * 64, "several words that say something about it, and a few more"
    for shown in (
        render_table(["name", "state", "why"], [[name, "ready", words], ["b", "blocked", ""]]),
        render_fields({"name": name, "why": words, "nothing": None}),
    ):
        console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
        console.print(shown, crop=False)
        assert isinstance(console.file, io.StringIO)
        seen = _STYLE.sub("", console.file.getvalue())
        assert name in seen
        assert _join(words) in _join(seen) or width >= 100
        assert set(words.split()) <= set(seen.split())


def test_wide_tables_stay_tables() -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(render_table(["job", "count"], [["a", 1], ["b", 20]], title="Jobs"), crop=False)
    assert isinstance(console.file, io.StringIO)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert [line for line in lines if line] == [
        "Jobs", " job   count", " ───────────", " a         1", " b        20",
    ]  # fmt: skip


def test_without_colours_there_are_none(played: Path) -> None:
    terminal = {"TTY_COMPATIBLE": "1", "TTY_INTERACTIVE": "0", "TERM": "xterm-256color"}
    for words in (
        ["doctor"],
        ["evidence", "show", answer(played, "facts", "list")[0]["evidence_id"]],
    ):
        coloured = call(played, *words, env=terminal).stdout
        plain = call(played, *words, env={**terminal, "NO_COLOR": "1"}).stdout
        colour = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
        assert colour.search(coloured), words
        assert not colour.search(plain), words


def test_hints_repeat_the_options_of_the_call(played: Path, tmp_path: Path) -> None:
    own = ["--home", str(played)]

    def ask(*words: str) -> Any:
        return CliRunner().invoke(program, [*own, *words], catch_exceptions=False)

    told = ask("rules", "show", "nothing").stderr
    assert f"'assay --home {played} rules list' lists them." in told
    assert f"assay --home {played} rules list" in ask("rules", "show", "nothing", "--json").stdout
    told = ask("--log-level", "error", "rules", "show", "nothing").stderr
    assert f"'assay --home {played} --log-level error rules list'" in told
    # What was set for the whole shell need not be repeated, and help needs no home.
    assert "'assay rules list' lists them." in call(played, "rules", "show", "nothing").stderr
    assert "Try 'assay rules show --help'." in ask("rules", "show").stderr
    spaced = Session(home=Path("my home"))
    assert spaced.complete_hints("'assay run' does.") == "'assay --home 'my home' run' does."


def test_progress_in_a_pipe_is_a_page_and_not_a_book() -> None:
    said: list[str] = []
    seconds = iter(range(7200))
    reporter = LineReporter(said.append, ["fetch", "scout", "router"], lambda: float(next(seconds)))
    for number in range(7200):
        reporter.show({"fetch": {"done": number, "queued": 7200 - number}, "scout": {"done": 5}})
    assert said[0] == "  fetch 0/7200, scout 5/5"
    # A stage that has not moved is not repeated, and lines come less and less often.
    assert said[1] == "  fetch 1/7200"
    assert len(said) < 150
    assert len(set(said)) == len(said)


def test_nothing_is_said_while_nothing_moves() -> None:
    said: list[str] = []
    clock: Iterator[float] = iter(range(0, 1_000_000, 1_000))
    reporter = LineReporter(said.append, ["fetch"], lambda: next(clock))
    for _ in range(500):
        reporter.show({"fetch": {"done": 1, "queued": 1}})
    assert said == ["  fetch 1/2"]


def test_what_takes_longer_than_a_moment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.session._MOMENT_S", 0.0)
    written = io.StringIO()
    session = Session(out=Console(file=written, force_terminal=True, width=80, color_system=None))
    with session.working("Checking the store"):
        until(lambda: "Checking the store …" in written.getvalue())
        session.say("A line in between.")
    session.say("Done.")
    assert "A line in between." in written.getvalue()
    assert written.getvalue().endswith("Done.\n")
    quiet = io.StringIO()
    piped = Session(out=Console(file=quiet, width=80))
    with piped.working("Checking the store"):
        piped.say("A line.")
    assert quiet.getvalue() == "A line.\n"


def test_many_rules_that_are_held_back_alike_are_counted() -> None:
    faults = [
        GateFault("a.b", f"rl_{n}", STRENGTH_GATE, f"only s{n} supports it", "add a source")
        for n in range(154)
    ]
    written = io.StringIO()
    session = Session(out=Console(file=written, width=100))
    report_faults(session, "held back", faults)
    report_faults(session, "held back", faults[:2])
    assert written.getvalue().splitlines() == [
        "154 held back: only one source, not an official one; --json names them.",
        "held back  a.b (rl_0): only s0 supports it; add a source.",
        "held back  a.b (rl_1): only s1 supports it; add a source.",
    ]
