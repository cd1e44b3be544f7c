"""The payloads of the ruling stages' jobs: ids and options, never text."""

from pydantic import BaseModel, ConfigDict

from assay.engine.contract import Payload
from assay.spine.payloads import EvidenceJob, PackJob


class ExtractJob(PackJob):
    """Extract facts from a piece of evidence.

    If it turned out to be a copy of another, only what depends on its facts is looked at again.
    """


class ComposeJob(EvidenceJob):
    """Group the facts of a piece of evidence into proposals."""

    found: str = ""
    """Identifies the set of facts: if a later attempt finds others, they are composed too."""

    @property
    def subject(self) -> str:
        return super().subject + (f"!{self.found}" if self.found else "")


class ProposedRule(BaseModel):
    """A rule that facts of one document state together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule_id: str
    """Derived from what the facts mean; apply verifies that."""
    fact_ids: tuple[str, ...]


class ConceptJob(Payload):
    """Look at a concept of a pack, because something changed; see `ruling.convergence`."""

    pack: str
    concept: str
    document: str = ""
    """If several values apply side by side: the document whose rules are concerned."""
    source: str | None = None
    """The source of the document that caused the look, or one of several."""
    look: int = 0
    """0: evidence changed. Otherwise how many looks in a row came before, each of which changed
    something."""

    @property
    def subject(self) -> str:
        return f"{self.about}{'~' if self.look else ''}"

    @property
    def about(self) -> str:
        """What the job looks at."""
        return f"{self.pack}/{self.concept}" + (f"@{self.document}" if self.document else "")

    @property
    def source_slug(self) -> str | None:
        return self.source


class ApplyJob(ConceptJob):
    """Apply proposed rules; without any, settle how the rules of a concept relate to each other."""

    evidence_id: str = ""
    """The evidence that the proposed rules come from."""
    rules: tuple[ProposedRule, ...] = ()
    """The proposed rules. Empty: settle how the existing rules relate to each other."""
    visit: int = 0
    found: str = ""
    """Identifies the set of facts of the evidence."""

    @property
    def subject(self) -> str:
        if not self.rules:
            return super().subject
        visit = f"#{self.visit}" if self.visit else ""
        found = f"!{self.found}" if self.found else ""
        return f"{self.pack}/{self.concept}@{self.evidence_id}{visit}{found}"


class ReviewJob(ConceptJob):
    """Decide which rules of a concept can be approved, need a person, or lost their support."""


class ArbiterJob(ConceptJob):
    """Decide the conflicts of a concept, or determine who has to."""


class ReleaseJob(Payload):
    """Publish the approved rules of a pack as a new version."""

    pack: str
    rule_ids: tuple[str, ...] = ()
    """Empty: all approved rules."""
    released_by: str = ""
    content_hash: str = ""
    """What the person saw who releases; anything else is refused. Empty: whatever is approved."""

    @property
    def subject(self) -> str:
        return " ".join((self.pack, *self.rule_ids))


class EmbedJob(Payload):
    """Compute the vector of a published rule."""

    rule_id: str
    release_id: str

    @property
    def subject(self) -> str:
        return f"{self.rule_id}@{self.release_id}"
