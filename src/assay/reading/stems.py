"""Lists of words with their endings, written as plain text: `porez*` is every form of it."""

import re
from collections.abc import Callable, Iterable, Mapping

OTHER = "x"
_BARE = str.maketrans(
    {"č": "c", "ć": "c", "š": "s", "ž": "z", "đ": "d", "ä": "a", "ö": "o", "ü": "u", "ß": "ss"}
)
_LONGEST = 60
"""What is longer is no word; a list is not asked about it."""


def matcher(*lists: str) -> Callable[[str], bool]:
    """A test whether a word, in small letters, is on one of the lists.

    A star stands for any letters, before a stem (`*gesetz`), after it (`zakon*`), or both. A word
    that lost its accents, as on careless sites and in old files, is on the list as well.
    """
    named = {entry for text in lists for entry in text.split()}
    entries = sorted(named | {entry.translate(_BARE) for entry in named})
    whole = frozenset(entry for entry in entries if "*" not in entry)
    stems = [re.escape(entry).replace(r"\*", r"\w*") for entry in entries if "*" in entry]
    pattern = re.compile("|".join(stems) or r"(?!)")

    def matches(word: str) -> bool:
        if word in whole:
            return True
        return len(word) <= _LONGEST and pattern.fullmatch(word) is not None

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
        self._figures = figures
        self._tests = [(letter, matcher(text)) for letter, text in lists.items()]
        self._at_most = at_most

    def __missing__(self, word: str) -> str:
        if len(self) >= self._at_most:
            self.clear()
        letter = self._figures if word[:1].isdigit() else self._letter(word)
        self[word] = letter
        return letter

    def _letter(self, word: str) -> str:
        return next((letter for letter, test in self._tests if test(word)), OTHER)

    def of(self, words: Iterable[str]) -> str:
        """The letters of a text."""
        return "".join(map(self.__getitem__, words))
