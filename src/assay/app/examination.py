"""Reads and judges any file or address, without a store."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.app.tools import Tools
from assay.errors import AssayError, ContentTooLarge, ContentUnsupported, InvalidInput
from assay.model.hashes import content_hash
from assay.model.records import ScoutResult
from assay.reading.result import Reading
from assay.reading.similarity import Kinship, find_resemblances
from assay.spine.routing import EvidenceRoute, RoutingTerms, decide_route
from assay.spine.scanning import ScannedDocument, Scanner
from assay.spine.scout import build_scout_result
from assay.spine.scouting.assessment import DocumentMeasures
from assay.spine.scouting.profile import NEUTRAL, NO_PACK, Scouting
from assay.spine.scouting.task import assess_reading, examine_bytes
from assay.store.scratch import ScratchFolder


@dataclass(frozen=True)
class Examination:
    """The result for one target: a reading and its assessment, or the reason why there is none."""

    target: str
    size: int = 0
    error: AssayError | None = None
    reading: Reading | None = None
    measures: DocumentMeasures | None = None
    scout: ScoutResult | None = None
    route: EvidenceRoute | None = None
    scanned: ScannedDocument | None = None
    notes: tuple[str, ...] = field(default_factory=tuple)

    def values(self) -> dict[str, Any]:
        """The result as JSON."""
        if self.error is not None:
            error = {"code": self.error.code, "message": str(self.error)}
            return {"target": self.target, "size": self.size, "error": error}
        assert self.reading and self.scout and self.route
        reading = self.reading
        return {
            "target": self.target,
            "size": self.size,
            "class": reading.content_class.value,
            "title": reading.title,
            "encoding": reading.encoding or None,
            "language": self.scout.language,
            "text": reading.text,
            "pages": [
                {"number": p.number, "start": p.start, "end": p.end, "label": p.label}
                for p in reading.pages
            ],
            "pages_without_text": list(reading.pages_without_text),
            "marks": [
                {"kind": m.kind.value, "start": m.start, "end": m.end} for m in reading.marks
            ],
            "tables": [
                {"start": t.start, "end": t.end, "page": t.page, "caption": t.caption,
                 "rows": [list(row) for row in t.rows]}
                for t in reading.tables
            ],
            "segments": [
                [s.start, s.end, s.source_start, s.source_end, s.place] for s in reading.segments
            ],
            "warnings": [*reading.warnings, *self.notes],
            "scout": self.scout.model_dump(mode="json", exclude={"evidence_id", "pack"}),
            "route": {"decision": self.route.decision.value, "reason": self.route.reason},
            "scanned_pages": None if self.scanned is None else self.scanned.values(),
        }  # fmt: skip


async def examine_targets(
    targets: Sequence[str],
    tools: Tools,
    *,
    scouting: Scouting = NEUTRAL,
    ocr: bool = True,
    on_done: Callable[[], None] | None = None,
    on_page: Callable[[], None] | None = None,
) -> list[Examination]:
    """Fetch or load, read and assess each target; a failure affects only its own target.

    `scouting` is the profile to assess them by; without one, quality alone decides.
    """
    found: list[Examination] = []
    for target in targets:
        found.append(await _examine_target(target, tools, scouting, ocr, on_page))
        if on_done is not None:
            on_done()
    return _mark_near_copies(found, _build_terms(scouting))


async def _examine_target(
    target: str,
    tools: Tools,
    scouting: Scouting,
    ocr: bool,
    on_page: Callable[[], None] | None,
) -> Examination:
    size, scanned = 0, None
    options = replace(tools.scout, profiles={NO_PACK: scouting})
    notes: tuple[str, ...] = ()
    try:
        data, charset = await _load_target(target, tools)
        size = len(data)
        reading, found = await tools.pool.run(examine_bytes, data, charset, options)
        if found.measures.needs_ocr and ocr:
            if (here := tools.check_ocr()).ok:
                scanned = await _scan_pages(data, reading, tools.scanner, on_page)
                reading = scanned.reading
                found = assess_reading(reading, options, unread=False)
            else:
                notes = (here.how_to_get,)
    except AssayError as error:
        return Examination(target, size, error=error)
    result = build_scout_result(target, found, NO_PACK)
    return Examination(
        target,
        size,
        reading=reading,
        measures=found.measures,
        scout=result,
        route=decide_route(result, _build_terms(scouting)),
        scanned=scanned,
        notes=notes,
    )


def _build_terms(scouting: Scouting) -> RoutingTerms:
    return (
        RoutingTerms() if scouting.threshold is None else RoutingTerms(threshold=scouting.threshold)
    )


async def _scan_pages(
    data: bytes, reading: Reading, scanner: Scanner, on_page: Callable[[], None] | None
) -> ScannedDocument:
    """Read the scanned pages without leaving any files behind."""
    with tempfile.TemporaryDirectory(prefix="assay-read-") as folder:
        file = Path(folder) / "document"
        file.write_bytes(data)
        async with scanner.pool.open_for(Path(folder)) as pool:
            own = replace(scanner, pool=pool, scratch=ScratchFolder(Path(folder) / "scratch"))
            return await own.scan(file, content_hash(data), reading, on_page=on_page)


async def _load_target(target: str, tools: Tools) -> tuple[bytes, str | None]:
    if target.startswith(("http://", "https://")):
        answer = await tools.fetcher.fetch(target)
        if answer.status != 200:
            raise ContentUnsupported(f"{target} answered {answer.status}.")
        return answer.body, answer.charset
    path = Path(target)
    try:
        size = path.stat().st_size
        if size > tools.scout.limits.max_bytes:
            raise ContentTooLarge(
                f"{target} has {size} bytes; the limit is {tools.scout.limits.max_bytes}.",
                advice="Split it.",
            )
        return path.read_bytes(), None
    except OSError as error:
        raise InvalidInput(
            f"{target} cannot be read: {error.strerror}.", advice="Give a file or an http address."
        ) from error


def _mark_near_copies(found: Sequence[Examination], terms: RoutingTerms) -> list[Examination]:
    """Mark targets that say the same as an earlier one, or almost the same."""
    marked: list[Examination] = []
    for number, entry in enumerate(found):
        signature = entry.measures.signature if entry.measures else None
        if signature is None or entry.scout is None:
            marked.append(entry)
            continue
        earlier = {
            other.target: other.measures.signature
            for other in found[:number]
            if other.measures and other.measures.signature and other.target != entry.target
        }
        kin = next(iter(find_resemblances(entry.target, signature, earlier)), None)
        if kin is None:
            marked.append(entry)
            continue
        field_name = "version_of" if kin.kinship is Kinship.VERSION else "duplicate_of"
        result = entry.scout.model_copy(
            update={field_name: kin.evidence_id, "similarity": kin.share}
        )
        marked.append(replace(entry, scout=result, route=decide_route(result, terms)))
    return marked
