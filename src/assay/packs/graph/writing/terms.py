"""The terms with which a graph is written."""

import re
from functools import lru_cache

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from assay.packs.graph.ontology.model import XSD
from assay.sdk.errors import InvalidInput

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
PROV = "http://www.w3.org/ns/prov#"
OA = "http://www.w3.org/ns/oa#"
ASSAY = "urn:assay:vocabulary#"
"""Assay's own few terms; `vocabulary.ttl` defines them."""

NAMESPACES = {
    "assay": ASSAY,
    "oa": OA,
    "owl": OWL,
    "prov": PROV,
    "rdf": RDF,
    "rdfs": RDFS,
    "xsd": XSD,
}
TYPE = f"{RDF}type"
SUBJECT = f"{RDF}subject"
PREDICATE = f"{RDF}predicate"
OBJECT = f"{RDF}object"
LABEL = f"{RDFS}label"
SAME_AS = f"{OWL}sameAs"
VERSION = f"{OWL}versionInfo"
USED = f"{PROV}used"
QUOTED_FROM = f"{PROV}wasQuotedFrom"
ATTRIBUTED_TO = f"{PROV}wasAttributedTo"
GENERATED_BY = f"{PROV}wasGeneratedBy"
ASSOCIATED_WITH = f"{PROV}wasAssociatedWith"
SOURCE = f"{OA}hasSource"
SELECTOR = f"{OA}hasSelector"
EXACT = f"{OA}exact"
START = f"{OA}start"
END = f"{OA}end"
CONFIDENCE = f"{ASSAY}confidence"
MENTION = f"{ASSAY}mention"
QUOTE = f"{ASSAY}quote"
UNIT = f"{ASSAY}unit"
VERDICT = f"{ASSAY}verdict"
STRING = f"{XSD}string"
INTEGER = f"{XSD}integer"
DECIMAL = f"{XSD}decimal"
_OF_A_LANGUAGE = frozenset({f"{RDF}langString", f"{RDF}dirLangString"})
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*")


def make_node(iri: str) -> NamedNode:
    """Make a node of a checked IRI, even of one that is not quite valid."""
    try:
        return NamedNode(iri)
    except ValueError:
        return _make_odd_node(iri)


@lru_cache(maxsize=1024)
def _make_odd_node(iri: str) -> NamedNode:
    # Only Oxigraph's lenient parser accepts such a name.
    (quad,) = parse(f"<{iri}> <{RDF}type> <{RDF}x> .", format=RdfFormat.N_TRIPLES, lenient=True)
    assert isinstance(quad.subject, NamedNode)
    return quad.subject


def make_value(text: str, datatype: str = STRING) -> Literal:
    """Make a literal, its text exactly as it is given."""
    return Literal(text, datatype=make_node(datatype))


STATEMENT = NamedNode(f"{RDF}Statement")
PROV_ENTITY = NamedNode(f"{PROV}Entity")
PROV_ACTIVITY = NamedNode(f"{PROV}Activity")
PROV_AGENT = NamedNode(f"{PROV}SoftwareAgent")
STRETCH = NamedNode(f"{OA}SpecificResource")
BY_WORDS = NamedNode(f"{OA}TextQuoteSelector")
BY_PLACE = NamedNode(f"{OA}TextPositionSelector")


def check_iri(iri: str, what: str) -> str:
    """Return an IRI unchanged; one that no RDF file could contain is refused, never repaired: a
    repaired IRI would name something else.

    Real ontologies use names that are not quite IRIs, for example with two '#'. The formats can
    contain them, so they are kept.
    """
    if not _IRI.fullmatch(check_words(iri, f"{what} {iri!r}")):
        raise _invalid_iri_error(iri, what)
    return iri


def check_base(base: str) -> str:
    """Return the base of Assay's own IRIs; a person chose it, so it must be valid."""
    try:
        NamedNode(base)
    except ValueError as error:
        raise _invalid_iri_error(base, "The base") from error
    return base


def _invalid_iri_error(iri: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{what} {iri!r} is not an absolute IRI.",
        advice="Use a URL or a URN, with invalid characters escaped.",
    )


def check_datatype(iri: str, what: str) -> str:
    """Return the datatype of a literal, which must not require a language."""
    if iri in _OF_A_LANGUAGE:
        raise InvalidInput(f"{what} {iri!r} needs a language, but values here have none.")
    return check_iri(iri, what)


def check_words(words: str, what: str) -> str:
    """Return words that a file can contain. A lone surrogate is refused rather than replaced: a
    quote with a different character would no longer be found in its text."""
    if not words.isascii():
        try:
            words.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{what} contains half a character (a lone surrogate, at {error.start}), "
                "which no file can contain.",
                advice="Read the text again with its correct encoding.",
            ) from error
    return words
