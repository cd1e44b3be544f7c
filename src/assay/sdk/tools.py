"""A pack's tools for assistants: what a model may look up in the pack's records, over MCP.

A tool only reads. Its services refuse to write, fetch and ask models, and the database refuses
every change. What it returns is cut to a size that an assistant can take in, and its texts are
marked as the content of documents; so put quotes and titles into fields of their own, and what
matters most first.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from assay.sdk.services import Services

__all__ = ["AssistantTool", "Limit", "ToolInput"]

MOST_ENTRIES = 50
_MOST_CHARACTERS = 1000


class ToolInput(BaseModel):
    """What a tool takes: a field with a description for each argument. Others are refused."""

    model_config = ConfigDict(
        extra="forbid", str_max_length=_MOST_CHARACTERS, str_strip_whitespace=True
    )


@dataclass(frozen=True, kw_only=True)
class AssistantTool:
    """A tool of a pack."""

    name: str
    """A verb and an object in lowercase. An assistant sees it after the name of the pack:
    `list_notices` of the pack `ferries` is `ferries_list_notices`."""
    description: str
    """What it finds and when to use it, for a model that knows nothing about the pack."""
    input: type[ToolInput]
    function: Callable[[Any, Services], Awaitable[Any]]
    """Returns something that can be written as JSON, for an instance of `input`."""


Limit = Annotated[
    int, Field(ge=1, le=MOST_ENTRIES, description="How many entries to return at most.")
]
"""The type of an argument that limits how many entries a tool returns."""
