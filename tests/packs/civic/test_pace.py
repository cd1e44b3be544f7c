"""A pass over many cities on virtual time: its order, its gaps and its length."""

from collections.abc import Callable
from itertools import groupby

from bench.civic_pace import VENDORS, Simulation, add_cities, measure_gaps, plan_cities

from assay.app import App
from assay.clock import TurnedClock
from assay.packs.civic.records import Meeting
from assay.settings import Settings
from assay.store.upserts import upsert_records


def store_meetings(app: App, city: str, count: int) -> None:
    """Meetings in the last weeks before the clock's day, and one long ago."""
    days = [f"2023-11-{1 + number:02}T19:00" for number in range(count)] + ["2020-01-01T19:00"]
    with app.engine.begin() as connection:
        upsert_records(
            connection,
            [
                Meeting(
                    meeting_id=f"{city}_{day}", banana=city, vendor_id=day, doc_id=f"{city}{day}",
                    evidence_id="ev", title="City Council", starts=day,
                )
                for day in days
            ],
        )  # fmt: skip


def test_a_pass_is_grouped_by_vendor_and_five_hundred_cities_take_about_two_hours(
    make_app: Callable[..., App], settings: Settings
) -> None:
    app = make_app(settings, clock=TurnedClock())
    add_cities(app, 100)
    store_meetings(app, "elm51OH", 3)
    store_meetings(app, "elm71OH", 8)
    plan = plan_cities(app)
    groups = [vendor for vendor, _ in groupby(plan, key=lambda look: look[0])]
    assert groups == sorted(VENDORS) and len(plan) == 100
    of_second = [city for vendor, city in plan if vendor == list(VENDORS)[1]]
    assert of_second[:2] == ["elm71OH", "elm51OH"]

    sent = Simulation(app, plan).run()
    assert len(sent) == 300
    looks = [request for request in sent if request.begins_check]
    checked = [vendor for vendor, _ in groupby(looks, key=lambda look: look.vendor)]
    assert checked == groups, "a vendor's turn was interrupted"
    gap_s, break_s = measure_gaps(sent)
    assert gap_s >= 3 and break_s >= 30
    # A fifth of the cities takes a fifth of two hours.
    assert 0.3 <= sent[-1].at_s / 3600 <= 0.5
