"""`assay new`: creates a source, complete from an address or a template, and a pack."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.app.installed_packs import HomePacks
from assay.app.new_pack import write_pack_folder
from assay.app.new_source import (
    SourceKind,
    find_free_folder,
    name_after,
    write_proposed_folder,
    write_source_folder,
)
from assay.cli.commands import refuse_names_of_commands
from assay.cli.rendering import pluralize
from assay.cli.session import AsJson, Session, session_of
from assay.errors import InvalidInput

new = typer.Typer(no_args_is_help=True, help="Create something of your own.")
Folder = Annotated[
    Path, typer.Option("--folder", help="Where to create it; here by default.", file_okay=False)
]


@new.command()
def source(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="URL|NAME", help="The page that lists the documents; or a name, for a template."
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", help="Permanent source name; after the host by default."),
    ] = None,
    pack: Annotated[
        str | None, typer.Option("--pack", help="The pack that reads its documents.")
    ] = None,
    folder: Folder = Path(),
    kind: Annotated[
        SourceKind | None,
        typer.Option("--kind", help="How the site lists documents; found out by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create the folder of a source. From a URL, it is complete: the page is fetched and saved as
    the example, how to read it is proposed, and what it lists is written down. From a name, it is a
    template with a test that fails until it is filled in."""
    session = session_of(ctx, as_json)
    if target.startswith(("http://", "https://")):
        _create_from_url(session, target, name, pack, folder, kind)
    else:
        _create_template(session, target, name, pack, folder, kind or SourceKind.SITEMAP)


@new.command("pack")
def pack_(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the pack, such as harbour.")],
    folder: Folder = Path(),
    title: Annotated[
        str | None, typer.Option("--title", help="What it is about, in a few plain words.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create the folder of a pack: a package that can be installed, with a test that fails until
    you write down what the pack shall find."""
    session = session_of(ctx, as_json)
    refuse_names_of_commands([name])
    made = write_pack_folder(name, folder, title)
    session.say(f"Created {made}.")
    for line in (
        f"  1. Install it: pip install -e {made}. 'assay packs' then shows it.",
        f"  2. Run 'pytest {made}': the test says what to fill in.",
        f"  3. Change {made / f'{name}_pack'}/facts.yml and find_facts() until it passes.",
        f"  4. Try it on a file: assay extract FILE --pack {name}",
    ):
        session.say(line)
    session.print_json({"folder": str(made), "files": _list_files(made)})


def _create_from_url(
    session: Session,
    url: str,
    name: str | None,
    pack: str | None,
    folder: Path,
    kind: SourceKind | None,
) -> None:
    from assay.app.source_proposals import propose_listing
    from assay.cli.trials import report_trial

    chosen = name or name_after(url)
    find_free_folder(chosen, folder)
    reader = _choose_pack(session, pack)
    tried = propose_listing(session.settings, url, kind)
    made = write_proposed_folder(session.settings, tried, chosen, folder, reader)
    report_trial(session, tried)
    files = _list_files(made)
    session.say(f"Created {made} with {pluralize(len(files), 'file')}; its check passes.")
    example = next(file for file in files if file.startswith("examples"))
    session.say(f"  Try other selectors: 'assay sources try {made / example} --url {tried.url}'")
    session.say(f"  Watch it: 'assay sources add {made}'")
    session.print_json({"folder": str(made), "files": files, "pack": reader, **tried.values()})


def _create_template(
    session: Session,
    target: str,
    name: str | None,
    pack: str | None,
    folder: Path,
    kind: SourceKind,
) -> None:
    if name is not None and name != target:
        raise InvalidInput(
            f"{target!r} is not an address.", advice="--name goes with an address; omit it."
        )
    if pack is not None:
        HomePacks(session.settings.home).require_pack(pack)
    made = write_source_folder(target, folder, kind, pack)
    session.say(f"Created {made}. Its test fails until you describe the expected result:")
    for line in (
        f"  1. Put the site's name and addresses into {made / 'source.yml'}.",
        f"  2. Save a response of the site in {made / 'examples'}.",
        f"  3. Run 'assay sources check {made}', and write the correct result into expected.yml.",
        f"  4. Run 'assay sources add {made}'.",
    ):
        session.say(line)
    session.print_json({"folder": str(made), "files": _list_files(made)})


def _choose_pack(session: Session, named: str | None) -> str:
    """The pack named here or in the settings; otherwise a person at a terminal is asked."""
    packs = HomePacks(session.settings.home)
    if chosen := named or session.settings.pack:
        packs.require_pack(chosen)
        return chosen
    accepting = [key for key, pack in packs.items() if pack.first_stage is not None]
    if not session.json and accepting and _is_person_there():
        session.say(f"Packs: {', '.join(accepting)}.")
        asked: str = typer.prompt("Which pack reads the documents of this source?")
        packs.require_pack(asked)
        return asked
    raise InvalidInput(
        "A source needs a pack, which knows what to look for in its documents.",
        advice=f"Name one with --pack. Installed packs: {', '.join(accepting) or 'none'}.",
    )


def _is_person_there() -> bool:
    return sys.stdin.isatty()


def _list_files(made: Path) -> list[str]:
    return sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
