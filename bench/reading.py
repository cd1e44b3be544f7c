"""`python -m bench.reading`: how well documents are read, how fast, and what the way back costs.

Pages and PDFs of known text are read by Assay and by the libraries that are known for it. The
figure is the F1 of the words found against the words of the text, over all pages. Each contender
is one process that answers in turns, round by round, with its CPU time; rates are medians.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from bench.peers import ROOT, Peer, PeerFailed, install
from bench.reading_pages import MadePage, pages
from bench.reading_pdfs import MadePdf, pdfs
from bench.report import Report, print_report

_TRAFILATURA: Final = ("trafilatura==2.3.1", "lxml_html_clean==0.4.6")
HTML_PEERS: Final = {
    "trafilatura": Peer("trafilatura", "trafilatura", "sqlite", _TRAFILATURA),
    "trafilatura_fast": Peer("trafilatura_fast", "trafilatura", "sqlite", _TRAFILATURA),
    "resiliparse": Peer("resiliparse", "resiliparse", "sqlite", ("resiliparse==1.1.0",)),
}
PDF_PEERS: Final = {"pypdfium2": Peer("pypdfium2", "pypdfium2", "sqlite", ("pypdfium2==5.14.0",))}
OURS: Final = "Assay"
_WORD: Final = re.compile(r"\w+")


class Contender:
    """A process that reads on demand and tells its CPU time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answer()

    def cpu_seconds(self, part: str, how: str = "reading") -> float:
        return float(self._ask(f"time {part} {how}")["cpu_seconds"])

    def texts(self, part: str, folder: Path) -> dict[str, str]:
        file = folder / "texts.json"
        self._ask(f"texts {part} {file}")
        found: dict[str, str] = json.loads(file.read_text("utf-8"))
        return found

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def _ask(self, order: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(f"{self._process.args!r} ended without an answer")
        told: dict[str, Any] = json.loads(line)
        return told


@contextmanager
def contenders(folder: Path, peers: Mapping[str, Peer]) -> Iterator[dict[str, Contender]]:
    """Assay and the peers, each with the same files before it."""
    commands = {OURS: [sys.executable, "-m", "bench.reading_assay", str(folder)]}
    for name, peer in peers.items():
        commands[name] = [str(install(peer)), "-m", "bench.reading_peers", name, str(folder)]
    with ExitStack() as closing:
        running: dict[str, Contender] = {}
        for name, command in commands.items():
            running[name] = Contender(command)
            closing.callback(running[name].close)
        yield running


def rates(running: Mapping[str, Contender], part: str, count: int, rounds: int) -> dict[str, float]:
    """Documents for each second of CPU time, in turns."""
    spent: dict[str, list[float]] = {name: [] for name in running}
    for _ in range(rounds):
        for name, contender in running.items():
            spent[name].append(contender.cpu_seconds(part))
    return {name: round(count / median(seconds), 1) for name, seconds in spent.items()}


def bookkeeping_share(ours: Contender, part: str, rounds: int) -> float:
    """What of a reading goes into segments, tables, marks and the map.

    The least of the rounds on both sides: what else the machine does only ever adds to them, and
    the difference of two large figures is small.
    """
    whole: list[float] = []
    bare: list[float] = []
    for _ in range(2 * rounds):
        whole.append(ours.cpu_seconds(part))
        bare.append(ours.cpu_seconds(part, "bare"))
    return round(1 - min(bare) / min(whole), 4)


def agreement(gold: str, found: str) -> tuple[float, float]:
    """F1 of the words, and the share of the known words that were found."""
    known, read = Counter(_WORD.findall(gold.lower())), Counter(_WORD.findall(found.lower()))
    both = sum((known & read).values())
    if not both:
        return 0.0, 0.0
    precision, recall = both / sum(read.values()), both / sum(known.values())
    return 2 * precision * recall / (precision + recall), recall


def quality(
    running: Mapping[str, Contender], part: str, golds: Mapping[str, str], folder: Path
) -> dict[str, dict[str, tuple[float, float]]]:
    """For each contender, the agreement for each file."""
    return {
        name: {
            file: agreement(golds[file], text)
            for file, text in contender.texts(part, folder).items()
        }
        for name, contender in running.items()
    }


def mean(agreements: Mapping[str, tuple[float, float]], which: int = 0) -> float:
    return round(fmean(one[which] for one in agreements.values()), 4)


def by_template(
    found: Mapping[str, Mapping[str, tuple[float, float]]], made: Sequence[MadePage]
) -> dict[str, dict[str, float]]:
    """F1 for each template and contender."""
    told: dict[str, dict[str, float]] = {}
    for template in dict.fromkeys(page.template for page in made):
        names = [page.name for page in made if page.template == template]
        told[template] = {
            contender: mean({name: agreements[name] for name in names})
            for contender, agreements in found.items()
        }
    return told


def real_pages() -> list[Path]:
    """Real pages, where the folder of samples stands beside the repository."""
    folder = ROOT.parent / "shared" / "samples"
    return sorted(folder.rglob("*.html")) if folder.is_dir() else []


def measured_pages(count: int, rounds: int) -> dict[str, Any]:
    """Quality and rates on made pages, and words and rates on real ones."""
    made = pages(count)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        folder, aside = Path(directory, "files"), Path(directory)
        _write(folder / "made", {page.name: page.data for page in made})
        real = {path.name: path.read_bytes() for path in real_pages()}
        _write(folder / "real", real)
        with contenders(folder, HTML_PEERS) as running:
            golds = {page.name: page.gold for page in made}
            found = quality(running, "made", golds, aside)
            told: dict[str, Any] = {
                "f1": {name: mean(agreements) for name, agreements in found.items()},
                "found": {name: mean(agreements, 1) for name, agreements in found.items()},
                "pages_per_second": rates(running, "made", len(made), rounds),
                "bookkeeping": bookkeeping_share(running[OURS], "made", rounds),
                "f1_by_template": by_template(found, made),
                "pages": len(made),
            }
            if real:
                told["real_pages"] = {
                    "pages": len(real),
                    "pages_per_second": rates(running, "real", len(real), rounds),
                    "bookkeeping": bookkeeping_share(running[OURS], "real", rounds),
                    "words_found": {
                        name: sum(len(_WORD.findall(text)) for text in texts.values())
                        for name, texts in (
                            (name, one.texts("real", aside)) for name, one in running.items()
                        )
                    },
                }
    return told


def measured_pdfs(count: int, rounds: int) -> dict[str, Any]:
    """Quality and rates on made PDFs."""
    made: list[MadePdf] = pdfs(count)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        folder = Path(directory, "files")
        _write(folder / "made", {one.name: one.data for one in made})
        with contenders(folder, PDF_PEERS) as running:
            golds = {one.name: one.gold for one in made}
            found = quality(running, "made", golds, Path(directory))
            return {
                "f1": {name: mean(agreements) for name, agreements in found.items()},
                "documents_per_second": rates(running, "made", len(made), rounds),
                "documents": len(made),
            }


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def report(html: Mapping[str, Any], pdf: Mapping[str, Any]) -> Report:
    """The F1 of the words of the made pages, with everything else in the detail."""
    figures = dict(html["f1"])
    ours = figures.pop(OURS)
    best = max(figures.values())
    return Report(
        name="reading",
        unit="F1",
        better="higher",
        ours=ours,
        peers=figures,
        detail={
            "within_10_percent_of_the_best": ours >= 0.9 * best,
            "bookkeeping_under_10_percent": html["bookkeeping"] < 0.1,
            "html": {name: figure for name, figure in html.items() if name != "f1"},
            "pdf": pdf,
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reading")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer documents and rounds")
    given = parser.parse_args()
    pages_count, pdfs_count, rounds = (60, 10, 3) if given.quick else (300, 60, 7)
    html = measured_pages(pages_count, rounds)
    pdf = measured_pdfs(pdfs_count, rounds)
    print_report(report(html, pdf), given.json)


if __name__ == "__main__":
    main()
