"""`users`, `tokens` and what `serve` refuses, as people type it."""

import os
import pwd
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.main import program
from tests.cli.calls import answer, call, refusal

PASSWORD = "correct horse battery"
ME = f"shell:{pwd.getpwuid(os.getuid()).pw_name}"


@pytest.fixture
def made(home: Path) -> Path:
    answer(home, "init")
    return home


def type_in(home: Path, text: str, *arguments: str) -> str:
    """A call that reads a password from a pipe."""
    env = {"ASSAY_HOME": str(home)}
    ended = CliRunner().invoke(program, [*arguments], input=text, env=env)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_a_user_from_the_first_day_to_the_last(made: Path) -> None:
    assert "No users yet. Add one with" in call(made, "users", "list").stdout
    said = type_in(made, f"{PASSWORD}\n", "users", "add", "Ana", "--role", "operator")
    assert said == "Added ana as operator.\n"
    assert answer(made, "users", "role", "ana", "reviewer")["role"] == "reviewer"
    type_in(made, f"{PASSWORD}2\n", "users", "password", "ana")
    assert answer(made, "users", "disable", "ana")["disabled"] is True
    (user,) = answer(made, "users", "list")
    assert (user["name"], user["role"], user["disabled"]) == ("ana", "reviewer", True)
    assert "password_hash" not in user
    assert answer(made, "users", "enable", "ana")["disabled"] is False
    entries = [entry for entry in answer(made, "audit", "list") if entry["subject"] == "ana"]
    assert {entry["actor"] for entry in entries} == {ME} and len(entries) == 5
    assert PASSWORD not in str(entries)


def test_a_password_is_never_an_argument(made: Path) -> None:
    assert call(made, "users", "add", "ana", PASSWORD).exit_code == 2
    assert refusal(made, "users", "add", "ana")[1]["message"] == "There is no password."
    assert refusal(made, "users", "password", "ivo")[1]["code"] == "not_found"


def test_a_token_is_printed_once(made: Path) -> None:
    created = answer(made, "tokens", "create", "ci", "--role", "reviewer", "--days", "30")
    assert created["token"].startswith("assay_") and created["expires_ms"]
    listed = call(made, "tokens", "list").stdout
    assert "ci" in listed and "valid" in listed and created["token"] not in listed
    assert answer(made, "tokens", "revoke", "ci") == {"revoked": "ci"}
    assert answer(made, "tokens", "list")[0]["state"] == "revoked"


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        (["--host", "0.0.0.0"], {}),
        ([], {"ASSAY_SERVE_HOSTS": "assay.example"}),
        ([], {"ASSAY_SERVE_LOGIN": "always"}),
    ],
)
def test_a_server_that_others_reach_does_not_start_without_users(
    made: Path, arguments: list[str], env: dict[str, str]
) -> None:
    code, told = refusal(made, "serve", "--port", "0", *arguments, env=env)
    assert code == 3 and "nobody can log in yet" in told["message"]
    assert "assay users add" in told["advice"]
