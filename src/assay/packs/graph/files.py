"""Files as one graph: read, extracted each by itself, and joined."""

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
    """What came of one file: its graph, or the reason why there is none."""

    file: str
    text: str = ""
    result: GraphResult | None = None
    warnings: tuple[str, ...] = ()
    error: AssayError | None = None

    def to_dict(self) -> dict[str, Any]:
        """For a machine; what all files gave together is told once, beside them."""
        file = _as_text(self.file)
        if self.error is not None:
            told = {"code": self.error.code, "message": _as_text(str(self.error))}
            return {"file": file, "error": told}
        assert self.result is not None
        values = self.result.to_dict()
        del values["rdf"]
        return {"file": file, **values, "warnings": [*self.warnings, *values["warnings"]]}


@dataclass(frozen=True, kw_only=True)
class FileSetGraph:
    """The graphs of files, and the one that they make together."""

    ontology: Ontology
    files: tuple[FileGraph, ...]
    together: WrittenGraph

    @property
    def results(self) -> tuple[GraphResult, ...]:
        """What came of the files that could be read."""
        return tuple(file.result for file in self.files if file.result is not None)

    @property
    def is_writable(self) -> bool:
        """A graph of nothing, and one that breaks its shapes, are not."""
        return bool(self.results) and not self.together.violations


async def build_files_graph(
    targets: Sequence[str],
    order: GraphOrder,
    services: Services,
    *,
    ocr: bool = True,
    on_file: Callable[[str], ProgressListener | None] = lambda file: None,
) -> FileSetGraph:
    """Every file as a graph of its own, then all as one; what goes wrong with one stays with it.

    `order` has everything but the text and its name.
    """
    graphs = services.share(GraphService)
    # First: a broken ontology, base or shape is told before any file is read, and paid for.
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
        # Each file is written with the others, so that none is written by itself.
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
    """What a document is called."""
    return _as_text(Path(target).name)


def _as_text(name: str) -> str:
    """A file's name need not be text, yet what is written must be."""
    return name.encode("utf-8", "replace").decode()


def parse_examples(data: bytes, name: str) -> list[GraphExample]:
    """Examples from lines of JSON: `{"text": …, "triples": [[subject, property, object], …]}`."""
    found: list[GraphExample] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            found.append(
                GraphExample(
                    str(told["text"]), tuple(_parse_triple(each) for each in told["triples"])
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{name}, line {number}, is no example.",
                advice='Write {"text": "…", "triples": [["subject", "property", "object"]]}.',
            ) from error
    return found


def _parse_triple(told: Any) -> tuple[str, str, str]:
    if isinstance(told, Mapping):
        told = [told["subject"], told["property"], told["object"]]
    subject, predicate, object_ = told
    return str(subject), str(predicate), str(object_)
