"""Anybody can check a written graph against its texts."""

from dataclasses import replace

import pytest

from assay.packs.graph.model import Graph
from assay.packs.graph.writing import CitedRelation, check_quotes, read_provenance, write_graph
from assay.sdk.errors import InvalidInput
from tests.packs.graph.rome import CAPITAL, DOCUMENT, EX, FIRST, GRAPH, ITALY, ONTOLOGY, ROME, TEXT

FORMATS = ("turtle", "ntriples", "jsonld")
BASES = ("urn:assay:", "https://example.org/g#", "https://example.org/")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("base", BASES)
def test_the_quotes_of_a_written_graph_stand_in_its_text(format: str, base: str) -> None:
    rdf = write_graph(GRAPH, ONTOLOGY, format, base=base)
    assert check_quotes(rdf, format, {DOCUMENT: TEXT}) == ()


@pytest.mark.parametrize("format", FORMATS)
def test_a_changed_text_is_found_out(format: str) -> None:
    rdf = write_graph(GRAPH, ONTOLOGY, format)
    changed = TEXT.replace("capital", "Capital")
    assert check_quotes(rdf, format, {DOCUMENT: changed}) == (
        f"The document 'd1' does not say {FIRST!r} from 0 to 29.",
    )
    moved = check_quotes(rdf, format, {DOCUMENT: f" {TEXT}"})
    assert len(moved) == 6


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("iri", ["http://x/#a#b", "http://x/%zz", "http://x/a[b]"])
def test_what_ontologies_call_an_iri_is_kept_though_it_is_not_quite_one(
    format: str, iri: str
) -> None:
    graph = Graph(
        entities=(replace(ROME, types=(iri,)), ITALY), relations=(replace(CAPITAL, predicate=iri),)
    )
    rdf = write_graph(graph, ONTOLOGY, format)
    assert check_quotes(rdf, format, {DOCUMENT: TEXT}) == ()
    assert [each.predicate for each in read_provenance(rdf, format)] == [iri]


def test_a_text_that_was_not_given_is_a_problem() -> None:
    rdf = write_graph(GRAPH, ONTOLOGY, "turtle")
    assert check_quotes(rdf, "turtle", {}) == ("The text of the document 'd1' was not given.",)


def test_a_triple_that_was_slipped_in_is_found_out() -> None:
    rdf = write_graph(GRAPH, ONTOLOGY, "ntriples")
    rome, italy = f"urn:assay:entity/{ROME.id}", f"urn:assay:entity/{ITALY.id}"
    slipped = f"{rdf}<{italy}> <{EX}partOf> <{rome}> .\n"
    assert check_quotes(slipped, "ntriples", {DOCUMENT: TEXT}) == (
        f"No statement says where this is from: {italy} {EX}partOf {rome}.",
    )


def test_a_triple_that_was_taken_out_is_found_out() -> None:
    rdf = write_graph(GRAPH, ONTOLOGY, "ntriples")
    plain = f"<urn:assay:entity/{ROME.id}> <{EX}capitalOf> <urn:assay:entity/{ITALY.id}> .\n"
    assert plain in rdf
    (problem,) = check_quotes(rdf.replace(plain, ""), "ntriples", {DOCUMENT: TEXT})
    assert problem.startswith("A statement describes a triple that is not in the graph")


@pytest.mark.parametrize(
    ("gone", "problem"),
    [
        ("vocabulary#quote>", "has no quote"),
        ("oa#exact>", "does not state its words"),
        ("oa#start>", "does not state its words"),
        ("oa#hasSource>", "does not state its words"),
    ],
)
def test_provenance_that_was_taken_out_is_found_out(gone: str, problem: str) -> None:
    graph = Graph(entities=(ROME, ITALY), relations=(CAPITAL,))
    lines = write_graph(graph, ONTOLOGY, "ntriples").splitlines(keepends=True)
    rdf = "".join(line for line in lines if gone not in line)
    problems = check_quotes(rdf, "ntriples", {DOCUMENT: TEXT})
    assert problems
    assert all(problem in each for each in problems)


def test_a_place_that_is_no_number_is_found_out() -> None:
    rdf = write_graph(Graph(entities=(ROME,)), ONTOLOGY, "turtle")
    broken = rdf.replace("oa:start 0", 'oa:start "here"')
    assert len(check_quotes(broken, "turtle", {DOCUMENT: TEXT})) == 1


@pytest.mark.parametrize("format", FORMATS)
def test_relations_are_listed_with_their_quotes(format: str) -> None:
    graph = Graph(entities=(ROME, ITALY), relations=(CAPITAL,))
    assert read_provenance(write_graph(graph, ONTOLOGY, format), format) == [
        CitedRelation(
            subject=f"urn:assay:entity/{ROME.id}",
            predicate=f"{EX}capitalOf",
            object=f"urn:assay:entity/{ITALY.id}",
            quote=FIRST,
            start=0,
            end=29,
            document=DOCUMENT,
        )
    ]


def test_what_is_not_rdf_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match="turtle, at line 2"):
        check_quotes("<urn:a:b> <urn:a:c> 1 .\n<oh> no", "turtle", {})
    with pytest.raises(InvalidInput, match="cannot be read as 'rdfxml'"):
        read_provenance("", "rdfxml")


def test_json_ld_that_names_a_context_elsewhere_is_refused_and_not_fetched() -> None:
    with pytest.raises(InvalidInput, match="jsonld"):
        check_quotes('{"@context": "http://127.0.0.1:9/context", "@id": "urn:a:b"}', "jsonld", {})
