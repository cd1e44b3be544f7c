"""An import of an ontology is read if it is supplied, and never fetched."""

import socket
from collections.abc import Iterator

import pytest

from assay.packs.graph.ontology.model import Ontology, OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.sdk.errors import InvalidInput
from tests.packs.graph.test_ontology_bounds import CLASS, XML
from tests.packs.graph.test_ontology_reading import EX, PREFIXES

ANIMALS = "http://example.org/animals"
PLANTS = "http://example.org/plants"


def write_ontology(name: str, *imports: str, more: str = "") -> bytes:
    wanted = " ".join(f"<http://example.org/{name}> owl:imports <{iri}> ." for iri in imports)
    text = f'{PREFIXES} <http://example.org/{name}> a owl:Ontology ; rdfs:label "{name}" . {wanted}'
    return f"{text} :{name.title()} a owl:Class . {more}".encode()


def list_classes(ontology: Ontology) -> set[str]:
    return {iri.removeprefix(EX) for iri in ontology.classes}


def test_what_is_not_supplied_is_listed_and_warned_of() -> None:
    ontology = read_ontology(write_ontology("zoo", PLANTS, ANIMALS))

    assert ontology.imports == (ANIMALS, PLANTS)
    assert ontology.warnings == (
        f"Imports that were not read, as nothing is fetched: {ANIMALS}, {PLANTS}."
        " Supply their files, if their classes are needed.",
    )


def test_what_is_supplied_is_read_with_what_it_imports_itself() -> None:
    supplied = {
        ANIMALS: write_ontology("animals", PLANTS, more=":Lion rdfs:subClassOf :Animals ."),
        PLANTS: write_ontology("plants", "http://example.org/zoo#", ANIMALS),
    }
    ontology = read_ontology(write_ontology("zoo", f"{ANIMALS}#"), imports=supplied)

    assert list_classes(ontology) == {"Zoo", "Animals", "Plants", "Lion"}
    assert (ontology.imports, ontology.warnings) == ((), ())
    assert (ontology.iri, ontology.title) == ("http://example.org/zoo", "zoo")


def test_what_is_supplied_and_not_imported_is_left_alone() -> None:
    ontology = read_ontology(write_ontology("zoo"), imports={ANIMALS: b"not even looked at"})

    assert list_classes(ontology) == {"Zoo"}


def test_an_import_may_be_in_another_format() -> None:
    animals = XML.format(CLASS.format("animal")).encode()

    assert (
        "http://e/A"
        in read_ontology(write_ontology("zoo", ANIMALS), imports={ANIMALS: animals}).classes
    )


def test_nodes_without_a_name_are_not_mixed_up() -> None:
    union = ":{0} rdfs:domain _:b . _:b owl:unionOf ( :{1} ) ."
    ontology = read_ontology(
        write_ontology("zoo", ANIMALS, more=union.format("keeps", "Keeper")),
        imports={ANIMALS: write_ontology("animals", more=union.format("eats", "Animals"))},
    )

    assert ontology.properties[EX + "keeps"].domains == (EX + "Keeper",)
    assert ontology.properties[EX + "eats"].domains == (EX + "Animals",)


def test_a_broken_import_is_called_by_its_address() -> None:
    with pytest.raises(InvalidInput, match=f"The ontology '{ANIMALS}' is not valid Turtle: line 1"):
        read_ontology(write_ontology("zoo", ANIMALS), imports={ANIMALS: b"broken"})


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (OntologyLimits(triples=8), "more than 8 triples"),
        (OntologyLimits(terms=2), "more than 2 classes"),
        (OntologyLimits(bytes=1_500), "with its import .* more than 1,500 bytes"),
        (OntologyLimits(imports=1), "more than 1 imports"),
    ],
)
def test_the_limits_count_all_files_together(limits: OntologyLimits, what: str) -> None:
    supplied = {ANIMALS: write_ontology("animals"), PLANTS: write_ontology("plants")}

    with pytest.raises(InvalidInput, match=what):
        read_ontology(write_ontology("zoo", ANIMALS, PLANTS), imports=supplied, limits=limits)


def test_the_key_tells_what_was_supplied() -> None:
    data = write_ontology("zoo", ANIMALS)
    alone, more = (
        read_ontology(data, imports=i) for i in ({}, {ANIMALS: write_ontology("animals")})
    )

    assert alone.key != more.key


class Listener:
    """A place that would notice if anybody came."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def nobody_came(self) -> bool:
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return True
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    place = Listener()
    yield place
    place.close()


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)


REMOTE_CONTEXTS = [
    '{"@context": "ADDRESS/context", "@id": "a"}',
    '{"@context": ["ADDRESS/context", {"a": "http://a/"}], "@graph": []}',
    '{"@context": {"a": {"@id": "http://a/", "@context": "ADDRESS"}}, "a": {"a": "b"}}',
    '{"@context": {"@version": 1.1, "@import": "ADDRESS/context"}, "@id": "a"}',
]


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize("text", REMOTE_CONTEXTS)
def test_a_context_elsewhere_is_refused_and_not_fetched(text: str, listener: Listener) -> None:
    with pytest.raises(InvalidInput, match="refers to a remote '@context'") as refused:
        read_ontology(text.replace("ADDRESS", listener.address).encode())

    assert "Include the context in the file" in refused.value.advice
    assert listener.nobody_came()


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize(
    "entity",
    ['e SYSTEM "ADDRESS/e"', 'e PUBLIC "a" "ADDRESS/e"', '% e SYSTEM "ADDRESS/e"'],
)
def test_an_entity_elsewhere_is_refused_and_not_fetched(entity: str, listener: Listener) -> None:
    text = f"<!DOCTYPE r [<!ENTITY {entity}>]>{XML.format(CLASS.format('&e;'))}"

    with pytest.raises(InvalidInput, match="an XML entity that is not plain text") as refused:
        read_ontology(text.replace("ADDRESS", listener.address).encode())

    assert "never fetched" in refused.value.advice
    assert listener.nobody_came()


@pytest.mark.usefixtures("no_sockets")
def test_an_import_and_a_document_type_elsewhere_are_not_fetched(listener: Listener) -> None:
    typed = f'<!DOCTYPE r SYSTEM "{listener.address}/dtd">{XML.format(CLASS.format("A"))}'

    assert read_ontology(write_ontology("zoo", listener.address)).imports == (listener.address,)
    assert "http://e/A" in read_ontology(typed.encode()).classes
    assert listener.nobody_came()
