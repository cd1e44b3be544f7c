"""Compare words as a reader does: typographic quotation marks, dashes and spaces do not count."""

import re
from dataclasses import dataclass

_FOLDED = str.maketrans(
    {
        **dict.fromkeys("»«„“”‟″", '"'),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
        "\u00ad": "",
        "\u200b": "",
    }
)
_THOUSANDS = re.compile(r"(?<![\d.,/-])\d{1,3}(?: \d{3})+(?![\d/])")
"""A figure whose digits are grouped by spaces: some editions of an act print it without them."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, and where each of its characters was."""

    text: str
    places: tuple[int, ...]
    """The place of each folded character, and the end of the original."""


def fold(text: str) -> str:
    """Words without typography: to see whether two texts are the same."""
    return _THOUSANDS.sub(_join_digits, " ".join(text.translate(_FOLDED).split()))


def fold_with_places(text: str) -> Folded:
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            characters.append(" ")
            places.append(place)
            continue
        for each in character.translate(_FOLDED):
            characters.append(each)
            places.append(place)
    folded = "".join(characters)
    dropped = {
        each.start() + at
        for each in _THOUSANDS.finditer(folded)
        for at, character in enumerate(each.group())
        if character == " "
    }
    if dropped:
        folded = _THOUSANDS.sub(_join_digits, folded)
        places = [place for at, place in enumerate(places) if at not in dropped]
    return Folded(folded, (*places, len(text)))


def _join_digits(found: re.Match[str]) -> str:
    return found.group().replace(" ", "")


def find_words(text: str, words: str) -> list[tuple[int, int]]:
    """All places of words in a text, as whole words and whole figures.

    "5" is not found in "25", "0,5" or "5.000", nor "tax" in "taxes".
    """
    wanted = fold(words)
    if not wanted or (len(wanted) < 60 and wanted.split(" ", 1)[0] not in fold(text)):
        return []
    folded = fold_with_places(text)
    found = []
    at = folded.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_continues_before(folded.text, at) or _continues_after(folded.text, end)):
            found.append((folded.places[at], folded.places[end - 1] + 1))
            at = folded.text.find(wanted, end)
        else:
            at = folded.text.find(wanted, at + 1)
    return found


def _continues_before(text: str, at: int) -> bool:
    if at == 0 or not text[at].isalnum():
        return False
    if text[at - 1].isalnum():
        return True
    return bool(text[at].isdigit() and re.search(r"\d[.,]$", text[max(0, at - 2) : at]))


def _continues_after(text: str, end: int) -> bool:
    if end >= len(text) or not text[end - 1].isalnum():
        return False
    if text[end].isalnum():
        return True
    return bool(text[end - 1].isdigit() and re.match(r"[.,]\d", text[end : end + 2]))
