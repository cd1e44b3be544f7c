"""What stands in the place of a list, or of an item in it, is told and not passed over."""

from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from assay.llm.calls import LiveAnswer, ReplayedAnswer
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.messages import ModelRequest
from assay.llm.structured import LiveItems


class Named(BaseModel):
    name: str


def items(text: str) -> LiveItems[Named]:
    request = ModelRequest(user="Who?", max_tokens=100)
    return LiveItems(ReplayedAnswer(text, "stop", ScriptedProvider(), request), Named, "people")


async def read(found: LiveItems[Named]) -> list[str]:
    return [each.name async for each in found]


@pytest.mark.parametrize(
    ("text", "names", "refused", "complete"),
    [
        ('{"people": [{"name": "Ada"}]}', ["Ada"], 0, True),
        ('{"people": []}', [], 0, True),
        ('{"people": {"name": "Ada"}}', [], 1, True),
        ('{"people": "Ada"}', [], 1, True),
        ('{"people": null}', [], 1, True),
        ('{"people": ["Ada", 7, null]}', [], 3, True),
        ('{"people": [{"name": "Ada"}, "Bob"]}', ["Ada"], 1, True),
        ('{"people": [{"name": "Ada"}, {"na', ["Ada"], 0, False),
        ("I am sorry.", [], 0, False),
        ("", [], 0, False),
    ],
)
async def test_what_is_no_item_is_counted(
    text: str, names: list[str], refused: int, complete: bool
) -> None:
    found = items(text)
    assert await read(found) == names
    assert (found.refused_count, found.is_complete) == (refused, complete)
    assert found.rejected == []


async def test_a_kept_answer_is_whole_and_costs_nothing() -> None:
    found = items('{"people": [{"name": "Ada"}]}')
    live: LiveAnswer = found.live
    assert live.finish is None
    pieces: AsyncIterator[str] = live.__aiter__()
    assert [piece async for piece in pieces] == ['{"people": [{"name": "Ada"}]}']
    assert live.finish == "stop"
    assert live.uncounted_text == ""
    assert live.usage is not None and live.usage.total_tokens == 0
