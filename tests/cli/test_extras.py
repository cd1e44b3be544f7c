"""An installation without any extra: what it does, and what it says of the parts it lacks."""

import json
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from assay.errors import ExtraMissing
from assay.extras import OWN, find_missing, list_extras, needs_extra, read_extras
from tests.partial_environment import PartialEnvironment, build_partial_environment

EXTRAS = read_extras(distribution(OWN))
NEEDS_EXTRA = {
    "assay.assistants.mcp_server": "mcp",
    "assay.packs.graph": "graph",
    "assay.packs.literature": "literature",
    "assay.reading.ocr": "ocr",
    "assay.ruling.release.exports.parquet_table": "parquet",
}
"""Modules, and those below them, that may need an extra when they are imported."""
_IMPORT_ALL = """
import importlib, json, pkgutil, sys
import assay
failed = {}
for module in pkgutil.walk_packages(assay.__path__, "assay."):
    if module.name.endswith("__main__") or ".migrations." in module.name:
        continue
    try:
        importlib.import_module(module.name)
    except Exception as error:
        failed[module.name] = f"{type(error).__name__}: {error}"
print(json.dumps(failed))
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> PartialEnvironment:
    """An environment that has what `pip install assay` brings, and no extra."""
    absent = {name for names in EXTRAS.values() for name in names}
    return build_partial_environment(tmp_path_factory.mktemp("bare") / "venv", absent)


def refusal(bare: PartialEnvironment, home: Path, *arguments: str) -> dict[str, str]:
    """The error that a call ends with."""
    ended = bare.call(home, *arguments, "--json")
    assert ended.returncode == 3, ended
    error: dict[str, str] = json.loads(ended.stdout)["error"]
    return error


def test_every_extra_is_known_with_what_it_is_for() -> None:
    assert {extra.name for extra in list_extras()} == {
        "graph", "literature", "mcp", "ocr", "oidc", "parquet", "shacl",
    }  # fmt: skip
    assert not any(extra.missing for extra in list_extras())
    purposes = {extra.name: extra.purpose for extra in list_extras()}
    assert purposes["parquet"] == "exports to Parquet files"
    assert purposes["graph"] == "adds the pack 'graph'"


def test_nothing_needs_an_extra_when_it_is_imported_but_its_own_part(
    bare: PartialEnvironment,
) -> None:
    ended = bare.run("-c", _IMPORT_ALL)
    assert ended.returncode == 0, ended.stderr
    failed: dict[str, str] = json.loads(ended.stdout)
    assert failed, "nothing is missing there"
    assert [name for name in failed if not name.startswith(tuple(NEEDS_EXTRA))] == []
    assert "assay.packs.graph" in failed
    assert "ExtraMissing" in failed["assay.ruling.release.exports.parquet_table"]
    assert "assay.reading.ocr.options" not in failed


def test_doctor_names_the_extras_that_are_not_installed(
    bare: PartialEnvironment, tmp_path: Path
) -> None:
    ended = bare.call(tmp_path / "home", "doctor", "--json")
    assert ended.returncode == 0, ended
    found = {each["name"]: each for each in json.loads(ended.stdout)}
    assert found["extras"]["level"] == "ok"
    assert "parquet (exports to Parquet files)" in found["extras"]["what"]
    assert (
        "pip install 'assay[graph,literature,mcp,ocr,oidc,parquet,shacl]'"
        in (found["extras"]["advice"])
    )
    assert "pip install 'assay[ocr]'" in found["ocr"]["advice"]
    assert found["packs"]["what"] == "civic, regulatory"


@pytest.mark.parametrize(
    "arguments",
    [
        ("graph", "extract", "text.txt", "--ontology", "graph"),
        ("extract", "text.txt", "--pack", "graph"),
        ("demo", "--pack", "graph"),
    ],
    ids=" ".join,
)
def test_a_pack_without_its_extra_says_what_to_install(
    bare: PartialEnvironment, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    error = refusal(bare, tmp_path / "home", *arguments)
    assert error["code"] == "extra_missing"
    assert "'graph'" in error["message"]
    assert "pip install 'assay[graph]'" in error["advice"]


def test_packs_names_those_whose_extra_is_missing(bare: PartialEnvironment, tmp_path: Path) -> None:
    ended = bare.call(tmp_path / "home", "packs")
    assert "regulatory" in ended.stdout
    assert "pip install 'assay[literature]'" in ended.stdout + ended.stderr


def test_a_release_is_exported_but_not_to_parquet(
    bare: PartialEnvironment, played: Path, tmp_path: Path
) -> None:
    ended = bare.call(played, "release", "export", f"{tmp_path}/csv", "--format", "csv")
    assert ended.returncode == 0, ended
    out = str(tmp_path / "parquet")
    error = refusal(bare, played, "release", "export", out, "--format", "parquet")
    assert error["code"] == "extra_missing"
    assert "pip install 'assay[parquet]'" in error["advice"]
    assert not Path(out).exists()


def test_a_text_is_read_and_a_scan_says_what_to_install(
    bare: PartialEnvironment, tmp_path: Path
) -> None:
    (tmp_path / "law.txt").write_text("The rate of value added tax is 24 %.\n" * 20, "utf-8")
    ended = bare.call(tmp_path / "home", "read", str(tmp_path / "law.txt"), "--json")
    assert ended.returncode == 0, ended
    page = Image.new("L", (1240, 1754), 255)
    ImageDraw.Draw(page).rectangle((200, 300, 900, 340), fill=0)
    page.save(tmp_path / "scan.pdf", resolution=150)
    ended = bare.call(tmp_path / "home", "read", str(tmp_path / "scan.pdf"), "--ocr")
    assert "pip install 'assay[ocr]'" in ended.stdout + ended.stderr, ended


def test_assistants_are_told_what_to_install_and_the_tools_are_listed_without_it(
    bare: PartialEnvironment, played: Path
) -> None:
    error = refusal(bare, played, "mcp", "--http")
    assert error["code"] == "extra_missing"
    assert "pip install 'assay[mcp]'" in error["advice"]
    ended = bare.call(played, "mcp", "--list", "--json")
    assert ended.returncode == 0, ended
    assert "ask" in {each["name"] for each in json.loads(ended.stdout)}


class _Told(Distribution):
    """A distribution that says this of itself."""

    def __init__(self, metadata: str) -> None:
        self._metadata = metadata

    def read_text(self, filename: str) -> str | None:
        return self._metadata if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return Path(path)


def test_the_extra_of_a_pack_of_another_package_is_its_own() -> None:
    told = _Told(
        "Name: harbour\nRequires-Dist: numpy>=2\n"
        "Requires-Dist: ship-list[fast]>=2; extra == 'harbour'\n"
        'Requires-Dist: numpy; python_version > "3" and extra == "harbour"\n'
        "Requires-Dist: harbour[harbour]; extra == 'all'\n\nRequires-Dist: a; extra == 'b'\n"
    )
    assert read_extras(told) == {"harbour": ["ship-list", "numpy"]}
    assert find_missing(told, "harbour") == ("ship-list",)
    assert find_missing(told, "other") == ()


def test_a_fault_in_own_code_is_not_taken_for_a_missing_extra() -> None:
    with (
        pytest.raises(ExtraMissing, match="Harbours needs the extra"),
        needs_extra("x", "Harbours"),
    ):
        raise ModuleNotFoundError("No module named 'ships'", name="ships.list")
    with pytest.raises(ModuleNotFoundError, match="assay"), needs_extra("x", "Harbours"):
        raise ModuleNotFoundError("No module named 'assay.ships'", name="assay.ships")
