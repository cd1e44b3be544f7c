"""Repair the most common error of XML written without a library: the bare ampersand."""

import html.entities
import re

_BARE = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)",
    re.DOTALL,
)
_NAMED = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)"
    r"(?:([A-Za-z][A-Za-z0-9]{1,31});)?",
    re.DOTALL,
)


def escape_ampersands(entry: bytes) -> bytes:
    """A piece of XML in which every `&` begins a valid reference."""
    return _BARE.sub(lambda found: b"&amp;" if found.group() == b"&" else found.group(), entry)


def replace_entities(text: str) -> str:
    """XML with numbers for all entity names: `&nbsp;` exists only in HTML, a bare `&` nowhere.

    This includes the names that XML knows, because a tolerant parser forgets them after the first
    error.
    """
    return _NAMED.sub(_replace_entity, text)


def _replace_entity(found: re.Match[str]) -> str:
    if found.group().startswith("<"):
        return found.group()
    name = found.group(1)
    if name is None:
        return "&#38;"
    characters = html.entities.html5.get(f"{name};")
    if characters is None:
        return f"&#38;{name};"
    return "".join(f"&#{ord(character)};" for character in characters)
