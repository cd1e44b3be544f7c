"""A sentence taken apart: its words, whom it speaks of, and what stands between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.packs.graph.plain import english
from assay.packs.graph.plain.mentions import Kind, Mention
from assay.packs.graph.plain.words import Word

NAMED = frozenset({Kind.NAME, Kind.QUOTED, Kind.STAND_IN})
"""How a subject may be spoken of."""
_SORTS = {Kind.QUOTED: Kind.NAME, Kind.COMMON: Kind.TERM}
"""What may be listed together."""
_LISTED = frozenset({",", "and", "&", "or", ";"})


@dataclass(frozen=True)
class Line:
    """One sentence."""

    words: Sequence[Word]
    mentions: Sequence[Mention]
    """In order; none overlaps another."""
    at: Sequence[int] = field(init=False)
    """Word → the index of the mention that it belongs to, or -1."""

    depth: Sequence[int] = field(init=False)
    """Word → how many brackets it stands in."""

    heads: Sequence[int] = field(init=False)
    """Mention → the first of its list."""

    def __post_init__(self) -> None:
        at = [-1] * len(self.words)
        for index, mention in enumerate(self.mentions):
            at[mention.first : mention.last] = [index] * (mention.last - mention.first)
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "depth", _depths(self.words))
        heads: list[int] = []
        for index in range(len(self.mentions)):
            listed = index > 0 and self._listed(index - 1, index)
            heads.append(heads[index - 1] if listed else index)
        object.__setattr__(self, "heads", heads)

    def low(self, index: int) -> str:
        """A word, small; nothing outside the sentence."""
        return self.words[index].low if 0 <= index < len(self.words) else ""

    def head_of_list(self, index: int) -> int:
        """The first of the mentions that this one is listed with: `A` for `C` in `A, B and C`."""
        return self.heads[index]

    def listed_after(self, index: int) -> list[int]:
        """The mentions that follow this one in its list, itself included."""
        found = [index]
        while index + 1 < len(self.mentions) and self.heads[index + 1] <= index:
            index += 1
            found.append(index)
        return found

    def _listed(self, one: int, other: int) -> bool:
        first, second = self.mentions[one], self.mentions[other]
        if _SORTS.get(first.kind, first.kind) is not _SORTS.get(second.kind, second.kind):
            return False
        between = range(first.last, second.first)
        return 0 < len(between) <= 3 and all(
            self.low(index) in _LISTED or (index == second.first - 1 and self.low(index) == "the")
            for index in between
        )

    def governed(self, index: int) -> bool:
        """Whether a preposition leads to a mention, so that it is no subject."""
        before = self.mentions[self.head_of_list(index)].first - 1
        while before >= 0 and (self.low(before) in english.DETERMINERS or self.describes(before)):
            before -= 1
        return self.low(before) in english.PREPOSITIONS

    def describes(self, word: int) -> bool:
        """Whether a word only describes what follows it."""
        at = self.at[word]
        return at >= 0 and self.mentions[at].kind in (Kind.ADJECTIVE, Kind.COMMON)


def _depths(words: Sequence[Word]) -> list[int]:
    found: list[int] = []
    depth = 0
    for word in words:
        depth += word.form == "("
        found.append(depth)
        depth = max(0, depth - (word.form == ")"))
    return found
