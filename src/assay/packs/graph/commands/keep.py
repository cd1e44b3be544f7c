"""`assay graph keep`: facts from files go to review and into releases like any others."""

from pathlib import Path
from typing import Annotated

import typer

from assay.packs.graph.home_ontologies import ENDINGS, FOLDER, find_ontologies
from assay.packs.graph.ontology.model import OntologyLimits
from assay.packs.graph.ontology.reading import read_ontology
from assay.sdk.commands import AsJson, pluralize, read_input, session_of
from assay.sdk.errors import InvalidInput, SchemaMissing, from_os_error
from assay.sdk.services import Services
from assay.sdk.sources import HIGHEST, LOWEST


def keep(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Files to add as evidence.")],
    ontology: Annotated[
        Path | None,
        typer.Option("--ontology", help="Ontology to add to the home as a pack."),
    ] = None,
    pack: Annotated[
        str | None, typer.Option("--pack", help="A pack in the home, instead of an ontology.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Source of the files; default: 'files-PACK'.")
    ] = None,
    hierarchy: Annotated[
        int,
        typer.Option(
            "--hierarchy",
            min=HIGHEST,
            max=LOWEST,
            help="Rank of a new source; 1 is a constitution.",
        ),
    ] = LOWEST,
    as_json: AsJson = False,
) -> None:
    """Add files as evidence for review and release; `assay run` then processes them."""
    session = session_of(ctx, as_json)
    if (ontology is None) == (pack is None):
        raise typer.BadParameter("give either --ontology or --pack")
    chosen = _keep_ontology(session.settings.home, ontology) if ontology is not None else pack
    assert chosen is not None
    name = chosen

    async def take_in(services: Services) -> dict[str, str]:
        return services.add_documents(files, pack=name, source=source, hierarchy=hierarchy)

    taken = session.run(take_in)
    session.print_json({"pack": chosen, "evidence": taken})
    session.say(
        f"Added {pluralize(len(taken), 'file')} for the pack '{chosen}'. Next: 'assay run'."
    )


def _keep_ontology(home: Path, file: Path) -> str:
    """Put an ontology into the home; return the name of its pack there."""
    data = read_input(file, OntologyLimits().bytes, "The ontology")
    read_ontology(data, name=file.name)
    if file.suffix.lower() not in ENDINGS:
        raise InvalidInput(
            f"{file.name} does not have the ending of an ontology file.",
            advice=f"Rename it to end with one of {', '.join(sorted(ENDINGS))}.",
        )
    if not home.is_dir():
        raise SchemaMissing(f"No home at {home}.")
    place = home / FOLDER / file.name
    try:
        if place.exists() and place.read_bytes() != data:
            raise InvalidInput(
                f"The home already has a different ontology named {file.name}.",
                advice=f"Rename the file, or replace {place} by hand.",
            )
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    except OSError as error:
        raise from_os_error(error, f"writing {place}") from error
    files = find_ontologies(home)
    return next(name for name, kept in files.items() if kept == place)
