"""Files as one graph: each is read and extracted separately, then all are joined."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.pattern_extractor import GraphExample
from assay.packs.graph.pipeline import WrittenGraph, join_and_write
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder, GraphService
from assay.sdk.errors import AssayError, InvalidInput
from assay.sdk.models import ProgressListener
from assay.sdk.reading import FileReading
from assay.sdk.services import Services


@dataclass(frozen=True, kw_only=True)
class FileGraph:
    """The result for one file: its graph, or why there is none."""

    file: str
    text: str = ""
    result: GraphResult | None = None
    warnings: tuple[str, ...] = ()
    error: AssayError | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; the combined graph is reported once, next to the files."""
        file = _as_text(self.file)
        if self.error is not None:
            error = {"code": self.error.code, "message": _as_text(str(self.error))}
            return {"file": file, "error": error}
        assert self.result is not None
        values = self.result.to_dict()
        del values["rdf"]
        return {"file": file, **values, "warnings": [*self.warnings, *values["warnings"]]}


@dataclass(frozen=True, kw_only=True)
class FileSetGraph:
    """The graphs of files, and their combined graph."""

    ontology: Ontology
    files: tuple[FileGraph, ...]
    together: WrittenGraph

    @property
    def results(self) -> tuple[GraphResult, ...]:
        """The results of the files that could be read."""
        return tuple(file.result for file in self.files if file.result is not None)

    @property
    def is_writable(self) -> bool:
        """Whether there is a graph and it conforms to its shapes."""
        return bool(self.results) and not self.together.violations


async def build_files_graph(
    targets: Sequence[str],
    order: GraphOrder,
    services: Services,
    *,
    ocr: bool = True,
    on_file: Callable[[str], ProgressListener | None] = lambda file: None,
) -> FileSetGraph:
    """Build a graph of each file, then one of all; an error in one file does not affect the others.

    `order` has everything but the text and its name.
    """
    graphs = services.share(GraphService)
    # First, to report a broken ontology, base or shape before any file is read and paid for.
    indexed = await graphs.read_ontology(order)
    await asyncio.to_thread(
        join_and_write, [], indexed.ontology, order.options, documents={}, by=""
    )
    files: list[FileGraph] = []
    for target in targets:
        (read,) = await services.read_files([target], ocr=ocr)
        files.append(await _extract_file(read, order, graphs, on_file(target)))
    results = [file.result for file in files if file.result is not None]
    together = await asyncio.to_thread(
        join_and_write,
        [result.graph for result in results],
        indexed.ontology,
        order.options,
        documents={
            file.result.document: _name_document(file.file)
            for file in files
            if file.result is not None
        },
        by=", ".join(sorted({result.by for result in results})),
    )
    return FileSetGraph(ontology=indexed.ontology, files=tuple(files), together=together)


async def _extract_file(
    read: FileReading, order: GraphOrder, graphs: GraphService, on_progress: ProgressListener | None
) -> FileGraph:
    if read.error is not None:
        return FileGraph(file=read.target, error=read.error)
    assert read.reading is not None
    mine = replace(
        order,
        text=read.reading.text,
        name=_name_document(read.target),
        # The files are written together, so none is written separately.
        options=replace(order.options, formats=(), shapes=""),
        request_id=uuid4().hex,
    )
    try:
        result = await graphs.extract(mine, on_progress)
    except AssayError as error:
        return FileGraph(file=read.target, error=error)
    return FileGraph(
        file=read.target,
        text=read.reading.text,
        result=result,
        warnings=(*read.reading.warnings, *read.notes),
    )


def _name_document(target: str) -> str:
    """Name a document after its file."""
    return _as_text(Path(target).name)


def _as_text(name: str) -> str:
    """Make a file name valid text: a name need not be, but output must be."""
    return name.encode("utf-8", "replace").decode()


def parse_examples(data: bytes, name: str) -> list[GraphExample]:
    """Parse JSON lines like `{"text": …, "triples": [[subject, property, object], …]}`."""
    found: list[GraphExample] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            found.append(
                GraphExample(
                    str(values["text"]),
                    tuple(_parse_triple(each) for each in values["triples"]),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{name}, line {number}, is not a valid example.",
                advice='Write {"text": "…", "triples": [["subject", "property", "object"]]}.',
            ) from error
    return found


def _parse_triple(values: Any) -> tuple[str, str, str]:
    if isinstance(values, Mapping):
        values = [values["subject"], values["property"], values["object"]]
    subject, predicate, object_ = values
    return str(subject), str(predicate), str(object_)
