"""What examples teach the extractor, and what they do not."""

import json
import pickle
from dataclasses import asdict

import pytest

from assay.packs.graph.pattern_extractor import (
    GraphExample,
    LearnedCues,
    learn_examples,
    write_as_examples,
)
from tests.packs.graph.plain_films import EX, FILMS, read_text

_PEOPLE = ("Ann Lee", "Bob Ray", "Cy Dunn", "Di Fox", "Ed Gill", "Flo Hart", "Gus Ives", "Ida Jay")
_NAMES = ("Alpha", "Bravo", "Cargo", "Delta", "Extra", "Forum", "Gamma", "Hotel")


def make_examples() -> list[GraphExample]:
    """`helmed by` says `directedBy`, and `seen with` says nothing."""
    told = [
        GraphExample(
            f"{film} Night was helmed by {person} in spring.",
            ((f"{film} Night", "directedBy", person),),
        )
        for film, person in zip(_NAMES, _PEOPLE, strict=True)
    ]
    untold = [
        GraphExample(
            f"{film} Night was helmed by {person} and seen with {other} in May.",
            ((f"{film} Night", "directedBy", person),),
        )
        for film, person, other in zip(_NAMES, _PEOPLE, _PEOPLE[1:] + _PEOPLE[:1], strict=True)
    ]
    return [*told, *untold]


@pytest.fixture(scope="module")
def taught() -> LearnedCues:
    return learn_examples(make_examples(), FILMS)


def test_words_that_no_table_has_are_learned(taught: LearnedCues) -> None:
    text = "Solaris Dawn was helmed by Kim Park in spring."
    assert read_text(text).said() == set()
    assert read_text(text, taught).said() == {("Solaris Dawn", "directedBy", "Kim Park")}


def test_what_the_examples_leave_out_is_left_out(taught: LearnedCues) -> None:
    text = "Solaris Dawn was helmed by Kim Park and seen with Lou Moss in May."
    assert read_text(text, taught).said() == {("Solaris Dawn", "directedBy", "Kim Park")}


def test_ends_of_a_learned_relation_have_its_classes(taught: LearnedCues) -> None:
    types = read_text("Solaris Dawn was helmed by Kim Park in spring.", taught).types()
    assert types == {"Solaris Dawn": {"Film"}, "Kim Park": {"Person"}}


def test_a_property_may_be_named_by_its_iri() -> None:
    by_iri = [
        GraphExample(one.text, tuple((s, f"{EX}directedBy", o) for s, _, o in one.triples))
        for one in make_examples()
    ]
    assert learn_examples(by_iri, FILMS) == learn_examples(make_examples(), FILMS)


def test_cues_still_tell_properties_without_examples(taught: LearnedCues) -> None:
    text = "Paris is the capital of France."
    assert read_text(text, taught).said() == {("France", "capital", "Paris")}


def test_small_words_of_examples_are_found_again() -> None:
    examples = [
        GraphExample(f"{film} Road is a {genre} film.", ((f"{film} Road", "genre", genre),))
        for film in _NAMES
        for genre in ("space opera", "slapstick")
    ]
    told = learn_examples(examples, FILMS)
    found = read_text("Juliet Road is a space opera film.", told)
    assert ("Juliet Road", "genre", "space opera") in found.said()
    assert found.types()["space opera"] == {"Genre"}


def test_values_stay_as_the_text_has_them() -> None:
    examples = [
        GraphExample(
            f"{film} Lane reached cinemas {1990 + at}.",
            ((f"{film} Lane", "release date", f"01 January {1990 + at}"),),
        )
        for at, film in enumerate(_NAMES)
    ]
    told = learn_examples(examples, FILMS)
    assert ("Kilo Lane", "released", "2005") in read_text(
        "Kilo Lane reached cinemas 2005.", told
    ).said()


def test_other_words_for_a_thing_are_learned_for_those_who_compare() -> None:
    examples = [
        GraphExample(
            f"{person} is a Ruritanian painter.",
            ((person, "place of birth", "Kingdom of Zenda"),),
        )
        for person in _PEOPLE
    ]
    told = learn_examples(examples, FILMS)
    assert write_as_examples(told, f"{EX}birthPlace", "Kim Park", "Ruritanian") == (
        "Kim Park",
        "Kingdom of Zenda",
    )
    assert write_as_examples(told, f"{EX}capital", "Kim Park", "Ruritanian") == (
        "Kim Park",
        "Ruritanian",
    )


def test_what_was_learned_is_plain_and_the_same_every_time(taught: LearnedCues) -> None:
    again = learn_examples(make_examples(), FILMS)
    assert again == taught
    assert again.key == taught.key
    assert pickle.loads(pickle.dumps(taught)) == taught
    assert json.loads(json.dumps(asdict(taught)))["base"] == taught.base


@pytest.mark.parametrize(
    "examples",
    [
        [],
        [GraphExample("", ())],
        [GraphExample("Dune.", (("Dune", "no such property", "Frank Herbert"),))],
        [GraphExample("Nothing of it is here.", (("Dune", "author", "Frank Herbert"),))],
        [GraphExample("Dune by Frank.", (("", "author", ""), ("Dune", "author", "   ")))],
    ],
)
def test_examples_that_teach_nothing_change_nothing(examples: list[GraphExample]) -> None:
    told = learn_examples(examples, FILMS)
    text = "Alien was directed by Ridley Scott."
    assert read_text(text, told).said() == read_text(text).said()
