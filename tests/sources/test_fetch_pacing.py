"""Turns: a gap at each host, caps for each host and for all, and nobody holds up the others."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.clock import TurnedClock
from assay.sources.pacing import HostPacer, LocalHostSchedule, Pace
from assay.sources.retrying import RequestFailed
from tests.llm.virtual import LoopClock, run_virtually, virtually


@dataclass
class Watched:
    """A pacing, and what happened under it."""

    per_host: int = 2
    in_all: int = 16
    starts: list[tuple[float, str]] = field(default_factory=list)
    open_now: dict[str, int] = field(default_factory=dict)
    most_open: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pacing = HostPacer(
            LocalHostSchedule(LoopClock()),
            per_host=self.per_host,
            in_all=self.in_all,
            longest_wait_s=120.0,
            sleep=asyncio.sleep,
        )

    async def ask(self, host: str, *, gap_s: float = 1.0, takes_s: float = 0.0) -> None:
        async with self.pacing.take_turn(Pace(host, gap_s), f"http://{host}/"):
            self.starts.append((round(asyncio.get_running_loop().time(), 3), host))
            for key in (host, "all"):
                self.open_now[key] = self.open_now.get(key, 0) + 1
                self.most_open[key] = max(self.most_open.get(key, 0), self.open_now[key])
            await asyncio.sleep(takes_s)
            for key in (host, "all"):
                self.open_now[key] -= 1

    def times(self, host: str) -> list[float]:
        return [time for time, asked in self.starts if asked == host]


@virtually
async def test_starts_at_one_host_are_a_gap_apart() -> None:
    watched = Watched()
    await asyncio.gather(*(watched.ask("a.example", gap_s=1.5) for _ in range(5)))
    assert watched.times("a.example") == [0.0, 1.5, 3.0, 4.5, 6.0]


@virtually
async def test_no_more_requests_are_open_than_a_host_may_have() -> None:
    watched = Watched(per_host=2)
    await asyncio.gather(*(watched.ask("a.example", gap_s=1, takes_s=10) for _ in range(6)))
    assert watched.most_open["a.example"] == 2
    assert watched.times("a.example") == [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]


@virtually
async def test_no_more_requests_are_open_than_all_hosts_may_have() -> None:
    watched = Watched(in_all=3)
    await asyncio.gather(*(watched.ask(f"{n}.example", takes_s=1) for n in range(9)))
    assert watched.most_open["all"] == 3
    assert [time for time, _ in watched.starts] == [0.0] * 3 + [1.0] * 3 + [2.0] * 3


@virtually
async def test_a_slow_host_does_not_hold_up_the_others() -> None:
    watched = Watched(per_host=2, in_all=4)
    slow = [watched.ask("slow.example", gap_s=30, takes_s=100) for _ in range(50)]
    quick = [watched.ask("quick.example", gap_s=1, takes_s=0.1) for _ in range(20)]
    crowd = asyncio.gather(*slow)
    await asyncio.gather(*quick)
    assert watched.times("quick.example") == [float(second) for second in range(20)]
    assert len(watched.times("slow.example")) == 1
    crowd.cancel()


@virtually
async def test_a_place_among_all_is_not_kept_while_waiting_for_a_gap() -> None:
    watched = Watched(in_all=1)
    await asyncio.gather(
        *(watched.ask("a.example", gap_s=10) for _ in range(3)), watched.ask("b.example")
    )
    assert watched.times("b.example") == [0.0]
    assert watched.times("a.example") == [0.0, 10.0, 20.0]


@virtually
async def test_gaps_hold_even_after_a_wait_for_a_place() -> None:
    watched = Watched(in_all=1)
    long = watched.ask("other.example", takes_s=30)
    await asyncio.gather(long, *(watched.ask("a.example", gap_s=2) for _ in range(3)))
    assert watched.times("a.example") == [30.0, 32.0, 34.0]


@virtually
async def test_a_host_that_asks_for_rest_gets_it_from_everyone() -> None:
    watched = Watched()
    await watched.ask("a.example", gap_s=0)
    await watched.pacing.hold(Pace("a.example"), 60)
    await watched.pacing.hold(Pace("a.example"), 5)  # the longer wish stands
    await asyncio.gather(*(watched.ask("a.example", gap_s=0) for _ in range(2)))
    assert watched.times("a.example") == [0.0, 60.0, 60.0]


@virtually
async def test_nobody_waits_for_a_host_that_asks_for_more_than_is_granted() -> None:
    watched = Watched()
    await watched.pacing.hold(Pace("a.example"), 3600)
    with pytest.raises(
        RequestFailed, match=r"http://a.example/ is not requested: .* of 3600 s"
    ) as told:
        await watched.ask("a.example")
    assert told.value.retry_after_s == 3600
    await watched.ask("b.example")


@virtually
async def test_who_is_cancelled_leaves_the_place_to_the_next() -> None:
    watched = Watched(per_host=1, in_all=1)
    holder = asyncio.create_task(watched.ask("a.example", gap_s=0, takes_s=1000))
    waiter = asyncio.create_task(watched.ask("a.example", gap_s=0))
    await asyncio.sleep(1)
    waiter.cancel()
    holder.cancel()
    await asyncio.gather(holder, waiter, return_exceptions=True)
    assert holder.cancelled() and waiter.cancelled()
    await asyncio.wait_for(watched.ask("a.example", gap_s=0), timeout=1)
    assert watched.pacing._lines == {}


@virtually
async def test_nothing_is_kept_of_hosts_that_nobody_asks() -> None:
    watched = Watched()
    await asyncio.gather(*(watched.ask(f"{n}.example", gap_s=0) for n in range(100)))
    assert watched.pacing._lines == {}
    assert watched.pacing._all is None


async def test_a_clock_that_is_set_back_closes_no_host() -> None:
    clock = TurnedClock()
    starts = LocalHostSchedule(clock)
    assert await starts.claim(Pace("a.example", 1.0)) == 0
    clock.turn(days=-365)
    assert await starts.claim(Pace("a.example", 1.0)) == 1.0


async def test_old_starts_are_forgotten() -> None:
    clock = TurnedClock()
    starts = LocalHostSchedule(clock)
    for number in range(25_000):
        assert await starts.claim(Pace(f"{number}.example", 1.0)) == 0
        clock.turn(seconds=0.01)
    assert len(starts._free) <= 10_000


@settings(max_examples=50, deadline=None)
@given(
    asks=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.floats(0, 5).map(lambda seconds: round(seconds, 1)),
            st.floats(0, 5).map(lambda seconds: round(seconds, 1)),
        ),
        max_size=25,
    ),
    per_host=st.integers(1, 3),
    in_all=st.integers(1, 4),
)
def test_gaps_and_caps_hold_whatever_comes(
    asks: list[tuple[str, float, float]], per_host: int, in_all: int
) -> None:
    async def scene() -> Watched:
        watched = Watched(per_host, in_all)

        async def one(host: str, comes_s: float, takes_s: float) -> None:
            await asyncio.sleep(comes_s)
            await watched.ask(host, gap_s=1.0, takes_s=takes_s)

        await asyncio.gather(*(one(*ask) for ask in asks))
        return watched

    watched = run_virtually(scene())
    assert len(watched.starts) == len(asks)
    assert watched.most_open.get("all", 0) <= in_all
    for host in "abc":
        times = watched.times(host)
        assert all(later - sooner >= 0.999 for sooner, later in pairwise(times))
        assert watched.most_open.get(host, 0) <= per_host
