"""A page as a reading: its main text, with the way back to the page."""

from assay.model.content import ContentClass
from assay.reading.decoding import decoded
from assay.reading.html.main_part import main_lines
from assay.reading.html.page import Page
from assay.reading.limits import ReadLimits
from assay.reading.markup.draft import drafted
from assay.reading.result import Reading


def read_html(data: bytes, limits: ReadLimits | None = None, charset: str | None = None) -> Reading:
    """The main text of a page: without menus, banners and footers; with tables and marks."""
    limits = limits or ReadLimits()
    read = decoded(data, charset)
    page = Page(read.text, limits)
    draft = drafted(main_lines(page), page.tables, limits)
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
