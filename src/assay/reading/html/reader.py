"""A page as a reading: its main text, linked back to the page."""

from assay.model.content import ContentClass
from assay.reading.decoding import decode_bytes
from assay.reading.html.main_part import find_main_lines
from assay.reading.html.page import HtmlPage
from assay.reading.limits import ReadLimits
from assay.reading.markup.draft import build_draft
from assay.reading.result import Reading


def read_html(data: bytes, limits: ReadLimits | None = None, charset: str | None = None) -> Reading:
    """Read the main text of a page: without menus, banners and footers; with tables and marks."""
    limits = limits or ReadLimits()
    read = decode_bytes(data, charset)
    page = HtmlPage(read.text, limits)
    draft = build_draft(find_main_lines(page), page.tables, limits)
    return Reading(
        content_class=ContentClass.HTML,
        text=draft.text,
        title=page.title,
        encoding=read.encoding,
        segments=draft.segments,
        tables=draft.tables,
        marks=draft.marks,
        warnings=(*read.warnings, *page.warnings, *draft.warnings),
    )
