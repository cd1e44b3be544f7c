"""Words as the value that a property takes."""

from functools import lru_cache

from assay.packs.graph.literals import read_literal
from assay.packs.graph.model import Literal
from assay.packs.graph.ontology.model import XSD, Property

_STRINGS = frozenset(
    {
        f"{XSD}string",
        f"{XSD}normalizedString",
        f"{XSD}token",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
        "http://www.w3.org/2000/01/rdf-schema#Literal",
    }
)


def takes_words(told: Property) -> bool:
    """Whether any words are a value of a property."""
    own = told.datatypes or ((told.datatype,) if told.datatype else ())
    return not own or any(one in _STRINGS for one in own)


def value_of(told: Property, words: str) -> Literal | None:
    """Words as a value of a property; None where they are none."""
    own = told.datatypes or ((told.datatype,) if told.datatype else (f"{XSD}string",))
    return _read(words, own)


@lru_cache(maxsize=4096)
def _read(words: str, datatypes: tuple[str, ...]) -> Literal | None:
    for datatype in datatypes:
        found = read_literal(words, datatype)
        if found is not None:
            return found
    return None
