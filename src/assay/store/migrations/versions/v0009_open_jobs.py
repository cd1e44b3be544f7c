"""Open jobs of earlier versions get the payloads that their stages take now.

A job's id contains its subject, so an old job is closed and others with the right ids replace it.
They join its batch, which the queue knows. The batch of a dead job has ended: `App.migrate` queues
the job that replaces it.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from assay.clock import SystemClock
from assay.store.bulk import build_insert

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_CLOSED = {"queued": "cancelled", "dead": "discarded"}
_FRESH = {
    "state": "queued", "attempt": 1, "error_code": None, "error_class": None,
    "error_message": None, "not_before_ms": None, "ended_ms": None,
}  # fmt: skip
Row = Mapping[str, Any]


def upgrade() -> None:
    connection = op.get_bind()
    tables = sa.MetaData()
    tables.reflect(connection, only=["jobs", "dead_letters", "sources", "rules", "conflicts"])
    book = _OpenJobs(connection, tables.tables)
    book.name_packs()
    book.merge_looks("review", "rules", "rule_id")
    book.merge_looks("arbiter", "conflicts", "conflict_id")


class _OpenJobs:
    """The job book with the tables of this version, whatever later versions make of them."""

    def __init__(self, connection: sa.Connection, tables: Mapping[str, sa.Table]) -> None:
        self._connection = connection
        self._tables = tables
        self._jobs = tables["jobs"]
        self._letters = tables["dead_letters"]
        self._now_ms = SystemClock().now_ms()

    def name_packs(self) -> None:
        """An extraction is for one pack: make one job for each pack of the source."""
        jobs, sources = self._jobs, self._tables["sources"]
        query = (
            sa.select(jobs, sources.c.packs)
            .join(sources, sources.c.source_slug == jobs.c.source_slug, isouter=True)
            .where(jobs.c.stage == "extract", jobs.c.state.in_(_CLOSED))
            .order_by(jobs.c.job_id)
        )
        for found in self._connection.execute(query).mappings().all():
            job = dict(found)
            packs = job.pop("packs") or []
            if job["payload"].get("pack"):
                continue
            if job["state"] == "queued":
                new = [_build_extraction(job, pack) for pack in packs]
                for row in new:
                    self._insert(row)
                names = " and ".join(row["job_id"] for row in new)
                why = f"An upgrade replaced it by {names}." if new else "Its source has no pack."
                self._close(job, why)
            elif packs:
                self._change_payload(job["job_id"], {**job["payload"], "pack": packs[0]})

    def merge_looks(self, stage: str, table: str, key: str) -> None:
        """A look is at a whole concept: one job replaces those for its rules or conflicts.

        It belongs to the run of the newest of them, but to a dead one only if none waits.
        """
        jobs, parties = self._jobs, self._tables[table]
        query = (
            sa.select(jobs, parties.c.pack, parties.c.concept)
            .join(parties, parties.c[key] == jobs.c.payload[key].as_string())
            .where(jobs.c.stage == stage, jobs.c.state.in_(_CLOSED))
            .order_by(jobs.c.state.desc(), jobs.c.created_ms.desc(), jobs.c.job_id)
        )
        waiting = self._find_waiting(stage)
        for found in self._connection.execute(query).mappings().all():
            job = dict(found)
            pack, concept = job.pop("pack"), job.pop("concept")
            subject = f"{pack}/{concept}"
            if subject not in waiting:
                row = _build_look(job, pack, concept)
                self._insert(row)
                waiting[subject] = row["job_id"]
            self._close(job, f"An upgrade replaced it by {waiting[subject]}.")

    def _find_waiting(self, stage: str) -> dict[str, str]:
        """The subjects for which a job already waits, each with that job."""
        jobs = self._jobs
        query = sa.select(jobs.c.subject, jobs.c.job_id).where(
            jobs.c.stage == stage, jobs.c.waiting_key.is_not(None)
        )
        return {row.subject: row.job_id for row in self._connection.execute(query)}

    def _insert(self, row: Row) -> None:
        """Insert a job, unless a later version of Assay already has it."""
        statement = build_insert(self._connection.dialect.name, self._jobs).values(dict(row))
        self._connection.execute(statement.on_conflict_do_nothing(index_elements=["job_id"]))

    def _change_payload(self, job_id: str, payload: dict[str, Any]) -> None:
        """Correct a dead job, so that it can be tried again."""
        for table in (self._jobs, self._letters):
            change = sa.update(table).where(table.c.job_id == job_id)
            self._connection.execute(change.values(payload=payload))

    def _close(self, job: Row, why: str) -> None:
        ended = {
            "state": _CLOSED[job["state"]],
            "ended_ms": self._now_ms,
            "error_message": why,
        }
        this = self._jobs.c.job_id == job["job_id"]
        self._connection.execute(sa.update(self._jobs).where(this).values(ended))
        letter = self._letters.c.job_id == job["job_id"]
        self._connection.execute(sa.delete(self._letters).where(letter))


def _build_extraction(job: Row, pack: str) -> Row:
    subject = f"{job['subject']}/{pack}"
    return {
        **job,
        "job_id": f"extract.1:{subject}",
        "subject": subject,
        "payload": {**job["payload"], "pack": pack},
    }


def _build_look(job: Row, pack: str, concept: str) -> Row:
    stage, subject = f"{job['stage']}.2", f"{pack}/{concept}"
    source = job["payload"].get("source")
    return {
        **job,
        **_FRESH,
        "job_id": f"{stage}:{subject}@{secrets.token_hex(6)}",
        "subject": subject,
        "waiting_key": f"{stage}:{job['run_id']}:{subject}",
        "payload": {"pack": pack, "concept": concept, "document": "", "source": source, "look": 0},
    }
