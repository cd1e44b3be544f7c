"""Scanned pages, read by the real Tesseract."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import numpy as np
import pytest
from bench.ocr_errors import distance, folded
from PIL import Image, ImageFilter

from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.reading.ocr import OcrOptions, OcrPage
from assay.reading.ocr.recognition import ocr_page
from tests.reading.scans import (
    CROATIAN,
    DPI,
    GERMAN,
    jpeg,
    noisy,
    png,
    scan,
    shaded,
    slip,
)
from tests.waiting import PATIENCE_S


def share_wrong(page: OcrPage, lines: Sequence[str]) -> float:
    """The character error rate."""
    truth = folded(" ".join(lines))
    return distance(truth, folded(page.text)) / len(truth)


@pytest.fixture(scope="module")
def clean() -> OcrPage:
    """A page without fault."""
    return ocr_page(scan(slip()), 1)


def test_a_clean_page_is_read_to_the_letter(clean: OcrPage) -> None:
    assert [line for line in clean.text.split("\n") if line] == list(CROATIAN)
    assert clean.confidence > 0.9
    assert clean.coverage > 0.9
    assert clean.characters_per_inch > 10
    assert clean.flags == ()
    assert not clean.is_doubtful
    assert clean.strategy == "plain"
    assert [one.strategy for one in clean.attempts] == ["plain"]


def test_every_line_knows_its_place_in_the_text_and_on_the_page(clean: OcrPage) -> None:
    assert [clean.text[line.start : line.end] for line in clean.lines] == list(CROATIAN)
    tops = [line.box[1] for line in clean.lines]
    assert tops == sorted(tops)
    assert all(70 < line.box[0] < 100 and line.confidence > 0.8 for line in clean.lines)


def test_its_hocr_has_the_same_words(clean: OcrPage) -> None:
    page = ElementTree.fromstring(clean.hocr)
    words = [one for one in page.iter() if one.get("class") == "ocrx_word"]
    assert [one.text for one in words] == clean.text.split()
    assert (
        page.get("title") == f"bbox 0 0 {clean.width} {clean.height}; ppageno 0; scan_res 200 200"
    )
    assert all("x_wconf" in (one.get("title") or "") for one in words)


def test_a_page_is_a_pure_function_and_can_be_kept(clean: OcrPage) -> None:
    again = ocr_page(scan(slip()), 1)
    assert again == clean
    assert OcrPage.from_json(clean.to_json()) == clean


async def test_it_works_within_the_bounds_of_the_workshop(clean: OcrPage) -> None:
    async with ProcessPool(1, PoolLimits(timeout_s=PATIENCE_S)) as pool:
        assert await pool.run(ocr_page, scan(slip()), 1) == clean


def test_section_signs_are_read_though_the_german_data_has_none() -> None:
    page = ocr_page(scan(slip(GERMAN)), 1)
    assert page.text.count("§") == 2
    assert share_wrong(page, GERMAN) < 0.01


def test_a_number_that_stands_alone_at_the_foot_is_not_lost() -> None:
    page = ocr_page(scan(slip(foot="217")), 1)
    assert page.text.split()[-1] == "217"
    assert page.text.startswith(CROATIAN[0])


def test_uneven_light_skew_and_grain_are_repaired() -> None:
    crooked = slip(ink=40, paper=225).rotate(2.5, Image.Resampling.BICUBIC, fillcolor=225)
    page = ocr_page(scan(noisy(shaded(crooked), 9)), 1)
    assert page.skew_degrees == pytest.approx(2.5, abs=0.3)
    assert page.strategy in ("restored", "filtered")
    assert share_wrong(page, CROATIAN) < 0.03
    assert not page.is_doubtful


def test_faint_ink_is_not_taken_for_an_empty_page() -> None:
    page = ocr_page(scan(noisy(slip(ink=205, paper=240), 2)), 1)
    assert share_wrong(page, CROATIAN) < 0.03


def test_a_page_on_its_head_is_turned_and_says_so() -> None:
    lines = CROATIAN * 3
    page = ocr_page(scan(slip(lines).rotate(180)), 1)
    assert page.turned == 180
    assert page.flags == ("rotated 180",)
    assert share_wrong(page, lines) < 0.02


def test_light_letters_on_dark_paper_are_read() -> None:
    page = ocr_page(png(slip(ink=255, paper=20)), 1)
    assert share_wrong(page, CROATIAN) < 0.02


def test_a_page_out_of_focus_is_flagged() -> None:
    blurred = slip().filter(ImageFilter.GaussianBlur(9))
    page = ocr_page(scan(noisy(blurred, 6)), 1)
    assert share_wrong(page, CROATIAN) > 0.5
    assert page.is_doubtful


def test_text_that_tesseract_leaves_out_is_flagged_by_its_ink() -> None:
    # Letters of a kind that no data knows: sure of the first line, and silent on the others.
    image = slip(CROATIAN[:1])
    scribble = np.random.default_rng(1).random((60, 105)) > 0.45
    drawn = Image.fromarray(np.where(scribble, 255, 0).astype(np.uint8)).resize((840, 480))
    page_image = Image.new("L", (1000, 900), 255)
    page_image.paste(image, (0, 0))
    page_image.paste(drawn, (80, 300))
    page = ocr_page(scan(page_image), 1)
    assert "low_coverage" in page.flags or "low_confidence" in page.flags
    assert page.is_doubtful


@pytest.mark.parametrize(
    ("image", "flag"),
    [
        (Image.new("L", (600, 800), 255), "blank"),
        (noisy(Image.new("L", (600, 800), 235), 8), "blank"),
        (Image.new("L", (1, 1), 255), "blank"),
        (Image.new("L", (600, 800), 0), "picture_only"),
    ],
    ids=["white", "paper", "one pixel", "black"],
)
def test_a_page_without_text_says_why(image: Image.Image, flag: str) -> None:
    page = ocr_page(png(image), 1)
    assert (page.text, page.flags, page.is_doubtful) == ("", (flag,), False)


def test_noise_ends_with_a_flag() -> None:
    dots = np.random.default_rng(5).random((700, 500)) > 0.1
    page = ocr_page(png(Image.fromarray(dots.astype(np.uint8) * 255)), 1)
    assert page.flags in (("no_text",), ("blank",)) or page.is_doubtful


def test_time_that_is_up_is_flagged() -> None:
    page = ocr_page(scan(slip()), 1, OcrOptions(page_timeout_s=0.0))
    assert page.text == ""
    assert page.flags == ("no_text", "timed_out")
    assert page.is_doubtful


def test_a_huge_page_is_read_smaller_and_says_so() -> None:
    page = ocr_page(jpeg(slip(), dpi=72), 1, OcrOptions(max_pixels=150_000))
    assert "reduced" in page.flags
    assert page.width * page.height <= 152_000
    whole = ocr_page(jpeg(slip(), dpi=DPI), 1)
    assert "reduced" not in whole.flags
