"""`assay contracts`: prints the declared stages as a table, as Markdown, or as a diagram."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from assay.app.contracts import CORE_GROUPS, group_stages, list_declared_stages
from assay.app.installed_packs import load_all_packs
from assay.cli.rendering import render_table
from assay.cli.session import AsJson, session_of
from assay.engine.contract import QueueLimits, Stage

COLUMNS = (
    "stage", "purpose", "payload", "reads", "writes", "gates", "next", "rate", "batch", "once",
    "uses",
)  # fmt: skip


class ContractFormat(StrEnum):
    """How the contracts are printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    MERMAID = "mermaid"


def contracts(
    ctx: typer.Context,
    form: Annotated[
        ContractFormat, typer.Option("--format", help="How to print them.")
    ] = ContractFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """Show what each stage may read, write and lead to. Needs no home."""
    session = session_of(ctx, as_json)
    stages = list_declared_stages()
    if form is ContractFormat.MARKDOWN:
        session.say(render_markdown(stages))
    elif form is ContractFormat.MERMAID:
        session.say(render_mermaid(stages))
    else:
        rows = [_flatten_contract(stage) for stage in stages]
        session.show(render_table(COLUMNS, [[row[name] for name in COLUMNS] for row in rows]))
    session.print_json([contract_as_json(stage) for stage in stages])


def contract_as_json(stage: Stage) -> dict[str, Any]:
    """A contract as plain values, in a fixed order."""
    return {
        "stage": stage.name,
        "purpose": stage.purpose,
        "payload": stage.payload.__name__,
        "reads": _name_records(stage.reads),
        "writes": _name_records(stage.writes),
        "gates": [gate.name for gate in stage.gates],
        "next": sorted(stage.next),
        "rate": describe_rate(stage.queue),
        "batch": stage.batch,
        "once": stage.once,
        "uses": sorted(stage.uses),
    }


def _flatten_contract(stage: Stage) -> dict[str, Any]:
    """The same, with every list joined into one string."""
    return {
        name: ", ".join(value) if isinstance(value, list) else value
        for name, value in contract_as_json(stage).items()
    }


def _name_records(records: Iterable[type[Any]]) -> list[str]:
    return sorted(record.__name__ for record in records)


def describe_rate(limits: QueueLimits) -> str | None:
    """'20 in 60 s'; None if documents may start at any time."""
    return f"{limits.rate} in {limits.per:g} s" if limits.rate else None


def render_markdown(stages: Sequence[Stage]) -> str:
    """The table for a documentation page."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for stage in stages:
        row = _flatten_contract(stage)
        cells = (str(row[name]) if row[name] not in (None, "") else "–" for name in COLUMNS)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def render_mermaid(stages: Sequence[Stage]) -> str:
    """The diagram, grouped by owner; a run starts at the stages with rounded corners."""
    lines = ["flowchart LR"]
    for group, own in _group(stages).items():
        shapes = "; ".join(f"{s.name}([{s.name}])" if s.entry else s.name for s in own)
        lines += [f"    subgraph {group}", f"        {shapes}", "    end"]
    for stage in stages:
        # An arrow from a stage to itself tells a reader nothing.
        targets = sorted(stage.next - {stage.name})
        if targets:
            lines.append(f"    {stage.name} --> {' & '.join(targets)}")
    return "\n".join(lines)


def render_overview(stages: Sequence[Stage]) -> str:
    """The diagram with one node for each pack, however many stages it has."""
    groups = _group(stages)
    node = {
        stage.name: stage.name if group in CORE_GROUPS else group
        for group, own in groups.items()
        for stage in own
    }
    lines = ["flowchart LR"]
    for group, own in groups.items():
        if group in CORE_GROUPS:
            shapes = "; ".join(f"{s.name}([{s.name}])" if s.entry else s.name for s in own)
            lines += [f"    subgraph {group}", f"        {shapes}", "    end"]
        else:
            lines.append(f"    {group}[[pack {group}]]")
    arrows: dict[str, set[str]] = {}
    for stage in stages:
        arrows.setdefault(node[stage.name], set()).update(node[name] for name in stage.next)
    for start, ends in arrows.items():
        if targets := sorted(ends - {start}):
            lines.append(f"    {start} --> {' & '.join(targets)}")
    return "\n".join(lines)


def _group(stages: Sequence[Stage]) -> dict[str, list[Stage]]:
    return group_stages(stages, load_all_packs().values())
