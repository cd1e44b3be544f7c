"""Sixteen processes, killed at random: neither cap nor limit is passed by one token.

The long race, with the pace of the defaults, is `make race`.
"""

from dataclasses import replace

from tests.llm.race import LEAST_KILLS, Course, run
from tests.waiting import PATIENCE_S

MANY = 10**9
PATIENT = Course(
    # A worker that waits for a core keeps its permits; those of the dead do not use up all.
    seconds=PATIENCE_S, lease_ms=15_000, concurrent=40, words_in_flight=None,
    enough=9_000, rpm=MANY, tpm=MANY, burst=MANY, cap=MANY, source_cap=MANY,
)  # fmt: skip


async def test_no_race_passes_a_limit(store_url: str) -> None:
    # All of a minute's worth may go out at once.
    course = replace(PATIENT, tpm=10_000, smooth_s=60, burst=Course.burst)
    figures = (await run(course, store_url)).figures()
    # A call that was taken for lost may be settled for less after the race.
    assert figures["charged"] >= 8_000
    assert figures["most_tokens_in_a_minute"] <= course.tpm
    assert figures["kills"] >= LEAST_KILLS


async def test_no_race_passes_a_cap(store_url: str) -> None:
    course = replace(PATIENT, cap=10_000, source_cap=4_000, forked=True)
    figures = (await run(course, store_url)).figures()
    assert 8_000 <= figures["charged"] <= course.cap
    assert figures["kills"] >= LEAST_KILLS
