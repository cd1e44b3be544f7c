"""The extractor without a model, on ontologies that give the same words many meanings."""

import random
from collections.abc import Iterator

import pytest

from assay.packs.graph.chunking import split_chunks
from assay.packs.graph.extractors import build_pattern_graph
from assay.packs.graph.literals import find_literals
from assay.packs.graph.literals.datatypes import FoundLiteral
from assay.packs.graph.merging.joining import choose_most_specific
from assay.packs.graph.ontology.model import THING, Ontology, OntologyClass, Property
from assay.packs.graph.pattern_extractor import find_entities, mentions
from assay.packs.graph.pattern_extractor.english import split_words
from assay.packs.graph.pattern_extractor.kinds import drop_implied
from assay.packs.graph.pattern_extractor.lexicon import MOST_MEANINGS, build_lexicon
from tests.packs.graph.plain_films import DOCUMENT

TEXT = "Ada Byron met Ada Byron in London. Ada Byron was here, and so was the other Ada Byron."


def namesakes(count: int, label: str = "Ada Byron") -> Ontology:
    iris = [f"urn:x:C{number:05}" for number in range(count)]
    return Ontology(
        key=f"{count}{label}", classes={iri: OntologyClass(iri=iri, label=label) for iri in iris}
    )


def test_a_thing_is_of_so_many_classes_of_one_name_at_most() -> None:
    [chunk] = split_chunks(TEXT)
    first = {iri for iri, _ in sorted(namesakes(MOST_MEANINGS).classes.items())}
    for count in (MOST_MEANINGS, MOST_MEANINGS + 1, 2_000):
        entities = find_entities(chunk, namesakes(count), DOCUMENT)
        assert {kind for entity in entities for kind in entity.types} - {THING} == first


def test_a_thing_has_so_many_stated_classes_at_most() -> None:
    labels = ("film", "river", "opera", "novel", "poem")
    iris = [(f"urn:x:{label}{number}", label) for label in labels for number in range(20)]
    classes = {iri: OntologyClass(iri=iri, label=label) for iri, label in iris}
    [chunk] = split_chunks(" ".join(f"Dune is a {label}." for label in labels))
    [dune] = find_entities(chunk, Ontology(key="k", classes=classes), DOCUMENT)
    assert len(dune.types) == MOST_MEANINGS


def test_as_many_properties_can_be_meant_by_one_phrase() -> None:
    properties = {
        iri: Property(iri=iri, label="founder") for iri in (f"u{n:03}" for n in range(99))
    }
    cues = build_lexicon(Ontology(key="p", properties=properties)).cues.get_all(("founded", "by"))
    assert [cue.property for cue in cues] == sorted(properties)[:MOST_MEANINGS]


def test_names_that_begin_alike_are_told_apart() -> None:
    labels = ["river", "river bank", "river bank holiday", "river was"]
    known = Ontology(key="r", classes={one: OntologyClass(iri=one, label=one) for one in labels})
    nouns = build_lexicon(known)

    def find(text: str) -> Iterator[str]:
        return (noun.cls for noun in nouns.find_nouns_at(split_words(text, 0, len(text)), 0))

    assert list(find("river bank holiday")) == ["river bank holiday", "river bank", "river"]
    assert list(find("river banks")) == ["river bank", "river"]
    assert list(find("river was")) == ["river was", "river"]
    assert list(find("river is")) == ["river"]


@pytest.mark.parametrize("count", [300, 1_200])
def test_classes_are_not_compared_pair_by_pair(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    original = Ontology.ancestors_of

    def count_calls(self: Ontology, iri: str) -> frozenset[str]:
        nonlocal asked
        asked += 1
        return original(self, iri)

    monkeypatch.setattr(Ontology, "ancestors_of", count_calls)
    text = " ".join(f"Ada Byron met Ada Byron {number} in London." for number in range(20))
    build_pattern_graph(text, list(split_chunks(text)), namesakes(count))
    # 20 names and 50 classes each; of all pairs there would be millions.
    assert asked < 60_000


def _is_more_specific(one: str, other: str, ontology: Ontology) -> bool:
    if other == THING or not ontology.is_a(one, other):
        return other == THING
    return one < other or not ontology.is_a(other, one)


def test_sets_of_classes_are_compared_as_pairs_would_be() -> None:
    chance = random.Random(7)
    for _ in range(2_000):
        names = [f"c{number}" for number in range(chance.randint(1, 7))]
        names += [THING] * chance.randint(0, 1)
        every = sorted({*names, "elsewhere", THING})
        known = Ontology(
            key="k",
            classes={
                name: OntologyClass(
                    iri=name, label=name, parents=tuple(chance.sample(every, chance.randint(0, 2)))
                )
                for name in names
            },
        )
        one, other = (tuple(chance.choices(every, k=chance.randint(0, 5))) for _ in range(2))
        pairs = [(a, b) for a in one for b in other]
        assert known.match_any(one, other) == (not other or any(known.is_a(a, b) for a, b in pairs))
        assert known.are_compatible(one, other) == any(
            known.is_a(a, b) or known.is_a(b, a) for a, b in pairs
        )
        held = set(one)
        assert set(choose_most_specific(one, known)) == {
            kind
            for kind in held
            if not any(_is_more_specific(each, kind, known) for each in held - {kind})
        }
        own = {kind for kind in held if kind in known.classes or kind == THING}
        assert set(drop_implied(one, known)) == {
            kind
            for kind in own
            if not any(
                known.is_a(each, kind) and not known.is_a(kind, each) for each in own - {kind}
            )
        }


def test_values_of_a_sentence_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    original = find_literals

    def look(text: str) -> list[FoundLiteral]:
        looked.append(text)
        return original(text)

    monkeypatch.setattr(mentions, "find_literals", look)
    text = "Ada Byron had 7 dogs, 8 cats and 93 unusual birds."
    build_pattern_graph(text, list(split_chunks(text)), namesakes(1))
    assert looked == [text]
