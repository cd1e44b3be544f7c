"""The subparagraphs of a provision: lines without a number, which acts of the Union count."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.acts.amending.paths import LAST, last_number
from assay.packs.regulatory.acts.shapes import Provision, ProvisionKind

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_ENDS = re.compile(r"[.!?][\"'’”»)\]]*\s*$")


@dataclass(frozen=True, slots=True)
class Subparagraph:
    """A line of a provision's words."""

    field: str
    """Where it is: `opening` or `closing`."""
    start: int
    end: int
    has_parts: bool
    """Whether the points of the provision belong to it."""
    is_certain: bool
    """Whether it surely is one: not a formula, a row of a table, or the end of a sentence that
    goes on after its points."""


def is_subparagraph(path: str) -> bool:
    return path.rpartition("__")[2].startswith(ProvisionKind.SUBPARAGRAPH + "_")


def list_subparagraphs(provision: Provision, parts: Sequence[str]) -> list[Subparagraph]:
    """The subparagraphs of a provision with these parts, in order."""
    found = []
    opening, closing = provision.opening.text, provision.closing.text
    lines = list(_LINE.finditer(opening))
    for index, line in enumerate(lines):
        leads = bool(parts) and index == len(lines) - 1
        is_certain = leads or _ENDS.search(line.group()) is not None
        found.append(Subparagraph("opening", line.start(), line.end(), leads, is_certain))
    for line in _LINE.finditer(closing):
        is_whole = not line.group().lstrip()[:1].islower() and _ENDS.search(line.group())
        is_certain = bool(is_whole) and not has_rows(parts)
        found.append(Subparagraph("closing", line.start(), line.end(), False, is_certain))
    return found


def find_subparagraph(
    provision: Provision, parts: Sequence[str], number: str
) -> Subparagraph | None:
    """The subparagraph of a number; None if there is none, or counting is not certain."""
    found = list_subparagraphs(provision, parts)
    count = len(found) if number == LAST else int(number) if number.isdigit() else 0
    if not 0 < count <= len(found) or not all(each.is_certain for each in found[:count]):
        return None
    return found[count - 1]


def leads_parts(provision: Provision, parts: Sequence[str], number: str) -> bool:
    """Whether the points of a provision are those of a subparagraph."""
    found = find_subparagraph(provision, parts, number)
    return found is not None and found.has_parts and not has_rows(parts)


def has_rows(parts: Sequence[str]) -> bool:
    """Whether parts have the same number twice: of two rows of points, the second one belongs to a
    line after the first, whichever that is."""
    return any("_" in last_number(each) for each in parts)
