"""What checks find: each kind of fault has a stable code and advice.

A fault is not an error: a check goes on, and reports all faults together at its end.
"""

from enum import Enum


class FaultKind(Enum):
    """A kind of fault: its code, what it means, and what to do about it."""

    GUARD_MISSING = (
        "guard_missing",
        "A declared trigger, constraint, index or column is not in the database.",
        "Find out who can alter the database, then restore it from a backup.",
    )
    GUARD_CHANGED = (
        "guard_changed",
        "A trigger, constraint, index or column differs from its declaration.",
        "Find out who can alter the database, then restore it from a backup.",
    )
    GUARD_DISABLED = (
        "guard_disabled",
        "A trigger exists but does not fire.",
        "Enable it with ALTER TABLE … ENABLE ALWAYS TRIGGER, and find out who disabled it.",
    )
    GUARD_FOREIGN = (
        "guard_foreign",
        "A table has a trigger, constraint, index, column or policy that nothing declares.",
        "Find out who added it, and drop it.",
    )
    LOG_ENTRY_ALTERED = (
        "log_entry_altered",
        "An entry of the audit log does not match its hash or does not follow the one before.",
        "Find out who can write to the database, then restore it from a backup.",
    )
    LOG_ENTRY_MISSING = (
        "log_entry_missing",
        "The audit log has a gap.",
        "Find out who can write to the database, then restore it from a backup.",
    )
    LOG_ENTRY_FOREIGN = (
        "log_entry_foreign",
        "A row of the audit log does not belong to the chain.",
        "Find out who can write to the database, then restore it from a backup.",
    )
    LOG_END_MOVED = (
        "log_end_moved",
        "The audit log does not end where it ended when it was last written.",
        "Find out who can write to the database, then restore it from a backup.",
    )
    LOG_HASH_UNKNOWN = (
        "log_hash_unknown",
        "A hash that the audit log once ended with is not in it: it is a different log.",
        "Compare the store with a backup from before that hash was recorded.",
    )
    ROW_ALTERED = (
        "row_altered",
        "A row differs from the hash that the audit log has of it.",
        "Restore the row from a backup; do not publish what depends on it.",
    )
    ROW_ADDED = (
        "row_added",
        "A row that must be hashed has no hash: Assay did not write it.",
        "Find out who wrote it; do not publish what depends on it.",
    )
    ROW_REMOVED = (
        "row_removed",
        "A row that the audit log has a hash of is gone.",
        "Restore the row from a backup.",
    )
    ROW_HASHES_ALTERED = (
        "row_hashes_altered",
        "The hashes of rows differ from the entry of the audit log that covers them.",
        "Find out who can write to the database, then restore it from a backup.",
    )
    BYTES_ALTERED = (
        "bytes_altered",
        "Stored bytes do not match their hash, or are missing.",
        "Restore them from a backup.",
    )
    MANIFEST_ALTERED = (
        "manifest_altered",
        "The manifest does not have the hash that it should have.",
        "Take the release from its publisher again, or restore it from a backup.",
    )
    MANIFEST_INVALID = (
        "manifest_invalid",
        "The manifest cannot be read, or is not what its rules would produce.",
        "Take the release from its publisher again, or restore it from a backup.",
    )
    RELEASE_DIFFERS = (
        "release_differs",
        "The row of a release, or its list of rules, differs from its manifest.",
        "Restore the store from a backup.",
    )
    RULE_DIFFERS = (
        "rule_differs",
        "The row of a rule differs from its release.",
        "Restore the store from a backup.",
    )
    RELEASE_UNLOGGED = (
        "release_unlogged",
        "The audit log has no entry for the release, or a different one.",
        "Restore the store from a backup.",
    )
    APPROVAL_MISSING = (
        "approval_missing",
        "No person approved a rule that only a person may approve.",
        "Do not use the rule; ask its publisher.",
    )
    SUPPORT_WEAK = (
        "support_weak",
        "The sources of a rule are missing, invalid or too weak.",
        "Do not use the rule; ask its publisher.",
    )
    CONDITION_INVALID = (
        "condition_invalid",
        "The condition of a rule cannot be read.",
        "Do not use the rule; ask its publisher.",
    )
    QUOTE_NOT_FOUND = (
        "quote_not_found",
        "A quote was not found in its text at the stated place.",
        "Do not use the rule; ask its publisher.",
    )
    VALUE_NOT_FOUND = (
        "value_not_found",
        "A value was not found in its quote.",
        "Do not use the rule; ask its publisher.",
    )
    FILE_UNCITED = (
        "file_uncited",
        "A bundle contains a file that no rule cites.",
        "Take the release from its publisher again.",
    )
    OTHER_RELEASE = (
        "other_release",
        "This is a different release from the expected one.",
        "Take the release from its publisher again, and compare its hash.",
    )
    TEXT_UNREADABLE = (
        "text_unreadable",
        "A cited document can no longer be read.",
        "Look at the document; a reader may have changed.",
    )
    TEXT_DIFFERS = (
        "text_differs",
        "A cited document, read again, gives a different text.",
        "Do not use what cites it; look at the document.",
    )
    POINTER_MISSING = (
        "pointer_missing",
        "No pointer leads from a released rule to a cited quote.",
        "Restore the store from a backup.",
    )
    FACT_MISSING = (
        "fact_missing",
        "A pointer leads to a fact that is not stored.",
        "Restore the store from a backup.",
    )
    FACT_DIFFERS = (
        "fact_differs",
        "A fact differs from the pointer or the rule that depends on it.",
        "Restore the store from a backup.",
    )
    EVIDENCE_DIFFERS = (
        "evidence_differs",
        "The evidence or text of a pointer is not stored, or is not the cited one.",
        "Restore the store from a backup.",
    )
    DECISION_MISSING = (
        "decision_missing",
        "No stored decision of the named person approves a released rule.",
        "Ask that person; restore the store from a backup.",
    )

    def __init__(self, code: str, meaning: str, advice: str) -> None:
        self.code = code
        self.meaning = meaning
        self.advice = advice

    def report(self, what: str) -> "Fault":
        """A fault of this kind."""
        return Fault(what, self)


class Fault(str):
    """One fault that a check found: a sentence without its full stop, and its kind."""

    __slots__ = ("kind",)
    kind: FaultKind

    def __new__(cls, what: str, kind: FaultKind) -> "Fault":
        fault = super().__new__(cls, what)
        fault.kind = kind
        return fault

    def __getnewargs__(self) -> tuple[str, FaultKind]:  # type: ignore[override]
        return str(self), self.kind

    @property
    def code(self) -> str:
        return self.kind.code

    def about(self, name: str) -> "Fault":
        """The same fault, with the name of what has it."""
        return Fault(f"{name}: {self}", self.kind)
