"""What is looked for before a file is parsed: the ways in which a small file costs too much."""

import json
import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from pyoxigraph import RdfFormat

from assay.packs.graph.ontology.formats import Source
from assay.packs.graph.ontology.limits import OntologyLimits, too_much
from assay.sdk.errors import InvalidInput

_ENTITY = re.compile(r"<!ENTITY")
_DECLARATION = re.compile(r'<!ENTITY\s+(?:%\s*)?([^\s"&;<>%]{1,100})\s+"([^"<]*)"\s*>')
_REFERENCE = re.compile(r"&([^\s&;#]{1,100});")
_ATTRIBUTES = 1_000
_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
"""A string that never ends is one too: else each quote in it would be tried anew."""
_ABOUT_STATEMENTS = 64
"""Most statements about statements: each may lie in the one before it."""
_SEVERAL_CONTEXTS = 128_000
"""The longest text with more than one context: each copies all that stand around it."""


def check_costs(source: Source, limits: OntologyLimits) -> None:
    """Refuse what would take a parser far more time or memory than its length tells."""
    _CHECKS[source.format](source, limits)


def _check_xml(source: Source, limits: OntologyLimits) -> None:
    _check_entities(source, limits)
    parser = expat.ParserCreate(encoding="utf-8")
    depth = 0

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise _too_deep(source, limits)
        if len(attributes) > _ATTRIBUTES:
            raise too_much(source.title, f"attributes in <{name[:80]}>", _ATTRIBUTES)

    def closed(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    try:
        parser.Parse(source.text.encode(), True)
    except expat.ExpatError as error:
        raise InvalidInput(
            f"{source.title} is not valid XML: line {error.lineno}, column {error.offset + 1}:"
            f" {expat.ErrorString(error.code)}.",
            advice="Correct that place, or save the ontology again.",
        ) from None


def _check_entities(source: Source, limits: OntologyLimits) -> None:
    """Refuse entities that lie elsewhere, and those that grow beyond bounds when written out."""
    sizes: dict[str, int] = {}
    declared = 0
    for found in _ENTITY.finditer(source.text):
        entity = _DECLARATION.match(source.text, found.start())
        if entity is None:
            raise InvalidInput(
                f"{source.title} declares an XML entity that is no plain text in double quotes.",
                advice="Entities of other files are never fetched: write their text into the file.",
            )
        size = _written_out(entity[2], sizes)
        sizes[entity[1]] = max(size, sizes.get(entity[1], 0))
        declared += size
        _within(source, declared, limits)
    if sizes:
        _within(source, _written_out(source.text, sizes), limits)


def _written_out(text: str, sizes: dict[str, int]) -> int:
    return len(text) + sum(sizes.get(found[1], 0) for found in _REFERENCE.finditer(text))


def _within(source: Source, size: int, limits: OntologyLimits) -> None:
    if size > limits.bytes:
        title = f"{source.title}, its XML entities written out,"
        raise too_much(title, "characters", limits.bytes, "bytes")


def _check_json(source: Source, limits: OntologyLimits) -> None:
    depth = contexts = 0
    for token in _json_tokens(source.text):
        if token in "[{":
            depth += 1
            if depth > limits.depth:
                raise _too_deep(source, limits)
        elif token in "]}":
            depth -= 1
        elif _says_context(token):
            contexts += 1
    if contexts > 1 and len(source.text) > _SEVERAL_CONTEXTS:
        raise InvalidInput(
            f"{source.title} has {contexts:,} contexts, and is too long for more than one.",
            advice="Write it with one '@context' at its beginning, or save it as Turtle.",
        )


def _json_tokens(text: str) -> Iterator[str]:
    for found in _JSON_TOKEN.finditer(text):
        yield found[0]


def _says_context(token: str) -> bool:
    if "\\" not in token:
        return token == '"@context"'
    if len(token) > 100:
        return False
    try:
        return bool(json.loads(token, strict=False) == "@context")
    except ValueError:
        return False


def _check_triples(source: Source, limits: OntologyLimits) -> None:
    if source.text.count("<<") > _ABOUT_STATEMENTS:
        raise too_much(source.title, "statements about statements (<<)", _ABOUT_STATEMENTS)


def _too_deep(source: Source, limits: OntologyLimits) -> InvalidInput:
    return InvalidInput(
        f"{source.title} lies more than {limits.depth} levels deep in itself.",
        advice="Write each class by itself instead of one in another, or save it as Turtle.",
    )


_CHECKS: dict[RdfFormat, Callable[[Source, OntologyLimits], None]] = {
    RdfFormat.RDF_XML: _check_xml,
    RdfFormat.JSON_LD: _check_json,
    RdfFormat.TURTLE: _check_triples,
    RdfFormat.N_TRIPLES: _check_triples,
}
