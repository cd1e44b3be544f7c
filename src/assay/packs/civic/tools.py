"""What assistants may look up about council meetings: cities, meetings, items and matters."""

from typing import Annotated, Any

from pydantic import Field

from assay.packs.civic import queries
from assay.packs.civic.dossiers import check_topic
from assay.sdk.services import Services
from assay.sdk.tools import AssistantTool, Limit, ToolInput

SomeCity = Annotated[
    str | None, Field(description="Only of this city, by its id from 'list_cities'.")
]
Since = Annotated[str | None, Field(description="Only from this day on, YYYY-MM-DD.")]


class CityList(ToolInput):
    pass


class MeetingList(ToolInput):
    city: SomeCity = None
    since: Since = None
    limit: Limit = 10


class MeetingId(ToolInput):
    meeting_id: str = Field(min_length=1, description="An id from 'list_meetings'.")


class ItemSearch(ToolInput):
    words: str = Field(
        default="", description="Words that must all be in the title or summary of an item."
    )
    city: SomeCity = None
    topic: str | None = Field(default=None, description="Only with this topic, such as 'housing'.")
    since: Since = None
    limit: Limit = 10


class MatterId(ToolInput):
    matter_id: str = Field(min_length=1, description="An id from 'search_items'.")


async def list_cities(_wanted: CityList, services: Services) -> dict[str, Any]:
    return {"cities": await queries.list_cities(services)}


async def list_meetings(wanted: MeetingList, services: Services) -> dict[str, Any]:
    found, more = await queries.list_meetings(services, wanted.city, wanted.since, wanted.limit)
    return {"meetings": found, "more": more}


async def get_meeting(wanted: MeetingId, services: Services) -> dict[str, Any]:
    return await queries.describe_meeting(services, wanted.meeting_id)


async def search_items(wanted: ItemSearch, services: Services) -> dict[str, Any]:
    found, more = await queries.search_items(
        services,
        wanted.words.split(),
        wanted.city,
        check_topic(wanted.topic),
        wanted.since,
        wanted.limit,
    )
    return {"items": found, "more": more}


async def get_matter(wanted: MatterId, services: Services) -> dict[str, Any]:
    return await queries.describe_matter(services, wanted.matter_id)


def build_tools() -> tuple[AssistantTool, ...]:
    """The tools of this pack."""
    return (
        AssistantTool(
            name="list_cities",
            description="List the cities whose council meetings are followed, with the number of "
            "meetings and how the last look at their portal went.",
            input=CityList,
            function=list_cities,
        ),
        AssistantTool(
            name="list_meetings",
            description="List council meetings, the latest first.",
            input=MeetingList,
            function=list_meetings,
        ),
        AssistantTool(
            name="get_meeting",
            description="Show a meeting with its agenda items, documents, summaries and topics.",
            input=MeetingId,
            function=get_meeting,
        ),
        AssistantTool(
            name="search_items",
            description="Find agenda items by words of their titles and summaries, the latest "
            "first. Each names its matter, if it has one.",
            input=ItemSearch,
            function=search_items,
        ),
        AssistantTool(
            name="get_matter",
            description="Show a matter, such as a bill, and its way through the meetings with "
            "decisions and votes, the earliest first.",
            input=MatterId,
            function=get_matter,
        ),
    )
