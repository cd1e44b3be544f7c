"""What assistants may look up: the notices of a line."""

import asyncio
from typing import Any

from pydantic import Field

from assay.sdk.services import Services
from assay.sdk.tools import AssistantTool, Limit, ToolInput

from .records import FerryNotice


class NoticeSearch(ToolInput):
    line: str = Field(min_length=1, description="The number of the line, such as '602'.")
    limit: Limit = 10


async def list_line_notices(wanted: NoticeSearch, services: Services) -> dict[str, Any]:
    found = await asyncio.to_thread(services.read_records, FerryNotice, line=wanted.line)
    notices = [{"status": each.status, "quote": each.quote} for each in found]
    return {"notices": notices[: wanted.limit], "more": max(0, len(notices) - wanted.limit)}


def tools() -> tuple[AssistantTool, ...]:
    return (
        AssistantTool(
            name="list_notices",
            description="List the service notices of a ferry line, with their words.",
            input=NoticeSearch,
            function=list_line_notices,
        ),
    )
