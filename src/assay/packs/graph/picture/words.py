"""Words that can be shown: nothing that breaks XML or a page, cut to a width, wrapped."""

import re
import unicodedata
from html import escape

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_STEERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NARROW = frozenset("iljtfrI.,:;'|!()[]-/ ’‘·")
_WIDE = frozenset("mwMW@%—…&")
_SMALL = re.compile("[a-zß-öø-ÿ]")
_JOINER = "\u200d"
ELLIPSIS = "…"


def showable(text: str) -> str:
    """A text of the same length without characters that neither XML nor a page can hold."""
    return _UNSHOWABLE.sub("\ufffd", text)


def line(text: str) -> str:
    """A text on one line; marks that would turn the text around it are taken out."""
    return " ".join(_STEERING.sub("", showable(text)).split())


def escaped(text: str) -> str:
    """For an element or an attribute; a carriage return must survive the parser."""
    return escape(showable(text)).replace("\r", "&#13;")


def width(text: str, size: float) -> float:
    """About how wide a line is at a font size: rather too wide than too narrow."""
    return sum(_advance(character) for character in text) * size


def shortened(text: str, most: float, size: float) -> str:
    """A line cut to a width, with an ellipsis where something is missing."""
    # Nobody sees more than this of one line; 10 kB of name need not be measured.
    head = text[:400]
    if len(head) == len(text) and width(text, size) <= most:
        return text
    room = most - width(ELLIPSIS, size)
    end = 0
    for character in head:
        room -= _advance(character) * size
        if room < 0:
            break
        end += 1
    return text[: _between_characters(text, end)].rstrip() + ELLIPSIS


def wrapped(text: str, most: float, size: float, lines: int) -> list[str]:
    """A line as at most so many lines, the last of them cut where it is too long."""
    found: list[str] = []
    rest = text
    while rest and len(found) < lines - 1 and width(rest[:400], size) > most:
        end = _last_break(rest, most, size)
        if end is None:
            break
        found.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    found.append(shortened(rest, most, size))
    return found


def _last_break(text: str, most: float, size: float) -> int | None:
    room = most
    end = None
    for at, character in enumerate(text[:400]):
        if character in " -" and at and room >= 0:
            end = at + 1
        room -= _advance(character) * size
        if room < 0:
            break
    return end


def _between_characters(text: str, end: int) -> int:
    """Back to a place that parts no letter from its accents and no emoji from its own parts."""
    while 0 < end < len(text) and (_clings(text[end]) or text[end - 1] == _JOINER):
        end -= 1
    return end


def _clings(character: str) -> bool:
    return (
        character == _JOINER
        or unicodedata.combining(character) > 0
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.33
    if character in _WIDE:
        return 0.92
    if _SMALL.match(character) or character.isdigit():
        return 0.57
    if unicodedata.combining(character) or character == _JOINER:
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.1
    return 0.7
