"""The databases behind lists, and CSL-JSON: records in JSON or YAML, each with its place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from assay.packs.literature.lists.fields import make_csl_reference, make_record_reference
from assay.packs.literature.parsed import ListWindow, ParsedList, ReferenceCollector

_DEEPEST: Final = 8
_DEEPEST_YAML: Final = 60
_MOST_STRINGS: Final = 500
_RECORD_START = re.compile(r'\{\s{0,20}"(?:id|type|links|authors?|url|name|_id)"\s{0,5}:')
_SPACE = re.compile(r"[ \t\r\n,]*")
_COLON = re.compile(r"\s*:\s*")
_ENTERED: Final = object()
_PARTS_OF_WORKS: Final = frozenset(
    {
        "reference",
        "references",
        "author",
        "authors",
        "editor",
        "relation",
        "link",
        "links",
        "assertion",
    }
)
_DECODER: Final = json.JSONDecoder(strict=False)
_Fault = tuple[int, str]
"""Where a text is broken, and how."""


@dataclass(slots=True)
class _Node:
    """A record being read from YAML."""

    start: int
    is_mapping: bool
    values: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    key: str | None = None


def read_json_list(
    window: ListWindow, collector: ReferenceCollector, _shared: dict[str, str], before: Any
) -> tuple[int | None, Any]:
    """Read a piece of a database in JSON, or with one JSON object on each line."""
    return _JsonReader(window, collector, make_record_reference, before or []).read()


def read_csl_list(
    window: ListWindow, collector: ReferenceCollector, _shared: dict[str, str], before: Any
) -> tuple[int | None, Any]:
    """Read a piece of CSL-JSON."""
    return _JsonReader(window, collector, make_csl_reference, before or []).read()


class _JsonReader:
    """Reads the records in values, one after another.

    A container is entered without decoding it as a whole, so a break in a long list costs the
    rest of it, not what comes before.
    """

    def __init__(
        self, window: ListWindow, collector: ReferenceCollector, make: Any, opened: Any
    ) -> None:
        self._window = window
        self._text = window.text
        self._collector = collector
        self._make = make
        self._opened: list[tuple[str, str]] = [(sign, name) for sign, name in opened]
        """The containers around the next value, each with its name."""

    def read(self) -> tuple[int | None, Any]:
        """Where the next piece begins, None if nothing after this can be read; and what is open."""
        place = _skip_space(self._text, 0)
        while place < len(self._text):
            if self._window.ends_at(place):
                return place, self._opened
            if self._opened and self._text[place] in "]}":
                self._opened.pop()
                end = place + 1
            else:
                name, begin, value, end, error = self._read_value(place)
                if place and (self._window.is_cut(end) or (error and not self._window.is_last)):
                    # It may be whole in the next window.
                    return place, self._opened
                if error:
                    self._collector.note(*error)
                    return None, None
                if value is _ENTERED:
                    self._opened.append((self._text[begin], name))
                elif isinstance(value, dict):
                    reference = self._make(value, begin, end, name)
                    if reference is not None:
                        self._collector.add(reference)
            place = _skip_space(self._text, end)
        if self._opened and self._window.is_last:
            message = "The JSON ends before it is complete; what came before was read."
            self._collector.note(0, message)
        return len(self._text), self._opened

    def _read_value(self, start: int) -> tuple[str, int, Any, int, _Fault | None]:
        """The name of the value at a place, where it begins, the value, where it ends, and what
        is wrong with it."""
        name, place = self._opened[-1][1] if self._opened else "", start
        if self._opened and self._opened[-1][0] == "{" and self._text[place] == '"':
            key, after, error = _decode_json(self._text, place)
            if error:
                return name, place, None, place, error
            name, place = str(key), _skip_colon(self._text, after)
        may_enter = len(self._opened) < _DEEPEST
        if may_enter and _is_container(self._text, place):
            return name, place, _ENTERED, place + 1, None
        value, end, error = _decode_json(self._text, place)
        if may_enter and self._text.startswith("{", place):
            # What does not fit into a window of its own is not a record either.
            is_too_large = error and not start and not self._window.is_last
            if is_too_large or (isinstance(value, dict) and _holds_records(value)):
                return name, place, _ENTERED, place + 1, None
        return name, place, value, end, error


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _skip_colon(text: str, place: int) -> int:
    found = _COLON.match(text, place)
    return found.end() if found else place


def _holds_records(values: Mapping[str, Any]) -> bool:
    """Whether an object with a title is a list of works that has one, and not a work."""
    return any(
        isinstance(inner, list)
        and inner
        and isinstance(inner[0], dict)
        and _has_title(inner[0])
        and key.lower() not in _PARTS_OF_WORKS
        for key, inner in values.items()
    )


def _is_container(text: str, place: int) -> bool:
    """Whether a list or an object of records begins at a place, not a record."""
    return text.startswith("[", place) or (
        text.startswith("{", place) and not _is_record_ahead(text, place)
    )


def _decode_json(text: str, place: int) -> tuple[Any, int, _Fault | None]:
    """The value at a place and where it ends; where and why it cannot be read."""
    try:
        return *_DECODER.raw_decode(text, place), None
    except json.JSONDecodeError as error:
        message = f"The JSON is broken here ({error.msg}); the rest was not read."
        return None, place, (error.pos, message)
    except (RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        return None, place, (place, f"A JSON value could not be read ({reason}).")


def _is_record_ahead(text: str, place: int) -> bool:
    """Whether the object at a place names a title before another object begins."""
    nested = text.find("{", place + 1, place + 20_000)
    ahead = text[place : nested if nested > 0 else place + 20_000]
    close = text.find("}", place, place + 20_000)
    if re.search(r'"(?:title|paper_title|DOI|doi|arxiv|arxiv_id)"\s{0,5}:', ahead, re.IGNORECASE):
        return True
    if nested < 0 or 0 < close < nested:
        return True
    # The title may come after an object inside the record, as "links" or "author" are.
    return bool(_RECORD_START.match(text, place))


def parse_yaml_list(text: str, most: int) -> ParsedList:
    """The references of a database in YAML, read as a stream: depth and references are bounded."""
    collector = ReferenceCollector(most)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[_Node] = []
    try:
        for event in yaml.parse(text, Loader=loader):
            if not _take_event(event, stack, collector):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = mark.index if mark is not None else 0
        collector.note(place, f"The YAML is broken here ({error.problem}); the rest was not read.")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        message = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        collector.note(0, f"The YAML could not be read: {message}.")
    return collector.finish()


def _take_event(event: Any, stack: list[_Node], collector: ReferenceCollector) -> bool:
    if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
        if len(stack) >= _DEEPEST_YAML:
            collector.note(_place_of(event), "The YAML is nested too deep; the rest was not read.")
            return False
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        stack.append(_Node(_place_of(event), is_mapping))
    elif isinstance(event, yaml.ScalarEvent):
        _put_value(stack, event.value)
    elif isinstance(event, yaml.AliasEvent):
        # An alias repeats what is elsewhere; following them could fill the memory.
        _put_value(stack, "")
    elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent) and stack:
        node = stack.pop()
        if node.is_mapping and _has_title(node.values):
            section = next((above.key for above in reversed(stack) if above.key), "") or ""
            end = _place_of(event)
            reference = make_record_reference(node.values, node.start, end, section)
            if reference is not None:
                collector.add(reference)
            _put_value(stack, None)
        else:
            _put_value(stack, node.values if node.is_mapping else node.items)
    return True


def _place_of(event: Any) -> int:
    mark = event.start_mark
    return int(mark.index) if mark is not None else 0


def _put_value(stack: list[_Node], value: Any) -> None:
    if not stack:
        return
    node = stack[-1]
    if not node.is_mapping:
        if len(node.items) < _MOST_STRINGS:
            node.items.append(value)
    elif node.key is None:
        node.key = value if isinstance(value, str) else ""
    else:
        if node.key and len(node.values) < _MOST_STRINGS:
            node.values[node.key] = value
        node.key = None


def _has_title(values: Mapping[str, Any]) -> bool:
    lowered = {key.lower() for key in values}
    return any(name in lowered for name in ("title", "paper_title", "doi", "arxiv", "arxiv_id"))
