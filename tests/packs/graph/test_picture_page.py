"""The explorer page: the text is unchanged, marks are where they belong, words stay words."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.graph.model import (
    Entity,
    Graph,
    GraphConflict,
    Literal,
    Refusal,
    RefusedClaim,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.picture import render_page
from assay.packs.graph.picture.marking import Stretch, cut_text
from assay.packs.graph.picture.words import replace_unshowable
from assay.packs.graph.results import StepFailure, TokenCounts, Violation
from tests.packs.graph.picture_examples import iri, ontology, result, space

_VOID = {"meta", "input", "br", "link"}


class Page(HTMLParser):
    """A page read back: its text pane, its marks, its scripts, its tables."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str]]] = []
        self.names: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.marks: list[tuple[dict[str, str], str]] = []
        self.content: dict[str, list[str]] = {}
        self.rows: list[list[str]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.names.append(tag)
        self.attributes.extend((tag, name, value) for name, value in told.items())
        if self._in_text() and tag in ("mark", "span"):
            self.marks.append((told, ""))
        if tag == "tr":
            self.rows.append([told.get("id", "")])
        if tag == "td":
            self.rows[-1].append("")
        if tag not in _VOID:
            self.open.append((tag, told))
        if tag in ("script", "style"):
            self.content.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if not self.open:
            return
        tag, _ = self.open[-1]
        if self._in_text():
            self.text += data
            if tag in ("mark", "span"):
                told, words = self.marks[-1]
                self.marks[-1] = (told, words + data)
        if tag in self.content:
            self.content[tag][-1] += data
        if any(one == "td" for one, _ in self.open):
            self.rows[-1][-1] += data

    def _in_text(self) -> bool:
        return any(told.get("class") == "text" for _, told in self.open)


def make_thing(number: int, *spans: TextSpan, name: str = "") -> Entity:
    return Entity(
        id=f"en-{number}", name=name or f"Thing {number}", types=(iri("Person"),), mentions=spans
    )


def test_the_text_is_the_text_and_every_mention_is_marked() -> None:
    told, space_ontology, text = space(30)
    source = render_page(told, space_ontology, text)
    assert source == render_page(told, space_ontology, text)
    read = Page(source)
    assert read.open == []
    assert read.text == text
    spoken = {
        (span.start, span.end, at) for at, one in enumerate(told.entities) for span in one.mentions
    }
    marked = {
        (int(told["data-a"]), int(told["data-b"]), int(number))
        for told, _ in read.marks
        for number in told.get("data-e", "").split()
    }
    assert marked == spoken
    for told_mark, words in read.marks:
        assert text[int(told_mark["data-a"]) : int(told_mark["data-b"])] == words
    for at, relation in enumerate(told.relations):
        quoted = "".join(w for m, w in read.marks if str(at) in m.get("data-r", "").split())
        assert quoted == relation.quotes[0].words


def test_overlapping_mentions_share_their_pieces() -> None:
    text = "The University of New York City"
    whole = TextSpan(4, 31, text[4:31])
    new_york = TextSpan(18, 26, "New York")
    city = TextSpan(18, 31, "New York City")
    wrong = TextSpan(0, 3, "Thx")
    other = TextSpan(0, 3, "The", "sha256:other")
    graph = Graph(
        entities=(make_thing(0, whole), make_thing(1, new_york, other), make_thing(2, city, wrong))
    )
    read = Page(render_page(result(graph, document="sha256:this"), ontology(), text))
    assert read.text == text
    assert [(words, told["data-e"]) for told, words in read.marks] == [
        ("University of ", "0"),
        ("New York", "1 2 0"),
        (" City", "2 0"),
    ]


@given(st.data())
def test_pieces_cover_a_text_and_keep_what_stands_there(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 30))
    place = st.tuples(st.integers(0, length - 1), st.integers(1, length), st.integers(0, 5)).map(
        lambda one: Stretch(one[0], max(one[0] + 1, one[1]), one[2])
    )
    mentions, quotes = (
        data.draw(st.lists(place, max_size=7)),
        data.draw(st.lists(place, max_size=7)),
    )
    cut = cut_text(length, mentions, quotes)
    assert [at for piece in cut for at in range(piece.start, piece.end)] == list(range(length))
    for piece in cut:
        for at in range(piece.start, piece.end):
            assert set(piece.entities) == {m.of for m in mentions if m.start <= at < m.end}
            assert set(piece.relations) == {q.of for q in quotes if q.start <= at < q.end}


def test_it_loads_nothing_and_runs_only_its_own_script() -> None:
    source = render_page(*space(5))
    read = Page(source)
    policy = next(v for t, n, v in read.attributes if t == "meta" and n == "content" and "src" in v)
    assert "default-src 'none'" in policy and "unsafe" not in policy
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'"
        for one in (*read.content["style"], *read.content["script"][1:])
    }
    assert hashes == set(re.findall(r"'sha256-[^']+'", policy))
    assert not {name for _, name, _ in read.attributes} & {"src", "style", "action", "srcset"}
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert all(v.startswith("#") for _, name, v in read.attributes if name == "href")
    assert "eval(" not in source and "innerHTML" not in source and "http-equiv" in source
    assert len(source) < 600_000


def test_every_place_that_a_link_leads_to_is_there() -> None:
    read = Page(render_page(*space(30)))
    ids = [value for _, name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {v[1:] for _, name, v in read.attributes if name == "href"} <= set(ids)


def test_the_tables_hold_every_relation_and_entity() -> None:
    told, space_ontology, text = space(30)
    rows = {row[0]: row[1:] for row in Page(render_page(told, space_ontology, text)).rows}
    names = {one.id: one.name for one in told.entities}
    for at, one in enumerate(told.relations):
        subject, label, target, verdict, confidence, by, quote = rows[f"r{at}"]
        assert subject == names[one.subject]
        assert label == space_ontology.properties[one.predicate].label
        if isinstance(one.object, str):
            assert target == names[one.object]
        assert (verdict, confidence) == (one.verdict.value, f"{one.confidence:.2f}")
        assert (by, quote) == (one.by, one.quotes[0].words)
    assert [rows[f"e{at}"][0] for at in range(30)] == [one.name for one in told.entities]


def test_what_went_wrong_is_told() -> None:
    graph = Graph(
        entities=(make_thing(0),),
        refused=(RefusedClaim(Refusal.NOT_IN_TEXT, "Its words do not stand there.", "Bo <b>"),),
        conflicts=(GraphConflict(kind="values", subject="en-0", between=("en-0",), detail="Two."),),
    )
    failure = StepFailure(stage="grounding", reason="It took too long.", code="TIMEOUT")
    told = result(
        graph,
        warnings=("Half of it.",),
        failed_stages=(failure,),
        skipped_stages=("serialization",),
        violations=(Violation(node="urn:x", path="p", message="One at most."),),
        tokens=TokenCounts(allocated=4096, used=1000, remaining=3096),
        execution_ms=1234,
    )
    source = render_page(told, ontology(), "")
    for words in (
        "values: Two. — Thing 0",
        "NOT_IN_TEXT: Its words do not stand there. Bo &lt;b&gt;",
        "Half of it.",
        "grounding: It took too long. (TIMEOUT)",
        "serialization",
        "urn:x p: One at most.",
        "1,000 of 4,096 tokens used, 3,096 left",
        "1,234 ms",
    ):
        assert words in source


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\r\n\r <b>&amp;&#13;</b>\t\u2028",
    "\x00\x08\x1b\x85\ud83d\uffff",
    "שלום \u202e world \u2067",
    "x" * 10_000,
)


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_are_only_words(words: str) -> None:
    text = f"{words} and {words}"
    size = len(words)
    span = TextSpan(0, size, words)
    relation = Relation(
        id=f"re {words}",
        subject="en-0",
        predicate=f"urn:{words}",
        object=Literal(words, "", words),
        quotes=(TextSpan(size, len(text), text[size:]),),
        verdict=RelationVerdict.UNGROUNDED,
        by=words,
    )
    graph = Graph(entities=(make_thing(0, span, name=words),), relations=(relation,))
    told = result(graph, warnings=(words,), request_id=words)
    source = render_page(told, replace(ontology(), title=words), text)
    source.encode("utf-8")
    read = Page(source)
    assert read.open == []
    assert read.text == replace_unshowable(text)
    assert read.names.count("script") == 3 and "b" not in read.names
    held: dict[str, Any] = json.loads(read.content["script"][0])
    assert held["relations"][0]["verdict"] == "ungrounded"
    assert len(held["entities"]) == 1


@settings(max_examples=50)
@given(st.text(max_size=60), st.data())
def test_any_text_comes_back(text: str, data: st.DataObject) -> None:
    spans = []
    if text:
        for _ in range(data.draw(st.integers(0, 4))):
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            spans.append(TextSpan(start, end, text[start:end]))
    graph = Graph(entities=tuple(make_thing(n, span) for n, span in enumerate(spans)))
    read = Page(render_page(result(graph), ontology(), text))
    assert read.text == replace_unshowable(text)
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert sum(len(words) for _, words in read.marks) == len(covered)


def test_a_long_text_with_many_mentions_stays_small() -> None:
    word = "mention of a thing, and more words around it to fill the page with what is read. "
    text = word * 2_500
    spans = [TextSpan(n * len(word), n * len(word) + 18, word[:18]) for n in range(2_000)]
    graph = Graph(entities=tuple(make_thing(n, *spans[n::40]) for n in range(40)))
    source = render_page(result(graph), ontology(), text)
    assert len(Page(source).marks) == 2_000
    library = len(render_page(result(Graph()), ontology(), ""))
    assert len(source) - library < 5 * len(text)


def read_data(source: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(Page(source).content["script"][0])
    return held
