"""Turns the files, folders and addresses that a person adds into evidence, for any pack."""

import asyncio
import mimetypes
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import start_run
from assay.errors import AssayError, ContentEmpty, ContentUnsupported, InvalidInput
from assay.model.ids import doc_id_of_url, normalise_url
from assay.model.records import Source
from assay.reading.documents import refuse_larger
from assay.reading.limits import ReadLimits
from assay.ruling.rules.authority import HIGHEST, LOWEST
from assay.spine.intake import evidence_id_of, file_url_of
from assay.spine.payloads import IntakeJob
from assay.store import tables as t
from assay.store.bulk import CHUNK, insert_new_rows
from assay.store.database import explain_errors

LABEL = "intake"
"""The label of runs that add documents."""
_LONGEST_NAME = 500
_OK = 200
_SLUG = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,12}")


@dataclass
class AddedDocuments:
    """The outcome of adding files, folders and addresses."""

    evidence: dict[str, str] = field(default_factory=dict)
    """Each document and its evidence id, whether new or known."""
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: dict[str, AssayError] = field(default_factory=dict)
    """Documents that could not be added, and why; the others continue."""
    run_id: str | None = None
    """The run that processes what is new or changed; None if nothing is."""

    def values(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "evidence": self.evidence,
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "refused": {name: str(error) for name, error in self.refused.items()},
            "run_id": self.run_id,
        }


def add_documents(
    app: App,
    targets: Sequence[str | Path],
    *,
    pack: str,
    source: str | None = None,
    hierarchy: int = LOWEST,
) -> AddedDocuments:
    """Store files, the files in folders, and the content of addresses, and start a run over them.

    A worker does the rest. New content under the same name is a new version of a document;
    identical content is already known, and nothing is started for it. `source` is where the
    documents come from, by default one source for all files of the pack; `hierarchy` is the rank of
    a source that does not exist yet. A failure affects only its own document.
    """
    slug = require_source(app, source, pack, hierarchy)
    added = AddedDocuments()
    jobs: dict[str, IntakeJob] = {}
    for name, place in _expand(targets, added):
        try:
            job = _make_job(app, name, place, slug)
        except AssayError as error:
            added.refused[name] = error
        else:
            jobs[name] = job
            added.evidence[name] = evidence_id_of(job)
    _begin(app, list(jobs.values()), pack, added)
    return added


def ingest_file(
    app: App,
    content: Path | bytes,
    *,
    name: str,
    pack: str,
    source: str | None = None,
    hierarchy: int = LOWEST,
    content_type: str | None = None,
) -> str:
    """Add one document under the given name; return the id of its evidence."""
    data = _read_file(content, app.tools.scout.limits) if isinstance(content, Path) else content
    slug = require_source(app, source, pack, hierarchy)
    job = _store(app, name, data, slug, content_type)
    _begin(app, [job], pack, AddedDocuments())
    return evidence_id_of(job)


def _begin(app: App, jobs: Sequence[IntakeJob], pack: str, added: AddedDocuments) -> None:
    """Start a run over what is new or changed, and count it."""
    newest = _read_newest(app, [doc_id_of_url(file_url_of(job)) for job in jobs])
    to_do = []
    for job in jobs:
        before = newest.get(doc_id_of_url(file_url_of(job)))
        added.unchanged += before == evidence_id_of(job)
        if before != evidence_id_of(job):
            to_do.append(job)
            added.new += before is None
            added.changed += before is not None
    if to_do:
        params = {"documents": len(to_do), "pack": pack}
        first = [("intake", job) for job in to_do]
        added.run_id = start_run(app, label=LABEL, params=params, first=first)


def _expand(
    targets: Sequence[str | Path], added: AddedDocuments
) -> Iterator[tuple[str, str | Path]]:
    """Every document in the targets, each once, with the name it is stored under."""
    seen: set[str] = set()
    for target in targets:
        found: list[tuple[str, str | Path]]
        if isinstance(target, str) and target.startswith(("http://", "https://")):
            found = [(target, target)]
        elif is_folder(Path(target)):
            found = [(_name_file(file), file) for file in _walk(Path(target))]
            if not found:
                added.refused[str(target)] = ContentEmpty(
                    f"{target} has no files.",
                    advice="Files whose names begin with a dot are ignored.",
                )
        else:
            found = [(_name_file(Path(target)), Path(target))]
        for name, place in found:
            if name not in seen:
                seen.add(name)
                yield name, place


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # Its name is too long, for example: reading it says so.
        return False


def _walk(folder: Path) -> Iterator[Path]:
    """The files in a folder and its subfolders, in a fixed order; hidden ones are skipped."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _name_file(file: Path) -> str:
    """Its path from here: two files with one name in two folders are two documents."""
    # Unlike resolve(), it also names what is in a circle of links.
    whole = Path(os.path.realpath(file))
    here = Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _make_job(app: App, name: str, place: str | Path, source: str) -> IntakeJob:
    if isinstance(place, Path):
        return _store(app, name, _read_file(place, app.tools.scout.limits), source)
    data, content_type = asyncio.run(_fetch(app, place))
    return _store(app, name, data, source, content_type, url=normalise_url(place))


def _store(
    app: App,
    name: str,
    data: bytes,
    source: str,
    content_type: str | None = None,
    *,
    url: str = "",
) -> IntakeJob:
    """Store a document's bytes; return the job that adds it."""
    refuse_larger(len(data), app.tools.scout.limits)
    if not data:
        raise ContentEmpty(f"{name} is empty.", advice="Give a file that has content.")
    return IntakeJob(
        content_hash=app.blobs.put(data),
        name=_check_name(name),
        source=source,
        content_type=content_type or mimetypes.guess_type(name)[0] or "application/octet-stream",
        url=url,
    )


async def _fetch(app: App, url: str) -> tuple[bytes, str]:
    # Its own fetcher: the application's fetcher belongs to its worker's event loop.
    from assay.app.tools import build_fetch_policy
    from assay.sources.fetching import Fetcher

    fetcher = Fetcher(build_fetch_policy(app.settings))
    try:
        answer = await fetcher.fetch(url)
    finally:
        await fetcher.close()
    if answer.status != _OK:
        raise ContentUnsupported(
            f"{url} answered {answer.status}.",
            advice="Open it in a browser; it may have moved.",
        )
    return answer.body, answer.content_type


def _read_file(file: Path, limits: ReadLimits) -> bytes:
    try:
        refuse_larger(file.stat().st_size, limits)
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}.", advice="Check the path and permissions."
        ) from error


def _check_name(name: str) -> str:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            "A file needs a printable name.", advice="Use a name such as report.txt."
        )
    return name


def require_source(
    app: App, source: str | None, pack: str, hierarchy: int, *, base_url: str = ""
) -> str:
    """The source of the documents, created if missing; what a person has set is kept."""
    app.packs.require_pack(pack)
    slug = source or f"files-{pack.replace('_', '-')}"
    if _SLUG.fullmatch(slug) is None:
        raise InvalidInput(
            f"{slug!r} is not a valid source name.",
            advice="Use lower-case letters, digits and dashes, such as town-gazette.",
        )
    if not HIGHEST <= hierarchy <= LOWEST:
        raise InvalidInput(f"{hierarchy} is not a valid source rank: ranks go from 1 to 7.")
    begun = Source(
        source_slug=slug,
        name=base_url or f"Files ({slug})",
        base_url=base_url,
        packs=[pack],
        hierarchy=hierarchy,
        created_ms=app.clock.now_ms(),
    )
    with explain_errors(), app.engine.begin() as connection:
        insert_new_rows(connection, t.source, ("source_slug",), [begun.row()])
        query = sa.select(t.source.c.packs).where(t.source.c.source_slug == slug)
        known = connection.execute(query).scalar_one()
    if pack not in known:
        belongs = f"belongs to the pack '{' and '.join(known)}'" if known else "has no pack"
        raise InvalidInput(
            f"Source '{slug}' {belongs}, not to '{pack}'.", advice="Name another source."
        )
    return slug


def _read_newest(app: App, doc_ids: Sequence[str]) -> dict[str, str | None]:
    """The known documents with their newest evidence."""
    found: dict[str, str | None] = {}
    candidate = t.candidate
    with explain_errors(), app.engine.connect() as connection:
        for start in range(0, len(doc_ids), CHUNK):
            query = sa.select(candidate.c.doc_id, candidate.c.evidence_id)
            some = query.where(candidate.c.doc_id.in_(doc_ids[start : start + CHUNK]))
            found.update((row.doc_id, row.evidence_id) for row in connection.execute(some))
    return found
