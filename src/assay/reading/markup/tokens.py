"""Separate tags from text, in HTML and in XML, in one pass over the characters.

Nothing here builds a tree, expands the document's own entities, or reads a character twice, so a
document that never closes anything costs no more than one that does.
"""

import html
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

# Every alternative ends in \Z where its closing may be missing, and every repetition is
# possessive: no match is ever abandoned half way, which is what makes the scan linear. A quotation
# mark counts only after an equals sign, as in a browser.
_MARKUP: Final = re.compile(
    r"""<(?:
        (?P<close>/)?(?P<name>[a-zA-Z_][^\s/>]*+)
        (?P<attributes>(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+)(?:>|\Z)
      | !--(?:-?>|[\s\S]*?(?:--!?>|\Z))
      | !\[CDATA\[(?P<cdata>[\s\S]*?)(?:\]\]>|\Z)
      | (?P<doctype>![dD][oO][cC][tT][yY][pP][eE](?:[^>\[]++|\[(?P<subset>(?:
            [^\]<"']++|"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|<!--[\s\S]*?(?:-->|\Z)|<)*+)(?:\]|\Z))*+)(?:>|\Z)
      | [!?/][^>]*+(?:>|\Z)
    )""",
    re.VERBOSE,
)
_ATTRIBUTE: Final = re.compile(
    r"""([^\s=/>"']+)(?:\s*+=\s*+("[^"]*+"?+|'[^']*+'?+|[^\s>]++))?+""",
)
_MODIFICATION: Final = re.compile(r"<\?CLG\.MDFO\s([^?]*+)\?>")
_MODIFICATION_END: Final = re.compile(r'<\?CLG\.MDFC\s[^?]*?\bID="([^"]*+)"')
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "iframe", "noframes", "noembed", "xmp")
}


class TokenKind:
    """What a token is."""

    TEXT: Final = 0
    OPEN: Final = 1
    CLOSE: Final = 2
    RAW: Final = 3
    DOCTYPE: Final = 4
    CDATA: Final = 5
    UNCLOSED: Final = 6
    """Markup that begins here, is never closed, and hides what follows."""


Token: TypeAlias = tuple[int, int, int, str, str]
"""A stretch of the source: its kind, where it starts and ends, the name of a tag (in HTML in lower
case), and what follows the name in the tag. A plain tuple, because a page has many thousands.
For a document type the last field is its own declarations. Comments produce no token."""


def tokenize_html(source: str) -> Iterator[Token]:
    """The tags and the text of a page. A script, or anything else without markup, is RAW."""
    at, end = 0, len(source)
    search = _MARKUP.search
    while found := search(source, at):
        start = found.start()
        if start > at:
            yield TokenKind.TEXT, at, start, "", ""
        at = found.end()
        if at == end and source[-1] != ">":
            yield TokenKind.UNCLOSED, start, end, "", ""
            return
        closes, name, attributes = found.group("close", "name", "attributes")
        if name is None:
            continue
        name = name.lower()
        if closes:
            yield TokenKind.CLOSE, start, at, name, ""
        elif name in _RAW:
            closing = _RAW[name].search(source, at)
            if closing is None:
                yield TokenKind.UNCLOSED, start, end, "", ""
                return
            yield TokenKind.RAW, at, closing.start(), name, ""
            at = closing.start()
        else:
            yield TokenKind.OPEN, start, at, name, attributes
    if at < end:
        yield TokenKind.TEXT, at, end, "", ""


def tokenize_xml(source: str) -> Iterator[Token]:
    """The tags and the text of an XML document. A self-closing tag gives two tokens."""
    at, end = 0, len(source)
    while found := _MARKUP.search(source, at):
        start = found.start()
        if start > at:
            yield TokenKind.TEXT, at, start, "", ""
        at = found.end()
        if at == end and source[-1] != ">":
            yield TokenKind.UNCLOSED, start, end, "", ""
            return
        closes, name, attributes = found.group("close", "name", "attributes")
        if name is not None:
            if closes:
                yield TokenKind.CLOSE, start, at, name, ""
                continue
            yield TokenKind.OPEN, start, at, name, attributes
            if attributes.endswith("/"):
                yield TokenKind.CLOSE, at, at, name, ""
        elif found["cdata"] is not None:
            yield TokenKind.CDATA, *found.span("cdata"), "", ""
        elif found["doctype"] is not None:
            yield TokenKind.DOCTYPE, start, at, "", found["subset"] or ""
    if at < end:
        yield TokenKind.TEXT, at, end, "", ""


def find_deletions(source: str) -> list[tuple[int, int]]:
    """The stretches of a consolidated act in Formex that an amendment deleted.

    The publisher keeps them in the file, between two processing instructions.
    """
    if "<?CLG.MDFO" not in source:
        return []
    ends = {found[1]: found.start() for found in _MODIFICATION_END.finditer(source)}
    found = []
    for each in _MODIFICATION.finditer(source):
        attributes = parse_attributes(each[1])
        end = ends.get(attributes.get("idref", ""), -1)
        if attributes.get("action") == "DELETED" and end > each.end():
            found.append((each.end(), end))
    return found


def parse_attributes(text: str) -> dict[str, str]:
    """The attributes of a tag by lower-case name; the first of a name counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match[2] or ""
        if value[:1] in ("'", '"'):
            value = value[1:].removesuffix(value[0])
        found.setdefault(match[1].lower(), html.unescape(value) if "&" in value else value)
    return found
