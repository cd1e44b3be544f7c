"""An ontology as a pack: a predicate for each of its properties, and its extractors."""

import re
from pathlib import Path

from assay.packs.graph.extractors import GraphModelExtractor, GraphPatternExtractor, OntologyFile
from assay.packs.graph.facts import DOMAIN
from assay.packs.graph.ontology.model import Property
from assay.packs.graph.predicates import VALUE_TYPES, name_predicates, read_tiers, value_types_of
from assay.sdk.errors import InvalidInput
from assay.sdk.facts import Facts, Predicate
from assay.sdk.pack import Pack

FOLDER = Path(__file__).parent
FILE = "ontology.ttl"
BUNDLED = "graph"
"""The name of the bundled ontology wherever an ontology is named."""
TIER = "T2"
"""The tier of a property without an annotation: read with certainty, it needs no review."""
LEAST_CONFIDENCE = 0.5
"""Low, because a doubtful relation should become a question to a person rather than be lost."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,79}")


def read_bundled_ontology() -> bytes:
    """The small general ontology that comes with Assay, in Turtle."""
    return (FOLDER / FILE).read_bytes()


def build_graph_pack(name: str, ontology: bytes, *, title: str = "", file: str = "") -> Pack:
    """Build the pack of an ontology. `file` is the name of its file, whose ending gives the format.

    InvalidInput says what is wrong with it.
    """
    facts = build_graph_facts(name, ontology, title=title, file=file)
    return Pack(name=name, version=facts.version, title=facts.title, facts=facts)


def build_graph_facts(name: str, ontology: bytes, *, title: str = "", file: str = "") -> Facts:
    """Build the facts section of a pack. `file` is the name of the ontology's file, whose ending
    gives the format.

    InvalidInput says what is wrong with it.
    """
    if _NAME.fullmatch(name) is None:
        raise InvalidInput(
            f"'{name}' is not a valid pack name.",
            advice="Use lower-case letters, digits and underscores, starting with a letter.",
        )
    source = OntologyFile(ontology, file)
    known = source.load_index().ontology
    slugs = name_predicates(known)
    if not slugs:
        raise InvalidInput(
            f"The ontology of '{name}' has no properties, so there is nothing to extract.",
            advice="Declare what can be said about its classes as OWL or RDF properties.",
        )
    tiers = read_tiers(ontology, file)
    return Facts(
        name=name,
        version=known.version or known.key[:12],
        title=title or known.title or name,
        domains={DOMAIN: "what a text says of things"},
        value_types=VALUE_TYPES,
        predicates={
            slug: _build_predicate(slug, known.properties[iri], tiers.get(iri, TIER))
            for iri, slug in sorted(slugs.items(), key=lambda entry: entry[1])
        },
        confidence_floor=LEAST_CONFIDENCE,
        folder=FOLDER,
        extractor=GraphPatternExtractor(source),
        model_extractor=GraphModelExtractor(source),
    )


def _build_predicate(slug: str, known: Property, tier: str) -> Predicate:
    return Predicate(
        slug, tier, value_types_of(known), {"en": known.label}, many=not known.functional
    )
