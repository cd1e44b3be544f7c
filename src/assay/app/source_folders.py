"""Source folders: tests them on their examples, and adds them to the store."""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.installed_packs import HomePacks, load_all_packs, portals_of
from assay.app.known_sources import (
    SOURCES_FOLDER,
    explain_missing_pack,
    find_adapter_folder,
    list_built_in_sources,
)
from assay.app.tools import build_bounds, build_fetch_policy
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, InvalidInput, from_os_error
from assay.model.records import Endpoint, Source
from assay.sdk.pack import Pack
from assay.settings import Settings
from assay.sources.folders import ADAPTER, SourceFolder, find_example_failures, load_folder
from assay.sources.folders.adapters import ADAPTER_FILE
from assay.sources.folders.definition import SOURCE_FILE
from assay.sources.folders.parameters import NO_VALUES, Values
from assay.sources.policy import FetchPolicy
from assay.store import tables as t
from assay.store.database import explain_errors
from assay.store.upserts import upsert_records

_DECLARED = ("url", "strategy", "frequency", "active", "risk", "expected_yield", "options")
_READ_BY = frozenset({"url", "strategy", "options"})
"""These fields determine what a check yields; after a change, nothing may be treated as known."""
_OF_SOURCE = ("name", "base_url", "packs", "hierarchy")


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """The result of testing a folder on its examples."""

    folder: Path
    failures: tuple[str, ...]
    examples: int = 0
    missing_pack: str | None = None
    """Why nothing would read its documents; it can be added nevertheless."""

    @property
    def ok(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class AddedSource:
    """What adding a source to the store changed."""

    source: str
    is_new: bool
    endpoints: tuple[str, ...]
    changes: tuple[str, ...] = ()
    """What changed, one sentence each; empty if nothing did."""
    left: tuple[str, ...] = ()
    """Endpoints in the store that the folder no longer has; they are still watched."""
    records: tuple[Source | Endpoint, ...] = field(default=(), repr=False)


def check_folders(settings: Settings, paths: Sequence[Path]) -> list[FolderCheck]:
    """Test folders on their examples; adapters run in the reading process, within its limits."""
    return asyncio.run(_check_in_pool(settings, paths))


async def _check_in_pool(settings: Settings, paths: Sequence[Path]) -> list[FolderCheck]:
    policy = build_fetch_policy(settings)
    folders = [path.resolve() for path in paths]
    packs = HomePacks(settings.home)
    async with ProcessPool(1, build_bounds(settings), folders) as pool:
        return [await _check_folder(path, policy, pool, packs) for path in paths]


async def _check_folder(
    path: Path, policy: FetchPolicy, pool: ProcessPool, packs: Mapping[str, Pack]
) -> FolderCheck:
    try:
        portals = portals_of(load_all_packs())
        folder = load_folder(path, policy, portals)
        if folder.functions:
            failures = await pool.run(find_example_failures, path.resolve(), policy, portals)
        else:
            # What comes with Assay limits itself, and needs no separate process.
            failures = find_example_failures(path, policy, portals)
    except AssayError as error:
        return FolderCheck(path, (str(error),))
    missing = None if folder.template else explain_missing_pack(folder.source.packs, packs)
    return FolderCheck(path, tuple(failures), len(folder.examples), missing)


def add_source(
    app: App, path: Path, pack: str | None = None, chosen: Values = NO_VALUES
) -> AddedSource:
    """Add a folder's source to the store, or update the stored one.

    The whole folder is checked first, including its examples; if anything is wrong, nothing
    changes. What an endpoint remembers from earlier checks is kept. With `chosen` values of its
    parameters, their endpoints are added to those that are watched already.
    """
    folder = _load_sound_folder(app, path, pack, chosen)
    with explain_errors(), app.engine.begin() as connection:
        other_adapter = _adapter_differs(app.settings, folder)
        added = _compare_with_store(connection, folder, app.clock.now_ms(), other_adapter)
        if chosen:
            added = replace(added, left=())
        upsert_records(connection, added.records)
        _forget_parts(connection, added)
        _keep_copy(app.settings, folder)
    return added


def _load_sound_folder(app: App, path: Path, pack: str | None, chosen: Values) -> SourceFolder:
    """Load the folder if nothing is wrong with it."""
    policy, portals = build_fetch_policy(app.settings), portals_of(app.packs.installed)
    folder = load_folder(path, policy, portals, chosen)
    if folder.template:
        raise InvalidInput(
            f"{folder.slug} is a template: its addresses are placeholders.",
            advice="Copy its folder and change it, or start with 'assay new source'.",
        )
    (checked,) = check_folders(app.settings, [path])
    if checked.failures:
        more = len(checked.failures) - 1
        also = f" ({more} more: 'assay sources check {path}')" if more else ""
        raise InvalidInput(
            f"{path} does not give the results its examples expect: {checked.failures[0]}{also}",
            advice="Nothing was stored.",
        )
    packs = folder.source.packs
    if pack is None or pack in packs:
        return folder
    if packs:
        raise InvalidInput(
            f"{path / SOURCE_FILE}: 'pack' is {' and '.join(packs)}, not {pack}.",
            advice="Omit --pack.",
        )
    source = folder.source.model_copy(update={"packs": [pack]})
    return SourceFolder(
        path=folder.path, slug=folder.slug, source=source, endpoints=folder.endpoints,
        functions=folder.functions, examples=folder.examples,
    )  # fmt: skip


def _compare_with_store(
    connection: sa.Connection, folder: SourceFolder, now_ms: int, other_adapter: bool
) -> AddedSource:
    """What has to be written, and how it differs from what is stored."""
    known = _load_source(connection, folder.slug)
    stored = _load_endpoints(connection, folder.slug)
    changes: list[str] = []
    records: list[Source | Endpoint] = []
    source = folder.source.model_copy(update={"created_ms": now_ms})
    if known is not None and other_adapter:
        changes.append(f"source {folder.slug}: its adapter has changed")
    if known is not None:
        # A folder that names no pack leaves the one that was given with --pack.
        update = {n: getattr(source, n) for n in _OF_SOURCE if n != "packs" or source.packs}
        source = known.model_copy(update=update)
        if not known.active:
            # It was removed, or discovered on a page of another source; now a person adds it.
            source = source.model_copy(update={"active": True})
            changes.append(f"source {folder.slug} is watched again")
        changes += _describe_differences(f"source {folder.slug}", known, source, _OF_SOURCE)
    if source != known:
        records.append(source)
    for endpoint in folder.endpoints:
        _refuse_taken_address(endpoint, stored)
        before = stored.get(endpoint.endpoint_id)
        after = endpoint if before is None else _update_endpoint(before, endpoint, other_adapter)
        if before is None:
            changes.append(f"endpoint {endpoint.endpoint_id} is new")
        else:
            changes += _describe_differences(
                f"endpoint {endpoint.endpoint_id}", before, after, _DECLARED
            )
        if after != before:
            records.append(after)
    names = tuple(endpoint.endpoint_id for endpoint in folder.endpoints)
    left = tuple(sorted(set(stored) - set(names)))
    return AddedSource(folder.slug, known is None, names, tuple(changes), left, tuple(records))


def _load_source(connection: sa.Connection, slug: str) -> Source | None:
    row = connection.execute(sa.select(t.source).where(t.source.c.source_slug == slug)).first()
    return None if row is None else Source.from_row(row._asdict())


def _load_endpoints(connection: sa.Connection, slug: str) -> dict[str, Endpoint]:
    rows = connection.execute(sa.select(t.endpoint).where(t.endpoint.c.source_slug == slug))
    return {row.endpoint_id: Endpoint.from_row(row._asdict()) for row in rows}


def _update_endpoint(before: Endpoint, declared: Endpoint, other_adapter: bool) -> Endpoint:
    """The endpoint as it is now declared, with what it remembers."""
    update = {name: getattr(declared, name) for name in _DECLARED}
    read_anew = other_adapter and declared.strategy == ADAPTER
    if read_anew or any(getattr(before, name) != update[name] for name in _READ_BY):
        # "Not modified" and the errors were about the earlier request.
        update |= {"etag": None, "last_modified": None, "last_content_hash": None,
                   "next_due_ms": None, "consecutive_errors": 0, "last_error": None}  # fmt: skip
    return before.model_copy(update=update)


def _describe_differences(
    what: str, before: Source | Endpoint, after: Source | Endpoint, names: Sequence[str]
) -> list[str]:
    return [
        f"{what}: {name} is now {getattr(after, name)!r} (was {getattr(before, name)!r})"
        for name in names
        if getattr(before, name) != getattr(after, name)
    ]


def _refuse_taken_address(endpoint: Endpoint, stored: dict[str, Endpoint]) -> None:
    for other in stored.values():
        if other.url == endpoint.url and other.endpoint_id != endpoint.endpoint_id:
            raise InvalidInput(
                f"{endpoint.url} is already watched as {other.endpoint_id}.",
                advice=f"Call the endpoint '{other.endpoint_id.partition('/')[2]}' in the folder.",
            )


def _forget_parts(connection: sa.Connection, added: AddedSource) -> None:
    """Forget the further pages of a listing whose settings changed, to read them again."""
    changed = [
        record.endpoint_id
        for record in added.records
        if isinstance(record, Endpoint) and record.last_content_hash is None
    ]
    parts = t.endpoint_part
    connection.execute(
        sa.update(parts)
        .where(parts.c.endpoint_id.in_(changed))
        .values(etag=None, last_modified=None, last_content_hash=None)
    )


def _is_built_in(folder: SourceFolder) -> bool:
    known = list_built_in_sources().get(folder.slug)
    return known is not None and folder.path.resolve() == known[1].resolve()


def _adapter_differs(settings: Settings, folder: SourceFolder) -> bool:
    """Whether the source has so far been read by a different adapter than this folder's."""
    before, after = find_adapter_folder(settings, folder.slug), folder.path
    if before is None or not (after / ADAPTER_FILE).is_file():
        return before is not None or (after / ADAPTER_FILE).is_file()
    return (before / ADAPTER_FILE).read_bytes() != (after / ADAPTER_FILE).read_bytes()


def _keep_copy(settings: Settings, folder: SourceFolder) -> None:
    """Keep a copy of the code that reads a person's own source: what was checked is what runs."""
    home = settings.home / SOURCES_FOLDER
    target = home / folder.slug
    if folder.path.resolve() == target.resolve() or (_is_built_in(folder) and not target.exists()):
        return
    try:
        home.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home, prefix=".new-") as made:
            if target.exists():
                target.rename(Path(made) / "before")
            if not _is_built_in(folder):
                _copy_folder(folder.path, Path(made) / "now").rename(target)
    except OSError as error:
        raise from_os_error(error, f"keeping a copy of {folder.path}") from error


def _copy_folder(path: Path, fresh: Path) -> Path:
    fresh.mkdir()
    for name in (SOURCE_FILE, ADAPTER_FILE):
        if (path / name).is_file():
            shutil.copyfile(path / name, fresh / name)
    return fresh
