"""Pages with a known text for the OCR bench: laid out on paper, then scanned ever worse.

A page is told by its language, its number and its level; the same three give the same pixels on
every machine that has the same fonts. Each page has a text of its own: a heading, paragraphs out
of `bench/ocr_text` with fresh figures in them, and a table; some pages have two columns.
"""

import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

LANGUAGES: Final = ("hrv", "deu", "eng")

PAPER_DPI: Final = 300
"""The resolution at which a page is drawn; scans are made from that."""
_A4: Final = (2480, 3508)
_MARGIN: Final = 260
_FOOT: Final = 3508 - 240
_GAP: Final = 90
_TEXTS: Final = Path(__file__).parent / "ocr_text"
_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts")
_FACES: Final = (
    ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"),
    ("LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"),
    ("FreeSerif.ttf", "FreeSerifBold.ttf"),
)
"""Regular and bold; pages take them in turn, and a page whose face is missing takes another."""


class FontsMissing(Exception):
    """No TrueType font that has Croatian letters."""


@dataclass(frozen=True)
class Sheet:
    """A drawn page and what is written on it."""

    language: str
    number: int
    image: Image.Image
    truth: str
    face: str
    columns: int


@cache
def faces() -> tuple[tuple[Path, Path], ...]:
    """The faces of this machine, in the order in which pages take them."""
    found = {
        file.name: file
        for folder in _FONT_FOLDERS
        for file in sorted(Path(folder).rglob("*.ttf"), reverse=True)
    }
    here = tuple(
        (found[plain], found[bold]) for plain, bold in _FACES if plain in found and bold in found
    )
    if not here:
        raise FontsMissing("no fonts: install fonts-dejavu-core (and fonts-liberation)")
    return here


def sheet(language: str, number: int) -> Sheet:
    """The page of that number in a language, drawn at 300 dpi."""
    chance = random.Random(f"{language} {number}")
    texts = _texts(language)
    plain, bold = faces()[number % len(faces())]
    points = chance.choice((10.0, 10.5, 11.0, 12.0))
    drawing = _Drawing(plain, bold, points, justified=number % 2 == 0)
    columns = 2 if number % 5 == 3 else 1
    drawing.heading(chance.choice(texts["#"]))
    # Without repetition on a page, and shuffled per language, so that pages differ in most of it.
    order = random.Random(language).sample(texts["-"], len(texts["-"]))
    first = number * 6
    paragraphs = [_filled(order[(first + n) % len(order)], language, chance) for n in range(8)]
    if columns == 1:
        for paragraph in paragraphs[:3]:
            drawing.paragraph(paragraph)
        rows = chance.sample(texts["|"], chance.randint(4, 6))
        drawing.table([_row(row, language, chance) for row in rows], ruled=number % 2 == 1)
        paragraphs = paragraphs[3:]
    drawing.columns(paragraphs, columns)
    drawing.footer(f"{number + 1}")
    truth = "\n".join(drawing.written)
    return Sheet(language, number, drawing.image, truth, plain.stem, columns)


class _Drawing:
    """A sheet of paper that is written from the top; keeps what was written on it."""

    def __init__(self, plain: Path, bold: Path, points: float, *, justified: bool) -> None:
        size = round(points * PAPER_DPI / 72)
        self.image = Image.new("L", _A4, 255)
        self.written: list[str] = []
        self._draw = ImageDraw.Draw(self.image)
        self._font = ImageFont.truetype(str(plain), size)
        self._bold = ImageFont.truetype(str(bold), round(size * 1.35))
        self._leading = round(size * 1.4)
        self._justified = justified
        self._left, self._right, self._y = _MARGIN, _A4[0] - _MARGIN, _MARGIN

    def heading(self, text: str) -> None:
        for line in _broken(text, self._bold, self._right - self._left):
            self._draw.text((self._left, self._y), line, font=self._bold, fill=0)
            self._y += round(self._leading * 1.4)
        self._y += self._leading // 2
        self.written.append(text)

    def paragraph(self, text: str) -> bool:
        """Write a paragraph if there is room for all of it."""
        lines = _broken(text, self._font, self._right - self._left)
        if self._y + len(lines) * self._leading > _FOOT:
            return False
        for line in lines:
            self._line(line, last=line is lines[-1])
            self._y += self._leading
        self._y += self._leading // 2
        self.written.append(text)
        return True

    def columns(self, paragraphs: Sequence[str], count: int) -> None:
        top = self._y
        width = (self._right - self._left - _GAP * (count - 1)) // count
        left = self._left
        waiting = list(paragraphs)
        for column in range(count):
            self._left, self._y = left + column * (width + _GAP), top
            self._right = self._left + width
            share = -(-len(waiting) // (count - column))
            for paragraph in waiting[:share]:
                self.paragraph(paragraph)
            waiting = waiting[share:]

    def table(self, rows: Sequence[Sequence[str]], *, ruled: bool) -> None:
        stops = (self._left, self._left + 1150, self._left + 1560, self._right)
        height = round(self._leading * 1.3)
        for row in rows:
            for stop, cell in zip(stops, row, strict=False):
                self._draw.text((stop + 20, self._y + 8), cell, font=self._font, fill=0)
            if ruled:
                for left, right in pairwise(stops):
                    box = (left, self._y, right, self._y + height)
                    self._draw.rectangle(box, outline=0, width=3)
            self._y += height
            self.written.append(" ".join(row))
        self._y += self._leading

    def footer(self, text: str) -> None:
        self._draw.text((_A4[0] // 2, 3508 - 170), f"– {text} –", font=self._font, fill=0)
        self.written.append(f"– {text} –")

    def _line(self, line: str, *, last: bool) -> None:
        words = line.split(" ")
        if not self._justified or last or len(words) == 1:
            self._draw.text((self._left, self._y), line, font=self._font, fill=0)
            return
        width = sum(self._font.getlength(word) for word in words)
        space = (self._right - self._left - width) / (len(words) - 1)
        x = float(self._left)
        for word in words:
            self._draw.text((x, self._y), word, font=self._font, fill=0)
            x += self._font.getlength(word) + space


def _broken(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]


@cache
def _texts(language: str) -> dict[str, list[str]]:
    """Headings, table labels and paragraphs, by the mark before them."""
    texts: dict[str, list[str]] = {"#": [], "|": [], "-": []}
    for line in (_TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        texts[mark].append(unicodedata.normalize("NFC", text))
    return texts


def _filled(text: str, language: str, chance: random.Random) -> str:
    """The paragraph with a fresh figure in each of its slots."""
    while (start := text.find("{")) >= 0:
        end = text.index("}", start)
        text = text[:start] + _slot(text[start + 1 : end], language, chance) + text[end + 1 :]
    return text.replace("..", ".")


def _row(label: str, language: str, chance: random.Random) -> tuple[str, str, str]:
    return (label, _slot("percent", language, chance), _slot("amount", language, chance))


def _slot(name: str, language: str, chance: random.Random) -> str:
    match name:
        case "date":
            return _date(language, chance)
        case "percent":
            figure = _number(chance.randint(10, 3999) / 100, language)
            return f"{figure}%" if language == "eng" else f"{figure} %"
        case "amount":
            figure = _number(chance.randint(1_000, 99_999_999) / 100, language)
            return f"€{figure}" if language == "eng" else f"{figure} €"
        case "decimal":
            return _number(chance.randint(101, 9_999) / 100, language)
        case "days":
            return str(chance.choice((8, 10, 14, 15, 21, 28, 30, 45, 60, 90)))
        case "article":
            return str(chance.randint(2, 248))
        case "year":
            return str(chance.randint(1994, 2031))
        case "gazette":
            return f"{chance.randint(1, 158)}/{chance.randint(1994, 2026)}"
        case "id":
            return (
                f"{chance.randint(10, 99)}-{chance.randint(1_000, 99_999)}/{chance.randint(1, 9)}"
            )
        case "number":
            return str(chance.randint(2, 68))
    raise ValueError(f"no slot is called {name!r}")


def _number(value: float, language: str) -> str:
    english = f"{value:,.2f}"
    return english if language == "eng" else english.translate(str.maketrans(",.", ".,"))


_MONTHS: Final = {
    "hrv": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada "
    "studenoga prosinca",
    "deu": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "eng": "January February March April May June July August September October November December",
}


def _date(language: str, chance: random.Random) -> str:
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(2019, 2031)
    name = _MONTHS[language].split()[month - 1]
    if language == "eng":
        return f"{day} {name} {year}"
    written = chance.random() < 0.5
    if language == "hrv":
        return f"{day}. {name} {year}." if written else f"{day}. {month}. {year}."
    return f"{day}. {name} {year}" if written else f"{day:02}.{month:02}.{year}"
