"""The vocabulary of ontologies, kinds of literals, and names of terms."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from assay.packs.graph.ontology.model import XSD

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
SCHEMAS = ("https://schema.org/", "http://schema.org/")
BUILT_IN = (RDF, RDFS, OWL, XSD)
"""Namespaces whose terms describe ontologies; they are not classes of things."""

TYPE = f"{RDF}type"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
SUBCLASS, SUBPROPERTY = f"{RDFS}subClassOf", f"{RDFS}subPropertyOf"
SAME_CLASS, SAME_PROPERTY = f"{OWL}equivalentClass", f"{OWL}equivalentProperty"
UNION, INTERSECTION = f"{OWL}unionOf", f"{OWL}intersectionOf"
INVERSE = f"{OWL}inverseOf"
IMPORTS = f"{OWL}imports"
ON_DATATYPE = f"{OWL}onDatatype"

DOMAINS = (f"{RDFS}domain", *(f"{schema}domainIncludes" for schema in SCHEMAS))
RANGES = (f"{RDFS}range", *(f"{schema}rangeIncludes" for schema in SCHEMAS))

LABELS = (f"{RDFS}label", f"{SKOS}prefLabel", f"{SKOS}altLabel")
"""The first two may be the usual name of a term; the last only if there is no other."""
COMMENTS = (f"{RDFS}comment", f"{SKOS}definition", f"{DCTERMS}description")
TITLES = (f"{DCTERMS}title", f"{DC}title", f"{RDFS}label")
VERSIONS = (f"{OWL}versionInfo", f"{OWL}versionIRI")

ON_PROPERTY, ON_CLASS = f"{OWL}onProperty", f"{OWL}onClass"
ON_DATA_RANGE = f"{OWL}onDataRange"
ALL_VALUES, SOME_VALUES = f"{OWL}allValuesFrom", f"{OWL}someValuesFrom"
MOST = (f"{OWL}maxCardinality", f"{OWL}maxQualifiedCardinality")
LEAST = (f"{OWL}minCardinality", f"{OWL}minQualifiedCardinality")
EXACT = (f"{OWL}cardinality", f"{OWL}qualifiedCardinality")

CLASS_TYPES = frozenset({f"{OWL}Class", f"{RDFS}Class"})
DATATYPE_TYPES = frozenset(
    {f"{RDFS}Datatype", f"{OWL}DataRange", *(f"{schema}DataType" for schema in SCHEMAS)}
)
ONTOLOGY_TYPE = f"{OWL}Ontology"
OBJECT_PROPERTY = f"{OWL}ObjectProperty"
DATATYPE_PROPERTY = f"{OWL}DatatypeProperty"
ANNOTATION_PROPERTY = f"{OWL}AnnotationProperty"
FUNCTIONAL, SYMMETRIC = f"{OWL}FunctionalProperty", f"{OWL}SymmetricProperty"
OBJECT_TYPES = frozenset(
    {OBJECT_PROPERTY, SYMMETRIC}
    | {
        f"{OWL}{kind}Property"
        for kind in ("Asymmetric", "InverseFunctional", "Irreflexive", "Reflexive", "Transitive")
    }
)
"""Types that only a property between things can have."""
PROPERTY_TYPES = OBJECT_TYPES | {DATATYPE_PROPERTY, FUNCTIONAL, f"{RDF}Property"}

KEPT = frozenset(
    {
        TYPE,
        FIRST,
        REST,
        SUBCLASS,
        SUBPROPERTY,
        SAME_CLASS,
        SAME_PROPERTY,
        UNION,
        INTERSECTION,
        INVERSE,
        IMPORTS,
        ON_DATATYPE,
        ON_PROPERTY,
        ON_CLASS,
        ON_DATA_RANGE,
        ALL_VALUES,
        SOME_VALUES,
        *DOMAINS,
        *RANGES,
        *LABELS,
        *COMMENTS,
        *TITLES,
        *VERSIONS,
        *MOST,
        *LEAST,
        *EXACT,
    }
)
"""The predicates that are kept; everything else in a file is skipped."""


def is_built_in(iri: str) -> bool:
    """Whether a term belongs to the language of ontologies itself."""
    return iri.startswith(BUILT_IN)


STRING = f"{XSD}string"
LITERAL = f"{RDFS}Literal"
"""Any literal at all."""

_ORDER = (
    *("string", "dateTime", "dateTimeStamp", "date", "gYearMonth", "gYear", "time", "duration"),
    *("decimal", "double", "float", "integer", "boolean", "anyURI"),
)
"""The widest first: code that looks at only one of several types must not refuse what another
allows."""


def _parse_types(names: str) -> tuple[str, ...]:
    return tuple(f"{XSD}{name}" for name in names.split())


_DATE = _parse_types("date gYearMonth gYear")
"""If an ontology says just `date`, a year or a month is a less exact date."""
_NUMBER = _parse_types("decimal integer double")
_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("date", "calendar date", "day date"), _DATE),
    **dict.fromkeys(("year", "calendar year", "g year", "gyear"), _parse_types("gYear")),
    **dict.fromkeys(("year month", "g year month"), _parse_types("gYearMonth")),
    **dict.fromkeys(
        ("date time", "datetime", "timestamp", "time stamp", "point in time"),
        _parse_types("dateTime date gYearMonth gYear"),
    ),
    **dict.fromkeys(("time", "time of day"), _parse_types("time dateTime")),
    **dict.fromkeys(("duration", "time span", "time period"), _parse_types("duration")),
    **dict.fromkeys(
        ("number", "numeric", "numeric value", "quantity", "real number", "percentage", "percent"),
        _NUMBER,
    ),
    **dict.fromkeys(("integer", "int", "long", "whole number", "count"), _parse_types("integer")),
    **dict.fromkeys(("non negative integer", "natural number"), _parse_types("nonNegativeInteger")),
    "positive integer": _parse_types("positiveInteger"),
    **dict.fromkeys(("decimal", "float", "double", "real"), _NUMBER),
    **dict.fromkeys(("boolean", "bool", "truth value"), _parse_types("boolean")),
    **dict.fromkeys(
        ("string", "text", "literal", "free text", "plain text"), _parse_types("string")
    ),
    **dict.fromkeys(("url", "uri", "iri", "any uri"), _parse_types("anyURI")),
}
_ENDINGS: dict[str, tuple[str, ...]] = {
    "date": _DATE,
    "year": _parse_types("gYear"),
    "time": _parse_types("date gYearMonth gYear dateTime"),
}
_SCHEMA: dict[str, tuple[str, ...]] = {
    "Boolean": _parse_types("boolean"),
    "CssSelectorType": _parse_types("string"),
    "DataType": _parse_types("string"),
    "Date": _DATE,
    "DateTime": _parse_types("dateTime"),
    "Distance": _parse_types("string"),
    "Duration": _parse_types("duration"),
    "Energy": _parse_types("string"),
    "False": _parse_types("boolean"),
    "Float": _parse_types("double"),
    "Integer": _parse_types("integer"),
    "Mass": _parse_types("string"),
    "Number": _NUMBER,
    "PronounceableText": _parse_types("string"),
    "Quantity": _parse_types("string"),
    "Text": _parse_types("string"),
    "Time": _parse_types("time"),
    "True": _parse_types("boolean"),
    "URL": _parse_types("anyURI"),
    "XPathType": _parse_types("string"),
}
_PLAIN = {f"{RDF}{name}" for name in ("langString", "PlainLiteral", "HTML", "XMLLiteral", "JSON")}


def find_declared_types(iri: str) -> tuple[str, ...] | None:
    """Find the XSD types of a well-known datatype IRI; None if it is not one.

    `rdfs:Literal` is a datatype that restricts nothing.
    """
    if iri == LITERAL:
        return ()
    if iri in _PLAIN:
        return (STRING,)
    if iri.startswith(XSD):
        return (iri,)
    for schema in SCHEMAS:
        if iri.startswith(schema):
            return _SCHEMA.get(iri.removeprefix(schema))
    return None


def guess_types_by_name(words: str) -> tuple[str, ...] | None:
    """Guess the XSD types of a class named `number`, `date`, `string`, …; otherwise None."""
    return _WORDS.get(words.casefold())


def guess_types_by_ending(words: str) -> tuple[str, ...]:
    """Guess the XSD types from the last word of a property: `publication date`, `start time`."""
    return _ENDINGS.get(words.casefold().rpartition(" ")[2], ())


def order_types(kinds: Collection[tuple[str, ...]]) -> tuple[str, ...]:
    """List all XSD types of some datatypes, the widest first; those of a single one unchanged."""

    def rank(iri: str) -> tuple[int, str]:
        name = iri.removeprefix(XSD)
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), iri

    if len(kinds) == 1:
        return next(iter(kinds))
    return tuple(sorted({iri for kind in kinds for iri in kind}, key=rank))


LONGEST_NAME = 300
"""A longer label is prose, not a name."""
LONGEST_COMMENT = 2_000
MOST_NAMES = 200
"""Most names of one term, in all languages."""
_OPAQUE = re.compile(r"[a-z]{0,4}[ ]?\d+", re.IGNORECASE)
"""`Q42`, `P57`, `GO 0008150`: a number, not a word."""


class LabelWords(NamedTuple):
    """The text of a literal and its language."""

    text: str
    language: str = ""


def cut_local_name(iri: str) -> str:
    """Return the last part of an IRI."""
    bare = iri.rstrip("#/")
    return unquote(re.split(r"[#/:]", bare)[-1]) or bare


def split_name(name: str) -> str:
    """Write `academicStaffSize` as `academic staff size`; abbreviations stay as they are."""
    return " ".join(
        part if len(part) > 1 and part.isupper() else part.lower() for part in list_name_parts(name)
    )


def list_name_parts(name: str) -> list[str]:
    """Split a name into words at non-alphanumeric characters and at camel-case humps."""
    return [part for run in re.findall(r"[^\W_]+", name) for part in _split_humps(run)]


def is_opaque(words: str) -> bool:
    """Whether a local name means nothing to a reader."""
    return len(words) < 2 or _OPAQUE.fullmatch(words) is not None


def choose_usual_name(
    labels: Iterable[tuple[int, LabelWords]], iri: str
) -> tuple[str, tuple[str, ...]]:
    """Choose the usual name of a term, and list all its names; labels come with their rank."""
    ordered = sorted(
        labels, key=lambda one: (one[0] > 1, _rank_language(one[1].language), one[0], one[1])
    )
    from_iri = split_name(cut_local_name(iri))
    names = [words.text for _, words in ordered[:MOST_NAMES]] or [from_iri or iri]
    further = [split_name(names[0])] if len(list_name_parts(names[0])) > 1 else []
    if from_iri and not is_opaque(from_iri):
        further.append(from_iri)
    folded = {name.casefold() for name in names}
    more = [name for name in further if name.casefold() not in folded]
    return names[0], tuple(dict.fromkeys((names[0], *sorted(names[1:]), *sorted(more))))


def choose_comment(comments: Iterable[tuple[int, LabelWords]]) -> str:
    """Choose the comment that most readers will understand, cut if it is too long."""
    ordered = sorted(
        comments, key=lambda one: (_rank_language(one[1].language), one[0], one[1].text)
    )
    return ordered[0][1].text[:LONGEST_COMMENT] if ordered else ""


def _rank_language(language: str) -> int:
    if language == "en":
        return 0
    return 1 if not language or language.startswith("en-") else 2


def _split_humps(run: str) -> Iterator[str]:
    start = 0
    for place in range(1, len(run)):
        before, here = run[place - 1], run[place]
        ends_abbreviation = before.isupper() and run[place + 1 : place + 2].islower()
        if here.isupper() and (not before.isupper() or ends_abbreviation):
            yield run[start:place]
            start = place
    yield run[start:]
