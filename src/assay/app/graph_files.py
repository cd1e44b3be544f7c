"""Files as one graph: read, extracted each by itself, and joined."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from assay.app.examine import Examined, examine
from assay.app.graphs import Order, ontology_of
from assay.app.tools import Tools
from assay.errors import AssayError, InvalidInput
from assay.llm.requests.progress import Report
from assay.packs.graph.extracting import Caller, extract
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.ontology.shelf import IndexedOntology, OntologyShelf
from assay.packs.graph.pattern_extractor import GraphExample
from assay.packs.graph.pipeline import Written, joined
from assay.packs.graph.results import GraphResult
from assay.store.snapshots import replace_snapshot


class Desk(Protocol):
    """Whoever carries out orders."""

    async def ontology(self, order: Order) -> IndexedOntology: ...

    async def extract(self, order: Order, on_progress: Report | None = None) -> GraphResult: ...


class BareDesk:
    """Carries out orders without a store and without a model."""

    def __init__(self) -> None:
        self._shelf = OntologyShelf()

    async def ontology(self, order: Order) -> IndexedOntology:
        return await ontology_of(order, self._shelf)

    async def extract(self, order: Order, on_progress: Report | None = None) -> GraphResult:
        """The graph of a text by the extractor without a model."""
        return await extract(
            order.text,
            await self.ontology(order),
            options=order.options,
            learned=order.learned,
            caller=Caller(request_id=order.request_id, on_progress=on_progress),
            name=order.name,
        )


@dataclass(frozen=True, kw_only=True)
class FileGraph:
    """What came of one file: its graph, or the reason why there is none."""

    file: str
    text: str = ""
    result: GraphResult | None = None
    warnings: tuple[str, ...] = ()
    error: AssayError | None = None

    def values(self) -> dict[str, Any]:
        """For a machine; what all files gave together is told once, beside them."""
        file = _as_text(self.file)
        if self.error is not None:
            told = {"code": self.error.code, "message": _as_text(str(self.error))}
            return {"file": file, "error": told}
        assert self.result is not None
        values = self.result.values()
        del values["rdf"]
        return {"file": file, **values, "warnings": [*self.warnings, *values["warnings"]]}


@dataclass(frozen=True, kw_only=True)
class FilesGraph:
    """The graphs of files, and the one that they make together."""

    ontology: Ontology
    files: tuple[FileGraph, ...]
    together: Written

    @property
    def read(self) -> tuple[GraphResult, ...]:
        """What came of the files that could be read."""
        return tuple(file.result for file in self.files if file.result is not None)

    @property
    def is_to_be_written(self) -> bool:
        """A graph of nothing, and one that breaks its shapes, are not."""
        return bool(self.read) and not self.together.violations


async def graph_of_files(
    targets: Sequence[str],
    order: Order,
    desk: Desk,
    tools: Tools,
    *,
    ocr: bool = True,
    on_file: Callable[[str], Report | None] = lambda file: None,
) -> FilesGraph:
    """Every file as a graph of its own, then all as one; what goes wrong with one stays with it.

    `order` tells everything but the text and its name.
    """
    # First: a broken ontology, base or shape is told before any file is read, and paid for.
    indexed = await desk.ontology(order)
    await asyncio.to_thread(joined, [], indexed.ontology, order.options, documents={}, by="")
    files: list[FileGraph] = []
    for target in targets:
        (examined,) = await examine([target], tools, ocr=ocr)
        files.append(await _one(examined, order, desk, on_file(target)))
    results = [file.result for file in files if file.result is not None]
    together = await asyncio.to_thread(
        joined,
        [result.graph for result in results],
        indexed.ontology,
        order.options,
        documents={
            file.result.document: _name(file.file) for file in files if file.result is not None
        },
        by=", ".join(sorted({result.by for result in results})),
    )
    return FilesGraph(ontology=indexed.ontology, files=tuple(files), together=together)


async def _one(
    examined: Examined, order: Order, desk: Desk, on_progress: Report | None
) -> FileGraph:
    if examined.error is not None:
        return FileGraph(file=examined.target, error=examined.error)
    assert examined.reading is not None
    reading = examined.reading
    # Each file is written with the others, so that none is written by itself.
    options = replace(order.options, formats=(), shapes="")
    mine = Order(
        text=reading.text,
        name=_name(examined.target),
        options=options,
        **{name: getattr(order, name) for name in _SHARED},
    )
    try:
        result = await desk.extract(mine, on_progress)
    except AssayError as error:
        return FileGraph(file=examined.target, error=error)
    return FileGraph(
        file=examined.target,
        text=reading.text,
        result=result,
        warnings=(*reading.warnings, *examined.notes),
    )


def _name(target: str) -> str:
    """What a document is called."""
    return _as_text(Path(target).name)


def _as_text(name: str) -> str:
    """A file's name need not be text, yet what is written must be."""
    return name.encode("utf-8", "replace").decode()


_SHARED = ("ontology", "ontology_name", "imports", "use_model", "provider", "learned")


def read_file(path: Path, most: int, what: str) -> bytes:
    """The bytes of a file that a command names."""
    try:
        with path.open("rb") as file:
            # A device or a pipe tells no size beforehand.
            data = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            f"{what} {path} cannot be read: {error.strerror}.",
            advice="Give a file that is there and may be read.",
        ) from error
    if len(data) > most:
        raise InvalidInput(
            f"{what} {path} has more than {most} bytes.", advice="Give a smaller one."
        )
    return data


def refuse_place(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a place that cannot be written, or that holds what is to be read.

    Asked before anything is read, so that nothing is paid for in vain.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder.", advice="Name a file in it.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"{path} cannot be written: there is no folder {path.parent}.", advice="Make it first."
        )
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InvalidInput(f"There is no right to write {path}.", advice="Name another place.")
    if any(path.resolve() == each.resolve() for each in inputs):
        raise InvalidInput(
            f"{path} is one of the files that are read.", advice="Name another place."
        )


def write_file(path: Path, text: str) -> None:
    """Write a whole file or none; a link stays one."""
    replace_snapshot(path.resolve(), [text.encode("utf-8", "replace")])


def examples_in(data: bytes, name: str) -> list[GraphExample]:
    """Examples from lines of JSON: `{"text": …, "triples": [[subject, property, object], …]}`."""
    found: list[GraphExample] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            found.append(
                GraphExample(str(told["text"]), tuple(_triple(each) for each in told["triples"]))
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{name}, line {number}, is no example.",
                advice='Write {"text": "…", "triples": [["subject", "property", "object"]]}.',
            ) from error
    return found


def _triple(told: Any) -> tuple[str, str, str]:
    if isinstance(told, Mapping):
        told = [told["subject"], told["property"], told["object"]]
    subject, predicate, object_ = told
    return str(subject), str(predicate), str(object_)
