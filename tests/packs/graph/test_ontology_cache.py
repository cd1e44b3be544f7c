"""The cache: an ontology is read once, however often it is requested and by however many."""

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from weakref import ref

import pytest

from assay.packs.graph.ontology import cache as cache_module
from assay.packs.graph.ontology.cache import IndexedOntology, OntologyCache
from assay.packs.graph.ontology.model import Ontology, OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.pattern_extractor.lexicon import build_lexicon
from assay.sdk.errors import InvalidInput
from tests.packs.graph.test_ontology_reading import EX, PREFIXES


def write_ontology(name: str) -> bytes:
    return f"{PREFIXES} :{name} a owl:Class .".encode()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was read, in its order."""
    seen: list[bytes] = []

    def reading(data: bytes, **how: object) -> Ontology:
        seen.append(data)
        return read_ontology(data, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(cache_module, "read_ontology", reading)
    return seen


def test_the_same_bytes_are_read_once(read: list[bytes]) -> None:
    cache = OntologyCache()
    first = cache.get(write_ontology("A"), name="a.ttl")

    assert cache.get(write_ontology("A"), name="another.ttl") is first
    assert first.index.ontology is first.ontology
    assert list(first.ontology.classes) == [EX + "A"]
    assert read == [write_ontology("A")]


def test_other_imports_or_another_format_are_another_ontology(read: list[bytes]) -> None:
    cache = OntologyCache()
    first = cache.get(write_ontology("A"))

    assert cache.get(write_ontology("A"), imports={"http://e/b": write_ontology("B")}) is not first
    with pytest.raises(InvalidInput):
        cache.get(write_ontology("A"), format="jsonld")
    assert len(read) == 3


def test_what_was_used_last_is_kept(read: list[bytes]) -> None:
    cache = OntologyCache(most=2)
    first = cache.get(write_ontology("A"))
    cache.get(write_ontology("B"))
    cache.get(write_ontology("A"))
    cache.get(write_ontology("C"))

    assert len(cache) == 2
    assert cache.get(write_ontology("A")) is first
    cache.get(write_ontology("B"))
    assert read == [
        write_ontology("A"),
        write_ontology("B"),
        write_ontology("C"),
        write_ontology("B"),
    ]


def test_large_ontologies_are_kept_only_up_to_their_terms(read: list[bytes]) -> None:
    cache = OntologyCache(most_terms=2)
    cache.get(write_ontology("A"))
    second = cache.get(write_ontology("B"))
    third = cache.get(write_ontology("C"))

    assert len(cache) == 2
    assert cache.get(write_ontology("B")) is second
    assert cache.get(write_ontology("C")) is third
    alone = OntologyCache(most_terms=0)
    assert alone.get(write_ontology("A")) is alone.get(write_ontology("A"))
    assert len(alone) == 1


def test_the_words_of_an_ontology_are_forgotten_with_it() -> None:
    ontology = OntologyCache().get(write_ontology("A")).ontology
    lexicon = ref(build_lexicon(ontology))
    assert build_lexicon(ontology) is lexicon()
    del ontology
    gc.collect()
    assert lexicon() is None


def test_what_was_refused_is_not_kept(read: list[bytes]) -> None:
    cache = OntologyCache()
    for _ in range(2):
        with pytest.raises(InvalidInput, match="not valid Turtle"):
            cache.get(b"broken")

    assert len(cache) == 0
    assert len(read) == 2


def test_the_shelf_has_its_own_limits() -> None:
    with pytest.raises(InvalidInput, match="more than 10 bytes"):
        OntologyCache(limits=OntologyLimits(bytes=10)).get(write_ontology("A"))


def test_threads_that_ask_at_once_get_the_same_one(read: list[bytes]) -> None:
    cache = OntologyCache()
    barrier = Barrier(8)

    def ask(place: int) -> IndexedOntology:
        barrier.wait()
        return cache.get(write_ontology("A" if place % 2 else "B"))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))

    assert len({id(one) for one in found}) == 2
    assert sorted(read) == [write_ontology("A"), write_ontology("B")]
