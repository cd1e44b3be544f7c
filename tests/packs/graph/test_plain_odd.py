"""The extractor without a model, on texts that nobody wrote for it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.chunking import split_chunks
from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import Chunk, Literal
from assay.packs.graph.ontology.model import THING, Ontology
from assay.packs.graph.pattern_extractor import (
    GraphExample,
    LearnedCues,
    find_entities,
    find_relations,
    learn_examples,
)
from tests.packs.graph.plain_films import DOCUMENT, FILMS, make_chunk

_PIECES = st.sampled_from(
    [
        *("Dune", "The", "Hayao Miyazaki", "Paris", "film", "river", "1984", "5 May 2001", "2,000"),
        *("directed by", "directed", "wrote", "is a", "was", "the capital of", "born in", "by"),
        *("stars", "He", "it", "the film", "its", "and", ",", ".", "(", ")", '"', "“", "'s", "\n"),
        *("of", "de la", "J.", ":", "–", "é", "ŽŠ", "日本", "\u200b", "\x00", "200 km long", "𝒜"),
    ]
)
_TEXTS = st.one_of(
    st.lists(_PIECES, max_size=40).map(" ".join),
    st.lists(_PIECES, max_size=20).map("".join),
    st.text(max_size=200),
)
_TAUGHT = learn_examples(
    [
        GraphExample("Dune was made by Ann Lee.", (("Dune", "directedBy", "Ann Lee"),)),
        GraphExample("Alien was made by Bob Ray.", (("Alien", "directedBy", "Bob Ray"),)),
        GraphExample("Solaris is a space opera.", (("Solaris", "genre", "space opera"),)),
    ],
    FILMS,
)


@given(text=_TEXTS, taught=st.sampled_from([None, _TAUGHT]), most=st.sampled_from([60, 1_500]))
def test_whatever_is_found_is_in_the_text_and_in_the_ontology(
    text: str, taught: LearnedCues | None, most: int
) -> None:
    chunks = list(split_chunks(text, most))
    entities = [one for chunk in chunks for one in find_entities(chunk, FILMS, DOCUMENT, taught)]
    for entity in entities:
        assert entity.types
        assert set(entity.types) <= {*FILMS.classes, THING}
        assert entity.id == derive_entity_id(entity.name, entity.types)
        assert entity.mentions == tuple(sorted(entity.mentions))
        assert entity.name in {" ".join(span.words.split()) for span in entity.mentions}
        for span in entity.mentions:
            assert span.words
            assert text[span.start : span.end] == span.words
    by_id = {entity.id: entity for entity in entities}
    properties = list(FILMS.properties.values())
    for chunk in chunks:
        for relation in find_relations(
            chunk, list(by_id.values()), properties, FILMS, DOCUMENT, taught
        ):
            assert relation.subject in by_id
            assert relation.predicate in FILMS.properties
            assert isinstance(relation.object, Literal) or relation.object in by_id
            assert relation.subject != relation.object
            assert 0 < relation.confidence <= 1
            assert relation.id == derive_relation_id(
                relation.subject, relation.predicate, relation.object
            )
            for quote in relation.quotes:
                assert text[quote.start : quote.end] == quote.words
                assert chunk.start <= quote.start < quote.end <= chunk.end


@given(text=_TEXTS)
def test_the_same_text_gives_the_same(text: str) -> None:
    chunk = make_chunk(text)
    first = find_entities(chunk, FILMS, DOCUMENT, _TAUGHT)
    assert find_entities(chunk, FILMS, DOCUMENT, _TAUGHT) == first
    properties = list(FILMS.properties.values())
    told = find_relations(chunk, first, properties, FILMS, DOCUMENT, _TAUGHT)
    assert find_relations(chunk, first[::-1], properties[::-1], FILMS, DOCUMENT, _TAUGHT) == told


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            _TEXTS,
            st.lists(
                st.tuples(_TEXTS, st.sampled_from(["directedBy", "author", "x"]), _TEXTS),
                max_size=3,
            ),
        ),
        max_size=4,
    )
)
def test_any_examples_can_be_learned_from(
    given_examples: list[tuple[str, list[tuple[str, str, str]]]],
) -> None:
    examples = [GraphExample(text, tuple(triples)) for text, triples in given_examples]
    told = learn_examples(examples, FILMS)
    assert set(told.base) <= set(FILMS.properties)
    assert told == learn_examples(examples, FILMS)


@pytest.mark.parametrize(
    "piece",
    [
        "Capital ",
        ", ",
        '"',
        "“",
        "(",
        "A. ",
        "directed by ",
        "of the ",
        "is ",
        "1984 ",
        "X, ",
        "'s ",
    ],
)
def test_a_hostile_text_is_read_to_its_end(piece: str) -> None:
    text = (piece * (6_000 // len(piece) + 1))[:6_000]
    chunk = Chunk(index=0, start=0, end=len(text), text=text, sentences=((0, len(text)),))
    entities = find_entities(chunk, FILMS, DOCUMENT, _TAUGHT)
    relations = find_relations(
        chunk, entities, list(FILMS.properties.values()), FILMS, DOCUMENT, _TAUGHT
    )
    assert all(text[s.start : s.end] == s.words for one in entities for s in one.mentions)
    assert all(text[q.start : q.end] == q.words for one in relations for q in one.quotes)


def test_an_empty_ontology_gives_things_without_relations() -> None:
    nothing = Ontology(key="nothing")
    chunk = make_chunk("Alien was directed by Ridley Scott.")
    entities = find_entities(chunk, nothing, DOCUMENT)
    assert [entity.types for entity in entities] == [(THING,), (THING,)]
    assert find_relations(chunk, entities, [], nothing, DOCUMENT) == []


def test_a_chunk_in_the_middle_of_a_text_counts_from_its_beginning() -> None:
    before = "Some words. "
    text = f"{before}Alien was directed by Ridley Scott."
    end = len(text)
    chunk = Chunk(
        index=1,
        start=len(before),
        end=end,
        text=text[len(before) :],
        sentences=((len(before), end),),
    )
    entities = find_entities(chunk, FILMS, DOCUMENT)
    (relation,) = find_relations(chunk, entities, list(FILMS.properties.values()), FILMS, DOCUMENT)
    assert {text[s.start : s.end] for one in entities for s in one.mentions} == {
        "Alien",
        "Ridley Scott",
    }
    assert relation.quotes[0].start == len(before)
