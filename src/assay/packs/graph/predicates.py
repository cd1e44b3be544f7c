"""An ontology as the rest of Assay sees it: a predicate for each property, and its value types."""

import re
import unicodedata
from collections.abc import Mapping

from pyoxigraph import Literal, NamedNode, parse

from assay.packs.graph.ontology.formats import read_source
from assay.packs.graph.ontology.model import XSD, Ontology, Property, Takes
from assay.packs.graph.ontology.statements import BASE
from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash

VOCABULARY = "urn:assay:vocabulary#"
"""Annotations that are meant for Assay only."""
TIER = NamedNode(f"{VOCABULARY}tier")
TIERS = ("T0", "T1", "T2", "T3")

NAME, NUMBER, DATE, YEAR = "name", "number", "date", "year"
VALUE_TYPES = (NAME, NUMBER, DATE, YEAR)

_LONGEST = 80
_OTHER_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "þ": "th", "ı": "i"}
)
_BETWEEN = re.compile(r"[\W_]+")
_FOREIGN = re.compile(r"[^a-z0-9]+")
_LOCAL = re.compile(r"[^#/:]+$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NUMBERS = frozenset(
    f"{XSD}{name}"
    for name in (
        "integer", "int", "long", "short", "byte", "decimal", "double", "float",
        "nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger",
        "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte", "duration",
        "dayTimeDuration", "yearMonthDuration",
    )
)  # fmt: skip
_DAYS = frozenset({f"{XSD}date", f"{XSD}dateTime", f"{XSD}dateTimeStamp"})


def slug_of(name: str) -> str:
    """Write a name in lower case with underscores, without accents; letters that have no Latin form
    stay as they are."""
    plain = unicodedata.normalize("NFKD", name.casefold()).translate(_OTHER_LETTERS)
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    slug = _BETWEEN.sub("_", unicodedata.normalize("NFC", bare)).strip("_")
    if len(slug) <= _LONGEST:
        return slug
    # If only cut, two long names with the same beginning would collide.
    return f"{slug[: _LONGEST - 9].rstrip('_')}_{content_hash(slug.encode())[:8]}"


def value_types_of(known: Property) -> tuple[str, ...]:
    """Return the value types of a property."""
    if known.takes is Takes.ENTITY:
        return (NAME,)
    if known.datatype is None:
        return VALUE_TYPES
    kind = type_of(known.datatype)
    return (kind,) if known.takes is Takes.LITERAL else tuple(dict.fromkeys((NAME, kind)))


def type_of(datatype: str) -> str:
    """Return the value type for an XSD type."""
    if datatype in _DAYS:
        return DATE
    if datatype == f"{XSD}gYear":
        return YEAR
    return NUMBER if datatype in _NUMBERS else NAME


def read_tiers(data: bytes, file: str) -> dict[str, str]:
    """Read property → tier from the annotations of an ontology that was parsed before."""
    if VOCABULARY.encode() not in data:
        return {}
    source = read_source(data, file, None)
    found: dict[str, str] = {}
    for quad in parse(source.text, source.format, base_iri=BASE, lenient=True):
        if quad.predicate != TIER or not isinstance(quad.subject, NamedNode):
            continue
        tier = quad.object.value if isinstance(quad.object, Literal) else str(quad.object)
        if tier not in TIERS:
            raise InvalidInput(
                f"{source.title} gives {quad.subject.value} the unknown tier '{tier}'.",
                advice=f"Use one of {', '.join(TIERS)}.",
            )
        # Of two tiers, the more serious one counts.
        found[quad.subject.value] = min(tier, found.get(quad.subject.value, tier))
    return found


def name_predicates(ontology: Ontology) -> Mapping[str, str]:
    """Map property → predicate: its label as a slug, or its local name if the label gives none.

    If several share a slug, the first by IRI gets it and the others are numbered.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for iri, known in sorted(ontology.properties.items()):
        plain = slug = _make_predicate_slug(known)
        number = 1
        while slug in taken:
            number += 1
            slug = f"{plain[: _LONGEST - 4]}_{number}"
        taken.add(slug)
        found[iri] = slug
    return found


def _make_predicate_slug(known: Property) -> str:
    local = _LOCAL.search(known.iri)
    own = _HUMP.sub(" ", local.group()) if local else ""
    for name in (known.label, own):
        slug = _FOREIGN.sub("_", slug_of(name)).strip("_")
        if slug:
            return slug if slug[0].isalpha() else f"p_{slug}"[:_LONGEST]
    return f"property_{content_hash(known.iri.encode())[:8]}"
