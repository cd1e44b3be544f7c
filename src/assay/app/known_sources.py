"""The folders of sources that are known here: those of the packs, and those that a home keeps."""

import difflib
from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.app.installed_packs import load_pack
from assay.app.pack_entries import list_entries
from assay.errors import NotFound
from assay.settings import Settings
from assay.sources.folders import load_folder
from assay.sources.folders.adapters import FILE
from assay.sources.folders.definition import SOURCE

KEPT = "sources"
"""Where sources lie: beside the module that offers a pack, and a person's own in the home."""


def built_in(pack: str | None = None) -> dict[str, tuple[str, Path]]:
    """The sources that come with the installed packs: slug → pack and folder."""
    return {slug: found for slug, found in _installed().items() if pack in (None, found[0])}


@cache
def _installed() -> dict[str, tuple[str, Path]]:
    # The packs themselves are not loaded for this: their extractors take longer than all the rest.
    found = {
        file.parent.name.replace("_", "-"): (entry.name, file.parent)
        for entry in list_entries()
        for file in _folder_of(entry.module).glob(f"{KEPT}/*/{SOURCE}")
    }
    return dict(sorted(found.items()))


def _folder_of(module: str) -> Path:
    """Where a module lies, without running it."""
    spec = find_spec(module)
    return Path(spec.origin).parent if spec is not None and spec.origin else Path("nowhere")


def available(pack: str | None = None) -> list[dict[str, Any]]:
    """What comes with the installed packs, for a person to choose from."""
    folders = [(of, load_folder(path)) for of, path in built_in(pack).values()]
    return [
        {
            "source": folder.slug,
            "pack": of,
            "name": folder.source.name,
            "hierarchy": folder.source.hierarchy,
            "template": folder.template,
            "endpoints": [e.endpoint_id.partition("/")[2] for e in folder.endpoints],
            "describes": folder.describes,
            "licence": folder.licence,
            "about": folder.about,
        }
        for of, folder in folders
    ]


def folder_named(name: str, pack: str | None = None, own: Collection[str] = ()) -> Path:
    """The folder at a path, or the one of that name that comes with Assay.

    A pack that is named must be installed, or one of a person's own.
    """
    if pack is not None and pack not in own:
        load_pack(pack)
    path, known = Path(name), built_in(pack)
    slug = name.replace("_", "-")
    if path.is_dir() and (slug not in known or (path / SOURCE).exists()):
        return path
    if slug in known:
        return known[slug][1]
    near = difflib.get_close_matches(slug, known, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    raise NotFound(
        f"There is no folder {name}, and no source of that name comes with Assay.",
        advice=f"{hint}'assay sources available' names them.",
    )


def adapter_folder(settings: Settings, slug: str) -> Path | None:
    """The folder whose adapter reads this source; None where none does."""
    own = settings.home / KEPT / slug
    folder = own if (own / SOURCE).is_file() else built_in().get(slug, ("", own))[1]
    return folder if (folder / FILE).is_file() else None
