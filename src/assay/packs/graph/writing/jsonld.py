"""JSON-LD, with a context of its own: nothing has to be fetched to read it."""

import json
import re
from typing import Any

from assay.packs.graph.writing.escaping import shown
from assay.packs.graph.writing.prefixes import Prefixes
from assay.packs.graph.writing.sheet import Sheet
from assay.packs.graph.writing.terms import (
    BOOLEAN,
    END,
    EXACT,
    INTEGER,
    START,
    STRING,
    TYPE,
    Inner,
    Iri,
    Term,
)

_NUMBER = re.compile(r"-?[1-9][0-9]{0,14}|0")
"""What every reader of JSON keeps exactly."""
_json = json.JSONEncoder(ensure_ascii=False).encode
_ENDS = tuple(":/?#[]@")
"""A namespace that ends otherwise is no prefix to JSON-LD."""


def jsonld(sheet: Sheet, prefixes: Prefixes) -> str:
    """A sheet as JSON-LD."""
    writer = _Writer(sheet, prefixes)
    nodes = [writer.node(subject, told) for _, subject, told in sheet.told()]
    context: dict[str, Any] = dict(writer.used)
    context |= {writer.name(iri): {"@type": "@id"} for iri in sorted(writer.links)}
    # One node a line: short enough to read, and two files can be compared line by line.
    lines = ",\n".join(f"    {_json(node)}" for node in nodes)
    head = ",\n".join(f"    {_json(name)}: {_json(told)}" for name, told in sorted(context.items()))
    return shown(f'{{\n  "@context": {{\n{head}\n  }},\n  "@graph": [\n{lines}\n  ]\n}}\n')


class _Writer:
    def __init__(self, sheet: Sheet, prefixes: Prefixes) -> None:
        self._prefixes = prefixes
        self._names: dict[str, str] = {}
        self.used: dict[str, str] = {}
        """Prefix → namespace."""
        self.links = sheet.links() - {TYPE, START, END, EXACT}
        """Predicates that lead to named things alone: their objects are told as bare strings."""

    def node(self, subject: str, told: list[tuple[str, list[Term]]]) -> dict[str, Any]:
        """A subject with what is said of it."""
        node: dict[str, Any] = {"@id": self.name(subject)}
        for predicate, objects in told:
            key, values = self._property(predicate, objects)
            node[key] = values[0] if len(values) == 1 else values
        return node

    def name(self, iri: str) -> str:
        """An IRI, short where it has a prefix that JSON-LD knows for one."""
        known = self._names.get(iri)
        if known is None:
            known = self._names[iri] = self._named(iri)
        return known

    def _named(self, iri: str) -> str:
        short = self._prefixes.short(iri)
        if short is None:
            return iri
        prefix, _, local = short.partition(":")
        namespace = iri[: -len(local)]
        if not prefix or not namespace.endswith(_ENDS):
            return iri
        self.used[prefix] = namespace
        return short

    def _property(self, predicate: str, objects: list[Term]) -> tuple[str, list[Any]]:
        if predicate == TYPE and all(isinstance(each, Iri) for each in objects):
            return "@type", [self.name(each.iri) for each in objects if isinstance(each, Iri)]
        bare = predicate in self.links
        return self.name(predicate), [self._value(each, bare) for each in objects]

    def _value(self, term: Term, bare: bool) -> Any:
        if isinstance(term, Iri):
            return self.name(term.iri) if bare else {"@id": self.name(term.iri)}
        if isinstance(term, Inner):
            said = [self._property(predicate, [value]) for predicate, value in term.said]
            return {key: values[0] for key, values in said}
        if term.datatype == STRING:
            return term.text
        if term.datatype == INTEGER and _NUMBER.fullmatch(term.text):
            return int(term.text)
        if term.datatype == BOOLEAN and term.text in ("true", "false"):
            return term.text == "true"
        return {"@value": term.text, "@type": self.name(term.datatype)}
