"""Short names for IRIs, where one is safe in every format."""

import re
from collections.abc import Iterable, Mapping

from pyoxigraph import NamedNode

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.writing.describing import KINDS
from assay.packs.graph.writing.terms import NAMESPACES

_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9_-]*)?")
_LOCAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Less than Turtle allows: nothing in it is ever escaped, or ends a statement."""


class Prefixes:
    """Prefix → namespace, and the IRIs that were shortened with them."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self._names: dict[str, str] = {}
        for prefix, namespace in namespaces.items():
            self._names.setdefault(namespace, prefix)
        self._lengths = sorted({len(namespace) for namespace in self._names}, reverse=True)
        self._short: dict[str, str | None] = {}
        self._used: dict[str, str] = {}

    def short(self, iri: str) -> str | None:
        """`prefix:local`, by the longest namespace that fits; None where the IRI stays whole."""
        try:
            return self._short[iri]
        except KeyError:
            found = self._short[iri] = self._shortened(iri)
            return found

    def used(self) -> list[tuple[str, str]]:
        """The prefixes that something was shortened with, sorted."""
        return sorted(self._used.items())

    def _shortened(self, iri: str) -> str | None:
        for length in self._lengths:
            namespace = iri[:length]
            prefix = self._names.get(namespace)
            if prefix is not None and _LOCAL.fullmatch(iri, length):
                self._used[prefix] = namespace
                return f"{prefix}:{iri[length:]}"
        return None


def prefixes_of(ontology: Ontology, base: str, iris: Iterable[str]) -> Prefixes:
    """The usual prefixes, those of the ontology, and those of the base; the first of a name wins.

    A prefix that is also the scheme of an IRI is left out: JSON-LD would read one as the other.
    """
    schemes = {iri.partition(":")[0] for iri in iris}
    own = {kind: f"{base}{kind}/" for kind in KINDS}
    chosen: dict[str, str] = {}
    for offered in (NAMESPACES, dict(sorted(ontology.prefixes.items())), own):
        for prefix, namespace in offered.items():
            if _PREFIX.fullmatch(prefix) and prefix not in schemes and _is_iri(namespace):
                chosen.setdefault(prefix, namespace)
    return Prefixes(chosen)


def _is_iri(namespace: str) -> bool:
    try:
        NamedNode(namespace)
    except ValueError:
        return False
    return True
