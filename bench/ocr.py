"""`python -m bench.ocr`: how many characters of a scan are read wrong, and whether pages are lost.

Pages in Croatian, German and English with a known text are scanned clean, degraded and badly
degraded, and read by Assay, by Tesseract with its default settings and with Sauvola's threshold,
and by OCRmyPDF, one after the other on each page. `ours` is Assay's character error rate over all
pages. A page is lost when more than half of its characters are wrong, and silently lost when
nothing says so. Pages beyond reading show the same for those that nobody can read.

Ends with 1 where a level's limit is passed or Assay loses a page silently.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from bench.ocr_contenders import OURS, Contender, Read, contenders
from bench.ocr_errors import distance, folded
from bench.ocr_pages import LANGUAGES, FontsMissing, faces, sheet
from bench.ocr_scans import BEYOND, LEVELS, Level, bound, scanned
from bench.report import Report, print_report

MISSED: Final = 1
NOT_HERE: Final = 3
PAGES: Final = 5
QUICK_PAGES: Final = 1
FULL_PAGES: Final = 12
_LOST: Final = 50.0


@dataclass(frozen=True)
class Outcome:
    """One page, read by one contender."""

    contender: str
    language: str
    level: str
    number: int
    characters: int
    wrong: int
    read: Read

    @property
    def lost(self) -> bool:
        """Whether more than half of the page is wrong."""
        return 100 * self.wrong > _LOST * self.characters


def read_page(language: str, number: int, level: Level, who: Sequence[Contender]) -> list[Outcome]:
    """One page, read by all contenders in turn."""
    page = sheet(language, number)
    scan = scanned(page, level)
    pdf, truth = bound([scan]), folded(page.truth)
    found = []
    for contender in who:
        read = contender.read(pdf, scan)
        wrong = min(len(truth), distance(truth, folded(read.text)))
        found.append(Outcome(contender.name, language, level.name, number, len(truth), wrong, read))
    return found


def measure(pages: int, beyond: bool, who: Sequence[Contender], processes: int) -> list[Outcome]:
    """Every page at every level, on a few processes."""
    tasks = [
        (language, number, level)
        for level in LEVELS
        for language in LANGUAGES
        for number in range(pages)
    ]
    if beyond:
        tasks += [(LANGUAGES[n % 3], n, level) for n, level in enumerate(BEYOND)]
    with ProcessPoolExecutor(processes) as pool:
        waiting = [pool.submit(read_page, *task, who) for task in tasks]
        return [outcome for future in waiting for outcome in future.result()]


def report_of(outcomes: Sequence[Outcome], missing: Sequence[str]) -> Report:
    """The figures of every contender, and whether Assay keeps the limits."""
    names = list(dict.fromkeys(one.contender for one in outcomes))
    known = {level.name for level in LEVELS}
    by_name = {name: [one for one in outcomes if one.contender == name] for name in names}
    rates = {
        name: round(_rate([one for one in found if one.level in known]), 3)
        for name, found in by_name.items()
    }
    detail: dict[str, Any] = {
        "passed": not _misses(by_name[OURS]),
        "misses": _misses(by_name[OURS]),
        "fonts": ", ".join(sorted({plain.stem for plain, _ in faces()})),
        **{name: _figures(found) for name, found in by_name.items()},
    }
    if any(_beyond(found) for found in by_name.values()):
        detail["beyond reading"] = {name: _beyond(found) for name, found in by_name.items()}
    if missing:
        detail["not measured"] = list(missing)
    return Report(
        name="OCR of Croatian, German and English scans",
        unit="CER %",
        better="lower",
        ours=rates.pop(OURS),
        peers=rates,
        detail=detail,
    )


def _rate(outcomes: Sequence[Outcome]) -> float:
    characters = sum(one.characters for one in outcomes)
    return 100 * sum(one.wrong for one in outcomes) / characters if characters else 0.0


def _figures(outcomes: Sequence[Outcome]) -> Mapping[str, Any]:
    told: dict[str, Any] = {}
    for level in LEVELS:
        here = [one for one in outcomes if one.level == level.name]
        rates = {
            language: round(_rate([one for one in here if one.language == language]), 2)
            for language in LANGUAGES
        }
        seconds = sum(one.read.cpu_seconds for one in here)
        told[level.name] = {
            **{f"CER % {language}": rate for language, rate in rates.items()},
            "worst page %": round(max(100 * one.wrong / one.characters for one in here), 2),
            "lost": sum(one.lost for one in here),
            "silently lost": sum(one.lost and not one.read.flagged for one in here),
            "flagged": sum(one.read.flagged for one in here),
            "confidence": _span([one.read.confidence for one in here]),
            "pages": len(here),
            "pages per CPU second": round(len(here) / seconds, 3) if seconds else None,
        }
    return told


def _beyond(outcomes: Sequence[Outcome]) -> Mapping[str, str]:
    """Each page that is beyond reading: its error rate, and what is said of it."""
    names = {level.name for level in BEYOND}
    return {
        one.level: f"{100 * one.wrong / one.characters:.1f} % wrong, "
        f"{'flagged' if one.read.flagged else 'SILENTLY LOST' if one.lost else 'not flagged'}"
        for one in outcomes
        if one.level in names
    }


def _span(confidences: Sequence[float | None]) -> str:
    told = [one for one in confidences if one is not None]
    return f"{min(told):.2f} to {max(told):.2f}" if told else "not told"


def _misses(outcomes: Sequence[Outcome]) -> list[str]:
    """What Assay owed and did not keep."""
    misses = []
    for level in LEVELS:
        for language in LANGUAGES:
            here = [one for one in outcomes if one.level == level.name and one.language == language]
            if (rate := _rate(here)) >= level.most_cer:
                misses.append(f"{language} {level.name}: {rate:.2f} % is not under the limit")
    misses += [
        f"{one.language} {one.level} {one.number}: silently lost"
        for one in outcomes
        if one.lost and not one.read.flagged
    ]
    return misses


def main() -> int:
    """Run the bench; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.ocr")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one page a language and level")
    parser.add_argument("--full", action="store_true", help=f"{FULL_PAGES} instead of {PAGES}")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    pages = QUICK_PAGES if given.quick else FULL_PAGES if given.full else PAGES
    try:
        faces()
    except FontsMissing as error:
        print(error, file=sys.stderr)
        return NOT_HERE
    who, missing = contenders()
    outcomes = measure(pages, not given.quick, who, given.processes)
    report = report_of(outcomes, missing)
    print_report(report, given.json)
    return 0 if report.detail["passed"] else MISSED


if __name__ == "__main__":
    sys.exit(main())
