"""Council meetings in the console: a calendar, agendas, matters and a digest."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from assay.packs.civic import queries
from assay.packs.civic.cities import require_city
from assay.packs.civic.dossiers import build_conditions, check_day, check_topic
from assay.packs.civic.meeting_view import describe_meeting_page, link_sentences
from assay.packs.civic.month import MOST_LISTED, list_ids, parse_month, read_month
from assay.packs.civic.outputs.digest import Digest, build_digest, format_city, format_start
from assay.packs.civic.portals.listed import VoteValue
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    City,
    CivicSummary,
    CivicVote,
    CouncilMember,
    Matter,
    Meeting,
)
from assay.packs.civic.topics import TOPICS
from assay.packs.civic.watches import describe_watch, list_watches, repeat_report
from assay.sdk.errors import NotFound
from assay.sdk.pack import Page
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.records import Contains, Within
from assay.sdk.services import Services

_SHOWN: Final = 50
_MOST_WORDS: Final = 8
_LONGEST_WORD: Final = 60
_DIGEST_DAYS: Final = 14
_MOST_DIGESTED: Final = 200
"""Meetings of a digest on one page."""


def pages() -> tuple[Page, ...]:
    """The pages of this pack."""
    return (
        Page(path="/meetings", title="Meetings", handler=list_meetings),
        Page(path="/meetings/{meeting_id}", title="A meeting", handler=show_meeting),
        Page(path="/matters", title="Matters", handler=list_matters),
        Page(path="/matters/{matter_id:path}", title="A matter", handler=show_matter),
        Page(path="/digest", title="Digest", handler=show_digest, is_listed=False),
    )


def list_meetings(request: ConsoleRequest, services: Services) -> ConsolePage:
    """A month of meetings, as a calendar and as a list."""
    today, city = _read_today(services), _read_city(request, services)
    day = _read_day(request, "day")
    month = read_month(
        services,
        parse_month(request.query.get("month", ""), day or today).replace(day=1)
        if day is None
        else day.replace(day=1),
        today,
        day,
        city,
    )
    listed = [meeting for own in month.days.values() for meeting in own]
    items = services.count_records_by(
        AgendaItem, "meeting_id", meeting_id=list_ids(listed), withdrawn=False
    )
    conditions = {} if city is None else {"banana": city}
    cities = services.read_records(City)
    latest = [] if month.count else services.read_last(Meeting, "starts", 1, **conditions)
    return ConsolePage(
        "meetings.html",
        {
            "month": month,
            "day": day,
            "today": today,
            "city": city or "",
            "cities": cities,
            # With one city, its name would only be noise.
            "names": {each.banana: format_city(each) for each in cities if len(cities) > 1},
            "days": [(on, format_start(on), own) for on, own in month.days.items()],
            "items": items,
            "latest": latest[0].starts[:7] if latest else None,
            "most": MOST_LISTED,
        },
    )


def show_meeting(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The agenda of a meeting with what was decided, what says so, and what is missing."""
    meeting_id = request.path["meeting_id"].replace("\x00", "")
    found = services.read_records(Meeting, meeting_id=meeting_id)
    if not found:
        raise NotFound(
            f"There is no meeting '{meeting_id}'.", advice="The calendar lists the meetings."
        )
    return ConsolePage(
        "meeting.html", describe_meeting_page(services, found[0], _read_today(services))
    )


def list_matters(request: ConsoleRequest, services: Services) -> ConsolePage:
    """Matters whose title or number contains all words, and agenda items that do."""
    asked, city = request.query.get("q", ""), _read_city(request, services)
    words = _split_words(asked)
    conditions: dict[str, Any] = {} if city is None else {"banana": city}
    after = request.query.get("after", "").replace("\x00", "")
    titled = {"title": Contains(words)} if words else {}
    # The page ends before the id at which it began; one row more says that there are others.
    until = {"matter_id": Within("", after)} if after else {}
    matters = services.read_last(Matter, "matter_id", _SHOWN + 2, **titled, **until, **conditions)
    matters = [each for each in matters if each.matter_id != after]
    if words and not after:
        numbered = services.read_last(
            Matter, "matter_id", _SHOWN, matter_file=Contains(words), **conditions
        )
        known = {each.matter_id for each in matters}
        matters = [each for each in numbered if each.matter_id not in known] + matters
    items = (
        services.read_last(
            AgendaItem, "item_id", _SHOWN, withdrawn=False, matter_id=None, **titled, **conditions
        )
        if words and not after
        else []
    )
    shown = matters[:_SHOWN]
    return ConsolePage(
        "matters.html",
        {
            "q": asked,
            "city": city or "",
            "cities": services.read_records(City),
            "matters": _describe_matters(services, shown),
            "next": shown[-1].matter_id if len(matters) > _SHOWN else None,
            "items": _place_items(services, items),
        },
    )


def _describe_matters(services: Services, matters: Sequence[Matter]) -> list[dict[str, Any]]:
    """Matters with the number of their appearances and the day of the last one."""
    found = services.read_records(Appearance, matter_id={each.matter_id for each in matters})
    counts = Counter(each.matter_id for each in found)
    meetings = services.read_records(Meeting, meeting_id={each.meeting_id for each in found})
    starts = {meeting.meeting_id: meeting.starts for meeting in meetings}
    last: dict[str, str] = {}
    for each in found:
        day = starts.get(each.meeting_id, "")[:10]
        last[each.matter_id] = max(last.get(each.matter_id, ""), day)
    return [
        {"matter": each, "count": counts[each.matter_id], "last": last.get(each.matter_id) or None}
        for each in matters
    ]


def _place_items(services: Services, items: Sequence[AgendaItem]) -> list[dict[str, Any]]:
    """Agenda items with their meetings, the latest first."""
    found = services.read_records(Meeting, meeting_id={item.meeting_id for item in items})
    meetings = {meeting.meeting_id: meeting for meeting in found}
    rows = [
        {"item": item, "meeting": meetings[item.meeting_id]}
        for item in items
        if item.meeting_id in meetings
    ]
    return sorted(rows, key=lambda row: row["meeting"].starts, reverse=True)


async def show_matter(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The way of a matter through the meetings, with the votes."""
    matter_id = request.path["matter_id"].replace("\x00", "")
    found = await queries.describe_matter(services, matter_id)
    ids = {each["item_id"] for each in found["appearances"]}
    votes, quotes = await asyncio.gather(
        asyncio.to_thread(_read_votes, services, ids),
        asyncio.to_thread(_cite_matter, services, matter_id),
    )
    appearances = [
        {**each, "when": format_start(each["starts"]), "votes": votes.get(each["item_id"], ())}
        for each in found["appearances"]
    ]
    return ConsolePage(
        "matter.html",
        {
            "matter": found,
            "appearances": appearances,
            "sentences": quotes,
            "today": _read_today(services).isoformat(),
        },
    )


def _cite_matter(services: Services, matter_id: str) -> list[dict[str, Any]]:
    summaries = services.read_records(CivicSummary, subject_id=matter_id)
    return link_sentences(services, summaries).get(matter_id, [])


def _read_votes(services: Services, items: Iterable[str]) -> dict[str, list[tuple[str, list[str]]]]:
    """For each item, the kinds of votes with the names of the members."""
    votes = services.read_records(CivicVote, item_id=set(items))
    members = services.read_records(CouncilMember, member_id={each.member_id for each in votes})
    names = {each.member_id: each.name for each in members}
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for item_id in {each.item_id for each in votes}:
        for value in VoteValue:
            own = sorted(
                names.get(each.member_id, each.member_id)
                for each in votes
                if each.item_id == item_id and each.vote == value
            )
            if own:
                found.setdefault(item_id, []).append((value.value, own))
    return found


def show_digest(request: ConsoleRequest, services: Services) -> ConsolePage:
    """What was decided, what comes up, what changed, and the news of watches."""
    today, city = _read_today(services), _read_city(request, services)
    asked = request.query.get("since", "").strip()
    since = check_day(asked) if asked else (today - timedelta(days=_DIGEST_DAYS)).isoformat()
    topic = check_topic(request.query.get("topic") or None)
    count = services.count_records(Meeting, **build_conditions(services, city, since))
    digest = build_digest(services, since, city, topic) if count <= _MOST_DIGESTED else None
    news = repeat_report(services)
    return ConsolePage(
        "digest.html",
        {
            "digest": digest,
            "sections": [] if digest is None else _list_sections(digest),
            "count": count,
            "since": since,
            "city": city or "",
            "cities": services.read_records(City),
            "topic": topic or "",
            "topics": TOPICS,
            "watches": [(each, describe_watch(each)) for each in list_watches(services)],
            "news": [
                {**each, "when": format_start(each["starts"]), "meeting_id": meeting_id}
                for each, meeting_id in zip(news, _find_meetings(services, news), strict=True)
            ],
        },
    )


def _list_sections(digest: Digest) -> list[dict[str, Any]]:
    return [
        {
            "city": city,
            "title": title,
            "is_brief": is_brief,
            "meetings": [
                {"meeting": meeting, "when": format_start(meeting.starts)} for meeting in meetings
            ],
        }
        for city in digest.cities
        for title, meetings, is_brief in city.list_sections()
    ]


def _find_meetings(services: Services, news: Sequence[Mapping[str, Any]]) -> list[str]:
    """The meetings that pieces of news are about."""
    ids = {each["subject_id"] for each in news}
    items = {item.item_id: item for item in services.read_records(AgendaItem, item_id=ids)}
    return [
        items[each["subject_id"]].meeting_id if each["subject_id"] in items else each["subject_id"]
        for each in news
    ]


def _read_today(services: Services) -> date:
    return datetime.fromtimestamp(services.clock.now_ms() / 1000, UTC).date()


def _read_day(request: ConsoleRequest, name: str) -> date | None:
    asked = request.query.get(name, "").strip()
    return date.fromisoformat(check_day(asked)) if asked else None


def _read_city(request: ConsoleRequest, services: Services) -> str | None:
    asked = request.query.get("city", "").strip()
    return require_city(services, asked.replace("\x00", "")).banana if asked else None


def _split_words(text: str) -> tuple[str, ...]:
    words = text.replace("\x00", " ").split()
    return tuple(word[:_LONGEST_WORD] for word in words[:_MOST_WORDS])
