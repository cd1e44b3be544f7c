"""Word documents from 1997 to 2003: pieces of text in a stream, ordered by a table."""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from assay.errors import ContentBroken, ContentEmpty, ContentEncrypted, ContentUnsupported
from assay.reading.compound import Compound
from assay.reading.limits import ReadLimits
from assay.reading.result import MarkKind, Reading
from assay.reading.word.document_writer import DocumentWriter
from assay.reading.word.formatting import (
    CharacterLooks,
    TableParagraph,
    read_looks,
    read_table_paragraphs,
)

_WORD: Final = 0xA5EC
_OLDEST: Final = 0xC1
_ENCRYPTED, _OBFUSCATED, _SECOND_TABLE = 0x0100, 0x8000, 0x0200
_PLACE: Final = "WordDocument"
_LEFT_OUT: Final = frozenset("\x01\x02\x03\x04\x05\x06\x08\x0e\x0f\x10\x11\x12\x16\x17\x18\x19")
_CONTROL: Final = re.compile("[\x00-\x1f]")
_SIGNS: Final = {"\x1e": "\u2011", "\x1f": "\xad", "\x0b": "\n"}


class _Piece(NamedTuple):
    """A stretch of the document's characters, and where its bytes are."""

    first: int
    after: int
    offset: int
    width: int
    """Bytes per character."""


def read_doc(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of an old Word document, in order, with struck and inserted words."""
    compound = Compound(data)
    compound.refuse_encrypted()
    main = compound.read_stream("WordDocument")
    if main is None:
        raise ContentBroken("The Word document has no text stream: it is damaged.")
    try:
        return _read_streams(compound, main, limits)
    except (struct.error, IndexError, OverflowError) as error:
        # A number in a damaged file may point outside the file.
        raise ContentBroken("The Word document is damaged: its tables do not fit.") from error


def _read_streams(compound: Compound, main: bytes, limits: ReadLimits) -> Reading:
    kind, version = struct.unpack_from("<HH", main, 0)
    (flags,) = struct.unpack_from("<H", main, 0x0A)
    if kind != _WORD or version < _OLDEST:
        raise ContentUnsupported(
            "The document was written by a Word older than Word 97, which Assay does not read.",
            advice="Save it as DOCX or PDF.",
        )
    if flags & (_ENCRYPTED | _OBFUSCATED):
        raise ContentEncrypted("The Word document is password-protected.")
    table = compound.read_stream("1Table" if flags & _SECOND_TABLE else "0Table")
    if table is None:
        raise ContentBroken("The Word document has no table of its text: it is damaged.")
    pieces = _read_pieces(main, table)
    story = _Story(
        main, pieces, read_looks(main, table), read_table_paragraphs(main, table), limits
    )
    story.write()
    writing = story.writing
    if not writing.build_text().strip():
        raise ContentEmpty("The Word document has no text.")
    warnings = []
    if story.hidden:
        warnings.append(f"{story.hidden} passages of hidden text are left out.")
    return writing.build_reading(compound.read_title(), warnings)


def _read_pieces(main: bytes, table: bytes) -> list[_Piece]:
    at, length = struct.unpack_from("<II", main, 0x1A2)
    clx = table[at : at + length]
    place = 0
    while clx[place] == 1:
        place += 3 + struct.unpack_from("<H", clx, place + 1)[0]
    if clx[place] != 2:
        raise ContentBroken("The Word document is damaged: the order of its text is lost.")
    (size,) = struct.unpack_from("<I", clx, place + 1)
    order = clx[place + 5 : place + 5 + size]
    count = (len(order) - 4) // 12
    if count < 1:
        raise ContentBroken("The Word document is damaged: the order of its text is lost.")
    starts = struct.unpack_from(f"<{count + 1}I", order, 0)
    pieces = []
    for number in range(count):
        (where,) = struct.unpack_from("<I", order, 4 * (count + 1) + 8 * number + 2)
        narrow = bool(where & 0x40000000)
        where &= 0x3FFFFFFF
        if starts[number + 1] > starts[number]:
            offset, width = (where // 2, 1) if narrow else (where, 2)
            pieces.append(_Piece(starts[number], starts[number + 1], offset, width))
    return pieces


class _Story:
    """Writes the main text, then the notes and boxes that follow it."""

    def __init__(
        self,
        main: bytes,
        pieces: list[_Piece],
        looks: CharacterLooks,
        tabled: list[TableParagraph],
        limits: ReadLimits,
    ) -> None:
        self.writing = DocumentWriter(limits, _PLACE)
        self.hidden = 0
        self._main = main
        self._pieces = pieces
        self._looks = looks
        self._tabled = tabled
        self._tabled_from = [paragraph.start for paragraph in tabled]
        self._room = limits.max_characters
        self._fields = 0
        """How many fields are open whose instruction, not their result, is being read."""
        self._results: list[bool] = []
        self._in_table = self._in_row = False

    def write(self) -> None:
        text, notes, headers, macros, comments, ends, boxes = struct.unpack_from(
            "<7I", self._main, 0x4C
        )
        self._write(0, text)
        at = text
        for length, is_read in (
            (notes, True),
            (headers, False),
            (macros, False),
            (comments, False),
            (ends, True),
            (boxes, True),
        ):
            if is_read and length:
                self._end_table()
                self._fields, self._results = 0, []
                self.writing.end_paragraph()
                self._write(at, at + length)
            at += length
        self._end_table()

    def _write(self, first: int, after: int) -> None:
        for start, text, place, width in self._read_stretches(first, after):
            if self.writing.full:
                return
            for begin, end, look in self._looks.list_within(
                place, place + width * len(text), width
            ):
                a, b = (begin - place) // width, (end - place) // width
                if look.hidden:
                    self.hidden += 1
                else:
                    self._write_text(text[a:b], start + a, place + width * a, width, look.mark)

    def _read_stretches(self, first: int, after: int) -> Iterator[tuple[int, str, int, int]]:
        """The characters of some positions, piece by piece, and where their bytes are."""
        for piece in self._pieces:
            start, end = max(first, piece.first), min(after, piece.after)
            if start >= end or self._room <= 0:
                continue
            end = min(end, start + self._room)
            self._room -= end - start
            place = piece.offset + (start - piece.first) * piece.width
            data = self._main[place : place + (end - start) * piece.width]
            yield start, _decode_piece(data, piece.width), place, piece.width

    def _write_text(
        self, text: str, start: int, place: int, width: int, mark: MarkKind | None
    ) -> None:
        plain = 0
        for found in _CONTROL.finditer(text):
            at = found.start()
            self._write_words(text[plain:at], start + plain, place + plain * width, mark)
            plain = at + 1
            self._apply_control(text[at], place + at * width, mark)
        self._write_words(text[plain:], start + plain, place + plain * width, mark)

    def _write_words(self, text: str, start: int, place: int, mark: MarkKind | None) -> None:
        if text and not self._fields:
            self._enter(place)
            self.writing.add_words(text, start, start + len(text), mark)

    def _enter(self, place: int) -> TableParagraph | None:
        """Open a table, a row and a cell if the place is in one; otherwise close the table."""
        number = bisect_right(self._tabled_from, place) - 1
        paragraph = self._tabled[number] if number >= 0 else None
        if paragraph is None or place >= paragraph.end:
            self._end_table()
            return None
        if not self._in_table:
            self.writing.begin_table()
            self._in_table = True
        if not self._in_row and not paragraph.ends_row:
            self.writing.begin_row()
            self.writing.begin_cell()
            self._in_row = True
        return paragraph

    def _apply_control(self, character: str, place: int, mark: MarkKind | None) -> None:
        if character == "\x13":
            self._results.append(False)
            self._fields += 1
        elif character == "\x14" and self._results and not self._results[-1]:
            self._results[-1] = True
            self._fields -= 1
        elif character == "\x15" and self._results:
            self._fields -= 0 if self._results.pop() else 1
        elif self._fields or character in _LEFT_OUT:
            return
        elif character == "\x07":
            self._end_cell(place)
        elif character == "\r":
            self.writing.end_paragraph()
        elif character == "\x0c":
            self.writing.end_paragraph()
            self.writing.end_page()
        elif character in _SIGNS:
            self.writing.add_gap(_SIGNS[character], mark)
        elif character in "\t\n":
            self.writing.add_gap(" " if character == "\n" else "\t", mark)

    def _end_cell(self, place: int) -> None:
        """End a cell or a row, which only the formatting of the mark distinguishes."""
        paragraph = self._enter(place)
        if paragraph is None:
            self.writing.add_gap("\t")
        elif paragraph.ends_row:
            self.writing.end_row()
            self._in_row = False
        else:
            self.writing.end_cell()
            self.writing.begin_cell()

    def _end_table(self) -> None:
        if self._in_table:
            self.writing.end_table()
            self._in_table = self._in_row = False


def _decode_piece(data: bytes, width: int) -> str:
    """One character for each position, whatever the bytes are."""
    if width == 1:
        return data.decode("cp1252", errors="replace")
    data = data[: len(data) // 2 * 2]
    text = data.decode("utf-16-le", errors="replace")
    if len(text) * 2 == len(data):
        return text
    units = struct.unpack(f"<{len(data) // 2}H", data)
    return "".join("\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit) for unit in units)
