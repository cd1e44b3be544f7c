"""A pack's pages in the console: a function that collects values, and a template that shows them.

The template lies in the folder that the pack declares as `templates`, and extends the console's
`base.html`: it fills the blocks `title` and `content`. What it shows is escaped; scripts and styles
in its text are not run. A page only reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ConsolePage", "ConsoleRequest"]


@dataclass(frozen=True, kw_only=True)
class ConsoleRequest:
    """A page that somebody wants to see."""

    path: Mapping[str, str] = field(default_factory=dict)
    """The variables of the page's path: `meeting_id` of `/meetings/{meeting_id}`."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The query parameters; the last one of a name counts."""


@dataclass(frozen=True)
class ConsolePage:
    """What the page shows."""

    template: str
    """Its name in the pack's folder: `meetings.html`."""
    values: Mapping[str, Any] = field(default_factory=dict)
