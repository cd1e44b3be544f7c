"""Beginning something of one's own: a folder to fill in."""

from pathlib import Path
from typing import Annotated

import typer

from assay.app.new_source import SourceKind, write_source_folder
from assay.cli.session import AsJson, session_of

new = typer.Typer(no_args_is_help=True, help="Begin something of your own.")


@new.command()
def source(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The source's name for ever: town-gazette.")],
    folder: Annotated[
        Path, typer.Option("--folder", help="Where to make it; else here.", file_okay=False)
    ] = Path(),
    kind: Annotated[SourceKind, typer.Option("--kind", help="What it lists its documents as.")] = (
        SourceKind.SITEMAP
    ),
    as_json: AsJson = False,
) -> None:
    """Write the folder of a source: description, example, and a test that fails until it is filled
    in."""
    session = session_of(ctx, as_json)
    made = write_source_folder(name, folder, kind)
    session.say(f"Made {made}. Its test fails until you say what its example must give:")
    for line in (
        f"  1. Put the site's name and addresses into {made / 'source.yml'}.",
        f"  2. Save an answer of the site in {made / 'examples'}.",
        f"  3. Run 'assay sources check {made}', and write what is right into expected.yml.",
        f"  4. Run 'assay sources add {made}'.",
    ):
        session.say(line)
    files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    session.print_json({"folder": str(made), "files": files})
