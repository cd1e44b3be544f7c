"""Exports a release to files: for spreadsheets, for other engines, and for verification."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.app.composition import App
from assay.app.releases import build_release_changelog, load_manifest
from assay.model.rules import Release
from assay.ruling.release.manifest import ReleaseManifest, list_quotations
from assay.store.snapshots import write_folder

MANIFEST = "manifest.jsonl"
CHECKSUM = "manifest.sha256"
CHANGELOG = "CHANGELOG.md"
EVIDENCE = "evidence"
TEXTS = "texts"


class ExportFormat(StrEnum):
    """The formats a release can be exported in."""

    JSONLD = "jsonld"
    CSV = "csv"
    PARQUET = "parquet"
    PARAMETERS = "parameters"
    BUNDLE = "bundle"


# Imported when first needed: no other command should wait for the library of a file format.
_WRITERS = {
    ExportFormat.JSONLD: ("rules.jsonld", "json_ld", "export_json_ld"),
    ExportFormat.CSV: ("rules.csv", "csv_table", "export_csv"),
    ExportFormat.PARQUET: ("rules.parquet", "parquet_table", "export_parquet"),
}
"""File, module in `assay.ruling.release.exports`, and function."""


def export_release(app: App, release: Release, form: ExportFormat, folder: Path) -> list[Path]:
    """Write a release into a folder, all of it or nothing; return the files written.

    The folder must be new or empty: exported files are never mixed with existing ones.
    """
    files = _plan_files(app, release, form)

    def write_files(draft: Path) -> None:
        for name, data_of in files.items():
            file = draft / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data_of())

    write_folder(folder, write_files)
    return [folder / name for name in files]


def _plan_files(
    app: App, release: Release, form: ExportFormat
) -> Mapping[str, Callable[[], bytes]]:
    """path → function that returns its bytes, to keep only one document in memory at a time."""
    manifest = load_manifest(app, release)
    if form is ExportFormat.BUNDLE:
        return _plan_bundle(app, release, manifest)
    if form is ExportFormat.PARAMETERS:
        made = _load_writer("parameters", "export_parameters")(manifest)
        return {name: _defer_bytes(data) for name, data in made.items()}
    name, module, function = _WRITERS[form]
    write: Callable[[ReleaseManifest], bytes] = _load_writer(module, function)
    return {name: lambda: write(manifest)}


def _plan_bundle(
    app: App, release: Release, manifest: ReleaseManifest
) -> dict[str, Callable[[], bytes]]:
    """Everything needed to verify a release without the store it comes from."""
    cited = [quoted for rule in manifest.rules for quoted in list_quotations(rule)]
    files = {
        MANIFEST: _defer_blob(app, release.manifest_hash),
        CHECKSUM: _defer_bytes(f"{release.manifest_hash}  {MANIFEST}\n".encode()),
        CHANGELOG: _defer_bytes(build_release_changelog(app, release).encode()),
    }
    for name in sorted({source["evidence_hash"] for source in cited}):
        files[f"{EVIDENCE}/{name}"] = _defer_blob(app, name)
    for name in sorted({source["artifact_hash"] for source in cited}):
        files[f"{TEXTS}/{name}"] = _defer_blob(app, name)
    return files


def _defer_blob(app: App, name: str) -> Callable[[], bytes]:
    return lambda: app.blobs.get(name)


def _defer_bytes(data: bytes) -> Callable[[], bytes]:
    return lambda: data


def _load_writer(module: str, function: str) -> Any:
    return getattr(import_module(f"assay.ruling.release.exports.{module}"), function)
