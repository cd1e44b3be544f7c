"""The pack of the guide works as its page shows it."""

import dataclasses
import importlib
import re
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request
from typer.testing import CliRunner

from assay.cli.session import Session
from assay.model.content import ContentClass
from assay.reading.result import Reading
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.proposals import Passage
from assay.sdk.pack import Pack
from assay.sdk.services import Services
from tests.docs.test_docs import DOCS, ROOT, blocks, prose

GUIDE = DOCS / "how-to" / "write-a-pack.md"
OUTSIDE = ROOT / "tests" / "packs" / "outside" / "assay_ferries"
SHOWN = (
    *sorted(OUTSIDE.rglob("*.py")),
    ROOT / "src" / "assay" / "packs" / "regulatory" / "declaration.py",
    ROOT / "src" / "assay" / "packs" / "graph" / "__init__.py",
)


def test_the_pack_of_the_guide_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = GUIDE
    (declared,) = blocks(page, "yaml")
    module = blocks(page, "python")[0]
    folder = tmp_path / "harbour_pack"
    folder.mkdir()
    (folder / "facts.yml").write_text(declared, encoding="utf-8")
    (folder / "__init__.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    pack = importlib.import_module("harbour_pack").pack()
    (shown,) = [block for block in blocks(page, "console") if "$ cat berths.txt" in block]
    found_text = re.search(r"^\$ cat berths.txt\n(.*?)^\$ ", shown, re.MULTILINE | re.DOTALL)
    assert found_text is not None
    text = found_text.group(1)
    reading = Reading(content_class=ContentClass.TEXT, text=text)
    found = extract_facts(Passage(reading=reading, language="en"), pack.facts)
    assert [(f.proposed.concept, f.proposed.value, f.start, f.end) for f in found.accepted] == [
        ("berth.fee", "18.5", 43, 98),
        ("berth.longest_stay", "30", 99, 147),
    ]
    assert [one.reason.value for one in found.rejected] == ["OUT_OF_RANGE"]
    sys.modules.pop("harbour_pack")


def test_the_command_of_the_guide_works(tmp_path: Path) -> None:
    defined: dict[str, Any] = {}
    exec(blocks(GUIDE, "python")[1], defined)
    file = tmp_path / "berths.txt"
    file.write_text("A berth costs 18.50 EUR.", encoding="utf-8")
    session = Session(home=tmp_path / "none")
    ended = CliRunner().invoke(defined["commands"], [str(file)], obj=session)
    assert ended.exit_code == 0, ended.output
    assert ended.output.split() == [f"{file}:", "24"]


async def test_the_route_of_the_guide_works(tmp_path: Path) -> None:
    defined: dict[str, Any] = {}
    exec(blocks(GUIDE, "python")[2], defined)
    (route,) = defined["ROUTES"]
    asked = make_mocked_request("GET", "/berths/7", match_info={"id": "7"})
    answer = await route.handler(asked, cast(Services, None))
    assert (answer.status, answer.text) == (200, '{"berth": "7"}')


def test_the_guide_mentions_every_field_of_a_pack() -> None:
    text = prose(GUIDE)
    fields = [field.name for field in dataclasses.fields(Pack)]
    assert [name for name in fields if f"`{name}`" not in text] == []


def test_the_other_examples_of_the_guide_are_from_packs_that_work() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in SHOWN)
    examples = blocks(GUIDE, "python")[3:]
    pieces = [piece for block in examples for piece in re.split(r"\n\n\n|\n\n(?=\w)", block)]
    assert len(pieces) > 15
    assert [piece for piece in pieces if piece.strip() not in code] == []
