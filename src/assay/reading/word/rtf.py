"""Rich Text Format: words between control words, in nested groups."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from assay.errors import ContentBroken, ContentEmpty, ContentHostile
from assay.reading.limits import ReadLimits
from assay.reading.result import MarkKind, Reading, clean_title
from assay.reading.word.document_writer import DocumentWriter

_TOKEN: Final = re.compile(
    r"""\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?
      | \\'(?P<byte>[0-9a-fA-F]{2})
      | \\(?P<sign>.)
      | (?P<group>[{}])
      | (?P<line>[\r\n\0]+)
      | (?P<text>[^\\{}\r\n\0]+)
      | (?P<stray>\\)""",
    re.VERBOSE | re.DOTALL,
)
_SKIPPED: Final = frozenset({
    "colortbl", "stylesheet", "pict", "object", "header", "headerl", "headerr", "headerf",
    "footer", "footerl", "footerr", "footerf", "annotation", "atnid", "atnauthor", "atntime",
    "atnicn", "atnref", "atrfstart", "atrfend", "fldinst", "nonshppict", "sp", "xe", "tc", "rxe",
    "bkmkstart", "bkmkend", "private", "datafield", "template", "do", "comment", "author",
    "operator", "creatim", "revtim", "printim", "subject", "keywords", "doccomm", "category",
    "manager", "company", "hlinkbase",
})  # fmt: skip
_KEPT: Final = frozenset({"shpinst", "shptxt", "footnote"})
"""Destinations that are read, although old readers may ignore them."""
_SIGNS: Final = {
    "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ",
    "line": "\n", "nestcell": "\t",
}  # fmt: skip
_ESCAPED: Final = {"~": "\xa0", "-": "\xad", "_": "\u2011", "\\": "\\", "{": "{", "}": "}"}
_CODE_PAGES: Final = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip


@dataclass(slots=True)
class _Group:
    """The state inside a pair of braces."""

    skipped: bool = False
    struck: bool = False
    deleted: bool = False
    revised: bool = False
    hidden: bool = False
    font: int = -1
    after_unicode: int = 1
    destination: str = ""


def read_rtf(data: bytes, limits: ReadLimits) -> Reading:
    """Read the text of an RTF document, with its tables and changes."""
    source = data.decode("latin-1")
    begin = source.find("{\\rtf")
    if begin < 0:
        raise ContentBroken("The document looked like RTF but is not.")
    reader = _Reader(source, limits)
    reader.read(begin)
    writing = reader.finish()
    if not writing.build_text().strip():
        raise ContentEmpty("The RTF document has no text.")
    warnings = []
    if reader.hidden:
        warnings.append(f"{reader.hidden} passages of hidden text are left out.")
    if not reader.closed:
        warnings.append("The file is cut off: its end is missing.")
    title = clean_title("".join(reader.title))
    return writing.build_reading(title, warnings, encoding="latin-1")


class _Reader:
    def __init__(self, source: str, limits: ReadLimits) -> None:
        self.hidden = 0
        self.title: list[str] = []
        self.closed = False
        self._source = source
        self._limits = limits
        self._body = self._writing = DocumentWriter(limits)
        self._groups: list[_Group] = []
        self._group = _Group()
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font_defined = -1
        self._bytes = bytearray()
        self._bytes_from = 0
        self._high = ""
        self._to_skip = 0
        self._ignorable = False
        self._in_table = self._row_open = False
        self._tabled = False
        self._notes: list[DocumentWriter] = []

    def read(self, at: int) -> None:
        """Read the tokens up to the brace that closes the document."""
        for token in self._read_tokens(at):
            if token.group("byte") is not None:
                self._add_byte(int(token.group("byte"), 16), token.start(), token.end())
                continue
            self._settle(token.start())
            if token.group("text") is not None:
                self._add_text(token.group("text"), token.start())
            elif token.group("group") == "{":
                self._begin_group()
            elif token.group("group") == "}":
                self._end_group()
                if not self._groups:
                    self.closed = True
                    return
            elif token.group("word"):
                self._apply_word(token)
            elif token.group("sign"):
                self._sign(token.group("sign"), token)
            if self._body.full:
                self.closed = True
                return

    def _read_tokens(self, at: int) -> Iterator[re.Match[str]]:
        while token := _TOKEN.match(self._source, at):
            yield token
            at = token.end()
            if token.group("word") == "bin":
                # Raw bytes follow, which may look like braces.
                at += max(0, int(token.group("number") or 0))

    def finish(self) -> DocumentWriter:
        """Return the whole text, with the notes at its end."""
        self._settle(len(self._source))
        self._end_table()
        for count, note in enumerate(self._notes, start=1):
            self._body.end_paragraph()
            self._body.add_gap(f"[{count}] ")
            self._body.absorb(note, own_line=False)
        return self._body

    def _begin_group(self) -> None:
        if len(self._groups) >= self._limits.max_depth:
            raise ContentHostile(
                f"More than {self._limits.max_depth} groups are nested in one another.",
                advice="Do not open it unless you trust its author.",
            )
        self._groups.append(self._group)
        self._group = replace(self._group, destination="")
        self._ignorable = False

    def _end_group(self) -> None:
        if self._group.destination == "footnote":
            self._notes.append(self._writing)
            self._writing = self._body
        self._group = self._groups.pop() if self._groups else _Group()
        self._ignorable = False
        self._to_skip = 0

    def _apply_word(self, token: re.Match[str]) -> None:
        word = token.group("word")
        number = int(token.group("number")) if token.group("number") else None
        if word == "u" and number is not None:
            self._add_unicode(number, token)
        elif word in ("fonttbl", "info"):
            self._group = replace(self._group, destination=word, skipped=True)
        elif word == "title" and self._group.skipped:
            self._group.destination = "title"
        elif word in ("f", "fcharset", "ansicpg", "mac", "uc"):
            self._of_fonts(word, number or 0)
        elif self._group.skipped:
            return
        elif word == "footnote":
            self._begin_note()
        elif word in _SKIPPED or (self._ignorable and word not in _KEPT):
            self._group.skipped = True
        elif word in _SIGNS:
            self._write_text(_SIGNS[word], token.start(), token.end())
        else:
            self._apply_layout(word, number)
        self._ignorable = False

    def _of_fonts(self, word: str, number: int) -> None:
        if word == "f":
            self._font_defined = number
            if not self._group.skipped:
                self._group.font = number
        elif word == "fcharset":
            if number in _CODE_PAGES and len(self._fonts) < 1000:
                self._fonts[self._font_defined] = _CODE_PAGES[number]
        elif word == "uc":
            self._group.after_unicode = max(0, min(number, 10))
        else:
            self._code_page = "mac-roman" if word == "mac" else _find_codec(number)

    def _apply_layout(self, word: str, number: int | None) -> None:
        on = number != 0
        if word in ("par", "sect"):
            self._writing.end_paragraph()
        elif word in ("page", "pagebb"):
            self._writing.end_paragraph()
            self._writing.end_page()
        elif word in ("strike", "striked"):
            self._group.struck = on
        elif word in ("deleted", "revised"):
            setattr(self._group, word, on)
        elif word == "v":
            self._group.hidden = on
        elif word == "plain":
            kept = self._group
            self._group = _Group(after_unicode=kept.after_unicode, destination=kept.destination)
        elif word == "pard":
            self._tabled = False
        elif word == "intbl":
            self._tabled = True
        elif word in ("cell", "row"):
            self._end_of(word)

    def _end_of(self, word: str) -> None:
        self._begin_row()
        if word == "cell":
            self._writing.end_cell()
            self._writing.begin_cell()
        else:
            self._writing.end_row()
            self._row_open = False

    def _begin_row(self) -> None:
        if not self._in_table:
            self._writing.begin_table()
            self._in_table = True
        if not self._row_open:
            self._writing.begin_row()
            self._writing.begin_cell()
            self._row_open = True

    def _end_table(self) -> None:
        if self._in_table:
            self._body.end_table()
            self._in_table = self._row_open = False

    def _begin_note(self) -> None:
        if self._writing is not self._body:
            self._group.skipped = True
            return
        self._writing.add_gap(f"[{len(self._notes) + 1}]")
        self._writing = DocumentWriter(self._limits)
        self._group.destination = "footnote"

    def _sign(self, sign: str, token: re.Match[str]) -> None:
        if sign == "*":
            self._ignorable = True
        elif sign in "\r\n" and not self._group.skipped:
            self._writing.end_paragraph()
        elif sign in _ESCAPED:
            self._add_text(_ESCAPED[sign], token.start(), token.end())

    def _add_text(self, text: str, start: int, end: int | None = None) -> None:
        if self._to_skip:
            gone = min(self._to_skip, len(text))
            self._to_skip -= gone
            text, start = text[gone:], start + gone
        if end is None and not text.isascii():
            text = text.encode("latin-1").decode(self._find_code_page(), errors="replace")
        self._write_text(text, start, end if end is not None else start + len(text))

    def _add_byte(self, value: int, start: int, end: int) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        if not self._bytes:
            self._bytes_from = start
        self._bytes.append(value)

    def _settle(self, end: int) -> None:
        """Decode the bytes that arrived one by one: two may form one character."""
        if self._bytes:
            text = bytes(self._bytes).decode(self._find_code_page(), errors="replace")
            self._bytes.clear()
            self._write_text(text, self._bytes_from, end)

    def _find_code_page(self) -> str:
        return self._fonts.get(self._group.font, self._code_page)

    def _add_unicode(self, number: int, token: re.Match[str]) -> None:
        self._to_skip = self._group.after_unicode
        code = number & 0xFFFF
        if 0xD800 <= code < 0xDC00:
            self._high = chr(code)
            return
        text = chr(code)
        if 0xDC00 <= code < 0xE000:
            pair = (self._high + text).encode("utf-16-le", "surrogatepass")
            text = pair.decode("utf-16-le", errors="replace")
        self._high = ""
        self._write_text(text, token.start(), token.end())

    def _write_text(self, text: str, start: int, end: int) -> None:
        group = self._group
        if group.skipped:
            if group.destination == "title" and len(self.title) < 1000:
                self.title.append(text)
            return
        if not text:
            return
        if group.hidden:
            self.hidden += 1
            return
        if self._writing is self._body:
            if self._tabled:
                self._begin_row()
            elif self._in_table and text.strip():
                self._end_table()
        mark = MarkKind.INSERTED if group.revised else None
        if group.struck or group.deleted:
            mark = MarkKind.STRUCK
        self._writing.add_words(text.replace("\t", " ") if self._tabled else text, start, end, mark)


def _find_codec(number: int) -> str:
    """The codec of a Windows code page; the most common one if the page is unknown."""
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return "cp1252"
