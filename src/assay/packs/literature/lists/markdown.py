"""Lists in Markdown: entries as items, rows, paragraphs or headings with links below them."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import TypeAdapter

from assay.packs.literature.links import find_definitions, hide_definitions, strip_emphasis
from assay.packs.literature.lists.blocks import (
    ListBlock,
    ListBlockKind,
    find_blocks,
    hide_comments,
    is_in_comment,
    split_cells,
    starts_tag_item,
)
from assay.packs.literature.lists.entries import (
    EntryPart,
    is_attribute,
    is_name_of_link,
    names_a_work,
    rank_title,
    read_cell_title,
    read_entry,
)
from assay.packs.literature.parsed import (
    ListWindow,
    ReferenceCollector,
    Texts,
    clean_text,
    clean_title,
    make_reference,
)
from assay.packs.literature.references.names import are_names, read_names

_LONGEST_ENTRY: Final = 20_000
_SIGNS_OF_LINKS: Final = ("](", "://", "10.", "rxiv", "rXiv", "href")
_SLIDES = re.compile(r"\b(?:courses?|lectures?|slides|talks?|tutorials?|videos?)\b", re.IGNORECASE)
_NOT_WORKS = re.compile(
    r"\b(?:courses?|lectures?|videos?|tutorials?|talks?|software|codes?|codebases?|tools?|"
    r"tool(?:box|kits?)|librar(?:y|ies)|implementations?|datasets?|blogs?|posts?|awesome|"
    r"repositor(?:y|ies)|repos?|contribut\w+|licen[cs]e|contents|links|songs|acknowledge?ments?|"
    r"citations?|citing|frameworks?|apps?|viewers?|companies|people|researchers|workshops?|"
    r"challenges?|competitions?|slides|podcasts?|news|updates?|changelog|jobs|community|demos?|"
    r"notebooks?|resources?|students?|groups?|labs?|engines?|products?|plugins?)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:papers?|books?|surveys?|publications?|articles?|readings?|thes[ie]s|literature|reviews?|"
    r"bibliography|references|textbooks?)\b",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"\s*(?:[*_](?![*_])|<i>|<em>)")
_TITLE_COLUMNS = (
    "title",
    "paper",
    "paper title",
    "name",
    "paper name",
    "papers",
    "work",
    "publication title",
    "article",
)
_GENERIC = re.compile(
    r"(?:\W|\d)*(?:table of contents|contents?|papers?|surveys?|references?|overview|introduction|"
    r"related work|how to contribute|contributing|news|updates?|others?|misc\w*|\d{4}.*)\W*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Holder:
    """Words that may be the title of what follows them: a heading, or an entry without links."""

    title: str
    start: int
    depth: int
    is_heading: bool
    is_used: bool = False


@dataclass(slots=True)
class _Standing:
    """Where the reader stands between two pieces of a list; places count from the second."""

    sections: list[tuple[int, str]] = field(default_factory=list)
    holder: _Holder | None = None
    open: EntryPart | None = None
    """The entry that the next blocks may say more about."""
    open_depth: int = 0
    open_kind: ListBlockKind = ListBlockKind.TEXT
    open_text: str = ""
    block: ListBlock | None = None
    """A block like the first of the second piece, if it belongs to something that goes on."""
    is_in_comment: bool = False

    def move(self, places: int) -> None:
        """Count places from another beginning."""
        for each in (self.holder, self.open):
            if each is not None:
                each.start += places
        if self.open is not None:
            self.open.end += places


_STANDING: Final = TypeAdapter(_Standing)


def survey_markdown(texts: Texts) -> dict[str, str]:
    """The addresses of the links that a list defines apart from their use."""
    return {
        name: url
        for text in texts()
        if "]:" in text
        for name, url in find_definitions(hide_comments(text)).items()
    }


def read_markdown(
    window: ListWindow, collector: ReferenceCollector, definitions: dict[str, str], before: Any
) -> tuple[int, Any]:
    """Read a piece of a list in Markdown."""
    standing = _STANDING.validate_python(before or {})
    return _MarkdownReader(window, collector, definitions, standing).read()


class _MarkdownReader:
    def __init__(
        self,
        window: ListWindow,
        collector: ReferenceCollector,
        definitions: dict[str, str],
        before: _Standing,
    ) -> None:
        self._window = window
        self._before = before
        self._text = hide_definitions(hide_comments(window.text, is_inside=before.is_in_comment))
        self._certain = len(self._text)
        if not window.is_last:
            for _ in range(3):
                self._certain = self._text.rfind("\n", 0, max(0, self._certain))
        self._definitions = definitions
        self._collector = collector
        self._sections = before.sections
        self._holder = before.holder
        self._open = before.open
        self._open_depth = before.open_depth
        self._open_kind = before.open_kind
        self._open_text = before.open_text

    def read(self) -> tuple[int, Any]:
        for block in find_blocks(self._text, self._before.block):
            begin = self._find_beginning(block)
            if self._may_go_on(block):
                return self._leave(begin, block) if begin else self._read_endless(block)
            if self._window.ends_at(begin) and self._is_boundary(block, begin):
                return self._leave(begin, block)
            if block.kind is ListBlockKind.HEADING:
                self._enter_section(block)
            else:
                self._read_block(block)
        if not self._window.is_last:
            return self._leave(self._window.find_last_line())
        self._close()
        return len(self._text), None

    def _find_beginning(self, block: ListBlock) -> int:
        """Where the line of a heading begins, or any other block itself."""
        if block.kind is not ListBlockKind.HEADING:
            return block.start
        return self._text.rfind("\n", 0, block.start) + 1

    def _may_go_on(self, block: ListBlock) -> bool:
        """Whether more of a block may come after the window: two lines decide that it is over."""
        return block.end > self._certain and not starts_tag_item(self._text, block.end)

    def _is_boundary(self, block: ListBlock, place: int) -> bool:
        """Whether a piece can begin with a block: inside a passage, only if that is very long."""
        if block.is_inside and place < len(self._text) // 2:
            return False
        return not is_in_comment(self._window.text, place, is_inside=self._before.is_in_comment)

    def _leave(self, end: int, block: ListBlock | None = None) -> tuple[int, Any]:
        raw, is_inside = self._window.text, self._before.is_in_comment
        if block is not None and (block.columns or block.is_inside):
            block = replace(block, start=0, end=0)
        else:
            block = None
        standing = _Standing(
            self._sections,
            self._holder,
            self._open,
            self._open_depth,
            self._open_kind,
            self._open_text,
            block,
            is_in_comment(raw, end, is_inside=is_inside),
        )
        standing.move(-end)
        values = _STANDING.dump_python(standing, mode="json")
        if self._open is not None:
            values["open"]["ids"].sort()
        return end, values

    def _read_endless(self, block: ListBlock) -> tuple[int, Any]:
        """A block that is larger than the window: it ends where the window does."""
        end = self._find_cut(0, len(self._text))
        kind = ListBlockKind.TEXT if block.kind is ListBlockKind.HEADING else block.kind
        self._read_long(ListBlock(kind, 0, end, block.depth, block.columns))
        return self._leave(end)

    def _enter_section(self, block: ListBlock) -> None:
        self._close()
        text = self._text[block.start : block.end]
        parts = (
            read_entry(text[:5000], block.start, self._definitions)
            if "](" in text or "arxiv" in text.lower()
            else []
        )
        title = strip_emphasis(
            clean_text(re.sub(r"\]\([^()\s]{0,1500}\)", "]", text[:2000]))
        ).strip("[] ")
        while self._sections and self._sections[-1][0] >= block.depth:
            self._sections.pop()
        self._holder = None
        if parts and parts[0].has_paper and parts[0].title:
            self._begin(parts[0], block, text)
            return
        self._sections.append((block.depth, title))
        if len(title.split()) > 2 and not _GENERIC.fullmatch(title):
            self._holder = _Holder(clean_title(title), block.start, -1, is_heading=True)

    def _read_block(self, block: ListBlock) -> None:
        text = self._text[block.start : block.end]
        if len(text) > _LONGEST_ENTRY:
            self._read_long(block)
            return
        if self._names_authors(block, text):
            return
        parts = read_entry(text, block.start, self._definitions)
        if block.kind is ListBlockKind.ROW:
            self._name_row(text, block, parts[0])
        first = parts[0]
        if self._describes_open(block, first, text):
            assert self._open is not None
            self._open.take(first)
            parts = parts[1:]
        elif (
            not first.has_paper
            and not first.urls
            and first.title
            and block.kind != ListBlockKind.ROW
        ):
            self._close()
            self._holder = _Holder(first.title, first.start, block.depth, is_heading=False)
            self._begin(first, block, text)
            return
        for part in parts:
            self._take_holder(part, block)
            self._begin(part, block, text)

    def _read_long(self, block: ListBlock) -> None:
        """A block too long to be an entry, piece by piece: each has its share of the work."""
        self._collector.note(
            block.start,
            f"A passage of {block.end - block.start:,} characters was read in pieces.",
        )
        if not any(self._text.find(sign, block.start, block.end) >= 0 for sign in _SIGNS_OF_LINKS):
            return
        place = block.start
        while place < block.end:
            end = min(block.end, place + _LONGEST_ENTRY)
            if end < block.end:
                end = self._find_cut(place, end)
            self._read_block(ListBlock(block.kind, place, end, block.depth))
            place = end

    def _find_cut(self, place: int, end: int) -> int:
        """The last place before an end where a word or a link is over."""
        text = self._text
        cut = max(text.rfind(" ", place + 1, end), text.rfind(")", place + 1, end) + 1)
        return cut if cut > place else end

    def _describes_open(self, block: ListBlock, part: EntryPart, text: str) -> bool:
        """Whether a block says more about the open entry instead of opening one."""
        if self._open is None or self._open.title == "":
            return False
        if ListBlockKind.ROW in (block.kind, self._open_kind):
            return False
        if any(self._open.conflicts_with(name) for name in part.ids):
            return False
        is_below = block.kind is ListBlockKind.ITEM and (
            block.depth > self._open_depth or self._open_kind is not ListBlockKind.ITEM
        )
        if is_below and part.ids and part.ids <= self._open.ids:
            return True
        if is_attribute(self._words(text[:300])):
            return is_below or block.kind is ListBlockKind.TEXT
        if not part.title:
            return is_below or block.kind is ListBlockKind.TEXT
        if is_below and not part.has_paper and not part.urls:
            return self._open.has_paper and self._open_kind is ListBlockKind.ITEM
        return False

    def _names_authors(self, block: ListBlock, text: str) -> bool:
        """Whether a line below the open entry has its authors and nothing else."""
        if self._open is None or not self._open.has_paper or "](" in text or "//" in text:
            return False
        if ListBlockKind.ROW in (block.kind, self._open_kind) or (
            block.kind is ListBlockKind.ITEM and block.depth <= self._open_depth
        ):
            return False
        words = self._words(text[:3000])
        run = read_names(words) if are_names(words) else None
        # Two or three words with capitals may be a title as well as one name.
        if run is None or (len(run.names) == 1 and not _ITALIC.match(text)):
            return False
        self._open.authors = self._open.authors or run.names
        self._open.end = max(self._open.end, block.end)
        return True

    def _words(self, text: str) -> str:
        return strip_emphasis(clean_text(text)).lstrip("-*+•> ")

    def _name_row(self, text: str, block: ListBlock, part: EntryPart) -> None:
        """The title of a row from the column that has titles, where links do not give it."""
        cells = split_cells(text)
        for number, column in enumerate(block.columns[: len(cells)]):
            if column in _TITLE_COLUMNS and len(cells) > 1:
                title = read_cell_title(cells[number])
                if title and not is_name_of_link(title) and part.rank < 3:
                    part.title, part.rank = title, rank_title(title, is_marked=True)
                return

    def _take_holder(self, part: EntryPart, block: ListBlock) -> None:
        """Give an entry that has only links the title that was announced above it."""
        holder = self._holder
        if part.title or holder is None or holder.is_used or not (part.has_paper or part.urls):
            return
        if block.kind is ListBlockKind.ROW:
            return
        if (
            not holder.is_heading
            and block.kind is ListBlockKind.ITEM
            and block.depth <= holder.depth
        ):
            return
        holder.is_used = True
        part.title, part.rank = holder.title, 2
        part.start = holder.start

    def _begin(self, part: EntryPart, block: ListBlock, text: str) -> None:
        self._close()
        self._open, self._open_depth, self._open_kind = part, block.depth, block.kind
        self._open_text = text[:3000]

    def _close(self) -> None:
        part, self._open = self._open, None
        if part is None or not self._is_reference(part):
            return
        if self._collector.is_full:
            self._collector.leave_out(1)
            return
        self._collector.add(
            make_reference(
                ids=part.ids,
                version=part.version,
                urls=part.urls,
                title=part.title,
                authors=part.authors,
                year=part.year,
                venue=part.venue,
                section=self._sections[-1][1] if self._sections else "",
                start=part.start,
                end=part.end,
            )
        )

    def _is_reference(self, part: EntryPart) -> bool:
        if part.ids:
            return True
        section = self._sections[-1][1] if self._sections else ""
        parents = " ".join(title for _, title in self._sections[1:])
        is_elsewhere = bool(_NOT_WORKS.search(parents)) and not _WORKS.search(section)
        if part.has_paper and part.title:
            return not (_SLIDES.search(parents) and part.has_pdf_only)
        if not part.title:
            return False
        if part.rank > 2 and part.authors and not part.urls and (part.year or part.venue):
            # A whole citation, wherever it stands: software lists the papers it comes from.
            return True
        if is_elsewhere:
            return False
        if _WORKS.search(parents) and part.rank > 1 and part.urls and (part.authors or part.year):
            return True
        return names_a_work(part, self._open_text)
