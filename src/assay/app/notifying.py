"""Plans what is delivered: which events are looked at, what is sent, and when a digest is due.

Nothing is lost and nothing is planned twice. Jobs are recorded in the transaction that moves the
cursor, and the job book refuses an event or a message that it already has.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.engine.jobs import NewJob
from assay.errors import from_os_error
from assay.events import (
    DocumentChanged,
    DocumentGone,
    EvidenceStored,
    RuleChanged,
    RulePublished,
)
from assay.model.watches import (
    Delivery,
    DeliveryState,
    Notice,
    NoticeCursor,
    NoticeKind,
    Watch,
)
from assay.notices.feed import list_feeds, render_feed
from assay.notices.messages import Message, Report, describe_watch
from assay.notices.payloads import DELIVER_STAGE, NOTICE_STAGE, DeliverJob, NoticeJob
from assay.store import tables as t
from assay.store import truth
from assay.store.database import begin_writing, explain_errors
from assay.store.upserts import upsert_records

FEEDS: Final = "feeds"
"""The folder of the feeds in a home."""
_EVENTS: Final = "events"
_AUDIT: Final = "audit"
_DOCUMENTS: Final = {
    EvidenceStored.tag: NoticeKind.NEW,
    DocumentChanged.tag: NoticeKind.CHANGED,
    DocumentGone.tag: NoticeKind.GONE,
}
_RULES: Final = (RulePublished.tag, RuleChanged.tag)
_OVERLAP_MS: Final = 86_400_000
"""Events carry the time at which their transaction was prepared, and one that was slow may commit
after later ones. No transaction takes a day."""
_MOST_IN_FEED: Final = 100
_BATCH: Final = 20_000
"""Events that are planned at a time; the rest comes with the next planning."""


def plan_news(app: App, run_id: str) -> int:
    """Schedule, in this run, a look at everything that happened since the last time, and the
    messages that are due; return how many jobs that is.

    Without a watch it costs one query.
    """
    if not app.fetch_rows(sa.select(t.watch.c.watch_id).where(t.watch.c.active).limit(1)):
        return 0
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        return _plan_jobs(app, connection, run_id)


def _plan_jobs(app: App, connection: sa.Connection, run_id: str) -> int:
    watches = _load_watches(connection)
    if not watches:
        return 0
    now_ms = app.clock.now_ms()
    if _has_sent_messages(connection, run_id):
        # What other runs find from here on is told with them: a run tells each watch once.
        return 0
    looks = _list_new_events(app, connection, watches) + _list_new_rules(connection, watches)
    jobs = [NewJob(NOTICE_STAGE, look, run_id) for look in looks]
    if planned := app.book.schedule(connection, jobs, now_ms):
        return planned
    # What was noticed is delivered once all of it is known: as one message for each watch.
    messages = _list_due_messages(connection, watches, run_id, now_ms)
    jobs = [NewJob(DELIVER_STAGE, message, run_id) for message in messages]
    return app.book.schedule(connection, jobs, now_ms)


def write_feeds(app: App) -> list[Path]:
    """Write the file of every feed whose entries have changed."""
    query = sa.select(t.delivery.c.channel).distinct()
    used = {row["channel"] for row in app.fetch_rows(query)}
    written = []
    for name in sorted(used & list_feeds(app.settings)):
        path, data = app.settings.home / FEEDS / f"{name}.xml", load_feed(app, name)
        try:
            if path.exists() and path.read_bytes() == data:
                continue
            path.parent.mkdir(exist_ok=True)
            # Renamed into place, so that nobody reads half a feed.
            draft = path.with_suffix(".new")
            draft.write_bytes(data)
            draft.replace(path)
        except OSError as error:
            raise from_os_error(error, f"writing the feed {path}") from error
        written.append(path)
    return written


def load_feed(app: App, name: str) -> bytes:
    """The Atom feed of a channel: what it was last told, the newest first."""
    query = (
        sa.select(t.delivery)
        .where(t.delivery.c.channel == name, t.delivery.c.state == DeliveryState.SENT.value)
        .order_by(t.delivery.c.created_ms.desc(), t.delivery.c.delivery_id)
        .limit(_MOST_IN_FEED)
    )
    deliveries = [Delivery.from_row(row) for row in app.fetch_rows(query)]
    ids = {each.notice_id for each in deliveries}
    rows = app.fetch_rows(sa.select(t.notice).where(t.notice.c.notice_id.in_(ids)))
    notices = {row["notice_id"]: Notice.from_row(row) for row in rows}
    named = {each.watch_id for each in deliveries}
    found = app.fetch_rows(sa.select(t.watch).where(t.watch.c.watch_id.in_(named)))
    watches = {row["watch_id"]: Watch.from_row(row) for row in found}
    messages = [
        Message(
            key=each.delivery_id,
            subject=notices[each.notice_id].title,
            sentences=(describe_watch(watches[each.watch_id]),),
            reports=(Report(each.delivery_id, notices[each.notice_id], tuple(each.matched)),),
            shown=watches[each.watch_id].shown,
            at_ms=each.created_ms,
        )
        for each in deliveries
    ]
    return render_feed(name, messages)


def _load_watches(connection: sa.Connection) -> list[Watch]:
    query = sa.select(t.watch).where(t.watch.c.active.is_(True)).order_by(t.watch.c.watch_id)
    return [Watch.from_row(dict(row)) for row in connection.execute(query).mappings()]


def _find_start(connection: sa.Connection, log: str) -> int:
    query = sa.select(t.notice_cursor.c.position).where(t.notice_cursor.c.log == log)
    return int(connection.execute(query).scalar() or 0)


def _list_new_events(
    app: App, connection: sa.Connection, watches: Sequence[Watch]
) -> list[NoticeJob]:
    """A job for each event about a document or a release that has none yet; moves the cursor."""
    position = _find_start(connection, _EVENTS)
    first_watch = min(watch.created_ms for watch in watches)
    since = max(position - _OVERLAP_MS, first_watch)
    stage = app.pipeline.stage(NOTICE_STAGE)
    of_event = sa.literal(f"{stage.name}.{stage.version}:").concat(t.event.c.event_id)
    query = (
        sa.select(t.event)
        .where(t.event.c.tag.in_([*_DOCUMENTS, *_RULES]), t.event.c.at_ms >= since)
        .where(~sa.exists().where(t.job.c.job_id == of_event))
        .order_by(t.event.c.at_ms, t.event.c.event_id)
        .limit(_BATCH)
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    if rows:
        reached = NoticeCursor(log=_EVENTS, position=max(int(row["at_ms"]) for row in rows))
        upsert_records(connection, [reached])
    return [_make_event_job(row) for row in rows]


def _make_event_job(row: dict[str, Any]) -> NoticeJob:
    tag, body = row["tag"], row["body"]
    if isinstance(body, str):
        body = json.loads(body)
    named = {"event": row["event_id"], "at_ms": row["at_ms"], "run": row["run_id"] or ""}
    if tag in _RULES:
        return NoticeJob(
            **named,
            kind=NoticeKind.RELEASED,
            rule_id=body["rule_id"],
            release_id=body["release_id"],
        )
    return NoticeJob(
        **named,
        kind=_DOCUMENTS[tag],
        doc_id=body["doc_id"],
        evidence_id=body.get("evidence_id"),
        previous_evidence_id=body.get("previous_evidence_id"),
    )


def _list_new_rules(connection: sa.Connection, watches: Sequence[Watch]) -> list[NoticeJob]:
    """A job for each rule of a watched concept that was written since; moves the cursor.

    The entries of the audit log are numbered in the order in which they are committed.
    """
    concepts = {watch.concept for watch in watches if watch.concept is not None}
    if not concepts:
        return []
    log = truth.audit_log
    end = int(connection.execute(sa.select(sa.func.max(log.c.seq))).scalar() or 0)
    query = (
        sa.select(log.c.seq, log.c.at_ms, log.c.run_id, truth.rule.c.rule_id)
        .join(truth.rule, truth.rule.c.rule_id == log.c.subject)
        .where(log.c.seq > _find_start(connection, _AUDIT), log.c.seq <= end)
        .where(log.c.action == "rule_created", truth.rule.c.concept.in_(sorted(concepts)))
        .order_by(log.c.seq)
    )
    rows = connection.execute(query).all()
    upsert_records(connection, [NoticeCursor(log=_AUDIT, position=end)])
    return [
        NoticeJob(
            event=f"audit {row.seq}",
            kind=NoticeKind.RULE,
            at_ms=row.at_ms,
            run=row.run_id,
            rule_id=row.rule_id,
        )
        for row in rows
    ]


def _has_sent_messages(connection: sa.Connection, run_id: str) -> bool:
    """Whether the messages of a run are planned, or sent already."""
    planned = t.job.c.run_id == run_id, t.job.c.stage == DELIVER_STAGE
    return bool(connection.execute(sa.select(sa.exists().where(*planned))).scalar())


def _list_due_messages(
    connection: sa.Connection, watches: Sequence[Watch], run_id: str, now_ms: int
) -> list[DeliverJob]:
    """One message for each channel of a watch and each run, and the digests that are due.

    Another run that is still under way sends its own, once it has looked at everything. A digest's
    job is named after the day or week, so the book takes it once in that time.
    """
    known = {watch.watch_id: watch for watch in watches}
    day = datetime.fromtimestamp(now_ms / 1000, UTC).date()
    week = day.isocalendar()
    periods = {"daily": day.isoformat(), "weekly": f"{week.year}-W{week.week:02}"}
    columns = (t.delivery.c.watch_id, t.delivery.c.channel, t.delivery.c.run_id)
    others = sa.exists().where(
        t.run.c.run_id == t.delivery.c.run_id, t.run.c.run_id != run_id, t.run.c.ended_ms.is_(None)
    )
    waiting = t.delivery.c.state == DeliveryState.WAITING.value
    query = sa.select(*columns).where(waiting, ~others).distinct()
    jobs = {}
    for watch_id, channel, found_by in connection.execute(query.order_by(*columns)):
        digest = known[watch_id].digest if watch_id in known else "none"
        job = DeliverJob(
            watch_id=watch_id,
            channel=channel,
            key=periods.get(digest, found_by),
            is_digest=digest in periods,
            until_ms=now_ms,
        )
        jobs[job.subject] = job
    return list(jobs.values())
