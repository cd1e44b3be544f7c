"""`assay new`: creates a folder to fill in."""

from pathlib import Path
from typing import Annotated

import typer

from assay.app.new_source import SourceKind, write_source_folder
from assay.cli.session import AsJson, session_of

new = typer.Typer(no_args_is_help=True, help="Create something of your own.")


@new.command()
def source(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Permanent source name, such as town-gazette.")],
    folder: Annotated[
        Path,
        typer.Option("--folder", help="Where to create it; here by default.", file_okay=False),
    ] = Path(),
    kind: Annotated[SourceKind, typer.Option("--kind", help="How the site lists documents.")] = (
        SourceKind.SITEMAP
    ),
    as_json: AsJson = False,
) -> None:
    """Create the folder of a source: a description, an example, and a test that fails until both
    are filled in."""
    session = session_of(ctx, as_json)
    made = write_source_folder(name, folder, kind)
    session.say(f"Created {made}. Its test fails until you describe the expected result:")
    for line in (
        f"  1. Put the site's name and addresses into {made / 'source.yml'}.",
        f"  2. Save a response of the site in {made / 'examples'}.",
        f"  3. Run 'assay sources check {made}', and write the correct result into expected.yml.",
        f"  4. Run 'assay sources add {made}'.",
    ):
        session.say(line)
    files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    session.print_json({"folder": str(made), "files": files})
