"""Small scans with a known text: a few lines on a slip of paper, ill-treated as a test wishes."""

import io
from collections.abc import Sequence

import numpy as np
from bench.ocr_pages import faces
from bench.ocr_scans import bound
from PIL import Image, ImageDraw, ImageFont

DPI = 200
CROATIAN = (
    "Članak 12. Porezni obveznik čiji primici",
    "ne prelaze 39.816,84 € može porez plaćati",
    "u paušalnom iznosu do 31. prosinca 2026.",
    "Žalba se podnosi u roku od petnaest dana.",
)
GERMAN = (
    "§ 19 Die Steuer beträgt für jeden Umsatz",
    "7,5 % der Bemessungsgrundlage, höchstens",
    "aber 22.500,00 € im Jahr. Der Antrag nach",
    "§ 27 Absatz 3 ist schriftlich zu stellen.",
)


def slip(
    lines: Sequence[str] = CROATIAN, *, ink: int = 0, paper: int = 255, foot: str = ""
) -> Image.Image:
    """A slip of paper with these lines, at 200 dpi."""
    face, _ = faces()[0]
    font = ImageFont.truetype(str(face), 32)
    image = Image.new("L", (1000, 160 + 48 * len(lines) + (140 if foot else 0)), paper)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((80, 80 + 48 * number), line, font=font, fill=ink)
    if foot:
        draw.text((480, image.height - 90), foot, font=font, fill=ink)
    return image


def noisy(image: Image.Image, spread: float) -> Image.Image:
    """The picture with a scanner's grain."""
    grain = np.random.default_rng(7).normal(0, spread, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image) + grain, 0, 255).astype(np.uint8))


def shaded(image: Image.Image) -> Image.Image:
    """The picture in light that fades to a third from one side to the other."""
    light = np.linspace(1.0, 0.35, image.width)[None, :]
    return Image.fromarray((np.asarray(image) * light).astype(np.uint8))


def jpeg(image: Image.Image, dpi: int = DPI, quality: int = 85) -> bytes:
    """The picture as a scanner stores it."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality, dpi=(dpi, dpi))
    return file.getvalue()


def png(image: Image.Image, dpi: int = DPI) -> bytes:
    """The picture without loss."""
    file = io.BytesIO()
    image.save(file, "PNG", dpi=(dpi, dpi))
    return file.getvalue()


def scan(*images: Image.Image) -> bytes:
    """A PDF with a page for each picture."""
    return bound([jpeg(image) for image in images])
