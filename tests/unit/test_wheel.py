"""What is built for users has every file that the code reads."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
_LOCAL = shutil.ignore_patterns("__pycache__", "*.egg-info", "texts")
"""What a checkout may have besides: also the acts that a measurement downloads."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean copy of what a wheel is built from."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / "src", folder / "src", ignore=_LOCAL)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> zipfile.ZipFile:
    subprocess.run(
        [sys.executable, "-c", _BUILD, "dist"], cwd=source, check=True, capture_output=True
    )
    (built,) = (source / "dist").glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_has_every_file_of_the_package(source: Path, wheel: zipfile.ZipFile) -> None:
    package = source / "src" / "assay"
    expected = {
        str(file.relative_to(source / "src")) for file in package.rglob("*") if file.is_file()
    }
    assert any(name.endswith("common_words.txt") for name in expected)
    built = {name for name in wheel.namelist() if name.startswith("assay/")}
    assert built == expected


def test_the_wheel_says_what_each_extra_needs(wheel: zipfile.ZipFile) -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    told = wheel.read(metadata).decode().splitlines()
    extras = config["project"]["optional-dependencies"]
    assert {line for line in told if line.startswith("Provides-Extra: ")} == {
        f"Provides-Extra: {name}" for name in extras
    }
    needed = [line for line in told if line.startswith("Requires-Dist: ") and "extra" not in line]
    assert len(needed) == len(config["project"]["dependencies"])


def test_all_is_every_extra() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = config["project"]["optional-dependencies"]
    assert extras["all"] == [f"assay[{','.join(sorted(set(extras) - {'all'}))}]"]


def test_the_requirements_are_those_of_the_package() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert _names(config["dependencies"]) == _read_names("base.in")
    extras = [line for lines in config["optional-dependencies"].values() for line in lines]
    assert _names(extras) - {"assay"} | {"setuptools"} == _read_names("all.in")


def _read_names(file: str) -> set[str]:
    lines = (ROOT / "requirements" / file).read_text(encoding="utf-8").splitlines()
    return _names(line for line in lines if line[:1] not in "#-")


def _names(lines: Iterable[str]) -> set[str]:
    return {re.split(r"[\[<>=]", line)[0] for line in lines}
