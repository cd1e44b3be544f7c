"""A small ontology of space flight, a text, and what it contains."""

from assay.packs.graph.asking import AskedEntity, AskedRelation, read_entity
from assay.packs.graph.model import Chunk, Entity, RefusedClaim
from assay.packs.graph.ontology.model import XSD, Ontology, OntologyClass, Property, Takes

EX = "http://example.org/space#"
OTHER = "http://example.org/other/"
DOCUMENT = "d" * 64
TEXT = (
    "Alan Bean was born in Wheeler on March 15, 1932. He flew on Apollo 12, which NASA operated. "
    "Bean and Pete Conrad, both of NASA, landed on 19 November 1969. "
    "The mission cost 375 million dollars."
)


def _class(
    local: str, *parents: str, label: str = "", names: tuple[str, ...] = ()
) -> OntologyClass:
    label = label or local
    return OntologyClass(
        iri=EX + local,
        label=label,
        names=(label, *names),
        parents=tuple(EX + parent for parent in parents),
    )


def _property(
    local: str,
    domain: str = "",
    range_: str = "",
    datatype: str | None = None,
    label: str = "",
    names: tuple[str, ...] = (),
) -> Property:
    takes = Takes.LITERAL if datatype else Takes.ENTITY if range_ else Takes.EITHER
    return Property(
        iri=EX + local,
        label=label or local,
        names=(label or local, *names),
        takes=takes,
        domains=(EX + domain,) if domain else (),
        ranges=(EX + range_,) if range_ else (),
        datatype=XSD + datatype if datatype else None,
    )


def ontology() -> Ontology:
    """Persons, places, missions, and what is said of them."""
    classes = [
        _class("Agent"),
        _class("Person", "Agent", names=("osoba",)),
        _class("Astronaut", "Person"),
        _class("Organisation", "Agent", names=("company",)),
        _class("Place"),
        _class("City", "Place"),
        _class("SpaceMission", label="space mission"),
        _class("Crew"),
        OntologyClass(iri=OTHER + "Crew", label="ship's company", names=("ship's company",)),
    ]
    properties = [
        _property("birthPlace", "Person", "Place", label="birth place"),
        _property("birthDate", "Person", datatype="date", label="birth date"),
        _property("flewOn", "Person", "SpaceMission", label="flew on"),
        _property("operator", "SpaceMission", "Organisation", names=("operated by",)),
        _property("employer", "Person", "Organisation"),
        _property("hasCost", "SpaceMission", datatype="decimal", label="cost"),
        _property("knows", "Person", "Person"),
        _property("nickname", "Person", datatype="string"),
        _property("landingYear", "Person", datatype="gYear", label="landing year"),
        _property("related"),
        _property("name", "Person", datatype="string"),
        Property(iri=OTHER + "name", label="title", names=("title",), takes=Takes.LITERAL),
    ]
    return Ontology(
        key="space",
        classes={one.iri: one for one in classes},
        properties={one.iri: one for one in properties},
        prefixes={"ex": EX, "other": OTHER},
    )


SPACE = ontology()


def chunk_of(text: str = TEXT, start: int = 0, stops: str = ".") -> Chunk:
    """A text as one chunk, cut after each full stop and the white space behind it."""
    sentences: list[tuple[int, int]] = []
    begin = 0
    for place, character in enumerate(text):
        ended = character in stops and text[place + 1 : place + 2] in ("", " ", "\n")
        if ended or place + 1 == len(text):
            sentences.append((start + begin, start + place + 1))
            begin = place + 2
    kept = tuple((a, b) for a, b in sentences if a < b)
    return Chunk(0, start, start + len(text), text, kept)


def make_entity(mention: str, type_: str, chunk: Chunk) -> Entity:
    """An entity that is sure to be one."""
    entity = read_entity(AskedEntity(mention=mention, type=[type_]), chunk, SPACE, DOCUMENT)
    assert not isinstance(entity, RefusedClaim), entity
    return entity


def make_crew(chunk: Chunk | None = None) -> list[Entity]:
    """E1 Alan Bean, E2 Wheeler, E3 Apollo 12, E4 NASA, E5 Pete Conrad."""
    here = chunk or chunk_of()
    told = (
        ("Alan Bean", "Astronaut"),
        ("Wheeler", "City"),
        ("Apollo 12", "SpaceMission"),
        ("NASA", "Organisation"),
        ("Pete Conrad", "Person"),
    )
    return [make_entity(mention, type_, here) for mention, type_ in told]


def make_claim(subject: str, property_: str, object_: str, quote: str = "") -> AskedRelation:
    """A statement of a model."""
    return AskedRelation(subject=subject, property=property_, object=object_, quote=quote)
