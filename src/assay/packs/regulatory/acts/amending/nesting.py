"""New text whose lists are followed by further lines, as acts of the Union have them.

A line without a number after a list belongs to the last point or to a provision around it. The
Official Journal sets a point as a row of a table: where its words follow its number after a tab,
they are all that it has; where they begin on the next line, more of its lines follow. The numbers
after a line tell the rest, as they do for a reader.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.packs.regulatory.acts.amending.fragments import (
    Line,
    NumberingStyle,
    copy_trimmed,
    join_lines,
)
from assay.packs.regulatory.acts.amending.outline import (
    LineMark,
    begins_row,
    choose_depth,
    classify,
    is_next,
)
from assay.packs.regulatory.acts.amending.paths import is_first, read_roman
from assay.packs.regulatory.acts.shapes import Provision, ProvisionKind, Words

_OWNER = -1
"""The depth of the provision that the lines are parts of."""
_DASHES = ("—", "–")
_FEWEST = 2
"""Lines and points of a provision whose words begin on the line after its number."""


class NotNested(Exception):
    """Whose words a line has is not clear; the message is the reason."""


@dataclass(slots=True)
class _Draft:
    path: str
    printed: str = ""
    mark: LineMark | None = None
    is_whole: bool = False
    """Whether its first line is all that it has."""
    is_open: bool = False
    """Whether further lines of it surely follow."""
    opening: list[Words] = field(default_factory=list)
    closing: list[Words] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    """How often each number occurs among its parts."""

    def add_line(self, words: Words) -> None:
        (self.closing if self.parts else self.opening).append(words)

    def has_more(self) -> bool:
        """Whether a line that follows can only be its own."""
        return self.is_open and len(self.opening) + len(self.parts) < _FEWEST

    def leads_list(self) -> bool:
        """Whether it has parts, or announces some."""
        return bool(self.parts) or self.leads_dashes()

    def leads_dashes(self) -> bool:
        """Whether a line with a dash can only be its own."""
        last = self.opening[-1].text if self.opening else ""
        return not self.parts and (last.endswith(":") or last.startswith(_DASHES))

    def name_part(self, kind: str, number: str) -> str:
        """The path of a part. A second row of points has the same numbers again."""
        name = f"{kind}_{number}"
        times = self.parts[name] = self.parts.get(name, 0) + 1
        name = name if times == 1 else f"{name}_{times}"
        return f"{self.path}__{name}".removeprefix("__")

    def finish(self) -> Provision:
        opening, closing = join_lines(self.opening), join_lines(self.closing)
        return Provision(self.path, self.printed, opening=opening, closing=closing)


def nest_lines(
    source: str,
    text: str,
    lines: Sequence[Line],
    parent: str,
    style: NumberingStyle,
    *,
    has_owner: bool,
) -> tuple[Words, list[Provision]]:
    """The parts that lines make, and the parent's words after them.

    The first line has a number. Without an owner, the text is that of the parts alone.
    """
    nest = _Nest(source, text, lines, parent, style, has_owner=has_owner)
    for at in range(len(lines)):
        nest.read(at)
    return join_lines(nest.owner.closing), [each.finish() for each in nest.drafts]


class _Nest:
    """The provisions that are open at some line, and all that were found before it."""

    def __init__(
        self,
        source: str,
        text: str,
        lines: Sequence[Line],
        parent: str,
        style: NumberingStyle,
        *,
        has_owner: bool,
    ) -> None:
        self.source = source
        self.text = text
        self.lines = lines
        self.style = style
        self.has_owner = has_owner
        self.owner = _Draft(parent)
        self.drafts: list[_Draft] = []
        self.stack: list[_Draft] = []
        self.previous: LineMark | None = None

    def read(self, at: int) -> None:
        line = self.lines[at]
        following = [each.mark for each in self.lines[at + 1 :] if each.mark][:2]
        if line.mark is not None:
            self._open(line, line.mark, following[0] if following else None)
            return
        depth = self._find_holder(at, following)
        if depth == _OWNER and not self.has_owner:
            depth = 0
            if not self.stack[0].leads_list():
                raise NotNested("the new text has words after a provision, and whose is not clear")
        del self.stack[depth + 1 :]
        holder = self.stack[depth] if depth > _OWNER else self.owner
        holder.add_line(copy_trimmed(self.source, self.text, line.start, line.end))
        self.previous = LineMark("", "", self.text[line.start : line.end])

    def _open(self, line: Line, mark: LineMark, following: LineMark | None) -> None:
        marks = [each.mark for each in self.stack]
        depth = choose_depth(mark, following, marks, self.style.ladder, 0, self.previous)
        del self.stack[depth:]
        above = self.stack[-1] if self.stack else self.owner
        is_paragraph = mark.style == self.style.paragraph and above.path.count("__") == 0
        kind = ProvisionKind.PARAGRAPH if is_paragraph else ProvisionKind.POINT
        path = above.name_part(kind, mark.number)
        words = copy_trimmed(self.source, self.text, line.words_start, line.end)
        is_whole = bool(words.text) and "\t" in self.text[line.start : line.words_start]
        draft = _Draft(path, line.printed, mark, is_whole=is_whole, is_open=not words.text)
        if words.text:
            draft.opening.append(words)
        self.drafts.append(draft)
        self.stack.append(draft)
        self.previous = mark

    def _find_holder(self, at: int, following: Sequence[LineMark]) -> int:
        """The depth of the provision that a line belongs to."""
        top = len(self.stack) - 1
        if top == _OWNER or self.stack[top].has_more():
            return top
        if self.text.startswith(_DASHES, self.lines[at].start) and self.stack[top].leads_dashes():
            return top
        able = [depth for depth, each in enumerate(self.stack) if not each.is_whole]
        if following:
            goes_on = self._find_row(at, *following)
            if goes_on is not None:
                inside = [depth for depth in able if depth >= goes_on]
                return inside[-1] if inside else goes_on - 1
            again = self._find_same_row(following[0])
            if again is not None:
                return again - 1
        sure = [depth for depth in able if self._leads_on(depth)]
        if self.text[self.lines[at].start].islower():
            # The rest of a sentence that goes on after its points.
            return max((d for d in sure if d < top), default=top if top in sure else _OWNER)
        return top if self.stack[top].is_open else min(sure, default=_OWNER)

    def _leads_on(self, depth: int) -> bool:
        """Whether a provision is not only a point of a list, which further lines do not follow."""
        draft = self.stack[depth]
        is_paragraph = draft.mark is not None and draft.mark.style == self.style.paragraph
        is_only = depth == 0 and not self.has_owner
        return is_paragraph or is_only or draft.is_open or bool(draft.parts)

    def _find_row(self, at: int, following: LineMark, after: LineMark | None = None) -> int | None:
        """The depth of the list that the next number goes on with, which has not ended by then."""
        if is_first(following.number) and begins_row(following, after, self._find_lead(at)):
            return None
        depths = range(len(self.stack) - 1, -1, -1)
        return next((d for d in depths if is_next(following, self.stack[d].mark)), None)

    def _find_same_row(self, following: LineMark) -> int | None:
        """The depth of the list that the next number begins again."""
        if not is_first(following.number):
            return None
        for depth in range(len(self.stack) - 1, -1, -1):
            mark = self.stack[depth].mark
            if mark and mark.style == following.style and _is_alike(mark.number, following.number):
                return depth
        return None

    def _find_lead(self, at: int) -> LineMark:
        """The last line before the next number."""
        last = at
        while last + 1 < len(self.lines) and self.lines[last + 1].mark is None:
            last += 1
        return LineMark("", "", self.text[self.lines[last].start : self.lines[last].end])


def _is_alike(number: str, first: str) -> bool:
    """Whether a number may be in a list that begins with a first number."""
    if first in {"i", "I"}:
        return read_roman(number) is not None and not re.fullmatch(r"[cdlmCDLM]", number)
    return bool(classify(number) & classify(first))
