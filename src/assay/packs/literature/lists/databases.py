"""The databases behind lists, and CSL-JSON: records in JSON or YAML, each with its place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from assay.packs.literature.lists.fields import make_csl_reference, make_record_reference
from assay.packs.literature.parsed import ParsedList, ReferenceCollector

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


@dataclass(slots=True)
class _Node:
    """A record being read from YAML."""

    start: int
    is_mapping: bool
    values: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    key: str | None = None


def parse_json_list(text: str, most: int, *, is_csl: bool) -> ParsedList:
    """The references of CSL-JSON, or of a database in JSON or with one JSON object on each line."""
    collector = ReferenceCollector(most)
    place = _skip_space(text, 0)
    read = make_csl_reference if is_csl else make_record_reference
    while place < len(text):
        place, is_whole = _walk_json(text, place, collector, read, "")
        if not is_whole:
            break
        place = _skip_space(text, place)
    return collector.finish()


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _walk_json(
    text: str, start: int, collector: ReferenceCollector, read: Any, section: str
) -> tuple[int, bool]:
    """Read the records in the value at a place; where it ends, and whether it could be read.

    A container is entered without decoding it as a whole, so a break in a long list costs the
    rest of it, not what comes before.
    """
    opened: list[tuple[str, str]] = []
    place = start
    while place < len(text):
        place = _skip_space(text, place)
        letter = text[place : place + 1]
        if letter in ("]", "}") and opened:
            opened.pop()
            place += 1
        else:
            name = opened[-1][1] if opened else section
            if opened and opened[-1][0] == "{" and letter == '"':
                key, after = _decode_json(text, place, collector)
                if key is None:
                    return place, False
                name, place = str(key), _skip_colon(text, after)
            begin = place
            value, place = _decode_value(text, begin, len(opened), collector)
            if value is _ENTERED:
                opened.append((text[begin], name))
            elif place == begin:
                return place, False
            elif isinstance(value, dict):
                reference = read(value, begin, place, name)
                if reference is not None:
                    collector.add(reference)
        if not opened:
            return place, True
    if opened:
        collector.note(start, "The JSON ends before it is complete; what came before was read.")
    return place, not opened


def _skip_colon(text: str, place: int) -> int:
    found = _COLON.match(text, place)
    return found.end() if found else place


def _decode_value(
    text: str, place: int, depth: int, collector: ReferenceCollector
) -> tuple[Any, int]:
    """The value at a place and where it ends; `_ENTERED` for a list or object of records."""
    if depth < _DEEPEST and _is_container(text, place):
        return _ENTERED, place + 1
    value, end = _decode_json(text, place, collector)
    if depth < _DEEPEST and isinstance(value, dict) and _holds_records(value):
        return _ENTERED, place + 1
    return value, end


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


def _decode_json(text: str, place: int, collector: ReferenceCollector) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        collector.note(error.pos, f"The JSON is broken here ({error.msg}); the rest was not read.")
    except (RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        collector.note(place, f"A JSON value could not be read ({reason}).")
    return None, place


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
