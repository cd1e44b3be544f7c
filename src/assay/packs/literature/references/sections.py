"""Where the references of a paper are in its text, and where each one begins and ends."""

import re
from itertools import pairwise
from typing import Final

_HEADING = re.compile(
    r"^[ \t#*]{0,8}(?:(?:\d{1,2}|[IVX]{1,5})[.)]?[ \t]{1,4})?(?:references(?: and notes| cited)?|"
    r"bibliography|literature(?: cited)?|works cited|cited literature|"
    r"r[ ]?e[ ]?f[ ]?e[ ]?r[ ]?e[ ]?n[ ]?c[ ]?e[ ]?s|literatur(?:verzeichnis)?|"
    r"références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía|"
    r"riferimenti bibliografici|bibliografia|referências(?: bibliográficas)?|литература|"
    r"список литературы|参考文献)[ \t:.*#]{0,6}$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = re.compile(
    r"^[ \t#*]{0,8}(?:(?:\d{1,2}|[A-Z]|[IVX]{1,5})[.)]?[ \t]{1,4})?(?:appendix|appendices|"
    r"supplementary|"
    r"supplemental|acknowledge?ments?|author (?:contributions|biograph)|about the authors?|"
    r"competing interests|conflicts? of interest|funding|checklist|neurips paper checklist|"
    r"biograph(?:y|ies)|additional information|data availability)\b[^\n]{0,80}$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED: Final = (
    re.compile(r"^[ \t]{0,8}\[(\d{1,4})\][ \t]?", re.MULTILINE),
    re.compile(r"^[ \t]{0,8}(\d{1,4})\.[ \t]+(?=\D)", re.MULTILINE),
    re.compile(r"^[ \t]{0,8}\((\d{1,4})\)[ \t]+", re.MULTILINE),
    re.compile(r"^[ \t]{0,8}(\d{1,4})\)?[ \t]+(?=[^\W\d_])", re.MULTILINE),
)
_KEYED = re.compile(r"^[ \t]{0,8}\[[A-Za-z][\w+&.,;: -]{1,40}\][ \t]+", re.MULTILINE)
_LEAST_NUMBERED: Final = 2
_MOST_HEADINGS: Final = 20
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d)[a-z]?(?!\d)")
_NAME_START = re.compile(
    r"(?:(?:van|von|de|der|den|del|di|da|la|le|el|al|du|dos|d['’])\s?){0,3}[^\W\d_a-z][\w'’-]+"
    r"(?:[ -][^\W\d_a-z][\w'’-]+){0,2},? (?:[^\W\d_a-z]\.|[^\W\d_a-z]{1,3}[,.; ]|"
    r"[^\W\d_a-z][\w'’-]+)|"
    r"[^\W\d_a-z]\.(?:[ -]?[^\W\d_a-z]\.){0,3} ?[^\W\d_a-z][\w'’-]+"
)
_ENDS_REFERENCE = re.compile(r"(?:[.)\]]|\d|https?://\S{1,300}|\bpress)[ \t]*$")
_PAGE_NUMBER = re.compile(r"^[ \t]*\d{1,4}[ \t]*$")


def find_reference_section(text: str) -> tuple[int, int] | None:
    """Where the references are, without their heading; None if no heading announces them.

    The last heading counts, because a table of contents names the section too.
    """
    for found in list(_HEADING.finditer(text))[: -_MOST_HEADINGS - 1 : -1]:
        end = _find_section_end(text, found.end())
        body = text[found.end() : end]
        if len(_YEAR.findall(body[:20_000])) >= 1 and len(body.strip()) > 40:
            start = found.end() + len(body) - len(body.lstrip())
            return start, end
    return None


def is_reference_heading(line: str) -> bool:
    """Whether a line announces the references."""
    return _HEADING.fullmatch(line) is not None


def _find_section_end(text: str, start: int) -> int:
    after = _AFTER.search(text, start)
    end = after.start() if after else len(text)
    return start + len(text[start:end].rstrip())


def split_references(text: str) -> list[tuple[int, int]]:
    """The spans of the references in the text of a section.

    Numbers decide where there are any; otherwise blank lines, indents, or lines that begin with
    a name after a line that ends a reference.
    """
    starts = _find_numbered(text) or _find_keyed(text)
    if starts:
        return _make_spans(text, starts)
    lines = _list_lines(text)
    if not lines:
        return []
    for find in (_find_single_lines, _find_paragraphs, _find_hanging, _find_by_name):
        starts = find(text, lines)
        if starts:
            return _make_spans(text, starts)
    return _make_spans(text, [lines[0][0]])


def _find_numbered(text: str) -> list[int]:
    """The places of 1, 2, 3, … in order; a number that breaks the order belongs to a reference."""
    best: list[int] = []
    for pattern in _NUMBERED:
        starts: list[int] = []
        expected = 0
        for found in pattern.finditer(text):
            number = int(found[1])
            # A number or two may have been lost in reading.
            if not starts or expected <= number <= expected + 2:
                if not starts and number > 400:
                    continue
                starts.append(found.start())
                expected = number + 1
        if len(starts) > len(best):
            best = starts
        if len(best) >= _LEAST_NUMBERED and pattern in _NUMBERED[:3]:
            break
    if len(best) < _LEAST_NUMBERED or len(text) > 3000 * len(best):
        return []
    return best


def _find_keyed(text: str) -> list[int]:
    starts = [found.start() for found in _KEYED.finditer(text)]
    return starts if len(starts) > 1 else []


def _list_lines(text: str) -> list[tuple[int, int]]:
    """The spans of the lines that are not blank and not a page number."""
    lines = []
    place = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not _PAGE_NUMBER.match(line):
            lines.append((place, place + len(line)))
        place += len(line)
    return lines


def _find_single_lines(text: str, lines: list[tuple[int, int]]) -> list[int]:
    """Every line, if nearly all are long and have a year: one reference on each."""
    whole = sum(end - start > 50 and bool(_YEAR.search(text[start:end])) for start, end in lines)
    long = sum(end - start > 110 for start, end in lines)
    if len(lines) < 2 or whole < 0.8 * len(lines) or long < 0.3 * len(lines):
        return []
    return [start for start, _ in lines]


def _find_paragraphs(text: str, lines: list[tuple[int, int]]) -> list[int]:
    """The first lines after blank ones, if the references are apart from each other."""
    starts = [lines[0][0]]
    for (_, before), (start, _) in pairwise(lines):
        if "\n" in text[before:start]:
            starts.append(start)
    if len(starts) < 2 or len(starts) < len(lines) / 8:
        return []
    dated = sum(bool(_YEAR.search(text[s:e])) for s, e in _make_spans(text, starts))
    return starts if dated > 0.6 * len(starts) else []


def _find_hanging(text: str, lines: list[tuple[int, int]]) -> list[int]:
    """The lines that are not indented, if others are."""
    starts = [start for start, _ in lines if not text[start].isspace()]
    indented = len(lines) - len(starts)
    if indented < 2 or len(starts) < 2 or indented < 0.2 * len(starts):
        return []
    return starts


def _find_by_name(text: str, lines: list[tuple[int, int]]) -> list[int]:
    """The lines that begin with a name, after a line that ends a reference with its year."""
    starts = [lines[0][0]]
    has_year = False
    before = ""
    for start, end in lines:
        line = text[start:end].strip()
        if start > lines[0][0] and _begins_reference(line, before, has_year=has_year):
            starts.append(start)
            has_year = False
        has_year = has_year or bool(_YEAR.search(line))
        before = line
    return starts


def _begins_reference(line: str, before: str, *, has_year: bool) -> bool:
    return (
        has_year and bool(_NAME_START.match(line)) and bool(_ENDS_REFERENCE.search(before[-400:]))
    )


def _make_spans(text: str, starts: list[int]) -> list[tuple[int, int]]:
    spans = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        body = text[start:end]
        begin = start + len(body) - len(body.lstrip())
        finish = start + len(body.rstrip())
        if finish > begin:
            spans.append((begin, finish))
    return spans
