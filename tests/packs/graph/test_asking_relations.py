"""How an answer to the question for relations is checked."""

from dataclasses import replace

import pytest

from assay.packs.graph.asking import AskedRelation, read_relation
from assay.packs.graph.asking.relations import REVERSED_CONFIDENCE
from assay.packs.graph.ids import derive_relation_id
from assay.packs.graph.model import (
    Entity,
    Literal,
    Refusal,
    RefusedClaim,
    Relation,
    RelationVerdict,
)
from assay.packs.graph.ontology.model import XSD
from tests.packs.graph.asking_space import (
    DOCUMENT,
    EX,
    OTHER,
    SPACE,
    TEXT,
    chunk_of,
    make_claim,
    make_crew,
    make_entity,
)

BEAN, WHEELER, APOLLO, NASA, CONRAD = make_crew()
FIRST = "Alan Bean was born in Wheeler on March 15, 1932."


def read_claim(
    subject: str, property_: str, object_: str, quote: str = ""
) -> Relation | RefusedClaim:
    asked = make_claim(subject, property_, object_, quote)
    return read_relation(asked, chunk_of(), make_crew(), SPACE, DOCUMENT, "p/m")


def relation(subject: str, property_: str, object_: str, quote: str = "") -> Relation:
    found = read_claim(subject, property_, object_, quote)
    assert isinstance(found, Relation), found
    return found


def reason(subject: str, property_: str, object_: str) -> Refusal:
    found = read_claim(subject, property_, object_)
    assert isinstance(found, RefusedClaim), found
    return found.reason


def test_a_relation_has_its_ends_its_sentence_and_no_verdict() -> None:
    found = relation("E1", "birthPlace", "E2")
    assert (found.subject, found.predicate, found.object) == (
        BEAN.id,
        EX + "birthPlace",
        WHEELER.id,
    )
    assert found.id == derive_relation_id(BEAN.id, EX + "birthPlace", WHEELER.id)
    assert [quote.words for quote in found.quotes] == [FIRST]
    assert found.quotes[0].document == DOCUMENT
    assert (found.verdict, found.confidence, found.by) == (RelationVerdict.UNVERIFIED, 1.0, "p/m")


@pytest.mark.parametrize(
    "subject",
    [
        *("E1", "e1", "[E1]", "E 1", "1", "E1 Alan Bean", "E1: Alan Bean", "E1 (Astronaut)"),
        *("Alan Bean", "alan bean", '"Alan Bean"', "the Alan Bean"),
    ],
)
def test_an_entity_is_named_by_its_number_or_its_name(subject: str) -> None:
    assert relation(subject, "birth place", "Wheeler") == relation("E1", "birthPlace", "E2")


@pytest.mark.parametrize(
    "subject", ["E9", "E0", "9", "Neil Armstrong", "", "E2 Alan Bean", "E1, E2", "Person", "E-1"]
)
def test_what_is_no_entity_of_the_list_is_refused(subject: str) -> None:
    assert reason(subject, "birthPlace", "E2") is Refusal.NO_SUCH_ENTITY


def test_a_name_of_two_entities_is_neither() -> None:
    chunk = chunk_of()
    again = make_entity("Alan Bean", "Person", chunk)
    asked = make_claim("Alan Bean", "birthPlace", "Wheeler")
    found = read_relation(asked, chunk, [*make_crew(), again], SPACE, DOCUMENT, "m")
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.NO_SUCH_ENTITY


def test_the_name_of_two_things_is_no_value_either() -> None:
    chunk = chunk_of()
    again = make_entity("Wheeler", "Organisation", chunk)
    asked = make_claim("E1", "related", "Wheeler")
    found = read_relation(asked, chunk, [*make_crew(), again], SPACE, DOCUMENT, "m")
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.NO_SUCH_ENTITY


def test_a_name_that_looks_like_a_number_is_refused_where_it_means_another() -> None:
    chunk = chunk_of("Alan Bean drove on the E1 to Wheeler.")
    road, bean = make_entity("E1", "Place", chunk), make_entity("Alan Bean", "Person", chunk)
    here = [bean, road]
    asked = make_claim("E1", "birthPlace", "E2")
    found = read_relation(asked, chunk, here, SPACE, DOCUMENT, "m")
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.NO_SUCH_ENTITY
    right = read_relation(asked, chunk, [road, bean], SPACE, DOCUMENT, "m")
    assert isinstance(right, Relation)
    assert right.subject == bean.id


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("March 15, 1932", "1932-03-15"),
        ("1932-03-15", "1932-03-15"),
        ("15 March 1932", "1932-03-15"),
        ("1932", "1932-03-15"),
    ],
)
def test_a_value_is_typed_by_its_property_and_found_in_the_text(words: str, value: str) -> None:
    found = relation("E1", "birthDate", words)
    assert found.object == Literal(value, XSD + "date")
    assert [quote.words for quote in found.quotes] == [FIRST]


def test_a_part_of_a_value_is_taken_for_the_whole() -> None:
    for words in ("375 million dollars", "375 million", "375"):
        assert relation("E3", "cost", words).object == Literal("375000000", XSD + "decimal", "USD")


def test_a_part_of_a_value_of_another_kind_is_no_value() -> None:
    assert reason("E3", "cost", "15") is Refusal.NOT_IN_TEXT


@pytest.mark.parametrize(
    ("text", "predicate", "words", "value"),
    [
        ("Alan Bean slept in May 1969 and on 3 June 1969.", "birthDate", "1969", "1969"),
        ("Alan Bean slept on 3 June 1969; 1969 was long.", "birthDate", "1969", "1969"),
        ("Alan Bean cost 2.5 million and 2.5 billion.", "cost", "2.5", None),
        ("Alan Bean cost 2.5 million and 2.5 coins.", "cost", "2.5", "2.5"),
        ("Alan Bean cost 2.5 million, yes, 2.5 million.", "cost", "2.5", "2500000"),
    ],
)
def test_a_part_of_several_values_is_taken_where_nobody_can_doubt_it(
    text: str, predicate: str, words: str, value: str | None
) -> None:
    chunk = chunk_of(text)
    kind = "Person" if predicate == "birthDate" else "SpaceMission"
    here = [make_entity("Alan Bean", kind, chunk)]
    found = read_relation(make_claim("E1", predicate, words), chunk, here, SPACE, DOCUMENT, "m")
    if value is None:
        assert isinstance(found, RefusedClaim)
    else:
        assert isinstance(found, Relation)
        assert isinstance(found.object, Literal)
        assert found.object.value == value


def test_of_words_around_a_value_the_value_counts() -> None:
    chunk = chunk_of("Apollo 12 had a cost of 2,300 coins.")
    asked = make_claim("E1", "cost", "2,300 coins in all")
    mission = make_entity("Apollo 12", "SpaceMission", chunk)
    found = read_relation(asked, chunk, [mission], SPACE, DOCUMENT, "m")
    assert isinstance(found, Relation)
    assert found.object == Literal("2300", XSD + "decimal")


def test_a_value_that_is_an_entity_of_the_list_is_its_name() -> None:
    assert relation("E1", "nickname", "E5").object == Literal("Pete Conrad", XSD + "string")


def test_words_are_kept_as_the_text_has_them() -> None:
    assert relation("E1", "nickname", "“Bean”").object == Literal("Bean", XSD + "string")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("March 16, 1932", Refusal.NOT_IN_TEXT),
        ("1931", Refusal.NOT_IN_TEXT),
        ("Wheeler", Refusal.WRONG_LITERAL),
        ("Neil", Refusal.NOT_IN_TEXT),
        ("", Refusal.NOT_VALID),
    ],
)
def test_a_value_that_does_not_hold_is_refused(words: str, why: Refusal) -> None:
    assert reason("E1", "birthDate", words) is why


def test_a_thing_is_wanted_where_the_property_leads_to_one() -> None:
    assert reason("E1", "birthPlace", "March 15, 1932") is Refusal.NO_SUCH_ENTITY


def test_a_property_that_leads_anywhere_takes_things_and_words() -> None:
    assert relation("E1", "related", "NASA").object == NASA.id
    assert relation("E1", "related", "mission").object == Literal("mission", XSD + "string")


def test_the_ends_must_be_of_the_property_s_domain_and_range() -> None:
    assert reason("E3", "birthDate", "1932") is Refusal.WRONG_DOMAIN
    assert reason("E4", "birthPlace", "E2") is Refusal.WRONG_DOMAIN
    assert reason("E1", "birthPlace", "E4") is Refusal.WRONG_RANGE
    assert reason("E1", "knows", "E2") is Refusal.WRONG_RANGE


def test_super_classes_count_for_domain_and_range() -> None:
    assert isinstance(relation("E1", "employer", "E4"), Relation)


def test_ends_that_can_only_be_meant_the_other_way_round_are_turned_and_less_sure() -> None:
    turned = relation("E2", "birthPlace", "E1")
    assert turned == replace(relation("E1", "birthPlace", "E2"), confidence=REVERSED_CONFIDENCE)


def test_ends_of_one_kind_are_never_turned() -> None:
    assert relation("E5", "knows", "E1").subject == CONRAD.id
    assert relation("E1", "knows", "E5").subject == BEAN.id


def test_ends_are_not_turned_where_domain_and_range_share_a_class() -> None:
    predicate = EX + "employer"
    wide = replace(SPACE.properties[predicate], ranges=(EX + "Agent",))
    loose = replace(SPACE, properties={**SPACE.properties, predicate: wide})
    asked = make_claim("E4", "employer", "E1")
    found = read_relation(asked, chunk_of(), make_crew(), loose, DOCUMENT, "m")
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.WRONG_DOMAIN


def test_nothing_is_related_to_itself() -> None:
    assert reason("E1", "knows", "Alan Bean") is Refusal.NOT_VALID


def test_a_property_that_does_not_exist_is_refused_with_what_is_near() -> None:
    found = read_claim("E1", "birthPlac", "E2")
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.UNKNOWN_PROPERTY
    assert "birthPlace" in found.detail
    assert found.claim == "E1 | birthPlac | E2"


def test_a_property_is_looked_for_among_those_that_were_shown_first() -> None:
    asked = make_claim("E1", "name", "Bean")
    assert isinstance(read_claim("E1", "name", "Bean"), RefusedClaim)
    shown = [SPACE.properties[OTHER + "name"]]
    found = read_relation(asked, chunk_of(), make_crew(), SPACE, DOCUMENT, "m", shown)
    assert isinstance(found, Relation)
    assert found.predicate == OTHER + "name"


def test_ends_in_two_sentences_have_the_nearest_of_each() -> None:
    found = relation("E1", "flewOn", "E3")
    assert [quote.words for quote in found.quotes] == [
        FIRST,
        "He flew on Apollo 12, which NASA operated.",
    ]


def test_of_several_sentences_the_property_s_own_words_choose() -> None:
    text = "Alan Bean saw Wheeler. Alan Bean left Wheeler. The birth of Alan Bean was in Wheeler."
    chunk = chunk_of(text, start=7)
    here = [make_entity("Alan Bean", "Person", chunk), make_entity("Wheeler", "City", chunk)]
    asked = make_claim("E1", "birthPlace", "E2")
    found = read_relation(asked, chunk, here, SPACE, DOCUMENT, "m")
    assert isinstance(found, Relation)
    assert [quote.words for quote in found.quotes] == [
        "Alan Bean saw Wheeler.",
        "The birth of Alan Bean was in Wheeler.",
    ]
    assert found.quotes[0].start == 7


def test_the_model_s_own_quote_chooses_the_sentence_where_it_stands_in_the_text() -> None:
    text = "Alan Bean saw Wheeler. Alan Bean left Wheeler."
    chunk = chunk_of(text)
    here = [make_entity("Alan Bean", "Person", chunk), make_entity("Wheeler", "City", chunk)]

    def quoted(quote: str) -> list[str]:
        asked = make_claim("E1", "birthPlace", "E2", quote)
        found = read_relation(asked, chunk, here, SPACE, DOCUMENT, "m")
        assert isinstance(found, Relation)
        return [span.words for span in found.quotes]

    assert quoted("Alan Bean left Wheeler") == ["Alan Bean left Wheeler."]
    both = ["Alan Bean saw Wheeler.", "Alan Bean left Wheeler."]
    assert quoted("Alan Bean was born in Wheeler") == both
    assert quoted("Alan Bean") == both


def test_an_entity_of_elsewhere_must_stand_in_this_text_too() -> None:
    far = replace(
        make_entity("Houston", "City", chunk_of("In Houston.", start=5000)),
    )
    found = read_relation(
        make_claim("E1", "birthPlace", "E2"), chunk_of(), [BEAN, far], SPACE, DOCUMENT, "m"
    )
    assert isinstance(found, RefusedClaim)
    assert found.reason is Refusal.NOT_IN_TEXT


def test_quotes_are_places_of_the_whole_text() -> None:
    chunk = chunk_of(start=300)
    found = read_relation(
        make_claim("E1", "flewOn", "E3"), chunk, make_crew(chunk), SPACE, DOCUMENT, "m"
    )
    assert isinstance(found, Relation)
    whole = "x" * 300 + TEXT
    assert all(whole[quote.start : quote.end] == quote.words for quote in found.quotes)


def test_other_names_of_the_fields_and_numbers_are_read() -> None:
    asked = AskedRelation.model_validate({"subject": 1, "predicate": "cost", "value": 375})
    assert (asked.subject, asked.property, asked.object) == ("1", "cost", "375")


def test_entities_are_numbered_in_the_order_of_the_request() -> None:
    turned: list[Entity] = list(reversed(make_crew()))
    asked = make_claim("E5", "birthPlace", "E4")
    found = read_relation(asked, chunk_of(), turned, SPACE, DOCUMENT, "m")
    assert isinstance(found, Relation)
    assert (found.subject, found.object) == (BEAN.id, WHEELER.id)
