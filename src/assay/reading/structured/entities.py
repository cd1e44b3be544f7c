"""The entities that an XML document declares for itself."""

import html
import re
from collections.abc import Mapping
from typing import Final

from assay.errors import ContentHostile

_ENTITY: Final = re.compile(
    r"""<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>[^\s"'%]+)\s+
        (?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<outside>SYSTEM|PUBLIC)\b)""",
    re.VERBOSE,
)
_REFERENCE: Final = re.compile(r"&([^\s&;#]{1,100});")
_LONGEST: Final = 10_000
_MOST: Final = 10_000


def parse_entities(subset: str, warnings: list[str]) -> dict[str, str]:
    """The text that each entity of a document type stands for.

    Entities in other files are never fetched. Entities that grow without bound, or refer to
    themselves, are refused before any of them is expanded.
    """
    raw: dict[str, str] = {}
    for match in _ENTITY.finditer(subset):
        if match["outside"]:
            warnings.append(f"The entity {match['name'][:50]} is in another file; it was not read.")
        elif not match["parameter"] and len(raw) < _MOST:
            value = match["double"] if match["double"] is not None else match["single"]
            raw.setdefault(match["name"], value)
    lengths: dict[str, int] = {}
    for name in raw:
        _measure_entity(name, raw, lengths)
    return {name: html.unescape(_expand_entity(value, raw)) for name, value in raw.items()}


def _measure_entity(name: str, raw: Mapping[str, str], lengths: dict[str, int]) -> None:
    """Count how long an entity would become, without building it."""
    waiting = [name]
    begun: set[str] = set()
    while waiting:
        at = waiting[-1]
        if at in lengths:
            waiting.pop()
            continue
        inner = [one for one in _REFERENCE.findall(raw[at]) if one in raw]
        missing = [one for one in inner if one not in lengths]
        if at in begun and missing:
            raise ContentHostile(
                f"The XML entity {at[:50]} stands for itself.", advice="Reading it would never end."
            )
        begun.add(at)
        if missing:
            waiting += dict.fromkeys(missing)
            continue
        lengths[at] = len(raw[at]) + sum(lengths[one] for one in inner)
        if lengths[at] > _LONGEST:
            raise ContentHostile(
                f"The XML entity {at[:50]} would grow to {lengths[at]:,} characters or more.",
                advice="Documents do that only to exhaust their reader; it was not expanded.",
            )
        waiting.pop()


def _expand_entity(value: str, raw: Mapping[str, str]) -> str:
    # This ends: no entity refers to itself or grows too long. Both were checked before.
    while True:
        before = value
        value = _REFERENCE.sub(lambda match: raw.get(match[1], match[0]), value)
        if value == before:
            return value
