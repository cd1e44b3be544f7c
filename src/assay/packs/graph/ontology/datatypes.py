"""Kinds of literals: XSD types, those of schema.org, and classes that are one by their name."""

from collections.abc import Collection

from assay.packs.graph.ontology.model import XSD
from assay.packs.graph.ontology.vocabulary import RDF, RDFS, SCHEMAS

STRING = f"{XSD}string"
LITERAL = f"{RDFS}Literal"
"""Any literal at all."""

_ORDER = (
    *("string", "dateTime", "dateTimeStamp", "date", "gYearMonth", "gYear", "time", "duration"),
    *("decimal", "double", "float", "integer", "boolean", "anyURI"),
)
"""The widest first: who looks at one type of several only must not refuse what another allows."""


def _types(names: str) -> tuple[str, ...]:
    return tuple(f"{XSD}{name}" for name in names.split())


_DATE = _types("date gYearMonth gYear")
"""Where an ontology just says `date`, a year or a month is one that is not known more exactly."""
_NUMBER = _types("decimal integer double")
_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("date", "calendar date", "day date"), _DATE),
    **dict.fromkeys(("year", "calendar year", "g year", "gyear"), _types("gYear")),
    **dict.fromkeys(("year month", "g year month"), _types("gYearMonth")),
    **dict.fromkeys(
        ("date time", "datetime", "timestamp", "time stamp", "point in time"),
        _types("dateTime date gYearMonth gYear"),
    ),
    **dict.fromkeys(("time", "time of day"), _types("time dateTime")),
    **dict.fromkeys(("duration", "time span", "time period"), _types("duration")),
    **dict.fromkeys(
        ("number", "numeric", "numeric value", "quantity", "real number", "percentage", "percent"),
        _NUMBER,
    ),
    **dict.fromkeys(("integer", "int", "long", "whole number", "count"), _types("integer")),
    **dict.fromkeys(("non negative integer", "natural number"), _types("nonNegativeInteger")),
    "positive integer": _types("positiveInteger"),
    **dict.fromkeys(("decimal", "float", "double", "real"), _NUMBER),
    **dict.fromkeys(("boolean", "bool", "truth value"), _types("boolean")),
    **dict.fromkeys(("string", "text", "literal", "free text", "plain text"), _types("string")),
    **dict.fromkeys(("url", "uri", "iri", "any uri"), _types("anyURI")),
}
_ENDINGS: dict[str, tuple[str, ...]] = {
    "date": _DATE,
    "year": _types("gYear"),
    "time": _types("date gYearMonth gYear dateTime"),
}
_SCHEMA: dict[str, tuple[str, ...]] = {
    "Boolean": _types("boolean"),
    "CssSelectorType": _types("string"),
    "DataType": _types("string"),
    "Date": _DATE,
    "DateTime": _types("dateTime"),
    "Distance": _types("string"),
    "Duration": _types("duration"),
    "Energy": _types("string"),
    "False": _types("boolean"),
    "Float": _types("double"),
    "Integer": _types("integer"),
    "Mass": _types("string"),
    "Number": _NUMBER,
    "PronounceableText": _types("string"),
    "Quantity": _types("string"),
    "Text": _types("string"),
    "Time": _types("time"),
    "True": _types("boolean"),
    "URL": _types("anyURI"),
    "XPathType": _types("string"),
}
_PLAIN = {f"{RDF}{name}" for name in ("langString", "PlainLiteral", "HTML", "XMLLiteral", "JSON")}


def declared_types(iri: str) -> tuple[str, ...] | None:
    """The XSD types that an address stands for by itself; None where it is no datatype.

    `rdfs:Literal` is a datatype that bounds nothing.
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


def types_by_name(words: str) -> tuple[str, ...] | None:
    """The XSD types of a class that is called `number`, `date`, `string`, …; else None."""
    return _WORDS.get(words.casefold())


def types_by_ending(words: str) -> tuple[str, ...]:
    """The XSD types that the last word of a property tells: `publication date`, `start time`."""
    return _ENDINGS.get(words.casefold().rpartition(" ")[2], ())


def in_order(kinds: Collection[tuple[str, ...]]) -> tuple[str, ...]:
    """All XSD types of some datatypes, the widest first; those of a single one as they are."""

    def rank(iri: str) -> tuple[int, str]:
        name = iri.removeprefix(XSD)
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), iri

    if len(kinds) == 1:
        return next(iter(kinds))
    return tuple(sorted({iri for kind in kinds for iri in kind}, key=rank))
