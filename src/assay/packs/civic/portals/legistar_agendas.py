"""Legistar: the settings of a city, and how the rows of an agenda become items.

The API and the pages list an agenda in the same way: rows that are matters, rows that are headings
and rows that are neither. What else there is about an item (votes, sponsors, documents) comes from
further requests, one after the other, and is stored as a part of the agenda.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from assay.packs.civic.portals.listed import (
    ListedAgenda,
    ListedAgendaItem,
    ListedMeeting,
    ListedVote,
    MeetingStatus,
    VoteValue,
)
from assay.packs.civic.portals.shared import CivicTenant, build_agenda_items, find_status
from assay.sdk.records import content_hash
from assay.sdk.sources import PortalItem, PortalPage, PortalRequest

API_HEADERS: Final = {"Accept": "application/json"}
_LONGEST_HEADING = 150
_NUMBER = re.compile(r"[A-Za-z]+|\d+")
_ROMAN = re.compile(r"[IVX]+")
_FIRST = frozenset({"1", "a", "i", "01", "001"})
_CONSENT = re.compile(r"(?<!non-)(?<!non )\bconsent\b", re.IGNORECASE)
_NOT_CONSENT = re.compile(r"\b(removed|pulled|withdrawn|taken)\b", re.IGNORECASE)
_FROM = re.compile(r"\b(rescheduled|postponed|deferred|moved|continued)\s+from\b", re.IGNORECASE)
_ASIDE = re.compile(r"\brecess(ed)?\b|(?<=\w )no meeting\b", re.IGNORECASE)
"""A break, or a day without a meeting: neither is about the meeting itself."""
_TRANSLATION = re.compile(r"\s*(\(SAP\)|- SAP)$")
_VOTES: Final = {
    VoteValue.YES: "yes yea yeas aye ayes affirmative for approve approved support favor concur",
    VoteValue.NO: "no nay nays noe noes negative against opposed oppose dissent denied",
    VoteValue.ABSTAIN: "abstain abstained abstention abstaining recuse recused recusal conflict "
    "disqualified",
    VoteValue.ABSENT: "absent excused away medical maternity paternity parental bereavement jury "
    "leave unexcused late vacant",
    VoteValue.PRESENT: "present",
}
_VOTE_WORDS: Final = {word: value for value, words in _VOTES.items() for word in words.split()}


class LegistarTenant(CivicTenant):
    """A city at Legistar."""

    client: str | None = None
    """The city's name in the API, if it differs from that of its site."""
    api: bool = True
    """Whether to ask the API first; false for a city that has switched it off."""
    api_base: str = "https://webapi.legistar.com/v1"
    votes: bool = True
    """Whether to ask for the votes on each item that was decided: a request for each."""
    sponsors: bool = False
    """Whether to ask the API for the sponsors of each matter: a request for each."""
    attachments: bool = True
    """Whether to read the page of each matter, where the API does not list its documents: a
    request for each."""
    most_pages: int = Field(default=100, ge=1, le=1000)
    """Pages of one listing after which to give up."""

    @property
    def base(self) -> str:
        return self.find_base("https://{site}.legistar.com")

    @property
    def api_url(self) -> str | None:
        """The address of the city's API; None if it is not to be asked, or not known."""
        client = self.client or self._find_client()
        return f"{self.api_base.rstrip('/')}/{client}" if self.api and client else None

    @property
    def files(self) -> str:
        """Where documents are of which the API gives only the name."""
        client = self.client or self._find_client()
        return f"https://{client}.legistar1.com/{client}/attachments/"

    def _find_client(self) -> str | None:
        if "://" not in self.site:
            return self.site.strip().lower()
        name, _, rest = (urlsplit(self.site).hostname or "").partition(".")
        return name if rest.startswith("legistar.") else None


@dataclass(frozen=True, slots=True)
class AgendaRow:
    """A row of an agenda, before it is known whether it is an item."""

    item: ListedAgendaItem
    is_firm: bool
    """Whether it is certainly an item: it has a matter, documents or an action."""
    is_heading: bool = False
    """Whether the publisher marks it as a heading."""
    steps: tuple[tuple[str, str], ...] = ()
    """The requests for what else there is about it: what to expect, and the address."""
    stamp: str = ""
    """When it last changed."""


class _RowKind(StrEnum):
    ITEM = "item"
    HEADING = "heading"
    REMARK = "remark"


def arrange_rows(rows: Sequence[AgendaRow], start: int = 1) -> list[AgendaRow]:
    """The rows that are items, in order, each with its section, and an id that no other has."""
    section: str | None = None
    seen: dict[str, int] = {}
    arranged: list[AgendaRow] = []
    for row, kind in zip(rows, _find_kinds(rows), strict=True):
        if kind is _RowKind.HEADING:
            section = row.item.title
        if kind is not _RowKind.ITEM:
            continue
        seen[row.item.vendor_id] = count = seen.get(row.item.vendor_id, 0) + 1
        item = row.item.model_copy(
            update={
                "vendor_id": row.item.vendor_id + (f"-{count}" if count > 1 else ""),
                "sequence": start + len(arranged),
                "section": section,
                "consent": row.item.consent or _is_consent(section),
            }
        )
        arranged.append(AgendaRow(item, row.is_firm, steps=row.steps, stamp=row.stamp))
    return arranged


def request_details(rows: Iterable[AgendaRow], meeting: str, held: str) -> list[PortalRequest]:
    """The first request about each item that has further details."""
    return [
        _make_request(row.item, row.steps, row.stamp, {"meeting": meeting, "held": held})
        for row in rows
        if row.steps
    ]


def read_listed_item(request: PortalRequest) -> ListedAgendaItem:
    """The item that a request for details is about."""
    return ListedAgendaItem.model_validate_json(request.context["item"])


def continue_details(
    request: PortalRequest, tenant: LegistarTenant, found: dict[str, Any], warnings: Sequence[str]
) -> PortalPage:
    """Add what was found about an item; ask for the next detail, or store the item."""
    item = read_listed_item(request)
    gained = {name: value for name, value in found.items() if value}
    item = item.model_copy(update=gained)
    context = dict(request.context)
    context["gained"] = " ".join([*context.get("gained", "").split(), *gained])
    steps = tuple((step, url) for step, url in json.loads(context["steps"]))
    if steps:
        further = _make_request(item, steps, request.changed or "", context)
        return PortalPage(requests=[further], warnings=warnings)
    items: list[PortalItem] = []
    if context["gained"]:
        agenda = ListedAgenda(meeting=context["meeting"], part=item.vendor_id, items=(item,))
        items = build_agenda_items(tenant, tenant.base, agenda, context["held"])
        if "attachments" not in context["gained"].split():
            # The agenda named them already.
            items = items[:1]
    return PortalPage(items=items, warnings=warnings)


def read_votes(
    votes: Iterable[tuple[str | None, str | None, str | None]],
) -> tuple[tuple[ListedVote, ...], list[str]]:
    """Votes from names, votes in the publisher's words, and ids; and the words not understood.

    A member without a vote is left out: rosters of voice votes are lists of such members.
    """
    found: dict[str, ListedVote] = {}
    unknown: list[str] = []
    for member, words, member_id in votes:
        if member is None or words is None:
            continue
        value = find_vote(words)
        if value is None:
            unknown.append(words)
        else:
            found[member_id or member] = ListedVote(member=member, vote=value, member_id=member_id)
    return tuple(found.values()), sorted(set(unknown))


def find_vote(words: str) -> VoteValue | None:
    """How a member voted, in the publisher's words."""
    plain = words.lower()
    if re.search(r"\bnot present\b", plain):
        return VoteValue.ABSENT
    if re.search(r"\b(not|non|did not|no)[ -]?(vote|voting)\b", plain):
        return VoteValue.PRESENT
    named = (_VOTE_WORDS.get(word) for word in re.findall(r"[a-z]+", plain))
    return next((value for value in named if value is not None), None)


def leave_out_translations(meetings: Iterable[ListedMeeting]) -> list[ListedMeeting]:
    """The meetings without those that are another one again, with interpretation in Spanish."""
    listed = list(meetings)
    known = {(meeting.title, meeting.starts[:10]) for meeting in listed}
    return [
        meeting
        for meeting in listed
        if (_TRANSLATION.sub("", meeting.title), meeting.starts[:10]) not in known
        or not _TRANSLATION.search(meeting.title)
    ]


def find_note_status(*notes: str | None) -> MeetingStatus:
    """Whether a meeting takes place according to remarks, which may mention other meetings too."""
    for note in notes:
        head = re.split(r"[.;\n]", (note or "").strip(), maxsplit=1)[0][:80]
        if not _FROM.search(head):
            found = find_status(_ASIDE.sub(" ", head))
            if found is not MeetingStatus.SCHEDULED:
                return found
    return MeetingStatus.SCHEDULED


def _make_request(
    item: ListedAgendaItem, steps: Sequence[tuple[str, str]], stamp: str, context: dict[str, str]
) -> PortalRequest:
    (step, url), *rest = steps
    listed = item.model_dump_json(exclude_defaults=True)
    return PortalRequest(
        url=url,
        step=step,
        headers=API_HEADERS if step in {"votes", "sponsors"} else {},
        changed=content_hash(f"{stamp} {listed}".encode()),
        context={**context, "item": listed, "steps": json.dumps(rest)},
    )


def _is_consent(section: str | None) -> bool:
    return bool(
        section is not None and _CONSENT.search(section) and not _NOT_CONSENT.search(section)
    )


def _find_kinds(rows: Sequence[AgendaRow]) -> Iterator[_RowKind]:
    has_items = any(row.is_firm or row.item.number for row in rows)
    for place, row in enumerate(rows):
        following = rows[place + 1] if place + 1 < len(rows) else None
        yield _find_kind(row, following, has_items)


def _find_kind(row: AgendaRow, following: AgendaRow | None, has_items: bool) -> _RowKind:
    if row.is_firm:
        return _RowKind.ITEM
    if row.is_heading:
        return _RowKind.HEADING
    title, number = row.item.title, row.item.number
    if number is None:
        if not has_items:
            # No row has a number or a matter: these are the items.
            return _RowKind.HEADING if title.isupper() else _RowKind.ITEM
        return _RowKind.HEADING if len(title) <= _LONGEST_HEADING else _RowKind.REMARK
    if following is not None and _is_above(number, title, following):
        return _RowKind.HEADING
    return _RowKind.ITEM


def _is_above(number: str, title: str, following: AgendaRow) -> bool:
    """Whether a row with a number and no matter is the heading of the row after it."""
    next_number = following.item.number
    if next_number is None:
        return following.is_firm
    here, there = _NUMBER.findall(number.lower()), _NUMBER.findall(next_number.lower())
    if len(there) > len(here) and there[: len(here)] == here:
        return True
    if len(there) == len(here) and _find_style(number) != _find_style(next_number):
        return there[-1:] != [] and (
            there[-1] in _FIRST or (following.is_firm and _find_style(next_number) != "roman")
        )
    is_next = here[:-1] == there[:-1] and here[-1:] < there[-1:]
    return (
        following.is_firm and not is_next and title.isupper() and not following.item.title.isupper()
    )


def _find_style(number: str) -> str:
    last = (_NUMBER.findall(number) or [""])[-1]
    if last.isdigit():
        return "digits"
    if _ROMAN.fullmatch(last):
        return "roman"
    return "capital" if last.isupper() else "small"
