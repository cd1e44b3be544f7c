"""Words of a sentence, with their places in the whole text."""

import re
from dataclasses import dataclass

_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\w+(?:[-–'’&/.]\w+)*|[^\w\s]")
_CAMEL = re.compile(r"[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|\d+(?:st|nd|rd|th)?|[^\W\d_]+")
_POSSESSIVE = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a number or a mark: `text[start:end] == form`."""

    start: int
    end: int
    form: str
    low: str

    @property
    def is_name_like(self) -> bool:
        """Whether it begins with a capital."""
        return self.form[0].isupper()

    @property
    def is_word(self) -> bool:
        """Whether it is no mere mark."""
        return self.form[0].isalnum()


def words_of(text: str, start: int, end: int) -> list[Word]:
    """The words of a stretch; a possessive ending is a word of its own."""
    found: list[Word] = []
    for match in _WORD.finditer(text, start, end):
        form, at = match[0], match.start()
        if len(form) > 2 and form.endswith(_POSSESSIVE):
            cut = at + len(form) - 2
            found.append(Word(at, cut, form[:-2], form[:-2].casefold()))
            found.append(Word(cut, match.end(), form[-2:], "'s"))
        else:
            found.append(Word(at, match.end(), form, form.casefold()))
    return found


def label_words(label: str) -> tuple[str, ...]:
    """The words of a label, small; names in camel case and with underscores are taken apart."""
    return tuple(match[0].casefold() for match in _CAMEL.finditer(label.replace("_", " ")))
