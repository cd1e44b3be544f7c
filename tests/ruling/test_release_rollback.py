"""Making a release through a worker, and taking one back."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.releases import (
    build_release_changelog,
    create_release,
    find_release,
    load_manifest,
    preview_release,
    roll_back_release,
)
from assay.errors import InvalidInput, NotFound
from assay.store import audit, truth
from assay.store import tables as t
from tests.ruling.publishing import Press
from tests.ruling.release_builders import ALL, BOOKS, KEEPING, PACK, RATE, THRESHOLD, superseding

MakeApp = Callable[..., App]


def test_a_worker_makes_the_release_in_a_run_of_its_own(press: Press) -> None:
    weak = KEEPING.but(value="7", sources=(("forum", 6),))
    press.store(RATE, THRESHOLD, weak)
    made = create_release(press.app, PACK, by="iva")
    assert made.release is not None
    assert (made.release.version, made.release.rule_count) == ("1.0.0", 2)
    assert [fault.rule_id for fault in made.plan.waiting] == [weak.rule_id]
    assert made.plan.manifest_hash == made.release.manifest_hash
    (run,) = press.rows(t.run)
    assert (run["run_id"], run["label"], run["state"]) == (made.run_id, "release", "sealed")
    assert len(press.rows(truth.embedding)) == 2
    again = create_release(press.app, PACK, by="iva")
    assert again.release is None
    assert len(press.rows(t.run)) == 1


def test_a_look_at_what_would_be_changes_nothing(desk: Press) -> None:
    desk.store(RATE, BOOKS)
    before = desk.dump()
    found = preview_release(desk.app, PACK)
    assert (found.version, found.is_unchanged, found.faults) == ("1.0.0", False, ())
    assert [entry["concept"] for entry in found.changes["added"]] == [
        "pdv.rate", "pdv.reduced_rate",
    ]  # fmt: skip
    assert found.manifest_hash not in desk.app.blobs
    assert desk.dump() == before


def test_a_release_that_is_taken_back_with_what_came_after_it(press: Press) -> None:
    press.store(RATE)
    press.publish()
    press.store(THRESHOLD)
    press.publish()
    press.store(KEEPING)
    press.publish()
    done = roll_back_release(press.app, "1.1.0", by="ana", note="wrong sum")
    assert (done.versions, done.current) == (("1.1.0", "1.1.1"), "1.0.0")
    assert set(done.reopened) == {THRESHOLD.rule_id, KEEPING.rule_id}
    states = {made.version: made.state for made in press.releases()}
    assert states == {"1.0.0": "PUBLISHED", "1.1.0": "ROLLED_BACK", "1.1.1": "ROLLED_BACK"}
    assert press.status(RATE) == "PUBLISHED"
    rows = {row["rule_id"]: row for row in press.rows(truth.rule)}
    for reopened in (THRESHOLD, KEEPING):
        row = rows[reopened.rule_id]
        assert row["status"] == "PENDING_REVIEW"
        assert row["status_reason"] == "release 1.1.0 was rolled back by ana"
        assert (row["approved_by"], row["approved_ms"], row["approved_key"]) == (None, None, None)
    questions = {row["subject"]: row for row in press.rows(t.review_request)}
    assert set(questions) == set(done.reopened)
    asked = questions[THRESHOLD.rule_id]
    assert (asked["reason"], asked["state"]) == ("QUALITY", "OPEN")
    assert asked["deadline_ms"] - asked["created_ms"] == 24 * 3_600_000
    approvals = {stated.approval.decision_id for stated in ALL if stated.approved_by}
    decisions = [
        row for row in press.rows(truth.review_decision) if row["decision_id"] not in approvals
    ]
    assert {(row["subject"], row["decision"], row["person"]) for row in decisions} == {
        (rule_id, "UNDO", "ana") for rule_id in done.reopened
    }
    assert press.actions().count("release_rolled_back") == 2
    assert press.actions().count("rule_approval_withdrawn") == 2
    tags = [row["tag"] for row in press.rows(t.event)]
    assert tags.count("release.retracted") == 2
    assert find_release(press.app).version == "1.0.0"
    with press.app.engine.connect() as connection:
        assert audit.verify_chain(connection).ok


def test_a_version_is_never_used_twice(desk: Press) -> None:
    desk.store(RATE)
    desk.publish()
    roll_back_release(desk.app, "1.0.0", by="ana")
    with pytest.raises(NotFound, match="All releases were rolled back"):
        find_release(desk.app)
    assert find_release(desk.app, "1.0.0").state == "ROLLED_BACK"
    desk.publish()
    assert len(desk.releases()) == 1, "nothing is approved any more"
    desk.change(RATE, status="APPROVED", approved_by="ana")
    desk.publish()
    first, second = desk.releases()
    assert (second.version, second.number, second.previous) == ("2.0.0", 2, None)
    assert desk.manifest().header["previous"] is None
    assert first.content_hash == second.content_hash
    assert desk.notes("embed")[-1] == "unchanged"


def test_what_was_superseded_holds_again(desk: Press) -> None:
    new, edge = superseding(RATE, "24", "2027-01-01")
    desk.store(RATE)
    desk.publish()
    desk.store(new, more=[edge])
    desk.publish()
    roll_back_release(desk.app, "2.0.0", by="ana")
    (line,) = load_manifest(desk.app, find_release(desk.app)).rules
    assert (line["value"], line["effective_until"]) == ("25", None)
    assert (desk.status(RATE), desk.status(new)) == ("PUBLISHED", "PENDING_REVIEW")


def test_a_rollback_that_cannot_be_changes_nothing(desk: Press) -> None:
    desk.store(RATE)
    desk.publish()
    before, actions = desk.dump(), desk.actions()
    for version, by, error in (
        ("1.0.0", " ", InvalidInput),
        ("3.0.0", "ana", NotFound),
        ("latest", "ana", InvalidInput),
    ):
        with pytest.raises(error):
            roll_back_release(desk.app, version, by=by)
    assert (desk.dump(), desk.actions()) == (before, actions)
    roll_back_release(desk.app, "1.0.0", by="ana")
    before = desk.dump()
    with pytest.raises(InvalidInput, match="already been rolled back"):
        roll_back_release(desk.app, "1.0.0", by="ana")
    assert desk.dump() == before


def test_what_a_person_withdrew_meanwhile_stays_withdrawn(desk: Press) -> None:
    desk.store(RATE, THRESHOLD)
    desk.publish()
    desk.change(THRESHOLD, status="REJECTED")
    done = roll_back_release(desk.app, "1.0.0", by="ana")
    assert done.reopened == (RATE.rule_id,)
    assert desk.status(THRESHOLD) == "REJECTED"


def test_a_release_is_never_rewritten(press: Press) -> None:
    press.store(RATE)
    press.publish()
    for statement in (
        sa.update(truth.release).values(version="9.9.9"),
        sa.update(truth.release).values(manifest_hash="0" * 64),
        sa.delete(truth.released_rule),
        sa.delete(truth.release),
    ):
        with pytest.raises(sa.exc.DBAPIError, match="refused"):
            press.execute(statement)


def test_the_changelog_tells_of_every_release(desk: Press) -> None:
    new, edge = superseding(RATE, "24", "2027-01-01")
    desk.store(RATE)
    desk.publish()
    desk.store(new, THRESHOLD, more=[edge])
    desk.publish()
    text = build_release_changelog(desk.app, find_release(desk.app))
    assert text.splitlines() == [
        "# Changelog of regulatory",
        "",
        "## 2.0.0",
        "",
        "### Added",
        "",
        "- `pdv.rate` (T0): 24 %, from 2027-01-01, always",
        "- `pdv.threshold` (T1): 60000 EUR, from 2025-01-01, always",
        "",
        "### Changed",
        "",
        "- `pdv.rate` (T0): 25 %, from 2013-01-01, until 2027-01-01, always — effective until "
        "none → 2027-01-01",
        "",
        "## 1.0.0",
        "",
        "### Added",
        "",
        "- `pdv.rate` (T0): 25 %, from 2013-01-01, always",
    ]
    roll_back_release(desk.app, "2.0.0", by="ana")
    whole = build_release_changelog(desk.app, find_release(desk.app, "2.0.0"), whole=True)
    assert "## 2.0.0 (rolled back)" in whole
