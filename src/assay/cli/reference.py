"""The reference pages, written from the code: `python -m assay.cli.reference DIR`."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic.fields import FieldInfo
from typer.core import TyperGroup
from typer.main import get_command

from assay.app.contracts import list_declared_stages
from assay.cli.commands import list_commands
from assay.cli.contracts import render_markdown, render_mermaid, render_overview
from assay.cli.dependencies import list_dependencies
from assay.cli.doctor import env_variable_of
from assay.cli.exit_codes import MEANINGS, exit_code_of
from assay.cli.main import program
from assay.errors import AssayError
from assay.errors.faults import FaultKind
from assay.events import Event
from assay.llm.metering.metrics import METRICS
from assay.settings import (
    FILE_NAME,
    ChannelSettings,
    PriceSettings,
    ProviderSettings,
    QueueSettings,
    Settings,
    SettingsGroup,
)
from assay.store.snapshots import replace_snapshot

_NOTE = "<!-- Written by 'python -m assay.cli.reference'; change the code, not this page. -->"


PIPELINE = "<!-- pipeline: written by make docs -->"
END = "<!-- end -->"
"""Between these markers, the README shows the pipeline."""


def render_pages() -> dict[str, str]:
    """File name → text; the same code always gives the same text."""
    writers: dict[str, Callable[[], str]] = {
        "cli.md": _render_cli,
        "settings.md": _render_settings,
        "contracts.md": _render_contracts,
        "errors.md": _render_errors,
        "exits.md": _render_exits,
        "events.md": _render_events,
        "metrics.md": _render_metrics,
        "dependencies.md": _render_dependencies,
    }
    return {name: f"{_NOTE}\n\n{write().strip()}\n" for name, write in writers.items()}


def _render_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = (str(value).replace("|", "\\|").replace("\n", " ") for value in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _render_cli() -> str:
    command = get_command(program)
    context = typer.Context(command, info_name="assay")
    return "# Command line\n\n" + "\n".join(_render_command(command, context))


def _render_command(command: Any, context: Any) -> Iterator[str]:
    """A command's own section, then those of its subcommands."""
    path = context.command_path
    yield f"## `{path}`\n"
    yield f"{_unwrap_text(command.help)}\n"
    yield f"```\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [(f"`{entry[0]}`", entry[1]) for entry in records if entry is not None]
    yield _render_table(["argument or option", "meaning"], rows) + "\n"
    if isinstance(command, TyperGroup):
        for name, below in list_commands(command, context):
            yield from _render_command(below, typer.Context(below, info_name=name, parent=context))


def _unwrap_text(text: str | None) -> str:
    """A docstring with each paragraph on one line."""
    paragraphs = (text or "").strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _render_settings() -> str:
    rows = [
        (
            f"`{name}`",
            _describe_default(info),
            f"`{env_variable_of(name)}`" if env_variable_of(name) else "–",
            info.description,
        )
        for name, info in Settings.model_fields.items()
    ]
    return (
        "# Settings\n\n"
        f"Read from `{FILE_NAME}` in the home, then the environment, then the command line; later "
        "values win. A setting that is not in this table is refused.\n\n"
        + _render_table(["setting", "default", "variable", "meaning"], rows)
        + _render_settings_table("A queue", "queues.NAME", QueueSettings)
        + _render_settings_table("A provider", "providers.NAME", ProviderSettings)
        + _render_settings_table("A price", 'prices."MODEL"', PriceSettings)
        + _render_settings_table("A channel", "channels.NAME", ChannelSettings)
    )


def _render_settings_table(title: str, path: str, kind: type[SettingsGroup]) -> str:
    rows = [
        (f"`{name}`", _describe_default(info), info.description)
        for name, info in kind.model_fields.items()
    ]
    return f"\n\n## {title}\n\nUnder `[{path}]` in `{FILE_NAME}`.\n\n" + _render_table(
        ["setting", "default", "meaning"], rows
    )


def _describe_default(info: FieldInfo) -> str:
    if info.is_required():
        return "must be set"
    value = info.get_default(call_default_factory=True)
    if value is None or value in ("", {}, ()):
        return "–"
    if isinstance(value, tuple):
        parts = (part if isinstance(part, str) else f"{part:g}" for part in value)
        return f"`{', '.join(parts)}`"
    return f"`{value}`"


def _render_contracts() -> str:
    stages = list_declared_stages()
    return (
        "# Contracts\n\nWhat each stage may do; anything not declared here is refused.\n\n"
        f"{render_markdown(stages)}\n\n```mermaid\n{render_mermaid(stages)}\n```"
    )


def _render_errors() -> str:
    # Some errors need more than a message, but their class is enough for the exit code.
    rows = [
        (f"`{kind.code}`", f"{'· ' * depth}{kind.__name__}", kind.error_class.value,
         int(exit_code_of(kind.__new__(kind))), _unwrap_text(kind.__doc__), kind.advice or "–")
        for kind, depth in _walk_errors(AssayError)
    ]  # fmt: skip
    columns = ["code", "error", "class", "exit code", "meaning", "advice"]
    faults = [(f"`{kind.code}`", kind.meaning, kind.advice) for kind in FaultKind]
    return (
        "# Errors\n\n"
        + _render_table(columns, rows)
        + "\n\n## Faults\n\nWhat checks of the store, the audit log and releases find.\n\n"
        + _render_table(["code", "meaning", "advice"], faults)
    )


def _walk_errors(kind: type[AssayError], depth: int = 0) -> Iterator[tuple[type[AssayError], int]]:
    yield kind, depth
    for below in kind.__subclasses__():
        # Packs may derive their own errors; this page lists Assay's.
        if below.__module__.startswith("assay.errors."):
            yield from _walk_errors(below, depth + 1)


def _render_exits() -> str:
    rows = [(int(code), meaning) for code, meaning in MEANINGS.items()]
    return "# Exit codes\n\n" + _render_table(["code", "meaning"], rows)


def _render_events() -> str:
    kinds = [kind for kind in Event.__subclasses__() if kind.__module__ == Event.__module__]
    rows = [
        (f"`{kind.tag}`", kind.__name__, ", ".join(f"`{name}`" for name in kind.model_fields))
        for kind in kinds
    ]
    return (
        "# Events\n\nStored with the change that they describe, in the same transaction.\n\n"
        + _render_table(["tag", "event", "fields"], rows)
    )


def _render_metrics() -> str:
    rows = [
        (f"`{metric.prometheus_name}`", f"`{metric.otel}`", metric.kind.value, f"`{metric.unit}`",
         ", ".join(f"`{label}`" for label in metric.labels) or "–", metric.help)
        for metric in METRICS
    ]  # fmt: skip
    conventions = [(f"`{m.gen_ai}`", f"`{m.otel}`", f"`{m.unit}`") for m in METRICS if m.gen_ai]
    return (
        "# Metrics\n\nMetrics of model calls, for one process each. The labels are the same in "
        "Prometheus and OpenTelemetry.\n\n"
        + _render_table(["Prometheus", "OpenTelemetry", "kind", "unit", "labels", "meaning"], rows)
        + "\n\n## Conventions\n\nOpenTelemetry also receives these histograms, with the attributes "
        "of its GenAI conventions. Tokens are included only if the provider reported them."
        "\n\n" + _render_table(["metric of the conventions", "from", "unit"], conventions)
    )


def _render_dependencies() -> str:
    rows = [
        (f"`{each.name}`", each.versions, each.use, each.licence or "not recorded",
         "yes" if each.is_copyleft else "", each.released or "not stated")
        for each in list_dependencies()
    ]  # fmt: skip
    return (
        "# Dependencies\n\nEvery distribution that Assay pins, with the licence that it states. "
        "NOTICE says what the copyleft licences mean for those who pass Assay on. The last column "
        "is the newest date inside the pinned release; some builders write a fixed one instead.\n\n"
        + _render_table(["name", "version", "for", "licence", "copyleft", "released"], rows)
    )


def with_pipeline(readme: str) -> str:
    """The README with the pipeline as drawn from the contracts of the stages."""
    block = f"{PIPELINE}\n```mermaid\n{render_overview(list_declared_stages())}\n```\n{END}"
    before, _, rest = readme.partition(PIPELINE)
    _, _, after = rest.partition(END)
    return f"{before}{block}{after}"


def main(arguments: Sequence[str]) -> None:
    """Write every page into the folder given first, and the pipeline into a README."""
    if not 1 <= len(arguments) <= 2:
        sys.exit("usage: python -m assay.cli.reference DIR [README]")
    for name, text in render_pages().items():
        path = replace_snapshot(Path(arguments[0]) / name, [text.encode()])
        typer.echo(path)
    for readme in map(Path, arguments[1:]):
        shown = with_pipeline(readme.read_text(encoding="utf-8"))
        typer.echo(replace_snapshot(readme, [shown.encode()]))


if __name__ == "__main__":
    main(sys.argv[1:])
