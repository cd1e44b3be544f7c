"""What jobs of the ruling stages are told: ids and options, never text."""

from pydantic import BaseModel, ConfigDict

from assay.engine.contract import Payload
from assay.spine.payloads import EvidenceJob, PackJob


class ExtractJob(PackJob):
    """Take facts from a piece of evidence.

    Where it turned out to be a copy of another, only what rests on its facts is looked at again.
    """


class ComposeJob(EvidenceJob):
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
