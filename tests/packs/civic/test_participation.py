"""How the public can take part, in the styles of real agendas, with invented names."""

from dataclasses import fields

import pytest

from assay.packs.civic.texts.participation import (
    CitedText,
    Participation,
    find_participation,
    list_cited,
)
from tests.packs.civic.growth import grows_linearly


def _read(text: str) -> dict[str, object]:
    found = find_participation(text)
    if found is None:
        return {}
    for cited in list_cited(found):
        assert text[cited.start : cited.end] == cited.value
    values: dict[str, object] = {}
    for each in fields(found):
        value = getattr(found, each.name)
        if isinstance(value, CitedText):
            values[each.name] = value.value
        elif isinstance(value, tuple) and value:
            values[each.name] = [cited.value for cited in value]
        elif value is True:
            values[each.name] = True
    return values


# text, the field, its value
FOUND: list[tuple[str, str, object]] = [
    (
        "Public comments can be submitted via email to Input@elmford.gov or by calling (555) "
        "425-2509 to leave a recorded message.",
        "email",
        "Input@elmford.gov",
    ),
    (
        "Public comments can be submitted via email to Input@elmford.gov or by calling (555) "
        "425-2509 to leave a recorded message.",
        "phones",
        ["(555) 425-2509"],
    ),
    (
        "Recorded comments must be submitted by 4:00 p.m. on the day of the meeting.",
        "public_comment_deadline",
        "4:00 p.m. on the day of the meeting",
    ),
    (
        "How to submit written Public Comment before the meeting:\n1) Use the eComment tab.\n"
        "2) By email to clerk@elmford.gov by 10:00 a.m. the day of the meeting.",
        "email",
        "clerk@elmford.gov",
    ),
    (
        "How to submit written Public Comment before the meeting:\n1) Use the eComment tab.\n"
        "2) By email to clerk@elmford.gov by 10:00 a.m. the day of the meeting.",
        "public_comment_deadline",
        "10:00 a.m. the day of the meeting",
    ),
    (
        "Send public comments in writing to the City Clerk at comment@ridge.ca.gov",
        "email",
        "comment@ridge.ca.gov",
    ),
    (
        "Written comments may be sent to board@oakton.us until noon on Monday, May 6, 2024.",
        "public_comment_deadline",
        "noon on Monday, May 6, 2024",
    ),
    (
        "Comments must be received at least one (1) hour before the start of the meeting.",
        "public_comment_deadline",
        "at least one (1) hour before the start of the meeting",
    ),
    (
        "Submit written comments to the City Council up to 4 hours prior to the meeting to "
        "council@oakton.gov.",
        "public_comment_deadline",
        "up to 4 hours prior to the meeting",
    ),
    (
        "Please email comments no later than 5 p.m. the day before the meeting to "
        "clerk@oakton.gov.",
        "public_comment_deadline",
        "5 p.m. the day before the meeting",
    ),
    (
        "Email comments to clerk@oakton.gov by 9:00 a.m. on the morning of the meeting.",
        "public_comment_deadline",
        "9:00 a.m. on the morning of the meeting",
    ),
    (
        "Email comments to clerk@oakton.gov by midnight on the Sunday before the meeting.",
        "public_comment_deadline",
        "midnight on the Sunday before the meeting",
    ),
    (
        "Email comments to clerk@oakton.gov by 4 PM the day prior.",
        "public_comment_deadline",
        "4 PM the day prior",
    ),
    (
        "Email comments to clerk@oakton.gov by 3 p.m. two business days before the meeting.",
        "public_comment_deadline",
        "3 p.m. two business days before the meeting",
    ),
    (
        "Email comments to us@oakton.gov by 5:00 p.m. on the last business day before the hearing.",
        "public_comment_deadline",
        "5:00 p.m. on the last business day before the hearing",
    ),
    (
        "Email comments to clerk@oakton.gov by 5:00 p.m. the preceding Monday.",
        "public_comment_deadline",
        "5:00 p.m. the preceding Monday",
    ),
    (
        "Email comments to clerk@oakton.gov by 5:00 p.m. Pacific Time on Monday, May 6.",
        "public_comment_deadline",
        "5:00 p.m. Pacific Time on Monday, May 6",
    ),
    (
        "Email comments to clerk@oakton.gov by 12:00 p.m. (noon) on the day of the meeting.",
        "public_comment_deadline",
        "12:00 p.m. (noon) on the day of the meeting",
    ),
    (
        "Email comments to clerk@oakton.gov by 5:00 p.m. on 5/6/2024.",
        "public_comment_deadline",
        "5:00 p.m. on 5/6/2024",
    ),
    (
        "Email comments to clerk@oakton.gov on Monday, May 6, by 5 p.m.",
        "public_comment_deadline",
        "Monday, May 6, by 5 p.m.",
    ),
    (
        "Written comments are due by 12:00 noon on Monday, May 6.",
        "public_comment_deadline",
        "12:00 noon on Monday, May 6",
    ),
    ("Dial-in: (555) 425-2509. For TTY users dial (555) 222-3333.", "phones", ["(555) 425-2509"]),
    (
        "Join by phone:\n(555) 425-2509\nInterpreter: (555) 222-3333",
        "phones",
        ["(555) 425-2509"],
    ),
    (
        "Join Zoom remotely:\nTelephone: 669-900-9128 or 253-215-8782",
        "phones",
        ["669-900-9128", "253-215-8782"],
    ),
    ("Join by phone. Phone conference ID: 482 113 905#", "meeting_id", "482 113 905"),
    ("Dial (555) 425-2509, participant code: 445566#", "passcode", "445566"),
    (
        "In person: 100 Main Street, Elmford, CA 95113",
        "physical_address",
        "100 Main Street, Elmford, CA 95113",
    ),
    ("Place: 200 Oak Avenue, Elmford", "physical_address", "200 Oak Avenue, Elmford"),
    (
        "Attend at 200 Oak Avenue, Elmford, TX 75001 or online.",
        "physical_address",
        "200 Oak Avenue, Elmford, TX 75001",
    ),
    (
        "Virtual Meeting - https://elmford.zoom.us/j/91325370000\nAGENDA",
        "virtual_url",
        "https://elmford.zoom.us/j/91325370000",
    ),
    (
        "Virtual Meeting - https://elmford.zoom.us/j/91325370000\nAGENDA",
        "meeting_id",
        "91325370000",
    ),
    ("Virtual Meeting - https://elmford.zoom.us/j/91325370000\nAGENDA", "is_virtual_only", True),
    (
        "Join at https://us02web.zoom.us/j/85164570000?pwd=blBlWDRi. Passcode: 978359",
        "virtual_url",
        "https://us02web.zoom.us/j/85164570000?pwd=blBlWDRi",
    ),
    (
        "You may join the virtual meeting at: <https://bit.ly/ElmfordCouncil> or by phone.",
        "virtual_url",
        "https://bit.ly/ElmfordCouncil",
    ),
    (
        "Register in advance to access the meeting via Zoom Webinar:\n"
        "https://elmford.gov/cc_speakers",
        "virtual_url",
        "https://elmford.gov/cc_speakers",
    ),
    (
        "Click here: https://elmford.webex.com/elmford/j.php?MTID=m12ab",
        "virtual_url",
        "https://elmford.webex.com/elmford/j.php?MTID=m12ab",
    ),
    (
        "Teams link: https://teams.microsoft.com/l/meetup-join/19%3ameeting_AbC/0",
        "virtual_url",
        "https://teams.microsoft.com/l/meetup-join/19%3ameeting_AbC/0",
    ),
    ("Webinar ID: 851 6457 4499 Passcode: 978359", "meeting_id", "851 6457 4499"),
    ("Webinar ID: 851 6457 4499 Passcode: 978359", "passcode", "978359"),
    ("Meeting ID 375-714-811", "meeting_id", "375-714-811"),
    ("then enter the meeting id: 858  \n1234 5678#", "meeting_id", "858  \n1234 5678"),
    ("Call 1-415-655-0001; access code 172 715 6715.", "meeting_id", "172 715 6715"),
    ("Call 1-415-655-0001; access code 172 715 6715.", "phones", ["1-415-655-0001"]),
    ("Meeting ID: 234 567 890 12\nPasscode: aB3xYz", "passcode", "aB3xYz"),
    ("Password: Elmford", "passcode", "Elmford"),
    ("Dial: (669) 900-9128 and enter Webinar ID: 952 4023 3281", "phones", ["(669) 900-9128"]),
    ("By Phone: (888) 475 4499. Webinar ID is 913 2537 8626.", "phones", ["(888) 475 4499"]),
    (
        "Alternative phone numbers are: US: +1 (213) 338-8477 or +1 (408) 638-0968 or (877) "
        "853-5257 (Toll Free).",
        "phones",
        ["+1 (213) 338-8477", "+1 (408) 638-0968", "(877) 853-5257"],
    ),
    (
        "Meeting call-in telephone number: 833-548-0276 | Meeting ID: 961 1158 0540",
        "phones",
        ["833-548-0276"],
    ),
    (
        "calling in to: (669)  \n900-9128, then enter the webinar id: 873 3200 8380#",
        "phones",
        ["(669)  \n900-9128"],
    ),
    (
        "Watch the meeting live at https://www.youtube.com/CityofElmford.",
        "streaming_urls",
        ["https://www.youtube.com/CityofElmford"],
    ),
    (
        "Members of the public may view the meeting live on Channel 8 or on the City's website "
        "at www.elmford.org.",
        "streaming_urls",
        ["www.elmford.org"],
    ),
    (
        "The meeting is livestreamed at https://elmford.granicus.com/player/camera/2",
        "streaming_urls",
        ["https://elmford.granicus.com/player/camera/2"],
    ),
    (
        "A long line of text that has no break and says much before it comes to the point of it "
        "all. You can use one of these toll free call-in numbers: 888 475 4499 or 833 548 0276. "
        "Contact the office for more information.",
        "phones",
        ["888 475 4499", "833 548 0276"],
    ),
    (
        "The Public May Participate In The Meeting In Person Or By Dialing The Following Number.",
        "is_hybrid",
        True,
    ),
    (
        "City Council Chamber, Fifth Floor,\n"
        "City Hall, 44 Fourth Street Elmford, Texas. The Public May Attend.",
        "physical_address",
        "44 Fourth Street Elmford, Texas",
    ),
    ("This is a hybrid meeting.", "is_hybrid", True),
    ("Members of the public may participate in person or remotely via Zoom.", "is_hybrid", True),
    ("Video Conference with No Physical Meeting Location", "is_virtual_only", True),
    ("This meeting will be conducted via Zoom.", "is_virtual_only", True),
    (
        "The City will not have the Council Chambers open to the public for this meeting.",
        "is_virtual_only",
        True,
    ),
    (
        "City Hall\nCouncil Chambers\n405 Bellmore Way, Oakton, FL 33134\nAGENDA",
        "physical_address",
        "405 Bellmore Way, Oakton, FL 33134",
    ),
    (
        "Legislative Chamber, Room 250 City Hall, 1 Goodwin Place\nOakton, CA 94102",
        "physical_address",
        "1 Goodwin Place\nOakton, CA 94102",
    ),
    (
        "The meeting will be held at 100 N. Main Street, Suite 200.",
        "physical_address",
        "100 N. Main Street, Suite 200",
    ),
    (
        "City Hall  \nCouncil Chambers \n12 Journey  \nElmford, CA \nMayor Ada Fox",
        "physical_address",
        "12 Journey  \nElmford, CA",
    ),
    (
        "Persons wishing to speak must fill out a speaker card and submit it to the Clerk.",
        "instructions",
        "Persons wishing to speak must fill out a speaker card and submit it to the Clerk.",
    ),
    (
        "Agenda\n\nTo comment, please email clerk@elmford.gov. Each speaker has three minutes.",
        "instructions",
        "To comment, please email clerk@elmford.gov.",
    ),
]


@pytest.mark.parametrize(("text", "field", "value"), FOUND)
def test_a_way_to_take_part_is_found(text: str, field: str, value: object) -> None:
    assert _read(text).get(field) == value


# text, a field that must stay empty
NOT_FOUND = [
    (
        "If you need special assistance to participate, contact the City Clerk at "
        "clerk@elmford.gov 48 hours before the meeting.",
        "email",
    ),
    (
        "If you need special assistance to participate, contact the City Clerk at "
        "clerk@elmford.gov 48 hours before the meeting.",
        "public_comment_deadline",
    ),
    (
        "Any member of the public who needs accommodations should email the ADA Coordinator at "
        "ada@elmford.gov or call (555) 535-1260.",
        "email",
    ),
    (
        "Any member of the public who needs accommodations should email the ADA Coordinator at "
        "ada@elmford.gov or call (555) 535-1260.",
        "phones",
    ),
    (
        "You may also contact the Office of the City Clerk at (555) 535-1260 or Clerk@elmford.gov.",
        "phones",
    ),
    (
        "You may also contact the Office of the City Clerk at (555) 535-1260 or Clerk@elmford.gov.",
        "email",
    ),
    ("Telephone (555) 589-5330 Fax (555) 589-5570", "phones"),
    ("Dial-in is not offered. Fax: (555) 589-5570", "phones"),
    ("Email comments to clerk@oakton.gov by 2:00 p.m. that day.", "public_comment_deadline"),
    (
        "Email comments to clerk@oakton.gov by 5:00 p.m. on the third Tuesday of each odd month.",
        "public_comment_deadline",
    ),
    ("Interpreter: dial (555) 535-1260 to join by phone.", "phones"),
    ("ADA requests: dial (555) 535-1260.", "phones"),
    ("Join by phone, hearing impaired:\n(555) 535-1260", "phones"),
    ("City Hall\nTelephone: (555) 535-1260 or (555) 535-1261", "phones"),
    ("Subscribe to agendas by sending an email to news@elmford.gov.", "email"),
    (
        "Agendas and Staff Reports may be viewed on the Internet at "
        "https://www.elmford.legistar.com/Calendar.aspx.",
        "streaming_urls",
    ),
    ("Download Zoom at https://zoom.us/download before the meeting.", "virtual_url"),
    ("Applicant's website: https://www.acmehomes.com", "virtual_url"),
    ("The conference ID badge is required. Resolution number 2024-1234.", "meeting_id"),
    ("The passcode is required to enter.", "passcode"),
    ("A password will be sent to you.", "passcode"),
    ("Purchase of five hybrid vehicles for the Police Department", "is_hybrid"),
    ("In-person attendance is not possible; participate virtually.", "is_hybrid"),
    ("Conditional use permit for property located at 12 Oak Street.", "physical_address"),
    (
        "Records are available for inspection at City Hall, 200 Main Street, Elmford, CA 95113.",
        "physical_address",
    ),
    ("Comments are limited to three minutes each.", "instructions"),
    ("Comments are limited to three minutes each.", "public_comment_deadline"),
    (
        "All meetings are to end by midnight unless the Council votes to continue.",
        "public_comment_deadline",
    ),
    ("The bids must be submitted by 2:00 p.m. on Friday.", "public_comment_deadline"),
    ("The Commission received comments on the draft plan from 14 residents.", "instructions"),
    (
        "Virtual Meeting - https://x.zoom.us/j/91325370000\nThis is a hybrid meeting.",
        "is_virtual_only",
    ),
]


@pytest.mark.parametrize(("text", "field"), NOT_FOUND)
def test_what_is_for_something_else_is_left_out(text: str, field: str) -> None:
    assert field not in _read(text)


@pytest.mark.parametrize(
    "text", ["", "AGENDA\n1. Call to order\n2. Adjournment", "Motion carried 5-0."]
)
def test_a_text_that_says_nothing_gives_none(text: str) -> None:
    assert find_participation(text) is None


def test_nothing_is_found_without_a_value() -> None:
    assert list(list_cited(Participation())) == []


@pytest.mark.parametrize(
    "piece",
    [
        "comment ",
        "a@b.co ",
        "https://zoom.us/j/1 ",
        "555 555 5555 ",
        "by 5 p.m. ",
        "\n",
        "in person ",
        "1 A ",
        "comments may be submitted:\n",
        "meeting id ",
        "(",
        "12 Oak Street, ",
        "www.a.b/ ",
        "a.b-",
        "by 5 p.m. the ",
        "one day before the ",
        "Telephone: 669-900-9128, ",
    ],
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    assert grows_linearly(find_participation, piece)
