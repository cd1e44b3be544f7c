"""Where the text of an act may have been changed after the act began to apply.

A consolidated text does not say since when a changed provision reads as it does. Some publishers
mark the provisions that were changed; the others are then as the act first had them.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Self

_HEAD = 4_000
_CONSOLIDATED = re.compile(
    r"^\W{0,4}(?:(?:zuletzt\s+)?geändert\s+durch|neugefasst\s+durch|neufassung\s+durch"
    r"|änderung\s+durch|(?:rechts)?stand\W{1,4}(?=[^\n]{0,200}(?:geänd|neugef|änder|fassung))"
    r"|(?:[^\n]{0,80}\s)?pročišćeni\s+tekst|last\s+amended|as\s+amended\s+(?:by|up\s+to)"
    r"|revised\s+act|consolidated\s+(?:text|version|act)|updated\s+to)(?!\w)",
    re.IGNORECASE | re.MULTILINE,
)
"""What a publisher says above the first provision of a text that contains amendments."""
_AMERICAN = re.compile(
    r"(?<!\w)(?:amended|added|renumbered)\W{1,3}(?:§[^,;]{1,30},\s)?\[?Pub\. L\."
)
_OF_AMENDING_ACT = re.compile(
    r"^\W{0,8}(?:prijelazne\s+i\s+završne|završne|prijelazne)\s+odredbe\s+iz\s", re.I | re.M
)
"""`Prijelazne i završne odredbe iz NN 67/23`: what follows is of an amending act."""
_ARTICLE = re.compile(r"^\W{0,8}Članak\s+\d{1,4}\.?\s?[a-z]{0,2}\.?(?P<later>\W{0,6}\(NN\s)?", re.M)
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_MARK = re.compile(r"(?<!\w)F\d{1,4}\[")


@dataclass(slots=True)
class LaterWording:
    """The stretches of a text that do not read as the act did on its first day."""

    is_everywhere: bool = False
    stretches: list[tuple[int, int]] = field(default_factory=list)
    end: int | None = None
    """Where the provisions of amending acts begin."""

    @classmethod
    def find(cls, text: str) -> Self:
        """Find what a text marks as changed."""
        articles = list(_ARTICLE.finditer(text))
        ends = [*(one.start() for one in articles[1:]), len(text)]
        stretches = [
            (one.start(), end) for one, end in zip(articles, ends, strict=False) if one["later"]
        ]
        appended = _OF_AMENDING_ACT.search(text)
        everywhere = _CONSOLIDATED.search(text, 0, _HEAD) or _AMERICAN.search(text)
        marked = _list_marked_sections(text)
        return cls(
            everywhere is not None
            or (appended is not None and not stretches)
            or (marked == [] and _MARK.search(text) is not None),
            sorted(stretches + marked),
            appended.start() if appended else None,
        )

    def covers(self, at: int) -> bool:
        """Whether the text at a place may have been changed."""
        return self.is_everywhere or (self.end is not None and at >= self.end) or self.is_marked(at)

    def is_marked(self, at: int) -> bool:
        """Whether the text at a place is marked as changed."""
        place = bisect_right(self.stretches, at, key=lambda one: one[0]) - 1
        return place >= 0 and at < self.stretches[place][1]


def _list_marked_sections(text: str) -> list[tuple[int, int]]:
    marks = [one.start() for one in _MARK.finditer(text)]
    starts = [one.start() for one in _HEADING.finditer(text)] if marks else []
    found: dict[int, tuple[int, int]] = {}
    for mark in marks:
        place = bisect_right(starts, mark)
        if place:
            end = starts[place] if place < len(starts) else len(text)
            found[place] = (starts[place - 1], end)
    return list(found.values())
