"""The program itself: version, help, completion, usage errors, bugs, and its end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assay import __version__
from assay.app import App
from assay.app.composition import init_home
from assay.cli import main as entry
from assay.cli.commands import COMMANDS, build_core_commands
from assay.cli.exit_codes import MEANINGS, ExitCode, exit_code_of
from assay.cli.main import program
from assay.cli.session import session_of
from assay.errors import (
    AssayError,
    DiskFull,
    InvalidInput,
    SchemaTooNew,
    StartupRefused,
    UnknownSetting,
)
from assay.sdk.pack import Pack
from assay.settings import load_settings
from tests.cli.calls import call, refusal


def test_version(home: Path) -> None:
    assert call(home, "--version").stdout == f"assay {__version__}\n"
    result = CliRunner().invoke(program, ["--json", "--version"])
    assert json.loads(result.stdout) == {"version": __version__}


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["status", "--nonsense"], ["jobs", "list", "--limit", "0"], ["jobs", "show"],
     ["--log-level", "loud", "status"], ["dead", "retry"], ["dead", "retry", "--all", "x"],
     ["dead", "discard", "--stage", "fetch", "x"], ["demo", "--days", "0"]],
)  # fmt: skip
def test_a_wrong_command_line_is_told_in_one_line(played: Path, arguments: list[str]) -> None:
    result = call(played, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error (usage): ")
    assert "--help'." in result.stderr
    asked = call(played, *arguments, "--json")
    assert asked.exit_code == 2
    assert json.loads(asked.stdout)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("dead retry", "Invalid value for JOB_IDS: name the jobs, or use --all."),
        ("jobs list --limit 0", "Invalid value for '--limit': must be greater than or equal to 1."),
        ("serve --port 99999", "Invalid value for '--port': must be less than or equal to 65535."),
        (
            "--log-level loud status",
            "Invalid value for '--log-level': 'loud' is not one of 'debug', 'info', 'warning', "
            "'error'.",
        ),
        ("nonsense", "No such command 'nonsense'."),
    ],
)
def test_a_usage_error_is_one_plain_sentence(home: Path, arguments: str, message: str) -> None:
    init_home(load_settings(home=home, env={}))
    with App(load_settings(home=home, env={})) as app:
        app.migrate()
    result = call(home, *arguments.split())
    assert result.stderr.startswith(f"Error (usage): {message} Try 'assay ")
    assert (
        json.loads(call(home, "--json", *arguments.split()).stdout)["error"]["message"] == message
    )


def test_without_a_command_there_is_help() -> None:
    result = CliRunner().invoke(program, [])
    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    assert "demo" in result.stderr
    for arguments in (["--json"], ["--json", "jobs"]):
        asked = CliRunner().invoke(program, arguments)
        assert asked.exit_code == 2
        assert json.loads(asked.stdout)["error"]["message"] == "Missing command."


def test_every_command_has_help() -> None:
    for path in ([], ["run"], ["jobs"], ["jobs", "list"], ["store", "dump"], ["demo"]):
        result = CliRunner().invoke(program, [*path, "--help"])
        assert result.exit_code == 0
        assert "Usage: " in result.stdout


def test_the_table_of_commands_says_what_the_commands_say() -> None:
    commands = build_core_commands()
    assert len(commands) == len(COMMANDS)
    for listed in COMMANDS:
        first_paragraph = commands[listed.name].loaded.help.split("\n\n")[0]
        assert " ".join(first_paragraph.split()) == listed.help


def test_an_unknown_command_names_those_that_are_near(home: Path) -> None:
    assert "Did you mean 'status'?" in call(home, "statsu").stderr
    assert "Did you mean 'regulatory'?" in call(home, "regulatry").stderr


def _greeting() -> typer.Typer:
    commands = typer.Typer(help="Greet people.", no_args_is_help=True)

    @commands.command()
    def hello(ctx: typer.Context, name: str) -> None:
        """Greet one person."""
        session_of(ctx).say(f"Hello {name}.")

    @commands.command()
    def goodbye(ctx: typer.Context) -> None:
        """Part."""
        raise InvalidInput("Nobody is here.")

    return commands


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Offers a pack `greeter` with commands; says which packs were loaded."""
    loaded: list[str] = []

    def load(name: str) -> Pack:
        loaded.append(name)
        commands = _greeting if name == "greeter" else None
        return Pack(name=name, version="1", title=name, commands=commands)

    monkeypatch.setattr(
        "assay.app.pack_entries.list_pack_names", lambda: ["dumb", "greeter", "status"]
    )
    monkeypatch.setattr("assay.app.installed_packs.load_pack", load)
    return loaded


def test_packs_bring_commands_which_are_loaded_when_they_are_called(
    home: Path, installed: list[str]
) -> None:
    listed = call(home, "--help").stdout
    assert "greeter" in listed
    assert "dumb" in listed
    assert "Did you mean 'greeter'" in call(home, "greter").stderr
    assert installed == []
    assert call(home, "greeter", "hello", "Ana").stdout == "Hello Ana.\n"
    assert "Greet one person." in call(home, "greeter", "--help").stdout
    failed = call(home, "greeter", "goodbye", "--json")
    assert failed.exit_code == 2
    failed = call(home, "--json", "greeter", "goodbye")
    assert json.loads(failed.stdout)["error"]["message"] == "Nobody is here."
    assert set(installed) == {"greeter"}


def test_a_pack_without_commands_says_so(home: Path, installed: list[str]) -> None:
    result = call(home, "dumb")
    assert result.exit_code == ExitCode.INPUT
    assert "The pack 'dumb' has no commands." in result.stderr
    assert installed == ["dumb"]
    _, error = refusal(home, "dumb")
    assert "assay packs" in error["advice"]


def test_a_pack_does_not_replace_a_command(home: Path, installed: list[str]) -> None:
    assert "Show queues, workers, runs" in call(home, "status", "--help").stdout
    assert installed == []


def test_a_pack_named_like_a_command_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(home, "init")
    monkeypatch.setattr("assay.app.installed_packs.list_pack_names", lambda: ["status"])
    result = call(home, "runs", "list")
    assert result.exit_code == ExitCode.INPUT
    assert "Pack 'status' has the name of the command 'assay status'." in result.stderr
    assert "Pack 'status' has the name of the command" in call(home, "doctor").stdout


def test_completion_emits_a_script_and_completes() -> None:
    def complete(**env: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "assay.cli"],
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    script = complete(_ASSAY_COMPLETE="source_bash")
    assert "_ASSAY_COMPLETE=complete_bash" in script
    assert "complete" in script
    found = complete(_ASSAY_COMPLETE="complete_bash", COMP_WORDS="assay st", COMP_CWORD="1")
    assert found.split() == ["status", "store"]
    found = complete(_ASSAY_COMPLETE="complete_bash", COMP_WORDS="assay jobs re", COMP_CWORD="2")
    assert found.split() == ["retry"]
    found = complete(_ASSAY_COMPLETE="complete_bash", COMP_WORDS="assay reg", COMP_CWORD="1")
    assert found.split() == ["regulatory"]


def test_a_bug_is_one_line_and_its_traceback_is_in_the_log(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_app: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("assay.cli.home.app_status", broken)
    result = call(played, "status")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "bug" in result.stderr
    assert "assay.jsonl" in result.stderr
    last = (played / "logs" / "assay.jsonl").read_text().splitlines()[-1]
    assert "RuntimeError: boom" in json.loads(last)["traceback"]
    asked = call(played, "status", "--json")
    assert json.loads(asked.stdout)["error"]["code"] == "bug"
    assert asked.exit_code == 1


def test_a_bug_without_a_log_shows_its_traceback(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("assay.cli.contracts.list_declared_stages", broken)
    result = call(home, "contracts")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stdout == ""


def test_an_interrupt_is_no_traceback(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_app: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.home.app_status", interrupted)
    result = call(played, "status")
    assert result.exit_code == 130
    assert "Traceback" not in result.output


def test_a_reader_that_leaves_ends_the_program_quietly(played: Path) -> None:
    command = f'"{sys.executable}" -m assay.cli --home "{played}" store dump'
    ended = subprocess.run(
        ["bash", "-c", f"{command} | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == "141"
    assert ended.stderr == ""


def test_debug_lines_also_reach_the_console(home: Path) -> None:
    result = call(home, "--log-level", "debug", "status")
    assert result.exit_code == 4
    call(home, "init")
    missing = call(home, "--log-level", "debug", "jobs", "show", "nobody")
    assert "DEBUG" in missing.stderr
    assert "Traceback" not in call(home, "jobs", "show", "nobody").stderr


def test_every_error_has_an_exit_code_that_the_table_explains() -> None:
    def tree(kind: type[AssayError]) -> list[type[AssayError]]:
        return [kind, *(one for below in kind.__subclasses__() for one in tree(below))]

    for kind in tree(AssayError):
        # Some want more than a message; their class alone decides.
        assert exit_code_of(kind.__new__(kind)) in MEANINGS
    assert set(MEANINGS) == set(ExitCode)
    assert exit_code_of(DiskFull("")) == ExitCode.UNAVAILABLE
    assert exit_code_of(SchemaTooNew("")) == ExitCode.UNAVAILABLE
    assert exit_code_of(UnknownSetting("")) == ExitCode.INPUT
    assert exit_code_of(StartupRefused("")) == ExitCode.UNEXPECTED


def test_the_end_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr("assay.cli.main.os._exit", ended.append)
    monkeypatch.setattr("assay.cli.main.logging.shutdown", lambda: None)
    for threads, expected in ((2, [4]), (1, [])):
        ended.clear()
        monkeypatch.setattr("assay.cli.main.threading.active_count", lambda n=threads: n)
        with pytest.raises(SystemExit) as left:
            entry._exit_process(4)
        assert (left.value.code, ended) == (4, expected)
