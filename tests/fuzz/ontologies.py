"""The harness of ontologies: Turtle, RDF/XML, JSON-LD and N-Triples."""

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.ontology_pack import build_graph_pack
from assay.sdk.errors import InvalidInput
from tests.fuzz.oracles import check_stored_words, require, run_twice


def check_ontology(data: bytes) -> None:
    """An ontology; and the pack that it becomes, if it has properties."""
    ontology = run_twice(lambda: read_ontology(data))
    _check_terms(ontology)
    try:
        pack = build_graph_pack("fuzzed", data)
    except InvalidInput as error:
        check_stored_words("an error", (str(error),))
    else:
        facts = pack.facts
        assert facts is not None
        require(len(facts.predicates) <= len(ontology.properties), "predicates", "more than terms")
        check_stored_words("a predicate", facts.predicates)


def _check_terms(ontology: Ontology) -> None:
    check_stored_words("the ontology", (ontology.iri, ontology.title, ontology.version))
    check_stored_words("a warning", ontology.warnings)
    for iri, known in ontology.classes.items():
        require(iri == known.iri, "term", f"{known.iri!r} under {iri!r}")
        check_stored_words("a class", (iri, known.label, known.comment, *known.names))
        require(iri in ontology.ancestors_of(iri), "term", f"{iri!r} is not its own ancestor")
    for iri, property_ in ontology.properties.items():
        require(iri == property_.iri, "term", f"{property_.iri!r} under {iri!r}")
        check_stored_words("a property", (iri, property_.label, property_.comment))
        require(property_.label != "", "term", f"{iri!r} has no label")
