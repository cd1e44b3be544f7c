"""What is computed in a thread ends when nobody waits for it any longer."""

import asyncio
import threading
from time import monotonic

import pytest

from assay.packs.graph.computing import Unwanted, compute, stop_if_unwanted
from assay.packs.graph.extraction import extract
from assay.packs.graph.pattern_extractor import lexicon
from tests.packs.graph.provider import ONTOLOGY
from tests.waiting import PATIENCE_S, until_async


async def test_a_thread_whose_caller_is_cancelled_stops() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        end = monotonic() + PATIENCE_S
        try:
            while monotonic() < end:
                stop_if_unwanted()
        except Unwanted:
            stopped.set()
            raise

    waiting = asyncio.create_task(compute(work))
    await until_async(begun.is_set)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until_async(stopped.is_set)


async def test_what_is_wanted_is_returned_and_nothing_is_stopped_elsewhere() -> None:
    def add(one: int, other: int) -> int:
        stop_if_unwanted()
        return one + other

    assert await compute(add, 1, other=2) == 3
    stop_if_unwanted()


async def test_an_extraction_that_nobody_waits_for_reads_no_further_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()
    places: list[int] = []
    original = lexicon.Lexicon.find_nouns_at

    def look(self, words, at):  # type: ignore[no-untyped-def]
        places.append(words[at].start)
        begun.set()
        may_go_on.wait(PATIENCE_S)
        return original(self, words, at)

    monkeypatch.setattr(lexicon.Lexicon, "find_nouns_at", look)
    text = "The film Dune is long. " * 100
    waiting = asyncio.create_task(extract(text, ONTOLOGY))
    await until_async(begun.is_set)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    may_go_on.set()
    # The same thread pool, so that this comes after what was still under way.
    await asyncio.get_running_loop().shutdown_default_executor()
    assert max(places) < len("The film Dune is long. ")
