"""New text, as an amending act states it, as provisions with their parts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.amending.outline import Ladder, LineMark, find_depths
from assay.packs.regulatory.acts.shapes import Provision, ProvisionKind, Span, Words, copy_words

_JOINING_LINE = Words("\n", (Span("", 0, 1),))
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class NumberingStyle:
    """How a tradition numbers the parts of an article."""

    mark: re.Pattern[str]
    """A number at the beginning of a line: one of its groups is the number alone."""
    paragraph: str
    """The style of a paragraph's number, such as `()` or `.`; others are points."""
    ladder: Ladder = ()
    nested: re.Pattern[str] | None = None
    """A short heading and a further number on the same line: `(a) Scope. (1) …`."""
    counts_unnumbered: bool = False
    """Whether a paragraph without a number is counted (Croatian, German)."""
    ends_lists: bool = False
    """Whether lines without a number may follow a list and belong to the provision around it."""
    note: re.Pattern[str] | None = None
    """A line that is a footnote of the new text, not a part of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line or a part of one, with the number it begins with."""

    start: int
    end: int
    mark: LineMark | None
    printed: str = ""
    words_start: int = 0


def split_lines(text: str, start: int, end: int, style: NumberingStyle) -> list[Line]:
    """The numbered pieces of new text, in order."""
    lines: list[Line] = []
    for match in _LINE.finditer(text, start, end):
        begin, stop = match.span()
        while begin < stop and text[begin].isspace():
            begin += 1
        while stop > begin and text[stop - 1].isspace():
            stop -= 1
        if style.note and style.note.match(text, begin, stop):
            # The footnotes of new text follow it.
            break
        if begin == stop:
            continue
        while (found := style.mark.match(text, begin, stop)) is not None:
            cut = _find_nested(text, found.end(), stop, style)
            mark = read_mark(found, text[found.end() : cut or stop])
            lines.append(Line(begin, cut or stop, mark, found.group().strip(), found.end()))
            if cut is None:
                break
            begin = cut
        else:
            lines.append(Line(begin, stop, None, "", begin))
    return lines


def read_mark(found: re.Match[str], text: str = "") -> LineMark:
    number = next(filter(None, found.groups()))
    printed = found.group().strip()
    return LineMark(printed.replace(number, "", 1).replace(" ", ""), number, text)


def _find_nested(text: str, start: int, stop: int, style: NumberingStyle) -> int | None:
    if style.nested is None:
        return None
    found = style.nested.match(text, start, stop)
    return found.start("next") if found else None


def read_parts(
    source: str,
    text: str,
    lines: Sequence[Line],
    parent: str,
    style: NumberingStyle,
    *,
    depth: int = 0,
    above: Sequence[str] = (),
) -> list[Provision]:
    """The numbered lines as parts of a provision, each with the unnumbered lines that follow it.

    The lines before the first number are not read: they belong to the parent.
    """
    numbered = [line for line in lines if line.mark is not None]
    marks = [line.mark for line in numbered if line.mark is not None]
    depths = dict(
        zip(map(id, numbered), find_depths(marks, style.ladder, depth, above), strict=True)
    )
    provisions: list[Provision] = []
    open_paths: dict[int, str] = {depth - 1: parent}
    last_depth = depth
    stars = 0
    more: list[Words] = []
    for line in lines:
        if line.mark is not None:
            own = depths[id(line)]
            above_path = open_paths[max(d for d in open_paths if d < own)]
            is_paragraph = line.mark.style == style.paragraph and above_path.count("__") == 0
            kind = ProvisionKind.PARAGRAPH if is_paragraph else ProvisionKind.POINT
            path = f"{above_path}__{kind}_{line.mark.number}" if above_path else line.mark.number
            open_paths = {d: p for d, p in open_paths.items() if d < own} | {own: path}
            last_depth = own
            _add_lines(provisions, more)
            words = copy_trimmed(source, text, line.words_start, line.end)
            provisions.append(Provision(path, line.printed, opening=words))
        elif is_star_line(text[line.start : line.end]):
            if provisions and not _is_star(provisions[-1]):
                _add_lines(provisions, more)
                stars += 1
                words = copy_words(source, text, line.start, line.end)
                at = open_paths[last_depth]
                provisions.append(
                    Provision(f"{at.rpartition('__')[0]}__stars_{stars}", opening=words)
                )
        elif provisions and not _is_star(provisions[-1]):
            more.append(copy_words(source, text, line.start, line.end))
    _add_lines(provisions, more)
    return provisions


def _add_lines(provisions: list[Provision], more: list[Words]) -> None:
    """Add lines without a number to the provision before them."""
    if more:
        last = provisions[-1]
        provisions[-1] = replace(last, opening=join_lines([last.opening, *more]))
        more.clear()


def join_lines(lines: Iterable[Words]) -> Words:
    """Lines as words in one piece, with a line end between them."""
    parts: list[str] = []
    spans: list[Span] = []
    for line in lines:
        if line.text:
            if parts:
                parts.append(_JOINING_LINE.text)
                spans += _JOINING_LINE.spans
            parts.append(line.text)
            spans += line.spans
    return Words("".join(parts), tuple(spans))


def copy_trimmed(source: str, text: str, start: int, end: int) -> Words:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return copy_words(source, text, start, end) if start < end else Words()


def is_star_line(line: str) -> bool:
    return "*" in line and not line.strip("* .\t")


def _is_star(provision: Provision) -> bool:
    return provision.path.rpartition("__")[2].startswith("stars_")


def take_subtree(provisions: Sequence[Provision], at: int) -> tuple[Provision, ...]:
    """A provision and what follows it up to the next one that is not its part.

    Asterisks right after it are kept, because they show whether more of its parts follow.
    """
    path = provisions[at].path
    taken = [provisions[at]]
    for index in range(at + 1, len(provisions)):
        each = provisions[index]
        if not each.path.startswith(path + "__"):
            if _is_star(each):
                taken.append(replace(each, path=f"{path}__{each.path.rpartition('__')[2]}"))
            break
        taken.append(each)
    return tuple(taken)
