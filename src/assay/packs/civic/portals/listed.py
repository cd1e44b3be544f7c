"""What every vendor's portal is read into: meetings, their agendas, papers and votes.

Each is stored as one piece of evidence, together with the publisher's own words (`raw`). Times are
local to the city, without a time zone, because that is how all vendors mean them.
"""

import re
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from assay.sdk.records import canonical_json, content_hash

_STARTS = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?")


class _Listed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PaperKind(StrEnum):
    """What a document of a meeting is."""

    AGENDA = "agenda"
    PACKET = "packet"
    """The agenda with all attachments in one document."""
    MINUTES = "minutes"
    DRAFT_MINUTES = "draft_minutes"
    ATTACHMENT = "attachment"
    """A document of one agenda item."""
    OTHER = "other"


TEXT_KINDS: Final = (PaperKind.AGENDA, PaperKind.MINUTES)
"""Documents whose text says more about the meeting than the portal does."""


class MeetingStatus(StrEnum):
    """Whether a meeting takes place."""

    SCHEDULED = "scheduled"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    """It will be held at another time, which may not be known yet."""
    HELD = "held"


class VoteValue(StrEnum):
    """How a member voted."""

    YES = "yes"
    NO = "no"
    ABSTAIN = "abstain"
    ABSENT = "absent"
    PRESENT = "present"


class MeetingPaper(_Listed):
    """A document of a meeting or of an agenda item."""

    kind: PaperKind
    url: str
    name: str
    changed: str | None = None
    """When it last changed, if the vendor says so."""


class ListedVote(_Listed):
    """How one member voted on an item."""

    member: str
    vote: VoteValue
    member_id: str | None = None


class ListedAgendaItem(_Listed):
    """One entry of an agenda, as the vendor lists it."""

    vendor_id: str
    sequence: int
    """Its place on the agenda, from 1."""
    title: str
    number: str | None = None
    """As printed, such as `4.B`."""
    section: str | None = None
    """The heading under which it is listed."""
    matter_file: str | None = None
    """The public file number of its matter."""
    matter_id: str | None = None
    """The vendor's internal id of its matter."""
    matter_type: str | None = None
    text: str | None = None
    """What the agenda says about it beyond the title."""
    attachments: tuple[MeetingPaper, ...] = ()
    sponsors: tuple[str, ...] = ()
    consent: bool = False
    action: str | None = None
    passed: bool | None = None
    mover: str | None = None
    seconder: str | None = None
    tally: str | None = None
    votes: tuple[ListedVote, ...] = ()


class ListedMeeting(_Listed):
    """A meeting, as the vendor lists it."""

    kind: Literal["meeting"] = "meeting"
    vendor_id: str
    title: str
    starts: str
    """The local date and time, `2026-04-28T19:00`, or the date alone where no time is given."""
    body: str | None = None
    """The council, board or committee that meets."""
    location: str | None = None
    status: MeetingStatus = MeetingStatus.SCHEDULED
    papers: tuple[MeetingPaper, ...] = ()
    video: str | None = None
    page: str | None = None
    """The meeting's own page for people."""
    notes: str | None = None
    """The publisher's remarks, such as `REVISED AGENDA`."""
    items: tuple[ListedAgendaItem, ...] = ()
    """Its agenda, if the same response contains it."""
    raw: str = ""
    """The publisher's own words, from which all this was read."""

    @field_validator("starts")
    @classmethod
    def _check_starts(cls, starts: str) -> str:
        if not _STARTS.fullmatch(starts):
            raise ValueError(f"{starts!r} is neither a date nor a date with hours and minutes")
        return starts


class ListedAgenda(_Listed):
    """The agenda of a meeting that another response listed."""

    kind: Literal["agenda"] = "agenda"
    meeting: str
    """The vendor's id of the meeting."""
    part: str | None = None
    """Which part of the agenda this is, if several responses describe it: the next page, or all
    about one item. Its items are added to the agenda that is not a part, or replace those with
    the same id. None: all of it."""
    items: tuple[ListedAgendaItem, ...]
    starts: str | None = None
    """When the meeting starts, if only its agenda names the time."""
    location: str | None = None
    papers: tuple[MeetingPaper, ...] = ()
    """Documents of the meeting that only its agenda names."""
    video: str | None = None
    status: MeetingStatus | None = None
    """Whether the meeting takes place, if only its agenda says that it does not."""
    raw: str = ""


PortalEntry = Annotated[ListedMeeting | ListedAgenda, Field(discriminator="kind")]


def hash_entry(entry: ListedMeeting | ListedAgenda) -> str:
    """A hash of what an entry says; `raw` may differ in tokens and clocks and does not count."""
    return content_hash(canonical_json(entry.model_dump(mode="json", exclude={"raw"})))
