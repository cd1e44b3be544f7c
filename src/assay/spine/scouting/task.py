"""All of scout's work on one document, done by a process of the pool.

The bytes are loaded once. A page is first looked at cheaply; only one that may be worth a token is
then read with care, while its bytes are in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import CorruptBlob
from assay.model.content import ContentClass
from assay.model.hashes import content_hash
from assay.reading.documents import read_document, refuse_larger
from assay.reading.forms import DocumentForm, sniff_form
from assay.reading.limits import ReadLimits
from assay.reading.page_look import look_at_page
from assay.reading.result import Reading
from assay.spine.scouting.assessment import (
    NEUTRAL_PROFILES,
    Assessment,
    accept_given_document,
    assess_text,
)
from assay.spine.scouting.profile import Scouting
from assay.spine.texts import PackedText, pack_reading

READER = "read/3"
"""Must be raised with every change that turns the same bytes into a different text."""


@dataclass(frozen=True, slots=True)
class ScoutOptions:
    """What scout's work depends on besides the document."""

    limits: ReadLimits = field(default_factory=ReadLimits)
    can_ocr: bool = True
    """Whether images of pages can be read here; otherwise the other pages must do."""
    by_hand: bool = False
    """Whether a person added the document: then it is worth reading."""
    profiles: Mapping[str, Scouting] = field(default_factory=lambda: NEUTRAL_PROFILES)
    """What each pack that watches its source looks for, by the name of the pack."""


@dataclass(frozen=True, slots=True)
class ScoutedDocument:
    """The result of scouting a document."""

    content_class: ContentClass
    assessment: Assessment
    text: PackedText | None
    """Stored if any pack may want it; None if it is still to be read by OCR."""


def scout_file(
    file: Path, hash_of_content: str, charset: str | None, options: ScoutOptions
) -> ScoutedDocument:
    """Scout stored bytes, after checking them against their hash."""
    try:
        refuse_larger(file.stat().st_size, options.limits)
        data = file.read_bytes()
    except FileNotFoundError:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} are gone.") from None
    if content_hash(data) != hash_of_content:
        raise CorruptBlob(f"The bytes stored under {hash_of_content} were altered.")
    return scout_bytes(data, charset, options)


def scout_bytes(data: bytes, charset: str | None, options: ScoutOptions) -> ScoutedDocument:
    """Judge a document, and pack its text if a pack may want it."""
    refuse_larger(len(data), options.limits)
    # If a glance at a page finds no words, it is read with care, which shows why.
    if sniff_form(data) is DocumentForm.HTML:
        found = _assess_page(data, charset, options)
        if found.measures.content_length:
            text = (
                pack_reading(read_document(data, options.limits, charset), READER)
                if found.is_wanted
                else None
            )
            return ScoutedDocument(ContentClass.HTML, found, text)
    reading = read_document(data, options.limits, charset)
    found = assess_reading(reading, options, unread=needs_ocr(reading, options))
    found = _explain_skip(found, reading.warnings)
    keep = found.is_wanted and bool(reading.text.strip())
    return ScoutedDocument(
        reading.content_class, found, pack_reading(reading, READER) if keep else None
    )


def examine_bytes(
    data: bytes, charset: str | None, options: ScoutOptions
) -> tuple[Reading, Assessment]:
    """The same assessment, and the whole reading, whatever the document is worth."""
    is_page = sniff_form(data) is DocumentForm.HTML
    reading = read_document(data, options.limits, charset)
    if is_page:
        return reading, _assess_page(data, charset, options)
    return reading, assess_reading(reading, options, unread=needs_ocr(reading, options))


def assess_reading(reading: Reading, options: ScoutOptions, *, unread: bool) -> Assessment:
    """What a reading is worth; `unread` says that some pages are still to be read."""
    found = assess_text(
        reading.text,
        options.profiles,
        title=reading.title,
        has_structured_data=bool(reading.tables),
        needs_ocr=unread,
    )
    return accept_given_document(found) if options.by_hand else found


def _assess_page(data: bytes, charset: str | None, options: ScoutOptions) -> Assessment:
    """Judge a page by a glance at it."""
    seen = look_at_page(data, charset)
    found = assess_text(
        seen.text,
        options.profiles,
        title=seen.title,
        boilerplate_ratio=seen.boilerplate_ratio,
        has_structured_data=seen.has_structured_data,
    )
    return accept_given_document(found) if options.by_hand else found


def needs_ocr(reading: Reading, options: ScoutOptions) -> bool:
    """A scan always needs OCR; a document with some images of pages, only if OCR is available."""
    if reading.content_class is ContentClass.PDF_SCANNED:
        return True
    return options.can_ocr and bool(reading.pages_without_text)


def _explain_skip(found: Assessment, warnings: Sequence[str]) -> Assessment:
    """If a document is skipped, add the reader's warnings to the reason."""
    if not warnings:
        return found
    explained = {
        pack: replace(judgement, skip_reason=f"{judgement.skip_reason} ({' '.join(warnings)})")
        if judgement.skip_reason is not None
        else judgement
        for pack, judgement in found.judgements.items()
    }
    return replace(found, judgements=explained)
