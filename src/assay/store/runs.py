"""Append-only run folders: created once, closed with a manifest of hashes, never reopened."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import CorruptRun, InvalidInput, NotFound, RunIdReused, from_os_error
from assay.model.hashes import canonical_json, content_hash, hash_file

MANIFEST = "manifest.json"
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


@dataclass(frozen=True)
class RunFolderCheck:
    """The result of checking one run folder."""

    run_id: str
    sealed: bool
    files: int
    faults: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.faults


class RunFolders:
    """The folder that holds one folder per run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, run_id: str) -> Path:
        if not _is_run_id(run_id):
            raise InvalidInput(
                f"{run_id!r} is not a valid run id.",
                advice="Use letters, digits, '-', '_' and '.', 80 characters at most.",
            )
        return self.folder / run_id

    def reserve(self, run_id: str) -> Path:
        """Create the folder; a run id that was ever used is refused."""
        path = self.path(run_id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.mkdir()
        except FileExistsError:
            raise RunIdReused(f"Run id {run_id} has already been used.") from None
        except OSError as error:
            raise from_os_error(error, f"creating the folder of run {run_id}") from error
        return path

    def seal(self, run_id: str, files: Mapping[str, Iterable[bytes]]) -> str:
        """Write the files and a manifest of their hashes, then close the folder for good.

        A crash in between leaves files without a manifest; sealing again completes it. Files that
        no manifest lists yet are not published, and the store may have grown in the meantime, so
        they are written again.
        """
        path = self.path(run_id)
        try:
            path.mkdir(parents=True, exist_ok=True)
            for leftover in path.glob(".new-*"):
                leftover.unlink()
            if not (path / MANIFEST).exists():
                for name in files:
                    (path / name).unlink(missing_ok=True)
                entries = {name: _write_once(path / name, lines) for name, lines in files.items()}
                manifest = canonical_json({"run_id": run_id, "files": entries}) + b"\n"
                _write_once(path / MANIFEST, [manifest])
            (path / MANIFEST).chmod(0o444)
            path.chmod(0o555)
            return content_hash((path / MANIFEST).read_bytes())
        except OSError as error:
            raise from_os_error(error, f"sealing run {run_id}") from error

    def is_sealed(self, run_id: str) -> bool:
        return (self.path(run_id) / MANIFEST).exists()

    def manifest_hash(self, run_id: str) -> str | None:
        path = self.path(run_id) / MANIFEST
        return content_hash(path.read_bytes()) if path.exists() else None

    def run_ids(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(
            path.name for path in self.folder.iterdir() if _is_run_id(path.name) and path.is_dir()
        )

    def verify(self, run_id: str, manifest_hash: str | None = None) -> RunFolderCheck:
        """Compare every file's hash with the manifest, and the manifest with the store."""
        path = self.path(run_id)
        if not path.is_dir():
            raise NotFound(f"There is no run {run_id}.", advice="'assay runs list' lists them.")
        if not (path / MANIFEST).exists():
            missing = ("the manifest is missing",) if manifest_hash else ()
            return RunFolderCheck(run_id, False, len(list(path.iterdir())), missing)
        entries, faults = self._read_manifest(path, manifest_hash)
        for name, expected in sorted(entries.items()):
            faults += _find_faults(path / name, expected)
        extra = sorted({file.name for file in path.iterdir()} - set(entries) - {MANIFEST})
        faults += [f"{name} is not in the manifest" for name in extra]
        return RunFolderCheck(run_id, True, len(entries), tuple(faults))

    def _read_manifest(
        self, path: Path, manifest_hash: str | None
    ) -> tuple[dict[str, dict[str, Any]], list[str]]:
        raw = (path / MANIFEST).read_bytes()
        faults = []
        if manifest_hash is not None and content_hash(raw) != manifest_hash:
            faults.append("the manifest is not the one recorded in the store")
        try:
            entries = json.loads(raw)["files"]
            if not all(isinstance(expected, dict) for expected in entries.values()):
                raise TypeError
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}, [*faults, "the manifest cannot be read"]
        return entries, faults


def _is_run_id(name: str) -> bool:
    return 0 < len(name) <= 80 and not name.startswith(".") and set(name) <= _ALLOWED


def _find_faults(path: Path, expected: Mapping[str, Any]) -> list[str]:
    if not path.is_file():
        return [f"{path.name} is missing"]
    if hash_file(path) != expected.get("sha256"):
        return [f"{path.name} was altered"]
    return []


def _write_once(path: Path, chunks: Iterable[bytes]) -> dict[str, Any]:
    """Create a file that does not exist yet; one that does must hold the same bytes."""
    new = path.with_name(f".new-{os.getpid()}-{path.name}")
    with new.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    size, digest = new.stat().st_size, hash_file(new)
    try:
        os.link(new, path)
    except FileExistsError:
        if hash_file(path) != digest:
            raise CorruptRun(f"{path} already exists with different content.") from None
    finally:
        new.unlink()
    path.chmod(0o444)
    return {"sha256": digest, "bytes": size}
