"""Evidence in the console: the text with its quotes in place, its pages, and its bytes."""

import io
from html import unescape
from html.parser import HTMLParser

import pytest
from PIL import Image
from playwright.async_api import Browser

from assay.app import App
from assay.app.document_viewer import DocumentViewer
from assay.app.evidence_views import load_evidence
from assay.app.page_views import view_page
from assay.console.pages.evidence import name_file
from assay.errors import TransientError
from assay.model.content import ContentClass
from assay.model.records import ScannedPage
from assay.reading.result import PageSpan, Reading, Segment
from tests.console.conftest import WatchedPage, open_console, serving_console
from tests.console.stored_documents import (
    AT_MS,
    store_document,
    store_fact,
    store_reading,
    store_version,
)
from tests.reading.making import Sheet, pdf, text

ACT = "Article 1\nThe fee is 8.15 EUR.\nArticle 2\nIt is <b>due</b> on 1 May & later.\n"
LINES = ("The fee is 8.15 EUR a day for every guest.", "It is due on the first day of May.")


class _Paper(HTMLParser):
    """The words inside the article of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words = ""
        self._is_inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = self._is_inside or tag == "article"

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "article"

    def handle_data(self, data: str) -> None:
        self.words += data if self._is_inside else ""


def store_act(app: App, words: str = ACT) -> str:
    evidence_id = store_version(app, words.encode())
    store_document(app, evidence_id=evidence_id)
    return evidence_id


def test_quotes_are_marked_in_the_text_and_listed_beside_it(empty: App) -> None:
    name = store_act(empty)
    store_fact(empty, name, 10, "The fee is 8.15 EUR.")
    store_fact(empty, name, 21, "8.15 EUR", name="fa_2")
    page = open_console(empty).get(f"/evidence/{name}?quote=21-29").text
    assert '<mark data-cites="fa_1">The fee is </mark>' in page
    assert '<mark id="quote" class="asked" data-cites="fa_1 fa_2">8.15 EUR</mark>' in page
    assert '<mark data-cites="fa_1">.</mark>' in page
    assert '<li class="cite asked" id="cite-fa_2" data-cites="fa_2">' in page
    assert "fees.fa_2: 8.15 EUR" in page
    assert _Paper(page).words == ACT
    assert 'href="#at-0">Article 1</a>' in page and '<span class="at" id="at-31"></span>' in page


def test_a_long_text_comes_in_parts_that_are_the_whole(empty: App) -> None:
    words = "".join(f"Section {number}\n{'word ' * 90}\n" for number in range(1000))
    words += "Z" * 100_000 + "\nThe end."
    name = store_act(empty, words)
    start = len(words) // 2
    store_fact(empty, name, start, words[start : start + 80])
    console = open_console(empty)
    answer = console.get(f"/evidence/{name}?quote={start}-{start + 80}")
    assert len(answer.content) < 200_000
    assert words[start : start + 80] == "".join(
        unescape(piece.split("</mark>")[0].split(">", 1)[1])
        for piece in answer.text.split("<mark")[1:]
    )
    parts = [console.get(f"/evidence/{name}?part={number}").text for number in range(1, 40)]
    count = int(parts[0].split("Part 1 of ")[1].split(" ")[0])
    assert "".join(_Paper(page).words for page in parts[:count]) == words
    # One that does not exist is the last one.
    assert _Paper(parts[count]).words == _Paper(parts[count - 1]).words


def test_a_quote_is_shown_in_the_reading_that_it_was_found_in(empty: App) -> None:
    name = store_act(empty)
    earlier = store_reading(empty, name, "Page 1\n" + ACT)
    store_fact(empty, name, 17, "The fee is 8.15 EUR.", reading=earlier)
    console = open_console(empty)
    asked = console.get(f"/evidence/{name}?quote=17-37").text
    assert ">The fee is 8.15 EUR.</mark>" in asked and "an earlier reading" in asked
    plain = console.get(f"/evidence/{name}").text
    assert _Paper(plain).words == ACT and "1 fact" in plain and "?reading=ar_earlier" in plain
    assert console.get(f"/evidence/{name}?reading=ar_none").status_code == 404


def test_a_place_that_is_not_in_the_text_is_named(empty: App) -> None:
    console, name = open_console(empty), store_act(empty)
    assert (
        "there is no quote from 900 to 950" in console.get(f"/evidence/{name}?quote=900-950").text
    )
    for quote in ("5", "9-3", "a-b", "-5-9", "9" * 30 + "-1"):
        assert console.get(f"/evidence/{name}?quote={quote}").status_code == 400
    assert console.get("/evidence/ev_none").status_code == 404


def test_the_text_of_a_skipped_version_is_read_when_somebody_looks(empty: App) -> None:
    kept = store_version(empty, b"Only a short note.", kept=False)
    damaged = store_version(empty, b"%PDF-1.7 nothing", kept=False, at_ms=AT_MS + 1)
    store_document(empty, state="skipped", reason="too short")
    with open_console(empty) as console:
        assert "Only a short note." in _Paper(console.get(f"/evidence/{kept}").text).words
        page = console.get(f"/evidence/{damaged}").text
        assert "There is no text to show." in page and "damaged" in page


def store_pdf(app: App) -> tuple[str, int]:
    """An act of two pages, and where the quote on its second page begins."""
    data = pdf(Sheet(text(*LINES)), Sheet(text("The second page.", LINES[1], x=100, y=400)))
    name = store_version(app, data)
    store_document(app, evidence_id=name)
    with DocumentViewer(app.settings) as viewer:
        words = viewer.read_text(app.blobs.path(name_of(app, name)), name_of(app, name), None)
    start = words.rindex(LINES[1])
    store_fact(app, name, start, LINES[1])
    return name, start


def name_of(app: App, evidence_id: str) -> str:
    return str(load_evidence(app, evidence_id)[0]["content_hash"])


def test_a_page_is_drawn_with_the_quote_highlighted_in_its_place(empty: App) -> None:
    name, start = store_pdf(empty)
    quote = f"?quote={start}-{start + len(LINES[1])}"
    with open_console(empty) as console:
        found = console.get(f"/evidence/{name}/pages{quote}")
        assert found.headers["Location"] == f"/evidence/{name}/pages/2{quote}"
        page = console.get(found.headers["Location"]).text
        assert f'src="/evidence/{name}/pages/2.png"' in page and '<g class="asked"' in page
        assert "Page 2 of 2" in page and 'data-cites="fa_1"><rect' in page
        drawn = console.get(f"/evidence/{name}/pages/2.png{quote}")
        plain = console.get(f"/evidence/{name}/pages/2.png")
        assert drawn.headers["Content-Type"] == "image/png"
        marked, bare = (
            Image.open(io.BytesIO(answer.content)).convert("RGB") for answer in (drawn, plain)
        )
        assert marked.size == (1200, 1600)
        yellow = [
            (x, y)
            for x in range(0, 1200, 4)
            for y in range(0, 1600, 4)
            if marked.getpixel((x, y)) == (255, 226, 92)
        ]
        # The line below the one that begins 400 points above the lower edge of 800.
        assert yellow and all(190 < x < 700 and 800 < y < 870 for x, y in yellow)
        assert (255, 226, 92) not in {colour for _, colour in bare.getcolors(1_000_000) or []}


def test_a_page_image_is_not_drawn_again_for_who_has_it(empty: App) -> None:
    name, _ = store_pdf(empty)
    with open_console(empty) as console:
        first = console.get(f"/evidence/{name}/pages/1.png")
        assert first.headers["Cache-Control"] == "private, no-cache"
        again = console.get(
            f"/evidence/{name}/pages/1.png", headers={"If-None-Match": first.headers["ETag"]}
        )
        assert again.status_code == 304 and again.content == b""
        other = console.get(f"/evidence/{name}/pages/1.png?quote=0-5")
        assert other.headers["ETag"] != first.headers["ETag"]


def test_pages_that_do_not_exist_are_refused(empty: App) -> None:
    name, _ = store_pdf(empty)
    words = store_version(empty, ACT.encode(), url="https://gazette.example/acts/2")
    with open_console(empty) as console:
        for path in (f"{name}/pages/3", f"{name}/pages/3.png", f"{words}/pages/1.png"):
            assert console.get(f"/evidence/{path}").status_code == 404, path
        for path in (f"{name}/pages/0", f"{name}/pages/x.png", f"{name}/pages/{'9' * 5000}"):
            assert console.get(f"/evidence/{path}").status_code == 400, path


def test_a_quote_without_a_known_place_is_said_to_have_none(empty: App) -> None:
    """The map of the text says nothing about where on the page its words are."""
    data = pdf(Sheet(text(*LINES)))
    reading = Reading(
        content_class=ContentClass.PDF_TEXT, text="The fee", pages=(PageSpan(1, 0, 7),)
    )
    name = store_version(empty, data, reading=reading)
    store_document(empty, evidence_id=name)
    store_fact(empty, name, 0, "The fee")
    with open_console(empty) as console:
        page = console.get(f"/evidence/{name}/pages/1?quote=0-7").text
        assert "The place of this quote on the page is not known." in page
        assert "its place on the page is not known" in page and "<rect" not in page
        assert console.get(f"/evidence/{name}/pages/1.png?quote=0-7").status_code == 200


def test_a_pdf_that_cannot_be_drawn_is_explained(empty: App) -> None:
    reading = Reading(
        content_class=ContentClass.PDF_TEXT, text="The fee", pages=(PageSpan(1, 0, 7),)
    )
    name = store_version(empty, b"%PDF-1.7 nothing at all", reading=reading)
    store_document(empty, evidence_id=name)
    with open_console(empty) as console:
        page = console.get(f"/evidence/{name}/pages/1")
        assert page.status_code == 200 and "cannot be shown as an image" in page.text
        image = console.get(f"/evidence/{name}/pages/1.png")
        assert image.status_code == 404 and "damaged" in image.text


HOCR = (
    '<div class="ocr_page" id="page_1" title="bbox 0 0 {w} {h}; ppageno 0; scan_res 300 300">\n'
    '<p class="ocr_par" id="par_1_1">\n<span class="ocr_line" title="bbox 10 10 60 20">'
    '<span class="ocrx_word" title="bbox 10 10 30 20; x_wconf 90">Fee</span> '
    '<span class="ocrx_word" title="bbox 40 10 60 20; x_wconf 90">8&amp;</span></span>\n</p></div>'
)


@pytest.mark.parametrize(
    ("flag", "size", "box"),
    [
        ("", (100, 200), (0.4, 0.05, 0.6, 0.1)),
        ("rotated 180", (100, 200), (0.4, 0.9, 0.6, 0.95)),
        ("rotated 90", (200, 100), (0.8, 0.2, 0.9, 0.3)),
        ("rotated 270", (200, 100), (0.1, 0.7, 0.2, 0.8)),
    ],
)
def test_the_words_of_a_scanned_page_have_the_boxes_that_ocr_found(
    flag: str, size: tuple[int, int], box: tuple[float, ...], empty: App
) -> None:
    """OCR names places on the upright page; the page is shown as it lies."""
    reading = Reading(
        content_class=ContentClass.PDF_SCANNED,
        text="Fee 8&",
        pages=(PageSpan(1, 0, 6),),
        segments=(Segment(0, 6, 0, 6, "page 1"),),
    )
    page = ScannedPage(
        evidence_id="", page=1, confidence=0.9, coverage=1, length=6, flags=[flag] if flag else []
    )
    hocr = HOCR.format(w=size[0], h=size[1])
    name = store_version(empty, pdf(Sheet()), reading=reading, hocr=hocr, scanned=[page])
    store_document(empty, evidence_id=name)
    store_fact(empty, name, 4, "8&")
    with DocumentViewer(empty.settings) as viewer:
        (area,) = view_page(empty, viewer, name, 1).boxes["fa_1"]
    assert (area.left, area.top, area.right, area.bottom) == pytest.approx(box, abs=0.006)


def test_only_so_many_documents_are_opened_at_once(empty: App) -> None:
    name, _ = store_pdf(empty)
    hash_of_content = name_of(empty, name)
    with DocumentViewer(empty.settings, most_waiting=0) as viewer:
        with pytest.raises(TransientError):
            viewer.draw_page(empty.blobs.path(hash_of_content), hash_of_content, 1)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://gazette.example/acts/fees%202026.pdf?x=1", "fees-2026.pdf"),
        ('https://x.example/a"; filename="evil.html', "a-filename-evil.html"),
        ("https://x.example/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("https://x.example/a%0d%0aSet-Cookie:x", "a-Set-Cookie-x"),
        ("https://x.example/", "ev_1"),
        ("https://x.example/.htaccess", "htaccess"),
        ("https://x.example/odluka-Žabno.pdf", "odluka--abno.pdf"),
        ("http://[", "ev_1"),
        ("https://x.example/" + "a" * 500 + ".pdf", "a" * 76 + ".pdf"),
    ],
)
def test_a_saved_document_has_a_harmless_name(url: str, name: str) -> None:
    assert name_file(url, "ev_1") == name


@pytest.mark.parametrize("width", [1200, 390])
async def test_pointing_at_a_fact_marks_its_quote(width: int, empty: App, browser: Browser) -> None:
    words = "".join(f"Section {number}\n{'word ' * 40}\n" for number in range(100))
    name = store_act(empty, words)
    start = words.index("Section 90\n")
    store_fact(empty, name, 0, "Section 0")
    store_fact(empty, name, start, "Section 90", name="fa_2")
    async with serving_console(empty) as url:
        page = await browser.new_page(viewport={"width": width, "height": 800})
        watched = WatchedPage(page)
        await page.goto(f"{url}/evidence/{name}?quote={start}-{start + 10}")
        asked = page.locator("mark.asked")
        await asked.wait_for()
        await page.wait_for_function(
            "() => { const at = document.getElementById('quote').getBoundingClientRect();"
            " return at.top > 0 && at.bottom < innerHeight; }"
        )
        entry = page.locator("#cite-fa_1")
        await entry.locator("a").first.focus()
        assert "lit" in (await page.locator("mark[data-cites=fa_1]").get_attribute("class") or "")
        await page.locator("mark[data-cites=fa_2]").hover()
        assert "lit" in (await page.locator("#cite-fa_2").get_attribute("class") or "")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert watched.complaints == []
        assert all(address.startswith(url) for address in watched.requested)
