"""An answer is cut into exactly the objects that are wholly in it."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AnswerInvalid
from assay.llm.scanner import MAX_DEPTH, ItemScanner, parse_whole_json

MODEST = settings(derandomize=True, deadline=None, max_examples=150)

texts = st.text(alphabet='abŽ😀{}[]",:\\/`\n\t 1', max_size=8) | st.text(max_size=4)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts.filter(lambda key: key != "items"), values, max_size=4)
layouts = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


@dataclass(frozen=True)
class Shape:
    """What stands before, between and after the items."""

    before: str
    between: str
    after: str

    def text(self, items: list[str]) -> str:
        return self.before + self.between.join(items) + self.after


ARRAY = Shape("[", ", ", "]")
FIELD = Shape('{"note": "[{", "tags": ["a"], "items": [', ",", '], "next": [{"a": 1}]}')
LINES = Shape("", "\n", "")
shapes = st.sampled_from([ARRAY, FIELD, LINES])
wrappings = st.sampled_from(
    [
        ("", ""),
        ("```json\n", "\n```\nThat is all [of it]."),
        ("Here's what I found {in short} [see 1, and 'this\"]:\n\n", ""),
        ("\ufeff\n", "\n"),
    ]
)


def chunked(text: str, cuts: list[int]) -> list[str]:
    edges = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def scan(chunks: list[str] | str, field: str | None = None) -> tuple[ItemScanner, list[Any]]:
    scanner = ItemScanner(field)
    found = [json.loads(item) for chunk in chunks for item in scanner.feed(chunk)]
    return scanner, found


@MODEST
@given(
    items=st.lists(objects, max_size=5),
    layout=layouts,
    shape=shapes,
    wrapping=wrappings,
    cuts=st.lists(st.integers(0, 10_000), max_size=12),
)
def test_the_items_are_the_list_however_it_is_cut(
    items: list[Any],
    layout: dict[str, Any],
    shape: Shape,
    wrapping: tuple[str, str],
    cuts: list[int],
) -> None:
    raw = [json.dumps(item, **layout) for item in items]
    text = wrapping[0] + shape.text(raw) + wrapping[1]
    scanner = ItemScanner("items")
    given_out = [item for chunk in chunked(text, cuts) for item in scanner.feed(chunk)]
    assert given_out == raw
    assert scanner.is_complete is (bool(items) or shape is not LINES)
    assert (scanner.pending_text, scanner.refused) == ("", 0)


@MODEST
@given(
    items=st.lists(objects, min_size=1, max_size=4),
    layout=layouts,
    shape=shapes,
    wrapping=wrappings,
    data=st.data(),
)
def test_a_prefix_gives_the_items_wholly_inside_it(
    items: list[Any],
    layout: dict[str, Any],
    shape: Shape,
    wrapping: tuple[str, str],
    data: st.DataObject,
) -> None:
    raw = [json.dumps(item, **layout) for item in items]
    text = wrapping[0] + shape.text(raw)
    kept = data.draw(st.integers(0, len(text) - 1))
    head = wrapping[0] + shape.before
    ends = [len(head + shape.between.join(raw[:count])) for count in range(1, len(raw) + 1)]
    scanner = ItemScanner("items")
    given_out = scanner.feed(text[:kept])
    assert given_out == raw[: sum(end <= kept for end in ends)]
    assert text[:kept].endswith(scanner.pending_text)
    if shape is not LINES:
        assert not scanner.is_complete


@MODEST
@given(items=st.lists(objects, min_size=1, max_size=5), extra=st.sampled_from(["", "Sure:\n"]))
def test_without_a_name_the_first_array_of_objects_is_taken(items: list[Any], extra: str) -> None:
    text = extra + json.dumps({"n": [], "of": ["x", {}], "found": items, "also": [{"no": 1}]})
    assert scan(text)[1] == scan([text])[1] == items
    assert scan([text])[0].is_complete


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('{"a": 1}\n{"b": [{"c": 2}]}\n', [{"a": 1}, {"b": [{"c": 2}]}]),
        ('{"name": "x", "tags": [], "refs": ["a", {"b": 1}]}', None),
        ('{"a": {"items": [{"b": 1}]}}', None),
        ("{}{}", [{}, {}]),
        ('{"a": "\\"}{\\\\"}', [{"a": '"}{\\'}]),
    ],
)
def test_objects_one_after_another_are_the_items(text: str, items: list[Any] | None) -> None:
    for chunks in (text, [text]):
        scanner, found = scan(chunks)
        assert found == (items or [json.loads(text)])
        assert scanner.is_complete


@pytest.mark.parametrize("text", ['{"items": []}', "[]", "None at all: [\n]", '{"x" : [ ] }'])
def test_an_empty_list_is_complete(text: str) -> None:
    scanner, found = scan(text)
    assert (found, scanner.is_complete, scanner.refused) == ([], True, 0)


def test_a_box_to_tick_in_prose_is_not_the_end() -> None:
    scanner = ItemScanner()
    assert scanner.feed('- [ ] first\n\n[{"a": 1},') == ['{"a": 1}']
    assert not scanner.is_complete
    assert scanner.feed('{"b": 2}] and [{"no": 1}]') == ['{"b": 2}']
    assert scanner.is_complete


def test_a_bracket_that_may_open_another_object_is_not_the_end() -> None:
    scanner = ItemScanner()
    assert scanner.feed('{"a": 1}\n{ ') == ['{"a": 1}']
    assert (scanner.is_complete, scanner.pending_text) == (False, "{ ")
    assert scanner.feed("in prose}") == []
    assert (scanner.is_complete, scanner.pending_text) == (True, "")


def test_only_prose_is_neither_complete_nor_an_item() -> None:
    scanner, found = scan("I could not find {any} of [those], sorry.")
    assert (found, scanner.is_complete, scanner.pending_text) == ([], False, "")


@pytest.mark.parametrize("tail", ["", ', "why": "bec', ', "more": [{"x": 1}]'])
def test_what_encloses_the_items_must_be_closed_to_its_end(tail: str) -> None:
    scanner, found = scan('{"items": [{"a": 1}]' + tail, "items")
    assert (found, scanner.is_complete, scanner.pending_text) == ([{"a": 1}], False, "")


def test_a_cut_object_is_not_given_but_kept_as_the_rest() -> None:
    scanner, found = scan('[{"a": 1}, {"quote": "the mayor sa')
    assert found == [{"a": 1}]
    assert scanner.pending_text == '{"quote": "the mayor sa'
    assert not scanner.is_complete


def test_what_is_not_an_object_in_the_items_place_is_refused_and_counted() -> None:
    text = '[{"a": 1}, "{x}", 12 , null, [{"no": 1}], {"b": NaN}, {"c": 1,}, {"d": 4}]'
    scanner, found = scan(text)
    assert found == [{"a": 1}, {"d": 4}]
    assert (scanner.refused, scanner.is_complete) == (6, True)


@pytest.mark.parametrize("text", ['{"items": null}', '{"items": {"a": 1}}', '{"items": "[{}]"}'])
def test_a_named_field_without_an_array_gives_nothing(text: str) -> None:
    scanner, found = scan(text, "items")
    assert (found, scanner.refused, scanner.is_complete) == ([], 1, True)


def test_the_fields_name_may_be_written_with_escapes() -> None:
    assert scan('{"\\u0069tems": [{"a": 1}]}', "items")[1] == [{"a": 1}]


def test_a_huge_integer_is_passed_on_as_it_stands() -> None:
    item = '{"n": ' + "9" * 6000 + "}"
    assert ItemScanner().feed(f"[{item}]") == [item]


def test_nesting_is_bounded() -> None:
    deep = '[{"a":' + "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2) + "}]"
    assert len(ItemScanner().feed(deep)) == 1
    scanner = ItemScanner()
    assert scanner.feed('[{"a": 1}, {"a":' + "[" * MAX_DEPTH) == ['{"a": 1}']
    for _ in range(2):
        with pytest.raises(AnswerInvalid, match="deeper than 200"):
            scanner.feed("[")


def test_brackets_that_do_not_match_end_it() -> None:
    scanner = ItemScanner()
    assert scanner.feed('[{"a": 1}, ') == ['{"a": 1}']
    with pytest.raises(AnswerInvalid, match="'}' where a ']' belongs"):
        scanner.feed('{"b": [1}, {"c": 3}]')
    assert not scanner.is_complete


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("", ""), ('{"n": [1], "items": [', "]}")]
)
def test_one_character_at_a_time_costs_no_more_than_the_text(opening: str, closing: str) -> None:
    """Were the open object copied with each character, this would take minutes."""
    item = '{"quote": "' + "ab\\n" * 150_000 + '"}'
    scanner = ItemScanner("items")
    assert [whole for sign in opening + item + closing for whole in scanner.feed(sign)] == [item]
    assert scanner.is_complete


def test_many_arrays_before_the_items_cost_no_more_than_the_text() -> None:
    text = "{" + '"b": [2], ' * 50_000 + '"items": [{"x": 1}]}'
    assert scan([text], "items")[1] == scan([text])[1] == [{"x": 1}]


@MODEST
@given(value=values, layout=layouts)
def test_the_whole_value_is_found(value: Any, layout: dict[str, Any]) -> None:
    raw = json.dumps(value, **layout)
    assert parse_whole_json(raw) == parse_whole_json(f"```json\n{raw}\n```") == value
    if isinstance(value, dict | list):
        assert parse_whole_json(f"Here it is [see below]:\n{raw}\nI hope it's right.") == value


@MODEST
@given(value=objects.filter(bool), data=st.data())
def test_a_cut_value_is_never_taken_for_whole(value: Any, data: st.DataObject) -> None:
    raw = json.dumps(value)
    with pytest.raises(AnswerInvalid):
        parse_whole_json(raw[: data.draw(st.integers(0, len(raw) - 1))])


def test_of_several_values_the_fenced_one_is_the_answer() -> None:
    assert parse_whole_json('As {"a": 1} in [2] shows:\n```json\n{"b": 2}\n```\n') == {"b": 2}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON values"),
        ("I cannot help with that.", "cannot help"),
        ('{"a": 1} {"b": 2}', "2 JSON values"),
        ('{"items": [{"a": 1}', "cut off"),
        ('{"a": 1,}', "not JSON"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": [1}', "do not match"),
        ("[" * 5000, "deeper"),
        ('{"n": ' + "9" * 6000 + "}", "not JSON"),
    ],
)
def test_what_is_no_single_value_is_refused_with_what_was_found(text: str, says: str) -> None:
    with pytest.raises(AnswerInvalid, match=says) as caught:
        parse_whole_json(text)
    assert len(str(caught.value)) < 400
