"""JSON as text: a line for every value, with its key, indented by nesting."""

import re
from dataclasses import dataclass, field
from typing import Final

from assay.errors import ContentBroken, ContentHostile
from assay.model.content import ContentClass
from assay.reading.decoding import decode_bytes
from assay.reading.html.page import has_markup, read_fragment_lines
from assay.reading.limits import ReadLimits
from assay.reading.markup.flow import TextLine
from assay.reading.markup.traced_text import TracedText, resolve_escapes, trace_plain
from assay.reading.result import Mark, Reading, Segment, clean_title

# Possessive, so a string that never ends is abandoned at once, and only once.
_TOKEN: Final = re.compile(
    r"""[\s\x1e]*+(?:
      (?P<mark>[{}\[\],:])
    | "(?P<string>(?:[^"\\]++|\\[\s\S])*+)"
    | (?P<literal>-?\d[\d.eE+-]*+|-?Infinity|NaN|true|false|null)
    )""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\s\S]"
)
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_TITLES: Final = ("/title", "/name", "/headline")
_DEEPEST_INDENT: Final = 20
_LONGEST_POINTER: Final = 500
_TOKENS_PER_VALUE: Final = 5
"""A key, a colon, two brackets and a comma."""


def read_json(data: bytes, limits: ReadLimits | None = None, charset: str | None = None) -> Reading:
    """Read every value of a JSON document, or of JSON lines, in order.

    Numbers keep their spelling; HTML in a string is read as HTML; null and empty values are left
    out. The place of a segment is the JSON pointer of its value.
    """
    limits = limits or ReadLimits()
    read = decode_bytes(data, charset)
    script = _JsonWriter(read.text, limits)
    script.read()
    return Reading(
        content_class=ContentClass.JSON,
        # Only the last line break is removed: a value may itself end with empty lines.
        text="".join(script.parts).removesuffix("\n")[: limits.max_characters],
        title=script.title,
        encoding=read.encoding,
        segments=tuple(s for s in script.segments if s.end <= limits.max_characters),
        marks=tuple(m for m in script.marks if m.end <= limits.max_characters),
        warnings=(*read.warnings, *script.warnings),
    )


@dataclass(slots=True)
class _Level:
    """An open object or list."""

    is_list: bool
    pointer: str = ""
    """Where it is itself."""
    key: str | None = None
    """The key of the member that is being read."""
    index: int = -1


@dataclass(slots=True)
class _JsonWriter:
    """The text as it is being written."""

    source: str
    limits: ReadLimits
    parts: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    title: str | None = None
    _levels: list[_Level] = field(default_factory=list)
    _at: int = 0
    _dashes: int = 0
    """How many list items begin on the next line."""
    _values: int = 0
    _documents: int = 0

    def read(self) -> None:
        """Write down every value."""
        reached = tokens = 0
        most_tokens = self.limits.max_nodes * _TOKENS_PER_VALUE
        while token := _TOKEN.match(self.source, reached):
            reached = token.end()
            tokens += 1
            if token["mark"]:
                self._take_punctuation(token["mark"])
            else:
                self._write_scalar(token, reached)
            # Objects, keys and commas are work too, even where no value comes of them.
            too_many = self._values > self.limits.max_nodes or tokens > most_tokens
            if too_many or self._at > self.limits.max_characters:
                self.warnings.append(
                    f"The document is too long; it was read up to character {reached:,}."
                )
                return
        if not self._values and not self._documents:
            raise ContentBroken(
                "The document begins like JSON but is not JSON.",
                advice="Fetch it again, or ask its publisher for a whole copy.",
            )
        if rest := self.source[reached:].strip():
            self.warnings.append(
                f"It is not JSON from character {len(self.source) - len(rest):,} on; that part was "
                "not read."
            )
        elif self._levels:
            self.warnings.append("It is incomplete: something in it is never closed.")

    def _take_punctuation(self, mark: str) -> None:
        levels = self._levels
        if mark in "{[":
            self._begin_item()
            if levels and not levels[-1].is_list and levels[-1].key:
                self._write(self._build_prefix(levels[-1].key + ":") + "\n")
            if len(levels) >= self.limits.max_depth:
                raise ContentHostile(
                    f"The document is nested more than {self.limits.max_depth} levels deep.",
                    advice="Documents meant for readers never are.",
                )
            levels.append(_Level(mark == "[", self._build_pointer()))
        elif mark in "}]":
            if levels:
                levels.pop()
            # An item with nothing to write leaves no dash behind.
            if levels and levels[-1].is_list and self._dashes:
                self._dashes -= 1
            self._end_value()
        elif mark == "," and levels:
            levels[-1].key = None

    def _begin_item(self) -> None:
        """A value begins; in a list it is the next item."""
        if self._levels and self._levels[-1].is_list:
            self._levels[-1].index += 1
            self._dashes += 1

    def _write_scalar(self, token: "re.Match[str]", end: int) -> None:
        level = self._levels[-1] if self._levels else None
        start = token.start("string" if token["string"] is not None else "literal")
        if level is not None and not level.is_list and level.key is None:
            if token["string"] is not None:
                level.key = self._read_string(start, end - 1).text
            return
        self._begin_item()
        self._values += 1
        if token["string"] is not None:
            self._write_text(start, end - 1)
        elif token["literal"] != "null":
            self._write_lines([TextLine(token["literal"], start, end)])
        if level is not None and level.is_list and self._dashes:
            self._dashes -= 1
        self._end_value()

    def _end_value(self) -> None:
        if not self._levels:
            self._documents += 1

    def _read_string(self, start: int, end: int) -> TracedText:
        if self.source.find("\\", start, end) < 0:
            return trace_plain(self.source, start, end)
        return resolve_escapes(self.source, start, end, _ESCAPE, _resolve_escape)

    def _write_text(self, start: int, end: int) -> None:
        string = self._read_string(start, end)
        if has_markup(string.text):
            lines = read_fragment_lines(string, self.limits)
        else:
            lines = [TextLine(string.text, start, end)] if string.text.strip() else []
        self._write_lines(lines)

    def _write_lines(self, lines: list[TextLine]) -> None:
        if not lines:
            return
        level = self._levels[-1] if self._levels else None
        key = level.key if level is not None and not level.is_list else None
        pointer = self._build_pointer()
        self._write(self._build_prefix(f"{key}: " if key else ""))
        for at, line in enumerate(lines):
            if at:
                self._write("\n")
            if len(self.segments) < self.limits.max_segments:
                last = self._at + len(line.text)
                self.segments.append(Segment(self._at, last, line.start, line.end, pointer))
            self.marks += [
                Mark(kind, self._at + first, self._at + last) for kind, first, last in line.marks
            ]
            self._write(line.text)
        self._write("\n")
        if self.title is None and pointer in _TITLES:
            self.title = clean_title(lines[0].text)

    def _build_prefix(self, key: str) -> str:
        levels = self._levels
        depth = len(levels) if not levels or levels[-1].is_list else len(levels) - 1
        dashes, self._dashes = self._dashes, 0
        return "  " * min(max(0, depth - dashes), _DEEPEST_INDENT) + "- " * dashes + key

    def _build_pointer(self) -> str:
        """Where the value that is being read is; a place deeper than anyone writes is shortened.

        A key is repeated in the place of every value below it, and may be as long as the document.
        """
        if not self._levels:
            return f"{self._documents + 1}:" if self._documents else ""
        level = self._levels[-1]
        step = str(level.index) if level.is_list else (level.key or "")[:_LONGEST_POINTER]
        pointer = f"{level.pointer}/{step.replace('~', '~0').replace('/', '~1')}"
        return pointer if len(pointer) <= _LONGEST_POINTER else f"…{pointer[-_LONGEST_POINTER:]}"

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self._at += len(text)


def _resolve_escape(escape: str) -> str:
    """What an escape stands for; half of a surrogate pair stands for nothing."""
    if escape[1] != "u":
        return _SHORT.get(escape[1], escape[1])
    if len(escape) == 12:
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
    code = int(escape[2:], 16) if len(escape) == 6 else 0xFFFD
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
