"""Pacing that several workers share through their database, on virtual time."""

import asyncio
from itertools import pairwise
from random import Random

import pytest

from assay.app import App
from assay.clock import TurnedClock
from assay.packs.civic.portals import PORTALS
from assay.sources.pacing import HostPacer, Pace
from assay.sources.retrying import RequestFailed
from assay.sources.shared_pacing import SharedHostSchedule
from tests.llm.virtual import LoopClock, run_virtually

Starts = list[tuple[float, str]]


def make_workers(app: App, count: int = 2) -> list[HostPacer]:
    """Pacers of several processes on one store; call it inside the virtual loop."""
    return [
        HostPacer(
            SharedHostSchedule(app.engine, LoopClock()),
            per_host=2,
            in_all=16,
            longest_wait_s=120.0,
            sleep=asyncio.sleep,
        )
        for _ in range(count)
    ]


async def ask(pacer: HostPacer, pace: Pace, starts: Starts) -> None:
    async with pacer.take_turn(pace, "http://a.example/"):
        starts.append((round(asyncio.get_running_loop().time(), 3), pace.line))


def test_the_requests_of_all_workers_to_a_vendor_are_a_gap_apart(app: App) -> None:
    starts: Starts = []

    async def work() -> None:
        random = Random(7)
        asked = []
        for pacer in make_workers(app):
            for _ in range(6):
                pace = PORTALS[0].choose_pace(random)
                assert pace is not None
                asked.append(ask(pacer, pace, starts))
        await asyncio.gather(*asked)

    run_virtually(work())
    gaps = [later - earlier for (earlier, _), (later, _) in pairwise(starts)]
    assert len(gaps) == 11 and all(3 <= gap <= 5.01 for gap in gaps), gaps
    assert len({round(gap, 1) for gap in gaps}) > 3, "there is no jitter"


def test_a_check_of_another_vendor_begins_after_a_break(app: App) -> None:
    starts: Starts = []

    async def work() -> None:
        first, second = make_workers(app)
        for line in ("a", "a", "b", "b", "a"):
            await ask(first, Pace(line, 4.0, True, 30.0), starts)
            # What a check leads to is not held up by another vendor's turn.
            await ask(second, Pace("c", 4.0, True), starts)

    run_virtually(work())
    checks = [time for time, line in starts if line != "c"]
    assert checks == [0.0, 4.0, 34.0, 38.0, 68.0]
    assert [time for time, line in starts if line == "c"] == [0.0, 4.0, 34.0, 38.0, 68.0]


def test_a_vendor_that_asks_for_rest_gets_it_from_all_workers(app: App) -> None:
    starts: Starts = []

    async def work() -> None:
        first, second = make_workers(app)
        vendor = Pace("a", 4.0, True)
        await first.hold(vendor, 60)
        await second.hold(vendor, 5)
        await asyncio.gather(ask(first, vendor, starts), ask(second, vendor, starts))
        await first.hold(vendor, 3600)
        with pytest.raises(RequestFailed, match="asks for a pause of 3600 s"):
            await ask(second, vendor, starts)

    run_virtually(work())
    assert [time for time, _ in starts] == [60.0, 64.0]


def test_other_hosts_have_the_pace_of_their_process(app: App) -> None:
    starts: Starts = []

    async def work() -> None:
        await asyncio.gather(*(ask(p, Pace("a.example", 9.0), starts) for p in make_workers(app)))

    run_virtually(work())
    assert [time for time, _ in starts] == [0.0, 0.0]


async def test_a_clock_that_is_set_back_does_not_close_a_vendor(app: App) -> None:
    clock = TurnedClock()
    starts = SharedHostSchedule(app.engine, clock)
    vendor = Pace("a", 4.0, True)
    assert await starts.claim(vendor) == 0
    assert await starts.claim(vendor) == 4.0
    clock.turn(days=-365)
    assert await starts.claim(vendor) == 0
    assert await starts.claim(vendor) == 4.0
