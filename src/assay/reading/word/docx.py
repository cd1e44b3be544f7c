"""Current Word documents: a packed folder of XML parts."""

import posixpath
from collections.abc import Callable
from typing import TypeVar

from assay.errors import ContentBroken, ContentEmpty
from assay.reading.archives import Archive
from assay.reading.elements import Attributes, find_title, walk_elements
from assay.reading.limits import ReadLimits
from assay.reading.result import Reading, clean_title
from assay.reading.word.body import Body
from assay.reading.word.document_writer import DocumentWriter
from assay.reading.word.styles import Styles, read_lists, read_styles

_Told = TypeVar("_Told")
_MAIN = "word/document.xml"
_RENDERED = b"lastRenderedPageBreak"


def read_docx(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of a Word document, with its tables, changes and notes."""
    archive = Archive(data, limits)
    main = _find_main_part(archive, limits)
    source = archive.read_part(main)
    if source is None:
        raise ContentBroken("The Word document has no body: it is damaged, or something else.")
    folder = posixpath.dirname(main)
    warnings: list[str] = []
    styles = (
        _read_optional(read_styles, archive, f"{folder}/styles.xml", limits, warnings) or Styles()
    )
    lists = _read_optional(read_lists, archive, f"{folder}/numbering.xml", limits, warnings)
    writing = DocumentWriter(limits, main)
    body = Body(writing, styles, lists or read_lists(None, limits), limits, _RENDERED in source)
    try:
        walk_elements(source, body, limits, "its body")
    except ContentBroken as error:
        if not writing.at:
            raise
        warnings.append(f"Only the part before the damage was read. {error.what}")
        writing = _close_boxes(body)
    _append_notes(archive, folder, body, writing, limits, warnings)
    if body.hidden:
        warnings.append(f"{body.hidden} passages of hidden text are left out.")
    if body.chunks:
        warnings.append(f"{body.chunks} documents inside this one are not read.")
    if not writing.build_text().strip():
        pictures = sum(name.startswith(f"{folder}/media/") for name in archive.names)
        raise ContentEmpty(
            f"The Word document has no text; it has {pictures} pictures.",
            advice="If its pages are images, convert it to PDF.",
        )
    title = _read_title(archive, limits) or clean_title(body.title)
    return writing.build_reading(title, warnings)


def _close_boxes(body: Body) -> DocumentWriter:
    """The text of the document itself, if the damage is inside a box."""
    while body.is_in_box:
        body.end("w:txbxContent", lambda: 0)
    return body.writing


def _read_optional(
    read: Callable[[bytes | None, ReadLimits], _Told],
    archive: Archive,
    name: str,
    limits: ReadLimits,
    warnings: list[str],
) -> _Told | None:
    """Read a part beside the body; the text is complete without it."""
    try:
        return read(archive.read_part(name), limits)
    except ContentBroken as error:
        warnings.append(error.what)
        return None


def _append_notes(
    archive: Archive,
    folder: str,
    body: Body,
    writing: DocumentWriter,
    limits: ReadLimits,
    warnings: list[str],
) -> None:
    """Append the notes at the end, each after the number that refers to it."""
    by_key: dict[tuple[str, str], DocumentWriter] = {}
    for kind in {kind for kind, _ in body.notes}:
        name = f"{folder}/{kind}s.xml"
        try:
            source = archive.read_part(name)
            if source is not None:
                notes = _Notes(kind, name, limits)
                walk_elements(source, notes, limits, f"its {kind}s")
                by_key.update(notes.by_key)
        except ContentBroken as error:
            warnings.append(error.what)
    for count, key in enumerate(body.notes, start=1):
        if key in by_key and by_key[key].at:
            writing.end_paragraph()
            writing.add_gap(f"[{count}] ")
            writing.absorb(by_key.pop(key), own_line=False)


class _Notes:
    """The notes of a part, each written separately."""

    def __init__(self, kind: str, place: str, limits: ReadLimits) -> None:
        self.by_key: dict[tuple[str, str], DocumentWriter] = {}
        self._kind = kind
        self._place = place
        self._limits = limits
        self._body: Body | None = None

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if name == f"w:{self._kind}":
            writing = DocumentWriter(self._limits, self._place)
            # Separator lines are notes too, but have a type.
            if "w:type" not in attributes:
                self.by_key[self._kind, attributes.get("w:id", "")] = writing
            no_lists = read_lists(None, self._limits)
            self._body = Body(writing, Styles(), no_lists, self._limits, rendered=False)
        elif self._body is not None:
            self._body.begin(name, attributes, here)

    def end(self, name: str, here: Callable[[], int]) -> None:
        if name == f"w:{self._kind}":
            self._body = None
        elif self._body is not None:
            self._body.end(name, here)

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        if self._body is not None:
            self._body.add_characters(text, here)


def _find_main_part(archive: Archive, limits: ReadLimits) -> str:
    """The name of the body part, which an archive may choose freely."""
    if _MAIN in archive.names:
        return _MAIN
    found = _Relations()
    source = archive.read_part("_rels/.rels")
    if source is not None:
        walk_elements(source, found, limits, "its list of parts")
    return found.main.lstrip("/").lower() or _MAIN


class _Relations:
    def __init__(self) -> None:
        self.main = ""

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if attributes.get("Type", "").endswith("/officeDocument"):
            self.main = attributes.get("Target", "")

    def end(self, name: str, here: Callable[[], int]) -> None:
        pass

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass


def _read_title(archive: Archive, limits: ReadLimits) -> str | None:
    source = archive.read_part("docprops/core.xml")
    return None if source is None else find_title(source, limits)
