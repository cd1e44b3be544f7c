"""What sentences say, by cues and by the names of properties, without a model."""

import pytest

from assay.packs.graph.model import DETERMINISTIC, Literal, RelationVerdict
from assay.packs.graph.ontology.model import XSD
from assay.packs.graph.pattern_extractor import find_relations
from tests.packs.graph.plain_films import DOCUMENT, EX, FILMS, make_chunk, read_text

Said = set[tuple[str, str, str]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Spirited Away is a 2001 animated film directed by Hayao Miyazaki.",
            {
                ("Spirited Away", "directedBy", "Hayao Miyazaki"),
                ("Spirited Away", "released", "2001"),
            },
        ),
        (
            "Spirited Away was directed by Japanese director Hayao Miyazaki.",
            {("Spirited Away", "directedBy", "Hayao Miyazaki")},
        ),
        (
            "Hayao Miyazaki directed Spirited Away and Princess Mononoke.",
            {
                ("Spirited Away", "directedBy", "Hayao Miyazaki"),
                ("Princess Mononoke", "directedBy", "Hayao Miyazaki"),
            },
        ),
        (
            "Written and directed by Sofia Coppola, Lost in Translation was released in 2003.",
            {
                ("Lost in Translation", "directedBy", "Sofia Coppola"),
                ("Lost in Translation", "released", "2003"),
            },
        ),
        (
            "The film Titanic stars Leonardo DiCaprio, Kate Winslet and Billy Zane.",
            {
                ("Titanic", "starring", "Leonardo DiCaprio"),
                ("Titanic", "starring", "Kate Winslet"),
                ("Titanic", "starring", "Billy Zane"),
            },
        ),
        ("Frank Herbert wrote Dune.", {("Dune", "author", "Frank Herbert")}),
        ('"Dune" is a book by Frank Herbert.', {("Dune", "author", "Frank Herbert")}),
        (
            "Marie Curie was married to Pierre Curie.",
            {("Marie Curie", "spouse", "Pierre Curie")},
        ),
        ("ETH Zurich is located in Zurich.", {("ETH Zurich", "location", "Zurich")}),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_active_and_passive_lead_the_right_way(text: str, said: Said) -> None:
    assert read_text(text).said() == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The capital of France is Paris.", {("France", "capital", "Paris")}),
        ("Paris is the capital of France.", {("France", "capital", "Paris")}),
        ("Paris, the capital of France, is old.", {("France", "capital", "Paris")}),
        ("The genre of Alien is science fiction.", {("Alien", "genre", "science fiction")}),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_a_property_that_is_a_noun_is_read_around_it(text: str, said: Said) -> None:
    assert read_text(text).said() == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The Danube is 2850 km long.", {("Danube", "length", "2850")}),
        ("The Rhine has a length of 1,230 kilometres.", {("Rhine", "length", "1230")}),
        ("Paris has a population of 2,102,650.", {("Paris", "population", "2102650")}),
        ("Oxford University was established in 1096.", None),
        (
            "Ada Lovelace was born in London on 10 December 1815.",
            {
                ("Ada Lovelace", "birthPlace", "London"),
                ("Ada Lovelace", "birthDate", "1815-12-10"),
            },
        ),
        (
            "Ada Lovelace was born on 10 December 1815 in London.",
            {
                ("Ada Lovelace", "birthPlace", "London"),
                ("Ada Lovelace", "birthDate", "1815-12-10"),
            },
        ),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_values_are_read_as_the_property_has_them(text: str, said: Said | None) -> None:
    assert read_text(text).said() == (said or {("Oxford University", "established", "1096")})


def test_a_description_tells_what_somebody_does() -> None:
    text = "Tove Hall (born 1971) is a Finnish ski jumper."
    assert ("Tove Hall", "occupation", "ski jumper") in read_text(text).said()


def test_the_object_may_stand_right_before_the_noun() -> None:
    assert read_text("Alpha Nine has an Otto engine.").said() == {("Alpha Nine", "engine", "Otto")}


def test_a_value_has_the_datatype_of_its_property() -> None:
    (relation,) = read_text("Dune is a film. Dune was released in 2021.").relations
    assert relation.object == Literal("2021", f"{XSD}gYear")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Dune was written by Frank Herbert. He was born in Tacoma.",
            ("Frank Herbert", "birthPlace", "Tacoma"),
        ),
        (
            "Oxford University is old. The university has 26,000 students.",
            ("Oxford University", "students", "26000"),
        ),
        (
            "Oxford University is old. Its rector is Irene Tracey.",
            ("Oxford University", "rector", "Irene Tracey"),
        ),
        ("Dune was praised. The film stars Zendaya.", ("Dune", "starring", "Zendaya")),
    ],
)
def test_stand_ins_stand_for_what_was_named(text: str, said: tuple[str, str, str]) -> None:
    assert said in read_text(text).said()


def test_a_thing_of_an_earlier_chunk_is_the_topic_of_a_later_one() -> None:
    text = "Oxford University is old. " + "It rained a lot there. " * 12 + "Its rector is Ada Hill."
    found = read_text(text, most=200)
    assert ("Oxford University", "rector", "Ada Hill") in found.said()


@pytest.mark.parametrize(
    "text",
    [
        "Paris and France were mentioned.",
        "Paris is larger than Lyon.",
        "The Director stars nobody.",
        "Frank Herbert met Beverly Stuart.",
    ],
)
def test_nothing_is_said_without_a_cue(text: str) -> None:
    assert read_text(text).relations == []


def test_what_stands_in_brackets_is_not_what_is_spoken_of() -> None:
    text = "Alien (also shown as Xenos) was directed by Ridley Scott."
    assert read_text(text).said() == {("Alien", "directedBy", "Ridley Scott")}


def test_classes_that_do_not_fit_rule_a_relation_out() -> None:
    text = "The river Sava was directed by Ridley Scott."
    assert read_text(text).relations == []


def test_only_properties_that_were_asked_for_are_told() -> None:
    text = "Alien was directed by Ridley Scott and released in 1979."
    found = read_text(text)
    wanted = [FILMS.properties[f"{EX}released"]]
    told = find_relations(make_chunk(text), found.entities, wanted, FILMS, DOCUMENT)
    assert [one.predicate for one in told] == [f"{EX}released"]


def test_only_entities_that_were_given_are_spoken_of() -> None:
    text = "Alien was directed by Ridley Scott."
    found = read_text(text)
    alone = [one for one in found.entities if one.name == "Alien"]
    properties = list(FILMS.properties.values())
    assert find_relations(make_chunk(text), alone, properties, FILMS, DOCUMENT) == []


def test_a_relation_quotes_each_sentence_that_states_it() -> None:
    first = "Alien was directed by Ridley Scott."
    second = "Ridley Scott directed Alien."
    text = f"{first} {second}"
    (relation,) = read_text(text).relations
    assert [quote.words for quote in relation.quotes] == [first, second]
    assert all(text[one.start : one.end] == one.words for one in relation.quotes)
    assert relation.verdict is RelationVerdict.UNVERIFIED
    assert relation.by == DETERMINISTIC


def test_what_is_said_of_it_is_quoted_from_where_it_is_named() -> None:
    text = "Dune is a film. It was praised a lot. The film stars Zendaya."
    (relation,) = read_text(text).relations
    assert [quote.words for quote in relation.quotes] == [text]


def test_what_is_said_right_after_the_name_is_quoted_alone() -> None:
    text = "Dune is a film. The film stars Zendaya."
    (relation,) = read_text(text).relations
    assert [quote.words for quote in relation.quotes] == ["The film stars Zendaya."]
