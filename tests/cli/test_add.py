"""`assay add`: files, folders and addresses through the whole pipeline, for any pack."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bad_site import serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.cli.calls import QUICK, answer, call

ACT = """Value Added Tax Act. Article 1. The standard rate of value added tax is {rate} %, and
applies from 1 January 2026 to every taxpayer under this Act. Article 2. Records shall be kept for
ten years.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two acts, one of them deeper, an empty file and a hidden one."""
    place = tmp_path / "acts"
    (place / "old").mkdir(parents=True)
    (place / "vat.txt").write_text(ACT.format(rate=25), encoding="utf-8")
    (place / "old" / "vat.txt").write_text(ACT.format(rate=22), encoding="utf-8")
    (place / "empty.txt").write_bytes(b"")
    (place / ".hidden.txt").write_text("nothing to see", encoding="utf-8")
    return place


@pytest.fixture
def ready(home: Path) -> Path:
    call(home, "init")
    return home


def add(home: Path, *words: str, code: int = 0) -> dict[str, Any]:
    told = call(home, "add", *words, "--pack", "regulatory", "--json", env=QUICK)
    assert told.exit_code == code, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_a_folder_is_taken_in_with_all_that_is_in_it(ready: Path, folder: Path) -> None:
    added = add(ready, str(folder), code=5)
    assert (added["new"], added["changed"], added["unchanged"]) == (2, 0, 0)
    assert [Path(name).name for name in added["refused"]] == ["empty.txt"]
    assert len(added["evidence"]) == 2
    facts = answer(ready, "facts", "list")
    assert {f["value"] for f in facts if f["concept"] == "pdv.rate"} == {"22", "25"}


def test_what_has_changed_becomes_a_new_version_and_the_rest_is_known(
    ready: Path, folder: Path
) -> None:
    (folder / "empty.txt").unlink()
    first = add(ready, str(folder))
    again = add(ready, str(folder))
    assert (again["new"], again["unchanged"], again["run_id"]) == (0, 2, None)
    assert again["evidence"] == first["evidence"]
    (folder / "vat.txt").write_text(ACT.format(rate=13), encoding="utf-8")
    changed = add(ready, str(folder))
    assert (changed["new"], changed["changed"], changed["unchanged"]) == (0, 1, 1)
    facts = answer(ready, "facts", "list")
    assert {f["value"] for f in facts if f["concept"] == "pdv.rate"} == {"13", "22", "25"}


def test_an_address_is_fetched_and_keeps_its_name(ready: Path) -> None:
    text = f"<html><title>VAT Act</title><body><p>{ACT.format(rate=17) * 3}</p></body></html>"
    with serve_in_thread({"/act.html": serve_page(text.encode())}) as site:
        (ready / "assay.toml").write_text(f'[hosts]\n"law.test" = "{site.url}"\n', encoding="utf-8")
        added = add(ready, "http://law.test/act.html")
        missing = add(ready, "http://law.test/none.html", code=5)
    assert added["new"] == 1
    assert "answered 404" in missing["refused"]["http://law.test/none.html"]
    facts = answer(ready, "facts", "list")
    assert {f["value"] for f in facts if f["concept"] == "pdv.rate"} == {"17"}


def test_without_a_pack_the_candidates_are_named(ready: Path, folder: Path) -> None:
    told = call(ready, "add", str(folder))
    assert told.exit_code == 3
    assert "Several packs accept documents" in told.output and "regulatory" in told.output


def test_a_file_that_is_not_there_is_refused_and_the_others_go_on(
    ready: Path, folder: Path
) -> None:
    added = add(ready, str(folder / "none.txt"), str(folder / "vat.txt"), code=5)
    assert added["new"] == 1
    assert any("cannot be read" in reason for reason in added["refused"].values())


def test_another_pack_takes_the_same_file(ready: Path, tmp_path: Path) -> None:
    file = tmp_path / "ada.txt"
    file.write_text("Ada Lovelace was born in London on 10 December 1815.", encoding="utf-8")
    found = answer(ready, "add", str(file), "--pack", "graph", env=QUICK)
    assert found["new"] == 1
    facts = answer(ready, "facts", "list")
    assert ("ada_lovelace.birth_place", "London") in {(f["concept"], f["value"]) for f in facts}
