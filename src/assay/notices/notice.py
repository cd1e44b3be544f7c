"""Notice: sees who watches what has changed, and keeps what changed for them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from assay.engine.contract import Outcome, QueueLimits, Result, Stage, StageFunction
from assay.engine.process_pool import ProcessPool
from assay.engine.reader import Reader
from assay.errors import AssayError, DatabaseFailed
from assay.model.ids import derive_id
from assay.model.records import Artifact, Document, Evidence
from assay.model.rules import Release, Rule, RuleStatus, SourcePointer
from assay.model.watches import Delivery, DeliveryState, Notice, NoticeKind, Watch
from assay.notices.changes import compare_lines, describe_change, list_lines, shorten_lines
from assay.notices.payloads import NOTICE_STAGE, NoticeJob
from assay.notices.terms import TextMatch, WatchIndex
from assay.reading.documents import load_stored_bytes, read_document
from assay.reading.limits import ReadLimits
from assay.ruling.rules.conditions import parse_condition_text, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value
from assay.sources.responses import charset_of

_STATES = {
    RuleStatus.DRAFT: "draft",
    RuleStatus.PENDING_REVIEW: "needs review",
    RuleStatus.APPROVED: "approved, not released",
    RuleStatus.PUBLISHED: "released",
    RuleStatus.DEPRECATED: "no longer in force",
    RuleStatus.REJECTED: "rejected",
}
_GONE = (RuleStatus.DEPRECATED, RuleStatus.REJECTED)
_MOST_QUOTES = 3
_LONGEST_TITLE = 120
Matches = Sequence[tuple[Watch, list[str]]]
"""The watches that a change concerns, each with the lines in which its words are."""

NOTICE = Stage(
    name=NOTICE_STAGE,
    version=1,
    payload=NoticeJob,
    queue=QueueLimits(concurrency=1),
    reads=frozenset({Watch, Evidence, Artifact, Document, Rule, SourcePointer, Release}),
    writes=frozenset({Notice, Delivery}),
    batch=200,
    timeout_s=12_000.0,
    entry=True,
    purpose="finds the watches that a change concerns",
)


def read_stored_lines(
    file: Path, hash_of_content: str, charset: str | None, limits: ReadLimits
) -> list[str]:
    """The lines of a stored document; runs in a process of the pool."""
    return list_lines(read_stored_text(file, hash_of_content, charset, limits))


def read_stored_text(
    file: Path, hash_of_content: str, charset: str | None, limits: ReadLimits
) -> str:
    """The text of a stored document; runs in a process of the pool."""
    return read_document(load_stored_bytes(file, hash_of_content), limits, charset).text


@dataclass(frozen=True)
class _Versions:
    """What a batch of jobs needs to know of the documents it is about."""

    evidence: dict[str, Evidence]
    artifacts: dict[str, Artifact]
    documents: dict[str, Document]
    feeds: frozenset[str]
    pool: ProcessPool
    limits: ReadLimits


def notice(pool: ProcessPool, limits: ReadLimits, feeds: frozenset[str]) -> StageFunction:
    """The stage, with the processes that read documents, and the channels that are feeds."""

    async def work(jobs: Sequence[NoticeJob], read: Reader) -> Sequence[Result]:
        watches = await read.find_all(Watch, {"active": True})
        index = WatchIndex(watches)
        ids = {key for job in jobs for key in (job.evidence_id, job.previous_evidence_id) if key}
        evidence = await read.get_many(Evidence, ids)
        texts = {e.primary_text_artifact_id for e in evidence.values()} - {None}
        versions = _Versions(
            evidence,
            await read.get_many(Artifact, {key for key in texts if key is not None}),
            await read.get_many(Document, {job.doc_id for job in jobs if job.doc_id}),
            feeds,
            pool,
            limits,
        )
        rules = await _read_rules(jobs, index, read)
        return [
            _notice_rule(job, index, rules, versions, read.now_ms)
            if job.rule_id is not None
            else await _notice_document(job, index, versions, read)
            for job in jobs
        ]

    return work


async def _notice_document(
    job: NoticeJob, index: WatchIndex, versions: _Versions, read: Reader
) -> Outcome:
    evidence = versions.evidence.get(job.evidence_id or "")
    document = versions.documents.get(job.doc_id or "")
    if evidence is None and document is None:
        return Outcome(note="unknown")
    source = evidence.source_slug if evidence else document.source_slug if document else ""
    url = evidence.url if evidence else document.url if document else ""
    if evidence is not None and (why := _explain_old_news(job, evidence)):
        return Outcome(note=why)
    matches: Matches = [
        (watch, []) for watch in index.find_document_watches(source, url, job.at_ms)
    ]
    seen = _ChangedText()
    if evidence is not None and (matches or index.has_words):
        old, new = await _read_versions(job, versions, read)
        find = partial(index.find_text_matches, source=source, url=url, at_ms=job.at_ms)
        seen = _compare_texts(old, new, matches, find)
        if seen.is_same:
            return Outcome(note="same text")
        matches = [*matches, *seen.matches]
    if not matches:
        return Outcome(note="not watched")
    made = Notice(
        notice_id=_make_notice_id(job),
        kind=job.kind,
        title=(document.title if document else None) or seen.heading or url,
        source_slug=source,
        url=url,
        evidence_id=job.evidence_id,
        previous_evidence_id=job.previous_evidence_id,
        content=seen.content,
        happened_ms=job.at_ms,
    )
    return Outcome(
        records=(made, *_make_deliveries(made, matches, versions.feeds, read.now_ms)),
        note="noticed",
    )


def _explain_old_news(job: NoticeJob, evidence: Evidence) -> str | None:
    """Why a version that was stored is not a new document."""
    if job.kind != NoticeKind.NEW:
        return None
    if evidence.previous_seen_ms is not None:
        # Another event reports it as a change.
        return "changed"
    return None if evidence.run_id == job.run else "seen before"


@dataclass(frozen=True)
class _ChangedText:
    """What a look into the text of a change found."""

    content: dict[str, Any] = field(default_factory=dict)
    matches: Matches = ()
    heading: str = ""
    is_same: bool = False


def _compare_texts(
    old: list[str] | str | None,
    new: list[str] | str,
    known: Matches,
    find: Callable[[Sequence[str]], Iterable[TextMatch]],
) -> _ChangedText:
    """Compare two versions, and find the watches whose words are in what changed."""
    if isinstance(new, str) or isinstance(old, str):
        return _ChangedText({"unreadable": new if isinstance(new, str) else old})
    change = compare_lines(old or [], new)
    if change.is_empty:
        return _ChangedText(is_same=True)
    matches = [(match.watch, shorten_lines(match.lines)) for match in find(change.added)]
    # Aligning two versions costs more than comparing them: only if somebody sees it.
    content = describe_change(old, new, change) if known or matches else {}
    return _ChangedText(content, matches, new[0][:_LONGEST_TITLE] if new else "")


def _make_notice_id(job: NoticeJob) -> str:
    """One id for one change, however many endpoints lead to it in a run."""
    if job.kind == NoticeKind.NEW:
        return derive_id("no", job.kind, job.evidence_id or "")
    if job.kind == NoticeKind.CHANGED:
        parts = (job.evidence_id or "", job.previous_evidence_id or "", job.run)
        return derive_id("no", job.kind, *parts)
    return derive_id("no", job.kind, job.doc_id or "", job.run)


def _make_deliveries(
    made: Notice, matches: Matches, feeds: frozenset[str], now_ms: int
) -> list[Delivery]:
    """One delivery for each channel of each watch. What is for a feed is in it from now on."""
    deliveries = {}
    for watch, lines in matches:
        for channel in watch.channels:
            key = derive_id("de", watch.watch_id, made.notice_id, channel)
            is_feed = channel in feeds
            deliveries[key] = Delivery(
                delivery_id=key,
                watch_id=watch.watch_id,
                notice_id=made.notice_id,
                channel=channel,
                matched=lines,
                state=DeliveryState.SENT if is_feed else DeliveryState.WAITING,
                created_ms=now_ms,
                sent_ms=now_ms if is_feed else None,
            )
    return list(deliveries.values())


async def _read_versions(
    job: NoticeJob, versions: _Versions, read: Reader
) -> tuple[list[str] | str | None, list[str] | str]:
    """The lines of the old and of the new version; instead of a text that cannot be read, why."""
    new = await _read_lines(versions.evidence[job.evidence_id or ""], versions, read)
    previous = versions.evidence.get(job.previous_evidence_id or "")
    return (None if previous is None else await _read_lines(previous, versions, read)), new


async def _read_lines(evidence: Evidence, versions: _Versions, read: Reader) -> list[str] | str:
    artifact = versions.artifacts.get(evidence.primary_text_artifact_id or "")
    try:
        if artifact is not None:
            text = await read.blob(artifact.content_hash)
            return list_lines(text.decode("utf-8", "replace"))
        return await versions.pool.run(
            read_stored_lines,
            read.blob_file(evidence.content_hash),
            evidence.content_hash,
            charset_of(evidence.content_type),
            versions.limits,
        )
    except DatabaseFailed:
        raise
    except AssayError as error:
        return error.what


@dataclass(frozen=True)
class _Rules:
    rules: dict[str, list[Rule]]
    """By concept."""
    pointers: dict[str, list[SourcePointer]]
    releases: dict[str, Release]
    urls: dict[str, Evidence]


async def _read_rules(jobs: Sequence[NoticeJob], index: WatchIndex, read: Reader) -> _Rules:
    named = await read.get_many(Rule, {job.rule_id for job in jobs if job.rule_id})
    watched = {r.concept for r in named.values() if index.find_concept_watches(r.concept, 2**62)}
    by_concept: dict[str, list[Rule]] = {}
    for rule in await read.find_where(Rule, "concept", watched):
        by_concept.setdefault(rule.concept, []).append(rule)
    pointers: dict[str, list[SourcePointer]] = {}
    ids = {rule.rule_id for rules in by_concept.values() for rule in rules}
    for pointer in await read.find_where(SourcePointer, "rule_id", ids):
        if len(known := pointers.setdefault(pointer.rule_id, [])) < _MOST_QUOTES:
            known.append(pointer)
    evidence = {pointer.evidence_id for some in pointers.values() for pointer in some}
    releases = {job.release_id for job in jobs if job.release_id}
    return _Rules(
        by_concept,
        pointers,
        await read.get_many(Release, releases),
        await read.get_many(Evidence, evidence),
    )


def _notice_rule(
    job: NoticeJob, index: WatchIndex, known: _Rules, versions: _Versions, now_ms: int
) -> Outcome:
    all_rules = {rule.rule_id: rule for rules in known.rules.values() for rule in rules}
    rule = all_rules.get(job.rule_id or "")
    watches = [] if rule is None else index.find_concept_watches(rule.concept, job.at_ms)
    if rule is None or not watches:
        return Outcome(note="not watched")
    if job.kind == NoticeKind.RULE and rule.status in _GONE:
        return Outcome(note="already replaced")
    release = known.releases.get(job.release_id or "")
    before = _find_rule_before(rule, known.rules[rule.concept])
    content: dict[str, Any] = {"new": _describe_rule(rule, known)}
    if before is not None:
        content["old"] = _describe_rule(before, known)
    if release is not None:
        content["release"] = release.version
    named = f"{rule.concept} in release {release.version}" if release else rule.concept
    made = Notice(
        notice_id=derive_id("no", job.kind, rule.rule_id, job.release_id or ""),
        kind=job.kind,
        title=named,
        concept=rule.concept,
        content=content,
        happened_ms=job.at_ms,
    )
    matches: Matches = [(watch, []) for watch in watches]
    return Outcome(
        records=(made, *_make_deliveries(made, matches, versions.feeds, now_ms)), note="noticed"
    )


def _find_rule_before(rule: Rule, others: Iterable[Rule]) -> Rule | None:
    """The rule that said it last before this one. One that another has replaced counts only if
    nothing else does: it may have lasted for a moment of the same run."""
    earlier = [
        other
        for other in others
        if other.rule_id != rule.rule_id
        and other.status != RuleStatus.REJECTED
        and (other.effective_from or "") <= (rule.effective_from or "9999")
        and (other.created_ms, other.rule_id) < (rule.created_ms, rule.rule_id)
    ]
    return max(
        earlier,
        key=lambda r: (r.status not in _GONE, r.effective_from or "", r.created_ms),
        default=None,
    )


def _describe_rule(rule: Rule, known: _Rules) -> dict[str, Any]:
    value = describe_value(rule.value, rule.value_type, rule.unit)
    condition = render_condition(parse_condition_text(rule.applies_when))
    period = describe_period(rule.effective_from, rule.effective_until)
    return {
        "rule_id": rule.rule_id,
        "text": f"{value}, {period}; {condition}",
        "state": _STATES[RuleStatus(rule.status)],
        "quotes": [
            {"quote": " ".join(pointer.quote.split()), "place": _describe_place(pointer, known)}
            for pointer in known.pointers.get(rule.rule_id, ())
        ],
    }


def _describe_place(pointer: SourcePointer, known: _Rules) -> str:
    evidence = known.urls.get(pointer.evidence_id)
    parts = [pointer.source_slug, pointer.article, evidence.url if evidence else ""]
    return ", ".join(part for part in parts if part)
