"""The items of an agenda are found in its text, and nothing else is.

All agendas here are invented. Three real ones are read where ../shared/samples exists.
"""

import pytest

from assay.packs.civic.texts.agenda import (
    AgendaEntry,
    find_agenda_items,
    locate_items_in_packet,
)
from assay.reading.documents import read_document
from assay.sdk.reading import PageSpan
from tests.packs.civic.growth import grows_linearly
from tests.packs.civic.portals.entries import SAMPLES, needs_samples


def _list(text: str) -> list[tuple[str | None, str, str | None]]:
    return [(e.number, e.title, e.section) for e in find_agenda_items(text)]


def _numbers(text: str) -> list[str | None]:
    return [entry.number for entry in find_agenda_items(text)]


def _join(*pages: str) -> tuple[str, list[PageSpan]]:
    text, spans = "", []
    for number, page in enumerate(pages, start=1):
        spans.append(PageSpan(number, len(text), len(text) + len(page)))
        text += page + "\n"
    return text, spans


def test_numbers_with_letters_below() -> None:
    text = """TOWN OF ELMFORD
TOWN BOARD AGENDA

1. Call to Order
2. Consent Agenda
   A. Approve the minutes of March 3, 2026
   B. Approve a contract with Hale Paving for
      the resurfacing of Mill Road
3. New Business
   A. Rezone 14 Quarry Lane from R-1 to C-2
4. Adjournment
The next meeting is on April 7.
"""
    assert _list(text) == [
        ("1", "Call to Order", None),
        ("A", "Approve the minutes of March 3, 2026", "Consent Agenda"),
        (
            "B",
            "Approve a contract with Hale Paving for the resurfacing of Mill Road",
            "Consent Agenda",
        ),
        ("A", "Rezone 14 Quarry Lane from R-1 to C-2", "New Business"),
        ("4", "Adjournment", None),
    ]


def test_each_entry_is_a_span_with_its_title() -> None:
    text = """1. Roll Call

2. Award of bid for the north
   reservoir cover
   Staff recommends the low bid of $410,000.

3. Adjournment
"""
    entries = find_agenda_items(text)
    assert text[entries[1].start : entries[1].end] == (
        "2. Award of bid for the north\n   reservoir cover\n"
        "   Staff recommends the low bid of $410,000."
    )
    for entry in entries:
        assert entry.title in " ".join(text[entry.start : entry.end].split())
    assert entries[1].end <= entries[2].start


def test_roman_numerals_letters_and_numbers() -> None:
    text = """I. ROLL CALL
II. COMMITTEE REPORTS
A. FINANCE
1. Audit of the water fund
2. Renewal of the insurance policy
B. PARKS
1. Lease of the boathouse
III. ADJOURNMENT
"""
    assert _list(text) == [
        ("I", "ROLL CALL", None),
        ("1", "Audit of the water fund", "FINANCE"),
        ("2", "Renewal of the insurance policy", "FINANCE"),
        ("1", "Lease of the boathouse", "PARKS"),
        ("III", "ADJOURNMENT", None),
    ]


def test_the_letter_i_is_not_a_roman_one_after_h() -> None:
    letters = "ABCDEFGHIJKLMN"
    text = "\n".join(f"{letter}. Report of office {letter}" for letter in letters)
    assert _numbers(text) == list(letters)


def test_decimals_below_numbered_headings() -> None:
    text = """4. CONSENT CALENDAR
Routine matters are enacted by one motion.
4.1 Minutes of the special meeting
4.2 Second reading of the noise ordinance
4.B Correction of the fee schedule
5. PUBLIC HEARINGS
5.1. Appeal of the denial of a variance at 9 Fern Court
6. ADJOURNMENT
"""
    # An agenda that begins at 4 is a page of one: nothing says that 4 is the first.
    assert _numbers("1. CALL TO ORDER\n2. ROLL CALL\n3. PRESENTATIONS\n" + text) == [
        "1", "2", "3", "4.1", "4.2", "5.1", "6",
    ]  # fmt: skip


def test_numbers_with_a_letter_after_them() -> None:
    text = """4.A Minutes
4.B Claims against the city
4.C Easement for the Orchard Street drain
5.A Budget hearing
"""
    assert _numbers(text.replace("4.", "1.").replace("5.", "2.")) == ["1.A", "1.B", "1.C", "2.A"]


@pytest.mark.parametrize(
    ("style", "printed"),
    [
        ("A-{}", "A-{}"),
        ("A{}.", "A{}"),
        ("Item {}:", "{}"),
        ("Item No. {}", "{}"),
        ("AGENDA ITEM #{} -", "{}"),
        ("{})", "{}"),
        ("({})", "{}"),
        ("{}.", "{}"),
    ],
)
def test_styles_of_numbers(style: str, printed: str) -> None:
    titles = ["Purchase of two plow trucks", "Sale of the old depot", "Street closure for a fair"]
    text = "\n".join(f"{style.format(n)} {title}" for n, title in enumerate(titles, start=1))
    found = [(entry.number, entry.title) for entry in find_agenda_items(text)]
    assert found == [(printed.format(n), title) for n, title in enumerate(titles, start=1)]


def test_letters_in_brackets() -> None:
    text = """1. Consent Calendar
(a) Treasurer's report for May
(b) Release of the bond for Tract 88
2. Adjournment
"""
    assert _numbers(text) == ["a", "b", "2"]


def test_numbers_that_run_on_through_lettered_sections() -> None:
    text = """A. CONSENT
1. Minutes
2. Warrants
B. HEARINGS
3. Vacation of Plum Alley
C. ADJOURNMENT
"""
    assert _list(text)[:3] == [
        ("1", "Minutes", "CONSENT"),
        ("2", "Warrants", "CONSENT"),
        ("3", "Vacation of Plum Alley", "HEARINGS"),
    ]


def test_numbers_that_begin_again_in_each_section() -> None:
    text = """CONSENT AGENDA
1\tORDINANCE accepting a plat on Young Street. PLANNING
2\tORDINANCE on the purchase of salt. PUBLIC SERVICE
RULES (A. Bell, Chair)
1\tRESOLUTION on the rules of procedure. (7/22/26)
FILED:
1\tLetter of the county auditor.
2\tNotice of a liquor permit.
3\tReport of the fire chief.
"""
    assert [(e.number, e.section) for e in find_agenda_items(text)] == [
        ("1", "CONSENT AGENDA"),
        ("2", "CONSENT AGENDA"),
        ("1", "RULES (A. Bell, Chair)"),
        ("1", "FILED"),
        ("2", "FILED"),
        ("3", "FILED"),
    ]


def test_recommended_actions_are_not_items() -> None:
    text = """3. REPORTS
3.1 ACCOUNTS PAYABLE
Recommended Action:
1. Ratify the checks of November 5 in the amount of $879.39;
2. Ratify the checks of November 12; and
3. Ratify the checks of November 19;
4. Ratify the checks of November 26.
3.2 TREASURER'S STATEMENT
4. ADJOURNMENT
"""
    head = "1. CALL TO ORDER\n2. ROLL CALL\n"
    assert _numbers(head + text) == ["1", "2", "3.1", "3.2", "4"]


def test_the_parts_of_an_item_are_not_items() -> None:
    text = """1. Public hearing on the rezoning of 12 Oak Street, continued from May 5
a. Staff report
b. Comments of the applicant
2. Approval of licenses for the following establishments on the lake front:
(A) BLUE HERON INN
(B) THE BOAT SHED
3. Adjournment
"""
    assert _numbers(text) == ["1", "2", "3"]


def test_numbers_in_prose_are_not_items() -> None:
    text = """NOTICE
The council meets under section
4. The applicant may appeal within
30. days of the decision made on March
17. A fee applies.
Lots 1, 2. and 3 are for sale.
"""
    assert find_agenda_items(text) == []


def test_instructions_to_speakers_are_not_items() -> None:
    text = """HOW TO TAKE PART
1. Email your comment to the clerk by noon. Please name the item.
2. Dial 555-0100 and enter the code when you wish to speak.

AGENDA
1. CALL TO ORDER
2. PROCLAMATIONS
3. ADJOURNMENT

RULES
1. Speakers must be recognized by the chair.
2. Each person has three minutes.
"""
    assert [(e.number, e.title) for e in find_agenda_items(text)] == [
        ("1", "CALL TO ORDER"),
        ("2", "PROCLAMATIONS"),
        ("3", "ADJOURNMENT"),
    ]


def test_a_list_in_a_staff_report_is_not_an_agenda() -> None:
    text = """DEPARTMENT RECOMMENDATION
Approval of the rezoning subject to:
1) Submittal of an acceptable traffic study for the site.
2) Amendment of the landscape plan and the elevations.
3) Extension of the easement to the north property line.
"""
    assert find_agenda_items(text) == []


def test_lists_below_a_decimal_number_belong_to_its_item() -> None:
    text = """1. CEREMONIAL ITEMS
2. CONSENT CALENDAR
2.1 25-024 Approval of Committee Minutes.
Recommendation: (a) Minutes of the parks committee.
(b) Minutes of the rules committee.
2.2 Final Adoption of Ordinances.
25-025 Final Adoption of Ordinances.
Adopt an ordinance that:
1. Continues the benefit of last year;
2. Sets forth the urgency.
3. LAND USE
3.1 25-026 Rezoning of the mill
• Adjournment
CODE OF CONDUCT
1. Public Meeting Decorum
a) Persons will refrain from shouting in the chamber.
b) No food is allowed in the chamber.
2. Signs and Banners
"""
    assert [(e.number, e.matter_file) for e in find_agenda_items(text)] == [
        ("1", None), ("2.1", "25-024"), ("2.2", "25-025"), ("3.1", "25-026"),
    ]  # fmt: skip


def test_two_sessions_in_one_agenda() -> None:
    text = """5:00 P.M. STUDY SESSION
1. CALL TO ORDER
2. BUDGET OUTLOOK
3. ADJOURNMENT
7:00 P.M. REGULAR SESSION
1. CALL TO ORDER
2. CONSENT ITEMS
2.1 Minutes of April 2
3. ADJOURNMENT
"""
    assert [(e.number, e.section) for e in find_agenda_items(text)] == [
        ("1", "5:00 P.M. STUDY SESSION"),
        ("2", "5:00 P.M. STUDY SESSION"),
        ("3", "5:00 P.M. STUDY SESSION"),
        ("1", "7:00 P.M. REGULAR SESSION"),
        ("2.1", "CONSENT ITEMS"),
        ("3", "7:00 P.M. REGULAR SESSION"),
    ]


def test_headers_footers_and_page_numbers_are_left_out() -> None:
    head = "City of Alder Council Agenda June 9, 2026"
    text, pages = _join(
        f"{head}\n1. Call to Order\n2. Purchase of a street sweeper from  \nPage 1 of 3",
        f"{head}\n3. Lease of the train station\n4. Report of the auditor\nPage 2 of 3",
        f"{head}\n5. Adjournment\nPage 3 of 3",
    )
    entries = find_agenda_items(text, pages)
    assert [(e.number, e.page) for e in entries] == [
        ("1", 1), ("2", 1), ("3", 2), ("4", 2), ("5", 3),
    ]  # fmt: skip
    assert [e.title for e in entries][1:3] == [
        "Purchase of a street sweeper from",
        "Lease of the train station",
    ]


def test_a_table_of_contents_is_not_the_agenda() -> None:
    contents = "1. Call to Order ........ 2\n2. Sale of Lot 9 ............ 4\n"
    agenda = "1. Call to Order\n2. Sale of Lot 9\nThe lot is vacant.\n"
    entries = find_agenda_items(contents + "\n" + agenda)
    assert [e.start >= len(contents) for e in entries] == [True, True]
    alone = find_agenda_items(contents)
    assert [e.title for e in alone] == ["Call to Order", "Sale of Lot 9"]


def test_file_numbers() -> None:
    text = """CONSENT CALENDAR
1. 25-0123 Agreement with Orion Labs for water tests
2. Amendment of the zoning map (25-0144)
3. Grant for the senior center [File No. 25-0150]
4. File #: 25-0161 Appointment to the library board
5. Ordinance No. 2026-12 on short-term rentals
6. Report on Ordinance No. 2019-04
"""
    assert [e.matter_file for e in find_agenda_items(text)] == [
        "25-0123", "25-0144", "25-0150", "25-0161", "Ordinance No. 2026-12", None,
    ]  # fmt: skip


def test_items_with_file_numbers_only() -> None:
    text = """INFORMATION ITEMS
25-0110 Tentative calendar of the council
25-0111 Minutes of boards and commissions
"""
    assert [(e.number, e.matter_file, e.title) for e in find_agenda_items(text)] == [
        (None, "25-0110", "Tentative calendar of the council"),
        (None, "25-0111", "Minutes of boards and commissions"),
    ]
    for style in ("[{}] {}", "({}) {}", "File #: {} {}", "File #: {}\n{}", "FILE NO. {}\n{}"):
        found = find_agenda_items(
            "\n\n".join(
                style.format(file, title)
                for file, title in (
                    ("26-0110", "Sale of a fire engine"),
                    ("26-0111", "Street fair"),
                )
            )
        )
        assert [(e.number, e.matter_file, e.title) for e in found] == [
            (None, "26-0110", "Sale of a fire engine"),
            (None, "26-0111", "Street fair"),
        ]
    named = "Ordinance No. 2026-12 amending the fee schedule\nResolution No. 2026-40 on a grant\n"
    assert [(e.number, e.matter_file) for e in find_agenda_items(named)] == [
        (None, "Ordinance No. 2026-12"),
        (None, "Resolution No. 2026-40"),
    ]


def test_titles_above_their_numbers() -> None:
    # A tilde is a space: the reader leaves two where a paragraph goes on.
    text = """CONSENT CALENDAR~
Award of a contract to Fern Builders for the~~
restoration of the bandstand~
1.A 25-0194~
Recommendation: Award the contract in the amount of~~
$43,350.~
Acceptance of a grant for the trail along~~
the river~
1.B 25-0195~
Recommendation: Accept the grant, and authorize the~~
manager to sign~~
all papers.~
Ratification of an appointment to the arts~~
board~
2 25-0196~
Recommendation: Ratify.~
""".replace("~", " ")
    assert [(e.number, e.title) for e in find_agenda_items(text)] == [
        ("1.A", "Award of a contract to Fern Builders for the restoration of the bandstand"),
        ("1.B", "Acceptance of a grant for the trail along the river"),
        ("2", "Ratification of an appointment to the arts board"),
    ]


def test_a_number_may_be_left_out() -> None:
    assert _numbers("I. ROLL CALL\nII. MINUTES\nIV. BUSINESS\nV. ADJOURNMENT") == [
        "I", "II", "IV", "V",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "No numbers here.", "1. Only one", "MEETING DATES\nJANUARY 18, 2026\nMAY 3, 2026"],
)
def test_no_agenda(text: str) -> None:
    assert find_agenda_items(text) == []


@pytest.mark.parametrize(
    "unit", ["1.\n", "a. b\n", "(", "ABC DEF\n", "A.\nI.\n1.\n(a)\n", "1. A  \n", ". ", "item # "]
)
def test_time_is_linear(unit: str) -> None:
    assert grows_linearly(find_agenda_items, unit)


def _make_packet() -> tuple[list[AgendaEntry], str, list[PageSpan]]:
    agenda = """1. Call to Order
2. Contract for the repair of the Mill Street bridge
3. Rezoning of the former cannery on Dock Road (25-0144)
4. Adoption of the fee schedule for fiscal year 2027
5. Adjournment
"""
    packet, pages = _join(
        agenda,
        "STAFF REPORT\nAgenda Item 2\nThe bridge in Mill Street needs repair.",
        "Bids were opened on May 4. See item 4 of the minutes.",
        "File #: 25-0144\nThe cannery closed.",
        "Exhibit A: map",
        "Adoption of the Fee Schedule\nfor Fiscal Year 2027\nFees rise by 2 %.",
    )
    return find_agenda_items(agenda), packet, pages


def test_items_are_located_in_a_packet() -> None:
    items, packet, pages = _make_packet()
    found = locate_items_in_packet(items, packet, pages)
    assert {item: [p.number for p in pages if span[0] <= p.start < span[1]]
            for item, span in found.items()} == {1: [2, 3], 2: [4, 5], 3: [6]}  # fmt: skip


def test_pages_of_an_unknown_item_are_not_given_to_another() -> None:
    items, packet, pages = _make_packet()
    packet = packet.replace("File #: 25-0144", "File            ")
    found = locate_items_in_packet(items, packet, pages)
    assert {item: [p.number for p in pages if span[0] <= p.start < span[1]]
            for item, span in found.items()} == {1: [2], 3: [6]}  # fmt: skip


def test_an_item_that_comes_twice_is_not_located() -> None:
    items, packet, pages = _make_packet()
    extra, spans = (
        packet + "Agenda Item 2\nMore repair of the bridge in Mill Street.\n",
        list(pages),
    )
    spans.append(PageSpan(len(pages) + 1, len(packet), len(extra)))
    assert 1 not in locate_items_in_packet(items, extra, spans)


def test_an_item_number_of_another_meeting_is_not_believed() -> None:
    items, packet, pages = _make_packet()
    packet = packet.replace(
        "bridge in Mill Street needs repair", "library opens one hour later now  "
    )
    assert 1 not in locate_items_in_packet(items, packet, pages)


def test_the_pages_of_the_agenda_itself_belong_to_no_item() -> None:
    pages_of_agenda = (
        "1. Call to Order\n2. Contract for the repair of the Mill Street bridge\n",
        "3. Rezoning of the former cannery on Dock Road\n4. Adoption of the fee schedule for 2027\n"
        "5. Appointment of three members of the arts board\n",
        "6. Settlement of the claim of Harbor Freight Lines\n\nThe claim is from 2025.\n",
        "7. Adjournment\n",
    )
    items = find_agenda_items("".join(pages_of_agenda))
    packet, pages = _join(
        *pages_of_agenda, "Settlement of the claim of Harbor Freight Lines\nDraft"
    )
    found = locate_items_in_packet(items, packet, pages)
    assert found == {5: (pages[4].start, pages[4].end)}


def test_pages_that_the_agenda_names() -> None:
    agenda = """1. Purchase of a pumper for the fire station ........ 2
2. Renewal of the lease for the ferry landing ........ 4
3. Settlement of the claim of Harbor Freight Lines ........ 5
"""
    packet, pages = _join(
        agenda, "The pumper at the station is old. Its purchase", "Quote",
        "Lease of the ferry landing: renewal", "Claim by Harbor Lines, settlement",
    )  # fmt: skip
    items = find_agenda_items(agenda)
    found = locate_items_in_packet(items, packet, pages)
    starts = {item: next(p.number for p in pages if p.start == s) for item, (s, _) in found.items()}
    assert starts == {0: 2, 1: 4, 2: 5}


def test_nothing_is_located_without_pages_or_items() -> None:
    items, packet, pages = _make_packet()
    assert locate_items_in_packet(items, packet, []) == {}
    assert locate_items_in_packet([], packet, pages) == {}


@needs_samples
class TestSamples:
    """Counted by hand."""

    def _read(self, name: str) -> list[AgendaEntry]:
        reading = read_document((SAMPLES / name).read_bytes())
        return find_agenda_items(reading.text, reading.pages)

    def test_a_schedule_is_not_an_agenda(self) -> None:
        assert self._read("agenda_akron_planning.pdf") == []

    def test_council(self) -> None:
        entries = self._read("agenda_akron_wordhtml.html")
        numbers = [entry.number for entry in entries]
        counts = (9, 4, 16, 11, 7, 1)
        assert numbers == [str(n) for count in counts for n in range(1, count + 1)]
        assert entries[0].title.startswith("ORDINANCE accepting a vacation plat")
        assert {entry.section for entry in entries[:9]} == {"CONSENT AGENDA"}
        assert entries[19].title.startswith("D-759 Petition of Michael White")
        assert entries[40].matter_file == "RES 252-2019"

    def test_college(self) -> None:
        entries = self._read("agenda_cuyahoga_cc.pdf")
        assert [entry.number for entry in entries] == [
            "I", "II", "III", "IV", "1", "B", *(str(n) for n in range(1, 14)), "D", "VI",
        ]  # fmt: skip
        assert [entry.page for entry in entries] == [1] * 15 + [2] * 6
        assert entries[6].title == (
            "Approval of Unum Life Insurance of American Long Term Disability Plan and "
            "FMLA Administration Four-Year Agreement"
        )
        assert entries[6].section == "MANAGEMENT"
