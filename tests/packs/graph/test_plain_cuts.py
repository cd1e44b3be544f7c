"""How examples cut their names and write their values, and that new ones are treated alike."""

from itertools import pairwise

import pytest

from assay.packs.graph.ontology.model import XSD, Ontology, Property, Takes
from assay.packs.graph.pattern_extractor import (
    GraphExample,
    find_entities,
    find_relations,
    learn_examples,
    write_as_examples,
)
from assay.packs.graph.pattern_extractor.english import SentenceWord, split_words
from assay.packs.graph.pattern_extractor.judging import apply_frame, learn_frames
from assay.packs.graph.pattern_extractor.mentions import NameMention
from assay.packs.graph.pattern_extractor.reader import (
    BY_LOOK,
    CutLearner,
    NameCut,
    build_mention_finder,
)
from tests.packs.graph.plain_films import DOCUMENT, EX, FILMS, make_chunk, read_text


def find_by_look(text: str, cut: NameCut = BY_LOOK) -> tuple[list[SentenceWord], list[NameMention]]:
    words = split_words(text, 0, len(text))
    return words, build_mention_finder({}, cut)(text, words)


def learn_cut(*told: tuple[str, str]) -> NameCut:
    taught = CutLearner()
    for text, name in told:
        taught.note_sentence(*find_by_look(text), [name])
    return taught.build_cut(article=True)


def _names(text: str, cut: NameCut) -> list[str]:
    found = find_by_look(text, cut)[1]
    assert all(text[one.start : one.end] == one.words for one in found)
    assert all(one.last <= other.first for one, other in pairwise(found))
    return [one.words for one in found]


def test_places_are_one_name_with_what_they_lie_in_where_examples_have_them_so() -> None:
    cut = learn_cut(
        ("The hall is in Salem, Ohio.", "Salem, Ohio"),
        ("The hall is in Dover, Ohio.", "Dover, Ohio"),
        ("The hall is in Imst, Austria.", "Imst"),
    )
    assert "Troy, Ohio" in _names("The tower is in Troy, Ohio.", cut)
    assert "Graz" in _names("The tower is in Graz, Austria.", cut)
    assert "Troy" in _names("The tower is in Troy, Ohio.", BY_LOOK)


def test_what_is_listed_and_what_a_sentence_goes_on_about_is_no_place() -> None:
    cut = NameCut(commas=True)
    assert _names("It plays in Rome, Turin and Genoa.", cut)[-3:] == ["Rome", "Turin", "Genoa"]
    assert "Ada Roe" in _names("Born in Rome, Ada Roe was a painter.", cut)


def test_small_words_that_end_the_names_of_examples_end_new_ones() -> None:
    cut = learn_cut(
        ("It has a Maxim engine.", "Maxim engine"),
        ("It has a Rotax engine.", "Rotax engine"),
        ("It was a Rotax success.", "Rotax"),
    )
    assert cut.tails == ("engine",)
    assert "Lycoming engine" in _names("It has a Lycoming engine.", cut)
    assert "Lycoming" in _names("It was a Lycoming success.", cut)


def test_a_number_belongs_to_the_name_where_most_examples_have_it_so() -> None:
    told = [(f"He saw {name} there.", name) for name in ("1101 Clematis", "1001 Gaussia")]
    assert "1036 Ganymed" in _names("He saw 1036 Ganymed there.", learn_cut(*told))
    apart = [(f"He saw 20{at} Volvo cars.", "Volvo") for at in (10, 11, 12)]
    assert not learn_cut(*told, *apart).numbers


@pytest.mark.parametrize(
    ("words", "written"),
    [("5.57 days", "5.57 (days)"), ("7 days", "7.0 (days)"), ("12", None), ("many", None)],
)
def test_values_are_written_as_examples_write_them(words: str, written: str | None) -> None:
    frames = learn_frames([("a", "period", "3.1 (days)"), ("b", "period", "4.0 (days)")])
    assert frames == {"period": ("", f"{XSD}decimal", " (days)")}
    assert apply_frame(frames, "period", words) == written
    assert apply_frame(frames, "length", words) is None


def test_dates_in_quotes_are_written_so_and_a_sign_is_kept() -> None:
    frames = learn_frames([("a", "added", '"1980-04-23"')] * 2 + [("a", "offset", '"5"')] * 2)
    assert apply_frame(frames, "added", "3 May 1961") == '"1961-05-03"'
    assert apply_frame(frames, "offset", "-6") in (None, '"-6"')


def test_what_examples_have_in_one_case_alone_is_not_learned_by_its_names() -> None:
    one = [
        GraphExample(text, (("Alien", "directed by", "Ridley Scott"),))
        for text in ("Alien was directed by Ridley Scott.", "Ridley Scott directed Alien.")
    ]
    other = GraphExample("Jaws was shot by Bill Butler.", (("Jaws", "directed by", "Bill Butler"),))
    taught = learn_examples([*one, other], FILMS)
    assert not any("ridley" in feature for feature in taught.weights)
    assert write_as_examples(taught, EX + "directedBy", "Jaws", "Bill Butler") == (
        "Jaws",
        "Bill Butler",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ETH Zurich is a university in Zurich.", {("ETH Zurich", "location", "Zurich")}),
        ("ETH Zurich is a university in the making.", set()),
        (
            "Ada Lovelace was a writer. Her father, Lord Byron, was born in London.",
            {
                ("Ada Lovelace", "occupation", "writer"),
                ("Lord Byron", "birthPlace", "London"),
            },
        ),
        (
            "Ivan Horvat was born in Zagreb on 3 May 1961.",
            {
                ("Ivan Horvat", "birthPlace", "Zagreb"),
                ("Ivan Horvat", "birthDate", "1961-05-03"),
            },
        ),
    ],
    ids=["university", "no place", "father", "born"],
)
def test_what_is_said_without_examples(text: str, said: set[tuple[str, str, str]]) -> None:
    assert read_text(text).said() == said


@pytest.mark.parametrize(
    "text",
    [
        "Zagreb is the capital of Croatia.",
        "Zagreb, the capital of Croatia, is old.",
        "The capital of Croatia is Zagreb.",
    ],
)
def test_a_phrase_with_of_leads_the_same_way_in_every_order(text: str) -> None:
    told = Property(
        iri=EX + "capitalOf",
        label="capital of",
        names=("capital of",),
        takes=Takes.ENTITY,
        domains=(EX + "City",),
        ranges=(EX + "Country",),
    )
    places = Ontology(key="places", classes=FILMS.classes, properties={told.iri: told})
    entities = find_entities(make_chunk(text), places, DOCUMENT)
    names = {one.id: one.name for one in entities}
    relations = find_relations(make_chunk(text), entities, [told], places, DOCUMENT)
    assert [(names[one.subject], names[str(one.object)]) for one in relations] == [
        ("Zagreb", "Croatia")
    ]
