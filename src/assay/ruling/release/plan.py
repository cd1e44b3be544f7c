"""From rules with their grounds to the release that they make, or to why they make none."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import ReleaseRefused
from assay.model.hashes import content_hash
from assay.model.ids import derived_id
from assay.model.rules import Conflict, Release, Rule, RuleEdge, RuleStatus
from assay.ruling.release.changes import Changes, changes_between, is_empty, tiers_of
from assay.ruling.release.gates import Fault, faults_of, held_back
from assay.ruling.release.manifest import Line, content_of, in_order, rule_line, written
from assay.ruling.release.publication import RecordLine, compare_records
from assay.ruling.release.standing import Standing, ends
from assay.ruling.release.versions import Version, following

PUBLISHED = "PUBLISHED"
ROLLED_BACK = "ROLLED_BACK"
_NAMED_AT_MOST = 20


@dataclass(frozen=True, kw_only=True)
class Material:
    """All that a release is made of."""

    pack: str
    standings: tuple[Standing, ...]
    conflicts: tuple[Conflict, ...]
    edges: tuple[RuleEdge, ...]
    faults: tuple[Fault, ...]
    """What was found wrong with the stored bytes and the words in them."""
    releases: tuple[Release, ...]
    """All that the pack ever had."""
    published: tuple[Line, ...]
    """The rules of the current release."""
    records: tuple[RecordLine, ...] = ()
    """What the pack publishes besides rules."""
    published_records: tuple[RecordLine, ...] = ()
    """The same of the current release."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a release would be."""

    pack: str
    version: str
    number: int
    previous: Release | None
    lines: tuple[Line, ...]
    records: tuple[RecordLine, ...]
    changes: Changes
    faults: tuple[Fault, ...]
    """Why it may not be; empty where every gate holds."""
    waiting: tuple[Fault, ...]
    """Approved rules that were left out, and what each of them lacks."""
    new: tuple[Rule, ...]
    """The rules that become published with it."""
    manifest: bytes
    content: bytes

    @property
    def is_unchanged(self) -> bool:
        return is_empty(self.changes)

    @property
    def manifest_hash(self) -> str:
        return content_hash(self.manifest)

    @property
    def content_hash(self) -> str:
        return content_hash(self.content)

    @property
    def release_id(self) -> str:
        return derived_id("re", self.pack, self.version, self.manifest_hash)

    def require_gates(self) -> None:
        """Refuse where a gate does not hold, with every fault."""
        if self.faults:
            raise refusal(self.faults)


def refusal(faults: Sequence[Fault]) -> ReleaseRefused:
    """The error that names what is wrong, rule by rule."""
    shown = " ".join(
        f"[{number}] {fault}." for number, fault in enumerate(faults[:_NAMED_AT_MOST], 1)
    )
    more = len(faults) - _NAMED_AT_MOST
    return ReleaseRefused(
        f"Nothing was released, because {_counted(len(faults))}: {shown}",
        advice=f"{more} more are listed by 'assay release create --dry-run'." if more > 0 else "",
    )


def current_of(releases: Sequence[Release]) -> Release | None:
    """The release that counts now: the last that was not rolled back."""
    standing = [release for release in releases if release.state == PUBLISHED]
    return max(standing, key=lambda release: release.number, default=None)


def planned(material: Material, named: Collection[str] = ()) -> Plan:
    """The release of these rules; `named` are those that somebody asked for by their id."""
    rules = [standing.rule for standing in material.standings]
    faults = [*material.faults]
    touching = _touching(material.conflicts)
    for standing in material.standings:
        faults += faults_of(standing, touching.get(standing.rule.rule_id, ()))
    # What is published already does not leave without a word.
    wanted = {*named, *(line["rule_id"] for line in material.published)}
    waiting = held_back(faults, rules, wanted)
    chosen = [entry for entry in material.standings if entry.rule.rule_id not in waiting]
    serious = tuple(sorted({fault for fault in faults if fault.rule_id not in waiting}))
    lines = () if serious else _lines(chosen, material.edges)
    return _plan(
        material,
        lines,
        serious,
        tuple(sorted({fault for fault in faults if fault.rule_id in waiting})),
        tuple(e.rule for e in chosen if e.rule.status == RuleStatus.APPROVED.value),
    )


def _plan(
    material: Material,
    lines: tuple[Line, ...],
    faults: tuple[Fault, ...],
    waiting: tuple[Fault, ...],
    new: tuple[Rule, ...],
) -> Plan:
    previous = current_of(material.releases)
    changes = changes_between(material.published, material.published if faults else lines)
    if records := compare_records(material.published_records, material.records):
        changes["records"] = records
    # Above all that ever were, so that a version that was rolled back is never used again.
    highest = max((Version.parse(r.version) for r in material.releases), default=Version())
    version = str(following(highest, tiers_of(changes) | _record_tiers(records)))
    return Plan(
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
        manifest=written(
            material.pack,
            version,
            None if previous is None else previous.version,
            lines,
            material.records,
        ),
        content=content_of(lines, material.records),
    )


def _record_tiers(changes: Sequence[Mapping[str, Any]]) -> set[str]:
    """A record that changed or went raises the second number of the version, as a T1 rule does."""
    return {"T1"} if any(entry["change"] != "added" for entry in changes) else set()


def _touching(conflicts: Sequence[Conflict]) -> dict[str, list[Conflict]]:
    found: dict[str, list[Conflict]] = {}
    for conflict in conflicts:
        for rule_id in (conflict.rule_a, conflict.rule_b):
            found.setdefault(rule_id, []).append(conflict)
    return found


def _lines(chosen: Sequence[Standing], edges: Sequence[RuleEdge]) -> tuple[Line, ...]:
    until = ends((standing.rule for standing in chosen), edges)
    return tuple(in_order(rule_line(standing, until[standing.rule.rule_id]) for standing in chosen))


def _counted(faults: int) -> str:
    return "a gate does not hold" if faults == 1 else f"{faults} gates do not hold"
