"""Which things a text mentions, and their classes, without a model."""

import pytest

from assay.packs.graph.ontology.model import THING
from tests.packs.graph.plain_films import DOCUMENT, EX, read_text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We saw Leonardo da Vinci there.", "Leonardo da Vinci"),
        ("We met J. R. R. Tolkien there.", "J. R. R. Tolkien"),
        ("We read The Lord of the Rings.", "The Lord of the Rings"),
        ("We saw Toy Story 2 there.", "Toy Story 2"),
        ("No Time to Die was long.", "No Time to Die"),
        ("Soup's On was short.", "Soup's On"),
        ("200 Public Square was high.", "200 Public Square"),
        ("Pirates of the Caribbean: Dead Man's Chest was long.", None),
        ('They sang "Let it be" twice.', None),
        ("She won the Academy Award for Best Picture there.", "Academy Award for Best Picture"),
        ("They were at the University of California Press.", "University of California Press"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_name_is_found_whole(text: str, name: str | None) -> None:
    wanted = name or text.split('"')[1] if '"' in text else name or text.partition(" was")[0]
    assert wanted in {entity.name for entity in read_text(text).entities}


@pytest.mark.parametrize(
    "text",
    [
        "In the end nothing happened, however.",
        "It was on Monday in May.",
        "Founded early, they grew.",
    ],
)
def test_a_capital_alone_makes_no_name(text: str) -> None:
    assert read_text(text).entities == []


@pytest.mark.parametrize(
    ("text", "name", "types"),
    [
        ("Spirited Away is a 2001 Japanese animated film.", "Spirited Away", {"AnimatedFilm"}),
        ("Everybody saw the film Titanic.", "Titanic", {"Film"}),
        ("Brazil (film) was praised.", "Brazil", {"Film"}),
        ("Agnes Varda, a director, was praised.", "Agnes Varda", {"Person"}),
        ("They met the novelist Iris Murdoch.", "Iris Murdoch", {"Person"}),
        ("They live near the Sava River.", "Sava River", {"River"}),
        ("They study at the University of Zagreb.", "University of Zagreb", {"University"}),
        ("Ada Lovelace (born 1815) was praised.", "Ada Lovelace", {"Person"}),
        ("Berlin is the capital of Germany.", "Germany", {"Country"}),
        ("Berlin is the capital of Germany.", "Berlin", {"City"}),
    ],
)
def test_the_words_around_a_name_tell_its_class(text: str, name: str, types: set[str]) -> None:
    assert read_text(text).types()[name] == types


def test_where_nothing_tells_a_class_it_is_a_thing() -> None:
    (entity,) = read_text("They spoke of Gondwana.").entities
    assert entity.types == (THING,)
    assert entity.confidence < 0.5


def test_the_class_that_most_speaks_for_wins_where_relations_disagree() -> None:
    text = "Moonraker was written by Ian Fleming. Moonraker is a book."
    assert read_text(text).types()["Moonraker"] == {"Book"}


def test_all_mentions_of_a_thing_are_kept() -> None:
    text = "Dune is a book. Many read Dune."
    (dune,) = [one for one in read_text(text).entities if one.name == "Dune"]
    assert [(span.start, span.end, span.words) for span in dune.mentions] == [
        (0, 4, "Dune"),
        (26, 30, "Dune"),
    ]
    assert {span.document for span in dune.mentions} == {DOCUMENT}


def test_small_words_are_a_thing_where_a_property_leads_to_them() -> None:
    found = read_text("The genre of Alien is science fiction.")
    assert found.types()["science fiction"] == {"Genre"}
    assert "science fiction" not in read_text("They like science fiction.").types()


def test_every_type_is_the_most_specific_of_the_ontology() -> None:
    (film,) = read_text("Persepolis is an animated film.").entities
    assert film.types == (f"{EX}AnimatedFilm",)
