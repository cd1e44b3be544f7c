"""What is given to OCR: PDFs and pictures, whole, damaged, closed and absurd."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from bench.ocr_scans import bound
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from assay.errors import (
    ContentBroken,
    ContentEmpty,
    ContentEncrypted,
    ContentTooLarge,
    ContentUnsupported,
    InvalidInput,
    ToolMissing,
)
from assay.reading.ocr import OcrOptions, check_availability
from assay.reading.ocr.raster import count_pages, load_page_raster
from assay.reading.ocr.recognition import ocr_page
from tests.reading.scans import jpeg, png, scan, slip

OPTIONS = OcrOptions()


def written(width: float, height: float, *, password: str | None = None) -> bytes:
    """A PDF that no scanner made: text, and no picture."""
    file = io.BytesIO()
    lock = StandardEncryption(password) if password else None
    canvas = Canvas(file, pagesize=(width, height), encrypt=lock)
    canvas.drawString(20, 20, "Not a scan")
    canvas.save()
    return file.getvalue()


def test_a_scan_is_taken_pixel_by_pixel_at_its_own_resolution() -> None:
    data = jpeg(slip(), dpi=150)
    raster = load_page_raster(bound([data]), 1, OPTIONS)
    assert raster.dpi == pytest.approx(150, abs=0.1)
    with Image.open(io.BytesIO(data)) as image:
        assert raster.image.tobytes() == image.tobytes()


def test_a_fine_scan_is_brought_down_to_the_resolution_asked_for() -> None:
    raster = load_page_raster(bound([jpeg(slip(), dpi=600)]), 1, OPTIONS)
    assert raster.dpi == pytest.approx(300)
    assert raster.image.width == slip().width // 2
    assert not raster.reduced


def test_a_page_with_words_on_its_scan_is_drawn_with_them() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(360, 126))
    canvas.drawInlineImage(slip(), 0, 0, 360, 126)
    canvas.setFontSize(20)
    canvas.drawString(20, 4, "Seen")
    canvas.save()
    raster = load_page_raster(file.getvalue(), 1, OPTIONS)
    foot = raster.image.crop((0, raster.image.height - 60, 200, raster.image.height))
    assert foot.getextrema()[0] == 0


def test_a_page_without_a_scan_is_drawn_at_the_resolution_asked_for() -> None:
    raster = load_page_raster(written(144, 72), 1, OPTIONS)
    assert raster.image.size == (600, 300)


def test_a_page_of_two_hundred_inches_is_drawn_within_bounds() -> None:
    raster = load_page_raster(written(14_400, 14_400), 1, OPTIONS)
    assert raster.reduced
    assert raster.image.width * raster.image.height <= OPTIONS.max_pixels * 1.01


def test_each_picture_of_a_file_is_a_page() -> None:
    file = io.BytesIO()
    first, second = Image.new("L", (60, 40), 255), Image.new("L", (80, 40), 255)
    first.save(file, "TIFF", save_all=True, append_images=[second])
    assert count_pages(file.getvalue()) == 2
    assert load_page_raster(file.getvalue(), 2, OPTIONS).image.width == 80
    assert count_pages(scan(first, second)) == 2


def test_what_is_transparent_is_paper() -> None:
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    assert load_page_raster(png(image), 1, OPTIONS).image.getextrema() == (255, 255)


def test_sixteen_bits_of_grey_are_scaled() -> None:
    image = Image.new("I;16", (40, 40), 0xFFFF)
    assert load_page_raster(png(image), 1, OPTIONS).image.getextrema() == (255, 255)


def test_no_bytes() -> None:
    with pytest.raises(ContentEmpty):
        ocr_page(b"", 1)


def test_neither_pdf_nor_picture() -> None:
    with pytest.raises(ContentUnsupported):
        ocr_page(b"plain words", 1)


def test_a_pdf_in_ruins() -> None:
    with pytest.raises(ContentBroken):
        ocr_page(b"%PDF-1.4 and then nothing", 1)


def test_a_closed_pdf() -> None:
    with pytest.raises(ContentEncrypted):
        ocr_page(written(200, 200, password="secret"), 1)


def test_a_picture_cut_off() -> None:
    with pytest.raises(ContentBroken, match="Picture 1"):
        ocr_page(png(slip())[:2000], 1)


def test_a_picture_that_unpacks_to_gigabytes() -> None:
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    parts = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 100)))
    )
    with pytest.raises(ContentTooLarge):
        ocr_page(b"\x89PNG\r\n\x1a\n" + parts, 1)


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_page_that_is_not_there(number: int) -> None:
    with pytest.raises(InvalidInput, match="1 pages"):
        ocr_page(scan(slip()), number)
    with pytest.raises(InvalidInput, match="1 pages"):
        ocr_page(png(slip()), number)


def test_a_language_without_data_names_what_is_missing() -> None:
    with pytest.raises(ToolMissing, match="xyz"):
        ocr_page(scan(slip()), 1, OcrOptions(languages=("hrv", "xyz")))


def test_a_folder_without_data(tmp_path: Path) -> None:
    options = OcrOptions(tessdata=str(tmp_path))
    with pytest.raises(ToolMissing):
        ocr_page(scan(slip()), 1, options)
    told = check_availability(options)
    assert not told.ok
    assert told.missing == options.languages
    assert "tesseract-ocr-hrv" in told.how_to_get
    assert "hrv.traineddata" in told.how_to_get


def test_what_is_here_is_told() -> None:
    told = check_availability()
    assert told.ok
    assert told.version.startswith("5.")
    assert {"hrv", "deu", "eng", "osd"} <= set(told.languages)
    assert (told.missing, told.how_to_get) == ((), "")
