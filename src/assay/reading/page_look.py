"""A cheap look at a page: its title, its own text, and how much of it is page furniture.

No tree is built: one pass finds the few tags that matter, and all other tags are stripped from the
text between them at once. Time and memory grow only with the length of the page, however its tags
are nested, and whether or not they are ever closed.
"""

import html
import re
from dataclasses import dataclass

from assay.reading.decoding import decode_bytes


class _Patterns:
    """The patterns of tags. Ignoring case is slow, so only a page with upper-case tags pays for
    it."""

    def __init__(self, flags: re.RegexFlag = re.NOFLAG) -> None:
        # Possessive throughout: no character is read twice.
        self.marked = re.compile(
            r"<!--|<(/?)(script|style|template|noscript|title|nav|header|footer|aside|main|article|"
            r"table|ol|dl|div|ul|section|form)(?=[\s/>])([^<>]*+)>",
            flags,
        )
        self.inline = re.compile(
            r"</?(?:[abiqsu]|abbr|bdi|bdo|big|cite|code|data|del|dfn|em|font|ins|kbd|label|mark|"
            r"samp|small|span|strike|strong|sub|sup|time|tt|var|wbr)(?:[\s/][^<>]*+)?>",
            flags,
        )
        self.lone_link = re.compile(
            r"<(?:li|td|div|p)(?:\s[^<>]*+)?>\s*+<a\s[^<>]*+>([^<>]*+)</a\s*+>\s*+"
            r"</(?:li|td|div|p)\s*+>",
            flags,
        )
        self.closing = {
            name: re.compile(rf"</{name}\s*+>", flags)
            for name in ("script", "style", "template", "noscript")
        }


_SMALL = _Patterns()
_CAPITAL = _Patterns(re.IGNORECASE)
_CAPITAL_TAG = re.compile(r"</?[a-z]*+[A-Z]")
_BREAK = "<br>"
"""Replaces a tag that was removed, to keep the lines around it apart."""
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*+>")
_NAMED = re.compile(r"\b(?:class|id|role)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.I)
_FURNITURE = frozenset({"nav", "footer", "aside"})
_STRUCTURED = frozenset({"table", "ol", "dl"})
_OWN_TEXT = frozenset({"main", "article"})
_NAMES = """
    navigation banner contentinfo complementary search nav navbar menu main-menu mainmenu main-nav
    submenu topmenu sidebar side-bar footer site-footer page-footer site-header page-header masthead
    breadcrumb breadcrumbs cookie cookies cookie-banner cookie-notice cookie-consent skip-link
    skip-links pagination pager social social-links share sharing toolbar"""
_FURNITURE_NAMES = frozenset(_NAMES.split())
"""Words in the class, id or role of elements that are not part of the text. Only whole words count:
an element with a class such as `no-sidebar` may hold the whole page."""
_BLOCK = 1 << 20
_GAP = re.compile(r"\s")
_MENU_ENTRY = 60
"""Up to this many characters, a line that is one link is a menu entry; beyond, a headline."""


@dataclass(frozen=True, slots=True)
class PageLook:
    """The result of a look at a page."""

    title: str | None
    text: str
    """The text without navigation, header and footer; one line for each block."""
    boilerplate_ratio: float
    """The share of all visible characters that is navigation, header or footer."""
    has_structured_data: bool
    """Whether the text has a table, a numbered list or a list of definitions."""


def look_at_page(data: bytes, charset: str | None = None) -> PageLook:
    """Title, main text and structure of a page; `charset` is what its server declared, if any."""
    return look_at_markup(decode_bytes(data, charset).text)


def look_at_markup(markup: str) -> PageLook:
    """Title, main text and structure of a page that is already decoded."""
    patterns = _CAPITAL if _CAPITAL_TAG.search(markup) else _SMALL
    sorting = _MarkupSorter(patterns)
    sorting.sort_markup(markup)
    own = "".join(sorting.own)
    text, furniture = (
        _read_lines(own, patterns),
        _read_lines("".join(sorting.furniture), patterns),
    )
    aside = len(furniture) + min(_count_menu_characters(own, patterns), len(text))
    everything = len(text) + len(furniture)
    return PageLook(
        title=_read_lines("".join(sorting.title), patterns).replace("\n", " ") or None,
        text=text,
        boilerplate_ratio=round(aside / everything, 4) if everything else 1.0,
        has_structured_data=sorting.structured,
    )


class _MarkupSorter:
    """Sorts the markup between the tags that matter into title, own text and furniture."""

    def __init__(self, patterns: _Patterns) -> None:
        self._patterns = patterns
        self.title: list[str] = []
        self.own: list[str] = []
        self.furniture: list[str] = []
        self.structured = False
        self._inside = ""
        """The name of the outermost open furniture element."""
        self._depth = 0
        self._entered = 0
        self._in_article = 0
        self._in_title = False
        self._named: dict[str, bool] = {}

    def sort_markup(self, markup: str) -> None:
        at = 0
        search = self._patterns.marked.search
        while tag := search(markup, at):
            self._keep(markup[at : tag.start()])
            at = tag.end()
            closing, name, attributes = tag.groups()
            if name is None:
                at = _find_after(markup, "-->", at)
                continue
            name = name.lower()
            if name in self._patterns.closing:
                at = at if closing else self._after_closing(markup, name, at)
            elif closing:
                self._leave(name)
            else:
                self._enter(name, attributes)
        self._keep(markup[at:])
        if self._inside:
            # It is unclear what an unclosed element contains: its text counts as the page's own.
            self.own += self.furniture[self._entered :]
            del self.furniture[self._entered :]

    def _after_closing(self, markup: str, name: str, at: int) -> int:
        """Where a script or style ends; one that never ends hides the rest, as in a browser."""
        found = self._patterns.closing[name].search(markup, at)
        return found.end() if found else len(markup)

    def _enter(self, name: str, attributes: str) -> None:
        if name == "title":
            # Only the first: an image may have its own title.
            self._in_title = not self.title
        elif name in _OWN_TEXT:
            self._in_article += 1
            self._inside = ""
        elif self._inside:
            self._depth += name == self._inside
        elif self._is_furniture(name, attributes):
            self._inside, self._depth, self._entered = name, 1, len(self.furniture)
        elif name in _STRUCTURED:
            self.structured = True
        self._keep(_BREAK)

    def _leave(self, name: str) -> None:
        if name == "title":
            self._in_title = False
        elif name in _OWN_TEXT:
            self._in_article = max(0, self._in_article - 1)
        elif name == self._inside:
            self._depth -= 1
            if not self._depth:
                self._inside = ""
        self._keep(_BREAK)

    def _is_furniture(self, name: str, attributes: str) -> bool:
        if name in _FURNITURE:
            return True
        if name == "header":
            # The header of an article contains its headline.
            return not self._in_article
        if not attributes:
            return False
        known = self._named.get(attributes)
        if known is None:
            known = self._named[attributes] = _is_named_furniture(attributes)
        return known

    def _keep(self, piece: str) -> None:
        if self._in_title:
            self.title.append(piece)
        elif self._inside:
            self.furniture.append(piece)
        else:
            self.own.append(piece)


def _is_named_furniture(attributes: str) -> bool:
    return any(
        not _FURNITURE_NAMES.isdisjoint((double or single or bare).lower().split())
        for double, single, bare in _NAMED.findall(attributes)
    )


def _find_after(markup: str, end: str, at: int) -> int:
    found = markup.find(end, at)
    return len(markup) if found < 0 else found + len(end)


def _count_menu_characters(own: str, patterns: _Patterns) -> int:
    """How many characters of the page's own text are menu entries."""
    entries = map(str.strip, patterns.lone_link.findall(own))
    return sum(len(entry) for entry in entries if len(entry) <= _MENU_ENTRY)


def _squeeze_spaces(markup: str) -> str:
    """Markup with every run of white space as one blank.

    Done block by block: otherwise a page of only short words would take thirty times its size.
    """
    if len(markup) <= _BLOCK:
        return " ".join(markup.split())
    blocks: list[str] = []
    at = 0
    while at < len(markup):
        gap = _GAP.search(markup, at + _BLOCK)
        end = gap.start() if gap else len(markup)
        blocks.append(" ".join(markup[at:end].split()))
        at = end + 1
    return " ".join(filter(None, blocks))


def _read_lines(markup: str, patterns: _Patterns) -> str:
    """Markup as lines of text: inline tags disappear, all others separate lines."""
    flowing = _squeeze_spaces(markup)
    text = html.unescape(_TAG.sub("\n", patterns.inline.sub("", flowing))).replace("\xa0", " ")
    return "\n".join(line for piece in text.split("\n") if (line := piece.strip()))
