"""Rendering: what a person sees of jobs, runs, queues and findings."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.app.checks import Finding, Level
from assay.cli.progress import Counts
from assay.engine.jobs import CANCELLED, DEAD, DISCARDED, DONE, QUEUED

_STATES = (DONE, QUEUED, DEAD, CANCELLED, DISCARDED)
_NAME_WIDTH = 48
_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}


def moment(ms: int | None) -> str:
    """A time in UTC, to the second."""
    if ms is None:
        return "-"
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(ms / 1000))


def cell(value: Any) -> Text:
    """Any value as it stands, never as markup."""
    if value is None or value == "":
        return Text("-", style="dim")
    if isinstance(value, Text):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return cell(", ".join(sorted(str(entry) for entry in value)))
    return Text(str(value))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> Table:
    """A plain table; numbers stand to the right, long words are folded and never cut."""
    kept = [list(row) for row in rows]
    made = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(kept) and all(isinstance(row[index], int | float) for row in kept)
        # The name of a thing is copied from the first column; the others give way to it.
        longest = max((len(str(row[0])) for row in kept), default=0) if index == 0 else 0
        made.add_column(
            name,
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=min(longest, _NAME_WIDTH) or None,
        )
    for row in kept:
        made.add_row(*(cell(value) for value in row))
    return made


def record(fields: Mapping[str, Any]) -> Table:
    """One thing, a field a line."""
    made = Table(box=None, show_header=False, pad_edge=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in fields.items():
        if name.endswith("_ms") and (value is None or isinstance(value, int)):
            name, value = name.removesuffix("_ms"), moment(value)
        if isinstance(value, dict):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        made.add_row(name, cell(value))
    return made


def plural(count: int, what: str, many: str = "") -> str:
    """'1 job', '2 jobs', '2 entities'."""
    return f"{count} {what}" if count == 1 else f"{count} {many or what + 's'}"


def listed(counts: Mapping[str, int]) -> str:
    """'done 3, queued 1'."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def stage_table(stages: Sequence[str], jobs: Counts, notes: Counts, *, title: str = "") -> Table:
    """What a run did, stage by stage."""
    shown = [state for state in _STATES if any(state in jobs.get(name, {}) for name in stages)]
    rows = [
        [name, *(jobs.get(name, {}).get(state, 0) for state in shown), listed(notes.get(name, {}))]
        for name in stages
    ]
    return table(["stage", *shown, "what became of the attempts"], rows, title=title)


def status_screen(status: Mapping[str, Any]) -> RenderableType:
    """Where everything stands."""
    queues = table(
        ["stage", "waiting", "delayed", "running", "dead"],
        [
            [name, q["waiting"], q["delayed"], q["running"], q["dead"]]
            for name, q in status["queues"].items()
        ],
    )
    workers = ", ".join(
        f"{w['worker_id']} {w['state']} (process {w['pid']} on {w['host']})"
        for w in status["workers"]
    )
    facts = record(
        {
            "home": status["home"],
            "store": f"{status['database']}, profile {status['profile']}",
            "workers": workers or "none",
            "open runs": ", ".join(status["open_runs"]) or "none",
            "documents": status["documents"],
            "evidence": status["evidence"],
            "candidates": listed(status["candidates"]),
            **_waiting(status),
            "routing": listed(status["routing"]),
            **_found(status),
            "dead letters": status["dead_letters"],
        }
    )
    return Group(facts, queues)


def _found(status: Mapping[str, Any]) -> dict[str, Any]:
    """What came of it; no line where nothing did."""
    releases = ", ".join(f"{pack} {version}" for pack, version in status["releases"].items())
    lines = {
        "facts": status["facts"],
        "rules": listed(status["rules"]) if status["rules"] else "",
        "conflicts": listed(status["conflicts"]) if status["conflicts"] else "",
        "releases": releases,
    }
    return {name: line for name, line in lines.items() if line}


def _waiting(status: Mapping[str, Any]) -> dict[str, str]:
    """What waits, and for whom; no line where nothing does."""
    lines = {
        "blocked": listed(status["blocked"]) if status["blocked"] else "",
        "paused": ", ".join(status["paused_sources"]),
        "alarms": "; ".join(f"{name} {told}" for name, told in status["alarms"].items()),
        "questions": listed(status["open_questions"]) if status["open_questions"] else "",
    }
    return {name: line for name, line in lines.items() if line}


def finding_lines(findings: Iterable[Finding]) -> RenderableType:
    """One line for each finding, with what to do where it is not well."""
    lines = []
    for finding in findings:
        line = Text()
        line.append(f"{finding.level.value:<5}", style=_STYLES[finding.level])
        line.append(f"{finding.name}: {finding.what}")
        if finding.advice:
            line.append(f" {finding.advice}", style="bold")
        lines.append(line)
    return Text("\n").join(lines)


def finding_values(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """The same for a machine."""
    return [
        {"name": f.name, "level": f.level.value, "what": f.what, "advice": f.advice}
        for f in findings
    ]
