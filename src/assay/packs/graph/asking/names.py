"""Names of classes and properties: the short ones shown to a model, and what it writes back.

A name is repaired only within the ontology, and only if exactly one candidate fits.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from assay.packs.graph.ontology.model import Ontology, OntologyClass, Property

LONGEST_NAME = 300
"""Most characters of a name."""
_NEAR = 3
_COMPARED = 400
"""Most names with which an unknown one is compared."""
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile(r"[\W_]+")
_AROUND = " \t\r\n<>[](){}\"'`´‘’“”„«».,;"
_REST = re.compile(r"\s+[(—→=]|\s+-+>?\s|:\s")
"""The end of a name that was written back with the rest of its line."""
_CODE = re.compile(r"[A-Za-z]{0,6}[-_]?\d+")
"""A local name that means nothing to a reader, such as P106."""
_LOCAL = re.compile(r"[^#/:]+(?=[#/:]*$)")


def cut_local_name(iri: str) -> str:
    """Return the last part of an IRI or a CURIE."""
    match = _LOCAL.search(iri[-LONGEST_NAME:])
    return match[0] if match else iri[-LONGEST_NAME:]


def fold_term_name(name: str) -> str:
    """Normalize a name for comparison: `birthPlace`, `birth_place` and `Birth place` are equal."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return " ".join(_MARKS.sub(" ", _HUMP.sub(" ", plain)).casefold().split())


def _make_singular(tight: str) -> str:
    if tight.endswith("ies") and len(tight) > 5:
        return tight[:-3] + "y"
    if tight.endswith(("sses", "xes", "ches", "shes")):
        return tight[:-2]
    return tight[:-1] if tight.endswith("s") and not tight.endswith("ss") else tight


def _list_forms(key: str) -> tuple[str, str, str]:
    """List a key with more and more ignored: spaces, a plural, and a `has`, which adds nothing.
    `is … of` stays, because it reverses a statement."""
    tight = key.replace(" ", "")
    bare = key.removeprefix("has ").replace(" ", "")
    return tight, _make_singular(tight), _make_singular(bare)


@dataclass(frozen=True)
class FoundName:
    """What a name was resolved to."""

    iri: str | None
    near: tuple[str, ...] = ()
    """The short names that it may have meant, if it matches none or several."""


@dataclass(frozen=True)
class NameBook:
    """The names of all classes, or of all properties, of an ontology."""

    things: Mapping[str, OntologyClass | Property]
    prefixes: Mapping[str, str]

    def shorten(self, iri: str) -> str:
        """Return the shortest name that distinguishes it from all others."""
        known = self.things.get(iri)
        local = cut_local_name(iri)
        by_label = known is not None and self._is_unique_label(known.label, iri)
        if known is not None and by_label and _CODE.fullmatch(local):
            return known.label
        if len(self._locals.get(local, ())) <= 1:
            return local
        for prefix, namespace in self.prefixes.items():
            if prefix and iri == namespace + local:
                return f"{prefix}:{local}"
        if known is not None and by_label:
            return known.label
        return f"<{iri}>"

    def _is_unique_label(self, label: str, iri: str) -> bool:
        """Whether a label names only this term."""
        return self._levels[0].get(_list_forms(fold_term_name(label))[0]) == {iri}

    def find(self, name: str, among: Collection[str] = ()) -> FoundName:
        """Find the term that a name means: first among the given ones, if any."""
        if not name or len(name) > LONGEST_NAME:
            return FoundName(None)
        plain = name.strip(_AROUND)
        exact = self._find_exact(plain)
        if exact is not None:
            return FoundName(exact)
        line = _REST.split(plain, maxsplit=1)[0]
        forms = dict.fromkeys((cut_local_name(plain), plain, line))
        for scope in (frozenset(among), None) if among else (None,):
            for form in forms:
                fitting = self._find_fitting(form, scope)
                if len(fitting) == 1:
                    return FoundName(next(iter(fitting)))
                if fitting:
                    return FoundName(None, self._shorten_some(fitting))
        return FoundName(None, self._find_near(line))

    def _find_fitting(self, name: str, scope: frozenset[str] | None) -> set[str]:
        """Find all terms that a name may mean, ignoring as little as possible."""
        for level, form in zip(self._levels, _list_forms(fold_term_name(name)), strict=True):
            fitting = level.get(form, set())
            fitting = fitting if scope is None else fitting & scope
            if fitting:
                return fitting
        return set()

    def _find_exact(self, plain: str) -> str | None:
        if plain in self.things:
            return plain
        prefix, colon, local = plain.partition(":")
        if colon and (iri := self.prefixes.get(prefix, "") + local) in self.things:
            return iri
        own = self._locals.get(plain, ())
        return own[0] if len(own) == 1 else None

    def _shorten_some(self, iris: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.shorten(iri) for iri in sorted(iris)[:_NEAR])

    def _find_near(self, name: str) -> tuple[str, ...]:
        """Find short names that look like it, for the reader of the refusal."""
        key = fold_term_name(name)
        tight, words = key.replace(" ", "")[:60], set(key.split())
        alike = [
            name
            for name, own in self._words.items()
            if name[:2] == tight[:2] or not words.isdisjoint(own)
        ][:_COMPARED]
        close = get_close_matches(tight, alike, n=_NEAR, cutoff=0.6)
        found = dict.fromkeys(iri for name in close for iri in sorted(self._levels[0][name]))
        return tuple(self.shorten(iri) for iri in list(found)[:_NEAR])

    @cached_property
    def _locals(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for iri in sorted(self.things):
            local = cut_local_name(iri)
            found[local] = (*found.get(local, ()), iri)
        return found

    @cached_property
    def _levels(self) -> tuple[Mapping[str, set[str]], ...]:
        levels: tuple[dict[str, set[str]], ...] = ({}, {}, {})
        for iri, thing in self.things.items():
            for key in {
                fold_term_name(name) for name in (cut_local_name(iri), thing.label, *thing.names)
            }:
                for level, form in zip(levels, _list_forms(key), strict=True):
                    if form:
                        level.setdefault(form, set()).add(iri)
        return levels

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for iri, thing in sorted(self.things.items()):
            for key in map(fold_term_name, (cut_local_name(iri), thing.label, *thing.names)):
                found.setdefault(key.replace(" ", ""), frozenset(key.split()))
        return found


@dataclass(frozen=True)
class OntologyNames:
    """All names of an ontology."""

    ontology: Ontology
    classes: NameBook
    properties: NameBook


_latest: deque[OntologyNames] = deque(maxlen=8)
"""The name books of the ontologies in use, so that thousands of names are not folded again for each
claim. Each holds its ontology, which keeps identity comparisons safe."""


def collect_names(ontology: Ontology) -> OntologyNames:
    """Return the names of an ontology."""
    for known in tuple(_latest):
        if known.ontology is ontology:
            return known
    names = OntologyNames(
        ontology,
        NameBook(ontology.classes, ontology.prefixes),
        NameBook(ontology.properties, ontology.prefixes),
    )
    _latest.append(names)
    return names
