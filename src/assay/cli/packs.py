"""`assay packs`: the installed packs, and what each of them adds."""

from dataclasses import fields
from typing import Any

import typer

from assay.app.installed_packs import load_all_packs
from assay.app.pack_entries import list_incomplete_packs
from assay.cli.rendering import Columns, render_rows
from assay.cli.session import AsJson, session_of
from assay.sdk.pack import Pack

_IDENTITY = ("name", "version", "title")


def packs(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the installed packs and what each of them adds. Needs no home."""
    session = session_of(ctx, as_json)
    found = [pack_as_json(pack) for pack in load_all_packs().values()]
    columns: Columns = {key: key for key in _IDENTITY}
    session.show(render_rows(found, {**columns, "adds": lambda pack: ", ".join(pack["adds"])}))
    for missing in list_incomplete_packs().values():
        session.say(str(missing))
    session.print_json(found)


def pack_as_json(pack: Pack) -> dict[str, Any]:
    """A pack's identity, and the hooks that it uses."""
    unused = Pack(name="", version="", title="")
    used = [
        field.name.replace("_", " ")
        for field in fields(Pack)
        if field.name not in _IDENTITY and getattr(pack, field.name) != getattr(unused, field.name)
    ]
    return {**{key: getattr(pack, key) for key in _IDENTITY}, "adds": used}
