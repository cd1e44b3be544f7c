"""Creates, lists and rolls back releases."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app import runs
from assay.app.composition import App
from assay.app.installed_packs import publications_of
from assay.engine.reader import Reader
from assay.errors import InvalidInput, NotFound, ReleaseRefused
from assay.events import ReleaseRetracted
from assay.model.audit import AuditNote
from assay.model.ids import derive_id
from assay.model.records import ReviewRequest
from assay.model.rules import Release, ReviewDecision, RuleStatus
from assay.ruling.payloads import ReleaseJob
from assay.ruling.release.changes import render_changelog, render_section
from assay.ruling.release.manifest import ReleaseManifest, read_manifest
from assay.ruling.release.plan import PUBLISHED, ROLLED_BACK, ReleasePlan, find_current_release
from assay.ruling.release.release import RELEASE, declare_release_stage, read_release_plan
from assay.ruling.release.versions import ReleaseVersion
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms, reason_of_tier
from assay.ruling.review.judgement import UNDO
from assay.store import audit
from assay.store import tables as t
from assay.store.database import begin_writing, explain_errors
from assay.store.event_log import write_event
from assay.store.row_hashes import record_row_hashes
from assay.store.truth import release as releases
from assay.store.truth import released_rule, rule
from assay.store.upserts import upsert_records

LABEL = "release"


@dataclass(frozen=True)
class ReleaseResult:
    """The outcome of an attempt to release."""

    plan: ReleasePlan
    release: Release | None
    """The new release; None if nothing has changed or there was nothing to release."""
    run_id: str | None = None
    stopped: bool = False
    """Whether it was interrupted; 'assay run' finishes the run."""


@dataclass(frozen=True)
class RollbackResult:
    """What a rollback changed."""

    versions: tuple[str, ...]
    current: str | None
    """The version that is current now."""
    reopened: tuple[str, ...]
    """Rules that wait for a person again."""


def choose_pack_to_release(app: App, name: str | None = None) -> str:
    """The named pack, the one in the settings, or the only one with rules."""
    if chosen := name or app.settings.pack:
        return chosen
    with explain_errors(), app.engine.connect() as connection:
        query = sa.select(rule.c.pack).distinct().order_by(rule.c.pack)
        with_rules = [str(pack) for pack in connection.execute(query).scalars()]
    if len(with_rules) == 1:
        return with_rules[0]
    if not with_rules:
        raise NotFound(
            "Nothing to release: no pack has rules yet.", advice="Run 'assay run' first."
        )
    raise InvalidInput(
        f"Several packs have rules: {', '.join(with_rules)}.", advice="Choose one with --pack."
    )


def preview_release(
    app: App, pack: str, *, by: str = "", rule_ids: Sequence[str] = ()
) -> ReleasePlan:
    """Plan the release that would be created now. Nothing is written."""
    job = _build_job(pack, by, rule_ids)
    _refuse_unreleasable(app, pack)
    publications = publications_of(app.packs.installed)
    stage = declare_release_stage(publications)
    read = Reader(stage, app.engine, app.blobs, app.clock.now_ms())
    return asyncio.run(read_release_plan(job, read, publications.get(pack, ())))


def _refuse_unreleasable(app: App, pack: str) -> None:
    known = app.packs.require_pack(pack)
    if known.facts is None and not known.publishes:
        raise InvalidInput(f"Pack '{pack}' has nothing to release: it declares no output.")


def create_release(
    app: App,
    pack: str,
    *,
    by: str = "",
    rule_ids: Sequence[str] = (),
    content_hash: str = "",
    stop: threading.Event | None = None,
) -> ReleaseResult:
    """Release what is approved, in its own run; with a hash, only the content of that preview.

    Raises ReleaseRefused, which names every gate that failed; nothing has changed then.
    """
    before = preview_release(app, pack, by=by, rule_ids=rule_ids)
    before.require_gates()
    before.require_content(content_hash)
    if before.is_unchanged and not before.new:
        return ReleaseResult(before, None)
    # Created before the run: if another worker is in the way, no run is left behind.
    worker = app.make_worker()
    worker.start()
    try:
        job = _build_job(pack, by, rule_ids).model_copy(update={"content_hash": content_hash})
        run_id = runs.start_run(
            app,
            label=LABEL,
            params={"pack": pack, "rules": list(job.rule_ids)},
            first=[(RELEASE.name, job)],
        )
        through = runs.finish_runs(app, worker, [run_id], stop=stop or threading.Event())
    finally:
        worker.stop()
    if not through:
        return ReleaseResult(before, None, run_id, stopped=True)
    _raise_refusal(app, run_id)
    after = find_current_release(list_releases(app, pack))
    was = None if before.previous is None else before.previous.release_id
    made = None if after is None or after.release_id == was else after
    return ReleaseResult(before, made, run_id)


def list_releases(app: App, pack: str | None = None) -> list[Release]:
    """Every release, newest first."""
    query = sa.select(releases).order_by(releases.c.pack, releases.c.number.desc())
    if pack is not None:
        query = query.where(releases.c.pack == pack)
    return [Release.from_row(row) for row in app.fetch_rows(query)]


def find_release(app: App, version: str | None = None, pack: str | None = None) -> Release:
    """Find one release: the given version, or the current one."""
    if version is not None:
        ReleaseVersion.parse(version)
    found = list_releases(app, pack)
    if version is not None:
        matching = [release for release in found if release.version == version]
    else:
        matching = [release for release in found if release.state == PUBLISHED]
    packs = sorted({release.pack for release in matching})
    if len(packs) > 1:
        raise InvalidInput(
            f"There are releases of {' and '.join(packs)}.", advice="Choose one with --pack."
        )
    if not matching:
        of_pack = "" if pack is None else f" of pack '{pack}'"
        if version is None:
            what = "All releases were rolled back" if found else f"No release{of_pack} yet"
            raise NotFound(f"{what}.", advice="Create one with 'assay release create'.")
        raise NotFound(
            f"There is no release {version}{of_pack}.", advice="'assay release list' lists them."
        )
    return matching[0]


def load_manifest(app: App, release: Release) -> ReleaseManifest:
    """The rules of a release, as they were published."""
    return read_manifest(app.blobs.get(release.manifest_hash))


def build_release_changelog(app: App, release: Release, *, whole: bool = False) -> str:
    """What each release changed, newest first, starting with the given one.

    `whole` includes those that were rolled back.
    """
    by_id = {entry.release_id: entry for entry in list_releases(app, release.pack)}
    if whole:
        entries = [entry for entry in by_id.values() if entry.number <= release.number]
    else:
        entries = _list_ancestry(release, by_id)
    sections = [
        render_section(
            entry.version, entry.changes, rolled_back=whole and entry.state == ROLLED_BACK
        )
        for entry in entries
    ]
    return render_changelog(f"Changelog of {release.pack}", sections)


def _list_ancestry(release: Release, by_id: dict[str, Release]) -> list[Release]:
    found = [release]
    while found[-1].previous is not None:
        found.append(by_id[found[-1].previous])
    return found


def roll_back_release(
    app: App, version: str, *, by: str, note: str = "", pack: str | None = None
) -> RollbackResult:
    """Roll back a release and all later ones; the one before becomes current again.

    Rules first published in them wait for a person again. Nothing is deleted, and no version is
    ever used a second time.
    """
    if not by.strip():
        raise InvalidInput("A rollback needs a name.", advice="Give it with --by NAME.")
    chosen = find_release(app, version, pack)
    now_ms = app.clock.now_ms()
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        standing = _lock_published(connection, chosen.pack)
        taken = [entry for entry in standing if entry.number >= chosen.number]
        if chosen.release_id not in {entry.release_id for entry in taken}:
            raise InvalidInput(f"Release {version} has already been rolled back.")
        left = find_current_release([entry for entry in standing if entry.number < chosen.number])
        for entry in taken:
            _mark_rolled_back(connection, entry, by, now_ms)
        reopened = _reopen_rules(
            connection, taken, left, f"release {version} was rolled back by {by}"
        )
        upsert_records(connection, [_build_request(row, chosen, by, now_ms) for row in reopened])
        decisions = [_build_decision(row, chosen, by, note, now_ms) for row in reopened]
        upsert_records(connection, decisions)
        back = None if left is None else left.version
        notes = [_build_rollback_note(entry, back, by, note) for entry in taken]
        notes += [_build_withdrawal_note(row, chosen, by) for row in reopened]
        audit.append_notes(connection, notes, now_ms)
        record_row_hashes(connection, decisions, now_ms)
    return RollbackResult(
        versions=tuple(entry.version for entry in taken),
        current=back,
        reopened=tuple(row["rule_id"] for row in reopened),
    )


def _build_job(pack: str, by: str, rule_ids: Sequence[str]) -> ReleaseJob:
    return ReleaseJob(pack=pack, rule_ids=tuple(sorted(set(rule_ids))), released_by=by)


def _raise_refusal(app: App, run_id: str) -> None:
    """Raise the refusal if a decision after the preview made a gate fail."""
    dead = sa.select(t.dead_letter).where(
        t.dead_letter.c.run_id == run_id, t.dead_letter.c.stage == RELEASE.name
    )
    with explain_errors(), app.engine.connect() as connection:
        row = connection.execute(dead).mappings().first()
    if row is not None:
        raise ReleaseRefused(
            str(row["error_message"]),
            advice="'assay dead list' shows it; fix the cause and try again.",
        )


def _lock_published(connection: sa.Connection, pack: str) -> list[Release]:
    """The published releases of a pack, locked against changes by others until the end."""
    query = (
        sa.select(releases)
        .where(releases.c.pack == pack, releases.c.state == PUBLISHED)
        .order_by(releases.c.number)
        .with_for_update()
    )
    return [Release.from_row(dict(row)) for row in connection.execute(query).mappings()]


def _mark_rolled_back(connection: sa.Connection, entry: Release, by: str, now_ms: int) -> None:
    connection.execute(
        sa.update(releases)
        .where(releases.c.release_id == entry.release_id, releases.c.state == PUBLISHED)
        .values(state=ROLLED_BACK)
    )
    event = ReleaseRetracted(
        release_id=entry.release_id, pack=entry.pack, version=entry.version, by=by
    )
    write_event(connection, event, now_ms)


def _reopen_rules(
    connection: sa.Connection, taken: Sequence[Release], left: Release | None, reason: str
) -> list[dict[str, Any]]:
    """Withdraw the approval of published rules that are no longer in any current release."""
    gone = sa.select(released_rule.c.rule_id).where(
        released_rule.c.release_id.in_([entry.release_id for entry in taken])
    )
    remaining = sa.select(released_rule.c.rule_id).where(
        released_rule.c.release_id == (None if left is None else left.release_id)
    )
    query = (
        sa.select(rule)
        .where(
            rule.c.rule_id.in_(gone),
            rule.c.rule_id.not_in(remaining),
            rule.c.status == RuleStatus.PUBLISHED.value,
        )
        .order_by(rule.c.rule_id)
        .with_for_update()
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    for row in rows:
        connection.execute(
            sa.update(rule)
            .where(rule.c.rule_id == row["rule_id"])
            .values(
                status=RuleStatus.PENDING_REVIEW.value,
                status_reason=reason,
                approved_by=None,
                approved_ms=None,
                approved_key=None,
            )
        )
    return rows


def _build_request(row: dict[str, Any], chosen: Release, by: str, now_ms: int) -> ReviewRequest:
    value = f"{row['value']} {row['unit']}".strip()
    return ReviewRequest(
        request_id=derive_id("rq", "ROLLED_BACK", row["rule_id"], chosen.release_id),
        reason=ReviewReason.QUALITY.value,
        subject_kind="rule",
        subject=row["rule_id"],
        question=f"Does {row['concept']} = {value} hold? Release {chosen.version}, which published "
        f"it, was rolled back by {by}.",
        created_ms=now_ms,
        deadline_ms=now_ms + answer_time_ms(reason_of_tier(row["tier"])),
    )


def _build_decision(
    row: dict[str, Any], chosen: Release, by: str, note: str, now_ms: int
) -> ReviewDecision:
    return ReviewDecision(
        decision_id=derive_id("rd", "rule", row["rule_id"], UNDO, by, chosen.release_id),
        subject_kind="rule",
        subject=row["rule_id"],
        decision=UNDO,
        person=by,
        note=note,
        machine={"release": chosen.version, "approved_by": row["approved_by"]},
        evidence_key=row["approved_key"] or "",
        at_ms=now_ms,
    )


def _build_rollback_note(entry: Release, back: str | None, by: str, note: str) -> AuditNote:
    return AuditNote(
        action="release_rolled_back",
        subject_kind="release",
        subject=entry.release_id,
        actor=by,
        body={"version": entry.version, "current": back, "note": note},
    )


def _build_withdrawal_note(row: dict[str, Any], chosen: Release, by: str) -> AuditNote:
    return AuditNote(
        action="rule_approval_withdrawn",
        subject_kind="rule",
        subject=row["rule_id"],
        actor=by,
        body={"release": chosen.release_id, "approved_by": row["approved_by"]},
        once=False,
    )
