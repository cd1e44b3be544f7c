"""How an answer to the question for entities is checked."""

import pytest

from assay.packs.graph.asking import AskedEntity, read_entity, read_entity_parts
from assay.packs.graph.asking.items import AskedAttribute
from assay.packs.graph.ids import derive_entity_id
from assay.packs.graph.model import Entity, Literal, Refusal, RefusedClaim
from assay.packs.graph.ontology.model import XSD
from tests.packs.graph.asking_space import DOCUMENT, EX, SPACE, TEXT, chunk_of


def read_mention(
    mention: str, *types: str, text: str = TEXT, start: int = 0
) -> Entity | RefusedClaim:
    asked = AskedEntity(mention=mention, type=list(types) or ["Person"])
    return read_entity(asked, chunk_of(text, start), SPACE, DOCUMENT)


def entity(mention: str, *types: str, text: str = TEXT, start: int = 0) -> Entity:
    made = read_mention(mention, *types, text=text, start=start)
    assert isinstance(made, Entity), made
    return made


def reason(mention: str, *types: str, text: str = TEXT) -> Refusal:
    made = read_mention(mention, *types, text=text)
    assert isinstance(made, RefusedClaim), made
    return made.reason


def test_an_entity_has_its_name_types_and_places() -> None:
    made = entity("Alan Bean", "Astronaut", start=1000)
    assert made.name == "Alan Bean"
    assert made.types == (EX + "Astronaut",)
    assert made.id == derive_entity_id("Alan Bean", made.types)
    (span,) = made.mentions
    assert (span.start, span.end, span.words, span.document) == (1000, 1009, "Alan Bean", DOCUMENT)


def test_every_place_of_a_name_is_a_mention() -> None:
    places = [span.start for span in entity("NASA", "Organisation").mentions]
    assert places == [TEXT.index("NASA"), TEXT.rindex("NASA")]


@pytest.mark.parametrize(
    ("mention", "text", "words"),
    [
        ("EU", "The EU and the EUR. An EU law.", ["EU", "EU"]),
        ("A", "A team, B team", ["A"]),
        ("C++", "She wrote C++ and C.", ["C++"]),
        ("U.S.", "The U.S. and the US.", ["U.S."]),
        ("Ana", "Banana, Anas and Ana", ["Ana"]),
        ("Ana", "An\u00e1 is not Ana\u0301; Ana", ["Ana"]),
        ("Alan Bean", "Alan\n  Bean", ["Alan\n  Bean"]),
        ("Alan Bean", "ALAN BEAN", ["ALAN BEAN"]),
        ("The Apollo program", "It was the Apollo program.", ["Apollo program"]),
        ("“Wheeler”", "In Wheeler.", ["Wheeler"]),
        ("Wheeler.", "In Wheeler, Texas", ["Wheeler"]),
        ("O'Neil", "It was O\u2019Neil.", ["O\u2019Neil"]),
        ("東京大学", "彼は東京大学で学んだ", ["東京大学"]),
    ],
)
def test_a_name_stands_in_the_text_as_whole_words(
    mention: str, text: str, words: list[str]
) -> None:
    assert [span.words for span in entity(mention, text=text).mentions] == words


def test_white_space_in_a_name_is_folded() -> None:
    assert entity("Alan Bean", text="Alan\n  Bean").name == "Alan Bean"


@pytest.mark.parametrize(
    ("mention", "text"),
    [
        ("Neil Armstrong", TEXT),
        ("Turkey", "They ate turkey."),
        ("US", "It told us."),
        ("Bea", TEXT),
        ("Wheelers", TEXT),
        ("Alan  Conrad", TEXT),
    ],
)
def test_what_is_not_in_the_text_is_refused(mention: str, text: str) -> None:
    assert reason(mention, text=text) is Refusal.NOT_IN_TEXT


@pytest.mark.parametrize("mention", ["He", "it", "who", "I", "", "  ", "—", "…", "<>", '"'])
def test_what_names_nothing_is_refused(mention: str) -> None:
    assert reason(mention, text='He said it — "who … I <>') is Refusal.NOT_VALID


def test_short_forms_that_look_like_pronouns_are_names() -> None:
    assert entity("IT", "Organisation", text="The IT firm").name == "IT"


def test_a_class_that_does_not_exist_is_refused_with_what_is_near() -> None:
    made = read_mention("Alan Bean", "Astronaute")
    assert isinstance(made, RefusedClaim)
    assert made.reason is Refusal.UNKNOWN_CLASS
    assert "Astronaut" in made.detail
    assert made.claim == "Alan Bean | Astronaute"


def test_of_several_types_the_most_specific_stay() -> None:
    made = entity("Alan Bean", "Person", "astronaut", "Agent", "Crew member", "City")
    assert made.types == (EX + "Astronaut", EX + "City")


def test_a_type_that_does_not_exist_is_told_beside_those_that_do() -> None:
    asked = AskedEntity(mention="Alan Bean", type=["Person", "Pilot"])
    made = read_entity_parts(asked, chunk_of(), SPACE, DOCUMENT)
    assert made.entity is not None
    assert made.entity.types == (EX + "Person",)
    assert [one.reason for one in made.refused] == [Refusal.UNKNOWN_CLASS]


def test_types_are_read_from_a_string_or_a_list_under_either_name() -> None:
    for given in ({"type": "Person"}, {"types": ["Person"]}, {"class": "Person"}):
        assert AskedEntity.model_validate({"name": "Bean", **given}).type == ["Person"]


def read_attributes(*attributes: tuple[str, str]) -> tuple[Entity, list[Refusal]]:
    asked = AskedEntity(
        mention="Alan Bean",
        type=["Astronaut"],
        attributes=[AskedAttribute(property=name, value=value) for name, value in attributes],
    )
    made = read_entity_parts(asked, chunk_of(start=50), SPACE, DOCUMENT)
    assert made.entity is not None
    return made.entity, [one.reason for one in made.refused]


def test_an_attribute_is_a_typed_value_with_its_place() -> None:
    made, refusals = read_attributes(("birth date", "March 15, 1932"))
    (attribute,) = made.attributes
    assert attribute.predicate == EX + "birthDate"
    assert attribute.value == Literal("1932-03-15", XSD + "date")
    assert attribute.span.words == "March 15, 1932"
    assert attribute.span.start == 50 + TEXT.index("March")
    assert not refusals


def test_attributes_that_do_not_hold_are_refused_and_the_entity_stays() -> None:
    made, refusals = read_attributes(
        ("shoe size", "44"),
        ("birth date", "Wheeler"),
        ("birth date", "March 16, 1932"),
        ("cost", "375 million"),
        ("birth place", "Wheeler"),
    )
    assert made.attributes == ()
    assert refusals == [
        Refusal.UNKNOWN_PROPERTY,
        Refusal.WRONG_LITERAL,
        Refusal.NOT_IN_TEXT,
        Refusal.WRONG_DOMAIN,
        Refusal.WRONG_RANGE,
    ]


def test_the_entity_is_the_same_with_and_without_its_refusals() -> None:
    asked = AskedEntity(mention="Alan Bean", type=["Person", "Pilot"])
    made = read_entity_parts(asked, chunk_of(), SPACE, DOCUMENT)
    assert read_entity(asked, chunk_of(), SPACE, DOCUMENT) == made.entity
