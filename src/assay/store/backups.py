"""Backups as folders of files: a manifest with the hash of each, and nothing without a manifest.

    backups/
    └── 20260104T030000Z-5d4fdb/
        ├── manifest.json      what there is, with hashes
        ├── manifest.sha256    the hash of the manifest
        ├── database/          a copy of the database
        └── home/              the files of the home: bytes, run folders, sources, settings

Each is complete by itself. A file that the one before has too is a hard link to it, which takes no
space, so any of them can be deleted.
"""

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from assay.clock import utc_stamp
from assay.errors import BackupDamaged, InvalidInput, NotFound, from_os_error
from assay.model.hashes import canonical_json, content_hash, hash_file

MANIFEST: Final = "manifest.json"
CHECKSUM: Final = "manifest.sha256"
DATABASE: Final = "database"
HOME: Final = "home"
FORMAT: Final = "assay-backup/1"
_NAME: Final = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")
_UNFINISHED: Final = ".new-"
_MOST_NAMED: Final = 10


@dataclass(frozen=True)
class BackupFile:
    """A file of a backup, as it was written."""

    sha256: str
    size: int


@dataclass(frozen=True)
class BackupManifest:
    """What a backup contains."""

    made: str
    """When, in UTC."""
    program: str
    """The version of Assay that made it."""
    database: str
    """`sqlite` or `postgres`."""
    versions: Mapping[str, str]
    """The schema's version by branch."""
    left_out: tuple[str, ...]
    """Settings that are not in it, because they are secret or name this database."""
    folders: tuple[str, ...]
    """Folders of the home that may be empty: those of runs."""
    files: Mapping[str, BackupFile]
    """Each file by its path below the backup."""

    @property
    def size(self) -> int:
        """Of all files, whether linked or not."""
        return sum(file.size for file in self.files.values())

    def encode(self) -> bytes:
        """The file."""
        files = {path: [file.sha256, file.size] for path, file in self.files.items()}
        return canonical_json({**vars(self), "files": files, "format": FORMAT}) + b"\n"


@dataclass(frozen=True)
class Backup:
    """A complete backup."""

    folder: Path
    manifest: BackupManifest


@dataclass
class BackupDraft:
    """A backup that is being written."""

    folder: Path
    previous: Backup | None
    files: dict[str, BackupFile] = field(default_factory=dict)
    linked: int = 0
    """How many files are those of the previous backup."""

    def add(self, path: str, source: Path, sha256: str | None = None) -> None:
        """Copy a file, or link to the same in the previous backup; `sha256` is its known hash."""
        size = source.stat().st_size
        known = self.previous.manifest.files.get(path) if self.previous is not None else None
        if known is not None and known.size == size:
            sha256 = sha256 or hash_file(source)
            if known.sha256 == sha256 and self._link(path, sha256, size):
                return
        target = self._prepare(path)
        shutil.copy(source, target)
        self._record(path, target, sha256)

    def write(self, path: str, write: Callable[[Path], None]) -> None:
        """A file that a function writes."""
        target = self._prepare(path)
        write(target)
        self._record(path, target, None)

    def _prepare(self, path: str) -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _link(self, path: str, sha256: str, size: int) -> bool:
        assert self.previous is not None
        try:
            self._prepare(path).hardlink_to(self.previous.folder / path)
        except OSError:
            return False
        self.files[path] = BackupFile(sha256, size)
        self.linked += 1
        return True

    def _record(self, path: str, target: Path, expected: str | None) -> None:
        found = hash_file(target)
        if expected is not None and found != expected:
            raise BackupDamaged(
                f"{path} was altered in the home: its bytes do not match its hash.",
                advice="'assay store check' names all of them; put them back from an earlier "
                "backup, then create this one again.",
            )
        self.files[path] = BackupFile(found, target.stat().st_size)


def write_backup(
    parent: Path, now_ms: int, fill: Callable[[BackupDraft], BackupManifest]
) -> tuple[Backup, BackupDraft]:
    """Write a backup with all of its files, or nothing that looks like one."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with _lock(parent):
            known = (path.name for path in parent.iterdir() if _NAME.fullmatch(path.name))
            name = name_backup(now_ms, max(known, default=""))
            for leftover in parent.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(leftover)
            draft = BackupDraft(parent / f"{_UNFINISHED}{name}", find_newest_backup(parent))
            draft.folder.mkdir(mode=0o700)
            try:
                manifest = fill(draft)
                _write_manifest(draft.folder, manifest)
                draft.folder.replace(parent / name)
            except BaseException:
                shutil.rmtree(draft.folder, ignore_errors=True)
                raise
    except OSError as error:
        raise from_os_error(error, f"writing a backup into {parent}") from error
    return Backup(parent / name, manifest), draft


def name_backup(now_ms: int, newest: str) -> str:
    """A name that sorts after that of the newest backup, also within one second, and after the
    clock was set back."""
    stamp = max(utc_stamp(now_ms), newest.partition("-")[0])
    number = secrets.randbelow(0x800000)
    if newest.startswith(stamp):
        number = int(newest.partition("-")[2], 16) + 1
    return f"{stamp}-{number:06x}"


def _write_manifest(folder: Path, manifest: BackupManifest) -> None:
    data = manifest.encode()
    (folder / CHECKSUM).write_text(f"{content_hash(data)}  {MANIFEST}\n", encoding="utf-8")
    (folder / MANIFEST).write_bytes(data)
    # Everything must be on the disk before the folder gets the name of a backup.
    os.sync()


@contextmanager
def _lock(parent: Path) -> Iterator[None]:
    """Only one process writes into a folder of backups; the lock ends with the process."""
    import fcntl

    with (parent / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                f"Another backup is being written into {parent}.", advice="Wait until it ends."
            ) from None
        yield


def list_backups(parent: Path) -> list[Backup]:
    """The complete backups in a folder, oldest first."""
    found = parent.iterdir() if parent.is_dir() else ()
    return [
        Backup(path, _read_manifest(path))
        for path in sorted(found)
        if _NAME.fullmatch(path.name) and (path / MANIFEST).is_file()
    ]


def find_newest_backup(parent: Path) -> Backup | None:
    """The newest complete backup in a folder whose manifest can be read."""
    found = sorted(path for path in parent.iterdir() if _NAME.fullmatch(path.name))
    for path in reversed(found):
        try:
            return Backup(path, _read_manifest(path))
        except BackupDamaged:
            continue
    return None


def open_backup(folder: Path) -> Backup:
    """A backup, or the newest in a folder of backups."""
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", advice="Name a backup.")
    if not (folder / MANIFEST).exists():
        names = sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
        if not names:
            raise BackupDamaged(
                f"{folder} is not a complete backup: it has no {MANIFEST}.",
                advice="A backup that was interrupted cannot be used; name another one.",
            )
        folder = names[-1]
    return Backup(folder, _read_manifest(folder))


def find_backup_faults(backup: Backup) -> list[str]:
    """What is missing, was altered or was added since the backup was made."""
    listed = backup.manifest.files
    faults = []
    for path, expected in sorted(listed.items()):
        file = backup.folder / path
        if not file.is_file():
            faults.append(f"{path} is missing")
        elif file.stat().st_size != expected.size or hash_file(file) != expected.sha256:
            faults.append(f"{path} was altered")
    there = {
        file.relative_to(backup.folder).as_posix()
        for file in backup.folder.rglob("*")
        if not file.is_dir()
    }
    faults += [f"{path} was added" for path in sorted(there - set(listed) - {MANIFEST, CHECKSUM})]
    return faults


def require_intact(backup: Backup) -> None:
    """Refuse a backup of which anything was altered, and name it."""
    if faults := find_backup_faults(backup):
        more = len(faults) - _MOST_NAMED
        named = "; ".join(faults[:_MOST_NAMED]) + (f"; {more} more" if more > 0 else "")
        raise BackupDamaged(f"The backup {backup.folder} is damaged: {named}.")


def copy_home(backup: Backup, home: Path) -> None:
    """Put the files of the home in place."""
    for folder in backup.manifest.folders:
        (home / folder).mkdir(parents=True, exist_ok=True)
    for path in backup.manifest.files:
        if path.startswith(f"{HOME}/"):
            target = home / path.removeprefix(f"{HOME}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(backup.folder / path, target)


def _read_manifest(folder: Path) -> BackupManifest:
    """The manifest, checked against its own hash."""
    try:
        data = (folder / MANIFEST).read_bytes()
        expected = (folder / CHECKSUM).read_text(encoding="utf-8").partition(" ")[0]
    except (OSError, UnicodeDecodeError) as error:
        raise BackupDamaged(
            f"{folder} is not a complete backup: {MANIFEST} or {CHECKSUM} cannot be read."
        ) from error
    if content_hash(data) != expected:
        raise BackupDamaged(f"The backup {folder} is damaged: {MANIFEST} was altered.")
    try:
        return _parse_manifest(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupDamaged(
            f"The backup {folder} cannot be read: {MANIFEST} is not of the format {FORMAT}.",
            advice="Use the version of Assay that made it, or a newer one.",
        ) from error


def _parse_manifest(value: dict[str, Any]) -> BackupManifest:
    if value.pop("format") != FORMAT:
        raise ValueError
    files = {
        path: BackupFile(str(sha256), int(size))
        for path, (sha256, size) in value.pop("files").items()
    }
    folders, left_out = tuple(value.pop("folders")), tuple(value.pop("left_out"))
    # They become paths in a new home.
    for path in (*files, *(f"{HOME}/{folder}" for folder in folders)):
        parts = PurePosixPath(path).parts
        if ".." in parts or "\0" in path or parts[0] not in (DATABASE, HOME):
            raise ValueError
    return BackupManifest(**value, files=files, folders=folders, left_out=left_out)
