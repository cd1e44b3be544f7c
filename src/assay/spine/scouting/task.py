"""The whole of scout's work on one document, done by a process of the workshop.

The bytes are loaded once. A page is first looked at cheaply; only one that may be worth a token
is read with care, while its bytes are in hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import CorruptBlob
from assay.model.content import ContentClass
from assay.model.hashes import content_hash
from assay.reading.classes import Sniffed, sniffed
from assay.reading.documents import read, refuse_larger
from assay.reading.limits import ReadLimits
from assay.reading.look import look
from assay.reading.result import Reading
from assay.spine.scouting.assessment import Assessment, assess, chosen
from assay.spine.texts import PackedText, packed

LOWEST_FLOOR = 0.30
"""The floor of the healthiest sources: what is under it is wanted by nobody."""
READER = "read/1"
"""Raised with whatever makes the same bytes another text."""


@dataclass(frozen=True, slots=True)
class ScoutOptions:
    """What scout's work depends on besides the document."""

    limits: ReadLimits = field(default_factory=ReadLimits)
    can_ocr: bool = True
    """Whether pictures of pages can be read here; without it, the other pages must do."""
    by_hand: bool = False
    """Whether a person gave the document: then it is worth it."""


@dataclass(frozen=True, slots=True)
class Scouted:
    """What came of it."""

    content_class: ContentClass
    assessment: Assessment
    text: PackedText | None
    """What is kept; nothing of what is not worth it, and nothing of pages still to be read."""


def scouted_file(
    file: Path, hash_of_content: str, charset: str | None, options: ScoutOptions
) -> Scouted:
    """The same for stored bytes, which are checked against their hash."""
    try:
        refuse_larger(file.stat().st_size, options.limits)
        data = file.read_bytes()
    except FileNotFoundError:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} are gone.") from None
    if content_hash(data) != hash_of_content:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} were altered.")
    return scouted(data, charset, options)


def scouted(data: bytes, charset: str | None, options: ScoutOptions) -> Scouted:
    """Judge a document, and keep its text if it may be worth it."""
    refuse_larger(len(data), options.limits)
    # A page in which a glance sees no word is read with care, which says why there is none.
    if sniffed(data) is Sniffed.HTML and (found := _glanced(data, charset)).content_length:
        found = chosen(found) if options.by_hand else found
        text = packed(read(data, options.limits, charset), READER) if _worth(found) else None
        return Scouted(ContentClass.HTML, found, text)
    reading = read(data, options.limits, charset)
    found = _explained(judged(reading, unread=needs_ocr(reading, options)), reading.warnings)
    found = chosen(found) if options.by_hand else found
    keep = _worth(found) and bool(reading.text.strip())
    return Scouted(reading.content_class, found, packed(reading, READER) if keep else None)


def examined(data: bytes, charset: str | None, options: ScoutOptions) -> tuple[Reading, Assessment]:
    """The same judgement, and the whole reading whatever the document is worth."""
    is_page = sniffed(data) is Sniffed.HTML
    reading = read(data, options.limits, charset)
    if is_page:
        return reading, _glanced(data, charset)
    return reading, judged(reading, unread=needs_ocr(reading, options))


def judged(reading: Reading, *, unread: bool) -> Assessment:
    """What a reading is worth; `unread` says that pages of it are still to be read."""
    return assess(
        reading.text,
        title=reading.title,
        has_structured_data=bool(reading.tables),
        needs_ocr=unread,
    )


def _glanced(data: bytes, charset: str | None) -> Assessment:
    seen = look(data, charset)
    return assess(
        seen.text,
        title=seen.title,
        boilerplate_ratio=seen.boilerplate_ratio,
        has_structured_data=seen.has_structured_data,
    )


def needs_ocr(reading: Reading, options: ScoutOptions) -> bool:
    """A scan needs it; a document with some pictures of pages has it where it can be had."""
    if reading.content_class is ContentClass.PDF_SCANNED:
        return True
    return options.can_ocr and bool(reading.pages_without_text)


def _explained(found: Assessment, warnings: Sequence[str]) -> Assessment:
    """Where a document is skipped, what was wrong with it belongs to the reason."""
    if found.skip_reason is None or not warnings:
        return found
    return replace(found, skip_reason=f"{found.skip_reason} ({' '.join(warnings)})")


def _worth(found: Assessment) -> bool:
    return found.skip_reason is None and found.worth_it_score >= LOWEST_FLOOR
