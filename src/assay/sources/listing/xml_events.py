"""XML as a stream of events, with everything dangerous disabled and every size bounded.

The most common error of XML written without a library, the bare ampersand, can be repaired.
"""

import html.entities
import re
from collections.abc import Callable
from xml.parsers import expat

from assay.errors import ContentHostile, ContentUnsupported

_DEEPEST = 100
_LONGEST_TEXT = 100_000
_LONGEST_TOKEN = 4_000_000

StartHandler = Callable[[list[str], dict[str, str]], None]
EndHandler = Callable[[list[str], str], None]


class XmlEvents:
    """Feeds bytes to a parser and reports elements by their path of bare names.

    `start` gets the path with the new element at its end and the element's attributes, `end` the
    path and the element's own text. Prefixes are dropped: many sites bind the wrong namespace, or
    none.
    """

    def __init__(
        self, start: StartHandler, end: EndHandler, *, encoding: str | None = None
    ) -> None:
        self._start = start
        self._end = end
        self._path: list[str] = []
        self._texts: list[list[str]] = []
        self._size = 0
        self._fed = 0
        self._begun = False
        self.encoding = encoding
        """The encoding that the file declares."""
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start_element
        self._parser.EndElementHandler = self._end_element
        self._parser.CharacterDataHandler = self._add_text
        self._parser.EntityDeclHandler = _refuse_entities
        self._parser.XmlDeclHandler = self._check_declaration

    @property
    def at(self) -> int:
        """How many bytes have been parsed."""
        return max(0, self._parser.CurrentByteIndex)

    def feed(self, data: bytes, *, last: bool = False) -> None:
        """Read on; raise `expat.ExpatError` where it is not XML."""
        self._fed += len(data)
        try:
            self._parser.Parse(data, last)
        except (LookupError, ValueError) as error:
            if self._begun:
                raise
            # Before the first element, only the declared encoding can fail: it is not known, not
            # one for text, or not one that the parser reads.
            raise ContentUnsupported(
                f"The file declares an encoding that cannot be read: {str(error)[:200]}.",
                advice="Ask its publisher to write it in UTF-8.",
            ) from error
        if not last and self._fed - self.at > _LONGEST_TOKEN:
            raise ContentHostile("The file has one piece of markup of more than 4 MB.")

    def _check_declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.encoding = encoding

    def _start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._begun = True
        if len(self._path) >= _DEEPEST:
            raise ContentHostile(f"The file has elements nested more than {_DEEPEST} deep.")
        self._path.append(name.rpartition(":")[2])
        self._texts.append([])
        self._size = 0
        self._start(self._path, attributes)

    def _add_text(self, text: str) -> None:
        if self._texts and self._size < _LONGEST_TEXT:
            self._size += len(text)
            self._texts[-1].append(text)

    def _end_element(self, _name: str) -> None:
        self._end(self._path, "".join(self._texts.pop()))
        self._path.pop()


def _refuse_entities(*_declaration: object) -> None:
    raise ContentUnsupported(
        "The file declares entities, which no listing needs.",
        advice="Inspect the file; it may be malicious.",
    )


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
