"""Sources as folders: trying them on their examples, and taking them into the store."""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.installed_packs import load_all_packs, portals_of
from assay.app.known_sources import KEPT, adapter_folder, built_in
from assay.app.tools import bounds_of, fetch_policy
from assay.errors import AssayError, InvalidInput, from_os_error
from assay.model.records import Endpoint, Source
from assay.reading.workshop import Workshop
from assay.settings import Settings
from assay.sources.folders import ADAPTER, SourceFolder, failures_of, load_folder
from assay.sources.folders.adapters import FILE
from assay.sources.folders.definition import SOURCE
from assay.sources.policy import FetchPolicy
from assay.store import tables as t
from assay.store.database import plain_errors
from assay.store.upserts import upsert

_DECLARED = ("url", "strategy", "frequency", "active", "risk", "expected_yield", "options")
_READ_BY = frozenset({"url", "strategy", "options"})
"""What decides what a look gives; after a change of it, nothing may be taken for known."""
_OF_SOURCE = ("name", "base_url", "packs", "hierarchy")


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a folder's examples."""

    folder: Path
    failures: tuple[str, ...]
    examples: int = 0

    @property
    def ok(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class Added:
    """What taking a source into the store changed."""

    source: str
    is_new: bool
    endpoints: tuple[str, ...]
    changes: tuple[str, ...] = ()
    """What is not as it was, a sentence each; empty where nothing changed."""
    left: tuple[str, ...] = ()
    """Endpoints in the store that the folder no longer has; they are still looked at."""
    records: tuple[Source | Endpoint, ...] = field(default=(), repr=False)


def check_folders(settings: Settings, paths: Sequence[Path]) -> list[Checked]:
    """Try folders on their examples; adapters run where documents are read, within its bounds."""
    return asyncio.run(_checked(settings, paths))


async def _checked(settings: Settings, paths: Sequence[Path]) -> list[Checked]:
    policy = fetch_policy(settings)
    async with Workshop(1, bounds_of(settings)) as workshop:
        return [await _tried(path, policy, workshop) for path in paths]


async def _tried(path: Path, policy: FetchPolicy, workshop: Workshop) -> Checked:
    try:
        portals = portals_of(load_all_packs())
        folder = load_folder(path, policy, portals)
        if folder.functions:
            failures = await workshop.run(failures_of, path.resolve(), policy, portals)
        else:
            # What comes with Assay is bounded by itself, and needs no process of its own.
            failures = failures_of(path, policy, portals)
    except AssayError as error:
        return Checked(path, (str(error),))
    return Checked(path, tuple(failures), len(folder.examples))


def add_source(app: App, path: Path, pack: str | None = None) -> Added:
    """Take a folder's source into the store, or bring what is there up to date.

    The folder is checked whole first, its examples too; if anything is wrong with it, nothing
    changes. What an endpoint remembers of earlier looks stays.
    """
    folder = _sound(app, path, pack)
    with plain_errors(), app.engine.begin() as connection:
        other_adapter = _adapter_differs(app.settings, folder)
        added = _compared(connection, folder, app.clock.now_ms(), other_adapter)
        upsert(connection, added.records)
        _forget_parts(connection, added)
        _keep(app.settings, folder)
    return added


def _sound(app: App, path: Path, pack: str | None) -> SourceFolder:
    """The folder, if nothing is wrong with it."""
    folder = load_folder(path, fetch_policy(app.settings), portals_of(app.packs.installed))
    if folder.template:
        raise InvalidInput(
            f"{folder.slug} is a template: its addresses are nobody's.",
            advice="Copy its folder and change it, or begin with 'assay new source'.",
        )
    (checked,) = check_folders(app.settings, [path])
    if checked.failures:
        more = len(checked.failures) - 1
        also = f" ({more} more: 'assay sources check {path}')" if more else ""
        raise InvalidInput(
            f"{path} does not give what its examples say: {checked.failures[0]}{also}",
            advice="Nothing was stored.",
        )
    packs = folder.source.packs
    if pack is None or pack in packs:
        return folder
    if packs:
        raise InvalidInput(
            f"{path / SOURCE}: 'pack' is {' and '.join(packs)}, not {pack}.",
            advice="Leave --pack out.",
        )
    source = folder.source.model_copy(update={"packs": [pack]})
    return SourceFolder(
        path=folder.path, slug=folder.slug, source=source, endpoints=folder.endpoints,
        functions=folder.functions, examples=folder.examples,
    )  # fmt: skip


def _compared(
    connection: sa.Connection, folder: SourceFolder, now_ms: int, other_adapter: bool
) -> Added:
    """What has to be written, and how that differs from what is there."""
    known = _known_source(connection, folder.slug)
    stored = _known_endpoints(connection, folder.slug)
    changes: list[str] = []
    records: list[Source | Endpoint] = []
    source = folder.source.model_copy(update={"created_ms": now_ms})
    if known is not None and other_adapter:
        changes.append(f"source {folder.slug}: its adapter is another now")
    if known is not None:
        source = known.model_copy(update={n: getattr(source, n) for n in _OF_SOURCE})
        if known.found_at is not None:
            # It was met on a page of another source; now a person wants it.
            source = source.model_copy(update={"active": True})
        changes += _differences(f"source {folder.slug}", known, source, _OF_SOURCE)
    if source != known:
        records.append(source)
    for endpoint in folder.endpoints:
        _refuse_taken_address(endpoint, stored)
        before = stored.get(endpoint.endpoint_id)
        after = endpoint if before is None else _renewed(before, endpoint, other_adapter)
        if before is None:
            changes.append(f"endpoint {endpoint.endpoint_id} is new")
        else:
            changes += _differences(f"endpoint {endpoint.endpoint_id}", before, after, _DECLARED)
        if after != before:
            records.append(after)
    names = tuple(endpoint.endpoint_id for endpoint in folder.endpoints)
    left = tuple(sorted(set(stored) - set(names)))
    return Added(folder.slug, known is None, names, tuple(changes), left, tuple(records))


def _known_source(connection: sa.Connection, slug: str) -> Source | None:
    row = connection.execute(sa.select(t.source).where(t.source.c.source_slug == slug)).first()
    return None if row is None else Source.from_row(row._asdict())


def _known_endpoints(connection: sa.Connection, slug: str) -> dict[str, Endpoint]:
    rows = connection.execute(sa.select(t.endpoint).where(t.endpoint.c.source_slug == slug))
    return {row.endpoint_id: Endpoint.from_row(row._asdict()) for row in rows}


def _renewed(before: Endpoint, declared: Endpoint, other_adapter: bool) -> Endpoint:
    """The endpoint as it is declared now, with what it remembers."""
    update = {name: getattr(declared, name) for name in _DECLARED}
    read_anew = other_adapter and declared.strategy == ADAPTER
    if read_anew or any(getattr(before, name) != update[name] for name in _READ_BY):
        # "Not changed since" was said of what was asked before, and so were the errors.
        update |= {"etag": None, "last_modified": None, "last_content_hash": None,
                   "next_due_ms": None, "consecutive_errors": 0, "last_error": None}  # fmt: skip
    return before.model_copy(update=update)


def _differences(
    what: str, before: Source | Endpoint, after: Source | Endpoint, names: Sequence[str]
) -> list[str]:
    return [
        f"{what}: {name} is {getattr(after, name)!r} now, it was {getattr(before, name)!r}"
        for name in names
        if getattr(before, name) != getattr(after, name)
    ]


def _refuse_taken_address(endpoint: Endpoint, stored: dict[str, Endpoint]) -> None:
    for other in stored.values():
        if other.url == endpoint.url and other.endpoint_id != endpoint.endpoint_id:
            raise InvalidInput(
                f"{endpoint.url} is looked at already, as {other.endpoint_id}.",
                advice=f"Call the endpoint '{other.endpoint_id.partition('/')[2]}' in the folder.",
            )


def _forget_parts(connection: sa.Connection, added: Added) -> None:
    """The further pages of a listing that is read differently now are read anew."""
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
    known = built_in().get(folder.slug)
    return known is not None and folder.path.resolve() == known[1].resolve()


def _adapter_differs(settings: Settings, folder: SourceFolder) -> bool:
    """Whether another adapter than this folder's has read the source so far."""
    before, after = adapter_folder(settings, folder.slug), folder.path
    if before is None or not (after / FILE).is_file():
        return before is not None or (after / FILE).is_file()
    return (before / FILE).read_bytes() != (after / FILE).read_bytes()


def _keep(settings: Settings, folder: SourceFolder) -> None:
    """A copy of what reads a person's own source: what was checked is what runs."""
    home = settings.home / KEPT
    target = home / folder.slug
    if folder.path.resolve() == target.resolve() or (_is_built_in(folder) and not target.exists()):
        return
    try:
        home.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home, prefix=".new-") as made:
            if target.exists():
                target.rename(Path(made) / "before")
            if not _is_built_in(folder):
                _copied(folder.path, Path(made) / "now").rename(target)
    except OSError as error:
        raise from_os_error(error, f"keeping a copy of {folder.path}") from error


def _copied(path: Path, fresh: Path) -> Path:
    fresh.mkdir()
    for name in (SOURCE, FILE):
        if (path / name).is_file():
            shutil.copyfile(path / name, fresh / name)
    return fresh
