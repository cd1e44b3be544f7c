"""Sixteen processes, killed at random: neither cap nor limit is passed by one token.

The long race, with the pace of the defaults, is `make race`.
"""

from tests.llm.race import Course, run

MANY = 10**9


async def test_no_race_passes_a_limit(store_url: str) -> None:
    # All of a minute's worth may go out at once, and none of the next within this race.
    course = Course(
        seconds=58, enough=9_000, rpm=MANY, tpm=10_000, smooth_s=60, cap=MANY, source_cap=MANY
    )
    figures = (await run(course, store_url)).figures()
    assert 9_000 <= figures["most_tokens_in_a_minute"] <= course.tpm
    assert figures["kills"] > 3


async def test_no_race_passes_a_cap(store_url: str) -> None:
    course = Course(
        seconds=90, enough=9_000, rpm=MANY, tpm=MANY, burst=MANY, cap=10_000, source_cap=4_000
    )
    figures = (await run(course, store_url)).figures()
    assert 9_000 <= figures["charged"] <= course.cap
    assert figures["kills"] > 3
