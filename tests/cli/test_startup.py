"""A command imports what it needs and no more; which modules are loaded says so, not the clock."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.settings import load_settings
from tests.ruling.published import manifest
from tests.server.stored import LINES, publish

_PROBE = """
import atexit, sys
from pathlib import Path
atexit.register(lambda: Path(sys.argv.pop(1)).write_text("\\n".join(sys.modules)))
from assay.cli.main import program
program(args=sys.argv[2:], prog_name="assay")
"""
WORK = {
    "aiohttp", "dbos", "fasttext", "lxml", "numpy", "PIL", "pyarrow", "pyoxigraph", "pypdfium2",
    "rensa", "tesserocr", "tiktoken",
}  # fmt: skip
"""What works on documents, stores tables of them, or speaks HTTP."""
STORE = {"alembic", "sqlalchemy", "psycopg"}
MODELS = {"pydantic", "yaml"}


def loaded_by(where: Path, *arguments: str) -> tuple[str, set[str]]:
    """What a call prints, and the modules that it loaded."""
    ended = subprocess.run(
        [sys.executable, "-c", _PROBE, str(where / "modules"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, set((where / "modules").read_text().split("\n"))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = load_settings(home=tmp_path_factory.mktemp("startup") / "home", env={})
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        publish(app, *LINES)
    return settings.home


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_program_itself_loads_no_command(tmp_path: Path, option: str) -> None:
    printed, loaded = loaded_by(tmp_path, option)
    assert "assay" in printed
    assert loaded & (WORK | STORE | MODELS) == set()
    assert "assay.cli.main" in loaded
    assert not any(name.startswith(("assay.packs", "assay.app.composition")) for name in loaded)


def test_a_wrong_command_loads_no_database(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROBE, str(tmp_path / "modules"), "contract"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "Did you mean 'contracts'" in ended.stderr
    loaded = set((tmp_path / "modules").read_text().split("\n"))
    assert loaded & (WORK | STORE) == set()


def test_asking_a_store_loads_nothing_that_works_on_documents(
    published: Path, tmp_path: Path
) -> None:
    asked = ("--home", str(published), "--json", "ask", "--as-of", "2026-01-01", "pdv.rate")
    printed, loaded = loaded_by(tmp_path, *asked, "activity=bread")
    assert json.loads(printed)["answers"][0]["value"] == "25"
    assert loaded & WORK == set()
    assert "assay.packs.regulatory" in loaded
    assert "assay.packs.graph" not in loaded


def test_asking_an_exported_release_loads_nothing_that_works_on_documents(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(manifest(*LINES))
    asked = ("--json", "ask", "--from", str(tmp_path), "--as-of", "2026-01-01", "pdv.rate")
    printed, loaded = loaded_by(tmp_path, *asked, "activity=bread")
    assert json.loads(printed)["answers"][0]["value"] == "25"
    assert loaded & WORK == set()


@pytest.mark.parametrize(
    "command", [("rules", "list"), ("review", "list"), ("audit", "verify"), ("runs", "list")]
)
def test_looking_into_the_store_loads_nothing_that_works_on_documents(
    published: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    printed, loaded = loaded_by(tmp_path, "--home", str(published), "--json", *command)
    assert json.loads(printed) is not None
    assert loaded & WORK == set()
