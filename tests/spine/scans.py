"""Scanned documents for tests: pictures of text in a PDF."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

LAW = (
    "Value Added Tax Act\n\nArticle 1.\n"
    "The rate of value added tax is 25 %.\n"
    "A reduced rate of 13 % applies to accommodation services.\n"
    "The threshold for registration is EUR 40,000.00 a year.",
    "Article 2.\nA taxable person shall file the return\n"
    "not later than the 20th day of the month.\n"
    "This Act enters into force on 1 January 2025.",
)
"""Plain letters only: the font has no others."""


def page(text: str, size: int = 36) -> Image.Image:
    """A page as a scanner at 200 dpi sees it."""
    picture = Image.new("L", (1654, 1000), 255)
    # The font comes with Pillow, so that no machine lacks it.
    font = ImageFont.load_default(size)
    ImageDraw.Draw(picture).multiline_text((120, 120), text, font=font, fill=0, spacing=16)
    return picture


def scan(pages: Sequence[str | Image.Image]) -> bytes:
    """A PDF of pictures."""
    pictures = [page(entry) if isinstance(entry, str) else entry for entry in pages]
    made = io.BytesIO()
    pictures[0].save(
        made, "PDF", save_all=True, append_images=pictures[1:], resolution=200, title="scan"
    )
    return made.getvalue()


def write_scan(path: Path, pages: Sequence[str | Image.Image] = LAW) -> Path:
    path.write_bytes(scan(pages))
    return path
