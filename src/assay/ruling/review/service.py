"""How people decide: who decides, and the single transaction in which a decision is made."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from assay.engine.contract import Change
from assay.errors import InvalidInput, NotFound, QuestionChanged
from assay.model.audit import AuditNote
from assay.model.ids import derive_id
from assay.model.records import Record, ReviewRequest
from assay.model.rules import ReviewDecision, Rule, RuleStatus
from assay.ruling.convergence import MAX_LOOKS, build_unrest_request
from assay.ruling.declaration import Facts
from assay.ruling.review.consequences import ANSWERED, OPEN, WriteContext
from assay.ruling.review.judgement import RuleCase
from assay.ruling.review.lookup import read_concept_rows, read_rows
from assay.ruling.review.review import judge_concept
from assay.ruling.rules.rule_support import list_quote_keys
from assay.store import audit
from assay.store.changes import change_row
from assay.store.database import begin_writing, explain_errors
from assay.store.row_hashes import record_row_hashes
from assay.store.upserts import upsert_records

POLICY = "policy:review"
"""The actor for what only follows from a decision: nobody signs for what they did not say."""


@dataclass(frozen=True, kw_only=True)
class Reviewer:
    """The person who decides, and their note."""

    person: str
    note: str = ""
    authenticated: bool = False
    """Whether somebody logged in, or a program showed its token; otherwise the name is what they
    say."""
    is_person: bool = False
    """Whether a person logged in."""

    def __post_init__(self) -> None:
        if not self.person.strip():
            raise InvalidInput(
                "A decision needs the name of the person who makes it.",
                advice="Use --by NAME; the name is kept with the decision permanently.",
            )


@dataclass(frozen=True)
class ReviewService:
    """The store, the time of the decision, the thresholds of packs, and who has to agree."""

    engine: sa.Engine
    packs: Mapping[str, Facts]
    now_ms: int
    two_people: frozenset[str] = frozenset()
    """The tiers of rules that it takes two people to approve."""

    @contextmanager
    def decide(self, by: Reviewer) -> Iterator["DecisionTransaction"]:
        """One transaction: everything takes effect, or nothing."""
        with explain_errors(), self.engine.begin() as connection:
            begin_writing(connection)
            transaction = DecisionTransaction(connection, self, by)
            yield transaction
            transaction.close()

    def pack_of(self, rule: Rule) -> Facts:
        """The pack that a rule belongs to."""
        try:
            return self.packs[rule.pack]
        except KeyError:
            raise NotFound(
                f"Rule {rule.rule_id} belongs to the pack '{rule.pack}', which is not installed.",
                advice="Install the pack.",
            ) from None


@dataclass
class DecisionTransaction:
    """A decision in progress."""

    connection: sa.Connection
    service: ReviewService
    by: Reviewer
    notes: list[AuditNote] = field(default_factory=list)
    written: list[Record] = field(default_factory=list)

    def write_records(self, records: Sequence[Record]) -> None:
        """Store records; those that must never change are hashed at the end."""
        upsert_records(self.connection, records)
        self.written.extend(records)

    def change_row(
        self, record: type[Record], key: str, when: Mapping[str, Any], to: Mapping[str, Any]
    ) -> None:
        """Change a row if it is still as it was when read; otherwise undo the whole decision."""
        if not change_row(self.connection, record, key, when, to):
            raise QuestionChanged(
                f"{record.__name__} {key} changed while you decided; nothing was done."
            )

    def record_decision(
        self,
        kind: str,
        subject: str,
        decision: str,
        *,
        machine: Mapping[str, Any],
        version: Mapping[str, Any],
        evidence_key: str = "",
    ) -> ReviewDecision:
        """Record the person's version beside the machine's."""
        about = read_rows(self.connection, ReviewDecision, "subject", [subject], subject_kind=kind)
        # Two decisions never have the same time, so the last one is always known.
        at_ms = max([self.service.now_ms, *(earlier.at_ms + 1 for earlier in about)])
        made = ReviewDecision(
            decision_id=derive_id("rd", kind, subject, decision, self.by.person, str(at_ms)),
            subject_kind=kind,
            subject=subject,
            decision=decision,
            person=self.by.person,
            note=self.by.note,
            machine=dict(machine),
            version=dict(version),
            evidence_key=evidence_key,
            at_ms=at_ms,
        )
        self.write_records([made])
        return made

    def add_audit_note(self, action: str, kind: str, subject: str, **body: Any) -> None:
        """Add an entry to the audit log."""
        with_note = {**body, "note": self.by.note} if self.by.note else body
        if self.by.authenticated:
            with_note = {**with_note, "authenticated": True}
        self.notes.append(
            AuditNote(
                action=action,
                subject_kind=kind,
                subject=subject,
                actor=self.by.person,
                body=with_note,
                once=False,
            )
        )

    def close_answered_requests(self, requests: Sequence[ReviewRequest], answer: str) -> None:
        """Close the open questions that a decision answers."""
        for request in requests:
            if request.state != OPEN:
                continue
            self.change_row(
                ReviewRequest,
                request.request_id,
                {"state": OPEN},
                {
                    "state": ANSWERED,
                    "answer": answer,
                    "answered_by": self.by.person,
                    "answered_ms": self.service.now_ms,
                },
            )

    def settle_concept(self, rule: Rule) -> None:
        """Look at all that affects a rule until nothing changes; see `ruling.convergence`."""
        pack, packs = self.service.pack_of(rule), self.service.packs
        by = WriteContext(actor=POLICY, now_ms=self.service.now_ms, labels=pack.fields)
        for _ in range(MAX_LOOKS):
            rows = read_concept_rows(self.connection, rule, packs)
            # A rule that was never judged waits for its job, which settles it first.
            known = [key for key, entry in rows.rules.items() if entry.status != RuleStatus.DRAFT]
            found = judge_concept(known, rows, by, pack.approval_floor)
            if not found:
                return
            self.write_records(found.records)
            # In the same order as the stages, which prevents deadlocks.
            for change in sorted(found.changes, key=lambda c: (c.record.__name__, c.key)):
                self.carry_out(change)
        request = build_unrest_request(rule.pack, rule.concept, None, self.service.now_ms)
        self.write_records([request])

    def carry_out(self, change: Change) -> None:
        """Make a change that follows from the decision, if its row is still as it was when read."""
        is_done = change_row(self.connection, change.record, change.key, change.when, change.to)
        if is_done and change.audit is not None:
            self.notes.append(change.audit)

    def close(self) -> None:
        """Write the audit log last, because writing to it makes all other writers wait."""
        audit.append_notes(self.connection, self.notes, self.service.now_ms)
        record_row_hashes(self.connection, self.written, self.service.now_ms)


def describe_machine_version(case: RuleCase) -> dict[str, Any]:
    """The machine's version of a rule, as stored with a decision."""
    rule = case.rule
    return {
        "value": rule.value,
        "value_type": rule.value_type,
        "unit": rule.unit,
        "effective_from": rule.effective_from,
        "effective_until": rule.effective_until,
        "applies_when": rule.applies_when,
        "status": rule.status,
        "confidence": rule.confidence,
        "quotes": list_quote_keys(case.pointers),
    }
