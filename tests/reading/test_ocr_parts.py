"""The parts of OCR that need no Tesseract: ink, skew, places, documents, keys."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from assay.model.content import ContentClass
from assay.reading.ocr import OcrOptions, OcrPage, assemble_document
from assay.reading.ocr.attempts import insert_line
from assay.reading.ocr.engine import RecognisedLine, RecognisedWord
from assay.reading.ocr.image_repair import is_noise, measure_skew, remove_specks
from assay.reading.ocr.ink import Ink
from assay.reading.ocr.page import OcrAttempt, OcrLine
from assay.reading.ocr.raster import Raster
from assay.reading.result import restore_reading
from tests.reading.scans import CROATIAN, DPI, noisy, slip


def page(number: int, text: str = "", confidence: float = 0.9, *flags: str) -> OcrPage:
    """A page that was read so."""
    return OcrPage(
        number=number,
        text=text,
        confidence=confidence,
        coverage=0.95,
        characters_per_inch=80.0,
        lines=(OcrLine(0, len(text), confidence, (1, 2, 3, 4)),),
        hocr=f"<div>{number}</div>",
        width=100,
        height=200,
        dpi=150,
        skew_degrees=0.5,
        turned=0,
        flags=flags,
        strategy="plain",
        attempts=(OcrAttempt("plain", confidence, 0.95, len(text)),),
        engine="tesseract",
    )


def line(text: str, left: int, top: int, width: int = 100) -> RecognisedLine:
    """A line of one word at a place."""
    return RecognisedLine(
        (RecognisedWord(text, 0.9, (left, top, left + width, top + 10)),), opens=False
    )


@pytest.mark.parametrize("degrees", [-6.0, -1.3, 0.0, 0.8, 4.0])
def test_skew_is_found(degrees: float) -> None:
    image = slip(CROATIAN * 2).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    assert measure_skew(Raster(image, DPI)) == pytest.approx(degrees, abs=0.15)


def test_an_empty_page_has_no_skew() -> None:
    assert measure_skew(Raster(Image.new("L", (500, 500), 255), DPI)) == 0.0


def test_ink_lies_within_the_boxes_of_its_words() -> None:
    ink = Ink(slip(), DPI)
    whole = (0, 0, 1000, slip().height)
    assert ink.looks_like_text
    assert not ink.is_scarce
    assert ink.compute_coverage([whole]) == 1.0
    assert ink.compute_coverage([]) == 0.0
    assert 0.4 < ink.compute_coverage([(0, 0, 1000, 170)]) < 0.6
    assert ink.find_uncovered([whole]) == ()


def test_ink_without_words_is_found_where_it_stands() -> None:
    ink = Ink(slip(foot="217"), DPI)
    (gap,) = ink.find_uncovered([(0, 0, 1000, 280)])
    left, top, right, bottom = gap.box
    assert left <= 490 < 530 <= right
    assert 390 <= top < 412 < 430 <= bottom <= 448


def test_rules_and_solid_pictures_are_no_text() -> None:
    image = Image.new("L", (800, 800), 255)
    image.paste(0, (50, 100, 750, 104))
    image.paste(0, (200, 300, 600, 700))
    image.paste(0, (100, 50, 103, 780))
    assert Ink(image, DPI).compute_coverage([]) == 1.0 or not Ink(image, DPI).looks_like_text


def test_paper_is_not_ink() -> None:
    assert Ink(noisy(Image.new("L", (800, 800), 235), 10), DPI).is_scarce


def test_specks_go_and_full_stops_stay() -> None:
    image = Image.new("L", (100, 100), 240)
    image.putpixel((20, 20), 0)
    image.paste(0, (60, 60, 63, 63))
    cleaned = remove_specks(image)
    assert cleaned.getpixel((20, 20)) == 240
    assert cleaned.getpixel((61, 61)) == 0


def test_noise_is_told_from_text() -> None:
    assert not is_noise(slip())
    assert is_noise(noisy(Image.new("L", (400, 400), 128), 90))


def test_a_line_is_put_below_all() -> None:
    lines = [line("first", 0, 0, 400), line("second", 0, 20, 400), line("short", 0, 40, 50)]
    insert_line(line("foot", 200, 90), lines)
    assert [one.text for one in lines] == ["first", "second", "short", "foot"]


def test_a_line_is_put_in_its_column() -> None:
    lines = [line(f"left {n}", 0, 20 * n) for n in range(3)]
    lines += [line(f"right {n}", 300, 20 * n) for n in range(5)]
    insert_line(line("left 3", 10, 62), lines)
    assert [one.text for one in lines][2:5] == ["left 2", "left 3", "right 0"]
    assert lines[4].opens
    insert_line(line("head", 0, -30), lines)
    assert lines[0].text == "head"


def test_pages_become_a_document_whatever_their_order() -> None:
    pages = [page(3, "third"), page(1, "first page"), page(2)]
    found = assemble_document(pages)
    assert found.reading.text == "first page\n\nthird"
    assert found.reading.content_class is ContentClass.PDF_SCANNED
    assert [one.number for one in found.reading.pages] == [1, 2, 3]
    assert found.reading.pages_without_text == (2,)
    assert found.reading.page_of(found.reading.text.index("third")) == 3
    assert found.hocr.index("<div>1</div>") < found.hocr.index("<div>3</div>")
    assert restore_reading(found.reading.text, found.reading.map_json()) == found.reading


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6))
def test_every_segment_leads_back_to_its_page(texts: list[str]) -> None:
    texts = [text.replace("\0", "\ufffd") for text in texts]
    pages = [page(number, text) for number, text in enumerate(texts, start=1)]
    reading = assemble_document(pages).reading
    by_place = {f"page {one.number}": one.text for one in pages}
    for one in reading.segments:
        source = by_place[one.place][one.source_start : one.source_end]
        assert reading.text[one.start : one.end] == source
    assert [reading.text[one.start : one.end] for one in reading.pages] == texts


@given(st.text(), st.floats(0, 1), st.lists(st.sampled_from(["blank", "no_text"])))
def test_a_page_survives_being_kept(text: str, confidence: float, flags: list[str]) -> None:
    kept = page(4, text, confidence, *flags)
    assert OcrPage.from_json(kept.to_json()) == kept


def test_flagged_pages_are_warned_of() -> None:
    pages = [
        page(1, "fine"),
        page(2, "doubtful", 0.61, "low_confidence"),
        page(3, "", 0.0, "no_text", "timed_out"),
        page(4, "", 1.0, "blank"),
    ]
    found = assemble_document(pages)
    assert found.doubtful_pages == (2, 3)
    assert found.reading.warnings == (
        "Page 2 is read with a confidence of 61% only.",
        "Page 3 has ink on it, but nothing could be read.",
        "Page 3 took too long, so not everything was tried.",
    )
    assert found.person_needed == ""


@pytest.mark.parametrize(
    ("pages", "why"),
    [
        ([page(1, "", 0.0, "no_text")], "Nothing could be read"),
        ([page(1, "guesswork", 0.49, "low_confidence")], "49%"),
        ([page(1, "words"), *(page(n, "", 0.0, "no_text") for n in (2, 3))], "2 of its 3"),
        ([page(1, "", 1.0, "blank")], "Nothing could be read"),
        ([page(1, "good enough", 0.5)], ""),
    ],
)
def test_a_person_is_asked_for_when_too_little_is_sure(pages: list[OcrPage], why: str) -> None:
    told = assemble_document(pages).person_needed
    assert why in told
    assert bool(told) == bool(why)


def test_confidence_is_weighted_by_characters() -> None:
    assert assemble_document([page(1, "x" * 90, 0.9), page(2, "y" * 10, 0.4)]).confidence == 0.85


def test_the_key_changes_with_whatever_changes_a_text() -> None:
    options = OcrOptions()
    keys = {
        options.key(),
        replace(options, languages=("deu", "hrv", "eng")).key(),
        replace(options, dpi=200).key(),
        replace(options, good_confidence=0.95).key(),
        replace(options, max_pixels=1).key(),
        replace(options, languages=("eng",)).key(),
    }
    assert len(keys) == 6
    assert OcrOptions().key() == options.key()
