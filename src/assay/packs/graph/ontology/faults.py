"""What is wrong with a file that cannot be parsed, where, and what to do about it."""

import re
from collections.abc import Iterator

from pyoxigraph import RdfFormat, parse

from assay.packs.graph.ontology.formats import Source
from assay.sdk.errors import InvalidInput

_LINE = re.compile(r"^Parser error at line \d+ (?:between columns \d+ and \d+|column \d+): ")
_REMOTE_CONTEXT = re.compile(r"remote context|LoadDocument", re.IGNORECASE)


def broken(source: Source, error: SyntaxError) -> InvalidInput:
    """The refusal of a file, with the place where it is broken."""
    what = _LINE.sub("", str(error.msg)).rstrip(".")
    if source.format is RdfFormat.JSON_LD and _REMOTE_CONTEXT.search(what):
        return InvalidInput(
            f"{source.title} leaves its '@context' at another address, and nothing is fetched.",
            advice="Write the context into the file, or save the ontology as Turtle.",
        )
    place = ""
    if error.lineno is not None:
        place = f"line {error.lineno}, column {error.offset}: "
    elif source.format is RdfFormat.RDF_XML:
        place = f"line {_line_of_fault(source)}: "
    return InvalidInput(
        f"{source.title} is not valid {source.format.name}: {place}{what[:300]}.",
        advice="Correct that place, or say which format the ontology is in.",
    )


class _Lines:
    """A file that is read line by line, so that it is known how far a parser has come."""

    def __init__(self, text: str) -> None:
        self.read_so_far = 0
        self._rest = self._pieces(text)

    def read(self, most: int = -1) -> bytes:
        return next(self._rest, b"")

    def _pieces(self, text: str) -> Iterator[bytes]:
        for line in text.split("\n"):
            self.read_so_far += 1
            data = f"{line}\n".encode()
            # A parser takes no more than it has room for.
            for start in range(0, len(data), 1_000):
                yield data[start : start + 1_000]


def _line_of_fault(source: Source) -> int:
    """The line at which the XML parser, which does not tell it, gives up."""
    lines = _Lines(source.text)
    try:
        for _ in parse(lines, source.format, base_iri="urn:x:"):  # type: ignore[arg-type]
            pass
    except SyntaxError:
        return lines.read_so_far
    return 1
