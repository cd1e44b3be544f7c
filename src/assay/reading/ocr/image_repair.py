"""Improve the image of a page before it is read: light, dust, noise, skew, size."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from assay.reading.ocr.raster import Raster

_PAPER = 235.0
"""The grey level of paper after the light is evened out."""
_LIGHT_STEP = 8
"""Light changes slowly, so it is measured on an image this many times smaller."""
_SPECK = 30
"""Grey levels by which a speck differs from its surroundings."""
_UNEVEN = 1.15
_NOISY = 0.04
"""A page with a larger share of pixels that differ from their surroundings is noise: the edges of
letters make up less than half of this."""
_BAND = 32
_NEGATIVE = 90
"""A page of which half is darker than this is a negative."""
_FAINT = 90.0
"""With fewer grey levels than this between paper and ink, the ink is made darker."""
_INVISIBLE = 8.0
_OVER_GRAIN = 6.0
"""How many times darker than the grain of the paper something must be to count as ink."""
_INK = 40.0
_INK_SHARE = 0.05
"""Percent of a page that a line or two of text make up."""
_SKEW_DPI = 75.0
_MOST_SKEW = 8.0
_LEAST_SKEW = 0.15
_DARKER = 0.82
_LEAST_POINTS = 200
_SURE_OF_SKEW = 1.03
"""How much sharper the lines must become for a page to be rotated."""
_COARSE = 180.0
"""A page with a lower resolution than this is enlarged."""
_ENLARGED = 300.0
_LONGEST_SIDE = 30_000


@dataclass(frozen=True, slots=True)
class ScanCondition:
    """What is wrong with an image, determined cheaply."""

    uneven: bool
    noisy: bool
    coarse: bool

    @property
    def is_rough(self) -> bool:
        """Whether the image should be improved before the first attempt."""
        return self.uneven or self.noisy or self.coarse


def assess_condition(raster: Raster) -> ScanCondition:
    """Find what is wrong with an image."""
    low, high = np.percentile(np.asarray(_estimate_light(raster.image)), (3, 97))
    return ScanCondition(
        uneven=bool(high > _UNEVEN * max(1.0, low)),
        noisy=is_noise(raster.image),
        coarse=raster.dpi < _COARSE,
    )


def _estimate_light(image: Image.Image) -> Image.Image:
    """How light the paper is, as a smaller image."""
    small = image.reduce(min(_LIGHT_STEP, *image.size))
    small = small.filter(ImageFilter.MedianFilter(5)).filter(ImageFilter.MaxFilter(9))
    return small.filter(ImageFilter.GaussianBlur(6))


def even_light(image: Image.Image) -> Image.Image:
    """The image as if the same light fell on all of the paper."""
    light = _estimate_light(image).resize(image.size, Image.Resampling.BILINEAR)
    brighter = np.float32(_PAPER) / np.maximum(np.asarray(light, np.float32), np.float32(1))
    even = np.minimum(np.asarray(image, np.float32) * brighter, np.float32(255))
    return Image.fromarray(even.astype(np.uint8))


def _find_specks(image: Image.Image) -> tuple[Image.Image, npt.NDArray[np.bool_]]:
    """The image with each pixel replaced by its surroundings, and where that differs much."""
    smooth = image.filter(ImageFilter.MedianFilter(3))
    difference = np.asarray(image).astype(np.int16) - np.asarray(smooth).astype(np.int16)
    return smooth, np.abs(difference) > _SPECK


def remove_specks(image: Image.Image) -> Image.Image:
    """The image without single dots. A median everywhere would remove full stops too."""
    smooth, specks = _find_specks(image)
    cleaned = np.where(specks, np.asarray(smooth), np.asarray(image))
    return Image.fromarray(cleaned)


def smooth_grain(image: Image.Image, radius: float) -> Image.Image:
    """The image without the grain of the scanner and of JPEG."""
    return image.filter(ImageFilter.GaussianBlur(radius))


def filter_dots(image: Image.Image) -> Image.Image:
    """The image without any dot of one or two pixels."""
    return image.filter(ImageFilter.MedianFilter(3))


def is_noise(image: Image.Image) -> bool:
    """Whether dots fill the image; Tesseract would take minutes to sort them."""
    pixels = np.asarray(image)
    # Bands of rows: a quarter of the page is as informative as all of it.
    bands = pixels[(np.arange(len(pixels)) // _BAND) % 4 == 0]
    return bool(_find_specks(Image.fromarray(bands))[1].mean() > _NOISY)


def enlarge_coarse(raster: Raster, max_pixels: int) -> Raster:
    """Enlarge a coarse image, to give small letters the size that Tesseract learnt."""
    if raster.dpi >= _COARSE:
        return raster
    width, height = raster.image.size
    factor = min(
        _ENLARGED / raster.dpi,
        (max_pixels / (width * height)) ** 0.5,
        _LONGEST_SIDE / max(width, height),
    )
    if factor <= 1:
        return raster
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    image = raster.image.resize(size, Image.Resampling.BICUBIC)
    return replace(raster, image=image, dpi=raster.dpi * factor)


def straighten_raster(raster: Raster, degrees: float) -> Raster:
    """The image rotated clockwise to undo its skew."""
    if abs(degrees) < _LEAST_SKEW:
        return raster
    paper = int(np.median(np.asarray(raster.image.reduce(min(8, *raster.image.size)))))
    image = raster.image.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=paper)
    return replace(raster, image=image)


def turn_upright(raster: Raster, degrees: int) -> Raster:
    """The image rotated back by quarter turns; `degrees` is its wrong rotation, clockwise."""
    ways = {
        90: Image.Transpose.ROTATE_90,
        180: Image.Transpose.ROTATE_180,
        270: Image.Transpose.ROTATE_270,
    }
    image = raster.image.transpose(ways[degrees]) if degrees else raster.image
    return replace(raster, image=image)


def make_legible(raster: Raster) -> Raster:
    """The image with dark letters on light paper, whichever way it was, and not too faint."""
    image = raster.image
    if is_negative(raster):
        image = image.point(lambda grey: 255 - grey)
    return replace(raster, image=_strengthen_ink(image))


def is_negative(raster: Raster) -> bool:
    """Whether most of the image is dark, as with light letters on dark paper."""
    return bool(np.median(np.asarray(raster.image)) < _NEGATIVE)


def _strengthen_ink(image: Image.Image) -> Image.Image:
    """The image with its faint ink darkened; unchanged if there is none."""
    even = even_light(image)
    # Without dust, which is darker than faint ink.
    small = even.reduce(min(2, *image.size)).filter(ImageFilter.MedianFilter(3))
    calm = np.asarray(small, np.float32)
    paper = float(np.median(calm))
    grain = 1.5 * float(np.median(np.abs(calm - paper)))
    ink = float(np.percentile(calm, _INK_SHARE))
    if paper - ink > _FAINT or paper - ink < max(_INVISIBLE, _OVER_GRAIN * grain):
        return image
    stronger = (np.asarray(even, np.float32) - ink) * ((paper - _INK) / (paper - ink)) + _INK
    return Image.fromarray(np.clip(stronger, 0, 255).astype(np.uint8))


def measure_skew(raster: Raster) -> float:
    """By how many degrees the lines must be rotated clockwise to be horizontal.

    When lines are horizontal, the rows of the image are either full of ink or empty: the sum of
    squares over rows is largest.
    """
    image = raster.image.reduce(max(1, round(raster.dpi / _SKEW_DPI)))
    grey = np.asarray(image, np.float32)
    around = np.asarray(image.filter(ImageFilter.GaussianBlur(12)), np.float32)
    rows, columns = np.nonzero(grey < _DARKER * around)
    if len(rows) < _LEAST_POINTS:
        return 0.0
    across = columns - grey.shape[1] / 2

    def measure_sharpness(degrees: float) -> float:
        level = rows + across * np.tan(np.radians(degrees))
        counts = np.bincount((level - level.min()).astype(np.intp))
        return float((counts.astype(np.float64) ** 2).sum())

    coarse = np.arange(-_MOST_SKEW, _MOST_SKEW + 0.1, 0.4)
    near = max(coarse, key=measure_sharpness)
    best = max(np.arange(near - 0.4, near + 0.41, 0.05), key=measure_sharpness)
    return (
        round(float(best), 2)
        if measure_sharpness(best) > _SURE_OF_SKEW * measure_sharpness(0.0)
        else 0.0
    )
