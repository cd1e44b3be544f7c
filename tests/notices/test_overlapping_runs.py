"""Runs that are under way at the same time: each change is told once, whichever run found it."""

from assay.app import runs
from assay.app.notifying import plan_news
from tests.notices.conftest import Newsroom


def _states(newsroom: Newsroom) -> list[str]:
    return sorted(row["state"] for row in newsroom.deliveries())


def test_what_another_run_finds_after_the_message_is_not_lost(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette")
    newsroom.publish({"/act/1": "The rate is 1 %."})
    first = runs.start_run(newsroom.app)
    newsroom.watch.drain()
    assert plan_news(newsroom.app, first) == 1, "a look"
    newsroom.watch.drain()
    assert plan_news(newsroom.app, first) == 1, "a message"
    newsroom.watch.drain()
    newsroom.publish({"/act/1": "The rate is 1 %.", "/act/2": "The rate is 2 %."})
    runs.start_run(newsroom.app)
    newsroom.watch.drain()
    newsroom.finish()
    assert _states(newsroom) == ["SENT", "SENT"]
    assert len(newsroom.mail.mails) == 2


def test_a_run_sends_nothing_for_one_that_is_still_looking(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette")
    newsroom.publish({f"/act/{n}": f"The rate is {n} %." for n in (1, 2)})
    first = runs.start_run(newsroom.app)
    newsroom.watch.drain()
    assert plan_news(newsroom.app, first) == 2, "looks"
    second = runs.start_run(newsroom.app, first=[])
    newsroom.watch.drain()
    assert plan_news(newsroom.app, second) == 0, "the first run tells of them"
    newsroom.finish()
    assert _states(newsroom) == ["SENT", "SENT"]
    assert newsroom.mail.subjects() == ["2 changes: source gazette"]
