"""How messages are worded: plain English, as a native speaker would say it."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.unit.test_names import TREES

_IS_NO = re.compile(r"(?<!there )\b(?:is|are) no (?!longer|such|more|less|other)\w", re.IGNORECASE)
"""`is no date`, where `is not a date` is meant; `there is no date` is plain English."""


def test_a_message_says_is_not_a() -> None:
    found = [
        f"{place}: {text}"
        for place, tree in TREES.items()
        for text in _list_texts(tree)
        if _IS_NO.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["'x' is no date.", "These are no words.", "Is no {}"])
def test_is_no_is_noticed(text: str) -> None:
    assert _IS_NO.search(text.format("name"))


@pytest.mark.parametrize("text", ["There is no run 1.", "It is no longer paused.", "It is not a"])
def test_plain_english_is_left_alone(text: str) -> None:
    assert not _IS_NO.search(text)


def test_a_text_is_read_across_its_placeholders() -> None:
    tree = ast.parse('"""It is no docstring."""\nx = f"\'{a}\' is no {b}."')
    assert list(_list_texts(tree)) == ["'x' is no x."]


def _list_texts(tree: ast.AST) -> Iterator[str]:
    """The strings of a module, with `x` for each placeholder; without the docstrings."""
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for value in node.values
        for part in ast.walk(value)
    }
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in parts or id(node) in docstrings:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(value.value) if isinstance(value, ast.Constant) else "x"
                for value in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
