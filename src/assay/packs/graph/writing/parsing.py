"""RDF text as quads, with the line where it is broken."""

from pyoxigraph import Quad, RdfFormat, parse

from assay.packs.graph.options import FORMATS
from assay.sdk.errors import InvalidInput

_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
}


def parsed(text: str, format: str, what: str) -> list[Quad]:
    """All statements of a text; nothing is fetched for it, whatever it names."""
    known = _FORMATS.get(format)
    if known is None:
        raise InvalidInput(
            f"{what} cannot be read as '{format}'.", advice=f"Known are {', '.join(FORMATS)}."
        )
    try:
        # What an ontology calls its things is looked at where it is read, not here.
        return list(parse(text, format=known, lenient=True))
    except SyntaxError as error:
        place = "" if error.lineno is None else f", at line {error.lineno}"
        told = str(error.msg)
        why = (told.partition(": ")[2] or told).rstrip(".")
        raise InvalidInput(f"{what} cannot be read as {format}{place}: {why}.") from error
    except ValueError as error:
        raise InvalidInput(f"{what} cannot be read as {format}: {error}.") from error
