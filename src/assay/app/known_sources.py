"""The known source folders: those of the packs, and those kept in a home."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.app.installed_packs import load_all_packs, load_pack
from assay.errors import NotFound
from assay.model.ids import suggest_name
from assay.sdk.pack import Pack
from assay.settings import Settings
from assay.sources.folders import load_folder
from assay.sources.folders.adapters import ADAPTER_FILE
from assay.sources.folders.definition import SOURCE_FILE

SOURCES_FOLDER = "sources"
"""The folder in a home with the sources that a person wrote."""


def list_built_in_sources(pack: str | None = None) -> dict[str, tuple[str, Path]]:
    """The sources that come with the installed packs: slug → pack and folder."""
    return {
        slug: found for slug, found in _find_installed_folders().items() if pack in (None, found[0])
    }


@cache
def _find_installed_folders() -> dict[str, tuple[str, Path]]:
    found = {
        file.parent.name.replace("_", "-"): (name, file.parent)
        for name, pack in load_all_packs().items()
        if pack.sources is not None
        for file in pack.sources.glob(f"*/{SOURCE_FILE}")
    }
    return dict(sorted(found.items()))


def list_available_sources(pack: str | None = None) -> list[dict[str, Any]]:
    """What comes with the installed packs, for a person to choose from."""
    folders = [(of, load_folder(path)) for of, path in list_built_in_sources(pack).values()]
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
            "caveats": folder.caveats,
            "options": {
                name: {"default": list(each.default), "about": each.about}
                for name, each in folder.parameters.items()
            },
        }
        for of, folder in folders
    ]


def find_source_folder(name: str, pack: str | None = None, own: Collection[str] = ()) -> Path:
    """The folder at a path, or the one with that name that comes with Assay.

    If a pack is given, it must be installed or in `own`, the packs of the home.
    """
    if pack is not None and pack not in own:
        load_pack(pack)
    path, known = Path(name), list_built_in_sources(pack)
    slug = name.replace("_", "-")
    if path.is_dir() and (slug not in known or (path / SOURCE_FILE).exists()):
        return path
    if slug in known:
        return known[slug][1]
    hint = suggest_name(slug, known)
    raise NotFound(
        f"There is no folder {name}, and no source with that name comes with Assay.",
        advice=f"{hint}'assay sources available' lists them.",
    )


def explain_missing_pack(packs: Sequence[str], known: Mapping[str, Pack]) -> str | None:
    """Why nothing reads the documents of a source with these packs; None if a pack does."""
    if not packs:
        return "it has no pack"
    missing = [name for name in packs if name not in known]
    if missing:
        return f"its pack '{missing[0]}' is not installed"
    if any(known[name].first_stage is not None or known[name].portals for name in packs):
        return None
    return f"its pack '{packs[0]}' takes no documents"


def find_adapter_folder(settings: Settings, slug: str) -> Path | None:
    """The folder whose adapter reads this source; None if none does."""
    own = settings.home / SOURCES_FOLDER / slug
    folder = (
        own if (own / SOURCE_FILE).is_file() else list_built_in_sources().get(slug, ("", own))[1]
    )
    return folder if (folder / ADAPTER_FILE).is_file() else None
