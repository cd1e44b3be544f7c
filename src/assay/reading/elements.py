"""Walk through an XML part, element by element, without building a tree.

Every event has a place: the number of characters that precede it in the decoded part.
"""

import re
from collections.abc import Callable
from typing import Final, Protocol
from xml.parsers import expat

from assay.errors import ContentBroken, ContentHostile, ContentTooLarge
from assay.reading.limits import ReadLimits
from assay.reading.result import clean_title

_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""")
_SPACES: Final = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "x",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "urn:oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "urn:oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "urn:oasis:names:tc:opendocument:xmlns:style:1.0": "style",
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
    "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0": "manifest",
}

Attributes = dict[str, str]


class ElementWalker(Protocol):
    """A listener to the elements of a part."""

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        """An element begins; calling `here` returns its place, at some cost."""

    def end(self, name: str, here: Callable[[], int]) -> None:
        """An element ends."""

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        """Take the characters between elements."""


def walk_elements(data: bytes, walker: ElementWalker, limits: ReadLimits, what: str) -> None:
    """Report every element to the walker, in order; `what` names the part in error messages."""
    _Walk(_encode_utf8(data), walker, limits, what).run()


def _encode_utf8(data: bytes) -> bytes:
    """The part in UTF-8, the one encoding in which places can be counted; without a byte order
    mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    named = _DECLARED.match(data[:300])
    encoding = named.group(1).decode("ascii").lower() if named else "utf-8"
    if encoding in ("utf-8", "utf8", "us-ascii"):
        return data
    try:
        return data.decode(encoding, errors="replace").encode()
    except LookupError:
        return data


class WellFormedCheck:
    """Checks chunk by chunk that a part is well formed, for a caller that reads it another way."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        """Check the next chunk of the part."""
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            raise ContentBroken(f"The document is damaged: {self._what} ({error}).") from error

    def end(self) -> None:
        """Nothing follows."""
        self.feed(b"", last=True)

    def _refuse(self, *_: object) -> None:
        _refuse_entities(self._what)


def _refuse_entities(what: str) -> None:
    raise ContentHostile(
        f"The document declares entities of its own in {what}, which real documents never do.",
        advice="Do not open it unless you trust its author.",
    )


class _Walk:
    def __init__(self, data: bytes, walker: ElementWalker, limits: ReadLimits, what: str) -> None:
        self._data = data
        self._plain = data.isascii()
        self._walker = walker
        self._limits = limits
        self._what = what
        self._names: dict[str, str] = {}
        self._seen = self._depth = 0
        self._byte = self._character = 0
        parser = expat.ParserCreate("utf-8", " ")
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        self._parser = parser

    def run(self) -> None:
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            raise ContentBroken(f"The document is damaged: {self._what} ({error}).") from error

    def _refuse(self, *_: object) -> None:
        _refuse_entities(self._what)

    def _begin(self, name: str, attributes: Attributes) -> None:
        self._seen += 1
        self._depth += 1
        if self._seen > self._limits.max_nodes:
            raise ContentTooLarge(
                f"The document has more than {self._limits.max_nodes:,} elements in {self._what}.",
                advice="Split the document.",
            )
        if self._depth > self._limits.max_depth:
            raise ContentHostile(
                f"More than {self._limits.max_depth} elements are nested in one another in "
                f"{self._what}.",
                advice="Do not open it unless you trust its author.",
            )
        short = self._names.get(name) or self._shorten_name(name)
        if attributes:
            attributes = {
                self._names.get(key) or self._shorten_name(key): value
                for key, value in attributes.items()
            }
        self._walker.begin(short, attributes, self._count_characters_before)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._walker.end(
            self._names.get(name) or self._shorten_name(name), self._count_characters_before
        )

    def _add_characters(self, text: str) -> None:
        self._walker.add_characters(text, self._count_characters_before)

    def _shorten_name(self, name: str) -> str:
        space, _, local = name.rpartition(" ")
        prefix = _SPACES.get(space, "" if not space else "?")
        short = f"{prefix}:{local}" if prefix else local
        self._names[name] = short
        return short

    def _count_characters_before(self) -> int:
        """Count the characters before the event; bytes that only continue one do not count."""
        byte = self._parser.CurrentByteIndex
        if self._plain:
            return byte
        step = self._data[self._byte : byte].decode("utf-8", errors="ignore")
        self._character += len(step)
        self._byte = byte
        return self._character


class _Title:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._inside = False

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        self._inside = name == "dc:title"

    def end(self, name: str, here: Callable[[], int]) -> None:
        self._inside = False

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        if self._inside:
            self.pieces.append(text)


def find_title(properties: bytes, limits: ReadLimits) -> str | None:
    """The title in a document's properties; None if the part is damaged."""
    walker = _Title()
    try:
        walk_elements(properties, walker, limits, "its properties")
    except ContentBroken:
        return None
    return clean_title("".join(walker.pieces))
