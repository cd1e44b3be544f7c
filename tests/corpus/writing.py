"""Writes the PDFs, the scans and the Word files of the corpus from their words.

    python -m tests.corpus.writing

A file of words begins with a line such as `scan hr`; then `# ` heads the document, `## ` an
article, `* ` is an item of a list, `| a | b` a row of a table; lines up to a blank one are a
paragraph.
"""

import io
import random
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docx import Document
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

FONTS = Path("/usr/share/fonts/truetype/dejavu")
WORDS = Path(__file__).parent / "words"
CORPUS = Path(__file__).parents[2] / "src/assay/packs/regulatory/corpus"
_MARK = re.compile(r"(##? |\* |\|!? )")
_DPI = 300
_PAGE = (2480, 3508)
_MARGIN = 260
_DAY = (2026, 1, 1, 0, 0, 0)
"""The day that the files bear, so that they are the same however often they are written."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """What kind of block, and its words: `#`, `##`, `*`, `|`, or `p` for a paragraph."""
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        mark = _MARK.match(line)
        if mark is None and line.strip():
            paragraph.append(line.strip())
            continue
        if paragraph:
            yield "p", " ".join(paragraph)
            paragraph = []
        if mark is not None:
            yield mark.group(1).strip().rstrip("!"), line[mark.end() :]


def write(words: Path, target: Path) -> None:
    """Write the document that a file of words describes."""
    head, _, text = words.read_text(encoding="utf-8").partition("\n")
    form = head.split()[0] if target.suffix == ".pdf" else "docx"
    found = list(blocks(text))
    writers = {"text": _text_pdf, "scan": _scan, "scan-grey": _grey_scan, "docx": _word}
    writers[form](found, target)


def _text_pdf(found: list[tuple[str, str]], target: Path) -> None:
    for name, file in (("Serif", "DejaVuSerif"), ("Serif-Bold", "DejaVuSerif-Bold")):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{file}.ttf")))
    body = ParagraphStyle("body", fontName="Serif", fontSize=10, leading=14, alignment=TA_JUSTIFY)
    head = ParagraphStyle("head", fontName="Serif-Bold", fontSize=13, leading=18, spaceAfter=8)
    article = ParagraphStyle("article", parent=body, alignment=TA_CENTER, spaceBefore=8)
    story: list[Any] = []
    rows: list[list[Paragraph]] = []
    for kind, words in [*found, ("end", "")]:
        if kind == "|":
            rows.append([Paragraph(cell.strip(), body) for cell in words.split(" | ")])
            continue
        if rows:
            story += [Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, "black")]), Spacer(1, 6)]
            rows = []
        if kind == "end":
            break
        style = {"#": head, "##": article}.get(kind, body)
        story += [Paragraph(f"– {words}" if kind == "*" else words, style), Spacer(1, 4)]
    SimpleDocTemplate(str(target), pagesize=A4, invariant=1, title=found[0][1]).build(story)


def _pages(found: list[tuple[str, str]]) -> list[Image.Image]:
    """The words on paper, at 300 dpi, with a few specks."""
    font = ImageFont.truetype(str(FONTS / "DejaVuSerif.ttf"), 46)
    bold = ImageFont.truetype(str(FONTS / "DejaVuSerif-Bold.ttf"), 54)
    pages = [Image.new("L", _PAGE, 255)]
    draw, y = ImageDraw.Draw(pages[0]), _MARGIN
    for kind, words in found:
        face = bold if kind == "#" else font
        words = {"*": f"– {words}", "|": words.replace(" | ", "     ")}.get(kind, words)
        for line in _wrapped(words, face, draw):
            if y > _PAGE[1] - _MARGIN:
                pages.append(Image.new("L", _PAGE, 255))
                draw, y = ImageDraw.Draw(pages[-1]), _MARGIN
            middle = kind in ("#", "##")
            x = (_PAGE[0] - draw.textlength(line, font=face)) / 2 if middle else _MARGIN
            draw.text((x, y), line, font=face, fill=20)
            y += 70
        y += 26
    chance = random.Random(7)
    for page in pages:
        for _ in range(120):
            x, y = chance.randrange(_PAGE[0]), chance.randrange(_PAGE[1])
            ImageDraw.Draw(page).ellipse((x, y, x + 2, y + 2), fill=90)
    return pages


def _wrapped(words: str, font: Any, draw: ImageDraw.ImageDraw) -> Iterator[str]:
    line = ""
    for word in words.split(" "):
        longer = f"{line} {word}" if line or not word else word
        if draw.textlength(longer, font=font) > _PAGE[0] - 2 * _MARGIN:
            yield line
            line = word
        else:
            line = longer
    yield line


def _scan(found: list[tuple[str, str]], target: Path) -> None:
    pages = [page.rotate(0.3, fillcolor=255).convert("1") for page in _pages(found)]
    _bound(pages, target)


def _grey_scan(found: list[tuple[str, str]], target: Path) -> None:
    small = [page.resize((1654, 2339)).point(_faded) for page in _pages(found)]
    _bound(small, target, resolution=200, quality=22)


def _faded(ink: int) -> int:
    return 40 + ink * 200 // 255


def _bound(pages: list[Image.Image], target: Path, resolution: int = _DPI, **more: Any) -> None:
    day = time.struct_time((*_DAY, 3, 1, 0))
    pages[0].save(
        target,
        "PDF",
        save_all=True,
        append_images=pages[1:],
        resolution=resolution,
        creationDate=day,
        modDate=day,
        **more,
    )


def _word(found: list[tuple[str, str]], target: Path) -> None:
    document = Document()
    for kind, words in found:
        if kind in ("#", "##"):
            document.add_heading(words, level=len(kind))
        elif kind == "|":
            cells = words.split(" | ")
            table = document.add_table(rows=1, cols=len(cells))
            for cell, entry in zip(table.rows[0].cells, cells, strict=True):
                cell.text = entry.strip()
        else:
            document.add_paragraph(words, style="List Bullet" if kind == "*" else None)
    made = io.BytesIO()
    document.save(made)
    with zipfile.ZipFile(made) as packed, zipfile.ZipFile(target, "w") as steady:
        for name in packed.namelist():
            dated = zipfile.ZipInfo(name, _DAY)
            steady.writestr(dated, packed.read(name), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    for source in sorted(WORDS.glob("*/*.txt")):
        write(source, CORPUS / source.parent.name / source.stem)
