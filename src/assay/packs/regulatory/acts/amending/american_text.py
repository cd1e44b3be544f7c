"""The new text of a Federal Register notice, as provisions with full paths."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from assay.packs.regulatory.acts.amending.american_targets import (
    COMMENT_LADDER,
    SECTION_LADDER,
    SUPPLEMENT,
    NoticePlace,
    name_term,
)
from assay.packs.regulatory.acts.amending.fragments import (
    Line,
    NumberingStyle,
    copy_trimmed,
    is_star_line,
    join_lines,
    read_parts,
    split_lines,
    take_subtree,
)
from assay.packs.regulatory.acts.amending.paths import expand_range, last_number
from assay.packs.regulatory.acts.shapes import Provision, Words, copy_words

SECTION_STYLE = NumberingStyle(
    re.compile(r"\((?P<number>\d{1,3}|[a-z]{1,5}|[A-Z]{1,3})(?:\)|(?= \* \*))\s*"),
    "()",
    SECTION_LADDER,
    re.compile(
        r"(?:[^()\n]{1,140}?[.—:]\s*|\s*)(?P<next>\((?:1|i|A)\)\s*(?=(?:\((?:1|i|A)\)\s*)*[^\s(]))"
    ),
)
COMMENT_STYLE = NumberingStyle(
    re.compile(r"(?P<number>\d{1,3}|[ivxl]{1,6}|[A-Z])\.\s*(?=\S|$)"),
    "",
    COMMENT_LADDER,
    re.compile(r"[^\n]{1,140}?[.—:]\s*(?P<next>(?:i|A)\.\s+(?=[A-Z“\"§]))"),
)
_SECTION_LINE = re.compile(
    r"\s*§\s*(?P<number>\d+\.\d+[a-z]?(?:-\d+[A-Z]*)?)\s*(?P<heading>[^\n]*)"
)
_COMMENT_HEADING = re.compile(
    r"\s*(?:Paragraph\s+)?(?P<number>\d{1,3}[a-z]?)(?P<chain>(?:\(\w{1,5}\))"
    r"+)\.?(?=[\s.—]|$)(?P<heading>[^\n]*)"
)
_COMMENT_APPENDIX = re.compile(r"\s*Appendi(?:x|ces)\s+(?P<letter>[A-Z]{1,3}\d?)\b[^\n]*")
_SUBPART_LINE = re.compile(r"\s*Subpart\s+[A-Z]+\s*[—–-]")
_END_STARS = re.compile(r"\S\s*(?P<stars>(?:\*\s*){5})\s*$")
_TERM = re.compile(r"[A-Z“][^.;:!?*]{2,80}\.?")
_PICTURE = re.compile(r"\[(?:GRAPHIC|TABLE|IMAGE)[^\]]*\]")
_RESERVED_UNTIL = re.compile(r"[-–—]\s*\((?P<last>\w{1,5})\)\s*(?P<words>\[Reserved\]\.?)\s*")
"""The words behind `(c)` in `(c)-(e) [Reserved]`."""
_PART_OF_SECTION = re.compile(rf"{SUPPLEMENT}__sec_(?P<part>\d+)\.")
COMMENT_SECTION = re.compile(
    r"\s*(?:§|Section)\s*(?P<number>\d+\.\d+)\s*(?:[—–-]+)?\s*(?P<heading>[^\n]*)"
)


class NoticeText:
    """The text behind a group of instructions, as provisions with full paths."""

    def __init__(
        self,
        source: str,
        text: str,
        content: Sequence[tuple[int, int]],
        sections: Iterable[str],
        places: Sequence[NoticePlace],
    ) -> None:
        self.source = source
        self.text = text
        self.content = [
            piece
            for span in content
            for piece in _split_stars(text, span)
            if not _SUBPART_LINE.match(text, *piece)
        ]
        self.in_supplement = any(place.in_supplement for place in places)
        self.appendices = {p.appendix for p in places if p.appendix and not p.in_supplement}
        self.has_pictures = {
            span for span in self.content if _PICTURE.search(text, span[0], span[1])
        }
        self.provisions: list[Provision] = []
        if any(place.is_authority for place in places):
            self._read_authority()
        elif self.appendices:
            self._read_appendix(sorted(self.appendices))
        elif self.in_supplement:
            self._read_comments(list(places))
        else:
            self._read_sections(list(sections))
        self._times = Counter(each.path for each in self.provisions)
        self._places: dict[str, int] = {}
        for at, each in enumerate(self.provisions):
            self._places.setdefault(each.path, at)
        self._taken: dict[str, tuple[Provision, ...]] = {}
        self._pictured: dict[str, bool] = {}

    @property
    def is_bare_heading(self) -> bool:
        """Whether only a subpart's heading is new, which changes no provision."""
        return not self.content

    def find(self, place: NoticePlace) -> tuple[Provision, ...]:
        return self.take(place.path)

    def take(self, path: str) -> tuple[Provision, ...]:
        """The first provision with a path, and its parts."""
        if path not in self._taken:
            at = self._places.get(path)
            self._taken[path] = () if at is None else take_subtree(self.provisions, at)
        return self._taken[path]

    def problem(self, place: NoticePlace, shown: tuple[Provision, ...]) -> str:
        if not self.content:
            return "the new text is missing"
        if not shown:
            return "the new text does not show it"
        if any(self._times[each.path] > 1 for each in shown):
            return "the new text shows it, or a part of it, twice"
        if place.path not in self._pictured:
            pictured = any(_PICTURE.search(each.opening.text) for each in shown)
            self._pictured[place.path] = pictured
        if self._pictured[place.path]:
            return "the new text has a picture or a table"
        if shown[0].opening.text.startswith("* * *") and not place.is_heading and len(shown) == 1:
            return "the new text shows only asterisks"
        return ""

    def _line(self, span: tuple[int, int]) -> str:
        return self.text[span[0] : span[1]]

    def _read_authority(self) -> None:
        if self.content:
            words = copy_trimmed(self.source, self.text, self.content[0][0], self.content[-1][1])
            self.provisions.append(Provision("preamble_authority", opening=words))

    def _read_appendix(self, letters: list[str]) -> None:
        """An appendix is one provision: its structure follows no common rule."""
        if len(letters) != 1 or not self.content:
            return
        first = self._line(self.content[0])
        body = self.content[1:] if re.match(r"\s*Appendix\b", first) else self.content
        heading = (
            copy_trimmed(self.source, self.text, *self.content[0])
            if body != self.content
            else Words()
        )
        words = join_lines([copy_trimmed(self.source, self.text, *span) for span in body])
        if not any(is_star_line(self._line(span)) for span in self.content):
            self.provisions.append(Provision(f"annex_{letters[0]}", heading=heading, opening=words))

    def _read_sections(self, sections: list[str]) -> None:
        current: list[tuple[int, int]] = []
        head: tuple[str, str, Words] | None = None
        if sections and len(sections) == 1:
            head = (sections[0], "", Words())
        for span in self.content:
            match = _SECTION_LINE.match(self.text, *span)
            if match is None:
                current.append(span)
                continue
            self._add_section(head, current)
            words = copy_trimmed(
                self.source, self.text, match.start("heading"), match.end("heading")
            )
            head = (match["number"], f"§ {match['number']}", words)
            current = []
        self._add_section(head, current)

    def _add_section(
        self, head: tuple[str, str, Words] | None, spans: list[tuple[int, int]]
    ) -> None:
        if head is None or (not head[1] and not spans):
            return
        number, printed, heading = head
        path = f"sec_{number}"
        lines = [line for span in spans for line in split_lines(self.text, *span, SECTION_STYLE)]
        parts = read_parts(self.source, self.text, lines, path, SECTION_STYLE)
        self.provisions.append(Provision(path, printed, heading, self._read_opening(lines)))
        for each in parts:
            self.provisions += _expand_reserved(each)

    def _read_comments(self, places: list[NoticePlace]) -> None:
        section = next((p.section for p in places if p.section and not p.heading), "")
        part = section.partition(".")[0] or next((p.section.partition(".")[0] for p in places), "")
        path = f"{SUPPLEMENT}__sec_{section}" if section else SUPPLEMENT
        headings = {p.heading for p in places if p.heading}
        if len(headings) == 1 and len({p.section for p in places}) == 1:
            path = f"{SUPPLEMENT}__sec_{places[0].section}__para_{headings.pop()}"
        spans: list[tuple[int, int]] = []
        is_announced = False
        for span in self.content:
            line = self._line(span)
            head = self._read_comment_head(line, span, part)
            # What a colon announces is a part of the comment, such as the title of a model notice.
            if head is not None or COMMENT_STYLE.mark.match(line.lstrip()):
                is_announced = False
            if head is None and not is_announced:
                head = self._read_term(line, span, path)
            is_announced = is_announced or line.rstrip().endswith(":")
            if head is None:
                spans.append(span)
                continue
            if named := _PART_OF_SECTION.match(head.path):
                part = named["part"]
            self._add_comments(path, spans)
            spans = []
            self.provisions.append(head)
            path = head.path
        self._add_comments(path, spans)

    def _read_term(self, line: str, span: tuple[int, int], path: str) -> Provision | None:
        """A defined term as the heading of its comments: a short line that is not a sentence."""
        section = re.match(rf"{SUPPLEMENT}__sec_[\d.]+", path)
        if section is None or not _TERM.fullmatch(line.strip()):
            return None
        words = copy_trimmed(self.source, self.text, *span)
        return Provision(f"{section.group()}__para_{name_term(line)}", heading=words)

    def _read_comment_head(self, line: str, span: tuple[int, int], part: str) -> Provision | None:
        if re.match(r"\s*Supplement\s+I\b", line):
            words = copy_trimmed(self.source, self.text, *span)
            return None if self.provisions else Provision(SUPPLEMENT, heading=words)
        start = span[0]
        if match := COMMENT_SECTION.match(line):
            path = f"{SUPPLEMENT}__sec_{match['number']}"
        elif match := _COMMENT_HEADING.match(line):
            if len(line) > 300:
                return None
            numbers = re.findall(r"\w+", match["chain"])
            heading = ".".join([match["number"], *numbers])
            path = f"{SUPPLEMENT}__sec_{part}.{match['number']}__para_{heading}"
        elif match := _COMMENT_APPENDIX.match(line):
            path = f"{SUPPLEMENT}__annex_{match['letter']}"
        else:
            return None
        words = copy_trimmed(self.source, self.text, start, span[1])
        return Provision(path, heading=words)

    def _add_comments(self, path: str, spans: list[tuple[int, int]]) -> None:
        lines = [line for span in spans for line in split_lines(self.text, *span, COMMENT_STYLE)]
        if self.provisions and self.provisions[-1].path == path:
            opening = self._read_opening(lines)
            self.provisions[-1] = replace(self.provisions[-1], opening=opening)
        self.provisions += read_parts(self.source, self.text, lines, path, COMMENT_STYLE)

    def _read_opening(self, lines: Iterable[Line]) -> Words:
        """The words before the first number."""
        return join_lines(
            copy_words(self.source, self.text, line.start, line.end)
            for line in takewhile(lambda line: line.mark is None, lines)
            if not is_star_line(self.text[line.start : line.end])
        )


def _expand_reserved(provision: Provision) -> list[Provision]:
    """Several numbers that are reserved at once, one by one."""
    found = _RESERVED_UNTIL.fullmatch(provision.opening.text)
    number = last_number(provision.path)
    row = expand_range(number, found["last"]) if found else None
    if found is None or row is None:
        return [provision]
    words = provision.opening.cut(*found.span("words"))
    base = provision.path.removesuffix(number)
    return [Provision(base + each, f"({each})", opening=words) for each in row]


def _split_stars(text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """A line, with asterisks at its end on a line of their own."""
    start, end = span
    found = _END_STARS.search(text, max(start, end - 40), end)
    pieces = (
        [span] if found is None else [(start, found.start("stars")), (found.start("stars"), end)]
    )
    return [(first, last) for first, last in pieces if text[first:last].strip()]
