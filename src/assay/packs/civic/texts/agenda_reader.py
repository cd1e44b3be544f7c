"""From the lines of an agenda to its items.

The sequence of the numbers decides what is an item. A numbered heading with items below it is their
section and not an item itself; numbers below an item, such as recommended actions, belong to it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.civic.texts.agenda_lines import AgendaLine
from assay.packs.civic.texts.agenda_numbers import FILE_NUMBER, read_file_number, read_item_number
from assay.packs.civic.texts.agenda_outline import NumberedLine, OutlineNode, build_outline
from assay.packs.civic.texts.agenda_titles import AgendaTitles, is_capitals, is_heading, is_section
from assay.sdk.reading import PageSpan

_ADJOURNMENT = re.compile(r"(motion to )?adjourn", re.IGNORECASE)
_SESSION = re.compile(r"(?!report).*\b(session|meeting|calendar|agenda)\b\W*", re.IGNORECASE)
_NEW_SESSION = re.compile(r"session|agenda|meeting|authority|agency|calendar", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"\b(you|your|please|e-?mail|dial|click|zoom|telephone|speakers?|shall|must)\b",
    re.IGNORECASE,
)
_BRACKETED_FILE = re.compile(rf"[(\[](?:File\s*(?:#|No\.?)?:?\s{{0,3}})?({FILE_NUMBER})[)\]]", re.I)
_LABELLED_FILE = re.compile(
    r"\bFile\s*(?:#|No\.|Number)\s{0,3}:?\s{0,3}([A-Z]{0,4}-?\d[\w-]{1,14})"
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

    line: int
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

    def read(self) -> list[AgendaEntry]:
        """The items in the order of the text."""
        numbered = self._find_numbered_lines()
        outline = build_outline(numbered)
        nodes = self._choose_nodes(outline)
        self._nested_runs = {node.run for node in nodes if _is_only_section(node)}
        self._keep_sections(sorted(node.source.line for node in nodes), outline)
        starts = [self._start_node(node) for node in nodes if not _is_only_section(node)]
        starts += self._find_filed_lines({node.source.line for node in nodes})
        if len(starts) < 2 and not any(start.matter_file for start in starts):
            return []
        starts.sort(key=lambda start: start.start)
        borders = sorted({start.start for start in starts} | self._find_borders(nodes))
        return [entry for start in starts if (entry := self._close(start, borders)) is not None]

    def _find_numbered_lines(self) -> list[NumberedLine]:
        numbers = {
            index: number
            for index, line in enumerate(self._lines)
            if (number := read_item_number(line.words)) is not None
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
            before = self._sections[bisect_right(self._sections, index) - 1 :][:1]
            found.append(
                NumberedLine(
                    line=index,
                    number=number,
                    is_heading=is_heading(title),
                    is_capitals=is_capitals(title),
                    follows_section=bool(before) and last < before[0] < index,
                )
            )
            last = index
        return found

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
        kept: set[int] = set()
        ended = False
        for number, run in roots.items():
            first = run[0]
            if ended and not self._opens_session(first):
                continue
            is_alone = len(run) == 1 and not first.children
            if is_alone and not (first.style in long_styles or first.source.number.matter_file):
                continue
            if self._gives_instructions(run):
                continue
            kept.add(number)
            ended = ended or any(_ADJOURNMENT.match(self._title_of(node)) for node in run)
        return [node for node in nodes if node.run in kept and not node.is_part]

    def _opens_session(self, node: OutlineNode) -> bool:
        section = self._find_section(node.source.line)
        return section is not None and bool(_NEW_SESSION.search(section))

    def _gives_instructions(self, run: list[OutlineNode]) -> bool:
        if any(node.children for node in run):
            return False
        starts = [self._lines[node.source.line].start for node in run]
        ends = [*starts[1:], self._titles.read(run[-1].source.line).end]
        told = sum(
            bool(_INSTRUCTION.search(self._text, start, min(end, start + _HEAD)))
            for start, end in zip(starts, ends, strict=True)
        )
        return told * 2 >= len(run) + (len(run) > 3)

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
            line=node.source.line,
            start=min(title.start, self._lines[node.source.line].start),
            number=number.printed,
            title=title.title,
            title_end=max(title.end, self._lines[node.source.line].start + number.length),
            section=section,
            matter_file=number.matter_file,
        )

    def _find_section(self, line: int, *, is_session: bool = False) -> str | None:
        place = bisect_right(self._sections, line)
        if place == 0:
            return None
        words = self._lines[self._sections[place - 1]].words
        if _WHOLE_AGENDA.fullmatch(words) or (is_session and not _SESSION.fullmatch(words)):
            return None
        return words.rstrip(" :")

    def _find_filed_lines(self, taken: set[int]) -> list[_Start]:
        """Items that have a file number in place of a number: `21-0110 Tentative calendar`."""
        found: list[_Start] = []
        for index, line in enumerate(self._lines):
            named = _NAMED_FILE.match(line.words) if not taken else None
            filed = read_file_number(line.words)
            if index in taken or (filed is None and named is None):
                continue
            title = self._titles.read_after(index, filed[1] if filed and not named else 0)
            if len(title.title) < 8 or not title.title[:1].isalpha():
                continue
            found.append(
                _Start(
                    line=index,
                    start=line.start,
                    number=None,
                    title=title.title,
                    title_end=title.end,
                    section=self._find_section(index),
                    matter_file=named.group() if named else filed[0] if filed else None,
                )
            )
        return found if len(found) > 1 else []

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
    return node.source.is_heading and any(not child.is_part for child in node.children)


def _find_matter_file(entry: str, start: _Start) -> str | None:
    if named := _NAMED_FILE.match(start.title):
        return named.group()
    files = {found[1] for found in _LABELLED_FILE.finditer(entry)}
    files = files or {found[1] for found in _BRACKETED_FILE.finditer(entry)}
    return files.pop() if len(files) == 1 else None
