"""`assay graph`: text and an ontology in, a cited knowledge graph out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from assay.packs.graph.commands.keep import keep
from assay.packs.graph.commands.screen import (
    build_values,
    render_screen,
    show_progress,
    to_one_line,
)
from assay.packs.graph.files import FileGraph, FileSetGraph, build_files_graph, parse_examples
from assay.packs.graph.model import Graph
from assay.packs.graph.ontology.model import OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.ontology_pack import BUNDLED, read_bundled_ontology
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pattern_extractor import LearnedCues, learn_examples
from assay.packs.graph.picture import render_page
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder
from assay.packs.graph.writing import check_quotes, read_provenance
from assay.packs.graph.writing.terms import ASSAY
from assay.sdk.commands import (
    AsJson,
    ExitCode,
    check_output_path,
    pluralize,
    read_input,
    render_fields,
    session_of,
    write_output,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash
from assay.sdk.services import Services

_MOST_EXAMPLES = 50_000_000
_MOST_GRAPH = 500_000_000
_FORMATS = {".ttl": "turtle", ".nt": "ntriples", ".jsonld": "jsonld", ".json": "jsonld"}
_PICTURES = (".html", ".htm")

commands = typer.Typer(
    help="Knowledge graphs: text and an ontology in, entities and relations with quotes out.",
    no_args_is_help=True,
)

commands.command()(keep)

OntologyFile = Annotated[
    Path,
    typer.Option(
        "--ontology", help="Turtle, RDF/XML, JSON-LD or N-Triples; 'graph' comes with Assay."
    ),
]
Imports = Annotated[
    list[str] | None,
    typer.Option(
        "--import", help="IRI=FILE: a file for an import of the ontology; nothing is fetched."
    ),
]


@commands.command()
def extract(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(help="Files, or URLs to fetch.")],
    ontology: OntologyFile,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the graph to this file: .ttl, .nt or .jsonld."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Write a page (.html) to explore the graph.")
    ] = None,
    model: Annotated[bool, typer.Option(help="Ask a model if one is configured.")] = True,
    provider: Annotated[
        str | None, typer.Option("--provider", help="Provider to ask; default: the preferred one.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=0, help="Token limit for each part of a text.")
    ] = None,
    imports: Imports = None,
    examples: Annotated[
        Path | None,
        typer.Option("--examples", help="JSON lines with text and triples to learn from."),
    ] = None,
    shapes: Annotated[
        Path | None, typer.Option("--shapes", help="SHACL shapes that the graph must conform to.")
    ] = None,
    base: Annotated[
        str, typer.Option("--base", help="Beginning of the IRIs of entities.")
    ] = "urn:assay:",
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Build a knowledge graph from files, with a quote for every relation.

    With a home, results are stored, so the same text is never paid for twice.
    """
    session = session_of(ctx, as_json)
    format_ = _format_of(out, "--out")
    _refuse_picture(picture)
    if provider is not None and not model:
        raise typer.BadParameter("cannot be combined with --no-model.", param_hint="--provider")
    brought_by = [Path(entry.rpartition("=")[2]) for entry in imports or []]
    inputs = [ontology, examples, shapes, *brought_by, *(Path(file) for file in files)]
    for place in (out, picture):
        if place is not None:
            check_output_path(place, [each for each in inputs if each is not None])
    limits = OntologyLimits()
    data = _read_ontology_bytes(ontology)
    brought = _read_imports(imports or [], limits.bytes)
    order = GraphOrder(
        text="",
        ontology=data,
        ontology_name=ontology.name,
        imports=brought,
        options=GraphOptions(
            formats=(format_,),
            base=base,
            tokens=session.settings.request_tokens if tokens is None else tokens,
            shapes="" if shapes is None else _read_text(shapes, "The shapes", limits.bytes),
        ),
        use_model=model,
        provider=provider,
        learned=_learn_from_file(examples, data, ontology.name, brought),
    )

    async def extract_files(services: Services) -> FileSetGraph:
        # An unknown provider is refused even without a home, when no model is asked.
        services.models.choose(provider)
        with show_progress(session) as report:
            return await build_files_graph(files, order, services, ocr=ocr, on_file=report)

    found = session.run(extract_files)
    _write_graph(found, out, picture, format_)
    session.print_json(build_values(found, out, picture))
    session.show(render_screen(found, out, picture))
    if any(file.error is not None for file in found.files):
        raise typer.Exit(ExitCode.INPUT)
    if found.together.violations or any(_is_partial(file) for file in found.files):
        raise typer.Exit(ExitCode.FAULTS)


@commands.command()
def ontology(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="Turtle, RDF/XML, JSON-LD or N-Triples.")],
    imports: Imports = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents of an ontology and any problems with it. Nothing is fetched."""
    session = session_of(ctx, as_json)
    limits = OntologyLimits()
    data = _read_ontology_bytes(file)
    read = read_ontology(data, name=file.name, imports=_read_imports(imports or [], limits.bytes))
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
    session.print_json(
        values | {"classes": sorted(read.classes), "properties": sorted(read.properties)}
    )
    shown = {k: to_one_line(str(v)) for k, v in values.items() if k not in ("imports", "warnings")}
    for number, warning in enumerate(read.warnings, 1):
        shown["warning" if number == 1 else f"warning {number}"] = to_one_line(warning)
    session.show(Group(Text(str(file), style="bold"), render_fields(shown)))


@commands.command()
def verify(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A graph written by Assay.")],
    texts: Annotated[list[str], typer.Argument(help="The files from which it was built.")],
    ocr: Annotated[bool, typer.Option(help="Read scanned pages with Tesseract.")] = True,
    as_json: AsJson = False,
) -> None:
    """Check that every quote of a graph is in the texts, word for word, at the stated position."""
    session = session_of(ctx, as_json)
    format_ = _format_of(file, "file")
    rdf = _read_text(file, "The graph", _MOST_GRAPH)
    if ASSAY not in rdf:
        raise InvalidInput(
            f"{file} is not a graph written by Assay.",
            advice="Use a file written by `assay graph extract --out`.",
        )
    read = session.run(lambda services: _read_texts(services, texts, ocr))
    found = check_quotes(rdf, format_, {key: text for key, (_, text) in read.items()})
    problems = [_name_files(problem, read) for problem in found]
    quotes = read_provenance(rdf, format_)
    session.print_json({"file": str(file), "quotes": len(quotes), "problems": problems})
    if not problems:
        session.say(f"{pluralize(len(quotes), 'quote')}, all found in the texts word for word.")
        return
    session.say("\n".join(problems))
    if any("was not given" in problem for problem in problems):
        session.say("Give all files from which the graph was built, as they were then.")
    raise typer.Exit(ExitCode.FAULTS)


async def _read_texts(
    services: Services, files: Sequence[str], ocr: bool
) -> dict[str, tuple[str, str]]:
    """Return the name and text of each file, by the hash of the text."""
    read: dict[str, tuple[str, str]] = {}
    for file in await services.read_files(files, ocr=ocr):
        if file.error is not None:
            raise file.error
        assert file.reading is not None
        text = file.reading.text
        read[content_hash(text.encode("utf-8", "surrogatepass"))] = file.target, text
    return read


def _name_files(problem: str, read: Mapping[str, tuple[str, str]]) -> str:
    for key, (name, _) in read.items():
        problem = problem.replace(key, name)
    return problem


def _format_of(out: Path | None, option: str) -> str:
    if out is None:
        return "turtle"
    if out.suffix.lower() not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise typer.BadParameter(f"{out} must end with one of {known}.", param_hint=option)
    return _FORMATS[out.suffix.lower()]


def _refuse_picture(picture: Path | None) -> None:
    if picture is not None and picture.suffix.lower() not in _PICTURES:
        raise typer.BadParameter(
            f"{picture} must end with one of {', '.join(_PICTURES)}.", param_hint="--picture"
        )


def _read_imports(entries: Sequence[str], most: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in entries:
        iri, equals, file = entry.rpartition("=")
        if not equals or not iri:
            raise typer.BadParameter(
                f"'{entry}' is not in the form IRI=FILE", param_hint="--import"
            )
        found[iri] = read_input(Path(file), most, "The import")
    return found


def _learn_from_file(
    examples: Path | None, data: bytes, name: str, imports: Mapping[str, bytes]
) -> LearnedCues | None:
    if examples is None:
        return None
    parsed = parse_examples(read_input(examples, _MOST_EXAMPLES, "The examples"), examples.name)
    return learn_examples(parsed, read_ontology(data, name=name, imports=imports))


def _read_ontology_bytes(file: Path) -> bytes:
    """Read an ontology file, or the bundled ontology by its name."""
    if str(file) == BUNDLED and not file.exists():
        return read_bundled_ontology()
    return read_input(file, OntologyLimits().bytes, "The ontology")


def _read_text(path: Path, what: str, most: int) -> str:
    return read_input(path, most, what).decode("utf-8", "replace")


def _write_graph(found: FileSetGraph, out: Path | None, picture: Path | None, format_: str) -> None:
    """Write the graph unless it violates its shapes; its picture may show why it does."""
    if out is not None and found.is_writable:
        write_output(out, found.together.rdf[format_])
    if picture is not None and found.results:
        write_output(picture, _draw_picture(found))


def _draw_picture(found: FileSetGraph) -> str:
    files = [file for file in found.files if file.result is not None]
    whole = _combine_files(found.results[0], found.together.graph, files)
    # The text is shown next to the picture if there is only one.
    return render_page(whole, found.ontology, files[0].text if len(files) == 1 else "")


def _combine_files(first: GraphResult, whole: Graph, files: Sequence[FileGraph]) -> GraphResult:
    if len(files) == 1:
        return replace(first, graph=whole)
    warnings = tuple(f"{f.file}: {w}" for f in files if f.result for w in f.result.warnings)
    return replace(first, graph=whole, warnings=warnings)


def _is_partial(file: FileGraph) -> bool:
    return file.result is not None and file.result.completeness.value != "complete"
