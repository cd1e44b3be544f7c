"""The jobs of the pack's stages."""

from collections.abc import Iterable
from typing import Final

from assay.sdk.records import derive_id
from assay.sdk.stages import NextJob, PackJob, Payload

LIST_STAGE: Final = "literature_list"
PIECE_STAGE: Final = "literature_piece"
RECORD_STAGE: Final = "literature_record"
IDENTITY_STAGE: Final = "literature_identity"
RESOLVE_STAGE: Final = "literature_resolve"
TEXT_STAGE: Final = "literature_text"
INDEX_STAGE: Final = "literature_index"


class ListPieceJob(Payload):
    """Read a further piece of a long list."""

    source: str
    evidence_id: str
    start: int
    """Where the piece begins, in bytes."""
    place: int
    """The same in characters."""
    state: str
    """The stored bytes with what the pieces before it left."""
    shared: str
    """The stored bytes with what every piece must know."""
    follows_gap: bool = False
    """Whether the piece before it could not be read."""
    found: int = 0
    """References in the pieces before it."""
    unread: int = 0
    """Pieces before it that could not be read."""

    @property
    def subject(self) -> str:
        return f"{self.evidence_id}/{self.start}/{self.state}"

    @property
    def source_slug(self) -> str:
        return self.source


class ReferencesJob(Payload):
    """Record some references of a list, or of the paper that cites them."""

    source: str
    kind: str
    content_hash: str
    """The stored bytes that hold them: one JSON object a line."""
    evidence_id: str
    citing: str = ""
    place: int = 0
    """What their places count from: where their piece of the list begins."""

    @property
    def subject(self) -> str:
        place = f"@{self.place}" if self.place else ""
        return f"{self.evidence_id}/{self.content_hash}{place}"

    @property
    def source_slug(self) -> str:
        return self.source


class PaperTextJob(PackJob):
    """Take in the text of a paper."""

    force: str = ""
    """Why it is divided and embedded although it has not changed; each reason counts once."""

    @property
    def subject(self) -> str:
        return super().subject + (f"!{self.force}" if self.force else "")


class WorksJob(Payload):
    """Work on some documents of the corpus."""

    doc_ids: tuple[str, ...]
    source: str = ""

    @property
    def subject(self) -> str:
        return derive_id("works", *self.doc_ids)

    @property
    def source_slug(self) -> str:
        return self.source


def plan_works(stage: str, doc_ids: Iterable[str], source: str, size: int) -> list[NextJob]:
    """Jobs for documents, with at most so many of them each."""
    ordered = sorted(set(doc_ids))
    return [
        NextJob(stage, WorksJob(doc_ids=tuple(ordered[at : at + size]), source=source))
        for at in range(0, len(ordered), size)
    ]
