"""Turtle, for people to read."""

import re
from collections.abc import Iterator

from assay.packs.graph.writing.escaping import quoted
from assay.packs.graph.writing.prefixes import Prefixes
from assay.packs.graph.writing.sheet import Section, Sheet
from assay.packs.graph.writing.terms import (
    BOOLEAN,
    DECIMAL,
    INTEGER,
    STRING,
    TYPE,
    Inner,
    Iri,
    Term,
)

_BARE = {
    # Short enough for every reader to keep them as they are written.
    INTEGER: re.compile(r"-?(?:0|[1-9][0-9]{0,17})"),
    DECIMAL: re.compile(r"-?(?:0|[1-9][0-9]{0,11})\.[0-9]{1,5}"),
    BOOLEAN: re.compile(r"true|false"),
}
_WIDTH = 80
_HEADER = """\
# A graph written by Assay. Each relation stands as a plain triple, and again as an rdf:Statement
# that says where it is from: the document, the words that state it, and whether they were checked.
"""
_TITLES = {
    Section.ENTITIES: "Entities, and what is said of them",
    Section.RELATIONS: "Where each relation is from",
    Section.QUOTES: "Words of the texts, by place",
    Section.SOURCES: "Documents, and who read them",
}


def turtle(sheet: Sheet, prefixes: Prefixes) -> str:
    """A sheet as Turtle."""
    body = "".join(_blocks(sheet, prefixes))
    heads = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes.used())
    return f"{_HEADER}\n{heads}{body}"


def _blocks(sheet: Sheet, prefixes: Prefixes) -> Iterator[str]:
    last: Section | None = None
    for section, subject, told in sheet.told():
        if section is not last:
            last = section
            yield f"\n# {_TITLES[section]}\n"
        lines = [
            f"    {_predicate(predicate, prefixes)}{_objects(objects, prefixes)}"
            for predicate, objects in told
        ]
        yield f"\n{_iri(subject, prefixes)}\n" + " ;\n".join(lines) + " .\n"


def _objects(objects: list[Term], prefixes: Prefixes) -> str:
    if len(objects) == 1:
        return f" {_term(objects[0], prefixes)}"
    terms = [_term(each, prefixes) for each in objects]
    on_a_line = f" {' , '.join(terms)}"
    if len(on_a_line) <= _WIDTH and not any(isinstance(each, Inner) for each in objects):
        return on_a_line
    return "".join(f"\n        {term} ," for term in terms)[:-2]


def _term(term: Term, prefixes: Prefixes) -> str:
    if isinstance(term, Iri):
        return _iri(term.iri, prefixes)
    if isinstance(term, Inner):
        told = " ; ".join(f"{_predicate(p, prefixes)} {_term(o, prefixes)}" for p, o in term.said)
        return f"[ {told} ]"
    if term.datatype == STRING:
        return quoted(term.text)
    bare = _BARE.get(term.datatype)
    if bare and bare.fullmatch(term.text):
        return term.text
    return f"{quoted(term.text)}^^{_iri(term.datatype, prefixes)}"


def _predicate(iri: str, prefixes: Prefixes) -> str:
    return "a" if iri == TYPE else _iri(iri, prefixes)


def _iri(iri: str, prefixes: Prefixes) -> str:
    return prefixes.short(iri) or f"<{iri}>"
