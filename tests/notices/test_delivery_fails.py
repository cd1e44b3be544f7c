"""What cannot be delivered is tried again, kept as a dead letter, and sent once it works."""

import pytest

from assay.app import job_admin
from assay.app.watches import remove_watch, show_watch
from assay.engine.commit import Committer
from assay.store import tables as t
from tests.notices.conftest import Newsroom


class Killed(BaseException):
    """Ends everything at once, as kill -9 does."""


def _change(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": "The rate is 25 %."})
    newsroom.run()
    newsroom.next_day()
    newsroom.publish({"/act": "The rate is 23 %."})


def test_a_failing_mail_server_leaves_a_dead_letter_with_advice(newsroom: Newsroom) -> None:
    newsroom.mail.refusals["MAIL"] = b"451 try later"
    added = newsroom.add(source="gazette")
    newsroom.publish({"/act": "The rate is 25 %."})
    newsroom.run()
    assert newsroom.watch.notes("deliver") == ["dead", "retried", "retried"]
    (told,) = newsroom.watch.dead()
    assert "127.0.0.1" in told and "451 try later" in told and "assay watch test" in told
    assert [row["state"] for row in newsroom.deliveries()] == ["WAITING"]
    (failed,) = show_watch(newsroom.app, added.watch_id)["failed"]
    assert "451 try later" in failed["error"]
    # Once the server works again, the same message goes out.
    newsroom.mail.refusals.clear()
    job_admin.retry_jobs(newsroom.app, [failed["job_id"]])
    newsroom.watch.drain()
    assert len(newsroom.mail.mails) == 1
    assert [row["state"] for row in newsroom.deliveries()] == ["SENT"]


def test_a_refused_recipient_is_not_tried_again(newsroom: Newsroom) -> None:
    newsroom.mail.refusals["RCPT"] = b"550 no such user"
    newsroom.add(source="gazette")
    newsroom.publish({"/act": "The rate is 25 %."})
    newsroom.run()
    assert newsroom.watch.notes("deliver") == ["dead"]
    (told,) = newsroom.watch.dead()
    assert "me@example.org: 550 no such user" in told


def test_a_server_that_is_not_there_is_named(newsroom: Newsroom) -> None:
    newsroom.mail.refusals["EHLO"] = newsroom.mail.refusals["HELO"] = b"554 go away"
    newsroom.add(source="gazette")
    newsroom.publish({"/act": "The rate is 25 %."})
    newsroom.run()
    (told,) = newsroom.watch.dead()
    assert f"127.0.0.1:{newsroom.mail.port}" in told


def test_a_crash_between_sending_and_recording_repeats_the_same_message(
    newsroom: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    newsroom.add(source="gazette")
    newsroom.publish({"/act": "The rate is 25 %."})
    commit = Committer.commit
    crashed: list[object] = []

    def crash_once(self: Committer, stage: object, *arguments: object, **named: object) -> int:
        if getattr(stage, "name", "") == "deliver" and not crashed:
            crashed.append(stage)
            raise Killed
        return commit(self, stage, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Committer, "commit", crash_once)
    with pytest.raises(Killed):
        newsroom.run()
    newsroom.finish()
    assert len(newsroom.mail.mails) == 2, "it was sent, and not recorded"
    first, again = newsroom.mail.mails
    assert first["Message-ID"] == again["Message-ID"]
    newsroom.run()
    assert len(newsroom.mail.mails) == 2
    assert [row["state"] for row in newsroom.deliveries()] == ["SENT"]


def test_what_waits_for_a_removed_watch_is_not_sent(newsroom: Newsroom) -> None:
    newsroom.mail.refusals["RCPT"] = b"550 no"
    added = newsroom.add(source="gazette")
    newsroom.publish({"/act": "The rate is 25 %."})
    newsroom.run()
    newsroom.mail.refusals.clear()
    remove_watch(newsroom.app, added.watch_id[:6])
    (letter,) = newsroom.watch.rows(t.dead_letter)
    job_admin.retry_jobs(newsroom.app, [letter["job_id"]])
    newsroom.watch.drain()
    assert newsroom.mail.mails == []
    assert [row["state"] for row in newsroom.deliveries()] == ["DROPPED"]


def test_a_later_message_does_not_repeat_what_failed_before(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette")
    newsroom.mail.refusals["RCPT"] = b"550 no"
    _change(newsroom)
    newsroom.mail.refusals.clear()
    newsroom.run()
    assert newsroom.mail.subjects() == ["Changed document: The rate is 23 %."]
    assert sorted(row["state"] for row in newsroom.deliveries()) == ["SENT", "WAITING"]
