"""A text as blocks: paragraphs, list items, headings and table rows, with their offsets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from assay.packs.regulatory.acts.trees.numbering import goes_on_with_number
from assay.packs.regulatory.extractor.listed_tables import find_listed_tables
from assay.packs.regulatory.extractor.row_labels import RowLabels
from assay.sdk.reading import ContentClass, Reading, TableData

_LONG_CELL = 160
"""A cell with more letters is prose that a table only lays out."""
_LONGEST_ROW = 1_200
_REACH = 2_000
"""How far after a cell of a table the next one is searched for."""
_MOST_LINES = 80
"""A paragraph with more lines is cut."""
_LONGEST_HEADING = 130
_SURE = 3
"""With this many lines that were certainly wrapped, only their width counts."""

_SHORT_CELL = 100
_PARTED = re.compile(r"\t+|\s\|\s")
_RULE = re.compile(r"[|\s:]*-[-|\s:]*")
"""The line of Markdown below the head of a table."""
_NUMBER_ONLY = re.compile(r"[(§]?\s?\w{1,4}[.)]{0,2}|[-–•*]")
_EDGES = " \t\r\v\u00a0|¦"
_LINE = re.compile(r"[^\n\f]+")
_DIGIT = re.compile(r"\d")
_HASHES = re.compile(r"#{1,6}[ \t]+(?=\S)")
"""How a heading begins in Markdown."""
_MONTHS = (
    r"sije[čc]|velja[čc]|o[žz]uj|trav[na]|svib|lip[na]|srp[na]|kolovoz|ruj|listopad|studen|prosin"
    r"|januar|jan\b|februar|feb\b|m[äa]r(?:ch|z)|mar\b|april|apr\b|ma[iy]\b|jun[ie]?\b|jul[iy]?\b"
    r"|august|aug\b|septem|sept?\b|o[ck]to|o[ck]t\b|novem|nov\b|de[cz]em|de[cz]\b"
)
_MARKER = re.compile(
    # Markdown escapes them: `\(1\)`, `1\.`; it may emphasise a letter: `(*a*)`.
    r"(?:(?:\\?\(\*?(?:\d{1,3}[a-z]?|[a-zčćđšž]{1,2}|[ivxlc]{1,6})\*?\\?\)"
    rf"|\d{{1,3}}\\?[.)](?!\d)(?!\s*(?:{_MONTHS})|\s+(?:u mjesecu|tag|des|dan))"
    r"|[a-zčćđšž]{1,2}\\?\)|[ivx]{1,5}\)|[a-z]\.(?=\s+(?-i:[A-ZČĆĐŠŽÄÖÜ][a-z]))|--|[-–—•·*▪■]"
    r"|\d{1,2}(?:\.\d{1,2}){1,2}\.?(?=\s+(?-i:[A-ZČĆĐŠŽÄÖÜ][a-zčćđšžäöü]))"
    r"|\d{1,3}(?=\s+(?:\d{1,2}\s+)?(?-i:[A-Z][a-z])))(?:\s+|(?<=\))(?=[^\W_]))|\d{1,3}[a-z]?\.?—(?=\S))",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"(?:(?P<hr>članak|clanak|čl\.)\s+(?P<hr_no>\d{1,4}[a-z]?)\.?"
    r"|(?P<en>article|section|sec\.|regulation|rule)\s+(?P<en_no>\d{1,4}(?:\.\d{1,4})?[a-z]?)\.?"
    r"|(?P<de>artikel|art\.)\s+(?P<de_no>\d{1,4}[a-z]?)\.?"
    r"|(?P<sign>§)\s*(?P<sign_no>\d{1,6}(?:\.\d{1,4})?[a-z]?)\.?"
    r"|(?P<point>točka|točke|point|ziffer)\s+(?P<point_no>\d{1,4}[a-z]?)\.?)(?![\w(/-])[ \t]*",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:shall|must|may|is|are|was|were|has|have|will|applies|apply|je|su|se|iznosi|iznose|stupa"
    r"|ist|sind|wird|werden|beträgt|betragen|gilt|gelten|muss|müssen|hat|haben|tritt|treten)\b",
    re.IGNORECASE,
)
_ENACTS = re.compile(
    r"(?:na temelju|temeljem|pursuant to|under the|under article|having regard|auf grund|aufgrund"
    r"|whereas)(?!\w)",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d\s?(?:%|€|kn\b|eur|\$|£|dan|day|tag)|(?:€|\$|£|EUR)\s?\d", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?:the|these|this|an?|any|every|each|no|all|where|if|for|ov\w{1,2}|svak\w{1,2}|na|za|od|ako"
    r"|tko"
    r"|der|die|das|dies\w{1,2}|ein\w{0,2}|wer|jede\w?|für|alle|from|by|upon|on)\s",
    re.IGNORECASE,
)
_SECTION = re.compile(r"\d{1,5}\.\d{1,4}\s")
_NAMED_VALUE = re.compile(r":\s.{0,40}\d")
_LABEL = re.compile(r"[A-ZČĆĐŠŽÄÖÜ][\w /()-]{2,40}:[ \t]+\S")
"""`Zahlung: innerhalb von 14 Tagen`: a line of a list of names and values."""
_KEY = re.compile(r"(?:- )?[A-Za-z_][\w-]{0,40}:(?:\s+|$)")
_FIGURE = re.compile(
    r"[%€$£]|\bEUR\b|\beura\b|\bEuro\b|\d\s(?:dan|day|tag|godin|year|jahr|mjesec|month|monat)",
    re.IGNORECASE,
)


class BlockKind(StrEnum):
    """What a stretch of the text is."""

    PROSE = "prose"
    HEADING = "heading"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the text that no sentence crosses."""

    start: int
    end: int
    kind: BlockKind = BlockKind.PROSE
    markers: tuple[str, ...] = ()
    """`(1)`, `a)` and the like that preceded it."""
    article: str = ""
    """The article that begins with this block: `čl. 4.`, `Article 4`, `§ 4`."""
    cells: tuple[tuple[int, int], ...] = ()
    """Where the cells of a row are; an empty stretch for a cell that was not found."""
    head: tuple[str, ...] = ()
    """The words at the head of each column."""
    head_start: int = -1
    """Where the head of the table begins, for a row that has one."""
    caption: str = ""
    labels: tuple[str, ...] = ()
    """What else says what a row is about: the heading of its group, or the label of a row above
    that it continues; for prose in a table, the label of its row."""


@dataclass(slots=True)
class _Lines:
    """The lines of a text outside its tables, with what a wrapped line looks like."""

    text: str
    spans: list[tuple[int, int]] = field(default_factory=list)
    wrapped: bool = False
    """Whether a line may be part of a sentence; in an HTML page each line is a whole block."""
    width: int = 0

    def measure_width(self, *, wrapped: bool) -> "_Lines":
        """Measure the usual width of a full line, if lines may be parts of sentences."""
        self.wrapped = wrapped
        # A line that goes on in lower case was certainly wrapped; titles and notes may be longer.
        sure = [
            end - start
            for (start, end), (following, _) in pairwise(self.spans)
            if self.text[following].islower() and self.text.count("\n", end, following) == 1
        ]
        lengths = sorted(sure if len(sure) >= _SURE else (end - start for start, end in self.spans))
        if lengths and wrapped:
            usual = lengths[len(lengths) * 9 // 10]
            self.width = usual if usual <= 140 else 0
        return self

    def is_full(self, at: int) -> bool:
        """Whether a line has no room for the first word of the next one, or little room at all."""
        (start, end), (following, limit) = self.spans[at], self.spans[at + 1]
        word = len(self.text[following:limit].split(maxsplit=1)[0])
        full = end - start >= self.width * 3 // 4 or end - start + word >= self.width
        return bool(self.width) and full


def split_blocks(reading: Reading) -> list[Block]:
    """The blocks of a reading, in order."""
    rows: list[Block] = []
    taken: list[tuple[int, int]] = []
    tables = [*reading.tables, *_find_tabbed_tables(reading), *find_listed_tables(reading)]
    for table in sorted(tables, key=lambda table: (table.start, table.end)):
        if taken and table.start < taken[-1][1]:
            continue
        rows.extend(_build_rows(reading.text, table))
        taken.append((table.start, table.end))
    is_data = reading.content_class is ContentClass.JSON
    lines = _Lines(reading.text)
    lines.spans = [span for span in _find_lines_outside(reading.text, taken) if span[1] > span[0]]
    wraps = reading.content_class not in (ContentClass.HTML, ContentClass.XML, ContentClass.JSON)
    lines.measure_width(wrapped=wraps)
    prose = _split_paragraphs(lines, is_data=is_data)
    return sorted([*rows, *prose], key=lambda block: (block.start, block.end))


def _find_tabbed_tables(reading: Reading) -> Iterator[TableData]:
    """Tables in plain text, whose cells are separated by tabs or bars."""
    if reading.content_class is not ContentClass.TEXT or reading.tables:
        return
    run: list[tuple[int, int, tuple[str, ...]]] = []
    for match in _LINE.finditer(reading.text):
        line = match[0].strip()
        framed = len(line) > 1 and line.startswith("|") and line.endswith("|")
        if framed and run and _RULE.fullmatch(line):
            run[-1] = (run[-1][0], match.end(), run[-1][2])
            continue
        parts = line[1:-1].split("|") if framed else _PARTED.split(line.strip(" |"))
        cells = tuple(cell.strip() for cell in parts)
        goes_on = run and len(cells) == len(run[-1][2]) and match.start() - run[-1][1] <= 2
        if run and not goes_on:
            yield from _build_table(run)
            run = []
        if len(cells) > 1 and (framed or max(map(len, cells)) <= _SHORT_CELL):
            run.append((match.start(), match.end(), cells))
    yield from _build_table(run)


def _build_table(run: list[tuple[int, int, tuple[str, ...]]]) -> Iterator[TableData]:
    """Build a table from a run of lines, unless its tabs only separate list numbers from items."""
    listed = all(len(cells) == 2 and _NUMBER_ONLY.fullmatch(cells[0]) for _, _, cells in run)
    if len(run) > 1 and not listed:
        yield TableData(run[0][0], run[-1][1], tuple(cells for _, _, cells in run))


def _find_lines_outside(text: str, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    at = 0
    for match in _LINE.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] <= match.start():
            continue
        yield _trim_span(text, match.start(), match.end())


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Without surrounding space, or frame lines that a scan mistook for letters."""
    line = text[start:end]
    start += len(line) - len(line.lstrip(_EDGES))
    return start, max(start, end - (len(line) - len(line.rstrip(_EDGES))))


def _split_paragraphs(lines: _Lines, *, is_data: bool) -> Iterator[Block]:
    text, spans, at = lines.text, lines.spans, 0
    while at < len(spans):
        start, end = spans[at]
        at += 1
        if is_data and (key := _KEY.match(text, start, end)):
            start = key.end()
        if start >= end:
            continue
        first = at
        while (
            at < len(spans)
            and at - first < _MOST_LINES
            and _continues_sentence(lines, (start, end), at)
        ):
            end = spans[at][1]
            at += 1
        yield from _build_blocks(text, start, end)


def _continues_sentence(lines: _Lines, so_far: tuple[int, int], at: int) -> bool:
    """Whether a line continues the sentence of the line before it."""
    if not lines.wrapped:
        return False
    text, (start, end) = lines.text, lines.spans[at]
    if _HASHES.match(text, start) or _HASHES.match(text, so_far[0]):
        return False
    last = lines.spans[at - 1]
    if text.count("\n", so_far[1], start) != 1 or text[so_far[1] - 1] in ";!?":
        return False
    if text[so_far[1] - 1] == ":" and not _is_amid_lines(lines, at):
        return False
    if goes_on_with_number(text, so_far, (start, end)):
        return True
    if _MARKER.match(text, start, end) or _begins_article(text, so_far[1], start, end):
        return False
    if _LABEL.match(text, start, end) and _LABEL.match(text, *last):
        return False
    if _match_article(text, so_far[0], so_far[1]) and so_far[1] - so_far[0] < 40:
        return False
    ended = text[so_far[1] - 1] == "."
    wide = lines.is_full(at - 1)
    if text[start].islower():
        # A Croatian or German number ends with a full stop within its sentence.
        return last[1] - last[0] >= 25 if not ended else text[so_far[1] - 2].isdigit()
    if text[start] in "%€‰)" and not ended:
        return True
    return wide and not (ended and not _is_mid_date(text, so_far[1]))


def _is_amid_lines(lines: _Lines, at: int) -> bool:
    """Whether a line is in the middle of a paragraph, after a colon that introduces no list."""
    if at + 1 >= len(lines.spans) or not (lines.is_full(at - 1) and lines.is_full(at)):
        return False
    (start, end), (following, _) = lines.spans[at], lines.spans[at + 1]
    text = lines.text
    return (
        text[start].islower()
        and text[end - 1] not in ",;"
        and text.count("\n", end, following) == 1
        and not _MARKER.match(text, start, end)
        and not _MARKER.match(text, following)
    )


def _is_mid_date(text: str, end: int) -> bool:
    return text[end - 2].isdigit() and not text[max(0, end - 5) : end - 1].isdigit()


def _build_blocks(text: str, start: int, end: int) -> Iterator[Block]:
    """Split a paragraph into its heading, its article, its markers, and the rest."""
    article = ""
    if hashes := _HASHES.match(text, start, end):
        match = _match_article(text, hashes.end(), end)
        article = _format_article(match) if match else ""
        yield Block(hashes.end(), end, BlockKind.HEADING, article=article)
        return
    if match := _match_article(text, start, end):
        rest = text[match.end() : end].strip()
        if not rest or _is_title(rest, numbered=True):
            yield Block(start, end, BlockKind.HEADING, article=_format_article(match))
            return
        if not rest[0].islower():
            article, start = _format_article(match), match.end()
    start, markers = skip_markers(text, start, end)
    if start >= end:
        return
    kind = BlockKind.PROSE
    if not article and not markers and _is_title(text[start:end]):
        kind = BlockKind.HEADING
    yield Block(start, end, kind, markers, article)


def skip_markers(text: str, start: int, end: int) -> tuple[int, tuple[str, ...]]:
    """Where the words begin after `(1)`, `a)` and the like, and those markers."""
    found: list[str] = []
    while len(found) < 3 and (marker := _MARKER.match(text, start, end)):
        found.append(re.sub(r"[\\*]", "", marker[0]).strip() or "*")
        start = marker.end()
    return start, tuple(found)


def _match_article(text: str, start: int, end: int) -> re.Match[str] | None:
    match = _ARTICLE.match(text, start, end)
    if match is None:
        return None
    rest = text[match.end() : end][:40]
    # "Article 5 of Regulation …", "§ 4 Abs. 2 …": a sentence that begins with a reference.
    if re.match(r"(?:of|to|and|or|in|is|shall|Abs|st\.|Zakona|Pravilnika|Satz)\b", rest):
        return None
    return match


def _begins_article(text: str, ended: int, start: int, end: int) -> bool:
    """Whether an article begins with a line, rather than a sentence that names it goes on."""
    match = _match_article(text, start, end)
    if match is None:
        return False
    return not (text[match.end() : end][:1].islower() and text[ended - 1] not in ".;:")


def _format_article(match: re.Match[str]) -> str:
    for name, form in (("hr", "čl. {}."), ("en", "{} {}"), ("de", "Artikel {}"), ("sign", "§ {}")):
        if match[name]:
            number = match[f"{name}_no"]
            return (
                form.format(match[name].capitalize(), number)
                if name == "en"
                else form.format(number)
            )
    return f"{match['point'].lower()} {match['point_no']}" + "." * (match["point"][0] in "tT")


def _is_title(line: str, *, numbered: bool = False) -> bool:
    """Whether a line is a heading; only a numbered one may end with a full stop."""
    if len(line) > _LONGEST_HEADING or _FIGURE.search(line):
        return False
    stopped = line[-1] == "." and _may_end_with_stop(line, numbered=numbered)
    if line[-1] in ".;:,!?" and not stopped:
        return False
    if _ENACTS.match(line) or _NAMED_VALUE.search(line):
        return False
    return (line[0].isupper() or line[0].isdigit()) and not _VERB.search(line)


def _may_end_with_stop(line: str, *, numbered: bool) -> bool:
    """Whether words with a full stop may head a provision: only a few, and not a sentence."""
    section = _SECTION.match(line)
    content = line[section.end() :] if section else line
    spoken = _SENTENCE.match(content) and content.count(" ") >= 4
    short = content.count(" ") <= 8 and not re.search(r"\d", content)
    return (numbered or section is not None) and short and not spoken


def _build_rows(text: str, table: TableData) -> Iterator[Block]:
    """The rows of a table, each at its place; prose in a layout table is still prose."""
    cursor = table.start
    head: tuple[str, ...] = ()
    head_start = -1
    labels = RowLabels()
    # A first row with values is not a head: the table is a list of names with their values.
    headed = not any(_VALUE.search(cell) for cell in table.rows[0][1:]) if table.rows else False
    for place, row in enumerate(table.rows):
        cells: list[tuple[int, int]] = []
        for cell in row:
            content = cell.strip()
            limit = min(table.end, cursor + len(content) + _REACH)
            at = text.find(content, cursor, limit) if content else -1
            if at < 0:
                cells.append((cursor, cursor))
                continue
            cells.append((at, at + len(content)))
            cursor = at + len(content)
        around = labels.follow_row(row) if head or not headed else ()
        found = [span for span in cells if span[1] > span[0]]
        if _is_prose(text, cells):
            for start, end in (span for span in found if span[1] - span[0] > _LONG_CELL):
                around = (*around, *labels.list_before(text[start:end]))
                for block in _build_blocks(text, start, end):
                    yield replace(block, labels=tuple(dict.fromkeys(around)))
            continue
        if found:
            yield Block(
                start=found[0][0],
                end=found[-1][1],
                kind=BlockKind.ROW,
                cells=tuple(cells),
                head=head,
                head_start=head_start,
                caption=table.caption,
                labels=around,
            )
            if headed and not head:
                head, head_start = row, found[0][0]
            elif head and place == 1:
                head = _join_heads(head, row)
        elif headed and not head and any(row):
            # Its words are there, but over two rows or with other spaces.
            head, head_start = row, table.start


def _join_heads(head: tuple[str, ...], row: tuple[str, ...]) -> tuple[str, ...]:
    """The head with the row below it, if that divides one of its cells: `Rate: Single, Married`."""
    if moved := _join_moved_heads(head, row):
        return moved
    is_label = row[0].strip() not in ("", head[0].strip())
    if is_label or len(head) != len(row) or any(map(_DIGIT.search, row)):
        return head
    whole = list(head)
    for place, below in enumerate(row[1:], 1):
        if not whole[place].strip() and below.strip():
            # Markdown leaves the other cells of a wide one empty.
            whole[place] = whole[place - 1]
    if not any(one == other and one.strip() for one, other in pairwise(whole)):
        return head
    return tuple(
        above if below.strip() in ("", above.strip()) else f"{above} {below}"
        for above, below in zip(whole, row, strict=True)
    )


def _join_moved_heads(head: tuple[str, ...], row: tuple[str, ...]) -> tuple[str, ...]:
    """The same, if the row lost the empty cells below heads that reach over both rows: then it has
    as many words as the divided heads have columns."""
    filled = [cell for cell in row if cell.strip()]
    whole = list(head)
    for place in range(1, len(whole)):
        whole[place] = whole[place] if whole[place].strip() else whole[place - 1]
    divided = [at for at, name in enumerate(whole) if whole.count(name) > 1]
    is_moved = len(head) == len(row) and head[0].strip() and list(row[: len(filled)]) == filled
    if not is_moved or len(divided) != len(filled) or divided[0] == 0 or len(filled) == len(row):
        return ()
    if any(map(_DIGIT.search, filled)):
        return ()
    below = dict(zip(divided, filled, strict=True))
    return tuple(f"{name} {below[at]}" if at in below else name for at, name in enumerate(whole))


def _is_prose(text: str, cells: Sequence[tuple[int, int]]) -> bool:
    """Whether a row is prose that a table only lays out, rather than a long name with values."""
    long = [span for span in cells if span[1] - span[0] > _LONG_CELL]
    if not long:
        return False
    short = (span for span in cells if 0 < span[1] - span[0] <= _LONG_CELL)
    valued = any(_VALUE.search(text, *span) for span in short)
    whole = cells[-1][1] - cells[0][0]
    return not valued or whole > _LONGEST_ROW or any(_VALUE.search(text, *one) for one in long)
