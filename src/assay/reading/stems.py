"""Lists of words with their endings, written as plain text: `porez*` is every form of it."""

from collections.abc import Callable, Iterable, Mapping

OTHER = "x"
"""The letter for a word that is on none of the lists."""
_BARE = str.maketrans(
    {"č": "c", "ć": "c", "š": "s", "ž": "z", "đ": "d", "ä": "a", "ö": "o", "ü": "u", "ß": "ss"}
)
_LONGEST = 60
"""Anything longer is not a word, and is not looked up."""


def build_matcher(*lists: str) -> Callable[[str], bool]:
    """Build a test for whether a lower-case word is on one of the lists."""
    stems = _Stems([" ".join(lists)])

    def matches(word: str) -> bool:
        return stems.find_first(word) is not None

    return matches


class Letters(dict[str, str]):
    """One letter for each word: that of the first list that contains it, `x` if none does.

    A text becomes a string with one letter per word, which is fast to count and to search. Each
    word is looked up on the lists once per process.
    """

    def __init__(
        self, lists: Mapping[str, str], *, figures: str = OTHER, at_most: int = 200_000
    ) -> None:
        """`figures` is the letter for anything that begins with a digit."""
        super().__init__()
        self._names = tuple(lists)
        self._stems = _Stems(lists.values())
        self._figures = figures
        self._at_most = at_most

    def __missing__(self, word: str) -> str:
        if len(self) >= self._at_most:
            self.clear()
        letter = self._figures if word[:1].isdigit() else self._find_letter(word)
        self[word] = letter
        return letter

    def letters_of(self, words: Iterable[str]) -> str:
        """The letters of a text."""
        return "".join(map(self.__getitem__, words))

    def _find_letter(self, word: str) -> str:
        found = self._stems.find_first(word)
        return OTHER if found is None else self._names[found]


class _Stems:
    """Several lists of words.

    A star stands for any letters, before a stem (`*gesetz`), after it (`zakon*`), or both. A word
    without its accents, as on careless sites and in old files, is found as well.
    """

    def __init__(self, lists: Iterable[str]) -> None:
        self._whole: dict[str, int] = {}
        self._beginnings: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        for at, text in enumerate(lists):
            for entry in text.split():
                self._add(entry, at)
                self._add(entry.translate(_BARE), at)

    def _add(self, entry: str, at: int) -> None:
        kept = {
            (False, False): self._whole,
            (False, True): self._beginnings,
            (True, False): self._endings,
            (True, True): self._parts,
        }[entry.startswith("*"), entry.endswith("*")]
        # If several lists have an entry, the first one counts.
        kept.setdefault(entry.strip("*"), at)

    def find_first(self, word: str) -> int | None:
        """The first list that a word is on."""
        if len(word) > _LONGEST:
            return None
        size = len(word)
        found = [
            self._whole.get(word),
            *(self._beginnings.get(word[:end]) for end in range(1, size + 1)),
            *(self._endings.get(word[start:]) for start in range(size)),
            *(at for part, at in self._parts.items() if part in word),
        ]
        return min((at for at in found if at is not None), default=None)
