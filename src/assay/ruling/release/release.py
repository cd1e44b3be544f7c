"""Release: publishes the approved rules of a pack as a new version, or says why it cannot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.engine.contract import (
    Change,
    NextJob,
    Outcome,
    QueueLimits,
    Result,
    Stage,
    StageFunction,
)
from assay.engine.reader import Reader
from assay.events import Event, ReleasePublished, RuleChanged, RulePublished, RuleRemoved
from assay.model.audit import GENESIS, AuditNote
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import Artifact, Evidence, IngestCandidate, Record, ScoutResult, Source
from assay.model.rules import (
    AuditEntry,
    Concept,
    Conflict,
    ConflictSide,
    Release,
    ReleasedRule,
    Rule,
    RuleEdge,
    RuleStatus,
    SourcePointer,
)
from assay.ruling.payloads import EmbedJob, ReleaseJob
from assay.ruling.release.citations import find_text_faults
from assay.ruling.release.gates import RELEASABLE, make_unknown_fault
from assay.ruling.release.manifest import read_manifest
from assay.ruling.release.plan import (
    ReleaseMaterial,
    ReleasePlan,
    find_current_release,
    plan_release,
)
from assay.ruling.release.publication import Publication, build_record_lines, sort_records
from assay.ruling.release.rule_standing import CitedGround, RuleStanding, is_ending
from assay.ruling.rules.rule_support import (
    RuleSupport,
    read_support,
    select_current_pointers,
    select_strongest,
)

UNCHANGED = "unchanged"
_ACTOR = "stage:release"
_PUBLISHED = RuleStatus.PUBLISHED.value

RELEASE = Stage(
    name="release",
    version=1,
    payload=ReleaseJob,
    queue=QueueLimits(2, per=60, concurrency=1),
    reads=frozenset(
        {
            Rule,
            SourcePointer,
            Evidence,
            Artifact,
            Source,
            Conflict,
            ConflictSide,
            Concept,
            RuleEdge,
            IngestCandidate,
            CoverageReport,
            ScoutResult,
            FactEnd,
            Release,
            AuditEntry,
        }
    ),
    writes=frozenset({Release, ReleasedRule, Rule, AuditEntry}),
    next=frozenset({"embed"}),
    once="run",
    entry=True,
    purpose="publishes approved rules as a new version",
)


Publications = Mapping[str, Sequence[Publication]]
"""What packs publish besides rules, by the name of the pack."""
NO_PUBLICATIONS: Publications = {}


def declare_release_stage(publications: Publications) -> Stage:
    """The declaration of a stage that may also read what packs publish."""
    records = {entry.record for entries in publications.values() for entry in entries}
    return replace(RELEASE, reads=RELEASE.reads | records)


def release(publications: Publications = NO_PUBLICATIONS) -> StageFunction:
    """The stage; if a gate fails, it raises an error and publishes nothing."""

    async def work(jobs: Sequence[ReleaseJob], read: Reader) -> Sequence[Result]:
        return [await _release_pack(job, read, publications.get(job.pack, ())) for job in jobs]

    return work


async def _release_pack(
    job: ReleaseJob, read: Reader, publications: Sequence[Publication]
) -> Outcome:
    plan = await read_release_plan(job, read, publications)
    plan.require_gates()
    plan.require_content(job.content_hash)
    if plan.is_unchanged:
        # A rule that was reopened and approved again may already be in the current release.
        return Outcome(changes=_publish_rules(plan, plan.previous), note=UNCHANGED)
    made = Release(
        release_id=plan.release_id,
        pack=plan.pack,
        version=plan.version,
        number=plan.number,
        previous=None if plan.previous is None else plan.previous.release_id,
        manifest_hash=plan.manifest_hash,
        content_hash=plan.content_hash,
        rule_count=len(plan.lines),
        changes=plan.changes,
        audit_hash=await _read_audit_head(read),
        released_by=job.released_by,
        created_ms=read.now_ms,
    )
    members = [
        ReleasedRule(release_id=made.release_id, rule_id=line["rule_id"], concept=line["concept"])
        for line in plan.lines
    ]
    records: tuple[Record, ...] = (made, *members)
    return Outcome(
        records=records,
        next=tuple(_make_embed_jobs(plan, made)),
        events=tuple(_make_events(plan, made)),
        blobs=(plan.manifest,),
        changes=_publish_rules(plan, made),
        audit=(_make_audit_note(made, job),),
    )


async def read_release_plan(
    job: ReleaseJob, read: Reader, publications: Sequence[Publication] = ()
) -> ReleasePlan:
    """What a release would contain now; nothing is written."""
    releases = tuple(await read.find_where(Release, "pack", [job.pack]))
    now = find_current_release(releases)
    before = None if now is None else read_manifest(await read.blob(now.manifest_hash))
    published = () if before is None else before.rules
    rules = await _read_rules(job, [line["rule_id"] for line in published], read)
    records = [
        line
        for publication in publications
        for line in build_record_lines(
            publication, await read.find_all(publication.record, publication.where)
        )
    ]
    standings = await _read_standings(list(rules.values()), read)
    faults = [
        make_unknown_fault(rule_id, job.pack)
        for rule_id in sorted(set(job.rule_ids))
        if rule_id not in rules
    ]
    material = ReleaseMaterial(
        pack=job.pack,
        standings=standings,
        conflicts=await _read_conflicts(rules, read),
        edges=tuple(await _read_ending_edges(rules, read)),
        faults=(*faults, *await find_text_faults(standings, read)),
        releases=releases,
        published=published,
        records=tuple(sort_records(records)),
        published_records=() if before is None else before.records,
    )
    return plan_release(material, job.rule_ids)


async def _read_rules(job: ReleaseJob, published: Sequence[str], read: Reader) -> dict[str, Rule]:
    """The published rules that still stand, and those asked for by id; if none were, all approved
    ones."""
    own = {"pack": job.pack}
    found = await read.find_where(Rule, "status", RELEASABLE, beside=own)
    named = await read.find_where(Rule, "rule_id", job.rule_ids, beside=own)
    staying = {*published, *(rule.rule_id for rule in found if rule.status == _PUBLISHED)}
    chosen = [rule for rule in found if not job.rule_ids or rule.rule_id in staying]
    return {rule.rule_id: rule for rule in (*chosen, *named)}


async def _read_standings(rules: Sequence[Rule], read: Reader) -> tuple[RuleStanding, ...]:
    pointers = await read.find_where(SourcePointer, "rule_id", [rule.rule_id for rule in rules])
    support = await read_support(pointers, rules, read)
    held = select_current_pointers(pointers, support)
    amended = [pointer.amended for pointer in held if pointer.amended is not None]
    evidence = await read.get_many(
        Evidence, {p.evidence_id for p in held} | {a["evidence_id"] for a in amended}
    )
    artifacts = await read.get_many(
        Artifact, {p.artifact_id for p in held} | {a["artifact_id"] for a in amended}
    )
    sources = await read.get_many(Source, {pointer.source_slug for pointer in held})
    concepts = await read.get_many(Concept, {rule.concept for rule in rules})
    grounds: dict[str, list[CitedGround]] = {}
    for pointer in held:
        ground = CitedGround(
            pointer,
            sources.get(pointer.source_slug),
            evidence.get(pointer.evidence_id),
            artifacts.get(pointer.artifact_id),
            _find_amended(pointer, evidence, artifacts),
        )
        grounds.setdefault(pointer.rule_id, []).append(ground)
    return tuple(
        _build_standing(rule, concepts.get(rule.concept), grounds.get(rule.rule_id, []), support)
        for rule in rules
    )


def _find_amended(
    pointer: SourcePointer, evidence: Mapping[str, Evidence], artifacts: Mapping[str, Artifact]
) -> tuple[Evidence, Artifact] | None:
    """What it amends, as far as that is stored; the gates refuse the rule if it is not."""
    if pointer.amended is None:
        return None
    found = evidence.get(pointer.amended["evidence_id"])
    text = artifacts.get(pointer.amended["artifact_id"])
    if found is None or text is None or text.evidence_id != found.evidence_id:
        return None
    return found, text


def _build_standing(
    rule: Rule, concept: Concept | None, grounds: Sequence[CitedGround], support: RuleSupport
) -> RuleStanding:
    pointers = [ground.pointer for ground in grounds]
    ranks = {g.source.source_slug: g.source.hierarchy for g in grounds if g.source is not None}
    return RuleStanding(
        rule,
        concept,
        tuple(grounds),
        support.find_last_day(select_strongest(pointers, ranks)),
        tuple(support.list_doubts(pointers)),
    )


async def _read_conflicts(rules: Mapping[str, Rule], read: Reader) -> dict[str, Conflict]:
    """rule → the conflict in which nobody has decided about it yet."""
    sides = await read.find_where(ConflictSide, "rule_id", rules, beside={"contested": True})
    found = await read.get_many(Conflict, {side.conflict_id for side in sides})
    return {side.rule_id: found[side.conflict_id] for side in sides if side.holds}


async def _read_ending_edges(rules: Mapping[str, Rule], read: Reader) -> list[RuleEdge]:
    """The edges that end these rules, and in turn those that end rules which are not released."""
    found: list[RuleEdge] = []
    seen: set[str] = set()
    waiting = set(rules)
    while waiting:
        seen |= waiting
        edges = [
            edge for edge in await read.find_where(RuleEdge, "to_rule", waiting) if is_ending(edge)
        ]
        found += edges
        waiting = {edge.from_rule for edge in edges} - seen
    return found


async def _read_audit_head(read: Reader) -> str:
    """The hash of the last entry of the audit log, whose entries are numbered without gaps."""
    count = await read.count(AuditEntry, {})
    last = await read.find_where(AuditEntry, "seq", [count])
    return last[0].hash if last else GENESIS


def _publish_rules(plan: ReleasePlan, made: Release | None) -> tuple[Change, ...]:
    """Mark approved rules as published, each only if its approval still stands."""
    version = "" if made is None else made.version
    return tuple(
        Change(
            record=Rule,
            key=rule.rule_id,
            # Each decision has a time, so one made after the rules were read is not missed.
            when={
                "status": RuleStatus.APPROVED.value,
                "approved_by": rule.approved_by,
                "approved_ms": rule.approved_ms,
            },
            to={"status": _PUBLISHED},
            # A rule that was withdrawn meanwhile must not be in the manifest either.
            must=True,
            audit=AuditNote(
                action="rule_published",
                subject_kind="rule",
                subject=rule.rule_id,
                actor=_ACTOR,
                body={"version": version, "pack": plan.pack, "approved_by": rule.approved_by},
                # The same rule may be withdrawn and published again in the same version.
                once=False,
            ),
        )
        for rule in plan.new
    )


def _make_audit_note(made: Release, job: ReleaseJob) -> AuditNote:
    """Binds the release to the log: altering one would require altering the other."""
    return AuditNote(
        action="release_published",
        subject_kind="release",
        subject=made.release_id,
        actor=job.released_by or _ACTOR,
        body={
            "pack": made.pack,
            "version": made.version,
            "number": made.number,
            "previous": made.previous,
            "manifest_hash": made.manifest_hash,
            "content_hash": made.content_hash,
            "rules": made.rule_count,
        },
    )


def _make_embed_jobs(plan: ReleasePlan, made: Release) -> Iterable[NextJob]:
    for kind in ("added", "changed"):
        for entry in plan.changes[kind]:
            yield NextJob("embed", EmbedJob(rule_id=entry["rule_id"], release_id=made.release_id))


def _make_events(plan: ReleasePlan, made: Release) -> Iterable[Event]:
    yield ReleasePublished(
        release_id=made.release_id, pack=made.pack, version=made.version, rules=made.rule_count
    )
    for entry in plan.changes["added"]:
        yield RulePublished(**_identify_entry(entry, made))
    for entry in plan.changes["changed"]:
        yield RuleChanged(**_identify_entry(entry, made), fields=",".join(sorted(entry["fields"])))
    for entry in plan.changes["removed"]:
        yield RuleRemoved(**_identify_entry(entry, made))


def _identify_entry(entry: Mapping[str, str], made: Release) -> dict[str, str]:
    return {
        "rule_id": entry["rule_id"],
        "concept": entry["concept"],
        "release_id": made.release_id,
    }
