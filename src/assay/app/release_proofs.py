"""Verifies releases: one in the store, or an exported folder."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.release_files import CHECKSUM, EVIDENCE, MANIFEST, TEXTS
from assay.app.release_tracing import find_trace_faults
from assay.app.releases import list_releases
from assay.app.tools import build_bounds, build_scout_options
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, ContentError, CorruptBlob, InvalidInput, from_os_error
from assay.errors.faults import Fault, FaultKind
from assay.model.content import ArtifactKind
from assay.model.hashes import content_hash
from assay.model.rules import Release, Rule, RuleStatus
from assay.reading.documents import read_document
from assay.reading.limits import ReadLimits
from assay.ruling.release.manifest import ReleaseManifest, list_quotations, read_manifest
from assay.ruling.release.plan import find_current_release
from assay.ruling.release.proof import BytesReader, ReleaseProof, verify_manifest
from assay.ruling.release.rule_standing import apply_person_version
from assay.settings import Settings
from assay.sources.responses import charset_of
from assay.spine.scouting.task import READER
from assay.store import audit
from assay.store.database import explain_errors
from assay.store.record_tables import CORE_RECORDS
from assay.store.row_hashes import verify_rows
from assay.store.truth import audit_log, released_rule, rule, source_pointer

_STATED_FIELDS = ("concept", "tier", "value", "value_type", "unit", "effective_from")
_HASH = re.compile(r"[0-9a-f]{64}")
_SCANNED = frozenset({ArtifactKind.OCR_TEXT.value, ArtifactKind.OCR_HOCR.value})


@dataclass(frozen=True, slots=True)
class DeepReader:
    """What is needed to read evidence again."""

    pool: ProcessPool
    limits: ReadLimits


@asynccontextmanager
async def open_deep_reader(settings: Settings) -> AsyncIterator[DeepReader]:
    """Start processes that read documents, as configured in the settings."""
    async with ProcessPool(settings.read_processes, build_bounds(settings)) as pool:
        yield DeepReader(pool, build_scout_options(settings).limits)


async def verify_stored_release(app: App, release: Release, *, deep: bool = False) -> ReleaseProof:
    """Recheck a release in the store: its manifest, its quotes, its approvals, the audit log."""
    try:
        data = app.blobs.get(release.manifest_hash)
    except CorruptBlob as error:
        fault = FaultKind.BYTES_ALTERED.report(error.what.rstrip("."))
        return ReleaseProof(version=release.version, pack=release.pack, faults=[fault])
    proof = verify_manifest(data, app.blobs.get, app.blobs.get, release.manifest_hash)
    with explain_errors(), app.engine.connect() as connection:
        proof.faults += _find_row_faults(connection, release, data)
        proof.faults += _find_audit_faults(connection, release)
        proof.notes += _describe_outdated(connection, release, list_releases(app, release.pack))
    if deep:
        with explain_errors(), app.engine.connect() as connection:
            lines = () if _is_broken(data) else read_manifest(data).rules
            proof.faults += find_trace_faults(connection, lines)
            proof.faults += verify_rows(connection, CORE_RECORDS).faults
        async with open_deep_reader(app.settings) as means:
            await _reread_documents(data, app.blobs.get, means, proof)
    return proof


async def verify_folder(
    folder: Path, *, expected: str | None = None, settings: Settings | None = None
) -> ReleaseProof:
    """Recheck a bundle on its own, without a store.

    `expected` is the hash of the manifest, known from elsewhere; without it the bundle is checked
    only against itself. With `settings` the evidence is read again, within their limits.
    """
    data = _read_bundle_file(folder / MANIFEST)
    checksum = _read_bundle_file(folder / CHECKSUM).decode("utf-8", "replace").split()
    proof = verify_manifest(
        data,
        lambda name: _read_hashed_file(folder / EVIDENCE, name),
        lambda name: _read_hashed_file(folder / TEXTS, name),
        checksum[0] if checksum else "",
    )
    if expected is not None and proof.manifest_hash != expected:
        what = f"this is a different release: its manifest should hash to {expected}"
        proof.faults.append(FaultKind.OTHER_RELEASE.report(what))
    if not _is_broken(data):
        proof.faults += _find_uncited_files(folder, read_manifest(data))
        if settings is not None:
            async with open_deep_reader(settings) as means:
                await _reread_documents(
                    data, lambda name: _read_hashed_file(folder / EVIDENCE, name), means, proof
                )
    return proof


def _find_row_faults(connection: sa.Connection, release: Release, data: bytes) -> list[Fault]:
    """Find differences between the rows and the manifest."""
    if _is_broken(data):
        return []
    manifest = read_manifest(data)
    compared = {
        "version": (release.version, manifest.version),
        "pack": (release.pack, manifest.pack),
        "content hash": (release.content_hash, manifest.header["content_hash"]),
        "number of rules": (release.rule_count, len(manifest.rules)),
    }
    faults = [
        FaultKind.RELEASE_DIFFERS.report(
            f"the row of the release has a different {name} from its manifest"
        )
        for name, (row, line) in compared.items()
        if row != line
    ]
    members = set(connection.execute(_select_members(release)).scalars())
    differing = members ^ {line["rule_id"] for line in manifest.rules}
    faults += [
        FaultKind.RELEASE_DIFFERS.report(f"{key} is only in the rows or only in the manifest")
        for key in sorted(differing)
    ]
    return faults + _find_rule_faults(connection, release, manifest)


def _select_members(release: Release) -> sa.Select[Any]:
    members = released_rule.c
    return sa.select(members.rule_id).where(members.release_id == release.release_id)


def _find_rule_faults(
    connection: sa.Connection, release: Release, manifest: ReleaseManifest
) -> list[Fault]:
    """Find rules and pointers, whose rows must not change, that differ from what was released."""
    of_release = _select_members(release)
    query = sa.select(rule).where(rule.c.rule_id.in_(of_release))
    rules = {
        row["rule_id"]: apply_person_version(Rule.from_row(dict(row)))
        for row in connection.execute(query).mappings()
    }
    pointers: dict[str, set[tuple[str, int, int]]] = {}
    query = sa.select(source_pointer).where(source_pointer.c.rule_id.in_(of_release))
    for row in connection.execute(query):
        pointers.setdefault(row.rule_id, set()).add((row.quote, row.start, row.end))
    faults: list[Fault] = []
    for line in manifest.rules:
        name, stored = f"{line['concept']} ({line['rule_id']})", rules.get(line["rule_id"])
        # Once a person has decided again, it may say something else until the next release.
        if stored is not None and stored.status == RuleStatus.PUBLISHED.value:
            faults += [
                FaultKind.RULE_DIFFERS.report(
                    f"{name}: its row has a different {field.replace('_', ' ')} from the release"
                )
                for field in _STATED_FIELDS
                if getattr(stored, field) != line[field]
            ]
        known = pointers.get(line["rule_id"], set())
        faults += [
            FaultKind.POINTER_MISSING.report(
                f"{name}: no row has its quote from {source['source_slug']}"
            )
            for source in line["sources"]
            if (source["quote"], source["start"], source["end"]) not in known
        ]
    return faults


def _find_audit_faults(connection: sa.Connection, release: Release) -> list[Fault]:
    """Find faults in the audit log, and differences between the log and this release."""
    checked = audit.verify_chain(connection)
    faults = [fault.about("audit log") for fault in checked.faults]
    query = sa.select(audit_log.c.body, audit_log.c.previous_hash).where(
        audit_log.c.subject == release.release_id, audit_log.c.action == "release_published"
    )
    note = connection.execute(query).first()
    if note is None:
        what = "the audit log has no entry for this release"
        return [*faults, FaultKind.RELEASE_UNLOGGED.report(what)]
    for name in ("manifest_hash", "content_hash", "version", "pack", "number", "previous"):
        if note.body.get(name) != getattr(release, name):
            what = f"the audit log has a different {name.replace('_', ' ')}"
            faults.append(FaultKind.RELEASE_UNLOGGED.report(what))
    if not audit.has_entry(connection, release.audit_hash):
        what = "the audit log has no entry with the hash that the release refers to"
        faults.append(FaultKind.LOG_HASH_UNKNOWN.report(what))
    return faults


def _describe_outdated(
    connection: sa.Connection, release: Release, others: list[Release]
) -> list[str]:
    now = find_current_release(others)
    if now is None or now.release_id != release.release_id:
        return [f"release {release.version} is not the current one"]
    query = (
        sa.select(rule.c.rule_id, rule.c.concept, rule.c.status)
        .join(released_rule, released_rule.c.rule_id == rule.c.rule_id)
        .where(
            released_rule.c.release_id == release.release_id,
            rule.c.status != RuleStatus.PUBLISHED.value,
        )
        .order_by(rule.c.concept, rule.c.rule_id)
    )
    return [
        f"{row.concept} ({row.rule_id}) is now {row.status}; the next release leaves it out"
        for row in connection.execute(query)
    ]


async def _reread_documents(
    data: bytes, evidence: BytesReader, deep: DeepReader, proof: ReleaseProof
) -> None:
    """Read every cited document again, and compare its text with the cited one."""
    cited: dict[tuple[str, str], dict[str, str]] = {}
    for line in read_manifest(data).rules if not _is_broken(data) else ():
        for source in line["sources"]:
            cited[source["evidence_hash"], source["artifact_hash"]] = source
    for (name, text_hash), source in sorted(cited.items()):
        if source["kind"] in _SCANNED:
            proof.notes.append(f"{source['url']} was read from images and is not read again")
            continue
        try:
            charset = charset_of(source["content_type"])
            found = await deep.pool.run(compute_text_hash, evidence(name), deep.limits, charset)
        except CorruptBlob:
            continue  # Already reported when its bytes were checked.
        except AssayError as error:
            what = f"{source['url']} can no longer be read: {error.what}"
            proof.faults.append(FaultKind.TEXT_UNREADABLE.report(what))
            continue
        if found == text_hash:
            continue
        if source["reader"] != READER:
            proof.notes.append(
                f"{source['url']} was read by {source['reader']}; {READER} gives a different text"
            )
        else:
            what = f"{source['url']} gives a different text from the cited one"
            proof.faults.append(FaultKind.TEXT_DIFFERS.report(what))


def compute_text_hash(data: bytes, limits: ReadLimits, charset: str | None) -> str:
    """The hash of a document's text as it would be stored; runs in a process of the pool."""
    return content_hash(read_document(data, limits, charset).text.encode("utf-8", "replace"))


def _is_broken(data: bytes) -> bool:
    try:
        read_manifest(data)
    except ContentError:
        return True
    return False


def _read_bundle_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InvalidInput(
            f"{path.parent} is not a release: {path.name} is missing.",
            advice="Create one with 'assay release export --format bundle'.",
        ) from error
    except OSError as error:
        raise from_os_error(error, f"reading {path}") from error


def _read_hashed_file(folder: Path, name: str) -> bytes:
    """A file of a bundle; a name that is not a hash never becomes a path."""
    if _HASH.fullmatch(name) is None:
        raise CorruptBlob(f"{name!r} is not a content hash.")
    try:
        return (folder / name).read_bytes()
    except OSError:
        raise CorruptBlob(f"{folder.name}/{name} is missing.") from None


def _find_uncited_files(folder: Path, manifest: ReleaseManifest) -> list[Fault]:
    """Find files that no rule cites: they do not belong where people look for evidence."""
    cited = [quoted for line in manifest.rules for quoted in list_quotations(line)]
    expected = {
        EVIDENCE: {source["evidence_hash"] for source in cited},
        TEXTS: {source["artifact_hash"] for source in cited},
    }
    return [
        FaultKind.FILE_UNCITED.report(f"{name}/{path.name} is not cited by any rule")
        for name, known in expected.items()
        for path in sorted((folder / name).glob("*"))
        if path.name not in known
    ]
