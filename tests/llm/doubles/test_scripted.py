"""Words are counted, and the scripted provider does exactly what it is told."""

import asyncio

import pytest

from assay.errors import InternalError, ProviderBusy, StreamCut
from assay.llm.doubles.scripted import Cut, Fail, Hang, Say, ScriptedProvider, ScriptEntry
from assay.llm.doubles.words import (
    count_tokens,
    split_by_length,
    split_pieces,
    split_words,
    take_words,
)
from assay.llm.messages import AnswerPiece, ModelRequest, RateHints, Usage

ASKED = ModelRequest(system="be brief", user="what is this", max_tokens=100)


async def taken(provider: ScriptedProvider, request: ModelRequest = ASKED) -> list[AnswerPiece]:
    async with provider.open(request) as stream:
        return [piece async for piece in stream]


@pytest.mark.parametrize("text", ["", " ", "a", " a  b\nc ", '{"a": [1, 2]}', "ž š\tć"])
def test_a_text_is_split_without_a_loss(text: str) -> None:
    assert "".join(split_words(text)) == text
    assert "".join(split_by_length(text, 2)) == text
    for pieces in (1, 2, 3, 50):
        split = split_pieces(text, pieces)
        assert "".join(split) == text
        assert len(split) <= pieces and all(split)
    assert sum(count_tokens(part) for part in split_words(text)) == count_tokens(text)


def test_the_first_words_are_no_more_than_asked_for() -> None:
    assert take_words(" a  b c ", 2) == " a  b"
    assert take_words("a b", 2) == "a b"
    assert take_words("a b", 0) == ""


async def test_a_scripted_answer_comes_word_by_word_with_its_usage_at_the_end() -> None:
    provider = ScriptedProvider(script=[Say("one two three")])
    assert await taken(provider) == [
        AnswerPiece("one "),
        AnswerPiece("two "),
        AnswerPiece("three", usage=Usage(5, 3), finish="stop"),
    ]
    assert provider.requests == [ASKED]
    assert (provider.opens, provider.closes, provider.finished) == (1, 1, 1)


async def test_a_scripted_answer_takes_pieces_usage_finish_and_hints_as_told() -> None:
    hints = RateHints(requests_remaining=3)
    entries = [
        Say("abcdef", pieces=2, usage=None, finish="refusal", hints=hints),
        Say("abc", usage=Usage(70, 7)),
        Say(""),
    ]
    provider = ScriptedProvider(script=entries)
    async with provider.open(ASKED) as stream:
        assert stream.hints is hints
        pieces = [piece async for piece in stream]
    assert pieces == [AnswerPiece("abc"), AnswerPiece("def", finish="refusal")]
    assert await taken(provider) == [AnswerPiece("abc", usage=Usage(70, 7), finish="stop")]
    assert await taken(provider) == [AnswerPiece("", usage=Usage(5, 0), finish="stop")]


async def test_a_scripted_answer_stops_at_the_bound_unless_told_otherwise() -> None:
    provider = ScriptedProvider(script=[Say("a b c"), Say("a b c", bounded=False)])
    bounded = ModelRequest(user="x", max_tokens=2)
    assert (await taken(provider, bounded))[-1] == AnswerPiece(
        "b", usage=Usage(1, 2), finish="length"
    )
    assert (await taken(provider, bounded))[-1] == AnswerPiece(
        "c", usage=Usage(1, 3), finish="stop"
    )


@pytest.mark.parametrize(
    ("entry", "error", "texts"),
    [
        (Fail(ProviderBusy("Busy.")), ProviderBusy, []),
        (Fail(ProviderBusy("Busy."), after=2), ProviderBusy, ["w1 ", "w2"]),
        (Cut(after=1, text="one two"), StreamCut, ["one"]),
        (Cut(), StreamCut, []),
    ],
)
async def test_a_script_fails_when_it_is_told_to(
    entry: ScriptEntry, error: type[Exception], texts: list[str]
) -> None:
    provider = ScriptedProvider(script=[entry])
    seen: list[str] = []
    with pytest.raises(error):
        async with provider.open(ASKED) as stream:
            async for piece in stream:
                seen.append(piece.text)
    assert seen == texts
    assert (provider.under_way, provider.finished) == (0, 0)


@pytest.mark.parametrize("entry", [Hang(entering=True), Hang(after=2, counted=True)])
async def test_a_hanging_script_ends_with_its_task(entry: Hang) -> None:
    provider = ScriptedProvider(script=[entry])
    task = asyncio.create_task(taken(provider))
    for _ in range(10):
        await asyncio.sleep(0)
    assert (provider.under_way, task.done()) == (1, False)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (provider.under_way, provider.finished) == (0, 0)


async def test_a_cut_script_can_tell_the_usage_so_far() -> None:
    provider = ScriptedProvider(script=[Cut(after=2, counted=True)])
    usages: list[Usage | None] = []
    with pytest.raises(StreamCut):
        async with provider.open(ASKED) as stream:
            async for piece in stream:
                usages.append(piece.usage)
    assert usages == [Usage(5, 1), Usage(5, 2)]


async def test_a_script_may_depend_on_the_request_and_goes_on_as_told() -> None:
    provider = ScriptedProvider(
        script=[lambda request: Say(request.user.upper())], then=Say("always")
    )
    provider.add(Say("added"))
    said = ["".join(piece.text for piece in await taken(provider)) for _ in range(4)]
    assert said == ["WHAT IS THIS", "added", "always", "always"]


async def test_a_script_that_is_over_is_an_error() -> None:
    provider = ScriptedProvider(name="short", script=[Say("once")])
    await taken(provider)
    with pytest.raises(InternalError, match="short"):
        await taken(provider)
    assert provider.under_way == 0


async def test_the_scripted_provider_sees_how_many_calls_are_under_way() -> None:
    provider = ScriptedProvider(then=Say("a b", delay_s=0.001))
    await asyncio.gather(*(taken(provider) for _ in range(4)))
    await taken(provider)
    assert (provider.max_concurrent, provider.opens, provider.finished) == (4, 5, 5)
    await provider.close()
    assert provider.closed
