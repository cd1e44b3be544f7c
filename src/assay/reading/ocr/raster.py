"""The image of a page, in greyscale, at the resolution that suits it."""

import io
import warnings
from dataclasses import dataclass

from PIL import Image, UnidentifiedImageError

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentTooLarge,
    ContentUnsupported,
    InvalidInput,
)
from assay.reading.ocr.options import OcrOptions
from assay.reading.ocr.scan import find_scan
from assay.reading.pdf.pdfium import open_pdf

_POINTS = 72.0
_LONGEST_SIDE = 30_000
_LEAST_DPI, _MOST_DPI = 70.0, 1_200.0
_SHEET_INCHES = 11.7
"""The long side of A4: what the image of a whole page most likely shows."""
_PDF = b"%PDF-"
_PDF_WITHIN = 1_024
_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")
_MOST_SOURCE_PIXELS = 160_000_000
"""For an image in a separate file, which is fully unpacked before it is made smaller."""


@dataclass(frozen=True, slots=True)
class Raster:
    """A page as an image."""

    image: Image.Image
    dpi: float
    reduced: bool = False
    """Whether its resolution is lower than requested because the page is so large."""


def count_pages(data: bytes) -> int:
    """How many pages a PDF or an image file has."""
    if is_pdf(data):
        with open_pdf(data) as document:
            return document.page_count
    with _open_picture(data) as image:
        return int(getattr(image, "n_frames", 1))


def is_pdf(data: bytes) -> bool:
    """Whether the bytes are a PDF; some have a few other bytes before it."""
    return _PDF in data[:_PDF_WITHIN]


def load_page_raster(data: bytes, number: int, options: OcrOptions) -> Raster:
    """The image of a page, counted from 1, of a PDF or of an image file."""
    if not data:
        raise ContentEmpty("There are no bytes to read a scan from.")
    return (_render_pdf_page if is_pdf(data) else _load_picture_page)(data, number, options)


def _render_pdf_page(data: bytes, number: int, options: OcrOptions) -> Raster:
    with open_pdf(data) as document:
        _check_page_number(number, document.page_count)
        with document.open_page(number - 1) as page:
            if page is None:
                raise ContentBroken(f"Page {number} of the PDF is damaged.")
            wide, high = (side / _POINTS for side in page.get_size())
            if not (0 < wide < 1e5 and 0 < high < 1e5):
                raise ContentBroken(f"Page {number} of the PDF is {wide:g} by {high:g} inches.")
            scan = find_scan(page)
            wanted = min(float(options.dpi), max(_LEAST_DPI, scan.dpi) if scan else options.dpi)
            dpi = _limit_dpi(wanted, wide, high, options.max_pixels)
            size = (max(1, round(wide * dpi)), max(1, round(high * dpi)))
            image = scan.isolate_image(_MOST_SOURCE_PIXELS) if scan else None
            if image is None:
                return Raster(
                    Image.frombytes("L", size, page.render(*size)), dpi, dpi < 0.99 * wanted
                )
    return _fit_raster(image, image.width / wide, dpi, reduced=dpi < 0.99 * wanted)


def _fit_raster(image: Image.Image, own_dpi: float, dpi: float, *, reduced: bool) -> Raster:
    """The image at its own resolution or a lower one."""
    share = dpi / own_dpi
    if share > 0.99:
        return Raster(image, own_dpi, reduced)
    size = (max(1, round(image.width * share)), max(1, round(image.height * share)))
    return Raster(image.resize(size, Image.Resampling.BOX), dpi, reduced)


def _limit_dpi(dpi: float, wide: float, high: float, max_pixels: int) -> float:
    """The resolution, or a lower one if the image would get too large."""
    most = min((max_pixels / (wide * high)) ** 0.5, _LONGEST_SIDE / max(wide, high))
    return float(min(dpi, most))


def _load_picture_page(data: bytes, number: int, options: OcrOptions) -> Raster:
    with _open_picture(data) as image:
        _check_page_number(number, int(getattr(image, "n_frames", 1)))
        try:
            image.seek(number - 1)
            if image.width * image.height > _MOST_SOURCE_PIXELS:
                raise ContentTooLarge(
                    f"Picture {number} has {image.width} by {image.height} pixels.",
                    advice=f"Make it smaller: at most {_MOST_SOURCE_PIXELS:,} are read.",
                )
            own_dpi = image.info.get("dpi", (0.0, 0.0))
            grey = _convert_to_grey(image)
        except (OSError, SyntaxError, ValueError, EOFError) as error:
            raise ContentBroken(f"Picture {number} is damaged: {error}.") from error
    dpi = float(own_dpi[0] or 0)
    if not _LEAST_DPI <= dpi <= _MOST_DPI:
        dpi = min(_MOST_DPI, max(_LEAST_DPI, max(grey.size) / _SHEET_INCHES))
    wide, high = grey.width / dpi, grey.height / dpi
    wanted = min(float(options.dpi), dpi)
    fit = _limit_dpi(wanted, wide, high, options.max_pixels)
    return _fit_raster(grey, dpi, fit, reduced=fit < 0.99 * wanted)


def _open_picture(data: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():
            # Its size is checked here, before anything is unpacked.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return Image.open(io.BytesIO(data), formats=_FORMATS)
    except UnidentifiedImageError as error:
        raise ContentUnsupported("This is neither a PDF nor a known image format.") from error
    except Image.DecompressionBombError as error:
        raise ContentTooLarge(f"The picture is too large to be read: {error}.") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise ContentBroken(f"The picture is damaged: {error}.") from error


def _convert_to_grey(image: Image.Image) -> Image.Image:
    """Convert to greyscale; transparent pixels become paper."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layered = image.convert("RGBA")
        paper = Image.new("RGBA", layered.size, "white")
        return Image.alpha_composite(paper, layered).convert("L")
    if image.mode.startswith("I"):
        # 16-bit grey; Pillow would truncate it instead of scaling it.
        return image.convert("I").point(lambda level: level / 256).convert("L")
    return image.convert("L")


def _check_page_number(number: int, count: int) -> None:
    if not 1 <= number <= count:
        raise InvalidInput(f"The document has {count} pages; there is no page {number}.")
