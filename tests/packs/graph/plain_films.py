"""A small ontology of films, people and places, and how its sentences are read."""

from dataclasses import dataclass

from assay.packs.graph.chunking import split_chunks
from assay.packs.graph.model import Chunk, Entity, Literal, Relation
from assay.packs.graph.ontology.model import XSD, Ontology, OntologyClass, Property, Takes
from assay.packs.graph.pattern_extractor import LearnedCues, find_entities, find_relations
from assay.sdk.reading import split_sentences

EX = "http://example.org/films#"
DOCUMENT = "d" * 64


def _cls(name: str, label: str, *parents: str) -> OntologyClass:
    return OntologyClass(
        iri=EX + name,
        label=label,
        names=(label,),
        parents=tuple(EX + parent for parent in parents),
    )


def _make_property(name: str, label: str, domain: str, range_: str) -> Property:
    return Property(
        iri=EX + name,
        label=label,
        names=(label,),
        takes=Takes.ENTITY,
        domains=(EX + domain,),
        ranges=(EX + range_,),
    )


def _value(name: str, label: str, domain: str, datatype: str) -> Property:
    return Property(
        iri=EX + name,
        label=label,
        names=(label,),
        takes=Takes.LITERAL,
        domains=(EX + domain,),
        datatype=XSD + datatype,
    )


_CLASSES = (
    _cls("Work", "work"),
    _cls("Film", "film", "Work"),
    _cls("AnimatedFilm", "animated film", "Film"),
    _cls("Book", "book", "Work"),
    _cls("Person", "person"),
    _cls("Place", "place"),
    _cls("City", "city", "Place"),
    _cls("Country", "country", "Place"),
    _cls("River", "river", "Place"),
    _cls("Organisation", "organisation"),
    _cls("University", "university", "Organisation"),
    _cls("Genre", "genre"),
    _cls("Calling", "calling"),
    _cls("Machine", "machine"),
    _cls("Engine", "engine"),
)
_PROPERTIES = (
    _make_property("directedBy", "directedBy", "Film", "Person"),
    _make_property("starring", "starring", "Film", "Person"),
    _make_property("author", "author", "Book", "Person"),
    _make_property("basedOn", "based on", "Film", "Book"),
    _make_property("genre", "genre", "Work", "Genre"),
    _make_property("birthPlace", "place of birth", "Person", "Place"),
    _make_property("spouse", "spouse", "Person", "Person"),
    _make_property("capital", "capital", "Country", "City"),
    _make_property("location", "location", "Organisation", "Place"),
    _make_property("rector", "rector", "University", "Person"),
    _make_property("occupation", "occupation", "Person", "Calling"),
    _make_property("engine", "engine", "Machine", "Engine"),
    _value("birthDate", "date of birth", "Person", "date"),
    _value("released", "release date", "Film", "gYear"),
    _value("established", "established", "Organisation", "gYear"),
    _value("students", "number of students", "University", "integer"),
    _value("population", "population", "Place", "integer"),
    _value("length", "length", "River", "decimal"),
)
FILMS = Ontology(
    key="films",
    classes={one.iri: one for one in _CLASSES},
    properties={one.iri: one for one in _PROPERTIES},
)


def make_chunk(text: str) -> Chunk:
    """A text as one chunk."""
    return Chunk(
        index=0,
        start=0,
        end=len(text),
        text=text,
        sentences=tuple(split_sentences(text, 0, len(text))),
    )


@dataclass(frozen=True)
class Read:
    """What was read of a text."""

    entities: list[Entity]
    relations: list[Relation]

    def types(self) -> dict[str, set[str]]:
        """Name → the local names of its classes."""
        return {
            entity.name: {iri.rpartition("#")[2] for iri in entity.types}
            for entity in self.entities
        }

    def said(self) -> set[tuple[str, str, str]]:
        """Relations by names, local names and values."""
        names = {entity.id: entity.name for entity in self.entities}
        return {
            (
                names[one.subject],
                one.predicate.rpartition("#")[2],
                one.object.value if isinstance(one.object, Literal) else names[one.object],
            )
            for one in self.relations
        }


def read_text(text: str, learned: LearnedCues | None = None, most: int | None = None) -> Read:
    """Reads a text as the pipeline does: first all entities, then the relations of each chunk."""
    chunks = [make_chunk(text)] if most is None else list(split_chunks(text, most))
    entities = [
        entity for chunk in chunks for entity in find_entities(chunk, FILMS, DOCUMENT, learned)
    ]
    unique = list({entity.id: entity for entity in reversed(entities)}.values())[::-1]
    properties = list(FILMS.properties.values())
    return Read(
        unique,
        [
            relation
            for chunk in chunks
            for relation in find_relations(chunk, unique, properties, FILMS, DOCUMENT, learned)
        ],
    )
