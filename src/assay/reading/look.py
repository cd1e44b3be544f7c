"""The visible text of an HTML page, and how much of it is furniture.

One pass over the tags, so that a page that never closes anything costs no more than one that
does.
"""

import html
import re
from dataclasses import dataclass

from assay.model.markup import decoded

_TAG = re.compile(r"<!--|<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>|<[!?/][^<>]*>")
_SPACE = re.compile(r"\s+")
_UNSEEN = frozenset({"script", "style", "template", "noscript"})
_FURNITURE = frozenset({"nav", "header", "footer", "aside"})
_STRUCTURED = frozenset({"table", "ol", "dl"})


@dataclass(frozen=True, slots=True)
class Page:
    """What a first look at a page gives."""

    title: str | None
    text: str
    """The text without navigation, header and footer."""
    boilerplate_ratio: float
    has_structured_data: bool


def first_look(data: bytes) -> Page:
    """Title, main text and shape of a page, without building a tree."""
    look = _Look()
    look.over(decoded(data))
    main, furniture = _plain(look.main), _plain(look.furniture)
    everything = len(main) + len(furniture)
    share = len(furniture) / everything if everything else 1.0
    return Page(
        title=_plain(look.title) or None,
        text=main,
        boilerplate_ratio=round(share, 4),
        has_structured_data=look.structured,
    )


class _Look:
    """Sorts the text between the tags into title, main text and furniture."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self.main: list[str] = []
        self.furniture: list[str] = []
        self.structured = False
        self._depth = 0
        self._in_title = False

    def over(self, markup: str) -> None:
        at = 0
        while tag := _TAG.search(markup, at):
            self._keep(markup[at : tag.start()])
            at = tag.end()
            name = (tag.group(2) or "").lower()
            if tag.group(0) == "<!--":
                at = _after(markup, "-->", at)
            elif name in _UNSEEN and not tag.group(1):
                at = _after_closing(markup, name, at)
            else:
                self._enter(name, closing=bool(tag.group(1)))
        self._keep(markup[at:])

    def _enter(self, name: str, *, closing: bool) -> None:
        if name == "title":
            # Only the first: a picture may have a title of its own.
            self._in_title = not closing and not self.title
        elif name in _FURNITURE:
            self._depth = max(0, self._depth - 1) if closing else self._depth + 1
        elif name in _STRUCTURED and not closing and not self._depth:
            self.structured = True

    def _keep(self, text: str) -> None:
        if not text:
            return
        if self._in_title:
            self.title.append(text)
        elif self._depth:
            self.furniture.append(text)
        else:
            self.main.append(text)


def _after(markup: str, end: str, at: int) -> int:
    found = markup.find(end, at)
    return len(markup) if found < 0 else found + len(end)


def _after_closing(markup: str, name: str, at: int) -> int:
    """Where a script or style ends; one that never does hides the rest, as in a browser."""
    found = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(markup, at)
    return found.end() if found else len(markup)


def _plain(pieces: list[str]) -> str:
    return _SPACE.sub(" ", html.unescape(" ".join(pieces))).strip()
