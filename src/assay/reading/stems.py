"""Lists of words with their endings, written as plain text: `porez*` is every form of it."""

from collections.abc import Callable, Iterable, Mapping

OTHER = "x"
"""The letter of a word that is on no list."""
_BARE = str.maketrans(
    {"č": "c", "ć": "c", "š": "s", "ž": "z", "đ": "d", "ä": "a", "ö": "o", "ü": "u", "ß": "ss"}
)
_LONGEST = 60
"""What is longer is no word; the lists are not asked about it."""


def build_matcher(*lists: str) -> Callable[[str], bool]:
    """A test whether a word, in small letters, is on one of the lists."""
    stems = _Stems([" ".join(lists)])

    def matches(word: str) -> bool:
        return stems.find_first(word) is not None

    return matches


class Letters(dict[str, str]):
    """One letter for each word: that of the first list that has it, `x` for a word on none.

    A text becomes a string of as many letters as it has words, which is quick to count and to
    search. Every word is looked up on the lists once in a process.
    """

    def __init__(
        self, lists: Mapping[str, str], *, figures: str = OTHER, at_most: int = 200_000
    ) -> None:
        """`figures` is the letter of whatever begins with a digit."""
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
    """Several lists, of which a word may be on any.

    A star stands for any letters, before a stem (`*gesetz`), after it (`zakon*`), or both. A word
    that lost its accents, as on careless sites and in old files, is on its list as well.
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
        # The first list that has an entry keeps it.
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
