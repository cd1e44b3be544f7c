"""`python -m bench.civic_pace`: how long a pass over 500 cities of ten vendors takes.

The plan, the pacing and the rate of the queue are the real ones; the time is virtual, and the
requests are not sent. Two workers share a database. Each look at a city leads to two further
pages, and every response takes a second.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from tests.llm.virtual import LoopClock, run_virtually

from assay.app import App
from assay.app.composition import init_home
from assay.clock import TurnedClock
from assay.packs.civic.cities import add_city, build_options, plan_due_syncs
from assay.packs.civic.portals import PORTALS
from assay.settings import load_settings
from assay.sources.pacing import HostPacer
from assay.sources.shared_pacing import SharedHostSchedule
from assay.spine.listing import LISTING
from assay.spine.sentinel import SENTINEL

VENDORS = {portal.name: portal for portal in PORTALS[:10]}
_PAGES = 2
_ANSWER_S = 1.0
_WORKERS = 2


@dataclass(frozen=True)
class SentRequest:
    """A request as it was sent."""

    at_s: float
    vendor: str
    city: str
    begins_check: bool


@dataclass
class Simulation:
    """Workers that look at cities in the order of a plan."""

    app: App
    plan: Sequence[tuple[str, str]]
    """Vendor and city."""
    random: Random = field(default_factory=lambda: Random(1))
    sent: list[SentRequest] = field(default_factory=list)

    def run(self) -> list[SentRequest]:
        """Every request, in order."""
        run_virtually(self._work())
        return self.sent

    async def _work(self) -> None:
        looks, pages = deque(self.plan), deque[tuple[str, str]]()
        starts: deque[float] = deque(maxlen=SENTINEL.queue.rate)
        open_looks = [0]

        async def look(pacer: HostPacer) -> None:
            while looks:
                if len(starts) == starts.maxlen:
                    await asyncio.sleep(max(0.0, starts[0] + SENTINEL.queue.per - _now_s()))
                    if starts[0] + SENTINEL.queue.per > _now_s() or not looks:
                        continue
                starts.append(_now_s())
                open_looks[0] += 1
                vendor, city = looks.popleft()
                await self._send(pacer, vendor, city, begins_check=True)
                pages.extend([(vendor, city)] * _PAGES)
                open_looks[0] -= 1

        async def read(pacer: HostPacer) -> None:
            while looks or open_looks[0] or pages:
                if pages:
                    await self._send(pacer, *pages.popleft(), begins_check=False)
                else:
                    await asyncio.sleep(0.5)

        hands = []
        for _ in range(_WORKERS):
            pacer = HostPacer(
                SharedHostSchedule(self.app.engine, LoopClock()),
                per_host=2,
                in_all=16,
                longest_wait_s=120.0,
                sleep=asyncio.sleep,
            )
            hands += [look(pacer) for _ in range(SENTINEL.queue.concurrency)]
            hands += [read(pacer) for _ in range(LISTING.queue.concurrency)]
        await asyncio.gather(*hands)

    async def _send(self, pacer: HostPacer, vendor: str, city: str, *, begins_check: bool) -> None:
        pace = VENDORS[vendor].choose_pace(self.random, begins_check=begins_check)
        assert pace is not None
        async with pacer.take_turn(pace, city):
            self.sent.append(SentRequest(_now_s(), vendor, city, begins_check))
            await asyncio.sleep(_ANSWER_S)


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def add_cities(app: App, count: int) -> None:
    """Cities of ten vendors; their names do not give away the vendor."""
    names = list(VENDORS)
    for number in range(count):
        portal = VENDORS[names[number % len(names)]]
        options = build_options(f"elm{number}-oh", "UTC")
        add_city(app.services, portal, f"elm{number}OH", f"Elm {number}", options)


def plan_cities(app: App) -> list[tuple[str, str]]:
    """The vendor and the city of every look that is due, in the order of the plan."""
    names = list(VENDORS)
    cities = [payload.source_slug or "" for _, payload in plan_due_syncs(app.services)]
    return [(names[int(city[3:-2]) % len(names)], city) for city in cities]


def measure_gaps(sent: Sequence[SentRequest]) -> tuple[float, float]:
    """The shortest time between two requests to a vendor, and between checks of two vendors."""
    gaps = []
    for vendor in {request.vendor for request in sent}:
        times = sorted(request.at_s for request in sent if request.vendor == vendor)
        gaps += [later - earlier for earlier, later in pairwise(times)]
    checks = [request for request in sent if request.begins_check]
    breaks = [
        later.at_s - earlier.at_s
        for earlier, later in pairwise(checks)
        if earlier.vendor != later.vendor
    ]
    return min(gaps), min(breaks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cities", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(home=Path(folder), env={})
        init_home(settings)
        with App(settings, clock=TurnedClock()) as app:
            app.migrate()
            add_cities(app, given.cities)
            sent = Simulation(app, plan_cities(app)).run()
    gap_s, break_s = measure_gaps(sent)
    hours = (sent[-1].at_s + _ANSWER_S) / 3600
    vendors = Counter(request.vendor for request in sent)
    sys.stdout.write(
        f"{given.cities} cities of {len(vendors)} vendors: {len(sent)} requests in {hours:.2f} h; "
        f"at least {gap_s:.1f} s between requests to a vendor, "
        f"and {break_s:.1f} s between checks of two vendors\n"
    )


if __name__ == "__main__":
    main()
