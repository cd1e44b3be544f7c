"""The whole paragraph that a figure is in, as its act prints it, with the figure left open."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.packs.regulatory.acts.shapes import Provision, Words

OPEN = "[…]"
"""Where the figure itself stands: its value may change while its condition does not."""

_ENDED = ("", ".", "!", "?")
_NUMBER = re.compile(r"^\W{0,4}\d{1,4}[A-Z]{0,3}\.\W{0,4}(?=[^\W\d_])")
"""The number of a section that its first words repeat."""


@dataclass(frozen=True, slots=True)
class ParagraphWriter:
    """Writes paragraphs of one act; a figure has its place in the plain text of the act."""

    by_path: Mapping[str, Provision]
    children: Mapping[str, Sequence[Provision]]
    longest: int
    _sizes: dict[str, int] = field(default_factory=dict)

    def write(self, path: str, start: int, end: int) -> str:
        """The paragraph around a figure, or as much of it as fits; empty if even that does not.

        Of a longer one, the points beside the figure's own are left out. The words that introduce
        its own point, and those after it, are always there.
        """
        whole = self._list_ancestors(path)
        for top in range(len(whole)):
            if self.measure(whole[top]) > self.longest:
                continue
            around = [self.by_path[one] for one in whole[:top] if one in self.by_path]
            parts = [_open(one.opening, start, end) for one in around]
            parts += self._join(whole[top], start, end)
            parts += [_open(one.closing, start, end) for one in reversed(around)]
            words = _NUMBER.sub("", " ".join(" ".join(parts).split()))
            if len(words) <= self.longest:
                return words if OPEN in words else ""
        return ""

    def write_whole(self, path: str) -> str:
        """A provision with its points and their numbers, however long it is; of a point, also the
        words that lead into it."""
        steps = path.split("__")
        above = (self.by_path.get("__".join(steps[:end])) for end in range(1, len(steps)))
        leads = (one.opening.text for one in above if one is not None)
        parts = [lead for lead in leads if lead.rstrip()[-1:] not in _ENDED]
        return _NUMBER.sub("", " ".join(" ".join((*parts, *self._join(path, -1, -1))).split()))

    def _list_ancestors(self, path: str) -> list[str]:
        """The paths from the paragraph of an article down to a provision; from the article, if it
        has none, or only points that its own words lead into."""
        steps = path.split("__")
        top = self.by_path.get(steps[0])
        led = top is not None and top.opening.text.rstrip()[-1:] not in _ENDED
        first = 1 if led else min(2, len(steps))
        return ["__".join(steps[:end]) for end in range(first, len(steps) + 1)]

    def measure(self, path: str) -> int:
        """How long a provision is with its parts; each is measured once."""
        if path not in self._sizes:
            own = self.by_path.get(path)
            size = len(own.opening.text) + len(own.closing.text) if own else 0
            size += sum(self.measure(each.path) for each in self.children.get(path, ()))
            self._sizes[path] = size
        return self._sizes[path]

    def _join(self, path: str, start: int, end: int, *, numbered: bool = False) -> list[str]:
        own = self.by_path.get(path)
        if own is None:
            return []
        parts = [own.number] if numbered and own.number.strip() else []
        parts.append(_open(own.opening, start, end))
        for each in self.children.get(path, ()):
            parts += self._join(each.path, start, end, numbered=True)
        return [*parts, _open(own.closing, start, end)]


def _open(words: Words, start: int, end: int) -> str:
    """Words without the characters from one place to another, if these are among them."""
    at = 0
    for span in words.spans:
        if span.start <= start < span.end:
            first = at + start - span.start
            last = first + end - start
            before, after = words.text[:first].rstrip(), words.text[last:].lstrip()
            gap = "" if after[:1] in (",", ";", ".", ")", ":") else " "
            return f"{before} {OPEN}{gap}{after}"
        at += span.end - span.start
    return words.text
