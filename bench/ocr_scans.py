"""How a sheet of paper becomes a scanned PDF: clean, degraded, badly degraded."""

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from bench.ocr_pages import PAPER_DPI, Sheet

Grey = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Level:
    """What a scanner does to a page. Ranges are drawn from, per page."""

    name: str
    dpi: int
    skew: float = 0.0
    """Up to so many degrees to either side, and never less than half of that."""
    blur: tuple[float, float] = (0.0, 0.0)
    """Radius in pixels of the scan."""
    noise: float = 0.0
    """Standard deviation, of 255 grey levels."""
    paper: int = 255
    ink: int = 0
    shadow: float = 0.0
    """The share of the light that is gone in the darkest corner."""
    speckle: float = 0.0
    """The share of the pixels that dust turns black or white, in dots of one to four pixels."""
    quality: int = 95
    """Of the JPEG."""
    turned: int = 0
    """By how many degrees clockwise the sheet lies wrong."""
    most_cer: float = 1.0
    """The error rate, in percent, that must be undercut."""


LEVELS: Final = (
    Level("clean", dpi=300),
    Level(
        "degraded",
        dpi=200,
        skew=1.0,
        blur=(0.4, 0.7),
        noise=6.0,
        paper=242,
        ink=35,
        quality=60,
    ),
    Level(
        "badly degraded",
        dpi=150,
        skew=3.0,
        blur=(0.7, 1.0),
        noise=10.0,
        paper=232,
        ink=48,
        shadow=0.5,
        speckle=0.0015,
        quality=30,
        most_cer=3.0,
    ),
)

_BAD: Final = LEVELS[-1]
BEYOND: Final = (
    replace(_BAD, name="72 dpi", dpi=72),
    replace(_BAD, name="out of focus", blur=(3.0, 3.0)),
    replace(_BAD, name="nearly white ink", ink=215),
    replace(_BAD, name="strong noise", noise=45.0),
    replace(_BAD, name="dust storm", speckle=0.05),
    replace(_BAD, name="upside down", turned=180),
    replace(_BAD, name="on its side", turned=90),
)
"""Scans that nobody reads without errors, or at all: each has to be flagged, or read."""


def scanned(sheet: Sheet, level: Level) -> bytes:
    """The JPEG that a scanner of that level makes of a sheet."""
    seed = f"{sheet.language} {sheet.number} {level.name}"
    chance, noise = random.Random(seed), np.random.default_rng(list(seed.encode()))
    image = sheet.image
    if level.skew:
        angle = chance.uniform(level.skew / 2, level.skew) * chance.choice((-1, 1))
        image = image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
    if level.dpi != PAPER_DPI:
        size = tuple(round(side * level.dpi / PAPER_DPI) for side in image.size)
        image = image.resize((size[0], size[1]), Image.Resampling.BOX)
    if level.blur[1]:
        image = image.filter(ImageFilter.GaussianBlur(chance.uniform(*level.blur)))
    shades = level.ink + np.asarray(image, np.float32) / 255 * (level.paper - level.ink)
    grey: Grey = shades.astype(np.float32)
    grey *= _light(grey.shape, level.shadow, chance)
    if level.noise:
        grey += noise.normal(0, level.noise, grey.shape)
    grey = _dusty(grey, level.speckle, noise)
    image = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
    image = image.rotate(-level.turned, expand=True)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=level.quality, dpi=(level.dpi, level.dpi))
    return file.getvalue()


def _light(shape: tuple[int, ...], shadow: float, chance: random.Random) -> Grey:
    """How much light falls on each pixel: a slope across the page, and the shadow of a spine."""
    if not shadow:
        return np.ones((1, 1), np.float32)
    down, across = np.mgrid[0 : 1 : shape[0] * 1j, 0 : 1 : shape[1] * 1j].astype(np.float32)
    if chance.random() < 0.5:
        across = 1 - across
    if chance.random() < 0.5:
        down = 1 - down
    slope = shadow * 0.6 * (down + across) / 2
    spine = shadow * 0.6 * np.exp(-((1 - across) / 0.12))
    return np.asarray(1 - np.clip(slope + spine, 0, shadow), np.float32)


def _dusty(grey: Grey, share: float, noise: np.random.Generator) -> Grey:
    height, width = grey.shape
    for _ in range(int(share * height * width / 2.5)):
        y, x = noise.integers(height), noise.integers(width)
        down, across = noise.integers(1, 3, 2)
        grey[y : y + down, x : x + across] = 30 if noise.random() < 0.7 else 250
    return grey


def bound(scans: Sequence[bytes]) -> bytes:
    """A PDF with one page for each JPEG, at the size that the JPEG's resolution gives it."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{3 + 3 * n} 0 R" for n in range(len(scans)))
    objects.append(f"<< /Type /Pages /Count {len(scans)} /Kids [{kids}] >>".encode())
    for n, scan in enumerate(scans):
        with Image.open(io.BytesIO(scan)) as image:
            width, height = image.size
            dpi = float(image.info.get("dpi", (PAPER_DPI, 0))[0])
        wide, high = width * 72 / dpi, height * 72 / dpi
        drawn = f"{wide:.2f} 0 0 {high:.2f} 0 0 cm /Scan Do".encode()
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide:.2f} {high:.2f}] /Contents "
            f"{4 + 3 * n} 0 R /Resources << /XObject << /Scan {5 + 3 * n} 0 R >> >> >>".encode(),
            _stream(b"", drawn),
            _stream(
                f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent "
                f"8 /ColorSpace /DeviceGray /Filter /DCTDecode".encode(),
                scan,
            ),
        ]
    return _file(objects)


def _stream(told: bytes, data: bytes) -> bytes:
    return b"<< %b /Length %d >>\nstream\n%b\nendstream" % (told, len(data), data)


def _file(objects: Sequence[bytes]) -> bytes:
    file, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        file += b"%010d 00000 n \n" % place
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    file += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(file)
