"""Those who read scans in the OCR bench: Assay, plain Tesseract, and OCRmyPDF."""

import csv
import io
import os
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.reading.ocr import OcrOptions
from assay.reading.ocr.recognition import ocr_page
from bench.peers import Peer, PeerFailed, PeerNotInstalled, install

OURS: Final = "Assay"
LANGUAGES: Final = "hrv+deu+eng"
LOW_CONFIDENCE: Final = 0.70
_SECONDS: Final = 300.0
_OCRMYPDF: Final = Peer("OCRmyPDF", "ocrmypdf", "sqlite", ("ocrmypdf==17.13.0",))


@dataclass(frozen=True)
class Read:
    """What a contender made of a page."""

    text: str
    confidence: float | None
    """As the contender tells it; `None` where it does not."""
    flagged: bool
    """Whether its answer says that the page is not to be trusted."""
    cpu_seconds: float
    detail: dict[str, Any]


@dataclass(frozen=True)
class Contender:
    """Someone who reads a page; an Assay without settings of its own, or a command."""

    name: str
    arguments: tuple[str, ...] = ()
    python: str = ""
    """Of the environment that OCRmyPDF is installed in."""

    def read(self, pdf: bytes, scan: bytes) -> Read:
        """The page, given as a PDF and as the JPEG inside it."""
        if self.name == OURS:
            return _ours(pdf)
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            if self.python:
                return self._ocrmypdf(Path(folder), pdf)
            return self._tesseract(Path(folder), scan)

    def _tesseract(self, folder: Path, scan: bytes) -> Read:
        (folder / "page.jpg").write_bytes(scan)
        command = ["tesseract", "page.jpg", "read", "-l", LANGUAGES, *self.arguments]
        seconds = _run([*command, "txt", "tsv"], folder)
        confidence = _confidence((folder / "read.tsv").read_text(encoding="utf-8"))
        text = (folder / "read.txt").read_text(encoding="utf-8")
        flagged = confidence < LOW_CONFIDENCE or not text.strip()
        return Read(text, round(confidence, 4), flagged, seconds, {})

    def _ocrmypdf(self, folder: Path, pdf: bytes) -> Read:
        (folder / "page.pdf").write_bytes(pdf)
        command = [self.python, "-m", "ocrmypdf", "--quiet", "--jobs", "1", "-l", LANGUAGES]
        command += [*self.arguments, "--output-type", "none", "--sidecar", "read.txt"]
        seconds = _run([*command, "page.pdf", "-"], folder)
        text = (folder / "read.txt").read_text(encoding="utf-8")
        return Read(text, None, not text.strip(), seconds, {})


def contenders() -> tuple[tuple[Contender, ...], tuple[str, ...]]:
    """Assay and those peers that are or can be installed here; and why others are not."""
    found, missing = [Contender(OURS)], []
    sauvola = ("-c", "thresholding_method=2")
    if shutil.which("tesseract") is None:
        return tuple(found), ("tesseract is not installed: apt install tesseract-ocr",)
    found += [Contender("tesseract"), Contender("tesseract, Sauvola", sauvola)]
    try:
        python = str(install(_OCRMYPDF))
        settings = ("--deskew", "--tesseract-thresholding", "sauvola")
        found.append(Contender("OCRmyPDF, deskewed, Sauvola", settings, python))
    except PeerNotInstalled as error:
        missing.append(f"OCRmyPDF: {error}")
    return tuple(found), tuple(missing)


def _ours(pdf: bytes) -> Read:
    began = time.process_time()
    page = ocr_page(pdf, 1, OcrOptions())
    seconds = time.process_time() - began
    detail = {
        "coverage": page.coverage,
        "flags": list(page.flags),
        "strategy": page.strategy,
        "attempts": len(page.attempts),
    }
    return Read(page.text, page.confidence, page.is_doubtful, seconds, detail)


def _run(command: list[str], folder: Path) -> float:
    """Run a command; the processor time that it took, with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip()[-500:]
        raise PeerFailed(f"`{' '.join(command[:6])} …` ended with {done.returncode}: {told}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _confidence(tsv: str) -> float:
    """Tesseract's own confidence, from 0 to 1, weighted by characters."""
    rows = csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [(row["text"] or "", float(row["conf"])) for row in rows if float(row["conf"]) >= 0]
    letters = sum(len(text) for text, _ in words)
    return sum(len(text) * sure for text, sure in words) / letters / 100 if letters else 0.0
