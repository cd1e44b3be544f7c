"""Words that a page can show: nothing that breaks HTML, on one line, cut to a length."""

import re
import unicodedata
from html import escape

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_STEERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_JOINER = "\u200d"


def replace_unshowable(text: str) -> str:
    """Return a text of the same length without the characters that a page cannot hold."""
    return _UNSHOWABLE.sub("\ufffd", text)


def fold_line(text: str) -> str:
    """Put a text on one line, without the marks that would reverse the text around it."""
    return " ".join(_STEERING.sub("", replace_unshowable(text)).split())


def escape_text(text: str) -> str:
    """Escape a text for an element or an attribute; a carriage return survives the parser."""
    return escape(replace_unshowable(text)).replace("\r", "&#13;")


def shorten_line(text: str, most: int) -> str:
    """Cut a line to a number of characters, with an ellipsis where something is missing."""
    if len(text) <= most:
        return text
    end = most - 1
    # Do not separate a letter from its accents or an emoji from its parts.
    while end > 0 and (_joins_previous(text[end]) or text[end - 1] == _JOINER):
        end -= 1
    return text[:end].rstrip() + "…"


def count_things(count: int, one: str, many: str) -> str:
    """Write `1 entity` or `2,400 entities`."""
    return f"{count:,} {one if count == 1 else many}"


def _joins_previous(character: str) -> bool:
    return (
        character == _JOINER
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
