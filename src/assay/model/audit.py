"""A note for the audit log, before it has its place in the chain."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derive_id

GENESIS = "0" * 64
"""The previous hash of the first entry."""
_HASHED = ("audit_id", "action", "subject_kind", "subject", "actor", "body", "run_id", "at_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditNote:
    """Something for the log to keep forever."""

    action: str
    """In the past tense: `rule_created`, `rule_approved`, `release_published`."""
    subject_kind: str
    subject: str
    actor: str
    """The stage, as `stage:apply`, or the person's name."""
    body: Mapping[str, Any] = field(default_factory=dict)
    once: bool = True
    """Whether a note with the same action, subject and body is the same note."""

    def audit_id(self, place: int) -> str:
        """Its identity; a note that may repeat also gets its place in the log."""
        body = content_hash(canonical_json(dict(self.body)))
        again = "" if self.once else str(place)
        return derive_id("au", self.action, self.subject_kind, self.subject, body, again)


def compute_entry_hash(previous_hash: str, seq: int, entry: Mapping[str, Any]) -> str:
    """The hash of an entry, which covers the hash before it."""
    content = {name: entry[name] for name in _HASHED}
    return content_hash(canonical_json({**content, "seq": seq, "previous_hash": previous_hash}))
