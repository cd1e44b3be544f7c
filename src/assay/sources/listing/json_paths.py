"""Paths into JSON: names with dots between them, `[*]` for every entry of a list.

`results[*].links.html`, `["@odata.nextLink"]` for a name with a dot in it, `[0]` for one entry,
and a leading `^` for what contains an entry: `^.title`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.errors import InvalidInput

_STEP = re.compile(r"""\.?(?:\[(\*|\d{1,6})\]|\["([^"]+)"\]|\['([^']+)'\]|([^.\[\]"'^]+))""")
_ANY = "*"

JsonStep = str | int


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """A value, and the objects that lead to it, the nearest first."""

    value: Any
    around: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A parsed path; an empty one means the value itself."""

    up: int
    steps: tuple[tuple[bool, JsonStep], ...]
    """Whether it is a position in a list, and which."""

    def iter_places(self, start: JsonPlace) -> Iterator[JsonPlace]:
        """Everything that the path leads to, in order."""
        if self.up:
            if self.up > len(start.around):
                return
            start = JsonPlace(start.around[self.up - 1], start.around[self.up :])
        yield from _walk(start, self.steps)

    def find_first(self, start: JsonPlace) -> Any:
        """The first value there, or None."""
        return next((place.value for place in self.iter_places(start)), None)

    def exists(self, start: JsonPlace) -> bool:
        return next(self.iter_places(start), None) is not None


def _walk(start: JsonPlace, steps: tuple[tuple[bool, JsonStep], ...]) -> Iterator[JsonPlace]:
    if not steps:
        yield start
        return
    (in_list, step), rest = steps[0], steps[1:]
    value = start.value
    if not in_list:
        if isinstance(value, dict) and step in value:
            around = (value, *start.around)
            yield from _walk(JsonPlace(value[step], around), rest)
    elif isinstance(value, list):
        wanted = value if step == _ANY else value[int(step) : int(step) + 1]
        for entry in wanted:
            yield from _walk(JsonPlace(entry, start.around), rest)


@lru_cache(maxsize=1024)
def parse_json_path(written: str) -> JsonPath:
    """Parse a path; text that is not a path is refused."""
    at = 0
    while written.startswith("^", at):
        at += 1 + (written[at + 1 : at + 2] == ".")
    up = written[:at].count("^")
    steps: list[tuple[bool, JsonStep]] = []
    while at < len(written):
        step = _STEP.match(written, at)
        if step is None or (at == 0 and written.startswith(".")):
            raise InvalidInput(
                f"{written!r} is not a path: it cannot be read from character {at + 1} on.",
                advice='Write names with dots between them, [*], [0] or ["a.name"].',
            )
        place, double, single, name = step.groups()
        steps.append((place is not None, place or double or single or name))
        at = step.end()
    return JsonPath(up, tuple(steps))
