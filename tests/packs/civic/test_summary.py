"""Summaries: whole sentences at the places they cite, without headings, talk and procedure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.packs.civic.texts.summary import SourceText, summarize

REPORT = """\
CITY OF ELMFORD
STAFF REPORT
FROM: Ada Moss, Public Works Director
Office of the City Manager
SUBJECT: Replacement of the Mill Street bridge
RECOMMENDATION
Staff recommends that the City Council authorize a contract with Oak Builders for
the Mill Street bridge in an amount not to exceed $2,400,000.
BACKGROUND
The Mill Street bridge was built in 1931 and carries nine thousand cars a day. An
inspection in March found that its steel beams have lost a third of their strength.
The bridge would have to close to trucks next winter if it is not replaced.
FISCAL IMPACT
1. The state pays 80 percent of the cost of the bridge from its fund for local roads.
Persons who need special assistance to attend should call the clerk by phone.
The report is available at www.elmford.example for everyone who wants to read it.
"""
MINUTES = """\
The regular meeting of the council was called to order by Mayor Moss at 7:00 p.m.
ROLL CALL
Also present were City Manager Ben Oak, Finance Director Cy Pine and City Clerk Dee Elm.
The Pledge of Allegiance was recited by everyone in the room.
Member Ash moved and Member Birch seconded to close the public hearing at 7:40 p.m.
Member Ash said that the new water rate raises an average bill by $3.20 a month.
The meeting was adjourned at 9:15 p.m. by a vote of all members who remained.
"""


def write(text: str, title: str = "", most: int = 3) -> list[str]:
    return [sentence.text for sentence in summarize([SourceText("a", text)], title, most)]


def test_a_staff_report_is_summarized_in_whole_sentences_without_its_headings() -> None:
    assert write(REPORT, most=9) == [
        "Staff recommends that the City Council authorize a contract with Oak Builders for the "
        "Mill Street bridge in an amount not to exceed $2,400,000.",
        "The Mill Street bridge was built in 1931 and carries nine thousand cars a day.",
        "An inspection in March found that its steel beams have lost a third of their strength.",
        "The bridge would have to close to trucks next winter if it is not replaced.",
        "The state pays 80 percent of the cost of the bridge from its fund for local roads.",
    ]


def test_a_short_summary_has_what_is_decided() -> None:
    (first, *_) = write(REPORT, title="Mill Street bridge contract", most=2)
    assert first.startswith("Staff recommends")


def test_minutes_are_summarized_without_procedure() -> None:
    assert write(MINUTES) == [
        "Member Ash said that the new water rate raises an average bill by $3.20 a month."
    ]


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("Section 2: The cost of the library shall not exceed $15,000.", "The cost of"),
        ("ITEM 3 FORUM - DRAINAGE CONCERNS Norman Ash asked about the drains in his street.",
         "Norman Ash asked"),
        ("Recommended Action: Motion to:\nDirect staff on the use of the reserve funds.",
         "Direct staff"),
        ("6 ORDINANCE authorizing a contract for the purchase of road salt.", "ORDINANCE auth"),
        ("Up for hearing (special meeting)\n4 ORDINANCE authorizing a tower on Hawkins Street.",
         "ORDINANCE auth"),
        ("4.01) The forester explained how garlic mustard harms the woods.", "The forester"),
        ("The forum closed at 6:47 p.m.\nThe director showed that revenues exceed the budget.",
         "The director showed"),
    ],
)  # fmt: skip
def test_what_a_page_prints_before_a_sentence_is_not_quoted(printed: str, quoted: str) -> None:
    (sentence,) = write(printed)
    assert sentence.startswith(quoted)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "BUDGET OF THE CITY FOR THE COMING YEAR AND THE ONE AFTER IT.",
        "Mayor Tim Ash, Members Bea Birch, Carl Cedar, Dora Dogwood, Emil Elm and Flora Fir.",
        "and the remainder of the sentence that began on the page before this one.",
        "Defer the appropriation of the reserve until the accounts were audited, or 4.",
        "A sentence without an end, as in the cell of a table about the budget",
        "Too short.",
    ],
)
def test_what_is_not_a_whole_sentence_is_not_quoted(text: str) -> None:
    assert write(text) == []


def test_a_repeated_sentence_is_quoted_once() -> None:
    said = "The council approved the contract for the Mill Street bridge at $2,400,000."
    other = "Residents of Elm Street asked for a crossing near the primary school."
    assert write("\n\n".join([said, said, other])) == [said, other]


def test_the_title_decides_between_sentences() -> None:
    parts = [
        "The pool on Third Street opens on the first of June this year.",
        "The library buys a bus that carries books to the schools.",
        "The harbor gets a new crane that lifts forty tons of freight.",
    ]
    text = "\n\n".join(parts)
    assert write(text, "Books for the schools: a bus for the library", 1) == [parts[1]]
    assert write(text, "A crane for the harbor", 1) == [parts[2]]


def test_several_texts_are_cited_each_by_its_own_name() -> None:
    texts = [
        SourceText("report", "The bridge carries nine thousand cars on a usual day."),
        SourceText("letter", "Residents ask for a sidewalk on both sides of the street."),
    ]
    found = summarize(texts)
    assert [sentence.artifact_id for sentence in found] == ["report", "letter"]


LINES = st.sampled_from([*REPORT.splitlines(), *MINUTES.splitlines(), "", "1.", "A: B: C:", "Mr."])


@given(st.lists(LINES, max_size=30).map("\n".join) | st.text(max_size=300), st.integers(0, 5))
def test_every_sentence_is_found_where_it_is_cited(text: str, most: int) -> None:
    found = summarize([SourceText("a", text)], "bridge", most)
    assert len(found) <= most
    assert [each.text for each in found] == [
        " ".join(text[each.start : each.end].split()) for each in found
    ]
    assert summarize([SourceText("a", text)], "bridge", most) == found
