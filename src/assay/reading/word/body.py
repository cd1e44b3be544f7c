"""The body of a Word document: paragraphs, tables, changes, boxes and note references."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from assay.reading.elements import Attributes
from assay.reading.limits import ReadLimits
from assay.reading.result import MarkKind
from assay.reading.word.document_writer import DocumentWriter
from assay.reading.word.styles import Lists, Styles, is_on, parse_number

_SKIPPED: Final = frozenset({
    "mc:Fallback", "w:rPrChange", "w:pPrChange", "w:tblPrChange", "w:trPrChange", "w:tcPrChange",
    "w:sectPrChange", "w:numberingChange", "w:tblGridChange", "w:sdtPr", "w:rubyPr", "w:rt",
})  # fmt: skip
"""A second copy of some content, or its state before a change of formatting."""
_WORDS: Final = frozenset({"w:t", "w:delText", "m:t"})
_CHANGES: Final = {
    "w:del": MarkKind.STRUCK,
    "w:moveFrom": MarkKind.STRUCK,
    "w:ins": MarkKind.INSERTED,
    "w:moveTo": MarkKind.INSERTED,
}
_PROPERTIES: Final = frozenset({"w:pPr", "w:rPr", "w:trPr", "w:tcPr", "w:tblPr", "w:sectPr"})
_SIGNS: Final = {"w:cr": "\n", "w:noBreakHyphen": "\u2011", "w:softHyphen": "\xad"}
_MOST_BOXES: Final = 8
_ON_ONE_LINE: Final = str.maketrans("\r\n\t", "   ")


@dataclass(slots=True)
class _Paragraph:
    style: str = ""
    list_id: str = ""
    level: int = 0
    label: str = ""
    ends_page: bool = False
    boxes: list[DocumentWriter] = field(default_factory=list)


@dataclass(slots=True)
class _Run:
    style: str = ""
    struck: bool | None = None
    hidden: bool | None = None


@dataclass(slots=True)
class _Frame:
    """The state that is saved while a box inside a paragraph is written."""

    writing: DocumentWriter
    paragraph: _Paragraph
    run: _Run
    properties: list[str]


class Body:
    """Writes the text of a part of a Word document."""

    def __init__(
        self,
        writing: DocumentWriter,
        styles: Styles,
        lists: Lists,
        limits: ReadLimits,
        rendered: bool,
    ) -> None:
        self.writing = writing
        self.hidden = 0
        """Stretches of hidden text that were left out."""
        self.chunks = 0
        """Embedded documents of another kind."""
        self.title = ""
        self.notes: list[tuple[str, str]] = []
        """The notes referred to, in order: kind and id."""
        self._styles = styles
        self._lists = lists
        self._limits = limits
        self._rendered = rendered
        self._skip = 0
        self._properties: list[str] = []
        self._paragraph = _Paragraph()
        self._run = _Run()
        self._frames: list[_Frame] = []
        self._changes: list[MarkKind] = []
        self._row_changes: list[MarkKind | None] = []
        self._spans: list[int] = []
        self._pieces: list[str] | None = None
        self._pieces_from = -1

    @property
    def is_in_box(self) -> bool:
        """Whether a box is being written."""
        return bool(self._frames)

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        """An element of the part begins."""
        if self._skip or name in _SKIPPED:
            self._skip += 1
        elif name in _PROPERTIES:
            self._properties.append(name)
        elif self._properties:
            self._apply_property(name, attributes)
        elif name in _WORDS:
            self._pieces, self._pieces_from = [], -1
        elif name == "w:r":
            self._run = _Run()
        elif name == "w:p":
            self._paragraph = _Paragraph()
        elif name in _CHANGES:
            self._changes.append(_CHANGES[name])
        elif name == "w:txbxContent":
            self._begin_box()
        else:
            self._sign(name, attributes)
            self._begin_of_table(name)

    def end(self, name: str, here: Callable[[], int]) -> None:
        """An element of the part ends."""
        if self._skip:
            self._skip -= 1
        elif name in _PROPERTIES:
            self._properties.pop()
            if name == "w:pPr":
                self._begin_paragraph()
        elif self._properties:
            return
        elif name in _WORDS:
            self._end_words(here())
        elif name == "w:p":
            self._end_paragraph()
        elif name in _CHANGES and self._changes:
            self._changes.pop()
        elif name == "w:txbxContent":
            self._end_box()
        else:
            self._end_of_table(name)

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        """Take the characters between elements."""
        if self._pieces is not None and not self._skip:
            if self._pieces_from < 0:
                self._pieces_from = here()
            self._pieces.append(text)

    def _apply_property(self, name: str, attributes: Attributes) -> None:
        inside, value = self._properties, attributes.get("w:val", "")
        if inside == ["w:rPr"]:
            if name in ("w:strike", "w:dstrike"):
                self._run.struck = self._run.struck or is_on(attributes)
            elif name in ("w:vanish", "w:webHidden"):
                self._run.hidden = is_on(attributes)
            elif name == "w:rStyle":
                self._run.style = value
        elif inside == ["w:pPr"]:
            if name == "w:pStyle":
                self._paragraph.style = value
            elif name == "w:numId":
                self._paragraph.list_id = value
            elif name == "w:ilvl":
                self._paragraph.level = parse_number(value)
            elif name == "w:pageBreakBefore" and is_on(attributes):
                self._end_page(rendered=False)
        elif inside == ["w:pPr", "w:sectPr"]:
            if name == "w:pgSz":
                self._paragraph.ends_page = True
            elif name == "w:type" and value in ("continuous", "nextColumn"):
                self._paragraph.ends_page = False
        elif inside == ["w:trPr"] and name in _CHANGES and self._row_changes:
            self._row_changes[-1] = _CHANGES[name]
        elif inside == ["w:tcPr"] and name == "w:gridSpan" and self._spans:
            self._spans[-1] = parse_number(value)
            self.writing.begin_cell(self._spans[-1])

    def _begin_paragraph(self) -> None:
        paragraph = self._paragraph
        listed = (paragraph.list_id, paragraph.level) if paragraph.list_id else None
        listed = listed or self._styles.list_of(paragraph.style)
        if listed and listed[0] != "0":
            paragraph.label = self._lists.next_label(*listed)

    def _end_paragraph(self) -> None:
        for box in self._paragraph.boxes:
            self.writing.absorb(box)
        self.writing.end_paragraph()
        if self._paragraph.ends_page:
            self._end_page(rendered=False)
        self._paragraph = _Paragraph()

    def _end_words(self, end: int) -> None:
        pieces, start = self._pieces, self._pieces_from
        self._pieces = None
        if not pieces or self.writing.full:
            return
        text = "".join(pieces).translate(_ON_ONE_LINE)
        if self._is_hidden():
            self.hidden += 1
            return
        if self._paragraph.label:
            self.writing.add_gap(self._paragraph.label + " ")
            self._paragraph.label = ""
        if not self.title and self._styles.is_title(self._paragraph.style):
            self.title = text
        self.writing.add_words(text, start, end, self._mark())

    def _is_hidden(self) -> bool:
        run = self._run
        if run.hidden is not None:
            return run.hidden
        return self._styles.is_hidden(run.style) or self._styles.is_hidden(self._paragraph.style)

    def _mark(self) -> MarkKind | None:
        run = self._run
        struck = run.struck
        if struck is None:
            struck = self._styles.is_struck(run.style) or self._styles.is_struck(
                self._paragraph.style
            )
        changes = {*self._changes, *self._row_changes}
        if struck or MarkKind.STRUCK in changes:
            return MarkKind.STRUCK
        return MarkKind.INSERTED if MarkKind.INSERTED in changes else None

    def _sign(self, name: str, attributes: Attributes) -> None:
        if name == "w:tab":
            self.writing.add_gap(" " if self.writing.in_table else "\t", self._mark())
        elif name == "w:br":
            if attributes.get("w:type") == "page":
                self.writing.end_paragraph()
                self._end_page(rendered=False)
            else:
                self.writing.add_gap("\n", self._mark())
        elif name == "w:lastRenderedPageBreak":
            self._end_page(rendered=True)
        elif name in _SIGNS:
            self.writing.add_gap(_SIGNS[name], self._mark())
        elif name == "w:sym":
            self._add_symbol(attributes.get("w:char", ""))
        elif name in ("w:footnoteReference", "w:endnoteReference"):
            self.notes.append((name.removeprefix("w:")[: -len("Reference")], attributes["w:id"]))
            self.writing.add_gap(f"[{len(self.notes)}]", self._mark())
        elif name == "w:altChunk":
            self.chunks += 1

    def _add_symbol(self, code: str) -> None:
        try:
            character = chr(int(code, 16))
        except (ValueError, OverflowError):
            return
        # Symbol fonts number their signs as they like.
        private = "\ue000" <= character <= "\uf8ff"
        self.writing.add_gap("•" if private or not character.isprintable() else character)

    def _end_page(self, *, rendered: bool) -> None:
        if rendered == self._rendered and not self._frames:
            self.writing.end_page()

    def _begin_box(self) -> None:
        frame = _Frame(self.writing, self._paragraph, self._run, self._properties)
        self._frames.append(frame)
        if len(self._frames) <= _MOST_BOXES:
            self.writing = DocumentWriter(self._limits, self.writing.place)
        self._paragraph, self._run, self._properties = _Paragraph(), _Run(), []

    def _end_box(self) -> None:
        if not self._frames:
            return
        box, frame = self.writing, self._frames.pop()
        self.writing, self._paragraph = frame.writing, frame.paragraph
        self._run, self._properties = frame.run, frame.properties
        if box is not self.writing:
            self._paragraph.boxes.append(box)

    def _begin_of_table(self, name: str) -> None:
        if name == "w:tbl":
            self.writing.begin_table()
        elif name == "w:tr":
            self._row_changes.append(None)
            self.writing.begin_row()
        elif name == "w:tc":
            self._spans.append(1)
            self.writing.begin_cell()

    def _end_of_table(self, name: str) -> None:
        if name == "w:tbl":
            self.writing.end_table()
        elif name == "w:tr":
            if self._row_changes:
                self._row_changes.pop()
            self.writing.end_row()
        elif name == "w:tc":
            if self._spans:
                self._spans.pop()
            self.writing.end_cell()
