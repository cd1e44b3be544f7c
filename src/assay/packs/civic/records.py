"""What the pack stores: cities, meetings, agendas, matters, votes, papers and summaries."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from assay.packs.civic.portals.listed import MeetingStatus, PaperKind, VoteValue
from assay.sdk.records import Merge, Moment, Record


class City(Record, table="civic_cities", key=("banana",), merge=Merge.NEW):
    """A city that is watched; its source and its endpoint have the same slug."""

    banana: str
    """Its id, such as `paloaltoCA`."""
    name: str
    state: str
    vendor: str
    site: str
    timezone: str


class Meeting(
    Record,
    table="civic_meetings",
    key=("meeting_id",),
    merge=Merge.NEW,
    indexes=(("banana", "starts"), ("doc_id",)),
):
    """A meeting of a council, board or committee. One that is moved or cancelled stays the same."""

    meeting_id: str
    banana: Annotated[str, Merge.KEEP]
    vendor_id: Annotated[str, Merge.KEEP]
    doc_id: Annotated[str, Merge.KEEP]
    """The document that its papers belong to."""
    evidence_id: str
    title: str
    starts: str
    """Local date and time, or the date alone where no time is known."""
    starts_utc: str | None = None
    """The same moment in UTC, if the time is known."""
    earlier_starts: list[str] = Field(default_factory=list)
    """When it was to start before it was moved, in the order of the changes."""
    body: str | None = None
    location: str | None = None
    status: MeetingStatus = MeetingStatus.SCHEDULED
    agenda_status: MeetingStatus | None = None
    """What its agenda says about that, if the calendar does not."""
    video: str | None = None
    page: str | None = None
    notes: str | None = None
    filter_reason: str | None = None
    """Why it is not processed; None: it is."""
    recorded_ms: Moment = 0
    """When an entry of the portal was last recorded here."""


class AgendaItem(
    Record,
    table="civic_items",
    key=("item_id",),
    merge=Merge.NEW,
    indexes=(("meeting_id",), ("matter_id",)),
):
    """One entry of a meeting's agenda."""

    item_id: str
    meeting_id: Annotated[str, Merge.KEEP]
    banana: Annotated[str, Merge.KEEP]
    evidence_id: str
    sequence: int
    title: str
    number: Annotated[str | None, Merge.RENEW] = None
    section: Annotated[str | None, Merge.RENEW] = None
    text: Annotated[str | None, Merge.RENEW] = None
    matter_id: Annotated[str | None, Merge.RENEW] = None
    consent: bool = False
    action: Annotated[str | None, Merge.RENEW] = None
    """What was decided. An agenda does not know it, so it never takes it back."""
    passed: Annotated[bool | None, Merge.RENEW] = None
    mover: Annotated[str | None, Merge.RENEW] = None
    seconder: Annotated[str | None, Merge.RENEW] = None
    tally: Annotated[str | None, Merge.RENEW] = None
    filter_reason: str | None = None
    """Why it is not analysed; None: it is."""
    withdrawn: bool = False
    """Whether a later version of the agenda no longer has it."""


class Matter(
    Record,
    table="civic_matters",
    key=("matter_id",),
    merge=Merge.NEW,
    indexes=(("banana",), ("vendor_matter_id",)),
):
    """A bill, resolution, contract or other subject that may come before several meetings."""

    matter_id: str
    banana: Annotated[str, Merge.KEEP]
    title: str
    matter_file: Annotated[str | None, Merge.RENEW] = None
    vendor_matter_id: Annotated[str | None, Merge.RENEW] = None
    matter_type: Annotated[str | None, Merge.RENEW] = None
    sponsors: list[str] = Field(default_factory=list)


class Appearance(
    Record,
    table="civic_appearances",
    key=("matter_id", "item_id"),
    merge=Merge.NEW,
    indexes=(("meeting_id",),),
):
    """A matter on the agenda of a meeting."""

    matter_id: str
    item_id: str
    meeting_id: Annotated[str, Merge.KEEP]
    action: Annotated[str | None, Merge.RENEW] = None
    passed: Annotated[bool | None, Merge.RENEW] = None
    tally: Annotated[str | None, Merge.RENEW] = None


class Paper(
    Record,
    table="civic_papers",
    key=("doc_id", "owner_id"),
    merge=Merge.NEW,
    indexes=(("owner_id",), ("meeting_id",)),
):
    """A document of a meeting or of an agenda item; one document may belong to several items."""

    doc_id: str
    owner_id: str
    """The meeting or the item that it belongs to."""
    meeting_id: Annotated[str, Merge.KEEP]
    kind: PaperKind
    url: str
    name: str
    listed_in: str
    """The document that lists it."""
    wanted: bool = True
    """Whether it is fetched; documents of procedural items are not."""
    listed: bool = True
    """Whether the portal still lists it."""


class CivicVote(Record, table="civic_votes", key=("item_id", "member_id"), merge=Merge.NEW):
    """How a member voted on an item, and where that is written."""

    item_id: str
    member_id: str
    meeting_id: Annotated[str, Merge.KEEP]
    vote: VoteValue
    evidence_id: str
    quote: str | None = None
    """The words of the minutes; None where the portal itself lists the vote."""


class CouncilMember(Record, table="civic_members", key=("member_id",), indexes=(("banana",),)):
    """A person who votes."""

    member_id: str
    banana: str
    name: str
    vendor_member_id: Annotated[str | None, Merge.RENEW] = None


class CivicMotion(
    Record,
    table="civic_motions",
    key=("motion_id",),
    merge=Merge.NEW,
    indexes=(("meeting_id",), ("item_id",)),
):
    """A motion as the minutes record it; every value stands in the quote."""

    motion_id: str
    meeting_id: Annotated[str, Merge.KEEP]
    item_id: str | None = None
    """The item it was about, if the minutes name that item just before; None: not known."""
    evidence_id: str
    artifact_id: str
    start: int
    end: int
    quote: str
    mover: str | None = None
    seconder: str | None = None
    motion: str | None = None
    passed: bool | None = None
    tally: str | None = None
    votes: list[dict[str, Any]] = Field(default_factory=list)
    """Each with the member, the vote, and the words that say so."""
    is_main: bool = True
    """Whether it decided on the item itself: not on an amendment, a substitute, the end of the
    debate, or another day."""


class MeetingAccess(Record, table="civic_access", key=("meeting_id",), merge=Merge.NEW):
    """How the public can attend a meeting and comment, as its agenda says."""

    meeting_id: str
    artifact_id: str
    details: dict[str, Any]
    """By name: the value, and where it stands in the artifact."""
    is_hybrid: bool = False
    is_virtual_only: bool = False


class PacketPart(Record, table="civic_packet_parts", key=("item_id",), merge=Merge.NEW):
    """The pages of a meeting's packet that are about an item without documents of its own."""

    item_id: str
    meeting_id: Annotated[str, Merge.KEEP]
    artifact_id: str
    start: int
    end: int


class CivicSummary(
    Record,
    table="civic_summaries",
    key=("subject_id",),
    merge=Merge.NEW,
    indexes=(("meeting_id",), ("wants_model",)),
    leftover=("kind", "replaced"),
):
    """What an item, a matter or a meeting is about; every sentence cites a span of a document."""

    subject_id: str
    """An item's, a matter's or a meeting's id."""
    kind: str
    """`item`, `matter`, `meeting`, `appearance`: an item that has its matter's summary, or
    `replaced`: an empty one of a meeting whose packet was read before its items were known."""
    meeting_id: str
    """The meeting whose documents it was made from."""
    banana: Annotated[str, Merge.KEEP]
    method: str
    """`extractive`, or the provider and the model that wrote it."""
    sentences: list[dict[str, Any]]
    """Each with its `text` and its `citations`: artifact_id, start, end."""
    topics: list[str]
    figures: list[dict[str, Any]] = Field(default_factory=list)
    """Amounts and dates in the cited spans: kind, value, text, artifact_id, start, end."""
    input_hash: str
    """Of the documents and titles it was made from: unchanged documents are not read again."""
    wants_model: bool = False
    """Whether a model is still to write it."""
    reason: str | None = None
    """Why no model wrote it."""


class CivicQuestion(
    Record,
    table="civic_questions",
    key=("question_id",),
    indexes=(("subject_id",), ("batch_id",), ("is_open",)),
    canonical=False,
):
    """A question to a model that is asked as part of a batch. Planned twice, it is one question."""

    question_id: str
    """Made from its subject, what it is about, and how often it was asked."""
    subject_id: str
    kind: str
    meeting_id: str
    banana: str
    title: str
    own: list[list[Any]]
    """The texts that it is about: artifact_id, start, end."""
    shared: list[list[Any]]
    most: int
    input_hash: str
    batch_id: Annotated[str, Merge.MAX] = ""
    """The batch that it is in; empty: none yet; `held`: it was denied, and waits."""
    held_until_ms: int = 0
    """When a question that was denied may be asked again."""
    attempts: int = 1
    is_open: Annotated[bool, Merge.MIN] = True
    """Whether its answer is still to come."""


class SyncStatus(StrEnum):
    """How a synchronization ended. Of two, the later in the alphabet stands."""

    COMPLETED = "COMPLETED"
    """Everything that was asked for arrived. There may be no meetings all the same."""
    FAILED = "FAILED"
    """The portal, or a page of it, could not be read; `error` says why."""
    SKIPPED = "SKIPPED"
    """The portal was not asked, because its robots.txt or the settings forbid it."""


class SyncResult(
    Record,
    table="civic_syncs",
    key=("banana", "run_id"),
    merge=Merge.MAX,
    indexes=(("banana", "ended_ms"),),
    canonical=False,
):
    """How one synchronization of a city went; its pages may be read in any order."""

    banana: str
    run_id: str
    status: SyncStatus
    found: int = 0
    """Meetings that the portal lists."""
    processed: int = 0
    """Meetings among them that were new or had changed, and were recorded."""
    seconds: float = 0.0
    error: Annotated[str | None, Merge.FILL] = None
    """The first reason for a failure."""
    ended_ms: Moment = 0


class CivicWatch(Record, table="civic_watches", key=("watch_id",), merge=Merge.NEW):
    """What a person wants to hear about: words or a matter."""

    watch_id: str
    words: list[str]
    """Words and phrases, all of which must be found; empty for a matter."""
    matter_id: str | None = None
    banana: str | None = None
    topic: str | None = None
    active: bool = True
    """Whether it was not removed."""
    added_ms: Annotated[Moment, Merge.KEEP] = 0


class WatchHit(
    Record,
    table="civic_watch_hits",
    key=("watch_id", "subject_key", "news"),
    indexes=(("report_id",),),
    canonical=False,
):
    """Something that was announced to a person, which is not announced again."""

    watch_id: str
    subject_key: str
    """The meeting, with the item's matter or title. A new version of an agenda may number its items
    anew, which gives them other ids."""
    subject_id: str
    """The item's or the meeting's id."""
    news: str
    """What happened to it, such as `listed` or `decided`."""
    report_id: str
    """The report that announces it, and no other."""
    reported_ms: Moment
