"""The reading bench: its pages hold the text they claim, and its figures are what they say."""

import html
import re

import pytest
from bench.reading import agreement, report
from bench.reading_assay import bare
from bench.reading_pages import TEMPLATES, MadePage, pages
from bench.reading_pdfs import pdfs

MADE = pages(len(TEMPLATES))


@pytest.mark.parametrize("page", MADE, ids=[page.template for page in MADE])
def test_every_word_of_the_known_text_stands_in_the_page(page: MadePage) -> None:
    shown = html.unescape(re.sub(r"<[^>]+>", " ", page.data.decode()))
    assert agreement(page.gold, shown)[1] == 1.0
    assert len(page.gold) > 200
    # There is something around it to leave out.
    assert page.template == "word" or agreement(page.gold, shown)[0] < 0.99


def test_the_pages_come_from_the_seed() -> None:
    assert pages(len(TEMPLATES)) == MADE
    assert pages(3, seed=5) != pages(3)
    assert {page.language for page in pages(30)} == {"hr", "en", "de"}


def test_agreement_is_the_f1_of_the_words() -> None:
    assert agreement("a b c d", "A b, c d") == (1.0, 1.0)
    assert agreement("a b c d", "a b") == pytest.approx((2 / 3, 0.5))
    assert agreement("a a b", "a b b") == pytest.approx((2 / 3, 2 / 3))
    assert agreement("a", "") == (0.0, 0.0)


def test_the_bare_reading_finds_the_same_words() -> None:
    for page in MADE:
        assert agreement(page.gold, str(bare(page.data)))[1] == 1.0


def test_made_pdfs_are_pdfs_with_a_text() -> None:
    [made] = pdfs(1)
    assert made.data.startswith(b"%PDF-")
    assert len(made.gold) > 200


def test_the_report_says_whether_the_promises_hold() -> None:
    figures = {"f1": {"Assay": 0.8, "a": 0.9, "b": 0.5}, "bookkeeping": 0.2}
    told = report(figures, {})
    assert (told.ours, told.best_peer) == (0.8, "a")
    assert told.detail["within_10_percent_of_the_best"] is False
    assert told.detail["bookkeeping_under_10_percent"] is False
