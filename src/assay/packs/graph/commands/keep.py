"""`assay graph keep`: what files say goes into review and releases, like any other facts."""

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
    files: Annotated[list[Path], typer.Argument(help="Files to take in as evidence.")],
    ontology: Annotated[
        Path | None,
        typer.Option("--ontology", help="The ontology; it is put into the home as a pack."),
    ] = None,
    pack: Annotated[
        str | None, typer.Option("--pack", help="A pack of the home, instead of an ontology.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Whose words they are; else 'files-PACK'.")
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
    """Take files in as evidence, so that their facts are reviewed and released; `assay run` works
    on them."""
    session = session_of(ctx, as_json)
    if (ontology is None) == (pack is None):
        raise typer.BadParameter("name either an --ontology or a --pack")
    chosen = _keep_ontology(session.settings.home, ontology) if ontology is not None else pack
    assert chosen is not None
    name = chosen

    async def take_in(services: Services) -> dict[str, str]:
        return services.add_documents(files, pack=name, source=source, hierarchy=hierarchy)

    taken = session.run(take_in)
    session.print_json({"pack": chosen, "evidence": taken})
    session.say(
        f"{pluralize(len(taken), 'file')} taken in for the pack '{chosen}'. Next: assay run."
    )


def _keep_ontology(home: Path, file: Path) -> str:
    """Put an ontology into the home; gives the name of the pack that it is there."""
    data = read_input(file, OntologyLimits().bytes, "The ontology")
    read_ontology(data, name=file.name)
    if file.suffix.lower() not in ENDINGS:
        raise InvalidInput(
            f"{file.name} has no ending by which the home would know an ontology.",
            advice=f"Rename it to end with one of {', '.join(sorted(ENDINGS))}.",
        )
    if not home.is_dir():
        raise SchemaMissing(f"There is no home at {home}.")
    place = home / FOLDER / file.name
    try:
        if place.exists() and place.read_bytes() != data:
            raise InvalidInput(
                f"The home has another ontology under the name {file.name}.",
                advice=f"Rename the file, or replace {place} by hand.",
            )
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    except OSError as error:
        raise from_os_error(error, f"writing {place}") from error
    files = find_ontologies(home)
    return next(name for name, kept in files.items() if kept == place)
