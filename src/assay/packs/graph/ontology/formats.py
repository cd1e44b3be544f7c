"""The format of an ontology, and what is wrong with one that cannot be parsed."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from pyoxigraph import RdfFormat, parse

from assay.sdk.errors import InvalidInput

SUPPORTED = "Turtle, RDF/XML, JSON-LD or N-Triples"
_SAVE = f"Save it as {SUPPORTED}, in UTF-8."
_NAMES = {
    **dict.fromkeys(("turtle", "ttl"), RdfFormat.TURTLE),
    **dict.fromkeys(("rdfxml", "rdf/xml", "rdf-xml", "rdf", "xml", "owl"), RdfFormat.RDF_XML),
    **dict.fromkeys(("jsonld", "json-ld", "json"), RdfFormat.JSON_LD),
    **dict.fromkeys(("ntriples", "n-triples", "nt"), RdfFormat.N_TRIPLES),
    "text/turtle": RdfFormat.TURTLE,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
    "application/n-triples": RdfFormat.N_TRIPLES,
}
_MARKS = (
    # The byte order mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,80}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})["']""")
_DECLARED = re.compile(r"""(<\?xml[^>]{0,80}?encoding\s*=\s*)(["'])[A-Za-z0-9_.:-]{1,40}\2""")
_SINGLE_QUOTED = re.compile(r"""(<!ENTITY\s+[^\s"'&;<>%]{1,100}\s+)'([^"'<]*)'(\s*>)""")
_ENCODINGS = frozenset(
    {"ascii", "utf-8", "utf-16", "iso8859-1", "iso8859-2", "iso8859-15", "cp1250", "cp1252"}
)
_BINARY = (
    ("a PDF file", re.compile(rb"%PDF-")),
    (
        "a packed file",
        re.compile(rb"PK\x03\x04|\x1f\x8b|BZh\d1AY|7z\xbc\xaf|\xfd7zXZ|\x28\xb5\x2f\xfd"),
    ),
)
_FOREIGN = (
    ("a web page", re.compile(r"<!doctype\s+html|<html", re.IGNORECASE)),
    ("OWL/XML", re.compile(r"(?:<\?xml.{0,200}?\?>\s*)?<(?:owl:)?Ontology\s", re.DOTALL)),
    ("OWL functional syntax", re.compile(r"(?:Prefix|Ontology)\s*\(")),
    ("OWL Manchester syntax", re.compile(r"(?:Prefix|Ontology):\s")),
    ("OBO", re.compile(r"format-version:")),
)


@dataclass(frozen=True, slots=True)
class OntologySource:
    """The decoded text of one file, ready for a parser."""

    title: str
    """What messages call it."""
    text: str
    format: RdfFormat


def read_source(data: bytes, name: str, format: str | None) -> OntologySource:
    """Read the text of a file and its format: as given, else from its content, else its ending."""
    title = f"The ontology '{name}'" if name else "The ontology"
    for what, magic in _BINARY:
        if magic.match(data):
            raise _unsupported_error(title, what)
    text = _decode_text(data, title)
    if not text.strip():
        raise InvalidInput(f"{title} is empty.", advice=f"Use a file in {SUPPORTED}.")
    for what, pattern in _FOREIGN:
        if pattern.match(text.lstrip()[:400]):
            raise _unsupported_error(title, what)
    if "\x00" in text:
        raise InvalidInput(f"{title} is not a text file.", advice=_SAVE)
    chosen = _find_format(format) or _guess_format(text) or _choose_by_ending(name)
    if chosen is RdfFormat.RDF_XML:
        # The parser reads entities in double quotes only.
        text = _SINGLE_QUOTED.sub(r'\1"\2"\3', text)
    return OntologySource(title, text, chosen)


def _unsupported_error(title: str, what: str) -> InvalidInput:
    return InvalidInput(f"{title} is {what}, which is not supported.", advice=_SAVE)


def _find_format(format: str | None) -> RdfFormat | None:
    if format is None:
        return None
    found = _NAMES.get(format.strip().lower().partition(";")[0])
    if found is None:
        raise InvalidInput(
            f"Ontologies cannot be read as '{format}'.",
            advice="Use turtle, rdfxml, jsonld or ntriples.",
        )
    return found


def _guess_format(text: str) -> RdfFormat | None:
    """Recognize what can only be XML or JSON, whatever the file is called."""
    start = text.lstrip()[:400]
    if re.match(r"<\?xml|<!DOCTYPE|<!--|<rdf:|<[A-Za-z][\w.-]*:?\w*\s+xmlns", start):
        return RdfFormat.RDF_XML
    # Turtle may begin with `[` as well, but not with a list of objects.
    return RdfFormat.JSON_LD if re.match(r"\{|\[\s*[{\]]", start) else None


def _choose_by_ending(name: str) -> RdfFormat:
    # N-Triples is also Turtle, and `.owl` may be anything.
    found = _NAMES.get(PurePosixPath(name).suffix.lower().removeprefix("."))
    return found if found is RdfFormat.N_TRIPLES else RdfFormat.TURTLE


def _decode_text(data: bytes, title: str) -> str:
    encoding, start = "utf-8", 0
    for mark, marked in _MARKS:
        if data.startswith(mark):
            encoding, start = marked, len(mark)
            break
    else:
        declared = _ENCODING.match(data[:200])
        if declared is not None:
            encoding = _check_encoding(declared[1].decode("ascii"), title)
    try:
        text = data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, start + error.start) + 1
        raise InvalidInput(
            f"{title} is not valid {encoding.upper()}: line {line} has a byte that does not"
            f" belong there.",
            advice="Save it as UTF-8.",
        ) from None
    # The parser reads only UTF-8, and trusts what the first line declares.
    return _DECLARED.sub(r"\1\2UTF-8\2", text, count=1) if text.lstrip()[:5] == "<?xml" else text


def _check_encoding(declared: str, title: str) -> str:
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        name = ""
    if name not in _ENCODINGS:
        raise InvalidInput(
            f"{title} declares the encoding '{declared}', which is not supported.",
            advice="Save it as UTF-8.",
        )
    return name


_LINE = re.compile(r"^Parser error at line \d+ (?:between columns \d+ and \d+|column \d+): ")
_ONE_OF_SEVERAL = re.compile(r"(?<=key in term definition) '[^']*'")
"""The parser names whichever it meets first, another one each time."""
_REMOTE_CONTEXT = re.compile(r"remote context|LoadDocument", re.IGNORECASE)


def describe_fault(source: OntologySource, error: SyntaxError) -> InvalidInput:
    """Describe why a file is refused, and where it is broken."""
    what = _ONE_OF_SEVERAL.sub("", _LINE.sub("", str(error.msg)).rstrip("."))
    if source.format is RdfFormat.JSON_LD and _REMOTE_CONTEXT.search(what):
        return InvalidInput(
            f"{source.title} refers to a remote '@context', but nothing is fetched.",
            advice="Include the context in the file, or save the ontology as Turtle.",
        )
    place = ""
    if error.lineno is not None:
        place = f"line {error.lineno}, column {error.offset}: "
    elif source.format is RdfFormat.RDF_XML:
        place = f"line {_find_fault_line(source)}: "
    return InvalidInput(
        f"{source.title} is not valid {source.format.name}: {place}{what[:300]}.",
        advice="Fix the error there, or specify the format of the ontology.",
    )


class _Lines:
    """A file that is read line by line, to know how far a parser got."""

    def __init__(self, text: str) -> None:
        self.read_so_far = 0
        self._rest = self._split_pieces(text)

    def read(self, most: int = -1) -> bytes:
        return next(self._rest, b"")

    def _split_pieces(self, text: str) -> Iterator[bytes]:
        for line in text.split("\n"):
            self.read_so_far += 1
            data = f"{line}\n".encode()
            # The parser accepts only so much at once.
            for start in range(0, len(data), 1_000):
                yield data[start : start + 1_000]


def _find_fault_line(source: OntologySource) -> int:
    """Find the line at which the XML parser, which does not report it, gives up."""
    lines = _Lines(source.text)
    try:
        for _ in parse(lines, source.format, base_iri="urn:x:"):  # type: ignore[arg-type]
            pass
    except SyntaxError:
        return lines.read_so_far
    return 1
