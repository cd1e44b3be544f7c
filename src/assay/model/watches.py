"""Watches: what a person wants to hear about, and what was delivered where."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.model.storage import APPEND_ONLY, Merge, Moment, Record, fixed_except

Digest = Literal["none", "daily", "weekly"]
"""How deliveries are gathered: each by itself, or at most one message per UTC day or ISO week."""
Shown = Literal["added", "diff"]
FEED = "feed"
"""The channel that every home has: a file that feed readers can follow."""


class DeliveryState(StrEnum):
    """Where a delivery stands; one that failed for good has a dead letter, too."""

    WAITING = "WAITING"
    SENT = "SENT"
    DROPPED = "DROPPED"
    """Its watch was removed before it was sent."""


class NoticeKind(StrEnum):
    """What a notice reports."""

    NEW = "new document"
    CHANGED = "changed document"
    GONE = "document is gone"
    RULE = "new rule"
    RELEASED = "released rule"


class Watch(Record, table="watches", key=("watch_id",), merge=Merge.NEW, canonical=False):
    """What a person wants to hear about, and how."""

    watch_id: str
    source_slug: str | None = None
    url: str | None = None
    """The address of the watched document."""
    concept: str | None = None
    words: list[str] = Field(default_factory=list)
    """Words and phrases that must all occur in changed text; a final star stands for any ending."""
    channels: list[str] = Field(default_factory=list)
    digest: str = "none"
    shown: str = "added"
    active: bool = True
    created_ms: Moment = 0


class Notice(Record, table="notices", key=("notice_id",), guard=APPEND_ONLY, canonical=False):
    """One change that somebody watches, with what it changed."""

    notice_id: str
    kind: str
    title: str
    source_slug: str | None = None
    url: str | None = None
    concept: str | None = None
    evidence_id: str | None = None
    previous_evidence_id: str | None = None
    content: dict[str, Any] = Field(default_factory=dict)
    """The added and removed lines of a document, or the old and the new rule."""
    happened_ms: Moment = 0


class Delivery(
    Record,
    table="deliveries",
    key=("delivery_id",),
    unique=(("watch_id", "notice_id", "channel"),),
    indexes=(("channel", "created_ms"), ("state", "watch_id")),
    guard=fixed_except("state", "sent_ms"),
    canonical=False,
):
    """A notice on its way to one channel of a watch; unique by these three."""

    delivery_id: str
    watch_id: str
    notice_id: str
    channel: str
    matched: list[str] = Field(default_factory=list)
    """The changed lines in which the words of the watch were found."""
    state: str = DeliveryState.WAITING.value
    created_ms: Moment = 0
    sent_ms: Moment | None = None
    run_id: str = ""
    """The run whose changes it reports; one message has all those of a run."""


class NoticeCursor(
    Record, table="notice_cursors", key=("log",), guard=fixed_except("position"), canonical=False
):
    """How far a log of changes was looked through for watches."""

    log: str
    position: Annotated[int, Merge.MAX] = 0
