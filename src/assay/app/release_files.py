"""A release in files: for spreadsheets, for other engines, and for whoever wants to check it."""

import secrets
import shutil
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import cast

from assay.app.composition import App
from assay.app.releases import changelog_of, manifest_of
from assay.errors import InvalidInput, from_os_error
from assay.model.rules import Release
from assay.ruling.release.manifest import Manifest

MANIFEST = "manifest.jsonl"
CHECKSUM = "manifest.sha256"
CHANGELOG = "CHANGELOG.md"
EVIDENCE = "evidence"
TEXTS = "texts"


class Format(StrEnum):
    """The forms in which a release is given away."""

    JSONLD = "jsonld"
    CSV = "csv"
    PARQUET = "parquet"
    PARAMETERS = "parameters"
    BUNDLE = "bundle"


# Imported when first needed: no other command should wait for the library of a file format.
_WRITERS = {
    Format.JSONLD: ("rules.jsonld", "assay.ruling.release.exports.json_ld", "json_ld_of"),
    Format.CSV: ("rules.csv", "assay.ruling.release.exports.csv_table", "csv_of"),
    Format.PARQUET: ("rules.parquet", "assay.ruling.release.exports.parquet_table", "parquet_of"),
}
_PARAMETERS = ("assay.ruling.release.exports.parameters", "parameters_of")


def export(app: App, release: Release, form: Format, folder: Path) -> list[Path]:
    """Write a release into a folder, all of it or nothing; gives the files that were written.

    The folder must be new or empty: nothing is ever mixed with what lies there.
    """
    _refuse_used(folder)
    files = _files(app, release, form)
    draft = folder.parent / f".{folder.name}.new-{secrets.token_hex(4)}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for name, data_of in files.items():
            file = draft / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data_of())
        draft.mkdir(exist_ok=True)
        draft.replace(folder)
    except OSError as error:
        raise from_os_error(error, f"writing {folder}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return [folder / name for name in files]


def _files(app: App, release: Release, form: Format) -> Mapping[str, Callable[[], bytes]]:
    """path → what gives its bytes, so that one document at a time is in memory."""
    manifest = manifest_of(app, release)
    if form is Format.BUNDLE:
        return _bundle(app, release, manifest)
    if form is Format.PARAMETERS:
        made = _parameters()(manifest)
        return {name: _given(data) for name, data in made.items()}
    name, module, function = _WRITERS[form]
    write = cast("Callable[[Manifest], bytes]", getattr(import_module(module), function))
    return {name: lambda: write(manifest)}


def _bundle(app: App, release: Release, manifest: Manifest) -> dict[str, Callable[[], bytes]]:
    """All that is needed to check a release without the store that it comes from."""
    cited = [source for rule in manifest.rules for source in rule["sources"]]
    files = {
        MANIFEST: _stored(app, release.manifest_hash),
        CHECKSUM: _given(f"{release.manifest_hash}  {MANIFEST}\n".encode()),
        CHANGELOG: _given(changelog_of(app, release).encode()),
    }
    for name in sorted({source["evidence_hash"] for source in cited}):
        files[f"{EVIDENCE}/{name}"] = _stored(app, name)
    for name in sorted({source["artifact_hash"] for source in cited}):
        files[f"{TEXTS}/{name}"] = _stored(app, name)
    return files


def _stored(app: App, name: str) -> Callable[[], bytes]:
    return lambda: app.blobs.get(name)


def _given(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def _parameters() -> Callable[[Manifest], dict[str, bytes]]:
    module, function = _PARAMETERS
    return cast("Callable[[Manifest], dict[str, bytes]]", getattr(import_module(module), function))


def _refuse_used(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(
            f"{folder} is there already, and is no empty folder.", advice="Name a new one."
        )
