"""The glossary has one meaning per word, in order, and names only classes that exist."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
_SECTION = re.compile(r"^## ", re.MULTILINE)
_SEVERAL_MEANINGS = re.compile(r"[;.:] (?:of an? [\w ]+|among [\w ]+|elsewhere): ")
_CODE = re.compile(r"`([^`]+)`")
_CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")
HEAD = ("word", "meaning")


class Row(NamedTuple):
    terms: tuple[str, ...]
    meaning: str


def read_tables(page: str) -> dict[str, list[Row]]:
    """The rows of each section's table, by the section's heading."""
    sections = _SECTION.split(page)[1:]
    return {section.partition("\n")[0]: read_rows(section) for section in sections}


def read_rows(section: str) -> list[Row]:
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert cells[:2] == [HEAD, ("---", "---")], lines[:2]
    return [Row(tuple(word.split(", ")), meaning) for word, meaning in cells[2:]]


def find_repeated_terms(tables: dict[str, list[Row]]) -> list[str]:
    """Terms that are defined more than once, in one table or in two."""
    terms = Counter(term.lower() for rows in tables.values() for row in rows for term in row.terms)
    return sorted(term for term, count in terms.items() if count > 1)


def find_unknown_classes(page: str, known: set[str]) -> list[str]:
    """Class names in backticks, such as `Stage` or `Payload.subject`, that no module defines."""
    names = {code.partition(".")[0] for code in _CODE.findall(page)}
    return sorted(name for name in names if _CLASS_NAME.fullmatch(name) and name not in known)


def list_class_names() -> set[str]:
    trees = (ast.parse(path.read_bytes()) for path in (ROOT / "src" / "assay").rglob("*.py"))
    return {
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }


def test_every_term_is_defined_once() -> None:
    assert find_repeated_terms(read_tables(GLOSSARY.read_text("utf-8"))) == []


def test_no_row_defines_a_term_twice() -> None:
    tables = read_tables(GLOSSARY.read_text("utf-8"))
    meanings = [row.meaning for rows in tables.values() for row in rows]
    assert [meaning for meaning in meanings if _SEVERAL_MEANINGS.search(meaning)] == []


def test_every_table_is_in_alphabetical_order() -> None:
    tables = read_tables(GLOSSARY.read_text("utf-8"))
    assert tables
    for heading, rows in tables.items():
        words = [", ".join(row.terms) for row in rows]
        assert words, heading
        assert words == sorted(words), heading


def test_every_class_that_is_named_exists() -> None:
    assert find_unknown_classes(GLOSSARY.read_text("utf-8"), list_class_names()) == []


def test_a_repeated_term_would_be_found() -> None:
    head = "## One\n\n| word | meaning |\n|---|---|\n"
    tables = read_tables(f"{head}| copy, part | a |\n\n{head.replace('One', 'Two')}| part | b |\n")
    assert find_repeated_terms(tables) == ["part"]


def test_a_second_meaning_in_a_row_would_be_found() -> None:
    assert _SEVERAL_MEANINGS.search("of a run: its files; of a release: all its rules")
    assert _SEVERAL_MEANINGS.search("the least score; among values: a sum")


def test_an_unknown_class_would_be_found() -> None:
    page = "`Stage`, `Stage.once`, `NoSuchClass`, `SKIP`, `pdv.rate`, *Company*"
    assert find_unknown_classes(page, {"Stage"}) == ["NoSuchClass"]
