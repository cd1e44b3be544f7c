"""The terms that a graph is written with, and what it calls them."""

import re
from typing import NamedTuple

from pyoxigraph import NamedNode

from assay.packs.graph.ontology.model import XSD
from assay.sdk.errors import InvalidInput

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
PROV = "http://www.w3.org/ns/prov#"
OA = "http://www.w3.org/ns/oa#"
ASSAY = "urn:assay:vocabulary#"
"""Assay's own few words; `vocabulary.ttl` says what each of them means."""

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
BOOLEAN = f"{XSD}boolean"
_OF_A_LANGUAGE = frozenset({f"{RDF}langString", f"{RDF}dirLangString"})
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*")


class Iri(NamedTuple):
    """A thing that has a name of its own."""

    iri: str


class Value(NamedTuple):
    """A literal."""

    text: str
    datatype: str = STRING


class Inner(NamedTuple):
    """A node that is only told of where it stands, such as a selector."""

    label: str
    """Follows from what it is, for the formats that must call it something."""
    said: tuple[tuple[str, Iri | Value], ...]


Term = Iri | Value | Inner

STATEMENT = Iri(f"{RDF}Statement")
PROV_ENTITY = Iri(f"{PROV}Entity")
PROV_ACTIVITY = Iri(f"{PROV}Activity")
PROV_AGENT = Iri(f"{PROV}SoftwareAgent")
STRETCH = Iri(f"{OA}SpecificResource")
BY_WORDS = Iri(f"{OA}TextQuoteSelector")
BY_PLACE = Iri(f"{OA}TextPositionSelector")


def checked_iri(iri: str, what: str) -> str:
    """An IRI as it was given; one that no file of RDF could hold is refused, never mended: a
    mended IRI would name something else.

    Ontologies in use name things that are not quite IRIs, with two '#' for instance. The formats
    hold these, so they are kept.
    """
    if not _IRI.fullmatch(checked_words(iri, f"{what} {iri!r}")):
        raise _no_iri(iri, what)
    return iri


def checked_base(base: str) -> str:
    """What the IRIs of Assay's own begin with; it is chosen, and so it has to be right."""
    try:
        NamedNode(base)
    except ValueError as error:
        raise _no_iri(base, "The base") from error
    return base


def _no_iri(iri: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{what} {iri!r} is not an absolute IRI.",
        advice="Name it with an address or a URN, the characters that none allows escaped.",
    )


def checked_datatype(iri: str, what: str) -> str:
    """The datatype of a literal that has no language."""
    if iri in _OF_A_LANGUAGE:
        raise InvalidInput(f"{what} {iri!r} needs a language, and a value here has none.")
    return checked_iri(iri, what)


def checked_words(words: str, what: str) -> str:
    """Words that a file can hold. A lone half of a surrogate pair is refused rather than replaced:
    a quote with another character in its place would no longer stand in its text."""
    if not words.isascii():
        try:
            words.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{what} holds half a character (a lone surrogate, at {error.start}), "
                "which no file can hold.",
                advice="Read the text again with its right encoding.",
            ) from error
    return words
