"""Files that a person gives: each becomes evidence, and goes the way of what was fetched."""

import mimetypes
import re
from pathlib import Path

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import start_run
from assay.errors import ContentEmpty, InvalidInput
from assay.model.ids import doc_id_of_url
from assay.model.records import Source
from assay.reading.documents import refuse_larger
from assay.reading.limits import ReadLimits
from assay.ruling.rules.authority import HIGHEST, LOWEST
from assay.spine.intake import evidence_of, url_of
from assay.spine.payloads import IntakeJob
from assay.store import tables as t
from assay.store.bulk import insert_new_rows
from assay.store.database import plain_errors

LABEL = "intake"
"""What the runs are called that take files in."""
_LONGEST_NAME = 500
_SLUG = re.compile(r"[a-z0-9]{1,60}(?:-[a-z0-9]{1,60}){0,12}")


def take_in(
    app: App,
    content: Path | bytes,
    *,
    name: str,
    pack: str,
    source: str | None = None,
    hierarchy: int = LOWEST,
    content_type: str | None = None,
) -> str:
    """Store a file and have it worked on by a pack; gives the id of the evidence that it becomes.

    A worker does the rest. The same content under the same name is known already, and nothing is
    begun for it. `source` says whose words they are, by default those of all files for the pack;
    `hierarchy` is the rank of a source that is not there yet.
    """
    app.packs.named(pack)
    data = _content(app, content)
    slug = source or f"files-{pack.replace('_', '-')}"
    job = IntakeJob(
        content_hash=app.blobs.put(data),
        name=_checked(name),
        source=slug,
        content_type=content_type or mimetypes.guess_type(name)[0] or "application/octet-stream",
    )
    _require_source(app, slug, pack, hierarchy)
    if not _is_known(app, job):
        start_run(app, label=LABEL, params={"file": name}, first=[("intake", job)])
    return evidence_of(job)


def _content(app: App, content: Path | bytes) -> bytes:
    limits = app.tools.scout.limits
    data = _read(content, limits) if isinstance(content, Path) else content
    refuse_larger(len(data), limits)
    if not data:
        raise ContentEmpty("The file is empty.", advice="Give one with something in it.")
    return data


def _read(file: Path, limits: ReadLimits) -> bytes:
    try:
        refuse_larger(file.stat().st_size, limits)
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}.", advice="Name a file that is there."
        ) from error


def _checked(name: str) -> str:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            "A file needs a name that can be shown.", advice="Name it as in report.txt."
        )
    return name


def _require_source(app: App, slug: str, pack: str, hierarchy: int) -> None:
    """The source of the file, begun where it is not there; what a person set stays."""
    if _SLUG.fullmatch(slug) is None:
        raise InvalidInput(
            f"{slug!r} is no name for a source.",
            advice="Use small letters, figures and dashes, such as town-gazette.",
        )
    if not HIGHEST <= hierarchy <= LOWEST:
        raise InvalidInput(f"{hierarchy} is no rank of a source: ranks go from 1 to 7.")
    begun = Source(
        source_slug=slug,
        name=f"Files ({slug})",
        base_url="",
        packs=[pack],
        hierarchy=hierarchy,
        created_ms=app.clock.now_ms(),
    )
    with plain_errors(), app.engine.begin() as connection:
        insert_new_rows(connection, t.source, ("source_slug",), [begun.row()])
        query = sa.select(t.source.c.packs).where(t.source.c.source_slug == slug)
        known = connection.execute(query).scalar_one()
    if pack not in known:
        belongs = f"belongs to the pack '{' and '.join(known)}'" if known else "has no pack"
        raise InvalidInput(
            f"Source '{slug}' {belongs}, not to '{pack}'.",
            advice="Name another source.",
        )


def _is_known(app: App, job: IntakeJob) -> bool:
    """Whether this very content is the newest of its document, and so was begun before."""
    query = sa.select(t.candidate.c.evidence_id).where(
        t.candidate.c.doc_id == doc_id_of_url(url_of(job))
    )
    with plain_errors(), app.engine.connect() as connection:
        return connection.execute(query).scalar() == evidence_of(job)
