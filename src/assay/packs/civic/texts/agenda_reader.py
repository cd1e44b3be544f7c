"""From the lines of an agenda to its items.

The sequence of the numbers decides what is an item. A numbered heading with items below it is their
section and not an item itself; numbers below an item, such as recommended actions, belong to it.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.packs.civic.texts.agenda_lines import AgendaLine
from assay.packs.civic.texts.agenda_numbers import FILE_NUMBER, read_file_number, read_item_number
from assay.packs.civic.texts.agenda_outline import NumberedLine, OutlineNode, build_outline
from assay.packs.civic.texts.agenda_titles import AgendaTitles, is_capitals, is_heading, is_section
from assay.sdk.reading import PageSpan

_ADJOURNMENT = re.compile(r"(motion to )?adjourn", re.IGNORECASE)
_ADJOURNED = re.compile(r"\W{0,3}adjourn(ment|ed)?\W*", re.IGNORECASE)
_SESSION = re.compile(r"(?!report).*\b(session|meeting|calendar|agenda)\b\W*", re.IGNORECASE)
_AGENDA_WORD = re.compile(r"agenda|business|follows|meeting|session", re.IGNORECASE)
_NEW_SESSION = re.compile(r"session|agenda|meeting|authority|agency|calendar", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"\b(you|your|please|e-?mail|dial|click|zoom|telephone|speakers?|shall|must)\b",
    re.IGNORECASE,
)
_BRACKETED_FILE = re.compile(rf"[(\[](?:File\s*(?:#|No\.?)?:?\s{{0,3}})?({FILE_NUMBER})[)\]]", re.I)
_LABELLED_FILE = re.compile(
    r"^\s{0,8}File\s*(?:#|No\.|Number)\s{0,3}:?\s{0,3}([A-Z]{0,4}-?\d[\w-]{1,14})",
    re.MULTILINE,
)
_NAMED_FILE = re.compile(
    r"(?:(?:Council )?Bill|Ordinance|Resolution|By-?law|Council File|ORD|RES)\.?\s{1,3}"
    r"(?:(?:No\.?|Number|#)\s{0,3})?(?=[\w-]{0,6}\d)[A-Z]{0,3}-?\d{1,4}-[\w-]{1,8}",
    re.IGNORECASE,
)
_WHOLE_AGENDA = re.compile(
    r"\W*(((regular|special) )?meeting |(final|draft|revised|city|town|village|county|council|"
    r"board|commission|committee|planning|public|of|the|notice|and) )*"
    r"agenda( items?)?\W*",
    re.IGNORECASE,
)
_HEAD: Final = 300
_SHORT_RUN: Final = 4
_SHORTEST_TITLE: Final = 8
_SECTION_REACH: Final = 14
_LONGEST_ENTRY: Final = 20_000


@dataclass(frozen=True, slots=True)
class AgendaEntry:
    """An item of an agenda. `text[start:end]` is all that the agenda says about it."""

    number: str | None
    """As printed, such as `4.B`; two sections may both have an item `1`."""
    title: str
    """Its words are found in the entry, with white space folded."""
    section: str | None
    """The heading under which it is listed."""
    start: int
    end: int
    page: int | None
    matter_file: str | None
    """The public number of its matter, such as `25-0123` or `Ordinance No. 2026-12`."""


@dataclass(frozen=True, slots=True)
class _Start:
    """Where an entry begins, before its end is known."""

    start: int
    number: str | None
    title: str
    title_end: int
    section: str | None
    matter_file: str | None


class AgendaReader:
    """Reads the items from the lines of one agenda."""

    def __init__(self, text: str, pages: Sequence[PageSpan], lines: list[AgendaLine]) -> None:
        self._text = text
        self._page_starts = [page.start for page in pages]
        self._pages = pages
        self._lines = lines
        self._titles = AgendaTitles(text, lines)
        self._sections: list[int] = []
        self._all_sections: list[int] = []
        self._nested_runs: set[int] = set()
        self._adjourned = [i for i, line in enumerate(lines) if _ADJOURNED.fullmatch(line.words)]

    def read(self) -> list[AgendaEntry]:
        """The items in the order of the text."""
        numbered = self._find_numbered_lines()
        outline = build_outline(numbered)
        nodes = self._choose_nodes(outline)
        filed = self._find_filed_lines(nodes)
        self._nested_runs = {node.run for node in nodes if _is_only_section(node)}
        self._keep_sections(sorted([node.source.line for node in nodes] + list(filed)), outline)
        starts = [self._start_node(node) for node in nodes if not _is_only_section(node)]
        starts += [self._start_file(index, nodes, length) for index, length in filed.items()]
        starts = self._merge_files(sorted(starts, key=lambda start: start.start))
        borders = sorted({start.start for start in starts} | self._find_borders(nodes))
        return [entry for start in starts if (entry := self._close(start, borders)) is not None]

    def _find_numbered_lines(self) -> list[NumberedLine]:
        numbers = {
            index: number
            for index, line in enumerate(self._lines)
            if (number := read_item_number(line.words)) is not None
            and not self._is_inside_sentence(index, line.words[number.length :])
        }
        self._titles.set_numbers(numbers)
        covered = self._titles.list_covered_lines()
        self._sections = [
            index
            for index, line in enumerate(self._lines)
            if index not in numbers and index not in covered and self._is_section(index, line)
        ]
        found = []
        last = -1
        for index, number in numbers.items():
            title = self._titles.read(index).title
            found.append(
                NumberedLine(
                    line=index,
                    number=number,
                    is_heading=is_heading(title),
                    is_capitals=is_capitals(title),
                    follows_section=self._find_section_line(index) > last,
                    follows_label=any(
                        self._titles.is_label(i)
                        for i in range(max(last + 1, index - _SECTION_REACH), index)
                    ),
                )
            )
            last = index
        return found

    def _is_inside_sentence(self, index: int, rest: str) -> bool:
        """Whether a number only happens to begin a line: "see item / 10.1 as it is routine"."""
        above = self._lines[index - 1] if index else None
        if above is None or self._lines[index].follows_gap or not rest[:1].islower():
            return False
        return above.wraps and not above.words.endswith((".", ";", ":", "and", "or"))

    def _keep_sections(self, items: list[int], outline: list[OutlineNode]) -> None:
        """Forget headings that no item follows soon, and capitals among the parts of an item."""
        parts = [node.source.line for node in outline if node.is_part]
        known = set(self._sections)
        kept = []
        for index in self._sections:
            place = bisect_right(items, index)
            if place == len(items) or items[place] - index > _SECTION_REACH:
                continue
            before = items[place - 1] if place else -1
            has_parts = bisect_right(parts, index) > bisect_right(parts, before)
            if not has_parts or all(line in known for line in range(index, items[place])):
                kept.append(index)
        self._all_sections, self._sections = self._sections, kept

    def _is_section(self, index: int, line: AgendaLine) -> bool:
        if not is_section(line.words):
            return False
        if index == 0 or line.follows_gap:
            return True
        above = self._titles.get_number(index - 1)
        return not self._lines[index - 1].wraps and (above is None or not above.is_named)

    def _choose_nodes(self, nodes: list[OutlineNode]) -> list[OutlineNode]:
        """Only items and their headings: no instructions to speakers, no stray numbers."""
        roots: dict[int, list[OutlineNode]] = {}
        for node in nodes:
            if node.parent is None and not node.is_part:
                roots.setdefault(node.run, []).append(node)
        long_styles = {run[0].style for run in roots.values() if len(run) > 2}
        sizes = Counter(node.run for node in nodes if not node.is_part)
        main = max(roots, key=lambda number: sizes[number], default=0)
        kept: set[int] = set()
        ended = False
        for number, run in roots.items():
            first = run[0]
            ended = ended or self._has_adjourned(first.source.line)
            if number != main and (
                (ended and not self._opens_session(first))
                or (len(run) == 1 and not self._may_be_alone(first, long_styles))
                or (len(run) < _SHORT_RUN and not self._resembles(first, roots[main][0]))
                or self._gives_instructions(run)
            ):
                continue
            if number == main and (self._gives_instructions(run) or self._is_stray(run)):
                continue
            kept.add(number)
            ended = ended or any(_ADJOURNMENT.match(self._title_of(node)) for node in run)
        return [node for node in nodes if node.run in kept and not node.is_part]

    def _is_stray(self, run: list[OutlineNode]) -> bool:
        first = run[0]
        above = self._lines[first.source.line - 1].words if first.source.line else ""
        is_listed = _has_items_below(first) or first.source.number.matter_file
        return len(run) == 1 and not is_listed and not _WHOLE_AGENDA.fullmatch(above)

    def _may_be_alone(self, node: OutlineNode, long_styles: set[str]) -> bool:
        number = node.source.number
        is_listed = _has_items_below(node) or number.matter_file is not None
        return is_listed or node.style in long_styles

    def _resembles(self, node: OutlineNode, main: OutlineNode) -> bool:
        """Whether a short sequence is numbered as the agenda is, or opens a session of its own."""
        is_alike = node.style == main.style or node.source.number.matter_file is not None
        return is_alike or self._opens_session(node)

    def _has_adjourned(self, line: int) -> bool:
        return bisect_right(self._adjourned, line) > 0

    def _opens_session(self, node: OutlineNode) -> bool:
        section = self._find_section(node.source.line)
        return section is not None and bool(_NEW_SESSION.search(section))

    def _gives_instructions(self, run: list[OutlineNode]) -> bool:
        """Whether a list instructs the public, or belongs to a sentence above it."""
        if any(node.children for node in run):
            return False
        starts = [self._lines[node.source.line].start for node in run]
        if self._is_introduced(run[0].source.line):
            return True
        ends = [*starts[1:], self._titles.read(run[-1].source.line).end]
        told = sum(
            bool(_INSTRUCTION.search(self._text, start, min(end, start + _HEAD)))
            for start, end in zip(starts, ends, strict=True)
        )
        return told * 2 >= len(run) + (len(run) > 3)

    def _is_introduced(self, line: int) -> bool:
        """Whether a sentence ends in a colon right above a list: "subject to:"."""
        if line == 0 or self._lines[line].follows_gap:
            return False
        above = self._lines[line - 1].words
        is_prose = above.endswith(":") and not is_section(above)
        return is_prose and not _AGENDA_WORD.search(above)

    def _title_of(self, node: OutlineNode) -> str:
        return self._titles.read(node.source.line).title

    def _start_node(self, node: OutlineNode) -> _Start:
        title = self._titles.read(node.source.line)
        section = (
            self._find_section(title.first_line, is_session=node.run in self._nested_runs)
            if node.parent is None
            else self._title_of(node.parent)
        )
        number = node.source.number
        return _Start(
            start=min(title.start, self._lines[node.source.line].start),
            number=number.printed,
            title=title.title,
            title_end=max(title.end, self._lines[node.source.line].start + number.length),
            section=section,
            matter_file=number.matter_file,
        )

    def _find_section(self, line: int, *, is_session: bool = False) -> str | None:
        place = self._find_section_line(line)
        if place < 0:
            return None
        words = self._lines[place].words
        if _WHOLE_AGENDA.fullmatch(words) or (is_session and not _SESSION.fullmatch(words)):
            return None
        return words.rstrip(" :")

    def _find_section_line(self, line: int) -> int:
        """The last heading above a line, or -1."""
        place = bisect_right(self._sections, line)
        return self._sections[place - 1] if place else -1

    def _find_filed_lines(self, nodes: list[OutlineNode]) -> dict[int, int]:
        """Lines with a file number in place of a number: `21-0110 Calendar`, and its length."""
        taken = {node.source.line for node in nodes}
        found: dict[int, int] = {}
        for index, line in enumerate(self._lines):
            named = _NAMED_FILE.match(line.words) if not nodes else None
            filed = read_file_number(line.words)
            is_inside = index > 0 and self._lines[index - 1].wraps and not line.follows_gap
            if index in taken or is_inside or (filed is None and named is None):
                continue
            length = filed[1] if filed and not named else 0
            title = self._titles.read_after(index, length).title
            if len(title) >= _SHORTEST_TITLE and title[:1].isalpha():
                found[index] = length
        if len(found) > 1:
            return found
        return {
            index: length for index, length in found.items() if self._repeats(index, length, nodes)
        }

    def _repeats(self, index: int, length: int, nodes: list[OutlineNode]) -> bool:
        place = bisect_right(nodes, index, key=lambda node: node.source.line)
        title = self._titles.read_after(index, length).title
        return place > 0 and self._title_of(nodes[place - 1]) == title

    def _start_file(self, index: int, nodes: list[OutlineNode], length: int) -> _Start:
        line = self._lines[index]
        title = self._titles.read_after(index, length)
        named = _NAMED_FILE.match(line.words)
        filed = read_file_number(line.words)
        place = bisect_right(nodes, index, key=lambda node: node.source.line)
        above = nodes[place - 1] if place else None
        while above is not None and not _is_only_section(above):
            above = above.parent
        is_nearer = above is not None and self._find_section_line(index) < above.source.line
        return _Start(
            start=min(line.start, title.start),
            number=None,
            title=title.title,
            title_end=max(title.end, line.end if length else title.end),
            section=self._title_of(above) if above and is_nearer else self._find_section(index),
            matter_file=filed[0] if filed else named.group() if named else None,
        )

    def _merge_files(self, starts: list[_Start]) -> list[_Start]:
        """A file number that repeats the title of the item above it belongs to that item."""
        merged: list[_Start] = []
        for start in starts:
            repeats = merged and merged[-1].number and start.title == merged[-1].title
            if repeats and start.number is None:
                if merged[-1].matter_file is None:
                    merged[-1] = replace(merged[-1], matter_file=start.matter_file)
                continue
            merged.append(start)
        return merged

    def _find_borders(self, nodes: list[OutlineNode]) -> set[int]:
        """Where an entry ends at the latest: numbered and other headings."""
        borders = {self._lines[node.source.line].start for node in nodes if _is_only_section(node)}
        after = [i for i in self._all_sections if nodes and i > nodes[-1].source.line]
        return borders | {self._lines[index].start for index in (*self._sections, *after)}

    def _close(self, start: _Start, borders: list[int]) -> AgendaEntry | None:
        if not start.title:
            return None
        place = bisect_right(borders, max(start.start, start.title_end - 1))
        limit = borders[place] if place < len(borders) else len(self._text)
        if _ADJOURNMENT.match(start.title):
            limit = start.title_end
        limit = min(limit, max(start.title_end, start.start + _LONGEST_ENTRY))
        end = start.start + len(self._text[start.start : limit].rstrip())
        return AgendaEntry(
            number=start.number,
            title=start.title,
            section=start.section,
            start=start.start,
            end=end,
            page=self._find_page(start.start),
            matter_file=start.matter_file
            or _find_matter_file(self._text[start.start : end], start),
        )

    def _find_page(self, offset: int) -> int | None:
        place = bisect_right(self._page_starts, offset) - 1
        if place < 0 or offset >= self._pages[place].end:
            return None
        return self._pages[place].number


def _is_only_section(node: OutlineNode) -> bool:
    return node.source.is_heading and _has_items_below(node)


def _has_items_below(node: OutlineNode) -> bool:
    return any(not child.is_part for child in node.children)


def _find_matter_file(entry: str, start: _Start) -> str | None:
    if named := _NAMED_FILE.match(start.title):
        return named.group()
    files = {found[1] for found in _LABELLED_FILE.finditer(entry)}
    files = files or {found[1] for found in _BRACKETED_FILE.finditer(start.title)}
    return files.pop() if len(files) == 1 else None
