"""How a sentence is spelled for the cues: without emphasis, invisible marks and look-alikes."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

Place = tuple[int, int]

_ODD_MARKS = "\u0300-\u036f\ufe00-\ufe0f"
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_LETTER = re.compile(rf"[\s\S][{_ODD_MARKS}{_INVISIBLE}]*")
_LEFT_OUT = re.compile(rf"[{_INVISIBLE}]")
_APOSTROPHE = re.compile(r"(?<=\w)[`´ʹʼˈ‘’‛′＇](?=\w)")
_SHOUTED = re.compile(r"[^\W\d_]{2,}")
_ALIKE = str.maketrans("АВЕЅІЈКМНОРСТХаеѕіјорсухԁһοιν", "ABESIJKMHOPCTXaesijopcyxdhoiv") | {
    # Emphasis in plain text; as a part of a word it would hide the cue.
    ord("_"): " "
}
"""Cyrillic and Greek letters that look like Latin ones."""


def simplify_spelling(text: str, places: Sequence[Place]) -> tuple[str, list[Place]]:
    """A text as its cues are looked for, and where its places are in it.

    `was _not_`, `n\u200bot` and `NOT` deny as much as `not`. A word in capitals becomes small, so
    that it is not taken for a name.
    """
    plain, kept = _replace_letters(_APOSTROPHE.sub("'", text))
    plain = _SHOUTED.sub(_quieten, plain)
    if kept is None:
        return plain, list(places)
    return plain, [(bisect_left(kept, start), bisect_left(kept, end)) for start, end in places]


def _replace_letters(text: str) -> tuple[str, list[int] | None]:
    """The letters that are seen, and where each was; None if all are where they were."""
    if text.isascii():
        return text.translate(_ALIKE), None
    seen: list[str] = []
    kept: list[int] = []
    for match in _LETTER.finditer(text):
        letters = _show_letter(match[0])
        seen.append(letters)
        kept.extend([match.start()] * len(letters))
    return "".join(seen), kept


def _show_letter(letter: str) -> str:
    """A letter with the marks on it; marks that belong to no letter, such as strokes, are left
    out, because a guard that a stroke switches off is none."""
    bare = _LEFT_OUT.sub("", letter)
    if bare.isascii():
        return bare.translate(_ALIKE)
    composed = unicodedata.normalize("NFKC", bare)
    return "".join(c for c in composed if not unicodedata.combining(c)).translate(_ALIKE)


def _quieten(word: re.Match[str]) -> str:
    small = word[0].lower()
    # `ß` has a capital that hardly anybody writes.
    is_shouted = word[0].replace("ß", "").isupper()
    return small if is_shouted and len(small) == len(word[0]) else word[0]
