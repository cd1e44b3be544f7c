"""A relation is grounded where its words stand in the text and the ontology allows it."""

from dataclasses import replace

import pytest

from assay.packs.graph.ids import derive_relation_id
from assay.packs.graph.merging import check_relation
from assay.packs.graph.model import Entity, Literal, Relation, RelationVerdict, TextSpan
from assay.packs.graph.ontology.model import XSD
from tests.packs.graph.merging_examples import ONTOLOGY, entity, iri

TEXT = (
    "John Smith is a chemist. He was born in London on 5 May 1950. "
    "His motto is “Look  twice”. He is 1.90 m tall. Acme Corp. is in Paris."
)
TEXTS = {"d1": TEXT}


def at(words: str) -> TextSpan:
    start = TEXT.index(words)
    return TextSpan(start, start + len(words), words, "d1")


def thing(name: str, kind: str) -> Entity:
    return replace(entity(name, kind), mentions=(at(name),))


JOHN, LONDON = thing("John Smith", "Scientist"), thing("London", "Place")
ACME, PARIS = thing("Acme Corp.", "Company"), thing("Paris", "Place")
ENTITIES = {each.id: each for each in (JOHN, LONDON, ACME, PARIS)}
BORN = "He was born in London on 5 May 1950."


def said(subject: Entity, predicate: str, object_: Entity | Literal, *quotes: TextSpan) -> Relation:
    end = object_ if isinstance(object_, Literal) else object_.id
    return Relation(
        id=derive_relation_id(subject.id, iri(predicate), end),
        subject=subject.id,
        predicate=iri(predicate),
        object=end,
        quotes=quotes,
        verdict=RelationVerdict.UNVERIFIED,
        confidence=0.7,
    )


def verdict(relation: Relation) -> RelationVerdict:
    told = check_relation(relation, ENTITIES, ONTOLOGY, TEXTS)
    assert replace(told, verdict=relation.verdict) == relation
    return told.verdict


def test_a_subject_in_the_sentence_before_will_do() -> None:
    assert verdict(said(JOHN, "bornIn", LONDON, at(BORN))) is RelationVerdict.GROUNDED


@pytest.mark.parametrize(
    ("predicate", "value", "quote"),
    [
        ("bornOn", Literal("1950-05-05", XSD + "date"), BORN),
        ("bornOn", Literal("1950", XSD + "gYear"), BORN),
    ],
)
def test_a_value_that_stands_in_the_quote(predicate: str, value: Literal, quote: str) -> None:
    assert verdict(said(JOHN, predicate, value, at(quote))) is RelationVerdict.GROUNDED


def test_a_measure_and_words() -> None:
    near = replace(JOHN, mentions=(*JOHN.mentions, at("He is"), at("His motto")))
    tall = said(near, "height", Literal("1.9", XSD + "decimal", "m"), at("He is 1.90 m tall."))
    bare = said(near, "height", Literal("1.9", XSD + "decimal"), at("He is 1.90 m tall."))
    feet = said(near, "height", Literal("1.9", XSD + "decimal", "[ft_i]"), at("He is 1.90 m tall."))
    motto = said(
        near, "motto", Literal("look twice", XSD + "string"), at("His motto is “Look  twice”.")
    )
    told = [
        check_relation(each, {near.id: near}, ONTOLOGY, TEXTS).verdict
        for each in (tall, bare, motto)
    ]
    assert told == [RelationVerdict.GROUNDED] * 3
    assert (
        check_relation(feet, {near.id: near}, ONTOLOGY, TEXTS).verdict is RelationVerdict.UNGROUNDED
    )


@pytest.mark.parametrize(
    "relation",
    [
        pytest.param(said(JOHN, "bornIn", LONDON), id="no quote"),
        pytest.param(said(JOHN, "bornIn", LONDON, replace(at(BORN), start=3)), id="another place"),
        pytest.param(
            said(JOHN, "bornIn", LONDON, replace(at(BORN), document="d2")), id="another text"
        ),
        pytest.param(
            said(JOHN, "bornIn", LONDON, at(BORN), TextSpan(0, 4, "Jane", "d1")),
            id="one quote is wrong",
        ),
        pytest.param(said(JOHN, "bornIn", PARIS, at(BORN)), id="object is elsewhere"),
        pytest.param(said(ACME, "knows", LONDON, at(BORN)), id="subject is far away"),
        pytest.param(said(JOHN, "knows", LONDON, at("is a chemist")), id="no end in the quote"),
        pytest.param(
            said(ACME, "bornIn", PARIS, at("Acme Corp. is in Paris.")), id="not of this kind"
        ),
        pytest.param(said(JOHN, "likes", LONDON, at(BORN)), id="unknown property"),
        pytest.param(
            said(JOHN, "bornOn", Literal("1951", XSD + "gYear"), at(BORN)), id="another value"
        ),
        pytest.param(
            said(JOHN, "bornOn", Literal("5", XSD + "integer"), at(BORN)), id="another datatype"
        ),
        pytest.param(
            said(JOHN, "bornIn", Literal("London", XSD + "string"), at(BORN)), id="takes entities"
        ),
        pytest.param(said(entity("Nobody", "Person"), "bornIn", LONDON, at(BORN)), id="nobody"),
        pytest.param(said(JOHN, "bornIn", entity("Rome", "Place"), at(BORN)), id="nowhere"),
    ],
)
def test_what_does_not_hold_is_ungrounded(relation: Relation) -> None:
    assert verdict(relation) is RelationVerdict.UNGROUNDED


def test_a_text_without_sentences_grounds_nothing() -> None:
    quote = TextSpan(0, 0, "", "d3")
    told = check_relation(said(JOHN, "bornIn", LONDON, quote), ENTITIES, ONTOLOGY, {"d3": ""})
    assert told.verdict is RelationVerdict.UNGROUNDED
