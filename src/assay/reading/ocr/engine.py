"""The one door to Tesseract: what is installed, and the words that it finds in a picture."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from PIL import Image

from assay.errors import ToolMissing

try:
    import tesserocr
except ImportError:  # no wheel for this platform: everything but OCR works
    tesserocr = None

_FOLDERS: Final = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
    f"{sys.prefix}/share/tessdata",
    "C:/Program Files/Tesseract-OCR/tessdata",
)
_SUFFIX: Final = ".traineddata"
_SAUVOLA: Final = "2"
_ORIENTATION: Final = "osd"
_SURE_OF_ORIENTATION: Final = 2.0
_LONGEST_SIDE: Final = 32_000
"""Tesseract's coordinates are 16 bits wide."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels from the top left."""


class Layout(IntEnum):
    """What Tesseract is told to expect: its page segmentation modes."""

    PAGE = 3
    BLOCK = 6
    LINE = 7
    SPARSE = 11


@dataclass(frozen=True, slots=True)
class Word:
    """A word as Tesseract read it."""

    text: str
    confidence: float
    """From 0 to 1."""
    box: Box


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand beside each other."""

    words: tuple[Word, ...]
    opens: bool
    """Whether a paragraph begins with it."""

    @property
    def text(self) -> str:
        """Its words with a space between them."""
        return " ".join(word.text for word in self.words)

    @property
    def box(self) -> Box:
        """The rectangle around its words."""
        lefts, tops, rights, bottoms = zip(*(word.box for word in self.words), strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    @property
    def confidence(self) -> float:
        """Of its words, weighted by their characters."""
        return mean_confidence(self.words)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What one look at a picture gave."""

    lines: tuple[Line, ...]
    complete: bool
    """False where the time was up before the end."""

    @property
    def words(self) -> tuple[Word, ...]:
        """All words, in reading order."""
        return tuple(word for line in self.lines for word in line.words)


class Engine:
    """Tesseract with its languages loaded. Not for threads."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)
        self._folder = f"{folder}/"
        self._api = self._opened("+".join(languages))
        # Otsu's global threshold, the default, loses whole pages in uneven light.
        self._api.SetVariable("thresholding_method", _SAUVOLA)
        self._upright: Any = None
        if (folder / f"{_ORIENTATION}{_SUFFIX}").is_file():
            self._upright = self._opened(_ORIENTATION)

    def recognise(
        self, image: Image.Image, dpi: float, layout: Layout, seconds: float
    ) -> Recognised:
        """The words of a picture in shades of grey."""
        if max(image.size) > _LONGEST_SIDE:
            raise ValueError(f"a picture of {image.size} is too large for Tesseract")
        self._api.SetPageSegMode(int(layout))
        self._api.SetImage(image)
        self._api.SetSourceResolution(max(70, round(dpi)))
        complete = bool(self._api.Recognize(max(1, int(seconds * 1000))))
        lines = tuple(_lines(self._api.GetIterator()))
        self._api.Clear()
        return Recognised(lines, complete)

    def knows_sign(self, sign: str) -> bool:
        """Whether the data of the first language has a sign."""
        return bool(self._api.IsValidCharacter(sign))

    def detect_rotation(self, image: Image.Image, dpi: float) -> int:
        """By how many quarter turns, in degrees clockwise, the page lies wrong; 0 if unsure."""
        if self._upright is None:
            return 0
        self._upright.SetPageSegMode(0)
        self._upright.SetImage(image)
        self._upright.SetSourceResolution(max(70, round(dpi)))
        found = self._upright.DetectOrientationScript()
        self._upright.Clear()
        if not found or found["orient_conf"] < _SURE_OF_ORIENTATION:
            return 0
        return int(found["orient_deg"])

    def _opened(self, languages: str) -> Any:
        try:
            return tesserocr.PyTessBaseAPI(path=self._folder, lang=languages)
        except RuntimeError as error:
            raise ToolMissing(
                f"Tesseract cannot load its data for {languages} from {self._folder}.",
                advice="The files may be damaged: install them again.",
            ) from error


def mean_confidence(words: Sequence[Word]) -> float:
    """The mean over words, weighted by their characters; 0 without any."""
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 0.0


@lru_cache(maxsize=4)
def engine(languages: tuple[str, ...], tessdata: str | None) -> Engine:
    """Tesseract for these languages, loaded once per process."""
    folder = data_folder(tessdata)
    missing = [one for one in languages if folder is None or not data_file(folder, one).is_file()]
    if tesserocr is None or folder is None or missing or not languages:
        what = f" data for {', '.join(missing)}" if missing else ""
        raise ToolMissing(f"Tesseract{what} is not installed, so scans cannot be read.")
    return Engine(folder, languages)


def engine_version() -> str:
    """Tesseract's version; empty without it."""
    if tesserocr is None:
        return ""
    return str(tesserocr.tesseract_version()).split("\n", 1)[0].removeprefix("tesseract ").strip()


def data_folder(tessdata: str | None) -> Path | None:
    """Where Tesseract's language data is: the given folder, or the first usual one that is."""
    if tessdata is not None:
        return Path(tessdata) if Path(tessdata).is_dir() else None
    return next((Path(one) for one in _FOLDERS if any(Path(one).glob(f"*{_SUFFIX}"))), None)


def data_file(folder: Path, language: str) -> Path:
    """The file with a language's data."""
    return folder / f"{language}{_SUFFIX}"


def languages_in(folder: Path) -> tuple[str, ...]:
    """The languages whose data is in a folder."""
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in folder.glob(f"*{_SUFFIX}")))


def data_sizes(languages: Sequence[str], tessdata: str | None) -> dict[str, int]:
    """The size of each language's data, which tells one edition of it from another."""
    folder = data_folder(tessdata)
    if folder is None:
        return {}
    files = {one: data_file(folder, one) for one in (*languages, _ORIENTATION)}
    return {one: file.stat().st_size for one, file in files.items() if file.is_file()}


def _lines(found: Any) -> Iterator[Line]:
    """The words that Tesseract holds, line by line."""
    if found is None:
        return
    level = tesserocr.RIL
    words: list[Word] = []
    opens = True
    while True:
        if found.IsAtBeginningOf(level.TEXTLINE) and not found.Empty(level.WORD):
            if words:
                yield Line(tuple(words), opens)
            words, opens = [], bool(found.IsAtBeginningOf(level.PARA))
        word = None if found.Empty(level.WORD) else _word(found, level.WORD)
        if word is not None:
            words.append(word)
        if not found.Next(level.WORD):
            break
    if words:
        yield Line(tuple(words), opens)


def _word(found: Any, level: Any) -> Word | None:
    try:
        text = found.GetUTF8Text(level).strip()
    except RuntimeError:  # not recognised: the time was up before
        return None
    box = found.BoundingBox(level)
    if not text or box is None:
        return None
    confidence = min(1.0, max(0.0, found.Confidence(level) / 100))
    return Word(text, round(confidence, 4), box)
