"""What a person sees of a graph: while it is made, and when it is there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.status import Status
from rich.text import Text

from assay.app.graph_files import FileGraph, FilesGraph
from assay.cli.session import Session
from assay.cli.show import plural, record
from assay.llm.requests.progress import Progress, Report, Step
from assay.packs.graph.model import Literal, Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.results import GraphResult

_SHOWN = 12
"""Relations of a file that are shown; the graph has all."""


@contextmanager
def live(session: Session) -> Iterator[Callable[[str], Report | None]]:
    """A line that moves on a terminal; elsewhere a line for each stage that ended."""
    if session.json:
        yield lambda file: None
        return
    if not session.err.is_terminal:
        yield lambda file: _Told(session, file).report
        return
    with session.err.status("reading …") as status:
        yield lambda file: _Moving(status, file).report


class _Moving:
    def __init__(self, status: Status, file: str) -> None:
        self._status, self._file = status, file

    def report(self, progress: Progress) -> None:
        items = f", {plural(progress.items, 'item')}" if progress.items else ""
        again = f", attempt {progress.attempt}" if progress.attempt > 1 else ""
        self._status.update(Text(f"{self._file}: {progress.stage}{items}{again}"))


class _Told:
    def __init__(self, session: Session, file: str) -> None:
        self._session, self._file = session, file

    def report(self, progress: Progress) -> None:
        if progress.what is Step.ENDED:
            line = (
                f"{self._file}: {progress.stage} {progress.end}, {plural(progress.items, 'item')}"
            )
        elif progress.what is Step.WARNING:
            line = f"{self._file}: {progress.detail}"
        else:
            return
        self._session.err.print(Text(line))


def values_of(found: FilesGraph, out: Path | None) -> dict[str, Any]:
    """What came of the files, for a machine."""
    together = found.together
    return {
        "files": [file.values() for file in found.files],
        "entities": len(together.graph.entities),
        "relations": len(together.graph.relations),
        "conflicts": [c.detail for c in together.graph.conflicts],
        "violations": [f"{v.node} {v.path}: {v.message}" for v in together.violations],
        "out": None if out is None or together.violations else str(out),
        "rdf": together.rdf if out is None else {},
    }


def screen(found: FilesGraph, out: Path | None, picture: Path | None) -> Group:
    """What came of the files, for a person."""
    return Group(*_lines(found, out, picture))


def _lines(found: FilesGraph, out: Path | None, picture: Path | None) -> Iterator[RenderableType]:
    for file in found.files:
        yield from _file_lines(file, found.ontology)
    whole = found.together.graph
    shown: dict[str, Any] = {
        "together": f"{plural(len(whole.entities), 'entity', 'entities')}, "
        f"{plural(len(whole.relations), 'relation')}",
    }
    for number, conflict in enumerate(whole.conflicts[:_SHOWN], 1):
        shown["conflict" if number == 1 else f"conflict {number}"] = conflict.detail
    for number, broken in enumerate(found.together.violations[:_SHOWN], 1):
        shown["violation" if number == 1 else f"violation {number}"] = (
            f"{broken.node} {broken.path}: {broken.message}"
        )
    if out is not None:
        shown["graph"] = (
            "not written: it does not keep to the shapes" if found.together.violations else str(out)
        )
    if picture is not None:
        shown["picture"] = str(picture)
    yield record(shown)


def _file_lines(file: FileGraph, ontology: Ontology) -> Iterator[RenderableType]:
    yield Text(file.file, style="bold")
    if file.error is not None:
        yield record({"refused": str(file.error)})
        yield Text("")
        return
    result = file.result
    assert result is not None
    shown: dict[str, Any] = {
        "result": f"{result.completeness.value}, by {result.by}"
        + (", from the store" if result.stored else ""),
        "found": f"{plural(len(result.entities), 'entity', 'entities')}, "
        f"{plural(len(result.relations), 'relation')}, {len(result.graph.refused)} refused",
    }
    if result.tokens.used:
        shown["tokens"] = f"{result.tokens.used} of {result.tokens.allocated}"
    for failure in result.failed_stages:
        shown[failure.stage] = failure.reason
    for number, warning in enumerate((*file.warnings, *result.warnings), 1):
        shown["warning" if number == 1 else f"warning {number}"] = warning
    yield record(shown)
    yield from _relation_lines(result, ontology)
    yield Text("")


def _relation_lines(result: GraphResult, ontology: Ontology) -> Iterator[Text]:
    names = {entity.id: entity.name for entity in result.entities}
    standing = [r for r in result.relations if r.verdict is not Verdict.UNGROUNDED]
    for relation in standing[:_SHOWN]:
        known = ontology.properties.get(relation.predicate)
        label = relation.predicate if known is None else known.label
        end = relation.object
        value = (
            f"{end.value} {end.unit}".strip() if isinstance(end, Literal) else names.get(end, end)
        )
        line = Text(f"{names.get(relation.subject, relation.subject)} — {label} → {value}")
        line.append(f"  {relation.verdict.value}, {relation.confidence:.0%}", style="dim")
        yield line
        yield Text(f"  “{' '.join(relation.quotes[0].words.split())}”", style="dim")
    if len(standing) > _SHOWN:
        yield Text(f"… and {len(standing) - _SHOWN} more", style="dim")
