"""The words of HTML as a reader sees them, and what they mean."""

import pytest

from assay.packs.civic.portals.listed import VoteValue
from assay.packs.civic.portals.shared import (
    drop_midnight,
    find_vote,
    has_consent,
    hash_row,
    read_lines,
    read_words,
    split_number,
    tidy_number,
)
from assay.sdk.sources import parse_html


def test_inline_elements_do_not_split_words() -> None:
    html = (
        "<div><p>Or<b>din</b>ance&nbsp;No.&#160;5,<br>second <i>read</i>ing</p>\n"
        "<!-- a <p>b</p> -->"
        "<script>if (a < b) { x(); }</script><style>p { }</style><p> </p><ul><li>5 &lt; 6</li></ul>"
        "</div>"
    )
    assert read_lines(html) == ["Ordinance No. 5, second reading", "5 < 6"]
    page = parse_html(html.encode(), "https://x.example/", "a page")
    assert read_words(page) == "Ordinance No. 5, second reading 5 < 6"


@pytest.mark.parametrize("nothing", [None, "", "<p>&nbsp;</p>", "<!-- x -->", "\u200b"])
def test_no_words(nothing: str | None) -> None:
    assert read_words(nothing) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("(4.B.)", "4.B"),
        (" 7.1. ", "7.1"),
        ("A)", "A"),
        ("\u00a0", None),
        (None, None),
        ("IV:", "IV"),
    ],
)
def test_numbers_without_their_punctuation(text: str | None, number: str | None) -> None:
    assert tidy_number(text) == number


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("4.1. Fees", ("4.1", "Fees")),
        ("12) Fees", ("12", "Fees")),
        ("AA1. Fees", ("AA1", "Fees")),
        ("III. Fees", ("III", "Fees")),
        ("A. Smith, appointment", (None, "A. Smith, appointment")),
        ("2026 Budget", (None, "2026 Budget")),
    ],
)
def test_a_number_in_front_of_a_title(text: str, parts: tuple[str | None, str]) -> None:
    assert split_number(text) == parts


@pytest.mark.parametrize(
    ("words", "vote"),
    [
        ("Yeas: (15)", VoteValue.YES),
        ("In Favour", VoteValue.YES),
        ("For (3)", VoteValue.YES),
        ("Aye", VoteValue.YES),
        ("Nays", VoteValue.NO),
        ("Opposed (1)", VoteValue.NO),
        ("Against", VoteValue.NO),
        ("Absent (2)", VoteValue.ABSENT),
        ("Excused", VoteValue.ABSENT),
        ("Abstain", VoteValue.ABSTAIN),
        ("Recused", VoteValue.ABSTAIN),
        ("Conflict of interest", VoteValue.ABSTAIN),
        ("Present", VoteValue.PRESENT),
        ("Moved by", None),
        (None, None),
    ],
)
def test_how_members_vote(words: str | None, vote: VoteValue | None) -> None:
    assert find_vote(words) is vote


def test_midnight_is_no_time() -> None:
    assert drop_midnight("2026-04-28T00:00") == "2026-04-28"
    assert drop_midnight("2026-04-28T10:00") == "2026-04-28T10:00"
    assert drop_midnight(None) is None


def test_the_consent_calendar() -> None:
    assert has_consent("Reports", "CONSENT CALENDAR")
    assert not has_consent("Reports", None)


def test_a_stamp_changes_with_what_is_listed() -> None:
    assert hash_row({"a": 1, "b": [2]}, "x") == hash_row({"b": [2], "a": 1}, "x")
    assert hash_row({"a": 1}) != hash_row({"a": 2})
