"""What jobs of the spine are told: ids and options, never text."""

from assay.engine.contract import Payload


class SentinelJob(Payload):
    """Look at one endpoint for new items."""

    endpoint_id: str
    source: str

    @property
    def subject(self) -> str:
        return self.endpoint_id

    @property
    def source_slug(self) -> str:
        return self.source


class FetchJob(Payload):
    """Fetch what lies at an item's address."""

    item_id: str
    source: str

    @property
    def subject(self) -> str:
        return self.item_id

    @property
    def source_slug(self) -> str:
        return self.source


class ScoutJob(Payload):
    """Judge a piece of evidence cheaply; again when an original turns up of which it is a copy."""

    evidence_id: str
    source: str
    original: str | None = None

    @property
    def subject(self) -> str:
        return self.evidence_id if self.original is None else f"{self.evidence_id}={self.original}"

    @property
    def source_slug(self) -> str:
        return self.source


class RouterJob(Payload):
    """Decide where a scouted piece of evidence goes."""

    evidence_id: str
    source: str
    original: str | None = None

    @property
    def subject(self) -> str:
        return self.evidence_id if self.original is None else f"{self.evidence_id}={self.original}"

    @property
    def source_slug(self) -> str:
        return self.source
