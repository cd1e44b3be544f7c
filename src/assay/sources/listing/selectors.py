"""CSS selectors, matched in one walk over a page.

The usual way, through XPath, takes time quadratic in the page's size or worse for `tr td a` on
nested tables. Here every element is visited once, with what is known about the elements around it,
so a selector costs the size of the page times its own length, whatever the page does.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from assay.errors import InvalidInput

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)+"
_TOKEN = re.compile(
    rf"""(?P<space>\s*(?P<relation>[>+~,])\s*|\s+)|(?P<tag>{_NAME}|\*)|\#(?P<id>{_NAME})
    |\.(?P<class>{_NAME})
    |\[\s*(?P<name>{_NAME})\s*(?:(?P<how>[~|^$*]?=)\s*
        (?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'\]]+))\s*)?\]
    |:(?P<pseudo>[a-z-]+)(?:\(\s*(?P<inside>(?:[^()"']|"[^"]*"|'[^']*')*?)\s*\))?""",
    re.VERBOSE,
)
_NTH = re.compile(r"(?:([+-]?\d*)n\s*(?:([+-])\s*(\d+))?|([+-]?\d+))\Z")
_MOST_STEPS = 60
_MOST_PIECES = 500
_RELATIONS = ("", " ", ">", "+", "~")

ElementTest = Callable[[Any, int], bool]
"""Whether an element fits, given its position among its siblings, counted from 1."""


@dataclass(slots=True)
class _Step:
    """What one element must be, and how it relates to the element before it."""

    relation: str
    """A space, `>`, `+` or `~`; empty for the first step of a selector."""
    tag: str | None = None
    tests: list[ElementTest] = field(default_factory=list)
    is_last: bool = False
    counts: bool = False
    """Whether it depends on the element's position among its siblings."""

    @property
    def is_empty(self) -> bool:
        return self.tag is None and not self.tests

    def fits(self, element: Any, place: int) -> bool:
        if self.tag is not None and self.tag not in (element.tag, "*"):
            return False
        return all(test(element, place) for test in self.tests)


class Selector:
    """A parsed selector."""

    def __init__(self, steps: list[_Step]) -> None:
        self._steps = steps
        self._bits = [
            (1 << number, _RELATIONS.index(step.relation), step)
            for number, step in enumerate(steps)
        ]
        self._tags = _collect_tags(steps)
        self._last = sum(1 << number for number, step in enumerate(steps) if step.is_last)

    def matches(self, root: Any) -> Iterator[Any]:
        """The elements that fit, the root and those below it, in order.

        Yields None for each that does not, so the caller can count the work.
        """
        if self._tags:
            for element in root.iter(*self._tags):
                yield element if any(step.fits(element, 0) for step in self._steps) else None
            return
        fitting = self._find_fitting_steps(root, 1, 0, 0, 0, 0)
        yield root if fitting & self._last else None
        # What is known on each level: the children to come, the parent, all ancestors, the previous
        # sibling, all previous siblings, and the position among them.
        levels = [[root.iterchildren(), fitting, fitting, 0, 0, 0]]
        while levels:
            level = levels[-1]
            children, parent, above, before, earlier, place = level
            element = next(children, None)
            if element is None:
                levels.pop()
                continue
            if not isinstance(element.tag, str):
                continue
            fitting = self._find_fitting_steps(element, place + 1, parent, above, before, earlier)
            yield element if fitting & self._last else None
            level[3:] = [fitting, earlier | fitting, place + 1]
            levels.append([element.iterchildren(), fitting, above | fitting, 0, 0, 0])

    def _find_fitting_steps(
        self, element: Any, place: int, parent: int, above: int, before: int, earlier: int
    ) -> int:
        """The steps that this element can match, as bits."""
        around = (-1, above, parent, before, earlier)
        found = 0
        for bit, relation, step in self._bits:
            # For the first step of a selector all bits are set: it needs nothing before it.
            if around[relation] & (bit >> 1 or 1) and step.fits(element, place):
                found |= bit
        return found


@lru_cache(maxsize=512)
def parse_selector(written: str) -> Selector:
    """Parse a selector; one that is not valid, or not supported here, is refused."""
    steps = [_Step("")]
    at = 0
    text = written.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or len(steps) > _MOST_STEPS:
            raise _selector_error(written, f"it cannot be read from character {at + 1} on")
        at = token.end()
        if token["space"] is None:
            _add_token(steps[-1], token, written)
            continue
        if steps[-1].is_empty:
            raise _selector_error(written, "something is missing before a sign")
        relation = token["relation"] or " "
        steps[-1].is_last = relation == ","
        steps.append(_Step("" if relation == "," else relation))
    if steps[-1].is_empty:
        raise _selector_error(written, "something is missing at its end")
    steps[-1].is_last = True
    return Selector(steps)


def _selector_error(written: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{written!r} is not a valid CSS selector: {why}.",
        advice="Correct it in the endpoint's description.",
    )


def _collect_tags(steps: list[_Step]) -> tuple[str, ...]:
    """The names to look for, if a selector asks only for single elements."""
    alone = all(step.relation == "" and not step.counts for step in steps)
    tags = [step.tag for step in steps if step.tag not in (None, "*")]
    return tuple(tag for tag in tags if tag) if alone and len(tags) == len(steps) else ()


def _add_token(step: _Step, token: re.Match[str], written: str) -> None:
    """Add what a token requires of an element."""
    if tag := token["tag"]:
        if not step.is_empty:
            raise _selector_error(written, f"{tag!r} has to come first")
        step.tag = tag.lower()
    elif wanted := token["id"]:
        step.tests.append(lambda element, place: element.get("id") == wanted)
    elif kind := token["class"]:
        step.tests.append(lambda element, place: kind in (element.get("class") or "").split())
    elif token["name"]:
        step.tests.append(_build_attribute_test(token))
    else:
        step.counts = True
        step.tests.append(_build_pseudo_test(token["pseudo"], token["inside"], written))


def _build_attribute_test(token: re.Match[str]) -> ElementTest:
    name, how = token["name"].lower(), token["how"]
    wanted = token["double"] or token["single"] or token["bare"] or ""
    if how is None:
        return lambda element, place: element.get(name) is not None
    compare: dict[str, Callable[[str], bool]] = {
        "=": lambda value: value == wanted,
        "~=": lambda value: wanted in value.split(),
        "|=": lambda value: value == wanted or value.startswith(f"{wanted}-"),
        "^=": lambda value: bool(wanted) and value.startswith(wanted),
        "$=": lambda value: bool(wanted) and value.endswith(wanted),
        "*=": lambda value: bool(wanted) and wanted in value,
    }
    fits = compare[how]
    return lambda element, place: (value := element.get(name)) is not None and fits(value)


def _build_pseudo_test(name: str, inside: str | None, written: str) -> ElementTest:
    if name == "first-child":
        return lambda element, place: place == 1
    if name == "last-child":
        return lambda element, place: next(element.itersiblings("*"), None) is None
    if name == "nth-child" and inside is not None:
        step, offset = _parse_nth(inside, written)
        return lambda element, place: _is_nth(place, step, offset)
    if name == "contains" and inside is not None:
        words = inside.strip("\"'")
        return lambda element, place: words in _read_first_words(element)
    if name == "not" and inside is not None:
        without = parse_selector(inside)._steps
        if all(step.relation == "" for step in without):
            return lambda element, place: not any(step.fits(element, place) for step in without)
    known = ":first-child, :last-child, :nth-child(), :not() of a simple selector, :contains()"
    raise _selector_error(written, f":{name} is not known here, only {known}")


def _read_first_words(element: Any) -> str:
    return " ".join("".join(islice(element.itertext(), _MOST_PIECES)).split())


def _parse_nth(inside: str, written: str) -> tuple[int, int]:
    named = {"odd": "2n+1", "even": "2n"}.get(inside, inside)
    found = _NTH.match(named)
    if found is None:
        raise _selector_error(written, f"{inside!r} is not a position among siblings")
    step, sign, offset, alone = found.groups()
    if alone is not None:
        return 0, int(alone)
    each = int(f"{step}1") if step in ("", "+", "-") else int(step)
    return each, int(f"{sign or '+'}{offset or 0}")


def _is_nth(place: int, step: int, offset: int) -> bool:
    if step == 0:
        return place == offset
    return (place - offset) % step == 0 and (place - offset) // step >= 0
