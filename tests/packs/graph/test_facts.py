"""Relations as claims: the quote contains the value, or the gates refuse it with a reason."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.content import ContentClass
from assay.packs.graph.facts import MOST_UNVERIFIED, propose_facts
from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import (
    DETERMINISTIC,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import XSD, Ontology, Property, Takes
from assay.packs.graph.predicates import (
    VALUE_TYPES,
    name_predicates,
    read_tiers,
    slug_of,
    value_types_of,
)
from assay.reading.result import Reading
from assay.ruling.declaration import Facts, Predicate
from assay.ruling.facts.gates import AcceptedFact, RejectedFact, check_proposal

NS = "urn:test#"
TEXT = (
    "Dr. Ivana Horvat founded Acme d.o.o. in 1998. She was born in Zagreb on 3 May 1961. "
    "Horvat's Acme employs 1,250 people and its tower is 82.5 m tall. It lasted 30 days."
)


def literal_property(name: str, datatype: str, *, functional: bool = False) -> Property:
    return Property(
        iri=f"{NS}{name}",
        label=name,
        takes=Takes.LITERAL,
        datatype=f"{XSD}{datatype}",
        functional=functional,
    )


ONTOLOGY = Ontology(
    key="k",
    properties={
        p.iri: p
        for p in (
            Property(iri=f"{NS}founderOf", label="founder of", takes=Takes.ENTITY),
            Property(iri=f"{NS}bornIn", label="born in", takes=Takes.ENTITY, functional=True),
            literal_property("founded", "gYear", functional=True),
            literal_property("birthday", "date", functional=True),
            literal_property("employees", "integer"),
            literal_property("height", "decimal"),
            literal_property("lasted", "duration"),
            literal_property("active", "boolean"),
        )
    },
)
NAMED = name_predicates(ONTOLOGY)
PACK = Facts(
    name="test",
    version="1",
    title="Test",
    domains={"graph": "graph"},
    value_types=VALUE_TYPES,
    predicates={
        slug: Predicate(slug, "T2", value_types_of(ONTOLOGY.properties[iri]), {})
        for iri, slug in NAMED.items()
    },
    confidence_floor=0.5,
    folder=None,  # type: ignore[arg-type]
)
READING = Reading(content_class=ContentClass.HTML, text=TEXT, pages=())


def span(words: str, nth: int = 0) -> TextSpan:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return TextSpan(start, start + len(words), words, "doc")


def entity(name: str, *mentions: TextSpan) -> Entity:
    types = (f"{NS}Thing",)
    return Entity(id=derive_entity_id(name, types), name=name, types=types, mentions=mentions)


IVANA = entity("Dr. Ivana Horvat", span("Dr. Ivana Horvat"), span("Horvat", 1))
ACME = entity("Acme d.o.o.", span("Acme d.o.o."), span("Acme", 1))
ZAGREB = entity("Zagreb", span("Zagreb"))
FIRST, SECOND, THIRD, LAST = (
    span("Dr. Ivana Horvat founded Acme d.o.o. in 1998."),
    span("She was born in Zagreb on 3 May 1961."),
    span("Horvat's Acme employs 1,250 people and its tower is 82.5 m tall."),
    span("It lasted 30 days."),
)


def relation(
    subject: Entity, name: str, value: Entity | Literal, *quotes: TextSpan, **more: object
) -> Relation:
    object_ = value if isinstance(value, Literal) else value.id
    return Relation(
        id=derive_relation_id(subject.id, f"{NS}{name}", object_),
        subject=subject.id,
        predicate=f"{NS}{name}",
        object=object_,
        quotes=quotes,
        **{"verdict": RelationVerdict.GROUNDED, "confidence": 0.97, **more},  # type: ignore[arg-type]
    )


def claims(*relations: Relation) -> list[tuple[str, str, str, str]]:
    graph = Graph(entities=(IVANA, ACME, ZAGREB), relations=relations)
    return [
        (f"{p.subject}.{p.predicate}", p.value, p.value_type, p.unit)
        for p in propose_facts(graph, ONTOLOGY, TEXT)
    ]


def verdicts(*relations: Relation) -> list[AcceptedFact | RejectedFact]:
    graph = Graph(entities=(IVANA, ACME, ZAGREB), relations=relations)
    return [check_proposal(p, READING, PACK) for p in propose_facts(graph, ONTOLOGY, TEXT)]


@pytest.mark.parametrize(
    ("name", "value", "quote", "told"),
    [
        ("bornIn", ZAGREB, SECOND, ("born_in", "Zagreb", "name", "")),
        ("founderOf", ACME, FIRST, ("founder_of", "Acme d.o.o.", "name", "")),
        ("founded", Literal("1998", f"{XSD}gYear"), FIRST, ("founded", "1998", "year", "")),
        (
            "birthday",
            Literal("1961-05-03", f"{XSD}date"),
            SECOND,
            ("birthday", "1961-05-03", "date", ""),
        ),
        (
            "employees",
            Literal("1250", f"{XSD}integer"),
            THIRD,
            ("employees", "1250", "number", ""),
        ),
        (
            "height",
            Literal("82.50", f"{XSD}decimal", "m"),
            THIRD,
            ("height", "82.5", "number", "m"),
        ),
        ("lasted", Literal("P30D", f"{XSD}duration"), LAST, ("lasted", "30", "number", "days")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_relation_is_a_claim_whose_value_stands_in_its_quote(
    name: str, value: Entity | Literal, quote: TextSpan, told: tuple[str, str, str, str]
) -> None:
    stated = relation(IVANA, name, value, quote)
    assert claims(stated) == [(f"dr_ivana_horvat.{told[0]}", *told[1:])]
    (verdict,) = verdicts(stated)
    assert isinstance(verdict, AcceptedFact), verdict
    assert TEXT[verdict.start : verdict.end] == verdict.quote == quote.words


def test_the_value_is_the_mention_that_stands_in_the_quote() -> None:
    assert claims(relation(IVANA, "founderOf", ACME, THIRD)) == [
        ("dr_ivana_horvat.founder_of", "Acme", "name", "")
    ]


def test_each_sentence_that_states_it_is_a_claim_of_its_own() -> None:
    told = claims(relation(IVANA, "founderOf", ACME, FIRST, THIRD))
    assert [value for _, value, _, _ in told] == ["Acme d.o.o.", "Acme"]


def test_a_sentence_without_the_value_bears_nothing_out_if_another_does() -> None:
    assert len(claims(relation(IVANA, "founderOf", ACME, FIRST, SECOND))) == 1


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("founderOf", ACME, "VALUE_NOT_IN_QUOTE"),
        ("founded", Literal("1999", f"{XSD}gYear"), "VALUE_NOT_IN_QUOTE"),
        ("active", Literal("true", f"{XSD}boolean"), "VALUE_NOT_IN_QUOTE"),
        ("height", Literal("3", f"{XSD}decimal", "m"), "VALUE_NOT_IN_QUOTE"),
        ("founded", Literal("-0044", f"{XSD}gYear"), "INVALID_DATE"),
    ],
)
def test_what_does_not_stand_in_its_quote_is_kept_with_the_reason(
    name: str, value: Entity | Literal, reason: str
) -> None:
    (verdict,) = verdicts(relation(IVANA, name, value, SECOND))
    assert isinstance(verdict, RejectedFact)
    assert verdict.reason.value == reason


def test_what_was_found_ungrounded_is_not_claimed() -> None:
    stated = relation(IVANA, "bornIn", ZAGREB, SECOND)
    assert claims(replace(stated, verdict=RelationVerdict.UNGROUNDED)) == []
    assert claims(replace(stated, predicate=f"{NS}unknown")) == []
    assert claims(replace(stated, subject="en_nobody")) == []
    assert claims(replace(stated, object="en_nobody")) == []


@pytest.mark.parametrize(
    ("verdict", "by", "confidence"),
    [
        (RelationVerdict.GROUNDED, "model", 0.97),
        (RelationVerdict.UNVERIFIED, "model", MOST_UNVERIFIED),
        (RelationVerdict.UNVERIFIED, DETERMINISTIC, 0.97),
    ],
)
def test_what_a_model_says_and_nobody_verified_always_needs_a_person(
    verdict: RelationVerdict, by: str, confidence: float
) -> None:
    stated = relation(IVANA, "bornIn", ZAGREB, SECOND, verdict=verdict, by=by)
    (claim,) = propose_facts(Graph(entities=(IVANA, ZAGREB), relations=(stated,)), ONTOLOGY, TEXT)
    assert claim.confidence == confidence
    # Further sources add at most a tenth.
    assert PACK.approval_floor > MOST_UNVERIFIED + 0.1


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Đuro Šimić", "duro_simic"),
        ("Acme d.o.o.", "acme_d_o_o"),
        ("Straße 7", "strasse_7"),
        ("東京", "東京"),
        ("…", ""),
    ],
)
def test_slugs(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_long_names_with_one_beginning_stay_apart() -> None:
    one, other = slug_of("a" * 90 + "b"), slug_of("a" * 90 + "c")
    assert one != other
    assert len(one) == len(other) == 80


LABELS = st.lists(st.text(max_size=12), min_size=1, max_size=8)


@given(LABELS, st.randoms())
def test_every_property_has_one_predicate_whatever_the_order(
    labels: list[str], random: object
) -> None:
    known = [Property(iri=f"{NS}{number}", label=label) for number, label in enumerate(labels)]
    shuffled = list(known)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    named = name_predicates(Ontology(key="k", properties={p.iri: p for p in known}))
    again = name_predicates(Ontology(key="k", properties={p.iri: p for p in shuffled}))
    assert named == again
    assert len(set(named.values())) == len(known)
    for slug in named.values():
        assert slug[0].isalpha() and slug.isascii() and slug == slug.lower()
        assert slug.replace("_", "").isalnum() and len(slug) <= 80


def test_of_two_properties_with_one_label_the_first_by_address_has_the_plain_name() -> None:
    known = {iri: Property(iri=iri, label="Name") for iri in ("urn:b", "urn:a", "urn:c")}
    taken = {"urn:d": Property(iri="urn:d", label="name 2")}
    assert name_predicates(Ontology(key="k", properties={**known, **taken})) == {
        "urn:a": "name",
        "urn:b": "name_2",
        "urn:c": "name_3",
        "urn:d": "name_2_2",
    }


def test_tiers_are_told_by_an_annotation() -> None:
    turtle = (
        "@prefix v: <urn:assay:vocabulary#> . <urn:p> v:tier 'T3', 'T1' . <urn:q> v:tier 'T0' ."
    )
    assert read_tiers(turtle.encode(), "x.ttl") == {"urn:p": "T1", "urn:q": "T0"}
    assert read_tiers(b"<urn:p> a <urn:q> .", "x.ttl") == {}
