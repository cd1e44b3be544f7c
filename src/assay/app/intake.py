"""What a person gives: files, folders and addresses become evidence, for every pack alike."""

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
"""What the runs are called that take files in."""
_LONGEST_NAME = 500
_OK = 200
_SLUG = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,12}")


@dataclass
class AddedDocuments:
    """What became of the files, folders and addresses that a person gave."""

    evidence: dict[str, str] = field(default_factory=dict)
    """Each document and the evidence that it is, whether new or known."""
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: dict[str, AssayError] = field(default_factory=dict)
    """Documents that could not be taken, and why; the others go on."""
    run_id: str | None = None
    """The run that works on what is new or changed; None where nothing is."""

    def values(self) -> dict[str, Any]:
        """For a machine."""
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
    """Store files, the files of folders, and what lies at addresses, and begin a run over them.

    A worker does the rest. Another content under the same name is a new version of a document,
    and the same content is known already: nothing is begun for it. `source` says whose words they
    are, by default those of all files for the pack; `hierarchy` is the rank of a source that is
    not there yet. What is wrong with one document stays with it.
    """
    slug = _require_source(app, source, pack, hierarchy)
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
    """The same for one document under a name of its own; gives the evidence that it becomes."""
    data = _read_file(content, app.tools.scout.limits) if isinstance(content, Path) else content
    slug = _require_source(app, source, pack, hierarchy)
    job = _store(app, name, data, slug, content_type)
    _begin(app, [job], pack, AddedDocuments())
    return evidence_id_of(job)


def _begin(app: App, jobs: Sequence[IntakeJob], pack: str, added: AddedDocuments) -> None:
    """Begin a run over what is new or changed, and count it."""
    newest = _read_newest(app, [doc_id_of_url(file_url_of(job)) for job in jobs])
    wanted = []
    for job in jobs:
        before = newest.get(doc_id_of_url(file_url_of(job)))
        added.unchanged += before == evidence_id_of(job)
        if before != evidence_id_of(job):
            wanted.append(job)
            added.new += before is None
            added.changed += before is not None
    if wanted:
        params = {"documents": len(wanted), "pack": pack}
        first = [("intake", job) for job in wanted]
        added.run_id = start_run(app, label=LABEL, params=params, first=first)


def _expand(
    targets: Sequence[str | Path], added: AddedDocuments
) -> Iterator[tuple[str, str | Path]]:
    """Every document that is meant, each once, by the name that it keeps."""
    seen: set[str] = set()
    for target in targets:
        if isinstance(target, str) and target.startswith(("http://", "https://")):
            found: list[tuple[str, str | Path]] = [(target, target)]
        elif Path(target).is_dir():
            found = [(_name_file(file), file) for file in _walk(Path(target))]
            if not found:
                added.refused[str(target)] = ContentEmpty(
                    f"{target} has no files.", advice="Files that begin with a dot do not count."
                )
        else:
            found = [(_name_file(Path(target)), Path(target))]
        for name, place in found:
            if name not in seen:
                seen.add(name)
                yield name, place


def _walk(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, in one order; hidden ones are passed over."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _name_file(file: Path) -> str:
    """Its path from here, so that two files with one name in two folders are two documents."""
    whole = file.resolve()
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
    """The job that takes a document in, after its bytes were stored."""
    refuse_larger(len(data), app.tools.scout.limits)
    if not data:
        raise ContentEmpty(f"{name} is empty.", advice="Give a file with something in it.")
    return IntakeJob(
        content_hash=app.blobs.put(data),
        name=_check_name(name),
        source=source,
        content_type=content_type or mimetypes.guess_type(name)[0] or "application/octet-stream",
        url=url,
    )


async def _fetch(app: App, url: str) -> tuple[bytes, str]:
    # A fetcher of its own: that of the application belongs to the loop of its worker.
    from assay.app.tools import build_fetch_policy
    from assay.sources.fetching import Fetcher

    fetcher = Fetcher(build_fetch_policy(app.settings))
    try:
        answer = await fetcher.fetch(url)
    finally:
        await fetcher.close()
    if answer.status != _OK:
        raise ContentUnsupported(
            f"{url} answered {answer.status}.", advice="Open it in a browser; it may have moved."
        )
    return answer.body, answer.content_type


def _read_file(file: Path, limits: ReadLimits) -> bytes:
    try:
        refuse_larger(file.stat().st_size, limits)
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}.", advice="Name a file that is there."
        ) from error


def _check_name(name: str) -> str:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            "A file needs a name that can be shown.", advice="Name it as in report.txt."
        )
    return name


def _require_source(app: App, source: str | None, pack: str, hierarchy: int) -> str:
    """The source of the documents, made where it is not there; what a person set stays."""
    app.packs.require_pack(pack)
    slug = source or f"files-{pack.replace('_', '-')}"
    if _SLUG.fullmatch(slug) is None:
        raise InvalidInput(
            f"{slug!r} is not a name for a source.",
            advice="Use small letters, figures and dashes, such as town-gazette.",
        )
    if not HIGHEST <= hierarchy <= LOWEST:
        raise InvalidInput(f"{hierarchy} is not a rank of a source: ranks go from 1 to 7.")
    begun = Source(
        source_slug=slug,
        name=f"Files ({slug})",
        base_url="",
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
    """Documents that are known, with their newest evidence."""
    found: dict[str, str | None] = {}
    candidate = t.candidate
    with explain_errors(), app.engine.connect() as connection:
        for start in range(0, len(doc_ids), CHUNK):
            query = sa.select(candidate.c.doc_id, candidate.c.evidence_id)
            some = query.where(candidate.c.doc_id.in_(doc_ids[start : start + CHUNK]))
            found.update((row.doc_id, row.evidence_id) for row in connection.execute(some))
    return found
