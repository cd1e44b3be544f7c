"""Acts in the console: what their provisions said when, and the words that changed them."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from assay.packs.regulatory.act_histories import read_act_history
from assay.packs.regulatory.questions import AMENDMENT
from assay.packs.regulatory.records import ActAmendment, ActText
from assay.sdk.diffs import compare_words
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import Page
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.records import ReviewRequest
from assay.sdk.services import Services

if TYPE_CHECKING:
    from assay.packs.regulatory.acts.provision_history import ProvisionVersion

_SHOWN = 100
_MOST_PROVISIONS = 300
"""How many provisions of an act are shown at a time."""


def pages() -> tuple[Page, ...]:
    """The pages of this pack."""
    return (
        Page(path="/acts", title="Acts", handler=list_acts),
        Page(path="/acts/{source}/{act_key:path}", title="An act", handler=show_act),
        Page(path="/amendments", title="Amendments", handler=list_amendments),
    )


def list_acts(request: ConsoleRequest, services: Services) -> ConsolePage:
    """Every act with the number of its versions and amendments."""
    words, first = request.query.get("q", "").casefold().split(), _read_first(request)
    texts = services.read_records(ActText)
    amended = Counter((row.source_slug, row.act_key) for row in services.read_records(ActAmendment))
    versions = Counter((row.source_slug, row.act_key) for row in texts)
    titles = {(row.source_slug, row.act_key): row.title for row in texts}
    found = [
        {"source": key[0], "act_key": key[1], "title": title,
         "versions": versions[key], "amendments": amended[key]}
        for key, title in sorted(titles.items(), key=lambda entry: (entry[1].casefold(), entry[0]))
        if all(word in title.casefold() for word in words)
    ]  # fmt: skip
    return ConsolePage(
        "acts.html",
        {"acts": found[first : first + _SHOWN], "q": request.query.get("q", ""),
         "next": first + _SHOWN if len(found) > first + _SHOWN else None, "total": len(found)},
    )  # fmt: skip


def list_amendments(request: ConsoleRequest, services: Services) -> ConsolePage:
    """Which texts amend which acts, and the instructions that wait for a person."""
    first = _read_first(request)
    titles = {(r.source_slug, r.act_key): r.title for r in services.read_records(ActText)}
    rows = sorted(services.read_records(ActAmendment), key=lambda r: (r.act_name, r.evidence_id))
    questions = services.read_last(
        ReviewRequest, "created_ms", _SHOWN, subject_kind=AMENDMENT, state="OPEN"
    )
    return ConsolePage(
        "amendments.html",
        {
            "amendments": [
                {"row": row, "title": titles.get((row.source_slug, row.act_key))}
                for row in rows[first : first + _SHOWN]
            ],
            "next": first + _SHOWN if len(rows) > first + _SHOWN else None,
            "questions": questions,
        },
    )


async def show_act(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The provisions of an act on a day, and each change with the words that made it."""
    today = datetime.fromtimestamp(services.clock.now_ms() / 1000, UTC).date()
    day = _read_day(request.query.get("on", ""), today)
    source, act_key = request.path["source"], request.path["act_key"]
    row, history = await read_act_history(services, act_key, source)
    own = await asyncio.to_thread(
        services.read_records, ActText, source_slug=source, act_key=row.act_key
    )
    of_act = {text.evidence_id for text in own}
    changes, standing = await asyncio.to_thread(_arrange, history, day, of_act)
    return ConsolePage(
        "act.html",
        {
            "act": row,
            "day": day,
            "changes": changes[:_MOST_PROVISIONS],
            "more_changes": max(0, len(changes) - _MOST_PROVISIONS),
            "provisions": standing[:_MOST_PROVISIONS],
            "more": max(0, len(standing) - _MOST_PROVISIONS),
        },
    )


def _arrange(
    history: "Iterable[ProvisionVersion]", day: str, of_act: set[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The changes, the latest first, and the wordings of a day."""
    changes: list[dict[str, Any]] = []
    standing: list[dict[str, Any]] = []
    for path, group in groupby(history, key=lambda one: one.provision.path):
        wordings = list(group)
        standing += [
            {"path": path, "text": one.text, "period": _describe(one),
             "certain": one.is_certain_on(day), "wordings": len(wordings)}
            for one in wordings
            if one.may_apply_on(day)
        ]  # fmt: skip
        changes += _list_changes(path, wordings, of_act)
    changes.sort(key=lambda change: (change["day"], change["path"]), reverse=True)
    return changes, standing


def _list_changes(
    path: str, wordings: "Sequence[ProvisionVersion]", of_act: set[str]
) -> Iterable[dict[str, Any]]:
    for before, after in pairwise(wordings):
        yield {
            "path": path,
            "day": after.start,
            "since": after.start_since,
            "kind": after.came_about.value,
            "pieces": compare_words(before.text, after.text),
            "evidence": [key for key in after.sources if key not in of_act] or list(after.sources),
        }
    last = wordings[-1]
    if last.until:
        yield {
            "path": path,
            "day": last.until,
            "since": last.until_since,
            "kind": "ended",
            "pieces": compare_words(last.text, ""),
            "evidence": list(last.sources),
        }


def _describe(one: "ProvisionVersion") -> str:
    first = f"from {one.start}" if one.start else "since before the first known version"
    return f"{first} until {one.until}" if one.until else first


def _read_day(text: str, today: date) -> str:
    if not text.strip():
        return today.isoformat()
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError as error:
        raise InvalidInput(f"'{text}' is not a valid date.", advice="Use YYYY-MM-DD.") from error


def _read_first(request: ConsoleRequest) -> int:
    given = request.query.get("first", "0")
    return int(given[:9]) if given.isascii() and given.isdecimal() else 0
