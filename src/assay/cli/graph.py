"""`assay graph`: text and an ontology in, a cited knowledge graph out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from assay.app.examine import examine
from assay.app.graph_files import (
    BareDesk,
    Desk,
    FileGraph,
    FilesGraph,
    examples_in,
    graph_of_files,
    read_file,
)
from assay.app.graphs import GraphDesk, Order
from assay.app.tools import Tools, tools_of
from assay.cli.exits import ExitCode
from assay.cli.graph_show import live, screen, values_of
from assay.cli.session import AsJson, Session, session_of
from assay.cli.show import record
from assay.errors import from_os_error
from assay.model.hashes import content_hash
from assay.packs.graph.model import Graph
from assay.packs.graph.ontology.limits import OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.options import Options
from assay.packs.graph.picture import page, svg
from assay.packs.graph.plain import Learned, learned
from assay.packs.graph.results import GraphResult
from assay.packs.graph.writing import quotes_hold

_MOST_EXAMPLES = 50_000_000
_FORMATS = {".ttl": "turtle", ".nt": "ntriples", ".jsonld": "jsonld", ".json": "jsonld"}

graph = typer.Typer(
    help="Knowledge graphs: text and an ontology in, entities and relations with quotes out.",
    no_args_is_help=True,
)

OntologyFile = Annotated[
    Path, typer.Option("--ontology", help="The ontology: Turtle, RDF/XML, JSON-LD or N-Triples.")
]
Imports = Annotated[
    list[str] | None,
    typer.Option("--import", help="IRI=FILE: what the ontology imports; nothing is fetched."),
]


@graph.command()
def extract(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(help="Files, or addresses to fetch.")],
    ontology: OntologyFile,
    out: Annotated[
        Path | None, typer.Option("--out", help="The graph: .ttl, .nt or .jsonld.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="A page (.html) or a picture (.svg) of it.")
    ] = None,
    model: Annotated[bool, typer.Option(help="Ask a model where one is configured.")] = True,
    provider: Annotated[
        str | None, typer.Option("--provider", help="Who is asked; else the preferred one.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=0, help="What each part of a text may cost.")
    ] = None,
    imports: Imports = None,
    examples: Annotated[
        Path | None,
        typer.Option("--examples", help="Lines of JSON with text and triples to learn cues from."),
    ] = None,
    shapes: Annotated[
        Path | None, typer.Option("--shapes", help="SHACL shapes that the graph must keep to.")
    ] = None,
    base: Annotated[
        str, typer.Option("--base", help="What the IRIs of entities begin with.")
    ] = "urn:assay:",
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Make a graph of files: every relation with its quote, whatever the model does meanwhile.

    With a home, results are kept, so that the same text is never paid for twice.
    """
    session = session_of(ctx, as_json)
    limits = OntologyLimits()
    data = read_file(ontology, limits.bytes, "the ontology")
    brought = _imported(imports or [], limits.bytes)
    order = Order(
        text="",
        ontology=data,
        ontology_name=ontology.name,
        imports=brought,
        options=Options(
            formats=(_format_of(out),),
            base=base,
            tokens=session.settings.request_tokens if tokens is None else tokens,
            shapes="" if shapes is None else _text_of(shapes, "the shapes"),
        ),
        use_model=model,
        provider=provider,
        learned=_learned(examples, data, ontology.name, brought),
    )
    found = asyncio.run(_extracted(session, files, order, ocr))
    _write(found, out, picture, order)
    session.give(values_of(found, out))
    session.show(screen(found, out, picture))
    if any(file.error is not None for file in found.files):
        raise typer.Exit(ExitCode.INPUT)
    if found.together.violations or any(_is_partial(file) for file in found.files):
        raise typer.Exit(ExitCode.FAULTS)


@graph.command()
def ontology(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="Turtle, RDF/XML, JSON-LD or N-Triples.")],
    imports: Imports = None,
    as_json: AsJson = False,
) -> None:
    """Show what an ontology is made of, and what is wrong with it. Nothing is fetched."""
    session = session_of(ctx, as_json)
    limits = OntologyLimits()
    data = read_file(file, limits.bytes, "the ontology")
    read = read_ontology(data, name=file.name, imports=_imported(imports or [], limits.bytes))
    values = {
        "title": read.title,
        "iri": read.iri,
        "version": read.version,
        "key": read.key,
        "classes": len(read.classes),
        "properties": len(read.properties),
        "imports": list(read.imports),
        "warnings": list(read.warnings),
    }
    session.give(values | {"classes": sorted(read.classes), "properties": sorted(read.properties)})
    shown: dict[str, Any] = {k: v for k, v in values.items() if k not in ("imports", "warnings")}
    for number, warning in enumerate(read.warnings, 1):
        shown["warning" if number == 1 else f"warning {number}"] = warning
    session.show(Group(Text(str(file), style="bold"), record(shown)))


@graph.command()
def verify(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A graph that Assay has written.")],
    texts: Annotated[list[str], typer.Argument(help="The files that it was made of.")],
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Check that every quote of a graph stands in the texts, word for word, where it says."""
    session = session_of(ctx, as_json)
    rdf = _text_of(file, "the graph")
    read = asyncio.run(_texts(session, texts, ocr))
    problems = quotes_hold(rdf, _format_of(file), read)
    session.give({"file": str(file), "problems": list(problems)})
    session.say("Every quote stands." if not problems else "\n".join(problems))
    if problems:
        raise typer.Exit(ExitCode.FAULTS)


async def _extracted(session: Session, files: Sequence[str], order: Order, ocr: bool) -> FilesGraph:
    tools = tools_of(session.settings)
    try:
        if not session.settings.home.is_dir():
            return await _with(session, files, order, BareDesk(), tools, ocr)
        with session.app() as app:
            desk = GraphDesk(app)
            try:
                return await _with(session, files, order, desk, tools, ocr)
            finally:
                await desk.close()
    finally:
        await tools.close()


async def _with(
    session: Session, files: Sequence[str], order: Order, desk: Desk, tools: Tools, ocr: bool
) -> FilesGraph:
    with live(session) as report:
        return await graph_of_files(files, order, desk, tools, ocr=ocr, on_file=report)


async def _texts(session: Session, files: Sequence[str], ocr: bool) -> dict[str, str]:
    tools = tools_of(session.settings)
    try:
        found = await examine(files, tools, ocr=ocr)
    finally:
        await tools.close()
    for entry in found:
        if entry.error is not None:
            raise entry.error
    texts = [entry.reading.text for entry in found if entry.reading is not None]
    return {content_hash(text.encode("utf-8", "surrogatepass")): text for text in texts}


def _format_of(out: Path | None) -> str:
    if out is None:
        return "turtle"
    if out.suffix.lower() not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise typer.BadParameter(f"{out} must end with one of {known}")
    return _FORMATS[out.suffix.lower()]


def _imported(told: Sequence[str], most: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in told:
        iri, equals, file = entry.rpartition("=")
        if not equals or not iri:
            raise typer.BadParameter(f"'{entry}' is not IRI=FILE", param_hint="--import")
        found[iri] = read_file(Path(file), most, "the import")
    return found


def _learned(
    examples: Path | None, data: bytes, name: str, imports: Mapping[str, bytes]
) -> Learned | None:
    if examples is None:
        return None
    told = examples_in(read_file(examples, _MOST_EXAMPLES, "the examples"), examples.name)
    return learned(told, read_ontology(data, name=name, imports=imports))


def _text_of(path: Path, what: str) -> str:
    return read_file(path, OntologyLimits().bytes, what).decode("utf-8", "replace")


def _write(found: FilesGraph, out: Path | None, picture: Path | None, order: Order) -> None:
    """A graph that breaks its shapes is not written; its picture may help to see why."""
    if out is not None and not found.together.violations:
        _written(out, found.together.rdf[_format_of(out)])
    if picture is not None:
        results = [file for file in found.files if file.result is not None]
        if not results:
            return
        _written(picture, _drawn(picture, found, results))


def _drawn(picture: Path, found: FilesGraph, files: Sequence[FileGraph]) -> str:
    first = files[0].result
    assert first is not None
    whole = _together(first, found.together.graph, files)
    if picture.suffix.lower() == ".svg":
        return svg(whole, found.ontology)
    if picture.suffix.lower() in (".html", ".htm"):
        # The text stands beside the picture where there is one text only.
        return page(whole, found.ontology, files[0].text if len(files) == 1 else "")
    raise typer.BadParameter(f"{picture} must end with .html or .svg", param_hint="--picture")


def _together(first: GraphResult, whole: Graph, files: Sequence[FileGraph]) -> GraphResult:
    if len(files) == 1:
        return replace(first, graph=whole)
    warnings = tuple(f"{f.file}: {w}" for f in files if f.result for w in f.result.warnings)
    return replace(first, graph=whole, warnings=warnings)


def _written(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise from_os_error(error, f"writing {path}") from error


def _is_partial(file: FileGraph) -> bool:
    return file.result is not None and file.result.completeness.value != "complete"
