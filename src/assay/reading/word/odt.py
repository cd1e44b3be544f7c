"""OpenDocument text: one XML part, with the deleted words of tracked changes stored separately."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from assay.errors import ContentBroken, ContentEmpty, ContentEncrypted
from assay.reading.archives import Archive
from assay.reading.elements import Attributes, find_title, walk_elements
from assay.reading.limits import ReadLimits
from assay.reading.result import MarkKind, Reading
from assay.reading.word.document_writer import DocumentWriter
from assay.reading.word.styles import parse_number

_MAIN: Final = "content.xml"
_SKIPPED: Final = frozenset({
    "office:annotation", "office:forms", "text:sequence-decls", "text:variable-decls",
    "office:change-info", "text:note-citation", "text:ruby-text", "office:binary-data",
    "text:table-of-content-source", "text:index-title-template", "text:hidden-text",
})  # fmt: skip
_PARAGRAPHS: Final = frozenset({"text:p", "text:h"})
_STYLED: Final = frozenset({"text:p", "text:h", "text:span"})
_MOST_REPEATED: Final = 1_000
_MOST_ASIDES: Final = 8


@dataclass(slots=True)
class _Style:
    parent: str = ""
    struck: bool | None = None
    hidden: bool | None = None
    breaks: bool = False


@dataclass(slots=True)
class _Change:
    """A tracked change: its kind, and the words it removed."""

    kind: MarkKind | None = None
    writing: DocumentWriter | None = None


@dataclass(slots=True)
class _Aside:
    """The writer that was in use before a note or a box began."""

    ends_with: str
    writing: DocumentWriter
    label: str = ""
    held: list[tuple[str, DocumentWriter]] = field(default_factory=list)


def read_odt(data: bytes, limits: ReadLimits) -> Reading:
    """Read an OpenDocument text, with its tables, changes and notes."""
    archive = Archive(data, limits)
    if b"encryption-data" in (archive.read_part("META-INF/manifest.xml") or b""):
        raise ContentEncrypted("The OpenDocument file is password-protected.")
    source = archive.read_part(_MAIN)
    if source is None:
        raise ContentBroken("The OpenDocument file has no content: it is damaged.")
    warnings: list[str] = []
    body = _Body(limits)
    styles = archive.read_part("styles.xml")
    if styles is not None:
        try:
            walk_elements(styles, _StylesOnly(body), limits, "its styles")
        except ContentBroken as error:
            warnings.append(error.what)
    try:
        walk_elements(source, body, limits, "its content")
    except ContentBroken as error:
        if not body.outermost.at:
            raise
        warnings.append(f"Only the part before the damage was read. {error.what}")
    writing = body.finish()
    if not writing.build_text().strip():
        raise ContentEmpty("The OpenDocument file has no text.")
    if body.hidden:
        warnings.append(f"{body.hidden} passages of hidden text are left out.")
    title = find_title(archive.read_part("meta.xml") or b"", limits)
    return writing.build_reading(title, warnings)


class _Body:
    """Writes the text of a part."""

    def __init__(self, limits: ReadLimits) -> None:
        self.outermost = DocumentWriter(limits, _MAIN)
        self.hidden = 0
        self._writing = self.outermost
        self._limits = limits
        self._styles: dict[str, _Style] = {}
        self._defined: _Style | None = None
        self._skip = 0
        self._paragraphs = 0
        self._applied: list[str] = []
        self._changes: dict[str, _Change] = {}
        self._change: _Change | None = None
        self._region = _Change()
        self._inserted: set[str] = set()
        self._asides: list[_Aside] = []
        self._notes: list[tuple[str, DocumentWriter]] = []

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if self._skip or name in _SKIPPED:
            self._skip += 1
        elif name.startswith("style:"):
            self.begin_style(name, attributes)
        elif name.startswith("table:"):
            self._begin_of_table(name, attributes)
        elif name in ("text:note", "draw:text-box"):
            self._begin_aside(name)
        elif name in _STYLED:
            self._begin_styled(name, attributes)
        elif name in ("text:changed-region", "text:deletion", "text:insertion"):
            self._begin_change(name, attributes)
        elif name in ("text:change", "text:change-start", "text:change-end"):
            self._change_here(name, attributes.get("text:change-id", ""))
        else:
            self._sign(name, attributes)

    def end(self, name: str, here: Callable[[], int]) -> None:
        if self._skip:
            self._skip -= 1
        elif name in _STYLED:
            self._applied.pop()
            if name in _PARAGRAPHS:
                self._paragraphs -= 1
                self._writing.end_paragraph()
        elif name.startswith("table:"):
            self._end_of_table(name)
        elif self._asides and name == self._asides[-1].ends_with:
            self._end_aside(name)
        elif name == "style:style":
            self._defined = None

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        if self._skip or not self._paragraphs:
            return
        place = here()
        if self._has_style("hidden"):
            self.hidden += 1
            return
        plain = text.replace("\n", " ").replace("\t", " ")
        # White space at the start of a paragraph is only the layout of the file.
        shown = plain if plain.strip() else " "
        self._writing.add_words(shown, place, place + len(text), self._mark())

    def finish(self) -> DocumentWriter:
        """Return the whole text, with notes at its end; close asides that damage left open."""
        while self._asides:
            self._end_aside(self._asides[-1].ends_with)
        for label, note in self._notes:
            if note.at:
                self.outermost.end_paragraph()
                self.outermost.add_gap(label + " ")
                self.outermost.absorb(note, own_line=False)
        self._notes = []
        return self.outermost

    def begin_style(self, name: str, attributes: Attributes) -> None:
        """Record what a style says about words."""
        if name in ("style:style", "style:default-style"):
            self._defined = _Style(attributes.get("style:parent-style-name", ""))
            self._styles[attributes.get("style:name", "")] = self._defined
        elif self._defined is not None and name == "style:text-properties":
            through = attributes.get("style:text-line-through-style")
            if through is not None:
                self._defined.struck = through != "none"
            display = attributes.get("text:display")
            if display is not None:
                self._defined.hidden = display == "none"
        elif self._defined is not None and name == "style:paragraph-properties":
            before = [value for key, value in attributes.items() if key.endswith(":break-before")]
            self._defined.breaks = "page" in before

    def _begin_styled(self, name: str, attributes: Attributes) -> None:
        style = attributes.get("text:style-name", "")
        self._applied.append(style)
        if name in _PARAGRAPHS:
            self._paragraphs += 1
            if style in self._styles and self._styles[style].breaks:
                self._writing.end_page()

    def _has_style(self, field: str) -> bool:
        for name in reversed(self._applied):
            for _ in range(20):
                style = self._styles.get(name)
                if style is None:
                    break
                if getattr(style, field) is not None:
                    return bool(getattr(style, field))
                name = style.parent
        return False

    def _mark(self) -> MarkKind | None:
        if self._change is not None or self._has_style("struck"):
            return MarkKind.STRUCK
        return MarkKind.INSERTED if self._inserted else None

    def _begin_change(self, name: str, attributes: Attributes) -> None:
        if name == "text:changed-region":
            key = next((v for k, v in attributes.items() if k.rpartition(":")[2] == "id"), "")
            self._changes[key] = self._region = _Change()
        elif name == "text:deletion":
            self._region.kind = MarkKind.STRUCK
            self._region.writing = self._begin_aside(name)
            self._change = self._region
        else:
            self._region.kind = MarkKind.INSERTED

    def _change_here(self, name: str, key: str) -> None:
        change = self._changes.get(key)
        if change is None:
            return
        if name == "text:change" and change.writing is not None:
            self._writing.absorb(change.writing, own_line=False)
            change.writing = None
        elif change.kind is MarkKind.INSERTED:
            (self._inserted.add if name.endswith("start") else self._inserted.discard)(key)

    def _begin_aside(self, name: str) -> DocumentWriter:
        aside = _Aside(name, self._writing)
        if name == "text:note":
            aside.label = f"[{len(self._notes) + 1}]"
            self._writing.add_gap(aside.label)
        self._asides.append(aside)
        if len(self._asides) <= _MOST_ASIDES:
            self._writing = DocumentWriter(self._limits, _MAIN)
        return self._writing

    def _end_aside(self, name: str) -> None:
        aside, written = self._asides.pop(), self._writing
        self._writing = aside.writing
        if written is aside.writing:
            return
        if name == "text:note":
            self._notes.append((aside.label, written))
        elif name == "text:deletion":
            self._change = None
        else:
            self._writing.absorb(written)

    def _sign(self, name: str, attributes: Attributes) -> None:
        if name == "text:soft-page-break":
            if not self._asides:
                self._writing.end_page()
        elif not self._paragraphs:
            return
        elif name == "text:s":
            spaces = max(1, min(parse_number(attributes.get("text:c", "1")), 100))
            self._writing.add_gap(" " * spaces, self._mark())
        elif name == "text:tab":
            self._writing.add_gap(" " if self._writing.in_table else "\t", self._mark())
        elif name == "text:line-break":
            self._writing.add_gap("\n", self._mark())

    def _begin_of_table(self, name: str, attributes: Attributes) -> None:
        if name == "table:table":
            self._writing.begin_table()
        elif name == "table:table-row":
            self._writing.begin_row()
        elif name in ("table:table-cell", "table:covered-table-cell"):
            repeated = parse_number(attributes.get("table:number-columns-repeated", "1"))
            self._writing.begin_cell(max(1, min(repeated, _MOST_REPEATED)))

    def _end_of_table(self, name: str) -> None:
        if name == "table:table":
            self._writing.end_table()
        elif name == "table:table-row":
            self._writing.end_row()
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._writing.end_cell()


class _StylesOnly:
    """Reads only the styles of a part."""

    def __init__(self, body: _Body) -> None:
        self._body = body

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        if name.startswith("style:"):
            self._body.begin_style(name, attributes)

    def end(self, name: str, here: Callable[[], int]) -> None:
        pass

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass
