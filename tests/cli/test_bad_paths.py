"""Every command that takes a path says plainly what is wrong with it: never a bug or a fault."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from tests.cli.calls import call
from tests.ready import ReadyStores
from tests.ruling.published import line
from tests.server.stored import publish

TEXT, PATH = "TEXT", "PATH"
READING: Mapping[str, tuple[str, ...]] = {
    "ask": ("ask", "pdv.rate", "--from", PATH),
    "release verify": ("release", "verify", PATH),
    "eval": ("eval", "regulatory", "--corpus", PATH),
    "sources add": ("sources", "add", PATH),
    "sources check": ("sources", "check", PATH),
    "graph ontology": ("graph", "ontology", PATH),
    "graph extract ontology": ("graph", "extract", TEXT, "--ontology", PATH),
    "graph extract examples": ("graph", "extract", TEXT, "--ontology", "graph", "--examples", PATH),
    "graph verify": ("graph", "verify", PATH, TEXT),
    "graph keep": ("graph", "keep", TEXT, "--ontology", PATH),
    "literature add": ("literature", "add", "mine", PATH),
}  # fmt: skip
WRITING: Mapping[str, tuple[str, ...]] = {
    "release export": ("release", "export", "--format", "csv", PATH),
    "store dump": ("store", "dump", "--out", PATH),
    "new source": ("new", "source", "gazette", "--folder", PATH),
    "graph extract out": ("graph", "extract", TEXT, "--ontology", "graph", "--out", f"{PATH}.ttl"),
    "graph extract picture": (
        "graph", "extract", TEXT, "--ontology", "graph", "--picture", f"{PATH}.html",
    ),
    "civic export": ("civic", "export", "--format", "csv", "-o", PATH),
    "civic feed": ("civic", "feed", "-o", PATH),
    "literature export": ("literature", "export", "-o", PATH),
    "literature snapshots": ("literature", "snapshots", PATH),
}  # fmt: skip
KINDS = ("missing", "folder", "binary", "circle", "below_a_file", "too_long", "not_utf_8")


@pytest.fixture
def place(tmp_path: Path) -> Callable[[str], str]:
    """A bad path of a kind."""
    folder, file, circle = tmp_path / "folder", tmp_path / "binary", tmp_path / "circle"
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")
    folder.mkdir()
    (folder / "file").write_text("x")
    circle.symlink_to(circle)
    for path in (file, Path(odd)):
        path.write_bytes(bytes(range(256)) * 8)
    known = {
        "missing": str(tmp_path / "nowhere" / "at all"),
        "folder": str(folder),
        "binary": str(file),
        "circle": str(circle),
        "below_a_file": str(file / "x"),
        "too_long": str(tmp_path / ("x" * 300)),
        "not_utf_8": odd,
    }
    return lambda kind: known[kind]


@pytest.fixture
def released(home: Path, ready_stores: ReadyStores) -> Path:
    """A home with a release."""
    settings = load_settings(home=home, env={})
    init_home(settings)
    ready_stores.place(settings)
    with App(settings) as app:
        publish(app, line("rl_general"))
    return home


def check(home: Path, command: tuple[str, ...], path: str, tmp_path: Path, *, fails: bool) -> None:
    """Call a command with a path; it must end with one plain line, or succeed."""
    text = tmp_path / "text.txt"
    text.write_text("Zagreb is a city.")
    arguments = [word.replace(PATH, path).replace(TEXT, str(text)) for word in command]
    told = call(home, *arguments)
    said = told.stderr.strip() or told.stdout.strip()
    if told.exit_code == 4:
        assert "does not exist. Run 'assay init' first." in said, said
        assert not home.exists()
        return
    assert told.exit_code in ((2, 3, 5) if fails else (0, 2, 3, 5)), said
    for words in ("bug", "internal", "Errno", "Traceback", "--log-level"):
        assert words not in said.replace(path, ""), said
    if told.exit_code in (2, 3):
        assert len(told.stderr.splitlines()) == 1, told.stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", READING.values(), ids=READING)
def test_a_path_that_cannot_be_read_is_said(
    released: Path, tmp_path: Path, place: Callable[[str], str], command: tuple[str, ...], kind: str
) -> None:
    check(released, command, place(kind), tmp_path, fails=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", READING.values(), ids=READING)
def test_a_path_that_cannot_be_read_is_said_without_a_home(
    home: Path, tmp_path: Path, place: Callable[[str], str], command: tuple[str, ...], kind: str
) -> None:
    check(home, command, place(kind), tmp_path, fails=True)
    assert not home.exists()


@pytest.mark.parametrize("kind", ["folder", "circle", "below_a_file", "too_long", "not_utf_8"])
@pytest.mark.parametrize("command", WRITING.values(), ids=WRITING)
def test_a_path_that_cannot_be_written_is_said(
    released: Path, tmp_path: Path, place: Callable[[str], str], command: tuple[str, ...], kind: str
) -> None:
    # Some may be written: a circle of links, for example, is replaced.
    fails = kind in ("below_a_file", "too_long")
    check(released, command, place(kind), tmp_path, fails=fails)


def test_documents_are_refused_one_by_one(
    released: Path, tmp_path: Path, place: Callable[[str], str]
) -> None:
    kinds = [kind for kind in KINDS if kind not in ("folder", "binary")]
    paths = [place(kind) for kind in kinds]
    for command in (
        ("read", *paths),
        ("extract", "--pack", "regulatory", *paths),
        ("add", "--pack", "regulatory", "--source", "mine", *paths),
    ):
        told = call(released, *command)
        assert told.exit_code in (3, 5), told.output
        assert told.output.count("refused") >= len(kinds), told.output
        assert "bug" not in told.output
        assert "Errno" not in told.output


@pytest.mark.parametrize("kind", ["binary", "circle", "below_a_file", "too_long", "not_utf_8"])
@pytest.mark.parametrize("command", ["init", "status", "run", "demo", "doctor", "serve", "worker"])
def test_a_bad_home_is_said(
    tmp_path: Path, place: Callable[[str], str], command: str, kind: str
) -> None:
    check(Path(place(kind)), (command,), "", tmp_path, fails=True)
