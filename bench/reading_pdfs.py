"""PDFs with a known text: documents of the demo's gazette, set with reportlab."""

import io
import re
from dataclasses import dataclass
from html import unescape
from typing import Final

from tests.gazette.world import World

_BLOCK: Final = re.compile(r"<(h1|h2|h3|p)\b[^>]*>(.*?)</\1>", re.DOTALL)
_ROW: Final = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL: Final = re.compile(r"<t[dh]>(.*?)</t[dh]>", re.DOTALL)


@dataclass(frozen=True)
class MadePdf:
    """A PDF, and its text."""

    name: str
    data: bytes
    gold: str


def pdfs(count: int, seed: int = 13) -> list[MadePdf]:
    """So many PDFs of one or more pages, with headings, paragraphs and tables."""
    documents = [
        one for one in World(seed=seed, documents=count + 40).gazette().values()
        if one.kind != "BOILERPLATE"
    ]  # fmt: skip
    return [_made(f"{number:04d}.pdf", one.content) for number, one in enumerate(documents[:count])]


def _made(name: str, content: str) -> MadePdf:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table

    _use_a_font_with_all_letters()
    styles = getSampleStyleSheet()
    for style in styles.byName.values():
        if hasattr(style, "fontName"):
            style.fontName = _FONT
    story: list[Flowable] = []
    words: list[str] = []
    for tag, inner in _BLOCK.findall(re.sub(r"</?(?:label|input)[^>]*>", "", content)):
        story.append(Paragraph(inner, styles["BodyText" if tag == "p" else "Heading2"]))
        words.append(unescape(re.sub(r"<[^>]+>", " ", inner)))
    rows = [[unescape(cell) for cell in _CELL.findall(row)] for row in _ROW.findall(content)]
    if rows:
        story.append(Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, "black"),
                                        ("FONT", (0, 0), (-1, -1), _FONT, 9)]))  # fmt: skip
        words += [cell for row in rows for cell in row]
    held = io.BytesIO()
    SimpleDocTemplate(held, invariant=1).build(story)
    return MadePdf(name, held.getvalue(), " ".join(" ".join(words).split()))


_FONT: Final = "Vera"


def _use_a_font_with_all_letters() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    if _FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont(_FONT, "Vera.ttf"))
