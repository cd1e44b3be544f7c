"""What is built for users has every file that the code reads."""

import re
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.install_check import build_wheel, copy_source, list_package_files

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a clean copy."""
    folder = tmp_path_factory.mktemp("wheel")
    copy_source(folder)
    return zipfile.ZipFile(build_wheel(folder))


def test_the_wheel_has_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    expected = list_package_files()
    for part in ("extractor/common_words.txt", "sources/ecfr/source.yml", "script.py.mako"):
        assert any(name.endswith(part) for name in expected), part
    assert {name for name in wheel.namelist() if name.startswith("assay/")} == expected


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
