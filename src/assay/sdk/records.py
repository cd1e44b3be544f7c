"""Records with their storage and identity: ids and hashes are the same wherever they are made."""

from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derived_id, doc_id_of_url, evidence_id
from assay.model.records import (
    Artifact,
    Document,
    Endpoint,
    Evidence,
    IngestCandidate,
    ReviewRequest,
    ScoutResult,
    Source,
)
from assay.model.storage import (
    APPEND_ONLY,
    DELETABLE,
    KEPT,
    VOLATILE,
    Guard,
    Merge,
    Moment,
    Record,
    fixed_except,
)

__all__ = [
    "APPEND_ONLY",
    "DELETABLE",
    "KEPT",
    "VOLATILE",
    "Artifact",
    "Document",
    "Endpoint",
    "Evidence",
    "Guard",
    "IngestCandidate",
    "Merge",
    "Moment",
    "Record",
    "ReviewRequest",
    "ScoutResult",
    "Source",
    "canonical_json",
    "content_hash",
    "derived_id",
    "doc_id_of_url",
    "evidence_id",
    "fixed_except",
]
