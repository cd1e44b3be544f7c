"""An answer has a size, says what is missing, and hides nothing."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.assistants.bounds import MOST_NOTES, bound_answer

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=20), inner),
    max_leaves=60,
)


def measure(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def test_what_fits_is_left_alone() -> None:
    value = {"rules": [{"value": "25", "page": None, "holds": True}], "more": 0}
    answer = bound_answer(value)
    assert (answer.result, answer.left_out) == (value, [])


def test_one_large_text_does_not_displace_the_rest() -> None:
    value = {"text": "x" * 100_000, "release": {"version": "1.0.0"}, "rules": ["a", "b"]}
    answer = bound_answer(value, 1_000)
    assert answer.result["release"] == {"version": "1.0.0"}
    assert answer.result["rules"] == ["a", "b"]
    assert 800 < len(answer.result["text"]) < 1_000
    (note,) = answer.left_out
    assert note.startswith("result.text: ") and "of 100000 characters left out" in note


def test_a_long_list_keeps_its_first_entries() -> None:
    answer = bound_answer({"quotes": [{"quote": f"{n} {'q' * 90}"} for n in range(500)]}, 2_000)
    kept = len(answer.result["quotes"])
    assert answer.result["quotes"][0]["quote"].startswith("0 ") and 10 < kept < 30
    assert answer.left_out == [f"result.quotes: {500 - kept} of 500 entries left out."]


def test_the_notes_are_bounded_too() -> None:
    answer = bound_answer({f"text{n}": "x" * 1_000 for n in range(100)}, 5_000)
    notes = answer.as_json()["left_out"]
    assert len(notes) == MOST_NOTES + 1
    assert notes[-1] == "80 more places were shortened."


@given(value=ANYTHING, room=st.integers(min_value=100, max_value=2_000))
def test_every_answer_is_bounded_and_can_be_written(value: Any, room: int) -> None:
    answer = bound_answer({"value": value}, room)
    json.dumps(answer.as_json(), allow_nan=False).encode()
    # Names of entries and their punctuation are kept even where there is no room for a value.
    names = sum(map(_measure_names, [answer.result]))
    assert measure(answer.result) <= room + names


def _measure_names(value: Any) -> int:
    if isinstance(value, dict):
        return sum(measure(name) + 60 + _measure_names(entry) for name, entry in value.items())
    if isinstance(value, list):
        return 60 + sum(map(_measure_names, value))
    return 60


def test_what_nobody_sees_is_written_out() -> None:
    hidden = "a\x1b[2J\x00b\u200bc\u202ed\U000e006fe\ufefff\ud800g\nh\ti"
    answer = bound_answer({"quote": hidden, f"k\x1b{'x'}": 1})
    assert answer.result["quote"] == (
        "a\\u001b[2J\\u0000b\\u200bc\\u202ed\\U000e006fe\\ufefff\\ud800g\nh\ti"
    )
    assert "k\\u001bx" in answer.result


def test_moments_are_written_as_dates() -> None:
    answer = bound_answer({"deadline_ms": 1_700_000_000_000, "at_ms": None, "size_ms": 10**20})
    assert answer.result == {"deadline": "2023-11-14T22:13:20Z", "at_ms": None, "size_ms": 10**20}
