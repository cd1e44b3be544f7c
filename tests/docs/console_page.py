"""Plays a page of the documentation: types its commands into a shell, and compares the output.

Blocks marked `console` are played in one shell, in order. A line after `$ ` is a command, with its
here-document if it has one; what follows is its output, in which `...` stands for anything. Ids,
hashes, moments and durations differ from one try to the next and compare as equal. The comment
`<!-- another terminal -->` above a block gives it a shell of its own, which goes on beside the
rest; `<!-- not played -->` leaves it out.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_BLOCK: Final = re.compile(
    r"^(?:<!-- (?P<mark>[\w ]+) -->\n)?```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_HERE: Final = re.compile(r"<<'(\w+)'")
_END: Final = "command-ended-with"
_VARYING: Final = (
    (re.compile(r"\b\d{8}T\d{6}Z-[0-9a-f]{6}\b"), "RUN"),
    (re.compile(r"\b[a-z]{2,3}_[0-9a-f]{8,}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{16,}\b"), "HASH"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(Z| UTC)?"), "MOMENT"),
    (re.compile(r"\b\d+\.\d+ s\b"), "SECONDS"),
    (re.compile(r"[─━]{3,}"), "LINE"),
)
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class ShownCommand:
    """A command that a page shows, and what it prints."""

    line: int
    command: str
    output: tuple[str, ...]
    mark: str = ""


@dataclass
class PlayedPage:
    """What differs between a page and what happened."""

    commands: int = 0
    differences: list[str] = field(default_factory=list)


def read_commands(text: str) -> Iterator[ShownCommand]:
    """The commands of a page's console blocks, in order."""
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start("body")) + 1
        lines = block["body"].splitlines()
        at = 0
        while at < len(lines):
            begun = at
            command, at = _take_command(lines, at)
            end = at
            while end < len(lines) and not lines[end].startswith("$ "):
                end += 1
            yield ShownCommand(first + begun, command, tuple(lines[at:end]), block["mark"] or "")
            at = end


def _take_command(lines: Sequence[str], at: int) -> tuple[str, int]:
    """A command with its continued lines and its here-document, and the line after it."""
    taken = [lines[at].removeprefix("$ ")]
    at += 1
    while taken[-1].endswith("\\"):
        taken.append(lines[at])
        at += 1
    here = _HERE.search("\n".join(taken))
    if here is not None:
        while lines[at] != here[1]:
            taken.append(lines[at])
            at += 1
        taken.append(lines[at])
        at += 1
    return "\n".join(taken), at


def play_page(
    page: Path, folder: Path, environment: Mapping[str, str], replaced: Mapping[str, str]
) -> PlayedPage:
    """Type all commands of a page in a folder; `replaced` are ports and the like."""
    text = page.read_text(encoding="utf-8")
    for old, new in replaced.items():
        text = text.replace(old, new)
    played = PlayedPage()
    beside: list[subprocess.Popen[str]] = []
    shell = _open_shell(folder, environment)
    try:
        for shown in read_commands(text):
            if shown.mark == "not played":
                continue
            played.commands += 1
            if shown.mark == "another terminal":
                (here,) = _play(shell, "pwd")
                beside.append(_open_shell(Path(here), environment))
                _type(beside[-1], f"exec {shown.command}")
                continue
            printed = _play(shell, shown.command)
            if not matches_output(shown.output, printed):
                played.differences.append(
                    f"{page.name}:{shown.line}: $ {shown.command}\n"
                    f"--- shown\n{chr(10).join(shown.output)}\n--- printed\n{chr(10).join(printed)}"
                )
    finally:
        for process in (shell, *beside):
            process.kill()
            process.communicate()
    return played


def matches_output(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether what was printed is what is shown; `...` stands for any lines or words."""
    pattern = "\n".join(_normalise(line) for line in shown if line.strip())
    text = "\n".join(_normalise(line) for line in printed if line.strip())
    parts = (re.escape(part) for part in re.split(r"\s*\.\.\.\s*", pattern))
    return re.fullmatch(r"[\s\S]*?".join(parts), text) is not None


def _normalise(line: str) -> str:
    for varying, name in _VARYING:
        line = varying.sub(name, line)
    return " ".join(line.split())


def _open_shell(folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["bash", "--norc", "--noprofile"],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _type(shell: subprocess.Popen[str], command: str) -> None:
    assert shell.stdin is not None
    shell.stdin.write(f"{command}\n")
    shell.stdin.flush()


def _play(shell: subprocess.Popen[str], command: str) -> list[str]:
    """Type a command, wait for its end, and return the lines that it printed."""
    assert shell.stdout is not None
    _type(shell, f"{command}\necho; echo {_END} $?")
    printed: list[str] = []
    for line in shell.stdout:
        if line.startswith(_END):
            return printed[:-1] if printed and not printed[-1].strip() else printed
        printed.append(_ANSI.sub("", line.rstrip("\n")))
    raise AssertionError(f"the shell ended during: {command}")
