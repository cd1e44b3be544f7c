"""What a body may contain, checked before it is parsed and away from the thread that answers."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from assay.app import App
from assay.errors import AssayError, ContentTooLarge, InvalidInput, TransientError
from assay.packs.graph.results import GraphResult
from assay.sdk import web, web_limits
from assay.sdk.web_limits import SharedBuffer, WebLimits, parse_body, refuse_large_structure
from tests.packs.graph.provider import ONTOLOGY, TEXT, Script
from tests.server import hostile_requests
from tests.server.test_extraction import site
from tests.waiting import PATIENCE_S

LIMITS = WebLimits(body_values=10, body_depth=3)
PLAIN = {"text": TEXT, "ontology": ONTOLOGY, "model": False}
TOO_LARGE = {
    "many keys": hostile_requests.keys(20_000),
    "many numbers": hostile_requests.fill(b"[", b"1,", b"1]"),
    "many objects": hostile_requests.fill(b"[", b"{},", b"{}]"),
    "many fields of one name": hostile_requests.fill(b"{", b'"a":1,', b'"a":1}'),
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 1_000,
    "UTF-16": ("[\u2222" + "1," * 50_000 + "1]").encode("utf-16"),
}

WAIT_S = 60.0
"""How long health may take; it is reached only if it does not answer at all."""


class Anything(BaseModel):
    text: str = ""


@pytest.mark.parametrize("what", TOO_LARGE)
def test_too_much_is_refused_before_it_is_parsed(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(*_: Any, **__: Any) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(json, "loads", parse)
    with pytest.raises((ContentTooLarge, InvalidInput)) as refused:
        parse_body(TOO_LARGE[what], Anything, WebLimits(), "")
    assert refused.value.advice


@pytest.mark.parametrize(
    "value", [[[[]]], {"a": {"b": {"c": 1}}}, ["[" * 50, '"' * 50, "\\" * 51, '\\"[,'], [1] * 10]
)
def test_what_is_within_the_limits_is_not_refused(value: Any) -> None:
    assert not is_refused(value)


@pytest.mark.parametrize(
    "value", [[[[[]]]], [1] * 11, {"a": {"b": {"c": {}}}}, ['\\", [', *"123456789a"]]
)
def test_what_is_beyond_the_limits_is_refused(value: Any) -> None:
    assert is_refused(value)


def is_refused(value: Any) -> bool:
    try:
        refuse_large_structure(json.dumps(value).encode(), LIMITS)
    except AssayError:
        return True
    return False


VALUES = st.recursive(
    st.text(alphabet='ab"\\[]{},:š') | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('"\\[,a'), inner, max_size=4)
    ),
)


def count(value: Any) -> tuple[int, int]:
    """Commas and opening brackets, and how deep it is."""
    if not isinstance(value, list | dict):
        return 0, 0
    inner = [count(each) for each in (value.values() if isinstance(value, dict) else value)]
    many = 1 + max(0, len(value) - 1) + sum(number for number, _ in inner)
    return many, 1 + max((depth for _, depth in inner), default=0)


@given(value=VALUES, slice_=st.integers(1, 9), escaped=st.booleans())
def test_strings_never_count_wherever_a_slice_ends(value: Any, slice_: int, escaped: bool) -> None:
    data = json.dumps(value, ensure_ascii=escaped).encode()
    many, deep = count(value)
    before, web_limits._SLICE = web_limits._SLICE, slice_
    try:
        refuse_large_structure(data, WebLimits(body_values=many, body_depth=deep))
        if many:
            with pytest.raises(ContentTooLarge):
                refuse_large_structure(data, WebLimits(body_values=many - 1, body_depth=deep))
            with pytest.raises(InvalidInput):
                refuse_large_structure(data, WebLimits(body_values=many, body_depth=deep - 1))
    finally:
        web_limits._SLICE = before


def test_bytes_are_held_for_all_together_and_given_back() -> None:
    shared = SharedBuffer(10)
    with shared.hold() as one, shared.hold() as other:
        one.take(6)
        with pytest.raises(TransientError):
            other.take(5)
        other.take(4)
    assert shared.held == 0


class Gate:
    """Holds a thread up until health has answered."""

    def __init__(self) -> None:
        self.reached, self.answered = threading.Event(), threading.Event()

    def hold(self) -> None:
        self.reached.set()
        assert self.answered.wait(WAIT_S), "health does not answer meanwhile"


async def test_a_body_is_checked_while_health_answers(
    home: Path, make_app: Callable[..., App], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()

    def check(*given: Any) -> Any:
        gate.hold()
        return parse_body(*given)

    monkeypatch.setattr(web, "parse_body", check)
    assert await answers_during(home, make_app, gate)


async def test_a_result_is_written_while_health_answers(
    home: Path, make_app: Callable[..., App], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, write = Gate(), GraphResult.to_dict

    def to_dict(result: GraphResult) -> dict[str, Any]:
        gate.hold()
        return write(result)

    monkeypatch.setattr(GraphResult, "to_dict", to_dict)
    assert await answers_during(home, make_app, gate)


async def answers_during(home: Path, make_app: Callable[..., App], gate: Gate) -> bool:
    """Whether health answers while an order is held up, and the order is then carried out."""
    async with site(home, make_app, Script()) as found:
        order = asyncio.create_task(found.post(PLAIN))
        assert await asyncio.to_thread(gate.reached.wait, PATIENCE_S)
        await found.get("/health")
        was_held = not order.done()
        gate.answered.set()
        complete: bool = (await order)["completeness"] == "complete"
        return was_held and complete
