"""Forgeries, and which check finds each with which code; the table of docs/concepts/security.md."""

from collections.abc import Callable, Mapping

import pytest
import sqlalchemy as sa

from assay.app.checks import check_store
from assay.app.release_proofs import verify_stored_release
from assay.app.releases import find_release
from assay.model.audit import GENESIS, compute_entry_hash
from assay.model.records import ReviewRequest
from assay.store import audit, guards, truth
from assay.store import tables as t
from assay.store.database import is_sqlite
from assay.store.row_hashes import verify_rows
from assay.store.upserts import upsert_records
from tests.ruling.publishing import Press
from tests.ruling.release_builders import ALL, KEEPING, RATE
from tests.store.rows import EVIDENCE

QUESTION = ReviewRequest(
    request_id="rq_1", reason="T1", subject_kind="rule", subject=RATE.rule_id, question="Is it so?"
)
Found = Mapping[str, set[str]]
"""Check → the codes that it reports."""
Forge = Callable[[sa.Connection, Press], object]
FACT = truth.candidate_fact
POINTER = truth.source_pointer
DECISION = truth.review_decision
GROUND = RATE.grounds()[0].pointer
LOG = truth.audit_log
ROWS = ("store check", "audit verify", "release verify --deep")


def on_rows(code: str, **more: set[str]) -> Found:
    """What the three checks that compare rows with the log find, and what others find besides."""
    names = {"store": "store check", "verify": "release verify", "deep": "release verify --deep"}
    found = {check: {code} for check in ROWS}
    for name, codes in more.items():
        found[names[name]] = found.get(names[name], set()) | codes
    return found


def drop_trigger(connection: sa.Connection, press: Press) -> None:
    on = "" if is_sqlite(connection) else " ON rules"
    connection.execute(sa.text(f"DROP TRIGGER assay_guard_update_rules{on}"))


def alter_blob(connection: sa.Connection, press: Press) -> None:
    ground = RATE.grounds()[0]
    assert ground.evidence
    file = press.app.blobs.path(ground.evidence.content_hash)
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"25 %", b"52 %"))


def rehash(connection: sa.Connection, press: Press) -> None:
    """Give the log another first actor, and recompute every hash and all that refers to one."""
    previous, known = GENESIS, {}
    for row in list(audit.read_entries(connection)):
        row["actor"] = "eve" if row["seq"] == 1 else row["actor"]
        hashed = compute_entry_hash(previous, row["seq"], row)
        known[row["hash"]] = hashed
        values = {"actor": row["actor"], "previous_hash": previous, "hash": hashed}
        connection.execute(sa.update(LOG).where(LOG.c.seq == row["seq"]).values(values))
        previous = hashed
    connection.execute(sa.update(truth.audit_head).values(hash=previous))
    seen = connection.execute(sa.select(truth.release.c.audit_hash)).scalar_one()
    connection.execute(sa.update(truth.release).values(audit_hash=known[seen]))


def cut_tail(connection: sa.Connection, press: Press) -> None:
    connection.execute(sa.delete(LOG).where(LOG.c.seq > 1))


FORGERIES: dict[str, tuple[Forge, Found]] = {
    "a fact's value": (
        lambda c, p: c.execute(
            sa.update(FACT).where(FACT.c.fact_id == GROUND.fact_id).values(value="52")
        ),
        on_rows("row_altered", deep={"fact_differs"}),
    ),
    "a fact's quote": (
        lambda c, p: c.execute(
            sa.update(FACT).where(FACT.c.fact_id == GROUND.fact_id).values(quote="It is 52 %.")
        ),
        on_rows("row_altered", deep={"fact_differs"}),
    ),
    "a pointer's quote": (
        lambda c, p: c.execute(
            sa.update(POINTER).where(POINTER.c.rule_id == RATE.rule_id).values(quote="25 %")
        ),
        on_rows("row_altered", verify={"pointer_missing"}, deep={"pointer_missing"}),
    ),
    "a pointer's fact": (
        lambda c, p: c.execute(
            sa.update(POINTER).where(POINTER.c.rule_id == RATE.rule_id).values(fact_id="fa_none")
        ),
        on_rows("row_altered", deep={"fact_missing"}),
    ),
    "a fact inserted": (
        lambda c, p: upsert_records(
            c, [RATE.fact(GROUND).model_copy(update={"fact_id": "fa_forged"})]
        ),
        on_rows("row_added"),
    ),
    "a fact deleted": (
        lambda c, p: c.execute(sa.delete(FACT).where(FACT.c.fact_id == GROUND.fact_id)),
        on_rows("row_removed", deep={"fact_missing"}),
    ),
    "a decision's person": (
        lambda c, p: c.execute(
            sa.update(DECISION).where(DECISION.c.subject == RATE.rule_id).values(person="eve")
        ),
        on_rows("row_altered", deep={"decision_missing"}),
    ),
    "a decision inserted": (
        lambda c, p: upsert_records(c, [KEEPING.but(approved_by="eve").approval]),
        on_rows("row_added"),
    ),
    "a decision deleted": (
        lambda c, p: c.execute(sa.delete(DECISION).where(DECISION.c.subject == RATE.rule_id)),
        on_rows("row_removed", deep={"decision_missing"}),
    ),
    "a question deleted": (lambda c, p: c.execute(sa.delete(t.review_request)), {}),
    "evidence of a released rule deleted": (
        lambda c, p: c.execute(
            sa.delete(t.evidence).where(t.evidence.c.evidence_id == GROUND.evidence_id)
        ),
        {"release verify --deep": {"evidence_differs"}},
    ),
    "evidence of no released rule deleted": (
        lambda c, p: c.execute(
            sa.delete(t.evidence).where(t.evidence.c.evidence_id == EVIDENCE.evidence_id)
        ),
        {},
    ),
    "a rule's value": (
        lambda c, p: c.execute(
            sa.update(truth.rule).where(truth.rule.c.rule_id == RATE.rule_id).values(value="52")
        ),
        on_rows("row_altered", verify={"rule_differs"}, deep={"rule_differs", "fact_differs"}),
    ),
    "bytes on disk": (
        alter_blob,
        {name: {"bytes_altered"} for name in ("store check", "release verify", ROWS[2])},
    ),
    "the tail of the log": (
        cut_tail,
        {
            "store check": {"log_end_moved"},
            "audit verify": {"log_end_moved"},
            "release verify": {"log_end_moved", "release_unlogged"},
            "release verify --deep": {"log_end_moved", "release_unlogged"},
        },
    ),
    "the whole log, with all hashes": (rehash, {"audit verify --known": {"log_hash_unknown"}}),
}


async def find_codes(press: Press, known: str) -> Found:
    """What every check reports; guards are lifted here, so their finding is left out."""
    release, app = find_release(press.app), press.app
    with app.engine.connect() as connection:
        log = audit.verify_chain(connection).faults
        rows = verify_rows(connection, app.records).faults
        is_known = audit.has_entry(connection, known)
    shallow = await verify_stored_release(app, release)
    deep = await verify_stored_release(app, release, deep=True)
    stored = {c for f in check_store(app) if f.name != "guards" for c in f.codes}
    found = {
        "store check": stored,
        "audit verify": {fault.code for fault in (*log, *rows)},
        "audit verify --known": set() if is_known else {"log_hash_unknown"},
        "release verify": {fault.code for fault in shallow.faults},
        "release verify --deep": {fault.code for fault in deep.faults},
    }
    return {check: codes for check, codes in found.items() if codes}


@pytest.mark.parametrize("what", FORGERIES)
async def test_each_forgery_is_found_by_these_checks(press: Press, what: str) -> None:
    press.store(*ALL)
    press.publish()
    unused = EVIDENCE.model_copy(update={"content_hash": press.app.blobs.put(b"Another act.")})
    with press.app.engine.begin() as connection:
        upsert_records(connection, [QUESTION, unused])
    forge, expected = FORGERIES[what]
    with press.app.engine.begin() as connection:
        known = audit.read_head(connection).hash
        guards.lift_guards(connection)
        forge(connection, press)
    found = await find_codes(press, known)
    if what == "the tail of the log":
        # The entries of the release itself are also among those that are gone.
        found = {check: codes - {"log_hash_unknown"} for check, codes in found.items()}
        found = {check: codes for check, codes in found.items() if codes}
    assert found == expected


def test_a_dropped_trigger_is_found(press: Press) -> None:
    with press.app.engine.begin() as connection:
        drop_trigger(connection, press)
    (guard,) = [found for found in check_store(press.app) if found.name == "guards"]
    assert guard.codes == ("guard_missing",)
