"""The payloads of the jobs that find and deliver news: ids and options, never text."""

from typing import Final

from assay.engine.contract import Payload

NOTICE_STAGE: Final = "notice"
DELIVER_STAGE: Final = "deliver"


class NoticeJob(Payload):
    """See who watches what one event reports."""

    event: str
    """The id of the event; each event is looked at once."""
    kind: str
    """A `NoticeKind`."""
    at_ms: int
    run: str = ""
    """The run in which it happened."""
    doc_id: str | None = None
    evidence_id: str | None = None
    previous_evidence_id: str | None = None
    rule_id: str | None = None
    release_id: str | None = None

    @property
    def subject(self) -> str:
        return self.event


class DeliverJob(Payload):
    """Send what waits for one channel of a watch, as one message."""

    watch_id: str
    channel: str
    key: str
    """The run whose notices are sent, or the day or week of a digest."""
    is_digest: bool = False
    until_ms: int = 0
    """A digest has what was waiting then, so that every attempt sends the same."""

    @property
    def subject(self) -> str:
        return f"{self.watch_id}:{self.channel}:{self.key}"
