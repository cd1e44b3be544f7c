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


_DIALECT = {
    "is_no": _IS_NO,
    **{
        name: re.compile(pattern, re.IGNORECASE)
        for name, pattern in {
            "whoever": r"\bwho(?:m)?ever\b",
            "told": r"\b(?:is|are|be|was|were|not) told\b",
            "tells": r"\b(?:does|do|did) not tell\b|\bto tell whether\b|\bnothing tells\b",
            "taken for": r"\b(?:is|was|were|are) taken for\b",
            "so that there": r", so that (?:there|it|nothing|nobody|no)\b",
            "stands in": r"\bstands? (?:in(?:side)?|for itself|before|there)\b",
            "for ever": r"\bfor ever\b",
            "midst": r"\bmidst\b",
            "closed with": r"\bclosed with a password\b|\bpacked with a password\b",
            "as it says": r"\bas it says\b|\bIt says that it is\b",
            "else": r"; else\b|\bsomething else than\b",
            "bring": r"\b(?:bring|brings) (?:words|JavaScript)\b|\bbear out\b",
            "rest on": r"\brests? on\b",
            "under way": r"\bunder way\b",
            "of no kind": r"\b(?:of|to|with) no (?:kind|address|word)\b",
            "has no end": r"\b(?:has|have) no end\b|\bends before its end\b",
            "wants": r"\bwants to be left\b",
            "what became": r"\bwhat became of\b|\bWhat is to become\b",
            "be said of": r"\bis not said of\b|\bholds no\b",
        }.items()
    },
}
"""Wordings that a native speaker would not use, as far as no plain sentence contains them."""
_PATTERN = re.compile(r"\\b|\(\?|\|")
"""A regular expression, or a list of the words of a language: not a message."""
_WORD_LISTS = ("reading/statements/", "packs/regulatory/scouting", "packs/civic/texts/")


def test_no_message_is_worded_in_dialect() -> None:
    found = [
        f"{place}: {name}: {text}"
        for place, tree in TREES.items()
        if not str(place).startswith(_WORD_LISTS)
        for text in _list_texts(tree)
        if " " in text and not _PATTERN.search(text)
        for name, pattern in _DIALECT.items()
        if pattern.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("whoever", "Ask whoever runs it."),
        ("told", "It cannot be told."),
        ("taken for", "The language is taken for 'und'"),
        ("so that there", "No rule is approved yet, so that there is nothing to release."),
        ("stands in", "'x' does not stand in this text."),
        ("for ever", "The source's name for ever"),
        ("midst", "It ended in the midst of its body."),
        ("closed with", "The PDF is closed with a password."),
        ("as it says", "It is not utf-8, as it says"),
        ("else", "The file to write; else print it."),
        ("what became", "what became of the attempts"),
    ],
)
def test_dialect_is_noticed(name: str, text: str) -> None:
    assert _DIALECT[name].search(text)


@pytest.mark.parametrize(
    "text",
    [
        "There is no such setting: x.",
        "The person told us.",
        "Was an error corrected, so that the new text always applied?",
        "The container stands by itself.",
        "Nothing else was touched.",
        "It contains something else.",
    ],
)
def test_plain_sentences_are_not_taken_for_dialect(text: str) -> None:
    assert [name for name, pattern in _DIALECT.items() if pattern.search(text)] == []


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
