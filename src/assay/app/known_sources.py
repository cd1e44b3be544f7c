"""The folders of sources that are known here: those of the packs, and those that a home keeps."""

import difflib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from assay.app.installed_packs import load_all_packs, load_pack
from assay.errors import NotFound
from assay.settings import Settings
from assay.sources.folders import load_folder
from assay.sources.folders.adapters import FILE
from assay.sources.folders.definition import SOURCE

KEPT = "sources"
"""The folder of a home with the sources that a person wrote."""


def built_in(pack: str | None = None) -> dict[str, tuple[str, Path]]:
    """The sources that come with the installed packs: slug → pack and folder."""
    return {slug: found for slug, found in _installed().items() if pack in (None, found[0])}


@cache
def _installed() -> dict[str, tuple[str, Path]]:
    found = {
        file.parent.name.replace("_", "-"): (name, file.parent)
        for name, pack in load_all_packs().items()
        if pack.sources is not None
        for file in pack.sources.glob(f"*/{SOURCE}")
    }
    return dict(sorted(found.items()))


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
            "describes": folder.describes_documents,
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
