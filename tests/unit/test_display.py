"""Nothing that a document says is obeyed by a terminal, a log or a Markdown file."""

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from assay.cli.session import Session
from assay.display import escape_controls, escape_line
from assay.logs import ConsoleLines, JsonLines
from assay.ruling.release.changes import escape_markdown
from assay.sdk.screens import render_fields, render_table
from tests.payloads import CONTROLS, FORGED_LINE, MARKUP, find_obeyed

SRC = Path(__file__).parents[2] / "src/assay"
every_payload = pytest.mark.parametrize("payload", CONTROLS.values(), ids=CONTROLS)


@every_payload
def test_control_characters_are_written_out(payload: str) -> None:
    assert find_obeyed(payload)
    assert find_obeyed(escape_controls(payload)) == []
    assert json.loads(escape_controls(json.dumps(payload, ensure_ascii=False))) == payload


@given(st.text())
def test_any_text_is_harmless_and_escaped_once(text: str) -> None:
    shown = escape_controls(text)
    assert find_obeyed(shown) == []
    assert escape_controls(shown) == shown
    assert shown.count("\n") == text.count("\n")
    assert len(escape_line(text).splitlines()) <= 1


def test_what_is_only_text_stays() -> None:
    for text in ("Članak 5.\n\t„Zakon“ – 25 %", "שלום\u200f!", "می\u200cخواهم", "👩‍👩‍👧 🏴"):
        assert escape_controls(text) == text


@every_payload
def test_everything_that_a_command_prints_is_escaped(
    payload: str, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session()
    table = Table(payload.replace("\r", ""))
    table.add_row(Text(payload))
    session.say(payload)
    session.say(Text.assemble((payload, "red"), payload))
    session.show(table)
    session.show(render_table(["a", payload], [[payload, [payload]]], title=payload))
    session.show(render_fields({payload: payload, "b": {"c": payload}}))
    session.err.print(Text(f"Error: {payload}", style="red"), soft_wrap=True)
    as_json = Session(json=True)
    as_json.print_json({"name": payload})
    shown = capsys.readouterr()
    assert find_obeyed(shown.out) == find_obeyed(shown.err) == []


def test_a_terminal_gets_the_colours_of_assay_and_no_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    Session().say(Text(CONTROLS["colour"], style="green"))
    assert capsys.readouterr().out == "\x1b[32m\\u001b[31mred\\u001b[0m\x1b[0m\n"


@every_payload
def test_a_log_line_is_one_line_without_control_characters(payload: str) -> None:
    for said in (payload, FORGED_LINE):
        record = logging.makeLogRecord(
            {"msg": said.replace("%", "%%"), "levelname": "ERROR", "assay": {"file": said}}
        )
        for formatter in (JsonLines(), ConsoleLines()):
            line = formatter.format(record)
            assert find_obeyed(line) == []
            assert len(line.splitlines()) == 1
        assert json.loads(JsonLines().format(record))["file"] == said


def test_a_traceback_on_the_console_is_escaped() -> None:
    try:
        raise ValueError("".join(CONTROLS.values()))
    except ValueError as error:
        kind, trace = type(error), error.__traceback__
        record = logging.makeLogRecord(
            {"msg": "m", "levelname": "ERROR", "exc_info": (kind, error, trace)}
        )
    line = ConsoleLines().format(record)
    assert line.startswith("ERROR m\nTraceback")
    assert find_obeyed(line) == []


@pytest.mark.parametrize("payload", [*CONTROLS.values(), *MARKUP.values()])
def test_a_changelog_is_not_structured_by_a_document(payload: str) -> None:
    line = escape_markdown(payload)
    assert find_obeyed(line) == []
    assert len(line.splitlines()) == 1
    assert not {"<", "`"} & set(line)
    assert "](" not in line.replace("\\](", "")


def test_there_is_one_way_to_the_terminal() -> None:
    """What writes to it in another way must escape for itself, and be listed here."""
    ways = ("typer.echo(", "sys.stdout.buffer", "sys.stdout.write", "Console(", "StreamHandler(")
    writers = {
        str(path.relative_to(SRC))
        for path in SRC.rglob("*.py")
        if any(way in path.read_text(encoding="utf-8") for way in ways)
    }
    assert writers == {
        "cli/session.py", "cli/store.py", "cli/reference.py", "logs.py",
        "packs/civic/commands_people.py",
    }  # fmt: skip
