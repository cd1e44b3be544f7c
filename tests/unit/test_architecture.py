"""The shape of the code, held by a test: who may import whom, and how long a file may be."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.app.pack_entries import list_pack_names
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src" / "assay").rglob("*.py"))
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))
MOST_LINES = 600
"""The wall; from 400 on, a module had better be two."""
PACKAGE = ROOT / "src" / "assay"
FORBIDDEN_NAMES = {"utils", "helpers", "manager", "common", "misc"}


def test_imports_go_one_way_and_dbos_stays_behind_one_port() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert ended.returncode == 0, ended.stdout


def test_modules_stay_readable() -> None:
    assert [_place(path) for path in MODULES if _count_lines(path) > MOST_LINES] == []
    assert [_place(path) for path in MODULES if path.stem in FORBIDDEN_NAMES] == []


def test_test_files_stay_readable() -> None:
    assert [_place(path) for path in TEST_FILES if _count_lines(path) > MOST_LINES] == []


def _count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _place(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_only_settings_read_the_environment() -> None:
    readers = [
        path.parts[-2:] for path in MODULES if "os.environ" in path.read_text(encoding="utf-8")
    ]
    assert readers == [("settings", "loading.py")]


def test_the_contract_of_packs_names_every_other_part() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {each["name"]: each for each in config["tool"]["importlinter"]["contracts"]}
    listed = contracts["A pack imports the sdk and itself"]["forbidden_modules"]
    parts = {
        path.stem
        for path in PACKAGE.iterdir()
        if (path / "__init__.py").exists() or path.suffix == ".py"
    }
    assert set(listed) == {f"assay.{part}" for part in parts - {"__init__", "packs", "sdk"}}
    assert not any(name in str(config["tool"]["importlinter"]) for name in list_pack_names())


MAY_NAME_PACKS = ("packs/", "store/migrations/versions/")
"""Packs themselves, and migrations, which say what a column was once called."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def test_nothing_outside_the_packs_names_a_pack() -> None:
    """Neither in an identifier nor in a string; prose in docstrings and comments may use the
    word in its usual sense."""
    names = set(list_pack_names())
    assert names
    core = {str(path.relative_to(PACKAGE)): path for path in MODULES}
    found = {
        name: said
        for name, path in core.items()
        if not name.startswith(MAY_NAME_PACKS)
        and (said := sorted(names & set(words_in(ast.parse(path.read_text(encoding="utf-8"))))))
    }
    assert found == {}


def words_in(tree: ast.AST) -> Iterator[str]:
    """The words of every identifier and every string but docstrings, in small letters."""
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if id(node) in prose:
            continue
        for text in _texts_of(node):
            yield from (word.lower() for word in _WORD.findall(text))


def _texts_of(node: ast.AST) -> Iterator[str]:
    """What a node of the tree is called, and what it says."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield value


@pytest.mark.parametrize(
    "source",
    ["import a.graph", "graph_of(1)", "GraphDesk = 1", "x = 'graph'", "f(graph=1)", "x.graph"],
)
def test_a_name_in_any_place_is_noticed(source: str) -> None:
    assert "graph" in set(words_in(ast.parse(source)))


def test_prose_is_not_a_name() -> None:
    assert set(words_in(ast.parse('"""Draw a graph."""\nx = 1'))) == {"x"}
