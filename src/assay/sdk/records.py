"""Records, their storage and their identity: the same content has the same id and hash anywhere."""

from assay.model.bookkeeping import DeadLetter
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import (
    derive_evidence_id,
    derive_id,
    derive_item_id,
    doc_id_of_url,
    normalise_url,
)
from assay.model.records import (
    Artifact,
    CandidateEvent,
    DiscoveredItem,
    Document,
    DocumentSource,
    Endpoint,
    Evidence,
    IngestCandidate,
    ReviewRequest,
    ScoutResult,
    Source,
)
from assay.model.rules import AuditEntry
from assay.model.storage import (
    APPEND_ONLY,
    DELETABLE,
    NEVER_DELETED,
    VOLATILE,
    AtLeast,
    Merge,
    Moment,
    Record,
    RowGuard,
    Within,
    fixed_except,
)

__all__ = [
    "APPEND_ONLY",
    "DELETABLE",
    "NEVER_DELETED",
    "VOLATILE",
    "Artifact",
    "AtLeast",
    "AuditEntry",
    "CandidateEvent",
    "DeadLetter",
    "DiscoveredItem",
    "Document",
    "DocumentSource",
    "Endpoint",
    "Evidence",
    "IngestCandidate",
    "Merge",
    "Moment",
    "Record",
    "ReviewRequest",
    "RowGuard",
    "ScoutResult",
    "Source",
    "Within",
    "canonical_json",
    "content_hash",
    "derive_evidence_id",
    "derive_id",
    "derive_item_id",
    "doc_id_of_url",
    "fixed_except",
    "normalise_url",
]
