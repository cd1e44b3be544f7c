"""The hard gates of a release: each alone refuses it, says what to do, and changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.releases import create_release, preview_release
from assay.errors import ReleaseRefused
from assay.model.records import Record
from assay.model.rules import Conflict
from assay.ruling.release.proof import verify_manifest
from assay.ruling.rules.rule_relations import make_side
from assay.settings import Settings
from assay.store import guards, truth
from assay.store import tables as t
from tests.ruling.publishing import Press, opened
from tests.ruling.release_builders import (
    ALL,
    FORUM,
    KEEPING,
    OFFICE,
    PACK,
    RATE,
    THRESHOLD,
    Stated,
    condition,
)

MakeApp = Callable[..., App]
Break = Callable[[Press], None]
NEVER = "0" * 64


def conflict(state: str, *sides: Stated) -> list[Record]:
    key, contested = f"cf_{state}", state in ("OPEN", "ESCALATED")
    found = Conflict(
        conflict_id=key, pack=PACK, concept=sides[0].concept, value_type="percentage",
        applies_when="", kind="SOURCE", sign="VALUE_MISMATCH", state=state,
    )  # fmt: skip
    rules = [make_side(key, side.rule_id) for side in sides]
    return [found, *(side.model_copy(update={"contested": contested}) for side in rules)]


def is_rule(stated: Stated) -> sa.ColumnElement[bool]:
    return truth.source_pointer.c.rule_id == stated.rule_id


def tampered(press: Press, statement: sa.Executable) -> None:
    with press.app.engine.begin() as connection:
        guards.lift_guards(connection)
        connection.execute(statement)


def overwritten(press: Press, hash_of_content: str, data: bytes | None) -> None:
    file = press.app.blobs.path(hash_of_content)
    file.chmod(0o644)
    if data is None:
        file.unlink()
    else:
        file.write_bytes(data)


def hashes(stated: Stated) -> tuple[str, str]:
    """Of the evidence, and of the text."""
    ground = stated.grounds()[0]
    assert ground.evidence and ground.artifact
    return ground.evidence.content_hash, ground.artifact.content_hash


def pending(press: Press) -> None:
    press.change(RATE, status="PENDING_REVIEW")


def no_person(press: Press) -> None:
    # The database itself refuses such a row; a store that was altered may still hold one.
    with press.app.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA ignore_check_constraints=ON")
        connection.execute(
            sa.update(truth.rule)
            .where(truth.rule.c.rule_id == RATE.rule_id)
            .values(approved_by=None)
        )
        connection.commit()
        connection.exec_driver_sql("PRAGMA ignore_check_constraints=OFF")


def contradicted(press: Press) -> None:
    other = RATE.but(value="13", status="DRAFT", approved_by=None)
    press.store(other, more=conflict("OPEN", RATE, other))


def escalated(press: Press) -> None:
    press.store(more=conflict("ESCALATED", THRESHOLD, RATE))


def without_pointers(press: Press) -> None:
    tampered(press, sa.delete(truth.source_pointer).where(is_rule(RATE)))


def without_source(press: Press) -> None:
    tampered(press, sa.delete(t.source).where(t.source.c.source_slug == "gazette"))


def other_quote(press: Press) -> None:
    said = "The rate of value added tax is  25 %."
    tampered(press, sa.update(truth.source_pointer).where(is_rule(RATE)).values(quote=said))


def moved_quote(press: Press) -> None:
    pointer = truth.source_pointer
    moved = {"start": pointer.c.start + 1, "end": pointer.c.end + 1}
    tampered(press, sa.update(pointer).where(is_rule(RATE)).values(moved))


def other_value(press: Press) -> None:
    rule = truth.rule
    tampered(press, sa.update(rule).where(rule.c.rule_id == RATE.rule_id).values(value="52"))


def edited_beyond_the_quote(press: Press) -> None:
    press.change(RATE, person_version={"value": "21"})


def edited_without_sense(press: Press) -> None:
    press.change(RATE, person_version={"applies_when": {"op": "sometimes"}})


def edited_to_no_day(press: Press) -> None:
    press.change(RATE, person_version={"effective_from": "2026-02-30"})


def altered_evidence(press: Press) -> None:
    overwritten(press, hashes(RATE)[0], b"something else")


def altered_text(press: Press) -> None:
    # The text is the same bytes as the page here, so another file must stand for it.
    tampered(press, sa.update(t.artifact).values(content_hash=press.app.blobs.put(b"other words")))


def lost_text(press: Press) -> None:
    tampered(press, sa.update(t.artifact).values(content_hash=NEVER))


def lost_evidence(press: Press) -> None:
    tampered(press, sa.update(t.evidence).values(content_hash=NEVER))


def foreign_text(press: Press) -> None:
    tampered(press, sa.update(t.artifact).values(evidence_id="ev_other"))


def amends(press: Press, **changed: Any) -> None:
    """Let the words of a rule amend those of another, which may not be as they should."""
    pointer = THRESHOLD.grounds()[0].pointer
    names = ("evidence_id", "artifact_id", "doc_id", "quote", "start", "end")
    amended = {**{name: getattr(pointer, name) for name in names}, **changed}
    tampered(press, sa.update(truth.source_pointer).where(is_rule(RATE)).values(amended=amended))


def empty_amended_quote(press: Press) -> None:
    amends(press, quote="")


def amended_nothing(press: Press) -> None:
    amends(press, quote="", end=THRESHOLD.grounds()[0].pointer.start)


def moved_amended_quote(press: Press) -> None:
    amends(press, start=167, end=242)


def unknown_amended_evidence(press: Press) -> None:
    amends(press, evidence_id="ev_other")


def unknown_amended_text(press: Press) -> None:
    amends(press, artifact_id="ar_other")


BROKEN: list[tuple[Break, str, str]] = [
    (no_person, "no person approved it", "have a person approve it"),
    (contradicted, "contradict it in conflict cf_OPEN", "assay conflicts show"),
    (escalated, "contradict it in conflict cf_ESCALATED", "assay conflicts show"),
    (without_pointers, "no source supports it any more", "read its sources again"),
    (without_source, "points to is not in the store", "backup"),
    (other_quote, "its quote was not found in text", "extract the document again"),
    (moved_quote, "its quote was not found in text", "extract the document again"),
    (other_value, "'52 %' was not found in its quote", "correct the value"),
    (edited_beyond_the_quote, "'21 %' was not found in any of its quotes", "correct the value"),
    (edited_without_sense, "its condition is not valid", "correct it"),
    (edited_to_no_day, "'2026-02-30' is not a valid date", "correct it"),
    (altered_evidence, "were altered", "backup"),
    (altered_text, "its quote was not found in text", "extract the document again"),
    (lost_text, "are gone", "backup"),
    (lost_evidence, "are gone", "backup"),
    (foreign_text, "points to is not in the store", "backup"),
    (empty_amended_quote, "its quote of what it amends was not found", "extract the document"),
    (amended_nothing, "its quote of what it amends was not found", "extract the document"),
    (moved_amended_quote, "its quote of what it amends was not found", "extract the document"),
    (unknown_amended_evidence, "points to is not in the store", "backup"),
    (unknown_amended_text, "points to is not in the store", "backup"),
]


@pytest.mark.parametrize(("breaks", "what", "advice"), BROKEN, ids=[b[0].__name__ for b in BROKEN])
def test_a_gate_alone_refuses_and_nothing_changes(
    desk: Press, breaks: Break, what: str, advice: str
) -> None:
    desk.store(RATE, THRESHOLD)
    breaks(desk)
    before, actions = desk.dump(), desk.actions()
    desk.publish()
    (said,) = desk.refusals()
    assert what in said and advice in said, said
    assert RATE.rule_id in said
    assert (desk.dump(), desk.actions(), desk.releases()) == (before, actions, [])


def test_a_release_with_amended_words_passes_and_can_be_verified(desk: Press) -> None:
    desk.store(RATE, THRESHOLD)
    amends(desk)
    desk.publish()
    assert desk.refusals() == []
    blobs, release = desk.app.blobs, desk.releases()[0]
    proof = verify_manifest(blobs.get(release.manifest_hash), blobs.get, blobs.get)
    assert (proof.faults, proof.quotes) == ([], 3)


def test_a_named_rule_that_is_not_approved_refuses_the_release(desk: Press) -> None:
    desk.store(RATE, THRESHOLD)
    pending(desk)
    before = desk.dump()
    desk.publish(RATE.rule_id, THRESHOLD.rule_id)
    (said,) = desk.refusals()
    assert "it is PENDING_REVIEW" in said and "approve it" in said
    assert THRESHOLD.rule_id not in said
    assert desk.dump() == before


def test_a_named_rule_that_is_weak_or_unknown_refuses_the_release(desk: Press) -> None:
    weak = KEEPING.but(sources=(FORUM,))
    twice = KEEPING.but(value="9", sources=(OFFICE, OFFICE), words="{value} {unit}, it says")
    desk.store(RATE, weak, twice)
    before = desk.dump()
    desk.publish(weak.rule_id, twice.rule_id, "rl_nowhere")
    (said,) = desk.refusals()
    assert "only forum supports it, and forum is not an official source" in said
    assert "only tax-office supports it, and tax-office is not an official source" in said
    assert "rl_nowhere: the pack regulatory has no such rule" in said
    assert desk.dump() == before


def test_a_published_rule_that_became_weak_is_not_dropped_in_silence(desk: Press) -> None:
    desk.store(KEEPING)
    desk.publish()
    tampered(
        desk,
        sa.delete(truth.source_pointer).where(truth.source_pointer.c.source_slug == "forum"),
    )
    desk.store(RATE)
    desk.publish()
    assert "only tax-office supports it" in desk.refusals()[0]
    assert len(desk.releases()) == 1


@pytest.mark.parametrize("state", ["RESOLVED", "MOOT"])
def test_a_decided_conflict_is_no_hindrance(desk: Press, state: str) -> None:
    desk.store(RATE, THRESHOLD, more=conflict(state, RATE, THRESHOLD))
    desk.publish()
    assert [made.version for made in desk.releases()] == ["1.0.0"]


def test_all_faults_are_told_at_once_and_nothing_changes(
    make_app: MakeApp, settings: Settings
) -> None:
    press = opened(make_app, settings)
    press.store(*ALL, more=conflict("OPEN", RATE, THRESHOLD))
    edited_beyond_the_quote(press)
    altered_evidence(press)
    before, actions = press.dump(), press.actions()
    with pytest.raises(ReleaseRefused, match="because 4 checks failed") as refused:
        create_release(press.app, PACK, by="iva")
    assert "were altered" in refused.value.what and "cf_OPEN" in refused.value.what
    faults = {(fault.concept, fault.gate) for fault in preview_release(press.app, PACK).faults}
    assert faults == {
        ("pdv.rate", "no_conflict_is_open"), ("pdv.threshold", "no_conflict_is_open"),
        ("pdv.rate", "bytes_are_stored"), ("pdv.rate", "value_is_in_quote"),
    }  # fmt: skip
    assert (press.dump(), press.actions()) == (before, actions)
    assert press.rows(t.run) == []


def test_only_what_was_previewed_is_released(make_app: MakeApp, settings: Settings) -> None:
    press = opened(make_app, settings)
    press.store(RATE)
    seen = preview_release(press.app, PACK).content_hash
    press.store(THRESHOLD)
    with pytest.raises(ReleaseRefused, match="after the preview"):
        create_release(press.app, PACK, by="iva", content_hash=seen)
    assert press.releases() == []
    now = preview_release(press.app, PACK).content_hash
    made = create_release(press.app, PACK, by="iva", content_hash=now)
    assert made.release is not None and made.release.rule_count == 2


def test_a_condition_for_some_only_is_valid(desk: Press) -> None:
    desk.store(RATE.but(applies_when=condition(activity="books")))
    desk.publish()
    assert desk.refusals() == []


def test_the_database_refuses_what_no_person_approved(
    make_app: MakeApp, settings: Settings
) -> None:
    press = opened(make_app, settings)
    press.store(RATE)
    changed: dict[str, Any] = {"approved_by": None}
    with pytest.raises(sa.exc.IntegrityError):
        press.change(RATE, **changed)
