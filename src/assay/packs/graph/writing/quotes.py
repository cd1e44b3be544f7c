"""Checks that the quotes of a written graph are found in the texts they cite."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from assay.packs.graph.writing.serializing import parse_rdf
from assay.packs.graph.writing.terms import (
    ASSAY,
    END,
    EXACT,
    LABEL,
    MENTION,
    OBJECT,
    PREDICATE,
    QUOTE,
    SAME_AS,
    SELECTOR,
    SOURCE,
    START,
    STATEMENT,
    SUBJECT,
    TYPE,
)

_Node = NamedNode | BlankNode | Literal | Triple
_Index = dict[_Node, dict[str, list[_Node]]]
_OF_ITSELF = frozenset({TYPE, LABEL, SAME_AS})
"""What an entity states without a quote; its mentions support it."""


class CitedRelation(NamedTuple):
    """A relation of a written graph with words that state it."""

    subject: str
    predicate: str
    object: str
    """An IRI, or the text of a literal."""
    quote: str
    start: int
    end: int
    document: str
    """The hash of the text."""


class _Stretch(NamedTuple):
    words: str
    start: int
    end: int
    document: str


def read_provenance(rdf: str, format: str) -> list[CitedRelation]:
    """Read each relation of a written graph, once for each of its quotes, sorted."""
    index = _index_quads(parse_rdf(rdf, format, "The graph"))
    cited: set[CitedRelation] = set()
    for node in _list_statements(index):
        said = index[node]
        ends = [each for p in (SUBJECT, PREDICATE, OBJECT) for each in said.get(p, [])[:1]]
        parts = [_read_text(each) for each in ends]
        if len(parts) == 3:
            for quote in said.get(QUOTE, []):
                for found in _read_stretches(quote, index):
                    cited.add(CitedRelation(parts[0], parts[1], parts[2], *found))
    return sorted(cited)


def check_quotes(rdf: str, format: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """List what is wrong with a written graph, given the texts by their hashes. An empty result
    means that each relation has its statement, and each quote and mention is at its position."""
    quads = parse_rdf(rdf, format, "The graph")
    index = _index_quads(quads)
    problems = set(_compare_triples(quads, index))
    for node, said in index.items():
        if STATEMENT.value in map(_read_text, said.get(TYPE, [])) and not said.get(QUOTE):
            problems.add(f"The statement {_read_text(node)} has no quote.")
        for quote in (*said.get(QUOTE, []), *said.get(MENTION, [])):
            problems.update(_check_quote(quote, index, texts))
    return tuple(sorted(problems))


def _index_quads(quads: list[Quad]) -> _Index:
    index: _Index = {}
    for quad in quads:
        said = index.setdefault(quad.subject, defaultdict(list))
        said[quad.predicate.value].append(quad.object)
    return index


def _list_statements(index: _Index) -> Iterator[_Node]:
    for node, said in index.items():
        if STATEMENT.value in map(_read_text, said.get(TYPE, [])):
            yield node


def _compare_triples(quads: list[Quad], index: _Index) -> Iterator[str]:
    """Report plain triples without a statement, and statements without a triple."""
    stated = {
        (subject, _read_text(predicate), object_)
        for node in _list_statements(index)
        for subject in index[node].get(SUBJECT, [])
        for predicate in index[node].get(PREDICATE, [])
        for object_ in index[node].get(OBJECT, [])
    }
    told = {(quad.subject, quad.predicate.value, quad.object) for quad in quads}
    entities = {node for node, said in index.items() if said.get(MENTION)}
    entities.update(subject for subject, _, _ in stated)
    for subject, predicate, object_ in stated - told:
        claim = f"{_read_text(subject)} {predicate} {_read_text(object_)}"
        yield f"A statement describes a triple that is not in the graph: {claim}."
    for subject, predicate, object_ in told - stated:
        own = predicate in _OF_ITSELF or predicate.startswith(ASSAY)
        if subject in entities and not own:
            claim = f"{_read_text(subject)} {predicate} {_read_text(object_)}"
            yield f"No statement says where this is from: {claim}."


def _check_quote(quote: _Node, index: _Index, texts: Mapping[str, str]) -> Iterator[str]:
    found = list(_read_stretches(quote, index))
    if not found:
        yield f"{_read_text(quote)} does not state its words, their place and their document."
    for words, start, end, document in found:
        text = texts.get(document)
        if text is None:
            yield f"The text of the document '{document}' was not given."
        elif start < 0 or text[start:end] != words:
            yield f"The document '{document}' does not say {words!r} from {start} to {end}."


def _read_stretches(quote: _Node, index: _Index) -> Iterator[_Stretch]:
    """Read the stretch that a quote describes; several if it is described more than once."""
    said = index.get(quote, {})
    selectors = [index.get(each, {}) for each in said.get(SELECTOR, [])]
    for source in said.get(SOURCE, []):
        document = unquote(_read_text(source).rpartition("/")[2], errors="replace")
        for by_place in selectors:
            for start, end in zip(by_place.get(START, []), by_place.get(END, []), strict=False):
                place = _read_number(start), _read_number(end)
                for by_words in selectors:
                    for words in by_words.get(EXACT, []):
                        if place[0] is not None and place[1] is not None:
                            yield _Stretch(_read_text(words), place[0], place[1], document)


def _read_number(node: _Node) -> int | None:
    try:
        return int(_read_text(node))
    except ValueError:
        return None


def _read_text(node: _Node) -> str:
    return str(node) if isinstance(node, Triple) else node.value
