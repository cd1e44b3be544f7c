"""What the terminal shows of a graph: progress while it is built, then the result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unicodedata import category

from rich.console import Group, RenderableType
from rich.status import Status
from rich.text import Text

from assay.packs.graph.files import FileGraph, FileSetGraph
from assay.packs.graph.model import DETERMINISTIC, Graph, Literal, RelationVerdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.results import GraphResult, Violation
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.commands import CommandSession, pluralize, render_fields
from assay.sdk.models import ProgressKind, ProgressListener, RequestProgress

_MARK = "\N{REPLACEMENT CHARACTER}"
_ODD = ("Cc", "Cs")
"""Control characters and lone surrogates, which no terminal accepts."""
_SAID: Mapping[GraphCompleteness, str] = MappingProxyType(
    {
        GraphCompleteness.COMPLETE: "complete",
        GraphCompleteness.PARTIAL_ENTITY_ONLY: "partial (entities only)",
        GraphCompleteness.PARTIAL_EARLY_EXIT: "partial (ended early)",
        GraphCompleteness.FALLBACK_CACHE: "partial (a fallback replaced a step)",
        GraphCompleteness.EMPTY: "empty",
    }
)
_QUOTES = 2
"""Quotes shown per relation: a second one may name what the first calls *it*."""
_SHOWN = 12
"""Relations shown per file; the graph has all."""


@contextmanager
def show_progress(session: CommandSession) -> Iterator[Callable[[str], ProgressListener | None]]:
    """Show a live status line on a terminal, otherwise a line for each finished step."""
    if session.json:
        yield lambda file: None
        return
    if not session.err.is_terminal:
        yield lambda file: _LineProgress(session, to_one_line(file)).report
        return
    with session.err.status("reading …") as status:
        yield lambda file: _LiveProgress(status, to_one_line(file)).report


class _LiveProgress:
    def __init__(self, status: Status, file: str) -> None:
        self._status, self._file = status, file

    def report(self, progress: RequestProgress) -> None:
        items = f", {pluralize(progress.items, 'item')}" if progress.items else ""
        again = f", attempt {progress.attempt}" if progress.attempt > 1 else ""
        self._status.update(Text(f"{self._file}: {progress.step}{items}{again}"))


class _LineProgress:
    def __init__(self, session: CommandSession, file: str) -> None:
        self._session, self._file = session, file

    def report(self, progress: RequestProgress) -> None:
        if progress.what is ProgressKind.ENDED:
            line = (
                f"{self._file}: {progress.step} {progress.end.replace('_', ' ')}, "
                f"{pluralize(progress.items, 'item')}"
            )
        elif progress.what is ProgressKind.WARNING:
            line = f"{self._file}: {progress.detail}"
        elif progress.what is ProgressKind.RETRY:
            line = f"{self._file}: retrying {progress.step}, attempt {progress.attempt}"
        else:
            return
        self._session.err.print(Text(line))


def build_values(found: FileSetGraph, out: Path | None, picture: Path | None) -> dict[str, Any]:
    """Return the results of the files as JSON values."""
    together = found.together
    return {
        "files": [file.to_dict() for file in found.files],
        "entities": len(together.graph.entities),
        "relations": len(together.graph.relations),
        "conflicts": [c.detail for c in together.graph.conflicts],
        "violations": [f"{v.node} {v.path}: {v.message}" for v in together.violations],
        "out": str(out) if out is not None and found.is_writable else None,
        "picture": str(picture) if picture is not None and found.results else None,
        "rdf": together.rdf if out is None else {},
    }


def render_screen(found: FileSetGraph, out: Path | None, picture: Path | None) -> Group:
    """Render the results of the files for a person."""
    return Group(*_render_lines(found, out, picture))


def _render_lines(
    found: FileSetGraph, out: Path | None, picture: Path | None
) -> Iterator[RenderableType]:
    for file in found.files:
        yield from _render_file(file, found.ontology)
    whole = found.together.graph
    shown: dict[str, Any] = {}
    if len(found.files) > 1:
        shown["together"] = _describe_counts(whole)
    # The warnings of an ontology are the same for every file.
    shown |= _number_fields("ontology", found.ontology.warnings)
    shown |= _number_fields("conflict", [conflict.detail for conflict in whole.conflicts])
    shown |= _number_fields(
        "violation", [_describe_violation(each, found) for each in found.together.violations]
    )
    if out is not None:
        shown["graph"] = str(out) if found.is_writable else _explain_unwritten(found)
    if picture is not None:
        shown["picture"] = str(picture) if found.results else _explain_unwritten(found)
    if any(result.completeness is not GraphCompleteness.COMPLETE for result in found.results):
        shown["what next"] = "Run it again: complete results are reused, the rest is read again."
    if shown:
        yield render_fields(shown)


def _render_file(file: FileGraph, ontology: Ontology) -> Iterator[RenderableType]:
    yield Text(to_one_line(file.file), style="bold")
    if file.error is not None:
        yield render_fields({"refused": to_one_line(str(file.error))})
        yield Text("")
        return
    result = file.result
    assert result is not None
    by = "without a model" if result.by == DETERMINISTIC else f"by {result.by}"
    shown: dict[str, Any] = {
        "result": f"{_SAID[result.completeness]}, {by}"
        + (", from the store" if result.stored else ""),
        "found": _describe_counts(result.graph),
    }
    if used := result.tokens.used:
        now = f"{used} of {result.tokens.allocated}"
        shown["tokens"] = f"none; {used} when it was read" if result.stored else now
    shown |= _number_fields(
        "failed", [f"{each.stage}: {each.reason}" for each in result.failed_stages]
    )
    own = [each for each in result.warnings if each not in ontology.warnings]
    shown |= _number_fields("warning", [*file.warnings, *own])
    shown |= _number_fields(
        "refused", [f"{each.claim}: {each.detail}" for each in result.graph.refused]
    )
    yield render_fields(shown)
    yield from _render_relations(result, ontology)
    yield Text("")


def _describe_counts(graph: Graph) -> str:
    """Count what is in a graph; relations that the text does not support are not written."""
    ungrounded = sum(each.verdict is RelationVerdict.UNGROUNDED for each in graph.relations)
    counted = [
        pluralize(len(graph.entities), "entity", "entities"),
        pluralize(len(graph.relations) - ungrounded, "relation"),
    ]
    counted += [f"{ungrounded} left out, not supported by the text"] if ungrounded else []
    return ", ".join(counted)


def _number_fields(name: str, lines: Sequence[str]) -> dict[str, str]:
    """Return a numbered field for each line, the first without a number; of many, the first few."""
    shown = {
        name if number == 1 else f"{name} {number}": to_one_line(line)
        for number, line in enumerate(lines[:_SHOWN], 1)
    }
    if len(lines) > _SHOWN:
        shown[f"{name} …"] = f"and {len(lines) - _SHOWN} more; --json has all"
    return shown


def _describe_violation(violation: Violation, found: FileSetGraph) -> str:
    """Describe a violation with the names used in the text and the ontology."""
    names = {entity.id: entity.name for entity in found.together.graph.entities}
    node = names.get(violation.node.rpartition("/")[2], violation.node)
    known = found.ontology.properties.get(violation.path)
    path = violation.path if known is None else known.label
    return f"{node}, {path}: {violation.message}" if path else f"{node}: {violation.message}"


def _explain_unwritten(found: FileSetGraph) -> str:
    if not found.results:
        return "not written: nothing to write"
    return "not written: it violates the shapes"


def to_one_line(words: str) -> str:
    """Put text on one line; replace what a terminal cannot show with a mark."""
    folded = " ".join(words.split())
    return "".join(_MARK if category(each) in _ODD else each for each in folded)


def _render_relations(result: GraphResult, ontology: Ontology) -> Iterator[Text]:
    names = {entity.id: entity.name for entity in result.entities}
    supported = [r for r in result.relations if r.verdict is not RelationVerdict.UNGROUNDED]
    for relation in supported[:_SHOWN]:
        known = ontology.properties.get(relation.predicate)
        label = relation.predicate if known is None else known.label
        end = relation.object
        value = (
            f"{end.value} {end.unit}".strip() if isinstance(end, Literal) else names.get(end, end)
        )
        subject = names.get(relation.subject, relation.subject)
        line = Text(to_one_line(f"{subject} — {label} → {value}"))
        line.append(f"  {relation.verdict.value}, {relation.confidence:.0%}", style="dim")
        yield line
        for quote in relation.quotes[:_QUOTES]:
            yield Text(f"  “{to_one_line(quote.words)}”", style="dim")
    if len(supported) > _SHOWN:
        yield Text(f"… and {len(supported) - _SHOWN} more", style="dim")
