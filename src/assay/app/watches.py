"""What people watch: adds, lists and removes watches, and tests their channels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.documents import find_document
from assay.app.rule_queries import select_concepts
from assay.errors import AssayError, InvalidInput, NotFound
from assay.model.ids import derive_id, is_by_hand, normalise_url, suggest_name
from assay.model.watches import FEED, DeliveryState, Watch
from assay.notices.channels import Notifier, find_channel
from assay.notices.messages import Message, describe_watch
from assay.notices.payloads import DELIVER_STAGE
from assay.notices.terms import parse_term
from assay.store import tables as t
from assay.store import truth
from assay.store.database import explain_errors
from assay.store.upserts import upsert_records

_LEAST_LETTERS: Final = 2
_RECENT: Final = 20
_LIST_ADVICE: Final = "'assay watch list' lists them."


@dataclass(frozen=True, kw_only=True)
class WatchRequest:
    """What a person asks to watch, as it is written on the command line."""

    words: Sequence[str] = ()
    source: str | None = None
    document: str | None = None
    concept: str | None = None
    channels: Sequence[str] = ()
    digest: str = "none"
    shown: str = "added"


def add_watch(app: App, asked: WatchRequest) -> Watch:
    """Store a watch; the same one again only changes how it is delivered."""
    words = sorted({" ".join(text.split()) for text in asked.words} - {""})
    _refuse_impossible(asked, words)
    if asked.source is not None:
        _require_known(app, t.source.c.source_slug, asked.source, "source", "sources list")
    concept = None if asked.concept is None else _find_concept(app, asked.concept)
    url = None if asked.document is None else _find_url(app, asked.document)
    channels = sorted(set(asked.channels)) or [FEED]
    for name in channels:
        find_channel(app.settings, name)
    now_ms = app.clock.now_ms()
    key = derive_id("w", *words, "", asked.source or "", url or "", concept or "")[:12]
    known = _find_watches(app, t.watch.c.watch_id == key)
    watch = Watch(
        watch_id=key,
        source_slug=asked.source,
        url=url,
        concept=concept,
        words=words,
        channels=channels,
        digest=asked.digest,
        shown=asked.shown,
        # What happened while nobody watched is not reported afterwards.
        created_ms=known[0].created_ms if known and known[0].active else now_ms,
    )
    with explain_errors(), app.engine.begin() as connection:
        upsert_records(connection, [watch])
    return watch


def _refuse_impossible(asked: WatchRequest, words: Sequence[str]) -> None:
    if not (words or asked.source or asked.document or asked.concept):
        raise InvalidInput(
            "There is nothing to watch.",
            advice="Give words, --source, --document or --concept.",
        )
    if asked.concept is not None and (words or asked.source or asked.document):
        raise InvalidInput(
            "A concept is watched by itself.", advice="Add a second watch for the rest."
        )
    if asked.source is not None and asked.document is not None:
        raise InvalidInput("A document has one source.", advice="Give --document alone.")
    for text in words:
        term = parse_term(text)
        if term is None or len(term.anchor) < _LEAST_LETTERS:
            raise InvalidInput(
                f"'{text}' is too short to be found.",
                advice=f"Use words of at least {_LEAST_LETTERS} letters; 'tax*' finds any ending.",
            )


def _find_url(app: App, given: str) -> str:
    """The address of a document; one that is not stored yet can be watched by its address."""
    if "://" in given:
        return given if is_by_hand(given) else normalise_url(given)
    query = sa.select(t.document.c.url).where(t.document.c.doc_id == find_document(app, given))
    return str(app.fetch_rows(query)[0]["url"])


def _find_concept(app: App, name: str) -> str:
    """The one concept that a name, a label or an alias stands for."""
    column = truth.concept.c.concept
    if app.fetch_rows(sa.select(column).where(column == name)):
        return name
    found = select_concepts(app, truth.concept, name)
    if len(found) > 1:
        raise InvalidInput(
            f"'{name}' may mean {' or '.join(found)}.", advice="Watch one of them by its name."
        )
    if not found:
        _require_known(app, column, name, "concept", "rules list")
    return found[0]


def _require_known(app: App, column: sa.Column[Any], name: str, what: str, command: str) -> None:
    if app.fetch_rows(sa.select(column).where(column == name)):
        return
    known = [str(row[column.name]) for row in app.fetch_rows(sa.select(column))]
    raise NotFound(
        f"There is no {what} '{name}'.",
        advice=f"{suggest_name(name, known)}'assay {command}' lists them.",
    )


def list_watches(app: App) -> list[dict[str, Any]]:
    """The active watches, the oldest first, with the states of their deliveries."""
    watches = _find_watches(app, t.watch.c.active.is_(True))
    columns = (t.delivery.c.watch_id, t.delivery.c.state)
    counted = app.fetch_rows(sa.select(*columns, sa.func.count().label("n")).group_by(*columns))
    counts: dict[str, Counter[str]] = {}
    for row in counted:
        counts.setdefault(row["watch_id"], Counter())[row["state"]] += row["n"]
    return [_describe(watch, counts.get(watch.watch_id, Counter())) for watch in watches]


def show_watch(app: App, watch_id: str) -> dict[str, Any]:
    """One watch with what it reported last, and messages that could not be delivered."""
    watch = require_watch(app, watch_id)
    (found,) = [each for each in list_watches(app) if each["watch_id"] == watch.watch_id]
    query = (
        sa.select(t.delivery, t.notice.c.kind, t.notice.c.title, t.notice.c.url)
        .join(t.notice, t.notice.c.notice_id == t.delivery.c.notice_id)
        .where(t.delivery.c.watch_id == watch.watch_id)
        .order_by(t.delivery.c.created_ms.desc(), t.delivery.c.delivery_id)
        .limit(_RECENT)
    )
    dead = sa.select(t.dead_letter).where(t.dead_letter.c.stage == DELIVER_STAGE)
    failed = [
        {"job_id": row["job_id"], "error": row["error_message"]}
        for row in app.fetch_rows(dead.order_by(t.dead_letter.c.died_ms))
        if row["payload"]["watch_id"] == watch.watch_id
    ]
    return {**found, "recent": app.fetch_rows(query), "failed": failed}


def remove_watch(app: App, watch_id: str) -> Watch:
    """End a watch; what waits for it is not sent any more."""
    watch = require_watch(app, watch_id)
    waiting = (
        t.delivery.c.watch_id == watch.watch_id,
        t.delivery.c.state == DeliveryState.WAITING.value,
    )
    with explain_errors(), app.engine.begin() as connection:
        upsert_records(connection, [watch.model_copy(update={"active": False})])
        dropped = sa.update(t.delivery).where(*waiting)
        connection.execute(dropped.values(state=DeliveryState.DROPPED.value))
    return watch


def require_watch(app: App, watch_id: str) -> Watch:
    """The active watch whose id begins like this."""
    active = _find_watches(app, t.watch.c.active.is_(True))
    found = [watch for watch in active if watch.watch_id.startswith(watch_id)]
    if len(found) == 1:
        return found[0]
    if found and watch_id:
        names = ", ".join(watch.watch_id for watch in found)
        raise InvalidInput(f"'{watch_id}' could be {names}.", advice="Give more of the id.")
    raise NotFound(f"There is no watch '{watch_id}'.", advice=_LIST_ADVICE)


async def test_channels(notifier: Notifier, names: Sequence[str], now_ms: int) -> dict[str, str]:
    """Send a test message to each channel; return what failed, by channel."""
    failures = {}
    message = Message(
        key=derive_id("msg", "test", str(now_ms)),
        subject="Test of a notification channel",
        sentences=("This is a test message from Assay: notifications arrive here.",),
        at_ms=now_ms,
    )
    try:
        for name in names:
            try:
                await notifier.send(name, message)
            except AssayError as error:
                failures[name] = str(error)
    finally:
        await notifier.close()
    return failures


def list_channels(app: App) -> list[str]:
    """The channels of the settings and those that watches use."""
    used = {name for watch in _find_watches(app, t.watch.c.active.is_(True))
            for name in watch.channels}  # fmt: skip
    return sorted(used | app.settings.channels.keys())


def _find_watches(app: App, where: sa.ColumnElement[bool]) -> list[Watch]:
    query = sa.select(t.watch).where(where).order_by(t.watch.c.created_ms, t.watch.c.watch_id)
    return [Watch.from_row(row) for row in app.fetch_rows(query)]


def _describe(watch: Watch, counts: Counter[str]) -> dict[str, Any]:
    return {
        **watch.model_dump(mode="json"),
        "watches": describe_watch(watch),
        "waiting": counts[DeliveryState.WAITING],
        "sent": counts[DeliveryState.SENT],
    }
