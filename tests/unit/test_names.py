"""What things are called: unique classes, functions that are verbs, one meaning per word."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "assay"
TREES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
    if "versions" not in path.parts
}
Function = ast.FunctionDef | ast.AsyncFunctionDef

_IRREGULAR = frozenset({
    "begun", "broken", "brought", "built", "chosen", "done", "drawn", "fallen", "found", "given",
    "gone", "heard", "held", "kept", "known", "left", "lost", "made", "meant", "met", "said",
    "seen", "sent", "shown", "spoken", "stood", "taken", "thought", "told", "written",
})  # fmt: skip
_VERBS_IN_ED = {"embed", "feed", "need", "seed", "shed", "speed"}
"""Verbs that only look like participles."""
_VALUES = {"property", "cached_property", "setter"}

NOT_IN = {
    # A stage belongs to the engine; a request to models has steps.
    "stage": ("llm/", "reading/", "sources/"),
    # To extract is to take facts from a text.
    "extract": ("engine/", "llm/", "reading/", "sources/"),
    # A manifest lists the files of a run or the rules of a release.
    "manifest": ("engine/", "llm/", "reading/", "sources/"),
    # A rule, a conflict or a release is ruling's; the spine knows documents.
    "rule": ("engine/", "reading/", "spine/"),
}
"""Words that once meant several things, and where no name may contain them."""


def test_a_public_class_name_is_unique() -> None:
    places = defaultdict(list)
    for place, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_function_is_named_by_a_participle_alone() -> None:
    named = [
        f"{place}: {function.name}"
        for place, tree in TREES.items()
        for function in _functions_in(tree)
        if is_bare_participle(function.name)
    ]
    assert named == []


@pytest.mark.parametrize("word", NOT_IN)
def test_a_word_has_one_meaning(word: str) -> None:
    strays = [
        f"{place}: {name}"
        for place, tree in TREES.items()
        if place.startswith(NOT_IN[word])
        for name in _names_in(tree)
        if word in re.findall("[a-z]+", _split_humps(name).lower())
    ]
    assert strays == []


@pytest.mark.parametrize("name", ["told", "_kept", "judged", "_found", "drawn"])
def test_a_participle_is_noticed(name: str) -> None:
    assert is_bare_participle(name)


@pytest.mark.parametrize(
    "name", ["read_rows", "embed", "feed", "is_settled", "ask", "found_report"]
)
def test_a_verb_is_not_taken_for_a_participle(name: str) -> None:
    assert not is_bare_participle(name)


def is_bare_participle(name: str) -> bool:
    """Whether a name is nothing but a participle, such as `told` or `_judged`."""
    word = name.strip("_")
    return word in _IRREGULAR or (
        word.endswith("ed") and word.isalpha() and word not in _VERBS_IN_ED
    )


def _functions_in(tree: ast.AST) -> Iterator[Function]:
    """Functions and methods; a property is a value, and may be a participle."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            marks = {getattr(mark, "id", getattr(mark, "attr", "")) for mark in node.decorator_list}
            if not marks & _VALUES:
                yield node


def _names_in(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives: functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _split_humps(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
