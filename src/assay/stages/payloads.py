"""What jobs of the spine are told: ids and options, never text."""

from pydantic import BaseModel, ConfigDict

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


class ListingJob(Payload):
    """Look at one more page of an endpoint's listing, or at one child of its sitemap."""

    endpoint_id: str
    source: str
    url: str
    number: int = 0
    changed: str | None = None
    body: str | None = None
    """What to send by POST; None asks with GET."""

    @property
    def subject(self) -> str:
        return " ".join(part for part in (self.endpoint_id, self.url, self.body) if part)

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


class IntakeJob(Payload):
    """Take in a file that a person gave; its bytes are stored already."""

    content_hash: str
    name: str
    """What the file is called; another content under the same name is a new version of it."""
    source: str
    content_type: str = ""

    @property
    def subject(self) -> str:
        return f"{self.source}/{self.name}@{self.content_hash}"

    @property
    def source_slug(self) -> str:
        return self.source


class _EvidenceJob(Payload):
    evidence_id: str
    source: str
    original: str | None = None
    """The evidence that turned out to have the same bytes and to count as the original."""
    visit: int = 0
    """Tells one return to old content from the next; 0 where it is new."""

    @property
    def subject(self) -> str:
        original = f"={self.original}" if self.original is not None else ""
        visit = f"#{self.visit}" if self.visit else ""
        return f"{self.evidence_id}{original}{visit}"

    @property
    def source_slug(self) -> str:
        return self.source


class ScoutJob(_EvidenceJob):
    """Judge a piece of evidence cheaply."""


class RouterJob(_EvidenceJob):
    """Decide where a scouted piece of evidence goes."""

    after_ocr: bool = False
    """Whether it was scanned pages, which have been read by now."""

    @property
    def subject(self) -> str:
        return super().subject + ("+ocr" if self.after_ocr else "")


class OcrJob(_EvidenceJob):
    """Read the pages of a scanned piece of evidence."""


class ExtractJob(_EvidenceJob):
    """Take facts from a piece of evidence."""

    provider: str | None = None
    """The model that the router chose; none: the deterministic extractor answers alone."""


class ComposeJob(_EvidenceJob):
    """Group the facts of a piece of evidence into proposals."""

    found: str = ""
    """Names the facts that were found: where a later try finds others, they are composed too."""

    @property
    def subject(self) -> str:
        return super().subject + (f"!{self.found}" if self.found else "")


class ProposedRule(BaseModel):
    """A rule that facts of one document state together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule_id: str
    """Follows from what the facts mean; apply makes sure that it does."""
    fact_ids: tuple[str, ...]


class ApplyJob(Payload):
    """Make a proposal true, and settle how the rules of its concept stand to each other."""

    pack: str
    concept: str
    evidence_id: str
    """The evidence that it comes from."""
    source: str
    rules: tuple[ProposedRule, ...] = ()
    """None: the rules are there, and only how they stand to each other is to be settled."""
    visit: int = 0
    found: str = ""
    """Names the facts of the evidence."""
    look: int = 0
    """Counts the looks at how the rules stand to each other."""

    @property
    def subject(self) -> str:
        visit = f"#{self.visit}" if self.visit else ""
        found = f"!{self.found}" if self.found else ""
        settling = "" if self.rules else f"~{self.look or ''}"
        return f"{self.pack}/{self.concept}@{self.evidence_id}{visit}{found}{settling}"

    @property
    def source_slug(self) -> str:
        return self.source


class ReviewJob(Payload):
    """Decide whether a rule may be approved, must wait for a person, or lost its ground."""

    rule_id: str
    cause: str
    """What made it necessary: evidence, a conflict, a decision. Each cause is one look."""
    source: str | None = None
    look: int = 0
    """Counts the looks for one cause: whoever changed something looks again."""

    @property
    def subject(self) -> str:
        return f"{self.rule_id}<{self.cause}" + (f"~{self.look}" if self.look else "")

    @property
    def source_slug(self) -> str | None:
        return self.source


class ArbiterJob(Payload):
    """Decide a conflict, or find out who has to."""

    conflict_id: str
    cause: str = ""
    source: str | None = None

    @property
    def subject(self) -> str:
        return f"{self.conflict_id}<{self.cause}" if self.cause else self.conflict_id

    @property
    def source_slug(self) -> str | None:
        return self.source


class ReleaseJob(Payload):
    """Publish the approved rules of a pack as a new version."""

    pack: str
    rule_ids: tuple[str, ...] = ()
    """None named: all that are approved."""
    released_by: str = ""

    @property
    def subject(self) -> str:
        return " ".join((self.pack, *self.rule_ids))


class EmbedJob(Payload):
    """Make the vector of a published rule."""

    rule_id: str
    release_id: str

    @property
    def subject(self) -> str:
        return f"{self.rule_id}@{self.release_id}"
