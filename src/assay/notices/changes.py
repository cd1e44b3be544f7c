"""What changed between two versions of a text, as lines that can be read."""

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

MOST_LINES: Final = 100
"""Lines of one change that a notice keeps; it says how many more there are."""
LONGEST_LINE: Final = 400
_MOST_COMPARISONS: Final = 4_000_000
"""Beyond this product of two lengths, lines are not aligned: it would take minutes."""
_CONTEXT: Final = 1
_BEGINNING: Final = 5
"""Lines of a new document that are shown."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """The lines that only one of two versions has. A line that only moved is not among them."""

    added: list[str]
    removed: list[str]

    @property
    def is_empty(self) -> bool:
        return not self.added and not self.removed


def list_lines(text: str) -> list[str]:
    """The lines of a text that have words, with single spaces."""
    return [line for part in text.splitlines() if (line := " ".join(part.split()))]


def compare_lines(old: Sequence[str], new: Sequence[str]) -> TextChange:
    """Compare two versions in time that grows with their length only."""
    return TextChange(_list_surplus(new, old), _list_surplus(old, new))


def _list_surplus(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    left = Counter(others)
    surplus = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            surplus.append(line)
    return surplus


def render_diff(old: Sequence[str], new: Sequence[str], change: TextChange) -> list[str]:
    """The change with a line of context around it; each line begins with `+`, `-` or a space."""
    if len(old) * len(new) > _MOST_COMPARISONS:
        return [f"- {line}" for line in change.removed] + [f"+ {line}" for line in change.added]
    hunks = difflib.unified_diff(old, new, lineterm="", n=_CONTEXT)
    lines = []
    for line in list(hunks)[2:]:
        lines.append("…" if line.startswith("@@") else f"{line[0]} {line[1:]}")
    return lines[1:] if lines[:1] == ["…"] else lines


def describe_change(
    old: Sequence[str] | None, new: Sequence[str], change: TextChange
) -> dict[str, Any]:
    """What a notice keeps of a change; of a new document, how it begins."""
    if old is None:
        return {
            "added": shorten_lines(change.added[:_BEGINNING]),
            "added_total": len(change.added),
            "removed_total": 0,
            "diff": [],
            "diff_total": 0,
        }
    diff = render_diff(old, new, change)
    return {
        "added": shorten_lines(change.added),
        "added_total": len(change.added),
        "removed_total": len(change.removed),
        "diff": shorten_lines(diff),
        "diff_total": len(diff),
    }


def shorten_lines(lines: Sequence[str]) -> list[str]:
    """At most as many lines as a notice keeps, none of them too long."""
    return [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
        for line in lines[:MOST_LINES]
    ]
