"""Git repositories that a person adds: each is a source whose versions have dates."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.intake import LABEL, is_folder, require_source
from assay.app.runs import start_run
from assay.app.tools import build_repositories
from assay.errors import InvalidInput
from assay.model.records import Endpoint, Evidence, RepositoryFile
from assay.ruling.rules.authority import LOWEST
from assay.sources.git import (
    GIT_HISTORY,
    HistoryCursor,
    is_local_repository,
    parse_history_options,
)
from assay.spine.payloads import SentinelJob
from assay.store import tables as t
from assay.store.database import explain_errors
from assay.store.record_tables import table_of
from assay.store.upserts import upsert_records

_ENDPOINT = "history"
_SUFFIX = ".git"


@dataclass(frozen=True, slots=True)
class AddedRepository:
    """A repository that is watched."""

    source: str
    endpoint: str
    url: str
    is_new: bool
    run_id: str | None = None

    def values(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return asdict(self)


def names_repository(target: str) -> bool:
    """Whether a target can only be a git repository: an address in `.git`, or a bare folder.

    A folder with a work tree is a folder of files, unless options ask for its history.
    """
    if "://" in target:
        return urlsplit(target).path.rstrip("/").endswith(_SUFFIX)
    path = Path(target)
    return is_folder(path) and is_local_repository(path) and not (path / _SUFFIX).exists()


def add_repository(
    app: App,
    target: str,
    options: Mapping[str, Any],
    *,
    pack: str,
    source: str | None = None,
    hierarchy: int = LOWEST,
    accept_rewritten: bool = False,
    begin: bool = True,
) -> AddedRepository:
    """Watch a git repository, and start a run that reads what is new in it.

    Without options, a repository that is already watched keeps its own.
    """
    url = _locate(app, target)
    checked = parse_history_options(dict(options)).model_dump(mode="json", exclude_unset=True)
    stored = _find_endpoint(app, url, source)
    slug = stored.source_slug if stored is not None else source or _suggest_slug(url)
    slug = require_source(app, slug, pack, hierarchy, base_url=_find_base_url(url))
    before = stored or _load_endpoint(app, f"{slug}/{_ENDPOINT}")
    if before is not None and before.url != url:
        raise InvalidInput(
            f"Source '{slug}' already watches {before.url}.",
            advice="Name another one with --source.",
        )
    endpoint = before or Endpoint(
        endpoint_id=f"{slug}/{_ENDPOINT}", source_slug=slug, url=url, strategy=GIT_HISTORY
    )
    update: dict[str, Any] = {"consecutive_errors": 0, "last_error": None, "next_due_ms": None}
    if checked and checked != endpoint.options:
        # The whole history is read again: other files count now, or earlier versions.
        update |= {"options": checked, "etag": None}
    elif accept_rewritten and endpoint.etag:
        cursor = HistoryCursor.parse(endpoint.etag)
        update["etag"] = str(HistoryCursor(cursor.newest, accepts_rewriting=True))
    with explain_errors(), app.engine.begin() as connection:
        upsert_records(connection, [endpoint.model_copy(update=update)])
    added = AddedRepository(slug, endpoint.endpoint_id, url, before is None)
    if not begin:
        return added
    job = SentinelJob(endpoint_id=endpoint.endpoint_id, source=slug)
    run_id = start_run(app, label=LABEL, params={"repository": url}, first=[("sentinel", job)])
    return AddedRepository(slug, endpoint.endpoint_id, url, before is None, run_id)


def count_versions(app: App, endpoint_id: str) -> dict[str, int]:
    """How many documents a repository has, how many versions of them, and how many are gone."""
    file, evidence = table_of(RepositoryFile), table_of(Evidence)
    own = sa.select(file).where(file.c.endpoint_id == endpoint_id, ~file.c.is_moved).subquery()
    gone = sa.func.count().filter(own.c.blob.is_(None))
    documents = sa.select(sa.func.count(), gone).select_from(own)
    versions = (
        sa.select(sa.func.count())
        .select_from(evidence)
        .where(evidence.c.doc_id.in_(sa.select(own.c.doc_id)))
    )
    counted = app.read(lambda connection: connection.execute(documents).one())
    found = app.read(lambda connection: connection.execute(versions).scalar_one())
    return {"documents": counted[0], "versions": found, "gone": counted[1]}


def _locate(app: App, target: str) -> str:
    """The address of a repository, or the path of its folder; anything else is refused."""
    path = Path(target)
    if "://" not in target and path.is_dir():
        if not is_local_repository(path):
            raise InvalidInput(
                f"{target} is not a git repository.",
                advice="Without --path, --since and --branch, its files are added as they are.",
            )
        return str(path.resolve())
    # `host:path` and `ext::command` are addresses to git, and paths that do not exist here.
    build_repositories(app.settings).check_url(target)
    return target


def _find_endpoint(app: App, url: str, source: str | None) -> Endpoint | None:
    query = sa.select(t.endpoint).where(
        t.endpoint.c.url == url, t.endpoint.c.strategy == GIT_HISTORY
    )
    if source is not None:
        query = query.where(t.endpoint.c.source_slug == source)
    found = app.fetch_rows(query.order_by(t.endpoint.c.endpoint_id).limit(1))
    return Endpoint.from_row(found[0]) if found else None


def _load_endpoint(app: App, endpoint_id: str) -> Endpoint | None:
    found = app.fetch_rows(sa.select(t.endpoint).where(t.endpoint.c.endpoint_id == endpoint_id))
    return Endpoint.from_row(found[0]) if found else None


def _find_base_url(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/" if parts.scheme else ""


def _suggest_slug(url: str) -> str:
    """A name from the last part of the address: `https://host/laws.git` is `laws`."""
    name = urlsplit(url).path.rstrip("/").rpartition("/")[2].removesuffix(_SUFFIX).lower()
    return "-".join(re.findall(r"[a-z0-9]{1,60}", name)[:4]) or "repository"
