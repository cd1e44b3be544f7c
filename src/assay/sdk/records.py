"""Records with their identity: ids and hashes that are the same wherever they are made."""

from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derived_id, doc_id_of_url, evidence_id
from assay.model.records import (
    Artifact,
    Document,
    Endpoint,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    ScoutResult,
    Source,
)

__all__ = [
    "Artifact",
    "Document",
    "Endpoint",
    "Evidence",
    "IngestCandidate",
    "Record",
    "ReviewRequest",
    "ScoutResult",
    "Source",
    "canonical_json",
    "content_hash",
    "derived_id",
    "doc_id_of_url",
    "evidence_id",
]
