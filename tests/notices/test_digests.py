"""A digest gathers what happened, and is sent at most once a day or week."""

from tests.notices.conftest import Newsroom


def _publish_and_run(newsroom: Newsroom, number: int) -> None:
    newsroom.publish({f"/act/{n}": f"The rate is {n} %." for n in range(number)})
    newsroom.run()


def test_a_daily_digest_has_all_since_the_last_one(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette", digest="daily")
    _publish_and_run(newsroom, 1)
    assert newsroom.mail.subjects() == ["Daily digest, 1 change: source gazette"]
    for number in (2, 4):
        _publish_and_run(newsroom, number)
    assert len(newsroom.mail.mails) == 1, "one a day"
    newsroom.next_day()
    newsroom.run()
    assert newsroom.mail.subjects()[1:] == ["Daily digest, 3 changes: source gazette"]
    assert newsroom.mail.mails[0]["Message-ID"] != newsroom.mail.mails[1]["Message-ID"]
    newsroom.next_day()
    newsroom.run()
    assert len(newsroom.mail.mails) == 2, "nothing happened since"


def test_a_weekly_digest_waits_for_the_week(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette", digest="weekly")
    _publish_and_run(newsroom, 1)
    newsroom.next_day()
    _publish_and_run(newsroom, 2)
    assert len(newsroom.mail.mails) == 1
    newsroom.next_day(7)
    newsroom.run()
    assert newsroom.mail.subjects()[1:] == ["Weekly digest, 1 change: source gazette"]


def test_a_digest_that_failed_is_in_the_next_one(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette", digest="daily")
    newsroom.mail.refusals["RCPT"] = b"550 no"
    _publish_and_run(newsroom, 1)
    newsroom.mail.refusals.clear()
    newsroom.next_day()
    _publish_and_run(newsroom, 2)
    assert newsroom.mail.subjects() == ["Daily digest, 2 changes: source gazette"]
