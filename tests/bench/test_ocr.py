"""The OCR bench: its error rate, its pages, and what it demands."""

from bench.ocr import Outcome, report_of
from bench.ocr_contenders import OURS, Read
from bench.ocr_errors import distance, folded
from bench.ocr_pages import LANGUAGES, sheet
from bench.ocr_scans import LEVELS, bound, scanned
from hypothesis import given
from hypothesis import strategies as st

from assay.reading.ocr.raster import count_pages


def slow_distance(one: str, other: str) -> int:
    """The distance as the textbook has it."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_the_distance_is_the_textbooks(one: str, other: str) -> None:
    assert distance(one, other) == slow_distance(one, other)


def test_white_space_and_composition_do_not_count() -> None:
    assert folded("c\u030c  a\n\nb ") == "č a b"


def test_a_page_is_the_same_each_time_and_unlike_others() -> None:
    first, again = sheet("hrv", 0), sheet("hrv", 0)
    assert first.truth == again.truth
    assert scanned(first, LEVELS[2]) == scanned(again, LEVELS[2])
    assert first.truth != sheet("hrv", 1).truth
    assert len(first.truth) > 1500


def test_scans_are_bound_to_a_pdf() -> None:
    data = bound([scanned(sheet("eng", 3), LEVELS[2])] * 2)
    assert count_pages(data) == 2


def outcomes(wrong: int, *, flagged: bool, contender: str = OURS) -> list[Outcome]:
    """Every page of the bench with so many wrong characters of a thousand."""
    read = Read("", 0.9, flagged, 1.0, {})
    return [
        Outcome(contender, language, level.name, 0, 1000, wrong, read)
        for language in LANGUAGES
        for level in LEVELS
    ]


def test_the_limits_hold() -> None:
    assert report_of(outcomes(5, flagged=False), ()).detail["passed"]
    assert len(report_of(outcomes(10, flagged=False), ()).detail["misses"]) == 6
    assert len(report_of(outcomes(30, flagged=False), ()).detail["misses"]) == 9


def test_a_page_that_is_lost_silently_is_a_miss() -> None:
    lost = outcomes(600, flagged=False)
    assert sum("silently" in miss for miss in report_of(lost, ()).detail["misses"]) == 9
    flagged = outcomes(600, flagged=True)
    assert not any("silently" in miss for miss in report_of(flagged, ()).detail["misses"])


def test_peers_stand_beside_ours() -> None:
    both = outcomes(2, flagged=False) + outcomes(8, flagged=False, contender="other")
    report = report_of(both, ())
    assert (report.ours, report.peers) == (0.2, {"other": 0.8})
    assert report.ratio == 4.0
