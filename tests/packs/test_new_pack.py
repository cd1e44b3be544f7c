"""`assay new pack`: a package that can be installed, whose test says what to fill in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from tests.cli.calls import answer, refusal
from tests.waiting import PATIENCE_S

SENTENCE = "The permit for a stall on the square costs EUR 18.50 a day."


def install(tree: Path, target: Path) -> None:
    """Install a pack without a network into a folder of its own, from a copy of its sources."""
    copy = shutil.copytree(tree, target.with_name("copy"))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--no-index", "--disable-pip-version-check", "--target", str(target), str(copy)],
        check=True, timeout=PATIENCE_S,
    )  # fmt: skip


def run(cwd: Path, *words: str, path: Path) -> "subprocess.CompletedProcess[str]":
    places = os.pathsep.join((str(path), str(Path(assay.__file__).parents[1])))
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd, env={**os.environ, "PYTHONPATH": places}, capture_output=True, text=True,
        timeout=PATIENCE_S,
    )  # fmt: skip


def test_a_new_pack_is_installed_and_its_test_passes_once_it_is_filled_in(
    home: Path, tmp_path: Path
) -> None:
    made = answer(home, "new", "pack", "market", "--folder", str(tmp_path), "--title", "Stalls")
    assert made["files"] == [
        "README.md", "market_pack/__init__.py", "market_pack/facts.yml", "pyproject.toml",
        "test_market_pack.py",
    ]  # fmt: skip
    folder, installed = tmp_path / "market", tmp_path / "installed"
    install(folder, installed)
    told = run(tmp_path, "assay.cli", "packs", path=installed)
    assert (told.returncode, "market" in told.stdout, "Stalls" in told.stdout) == (0, True, True)

    pytest_call = ("pytest", "-q", "-p", "no:cacheprovider", "test_market_pack.py")
    failed = run(folder, *pytest_call, path=installed)
    assert failed.returncode == 1
    assert "Fill in SENTENCE and FACTS in test_market_pack.py." in failed.stdout

    test = folder / "test_market_pack.py"
    text = test.read_text("utf-8").replace('SENTENCE = ""', f"SENTENCE = {SENTENCE!r}")
    text = text.replace("FACTS: dict[str, str] = {}", 'FACTS = {"permit.fee": "18.5"}')
    test.write_text(text, encoding="utf-8")
    passed = run(folder, *pytest_call, path=installed)
    assert (passed.returncode, "1 passed" in passed.stdout) == (0, True), passed.stdout

    (tmp_path / "stalls.txt").write_text(f"Market rules\n\n{SENTENCE}\n", encoding="utf-8")
    found = run(tmp_path, "assay.cli", "extract", "stalls.txt", "--pack", "market", path=installed)
    assert "permit.fee: 18.5 EUR" in found.stdout, found.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Market",), "is not a valid pack name"),
        (("my-market",), "is not a valid pack name"),
        (("regulatory",), "already installed"),
        (("release",), "has the name of the command 'assay release'"),
        (("market", "--title", 'a "b": c'), "is not a valid title"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(
    home: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    code, error = refusal(home, "new", "pack", *words, "--folder", str(tmp_path))
    assert (code, error["code"]) == (3, "invalid_input")
    assert message in error["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_new_pack_touches_nothing_that_is_there(home: Path, tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    _, error = refusal(home, "new", "pack", "market", "--folder", str(tmp_path))
    assert "already exists" in error["message"]
    assert list((tmp_path / "market").iterdir()) == []
