"""Patterns with `*` and `?`, matched in linear time."""

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit


def matches_glob(text: str, pattern: str) -> bool:
    """Whether the whole text matches the pattern; `*` is any run, `?` any one character."""
    # Only the last star ever needs to be retried: the number of paths stays linear.
    at = here = 0
    star, held = -1, 0
    while at < len(text):
        if here < len(pattern) and pattern[here] == "*":
            star, held = here, at
            here += 1
        elif here < len(pattern) and pattern[here] in ("?", text[at]):
            at += 1
            here += 1
        elif star >= 0:
            held += 1
            at, here = held, star + 1
        else:
            return False
    return all(letter == "*" for letter in pattern[here:])


def address_matches(url: str, patterns: Iterable[str]) -> bool:
    """Whether an address matches one of the patterns; one that begins with `/` means the path."""
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    for pattern in patterns:
        text = path if pattern.startswith("/") else url
        # Patterns are written as people read addresses, `/zakon/č*`, unescaped.
        if matches_glob(text, pattern) or matches_glob(unquote(text), pattern):
            return True
    return False
