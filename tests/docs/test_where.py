"""The page that says where behaviours are decided names things that exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "where.md"
NAMES = sorted(set(re.findall(r"`(assay[\w.]*:[\w.]+)`", PAGE.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_exists(name: str) -> None:
    module, _, path = name.partition(":")
    found: object = import_module(module)
    for part in path.split("."):
        fields = getattr(found, "model_fields", None) or getattr(found, "__annotations__", {})
        assert hasattr(found, part) or part in fields, f"{name} does not exist"
        found = getattr(found, part, None)


def test_every_row_names_one_place() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    behaviours = [row.split("|")[1].strip() for row in rows[1:]]
    assert len(behaviours) == len(set(behaviours)) >= 10
    assert all(":" in row.split("|")[2] for row in rows[1:])
