"""A relation is grounded if its words are found in the text and the ontology allows it."""

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


def span_of(words: str) -> TextSpan:
    start = TEXT.index(words)
    return TextSpan(start, start + len(words), words, "d1")


def make_thing(name: str, kind: str) -> Entity:
    return replace(entity(name, kind), mentions=(span_of(name),))


JOHN, LONDON = make_thing("John Smith", "Scientist"), make_thing("London", "Place")
ACME, PARIS = make_thing("Acme Corp.", "Company"), make_thing("Paris", "Place")
ENTITIES = {each.id: each for each in (JOHN, LONDON, ACME, PARIS)}
BORN = "He was born in London on 5 May 1950."


def make_relation(
    subject: Entity, predicate: str, object_: Entity | Literal, *quotes: TextSpan
) -> Relation:
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


def check_verdict(relation: Relation) -> RelationVerdict:
    told = check_relation(relation, ENTITIES, ONTOLOGY, TEXTS)
    assert replace(told, verdict=relation.verdict) == relation
    return told.verdict


def test_a_subject_in_the_sentence_before_will_do() -> None:
    assert (
        check_verdict(make_relation(JOHN, "bornIn", LONDON, span_of(BORN)))
        is RelationVerdict.GROUNDED
    )


@pytest.mark.parametrize(
    ("predicate", "value", "quote"),
    [
        ("bornOn", Literal("1950-05-05", XSD + "date"), BORN),
        ("bornOn", Literal("1950", XSD + "gYear"), BORN),
    ],
)
def test_a_value_that_stands_in_the_quote(predicate: str, value: Literal, quote: str) -> None:
    assert (
        check_verdict(make_relation(JOHN, predicate, value, span_of(quote)))
        is RelationVerdict.GROUNDED
    )


def test_a_measure_and_words() -> None:
    near = replace(JOHN, mentions=(*JOHN.mentions, span_of("He is"), span_of("His motto")))
    tall = make_relation(
        near, "height", Literal("1.9", XSD + "decimal", "m"), span_of("He is 1.90 m tall.")
    )
    bare = make_relation(
        near, "height", Literal("1.9", XSD + "decimal"), span_of("He is 1.90 m tall.")
    )
    feet = make_relation(
        near, "height", Literal("1.9", XSD + "decimal", "[ft_i]"), span_of("He is 1.90 m tall.")
    )
    motto = make_relation(
        near, "motto", Literal("look twice", XSD + "string"), span_of("His motto is “Look  twice”.")
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
        pytest.param(make_relation(JOHN, "bornIn", LONDON), id="no quote"),
        pytest.param(
            make_relation(JOHN, "bornIn", LONDON, replace(span_of(BORN), start=3)),
            id="another place",
        ),
        pytest.param(
            make_relation(JOHN, "bornIn", LONDON, replace(span_of(BORN), document="d2")),
            id="another text",
        ),
        pytest.param(
            make_relation(JOHN, "bornIn", LONDON, span_of(BORN), TextSpan(0, 4, "Jane", "d1")),
            id="one quote is wrong",
        ),
        pytest.param(make_relation(JOHN, "bornIn", PARIS, span_of(BORN)), id="object is elsewhere"),
        pytest.param(make_relation(ACME, "knows", LONDON, span_of(BORN)), id="subject is far away"),
        pytest.param(
            make_relation(JOHN, "knows", LONDON, span_of("is a chemist")), id="no end in the quote"
        ),
        pytest.param(
            make_relation(ACME, "bornIn", PARIS, span_of("Acme Corp. is in Paris.")),
            id="not of this kind",
        ),
        pytest.param(make_relation(JOHN, "likes", LONDON, span_of(BORN)), id="unknown property"),
        pytest.param(
            make_relation(JOHN, "bornOn", Literal("1951", XSD + "gYear"), span_of(BORN)),
            id="another value",
        ),
        pytest.param(
            make_relation(JOHN, "bornOn", Literal("5", XSD + "integer"), span_of(BORN)),
            id="another datatype",
        ),
        pytest.param(
            make_relation(JOHN, "bornIn", Literal("London", XSD + "string"), span_of(BORN)),
            id="takes entities",
        ),
        pytest.param(
            make_relation(entity("Nobody", "Person"), "bornIn", LONDON, span_of(BORN)), id="nobody"
        ),
        pytest.param(
            make_relation(JOHN, "bornIn", entity("Rome", "Place"), span_of(BORN)), id="nowhere"
        ),
    ],
)
def test_what_does_not_hold_is_ungrounded(relation: Relation) -> None:
    assert check_verdict(relation) is RelationVerdict.UNGROUNDED


def test_a_text_without_sentences_grounds_nothing() -> None:
    quote = TextSpan(0, 0, "", "d3")
    told = check_relation(
        make_relation(JOHN, "bornIn", LONDON, quote), ENTITIES, ONTOLOGY, {"d3": ""}
    )
    assert told.verdict is RelationVerdict.UNGROUNDED
