"""Made-up sources with seeds: how often the alarm is false, and how soon it is right."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.sources.yields import DAY_MS, YieldHistory, YieldLevel, judge_yield, record_look

Look = tuple[int, int]
"""Items, and new ones among them."""
World = Callable[[random.Random, int], Iterator[Look]]


def chance(rng: random.Random, mean: float) -> int:
    """A number of things that happen by chance (Poisson)."""
    limit, count, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        count += 1
        product *= rng.random()
    return count


def steady(rng: random.Random, days: int) -> Iterator[Look]:
    """A page of about forty entries; two new ones a day."""
    for _ in range(days):
        yield rng.randint(38, 44), chance(rng, 2.0)


def small(rng: random.Random, days: int) -> Iterator[Look]:
    """What was published in the last week, which is little."""
    week = [0] * 7
    for _ in range(days):
        new = chance(rng, 0.3)
        week = [*week[1:], new]
        yield sum(week), new


def weekly(rng: random.Random, days: int) -> Iterator[Look]:
    """What was published today: a heap on Mondays, nothing on other days."""
    for day in range(days):
        new = rng.randint(5, 30) if day % 7 == 0 else 0
        yield new, new


def weekdays(rng: random.Random, days: int) -> Iterator[Look]:
    """What was published today: nothing at weekends and on some holidays."""
    for day in range(days):
        free = day % 7 in (5, 6) or rng.random() < 0.03
        new = 0 if free else chance(rng, 12.0)
        yield new, new


def growing(rng: random.Random, days: int) -> Iterator[Look]:
    """A sitemap that grows every day."""
    items = 100
    for _ in range(days):
        new = chance(rng, 3.0)
        items += new
        yield items, new


def irregular(rng: random.Random, days: int) -> Iterator[Look]:
    """A page of twenty entries; something new every ten days by chance alone."""
    for _ in range(days):
        yield 20, chance(rng, 0.1)


def bursty(rng: random.Random, days: int) -> Iterator[Look]:
    """A page of fifty entries; gaps of a day and of weeks, with heaps between them."""
    wait = 0.0
    for _ in range(days):
        wait -= 1
        new = 0
        while wait <= 0:
            new += rng.randint(1, 20)
            wait += rng.lognormvariate(1.2, 1.0)
        yield 50, new


GOOD: dict[str, World] = {
    world.__name__: world for world in (steady, small, weekly, weekdays, growing, irregular, bursty)
}


def emptied(world: World, after: int) -> World:
    """The same source, of which nothing is found any more."""
    return _broken(world, after, lambda items, new: (0, 0))


def shrunk(world: World, after: int) -> World:
    """The same source, of which a tenth is still found."""
    return _broken(world, after, lambda items, new: (items // 10, 0))


def frozen(world: World, after: int) -> World:
    """The same source, which serves the same page for ever."""
    return _broken(world, after, lambda items, new: (items, 0))


def _broken(world: World, after: int, change: Callable[[int, int], Look]) -> World:
    def looks(rng: random.Random, days: int) -> Iterator[Look]:
        for day, (items, new) in enumerate(world(rng, days)):
            yield change(items, new) if day >= after else (items, new)

    return looks


@dataclass(frozen=True, slots=True)
class Trial:
    """What a run over many sources of one kind gave."""

    looks: int
    alarms: int
    """Alarms that began, not looks that kept one up."""
    sources: int
    alarmed: int
    """Sources that had any."""
    first_days: tuple[int, ...]
    """The day of the first alarm after `since`, for each source that had one."""


def trial(world: World, *, sources: int, days: int, since: int = 0, seed: int = 1) -> Trial:
    """Looks at many sources of one kind every day, and counts the alarms from a day on."""
    looks = alarms = alarmed = 0
    first_days: list[int] = []
    for number in range(sources):
        rng = random.Random(f"{seed}/{number}")
        history, was_alarm, first = YieldHistory(), False, None
        for day, (items, new) in enumerate(world(rng, days)):
            now_ms = (20_000 + day) * DAY_MS
            verdict = judge_yield(history, items, new, now_ms)
            history = record_look(history, items, new, now_ms, verdict)
            is_alarm = verdict.level is not YieldLevel.NORMAL
            if day >= since:
                looks += 1
                alarms += is_alarm and not was_alarm
                first = day if is_alarm and first is None else first
            was_alarm = is_alarm
        alarmed += first is not None
        first_days += [first] if first is not None else []
    return Trial(looks, alarms, sources, alarmed, tuple(first_days))
