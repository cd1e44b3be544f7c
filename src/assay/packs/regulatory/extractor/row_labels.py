"""What the rows of a table before a row say about it: headings of groups, and repeated labels."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKS = re.compile(r"[*_\\]{1,4}|(?:\s?[.…]){3,}")
"""Emphasis, and the dots that lead to a figure."""
_VALUE = re.compile(r"\d\s?(?:%|€|kn\b|eur|\$|£)|(?:€|\$|£|EUR)\s?\d", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(?:shall|must|may|is|are|je|su|se|ist|sind|wird|werden|beträgt|gilt|gelten|iznosi)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:([IVX]{1,6})|([A-Z])|(\d{1,2})|([a-z]))[.)]\s")
_LONGEST = 150
_RANKS = (4, 1, 0, 2, 3)
"""By the groups of `_NUMBERED`: parts with capital letters contain those with Roman numerals, and
so on; a heading without a number is below all of them."""
_MOST_GROUPS = 2


def clean_label(words: str) -> str:
    """The words of a cell without emphasis and leading dots, shortened."""
    flat = " ".join(_MARKS.sub(" ", words).split()).strip(" |")
    return flat if len(flat) <= _LONGEST else flat[:_LONGEST].rpartition(" ")[0] + " …"


class RowLabels:
    """Follows the rows of one table."""

    def __init__(self) -> None:
        self._groups: list[tuple[int, str]] = []
        self._last: tuple[str, ...] = ()
        """The row whose labels the next ones may continue."""
        self._row: tuple[str, ...] = ()

    def follow_row(self, row: Sequence[str]) -> tuple[str, ...]:
        """The labels of a row that other rows contain."""
        cells = tuple(map(clean_label, row))
        filled = [cell for cell in cells if cell]
        if len(filled) == 1 and len(cells) > 1 and self._is_group(filled[0]):
            self._add_group(filled[0])
            self._last = self._row = ()
            return ()
        first = next((place for place, cell in enumerate(cells) if cell), 0)
        repeated = tuple(cell for cell in self._last[:first] if _WORD.search(cell))
        if not first:
            self._last = cells
        self._row = (*self._last[:first], *cells[first:])
        return (*(words for _, words in self._groups), *repeated)

    def list_before(self, cell: str) -> tuple[str, ...]:
        """The short cells before a cell of the row that was followed last."""
        own = clean_label(cell)
        place = self._row.index(own) if own in self._row else 0
        return tuple(one for one in self._row[:place] if _WORD.search(one) and len(one) < _LONGEST)

    def _is_group(self, words: str) -> bool:
        return (
            len(words) < _LONGEST
            and words[-1] not in ".;:,"
            and _WORD.search(words) is not None
            and not _VALUE.search(words)
            and not _SPOKEN.search(words)
        )

    def _add_group(self, words: str) -> None:
        """Begin a group, which ends those of its rank and below."""
        number = _NUMBERED.match(words)
        rank = _RANKS[number.lastindex or 0] if number else len(_RANKS)
        above = [one for one in self._groups if one[0] < rank]
        self._groups = [*above, (rank, words)][-_MOST_GROUPS:]
