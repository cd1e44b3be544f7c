"""What the styles and lists of a Word document say about the paragraphs that use them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from assay.reading.elements import Attributes, walk_elements
from assay.reading.limits import ReadLimits

_OFF: Final = frozenset({"0", "false", "off", "none"})
_MOST_BASES: Final = 20
_MOST_NUMBER: Final = 9_999


def is_on(attributes: Attributes) -> bool:
    """Whether a property that is present applies: `w:val` may switch it off."""
    return attributes.get("w:val", "1").lower() not in _OFF


@dataclass(slots=True)
class Style:
    """One style; None means that it inherits from the style it is based on."""

    name: str = ""
    based_on: str = ""
    struck: bool | None = None
    hidden: bool | None = None
    list_id: str = ""
    level: int = 0


@dataclass(slots=True)
class ListLevel:
    """How one level of a list is numbered."""

    start: int = 1
    form: str = "decimal"
    pattern: str = ""


@dataclass(slots=True)
class Styles:
    """All styles of a document."""

    by_id: dict[str, Style] = field(default_factory=dict)

    def is_struck(self, name: str) -> bool:
        """Whether words in a style are struck out."""
        return any(style.struck for style in self._list_deciding(name, "struck"))

    def is_hidden(self, name: str) -> bool:
        """Whether words in a style are hidden."""
        return any(style.hidden for style in self._list_deciding(name, "hidden"))

    def is_title(self, name: str) -> bool:
        """Whether a style is for the title of the document."""
        known = self.by_id.get(name)
        return (known.name if known else name).lower() in ("title", "heading 1", "naslov")

    def list_of(self, name: str) -> tuple[str, int] | None:
        """The list that paragraphs of a style belong to, and their level in it."""
        for style in self._list_deciding(name, "list_id"):
            return style.list_id, style.level
        return None

    def _list_deciding(self, name: str, field: str) -> list[Style]:
        """The style that decides: the first in the chain that sets the property."""
        for _ in range(_MOST_BASES):
            style = self.by_id.get(name)
            if style is None:
                return []
            if getattr(style, field) not in (None, ""):
                return [style]
            name = style.based_on
        return []


class _StylesWalker:
    def __init__(self) -> None:
        self.styles = Styles()
        self._open: Style | None = None

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        value = attributes.get("w:val", "")
        if name == "w:style":
            self._open = Style()
            self.styles.by_id[attributes.get("w:styleId", "")] = self._open
        elif self._open is None:
            return
        elif name == "w:name":
            self._open.name = value
        elif name == "w:basedOn":
            self._open.based_on = value
        elif name in ("w:strike", "w:dstrike"):
            self._open.struck = is_on(attributes)
        elif name == "w:vanish":
            self._open.hidden = is_on(attributes)
        elif name == "w:numId":
            self._open.list_id = value
        elif name == "w:ilvl":
            self._open.level = parse_number(value)

    def end(self, name: str, here: Callable[[], int]) -> None:
        if name == "w:style":
            self._open = None

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass


class _ListsWalker:
    def __init__(self) -> None:
        self.levels: dict[str, dict[int, ListLevel]] = {}
        self.abstract_of: dict[str, str] = {}
        self.starts: dict[tuple[str, int], int] = {}
        self._abstract: str | None = None
        self._list: str | None = None
        self._level = 0

    def begin(self, name: str, attributes: Attributes, here: Callable[[], int]) -> None:
        value = attributes.get("w:val", "")
        if name == "w:abstractNum":
            self._abstract = attributes.get("w:abstractNumId", "")
            self.levels[self._abstract] = {}
        elif name == "w:num":
            self._list = attributes.get("w:numId", "")
        elif name == "w:abstractNumId" and self._list is not None:
            self.abstract_of[self._list] = value
        elif name in ("w:lvl", "w:lvlOverride"):
            self._level = parse_number(attributes.get("w:ilvl", "0"))
            if name == "w:lvl" and self._abstract is not None:
                self.levels[self._abstract][self._level] = ListLevel()
        elif name == "w:startOverride" and self._list is not None:
            self.starts[self._list, self._level] = parse_number(value)
        elif self._abstract is not None and self._level in self.levels[self._abstract]:
            level = self.levels[self._abstract][self._level]
            if name == "w:start":
                level.start = parse_number(value)
            elif name == "w:numFmt":
                level.form = value
            elif name == "w:lvlText":
                level.pattern = value[:100]

    def end(self, name: str, here: Callable[[], int]) -> None:
        if name == "w:abstractNum":
            self._abstract = None
        elif name == "w:num":
            self._list = None

    def add_characters(self, text: str, here: Callable[[], int]) -> None:
        pass


class Lists:
    """The running numbers of a document's lists."""

    def __init__(self, walker: _ListsWalker) -> None:
        self._walker = walker
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def next_label(self, list_id: str, level: int) -> str:
        """The number of the next paragraph of a list, as it is shown."""
        abstract = self._walker.abstract_of.get(list_id, "")
        levels = self._walker.levels.get(abstract)
        if not levels or level not in levels:
            return ""
        counts = self._counts.setdefault(abstract, {})
        override = self._walker.starts.get((list_id, level))
        if override is not None and (list_id, level) not in self._started:
            self._started.add((list_id, level))
            counts[level] = override
        else:
            counts[level] = counts.get(level, levels[level].start - 1) + 1
        for deeper in [place for place in counts if place > level]:
            del counts[deeper]
        return self._format_label(levels, counts, level)

    def _format_label(
        self, levels: dict[int, ListLevel], counts: dict[int, int], level: int
    ) -> str:
        if levels[level].form == "bullet":
            return "•"
        if levels[level].form == "none":
            return ""
        label = levels[level].pattern
        for place in range(level + 1):
            own = levels.get(place, ListLevel())
            label = label.replace(
                f"%{place + 1}", format_number(counts.get(place, own.start), own.form)
            )
        return label


def format_number(value: int, form: str) -> str:
    """Format a number as a list shows it."""
    if form in ("upperRoman", "lowerRoman"):
        roman = _format_roman(value)
        return roman if form == "upperRoman" else roman.lower()
    if form in ("upperLetter", "lowerLetter") and value > 0:
        letter = chr(ord("A") + (value - 1) % 26) * min(9, (value - 1) // 26 + 1)
        return letter if form == "upperLetter" else letter.lower()
    return f"{value:02d}" if form == "decimalZero" else str(value)


def _format_roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    numerals = (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    )  # fmt: skip
    shown = ""
    for worth, numeral in numerals:
        shown += numeral * (value // worth)
        value %= worth
    return shown


def parse_number(value: str) -> int:
    """A small integer; 0 if the value is not one."""
    try:
        return max(-_MOST_NUMBER, min(_MOST_NUMBER, int(value)))
    except ValueError:
        return 0


def read_styles(data: bytes | None, limits: ReadLimits) -> Styles:
    """The styles that a part defines."""
    walker = _StylesWalker()
    if data is not None:
        walk_elements(data, walker, limits, "its styles")
    return walker.styles


def read_lists(data: bytes | None, limits: ReadLimits) -> Lists:
    """The lists that a part defines."""
    walker = _ListsWalker()
    if data is not None:
        walk_elements(data, walker, limits, "its lists")
    return Lists(walker)
