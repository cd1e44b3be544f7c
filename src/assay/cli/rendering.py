"""How jobs, runs, queues and findings are shown to a person."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.checks import FAIL, OK, WARN, Finding
from assay.app.status import describe_waiting
from assay.cli.progress import Counts
from assay.cli.session import Session
from assay.engine.jobs import CANCELLED, DEAD, DISCARDED, DONE, QUEUED
from assay.errors.faults import Fault
from assay.sdk.screens import (
    StackingTable,
    format_counts,
    format_time,
    pluralize,
    render_cell,
    render_fields,
    render_table,
)

__all__ = [
    "Columns",
    "describe_fault",
    "describe_missing_pack",
    "describe_summary",
    "explain_empty",
    "findings_as_json",
    "format_counts",
    "format_time",
    "pluralize",
    "render_cell",
    "render_fields",
    "render_findings",
    "render_rows",
    "render_stages",
    "render_status",
    "render_table",
    "report_list",
]

Column = str | Callable[[Mapping[str, Any]], Any]
"""The name of a field of each row, or a function of the row."""
Columns = Mapping[str, Column]
"""Title → what is below it."""

_STATES = (DONE, QUEUED, DEAD, CANCELLED, DISCARDED)
_STYLES = {OK: "green", WARN: "yellow", FAIL: "red"}


def describe_summary(summary: Mapping[str, Any]) -> str:
    """What runs brought: '12 new, 3 changed, 1 gone; 40 facts, 6 rules, 2 questions; 1 waiting:
    daily token cap reached'."""
    documents = ", ".join(f"{summary[name]} {name}" for name in ("new", "changed", "gone"))
    found = ", ".join(pluralize(summary[f"{name}s"], name) for name in ("fact", "rule", "question"))
    waiting = [f"{entry['documents']} waiting: {entry['reason']}" for entry in summary["waiting"]]
    return "; ".join([documents, found, *waiting]) + "."


def render_rows(rows: Iterable[Mapping[str, Any]], columns: Columns) -> StackingTable:
    """A table of records; a field whose name ends in _ms is shown as a time."""
    cells = [[_get_cell(row, column) for column in columns.values()] for row in rows]
    return render_table(list(columns), cells)


def _get_cell(row: Mapping[str, Any], column: Column) -> Any:
    if not isinstance(column, str):
        return column(row)
    return format_time(row[column]) if column.endswith("_ms") else row[column]


def report_list(
    session: Session,
    found: Sequence[Mapping[str, Any]],
    columns: Columns,
    empty: str,
    *,
    left_out: int = 0,
    values: Any = None,
) -> None:
    """Print what a command lists: a table, or a sentence if it is empty; with --json, the values.

    `left_out` is how many more there are than the limit allows. `values` are printed as JSON
    instead of the rows.
    """
    if found:
        session.show(render_rows(found, columns))
    else:
        session.say(empty)
    session.report_left_out(left_out)
    session.print_json(found if values is None else values)


def explain_empty(what: str, *filters: object, advice: str = "") -> str:
    """Why a list is empty: nothing matches its filters, or there is nothing yet."""
    return f"No {what} match." if any(filters) else f"No {what} yet. {advice}".rstrip()


def render_stages(
    stages: Sequence[str], jobs: Counts, notes: Counts, *, title: str = ""
) -> StackingTable:
    """What a run did, in each stage that had something to do."""
    stages = [name for name in stages if jobs.get(name)]
    shown = [state for state in _STATES if any(state in jobs.get(name, {}) for name in stages)]
    rows = [
        [
            name,
            *(jobs.get(name, {}).get(state, 0) for state in shown),
            format_counts(notes.get(name, {})),
        ]
        for name in stages
    ]
    return render_table(["stage", *shown, "outcome"], rows, title=title)


def render_status(status: Mapping[str, Any]) -> RenderableType:
    """The state of everything."""
    counted = ("waiting", "delayed", "running", "dead")
    queues = render_table(
        ["stage", *counted],
        [[name, *(queue[key] for key in counted)] for name, queue in status["queues"].items()],
    )
    workers = ", ".join(
        f"{w['worker_id']} {w['state']} (process {w['pid']} on {w['host']})"
        for w in status["workers"]
    )
    facts = render_fields(
        {
            "home": status["home"],
            "store": f"{status['database']}, profile {status['profile']}",
            "workers": workers or "none",
            "open runs": ", ".join(status["open_runs"]) or "none",
            "documents": status["documents"],
            "evidence": status["evidence"],
            "candidates": format_counts(status["candidates"]),
            **_describe_waiting(status),
            "routing": format_counts(status["routing"]),
            **_describe_results(status),
            "dead letters": status["dead_letters"],
        }
    )
    return Group(facts, queues)


def _describe_results(status: Mapping[str, Any]) -> dict[str, Any]:
    """Facts, rules, conflicts and releases; no line for what there is none of."""
    releases = ", ".join(f"{pack} {version}" for pack, version in status["releases"].items())
    lines = {
        "facts": status["facts"],
        "rules": format_counts(status["rules"]) if status["rules"] else "",
        "conflicts": format_counts(status["conflicts"]) if status["conflicts"] else "",
        "releases": releases,
    }
    return {name: line for name, line in lines.items() if line}


def _describe_waiting(status: Mapping[str, Any]) -> dict[str, str]:
    """What waits, and why or for whom; no line if nothing does."""
    lines = {
        "waiting": "; ".join(
            f"{count}: {describe_waiting(name)}" for name, count in status["blocked"].items()
        ),
        "paused": ", ".join(status["paused_sources"]),
        "alarms": "; ".join(f"{name} {alarm}" for name, alarm in status["alarms"].items()),
        "questions": format_counts(status["open_questions"]) if status["open_questions"] else "",
    }
    return {name: line for name, line in lines.items() if line}


def render_findings(session: Session, findings: Iterable[Finding]) -> RenderableType:
    """One line for each finding, with advice if something is wrong."""
    lines = []
    for finding in findings:
        line = Text()
        line.append(f"{finding.level.value:<5}", style=_STYLES[finding.level])
        line.append(f"{finding.name}: {finding.what}")
        if finding.advice:
            line.append(f" {session.complete_hints(finding.advice)}", style="bold")
        lines.append(line)
    return Text("\n").join(lines)


def describe_missing_pack(reason: str) -> str:
    """What it means that no pack reads the documents of a source, and what to do."""
    return (
        f"{reason}, so its documents are stored but not read. "
        "Name a pack with 'assay sources add --pack'."
    )


def describe_fault(fault: Fault) -> str:
    """One line for a fault: what it is, what to do, and its code."""
    return f"fail  {fault}. {fault.kind.advice} ({fault.code})"


def findings_as_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """The findings as JSON."""
    return [
        {"name": f.name, "level": f.level.value, "what": f.what, "advice": f.advice}
        for f in findings
    ]
