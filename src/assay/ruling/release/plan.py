"""From rules with their support to a release, or to the reasons why there is none."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import ReleaseRefused
from assay.model.hashes import content_hash
from assay.model.ids import derive_id
from assay.model.rules import Conflict, Release, Rule, RuleEdge, RuleStatus
from assay.ruling.release.changes import (
    RuleChanges,
    compare_rules,
    has_no_changes,
    list_changed_tiers,
)
from assay.ruling.release.gates import GateFault, find_faults, select_waiting
from assay.ruling.release.manifest import (
    ManifestLine,
    build_rule_line,
    serialize_content,
    serialize_manifest,
    sort_lines,
)
from assay.ruling.release.publication import RecordLine, compare_records
from assay.ruling.release.rule_standing import RuleStanding, find_end_days
from assay.ruling.release.versions import ReleaseVersion, bump_version

PUBLISHED = "PUBLISHED"
ROLLED_BACK = "ROLLED_BACK"
_MAX_NAMED = 20


@dataclass(frozen=True, kw_only=True)
class ReleaseMaterial:
    """Everything that a release is made of."""

    pack: str
    standings: tuple[RuleStanding, ...]
    conflicts: Mapping[str, Conflict]
    """rule → the conflict in which nobody has decided about it yet."""
    edges: tuple[RuleEdge, ...]
    faults: tuple[GateFault, ...]
    """Faults in the stored bytes and texts."""
    releases: tuple[Release, ...]
    """All releases of the pack so far."""
    published: tuple[ManifestLine, ...]
    """The rules of the current release."""
    records: tuple[RecordLine, ...] = ()
    """What the pack publishes besides rules."""
    published_records: tuple[RecordLine, ...] = ()
    """The records of the current release."""


@dataclass(frozen=True, kw_only=True)
class ReleasePlan:
    """What a release would contain."""

    pack: str
    version: str
    number: int
    previous: Release | None
    lines: tuple[ManifestLine, ...]
    records: tuple[RecordLine, ...]
    changes: RuleChanges
    faults: tuple[GateFault, ...]
    """Why it cannot be published; empty if every gate passes."""
    waiting: tuple[GateFault, ...]
    """Approved rules that are held back, and what each of them lacks."""
    new: tuple[Rule, ...]
    """The rules that it publishes for the first time."""
    manifest: bytes
    content: bytes

    @property
    def is_unchanged(self) -> bool:
        return has_no_changes(self.changes)

    @property
    def manifest_hash(self) -> str:
        return content_hash(self.manifest)

    @property
    def content_hash(self) -> str:
        return content_hash(self.content)

    @property
    def release_id(self) -> str:
        return derive_id("re", self.pack, self.version, self.manifest_hash)

    def require_content(self, content_hash: str) -> None:
        """Raise an error if that is the hash of other content; an empty one stands for any."""
        if content_hash not in ("", self.content_hash):
            raise ReleaseRefused(
                "Something was approved or withdrawn after the preview.",
                advice="Look at the preview again.",
            )

    def require_gates(self) -> None:
        """Raise an error that lists every fault, if there are any."""
        if self.faults:
            raise release_refused_error(self.faults)


def release_refused_error(faults: Sequence[GateFault]) -> ReleaseRefused:
    """The error that names what is wrong, rule by rule."""
    shown = " ".join(f"[{number}] {fault}." for number, fault in enumerate(faults[:_MAX_NAMED], 1))
    more = len(faults) - _MAX_NAMED
    failed = "one check failed" if len(faults) == 1 else f"{len(faults)} checks failed"
    return ReleaseRefused(
        f"Nothing was released, because {failed}: {shown}",
        advice=f"'assay release create --dry-run' lists {more} more." if more > 0 else "",
    )


def find_current_release(releases: Sequence[Release]) -> Release | None:
    """The current release: the last one that was not rolled back."""
    standing = [release for release in releases if release.state == PUBLISHED]
    return max(standing, key=lambda release: release.number, default=None)


def plan_release(material: ReleaseMaterial, named: Collection[str] = ()) -> ReleasePlan:
    """The release of these rules; `named` are those that were asked for by id."""
    rules = [standing.rule for standing in material.standings]
    faults = [*material.faults]
    for standing in material.standings:
        faults += find_faults(standing, material.conflicts.get(standing.rule.rule_id))
    # A rule that is already published must not disappear silently.
    required = {*named, *(line["rule_id"] for line in material.published)}
    waiting = select_waiting(faults, rules, required)
    chosen = [entry for entry in material.standings if entry.rule.rule_id not in waiting]
    serious = tuple(sorted({fault for fault in faults if fault.rule_id not in waiting}))
    lines = () if serious else _build_lines(chosen, material.edges)
    return _build_plan(
        material,
        lines,
        serious,
        tuple(sorted({fault for fault in faults if fault.rule_id in waiting})),
        tuple(e.rule for e in chosen if e.rule.status == RuleStatus.APPROVED.value),
    )


def _build_plan(
    material: ReleaseMaterial,
    lines: tuple[ManifestLine, ...],
    faults: tuple[GateFault, ...],
    waiting: tuple[GateFault, ...],
    new: tuple[Rule, ...],
) -> ReleasePlan:
    previous = find_current_release(material.releases)
    changes = compare_rules(material.published, material.published if faults else lines)
    if records := compare_records(material.published_records, material.records):
        changes["records"] = records
    # Higher than every earlier one, so that a version that was rolled back is never reused.
    highest = max(
        (ReleaseVersion.parse(r.version) for r in material.releases), default=ReleaseVersion()
    )
    version = str(bump_version(highest, list_changed_tiers(changes) | _find_record_tiers(records)))
    return ReleasePlan(
        pack=material.pack,
        version=version,
        number=1 + max((release.number for release in material.releases), default=0),
        previous=previous,
        lines=lines,
        records=material.records,
        changes=changes,
        faults=faults,
        waiting=waiting,
        new=tuple(sorted(new, key=lambda rule: rule.rule_id)),
        manifest=serialize_manifest(
            material.pack,
            version,
            None if previous is None else previous.version,
            lines,
            material.records,
        ),
        content=serialize_content(lines, material.records),
    )


def _find_record_tiers(changes: Sequence[Mapping[str, Any]]) -> set[str]:
    """A changed or removed record raises the second number of the version, as a T1 rule does."""
    return {"T1"} if any(entry["change"] != "added" for entry in changes) else set()


def _build_lines(
    chosen: Sequence[RuleStanding], edges: Sequence[RuleEdge]
) -> tuple[ManifestLine, ...]:
    ended = {standing.rule.rule_id: standing.ended for standing in chosen}
    until = find_end_days((standing.rule for standing in chosen), edges, ended)
    return tuple(
        sort_lines(build_rule_line(standing, until[standing.rule.rule_id]) for standing in chosen)
    )
