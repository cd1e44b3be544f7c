"""Ids derived from what a thing is: the same thing has the same id wherever it is found."""

import unicodedata

from assay.packs.graph.model import Literal
from assay.sdk.records import derive_id

_ARTICLES = ("the ", "a ", "an ")
_MARKS = dict.fromkeys(map(ord, "\"'`´‘’“”„«»‹›"), None)


def fold_name(name: str) -> str:
    """Normalize a name for comparison: NFKC, lower case, single spaces, no article, no quotes."""
    plain = " ".join(unicodedata.normalize("NFKC", name).translate(_MARKS).casefold().split())
    plain = plain.strip(" .,;:()[]")
    for article in _ARTICLES:
        if plain.startswith(article) and len(plain) > len(article):
            return plain[len(article) :]
    return plain


def derive_entity_id(name: str, types: tuple[str, ...]) -> str:
    """Derive the id of an entity from its name and its classes."""
    return derive_id("en", fold_name(name), *sorted(types))


def derive_relation_id(subject: str, predicate: str, object_: str | Literal) -> str:
    """Derive the id of a relation from its three parts."""
    if isinstance(object_, Literal):
        return derive_id(
            "re", subject, predicate, "literal", object_.value, object_.datatype, object_.unit
        )
    return derive_id("re", subject, predicate, "entity", object_)
