"""A change on a watched site is mailed once, with what changed."""

from assay.store import tables as t
from tests.notices.conftest import ME, Newsroom, address

FIRST = "The rate is 25 % of the base.\nReturns are due on the 20th.\nThis Act has two parts."
SECOND = "The rate is 23 % of the base.\nReturns are due on the 20th.\nThis Act has two parts."


def test_a_changed_page_is_mailed_on_day_two_with_the_added_lines(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    added = newsroom.add(source="gazette")
    newsroom.next_day()
    newsroom.publish({"/act": SECOND})
    newsroom.run()
    (mail,) = newsroom.mail.mails
    assert mail["To"] == ME and mail["From"] == "assay@example.org"
    assert mail["Subject"].startswith("Changed document: ")
    text = newsroom.mail.text()
    assert "+ The rate is 23 % of the base." in text
    assert "(1 line removed)" in text and "Returns are due" not in text
    new, old = (newsroom.watch.rows(t.evidence, fetched_ms=ms)[0]["evidence_id"] for ms in (
        newsroom.watch.clock.now_ms(), newsroom.watch.clock.now_ms() - 86_401_000
    ))  # fmt: skip
    assert f"version {new}, before {old}" in text and address("/act") in text
    assert "source gazette, found 2023-11-15" in text and added.watch_id in text
    newsroom.next_day()
    newsroom.run()
    assert len(newsroom.mail.mails) == 1, "nothing changed since"
    (delivery,) = newsroom.deliveries()
    assert delivery["state"] == "SENT"


def test_a_diff_shows_what_was_removed(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    newsroom.add(document=address("/act"), shown="diff")
    newsroom.next_day()
    newsroom.publish({"/act": SECOND})
    newsroom.run()
    text = newsroom.mail.text()
    assert "- The rate is 25 % of the base.\n+ The rate is 23 % of the base." in text
    assert "  Returns are due on the 20th." in text and "two parts" not in text


def test_words_are_found_in_changed_text_only(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST, "/other": "Nothing about it."})
    newsroom.run()
    newsroom.add("rate", "base")
    newsroom.add("returns")
    newsroom.next_day()
    newsroom.publish({"/act": SECOND, "/other": "Nothing about it.\nHere is more."})
    newsroom.run()
    (subject,) = newsroom.mail.subjects()
    assert subject == "Changed document: The rate is 23 % of the base."
    assert "+ The rate is 23 % of the base." in newsroom.mail.text()


def test_words_are_found_in_the_whole_text_of_a_new_document(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    newsroom.add("retur*", source="gazette")
    newsroom.add("two parts")
    newsroom.add("parts two")
    newsroom.next_day()
    newsroom.publish({"/act": FIRST, "/new": f"{FIRST}\nA second law."})
    newsroom.run()
    assert len(newsroom.mail.mails) == 2
    texts = sorted(newsroom.mail.text(number) for number in range(2))
    assert ["+ Returns are due on the 20th." in text for text in texts].count(True) == 1
    assert ["+ This Act has two parts." in text for text in texts].count(True) == 1


def test_a_moved_line_is_not_a_change(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    newsroom.add(source="gazette")
    newsroom.next_day()
    newsroom.publish({"/act": "\n".join(reversed(FIRST.splitlines()))})
    newsroom.run()
    assert newsroom.mail.mails == []
    assert "same text" in newsroom.watch.notes("notice")


def test_a_run_is_reported_in_one_mail(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette")
    pages = {f"/act/{number}": f"{FIRST}\nNumber {number}." for number in range(60)}
    newsroom.publish(pages)
    newsroom.run()
    (subject,) = newsroom.mail.subjects()
    assert subject == "60 changes: source gazette"
    text = newsroom.mail.text()
    assert text.count("\nnew document: ") == 50 and text.count("- new document: ") == 10
    assert {row["state"] for row in newsroom.deliveries()} == {"SENT"}


def test_what_happened_before_the_watch_is_not_reported(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    newsroom.next_day()
    newsroom.add("rate")
    newsroom.run()
    assert newsroom.mail.mails == []


def test_a_document_that_is_gone_is_reported(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    newsroom.add(source="gazette")
    newsroom.next_day()
    newsroom.watch.hide("/act")
    newsroom.run()
    assert [s.startswith("Document is gone: ") for s in newsroom.mail.subjects()] == [True]


def test_without_a_watch_nothing_is_planned(newsroom: Newsroom) -> None:
    newsroom.publish({"/act": FIRST})
    newsroom.run()
    assert newsroom.watch.rows(t.job, stage="notice") == []
