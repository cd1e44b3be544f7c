"""When an endpoint is looked at, what a look says of its pace, and the alarm when it falls off."""

from collections.abc import Sequence

from assay.sources.intervals import HOUR_MS, compute_next_due_ms
from assay.store import tables as t
from tests.spine.sites import Watch, index, links, sitemap


def looks(watch: Watch, run_id: str) -> list[str]:
    """The endpoints that a run looked at."""
    return sorted(row["subject"] for row in watch.rows(t.job, stage="sentinel", run_id=run_id))


def test_an_endpoint_is_looked_at_when_it_is_due(watch: Watch) -> None:
    hours = {"EVERY_RUN": 0, "DAILY": 24, "TWICE_WEEKLY": 84, "WEEKLY": 168, "MONTHLY": 720}
    for frequency in hours:
        watch.endpoint(f"/{frequency}", name=frequency, frequency=frequency)
        watch.show(f"/{frequency}", sitemap(f"/act-{frequency}"))
    assert looks(watch, watch.run()) == sorted(hours)
    began = watch.clock.now_ms()
    for frequency, wait in hours.items():
        assert watch.state(frequency)["next_due_ms"] == began + wait * HOUR_MS
    for wait in (24, 84, 168, 720):
        watch.clock.turn(seconds=(began - watch.clock.now_ms()) / 1000 + wait * 3600 - 1)
        early = looks(watch, watch.run())
        watch.clock.turn(seconds=1)
        due = {name for name, hour in hours.items() if hour == wait}
        assert due.isdisjoint(early)
        assert due <= set(looks(watch, watch.run()))


def test_an_adaptive_endpoint_is_looked_at_the_more_often_the_more_it_changes(
    watch: Watch,
) -> None:
    watch.endpoint(frequency="ADAPTIVE")
    watch.show("/sitemap.xml", sitemap("/a"))
    watch.run()
    state = watch.state()
    assert state["velocity"] == 0.5 * 0.7 + 0.3
    due_ms = compute_next_due_ms("ADAPTIVE", "e", watch.clock.now_ms(), velocity=state["velocity"])
    assert state["next_due_ms"] == due_ms
    wait_s = (due_ms - watch.clock.now_ms()) / 1000
    watch.clock.turn(seconds=wait_s - 1)
    assert looks(watch, watch.run()) == []
    watch.clock.turn(seconds=2)
    assert looks(watch, watch.run()) == ["e"]
    assert abs(watch.state()["velocity"] - state["velocity"] * 0.9) < 1e-9
    assert watch.state()["next_due_ms"] - watch.clock.now_ms() > wait_s * 900


def test_a_page_that_says_the_same_in_other_bytes_has_not_changed(watch: Watch) -> None:
    watch.endpoint("/list", "HTML_LIST", options={"item": "li"})
    for number in range(3):
        watch.show("/list", links("/a", extra=f"<input type='hidden' value='token-{number}'>"))
        watch.run()
    # One change, when it was first seen; two looks without.
    assert abs(watch.state()["velocity"] - 0.65 * 0.9 * 0.9) < 1e-9


def days(watch: Watch, counts: Sequence[int]) -> None:
    """A look on each day, at a listing of so many items."""
    for count in counts:
        watch.show("/sitemap.xml", sitemap(*(f"/act-{number}" for number in range(count))))
        watch.run()
        watch.clock.turn(days=1)


def test_a_yield_that_falls_is_an_alarm_until_it_recovers(watch: Watch) -> None:
    watch.site.paths.clear()
    watch.endpoint(options={"include": ["/act-*"]})
    days(watch, [20, 21, 20, 22, 21, 20, 21, 22, 21, 20])
    assert watch.state()["alarm"] is None
    days(watch, [2])
    alarm = watch.state()["alarm"]
    assert alarm.startswith("gave 2 items; ")
    (event,) = watch.events("yield.fell")
    assert event == {"endpoint_id": "e", "told": alarm}
    days(watch, [21])
    assert watch.state()["alarm"] is None
    assert len(watch.events("yield.fell")) == 1


def test_what_further_pages_bring_counts_for_the_yield_that_is_declared(watch: Watch) -> None:
    watch.endpoint(expected_yield={"min_new": 2, "per_days": 3})
    watch.batch_s = 1.0
    for day in range(9):
        watch.show("/sitemap.xml", index(("/part.xml", f"2026-01-{day + 1:02}")))
        paths = [f"/act-{number}" for number in range(2 * min(day, 4) + 2)]
        watch.show("/part.xml", sitemap(*paths))
        watch.run()
        # Nothing new comes after the fifth day, which is an alarm when three days have passed.
        assert (watch.state()["alarm"] is not None) == (day >= 8), day
        watch.clock.turn(days=1)
    assert watch.state()["alarm"] == "gave 0 new in 3 days; at least 2 are expected"
