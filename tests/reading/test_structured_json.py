"""JSON: every value with its key, and the way back to the file."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.errors import ContentBroken, ContentHostile
from assay.reading.decoding import decode_bytes
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading
from assay.reading.structured.json_reader import read_json


def assert_values_stand_where_they_say(reading: Reading, data: bytes) -> None:
    source = decode_bytes(data).text
    for segment in reading.segments:
        written = source[segment.source_start : segment.source_end]
        shown = reading.text[segment.start : segment.end]
        meant = written if written == shown else json.loads(f'"{written}"', strict=False)
        assert meant.replace("\0", "\ufffd") == shown


def test_values_stand_with_their_keys_in_order() -> None:
    data = (
        b'{"title": "Agenda \\u010d", "fee": 1.50, "open": true, "none": null, "empty": "", '
        b'"items": [{"name": "A", "votes": [1, -2e5]}, {"name": "B"}, [], "last"], '
        b'"a/b": {"~": "deep"}}'
    )
    reading = read_json(data)
    assert reading.title == "Agenda č"
    assert reading.text.splitlines() == [
        "title: Agenda č",
        "fee: 1.50",
        "open: true",
        "items:",
        "  - name: A",
        "    votes:",
        "      - 1",
        "      - -2e5",
        "  - name: B",
        "  - last",
        "a/b:",
        "  ~: deep",
    ]
    assert_values_stand_where_they_say(reading, data)
    places = {reading.text[s.start : s.end]: s.place for s in reading.segments}
    assert places["-2e5"] == "/items/0/votes/1"
    assert places["last"] == "/items/3"
    assert places["deep"] == "/a~1b/~0"


def test_html_in_a_string_is_read_as_html() -> None:
    data = (
        rb'{"body": "<p>The \"old\" <del>rate<\/del> &amp; more<\/p>\n<p>\u010cetiri</p>",'
        rb' "x": "a < b"}'
    )
    reading = read_json(data)
    assert reading.text == 'body: The "old" rate & more\nČetiri\nx: a < b'
    assert [reading.text[m.start : m.end] for m in reading.marks] == ["rate"]
    source = data.decode()
    first, second, _ = reading.segments
    assert source[first.source_start : first.source_end].startswith(r"The \"old\" <del>")
    assert source[first.source_start : first.source_end].endswith("&amp; more")
    assert source[second.source_start : second.source_end] == r"\u010cetiri"
    assert first.place == second.place == "/body"


def test_odd_but_frequent_json() -> None:
    assert read_json(b'\xef\xbb\xbf\n {"a": NaN, "b": -Infinity}').text == "a: NaN\nb: -Infinity"
    assert read_json(b'{"a": 1, "a": 2}').text == "a: 1\na: 2"
    lines = read_json(b'{"a": 1}\n{"a": 2}\n')
    assert (lines.text, [s.place for s in lines.segments]) == ("a: 1\na: 2", ["/a", "2:/a"])
    assert read_json(b'"only words"').text == "only words"
    assert read_json(b'["\\ud83d\\ude00 \\ud83d"]').text == "- 😀 \ufffd"
    assert read_json(b"[[1], [[2]]]").text == "- - 1\n- - - 2"
    assert read_json(b'{"@graph": [{"@id": "x"}]}').text == "@graph:\n  - @id: x"


@pytest.mark.parametrize("value", ["0\n", "a\n\n", "\n0", "0\r\n", "0 ", "\t0\t", "0\v", "0\u2028"])
@pytest.mark.parametrize("nested", [False, True])
def test_whitespace_around_a_value_is_kept(value: str, nested: bool) -> None:
    document = {"first": [value], "last": value} if nested else value
    reading = read_json(json.dumps(document).encode())
    values = [reading.text[segment.start : segment.end] for segment in reading.segments]
    assert values == ([value, value] if nested else [value])
    assert reading.text.endswith(value)


def test_what_is_broken_is_read_as_far_as_it_goes() -> None:
    cut = read_json(b'{"a": "one", "b": [2, {"c": "thr')
    assert cut.text == "a: one\nb:\n  - 2"
    assert "not JSON from character" in cut.warnings[0]
    assert "It is incomplete" in read_json(b'{"a": [1, 2').warnings[0]
    assert "not JSON from character 9" in read_json(b'{"a": 1} trailing').warnings[0]
    with pytest.raises(ContentBroken):
        read_json(b"{unquoted: 1}")


def test_depth_and_size_are_bounded() -> None:
    with pytest.raises(ContentHostile, match="400 levels"):
        read_json(b"[" * 100_000)
    cut = read_json(b"[" + b"1," * 1000 + b"1]", ReadLimits(max_nodes=10))
    assert "too long" in cut.warnings[0]
    long = read_json(b'{"a": "' + b"x" * 5000 + b'"}', ReadLimits(max_characters=100))
    assert len(long.text) == 100
    assert long.segments == ()


@pytest.mark.parametrize("pair", ['"":{},', '"a":{},', '"a",', '"a":', ",", "]", "[],"])
def test_what_has_no_value_is_counted_too(pair: str) -> None:
    """A key may be repeated for ever: nothing is written, and yet it is work."""
    read = read_json(
        f'{{"first": 1, {pair * 100_000} "last": 2}}'.encode(), ReadLimits(max_nodes=10)
    )
    assert "too long" in read.warnings[0]
    assert read.text.startswith("first: 1")
    assert "last" not in read.text


def test_a_long_key_is_not_repeated_for_every_value_below_it() -> None:
    key = "k" * 100_000
    read = read_json(f'{{"{key}": [{"1," * 5000} 1]}}'.encode())
    assert len(read.segments) == 5001
    assert read.segments[-1].place == "…" + ("k" * 500 + "/5000")[-500:]
    assert sum(len(segment.place) for segment in read.segments) < 3_000_000
    deep = '{"key-of-some-length":' * 200 + "1" + "}" * 200
    assert len(read_json(deep.encode()).segments[0].place) == 501


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    if isinstance(value, str):
        return [value.replace("\0", "\ufffd")] if value.strip() else []
    return [] if value is None else [json.dumps(value)]


@settings(max_examples=300)
@example("0\n", True)
@example({"a": "x\0y"}, True)
@given(JSON, st.booleans())
def test_every_value_is_there_once_and_stands_where_it_says(value: Any, is_ascii: bool) -> None:
    data = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    reading = read_json(data)
    assert [reading.text[s.start : s.end] for s in reading.segments] == leaves(value)
    assert_values_stand_where_they_say(reading, data)
    for segment in reading.segments:
        assert value_at(value, segment.place) == reading.text[segment.start : segment.end]


def value_at(value: Any, pointer: str) -> str:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value.replace("\0", "\ufffd") if isinstance(value, str) else json.dumps(value)


@given(st.text(alphabet='{}[]",:\\u0dab1e-tn ', max_size=60))
def test_anything_is_read_or_refused(source: str) -> None:
    try:
        read_json(source.encode()).text.encode()
    except (ContentBroken, ContentHostile) as refused:
        assert refused.what
