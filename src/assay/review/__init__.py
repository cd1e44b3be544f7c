"""What people decide about rules and conflicts. Each decision is one transaction, and audited."""

from assay.review.conflicts import resolve_conflict, undo_resolution
from assay.review.decisions import approve_rule, reject_rule, withdraw_rule
from assay.review.desk import By, Desk
from assay.review.editing import edit_rule
from assay.review.requests import answer_request

__all__ = [
    "By",
    "Desk",
    "answer_request",
    "approve_rule",
    "edit_rule",
    "reject_rule",
    "resolve_conflict",
    "undo_resolution",
    "withdraw_rule",
]
