"""The only access to Tesseract: what is installed, and the words it finds in an image."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.errors import ToolMissing

try:
    import PIL  # noqa: F401
    import tesserocr
except ImportError:  # the extra is not installed: everything except OCR works
    tesserocr = None
if TYPE_CHECKING:
    from PIL import Image

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
class RecognisedWord:
    """A word as Tesseract read it."""

    text: str
    confidence: float
    """From 0 to 1."""
    box: Box


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """Words side by side."""

    words: tuple[RecognisedWord, ...]
    opens: bool
    """Whether it begins a paragraph."""

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
        return compute_mean_confidence(self.words)


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The result of reading an image once."""

    lines: tuple[RecognisedLine, ...]
    complete: bool
    """False if the time ran out before the end."""

    @property
    def words(self) -> tuple[RecognisedWord, ...]:
        """All words, in reading order."""
        return tuple(word for line in self.lines for word in line.words)


class OcrEngine:
    """Tesseract with its languages loaded. Not thread-safe."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)
        self._folder = f"{folder}/"
        self._api = self._open_api("+".join(languages))
        # Otsu's global threshold, the default, loses whole pages in uneven light.
        self._api.SetVariable("thresholding_method", _SAUVOLA)
        self._upright: Any = None
        if (folder / f"{_ORIENTATION}{_SUFFIX}").is_file():
            self._upright = self._open_api(_ORIENTATION)

    def recognise(
        self, image: "Image.Image", dpi: float, layout: Layout, seconds: float
    ) -> RecognisedText:
        """Recognise the words of a greyscale image."""
        if max(image.size) > _LONGEST_SIDE:
            raise ValueError(f"a picture of {image.size} is too large for Tesseract")
        self._api.SetPageSegMode(int(layout))
        self._api.SetImage(image)
        self._api.SetSourceResolution(max(70, round(dpi)))
        complete = bool(self._api.Recognize(max(1, int(seconds * 1000))))
        lines = tuple(_iter_lines(self._api.GetIterator()))
        self._api.Clear()
        return RecognisedText(lines, complete)

    def knows_sign(self, sign: str) -> bool:
        """Whether the data of the first language includes a sign."""
        return bool(self._api.IsValidCharacter(sign))

    def detect_rotation(self, image: "Image.Image", dpi: float) -> int:
        """The wrong rotation of the page in degrees clockwise, a multiple of 90; 0 if unsure."""
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

    def _open_api(self, languages: str) -> Any:
        try:
            return tesserocr.PyTessBaseAPI(path=self._folder, lang=languages)
        except RuntimeError as error:
            raise ToolMissing(
                f"Tesseract cannot load its data for {languages} from {self._folder}.",
                advice="The files may be damaged: reinstall them.",
            ) from error


def compute_mean_confidence(words: Sequence[RecognisedWord]) -> float:
    """The mean over words, weighted by their characters; 0 without any."""
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 0.0


@lru_cache(maxsize=4)
def load_engine(languages: tuple[str, ...], tessdata: str | None) -> OcrEngine:
    """Tesseract for these languages, loaded once per process."""
    folder = find_data_folder(tessdata)
    missing = [
        one for one in languages if folder is None or not data_file_of(folder, one).is_file()
    ]
    if tesserocr is None or folder is None or missing or not languages:
        what = f" data for {', '.join(missing)}" if missing else ""
        raise ToolMissing(f"Tesseract{what} is not installed, so scans cannot be read.")
    return OcrEngine(folder, languages)


def find_engine_version() -> str:
    """Tesseract's version; empty without it."""
    if tesserocr is None:
        return ""
    return str(tesserocr.tesseract_version()).split("\n", 1)[0].removeprefix("tesseract ").strip()


def find_data_folder(tessdata: str | None) -> Path | None:
    """Where Tesseract's language data is: the given folder, or the first usual one that exists."""
    if tessdata is not None:
        return Path(tessdata) if Path(tessdata).is_dir() else None
    return next((Path(one) for one in _FOLDERS if any(Path(one).glob(f"*{_SUFFIX}"))), None)


def data_file_of(folder: Path, language: str) -> Path:
    """The file with a language's data."""
    return folder / f"{language}{_SUFFIX}"


def list_languages(folder: Path) -> tuple[str, ...]:
    """The languages whose data is in a folder."""
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in folder.glob(f"*{_SUFFIX}")))


def measure_data_files(languages: Sequence[str], tessdata: str | None) -> dict[str, int]:
    """The size of each language's data, which distinguishes its editions."""
    folder = find_data_folder(tessdata)
    if folder is None:
        return {}
    files = {one: data_file_of(folder, one) for one in (*languages, _ORIENTATION)}
    return {one: file.stat().st_size for one, file in files.items() if file.is_file()}


def _iter_lines(found: Any) -> Iterator[RecognisedLine]:
    """The words that Tesseract found, line by line."""
    if found is None:
        return
    level = tesserocr.RIL
    words: list[RecognisedWord] = []
    opens = True
    while True:
        if found.IsAtBeginningOf(level.TEXTLINE) and not found.Empty(level.WORD):
            if words:
                yield RecognisedLine(tuple(words), opens)
            words, opens = [], bool(found.IsAtBeginningOf(level.PARA))
        word = None if found.Empty(level.WORD) else _read_word(found, level.WORD)
        if word is not None:
            words.append(word)
        if not found.Next(level.WORD):
            break
    if words:
        yield RecognisedLine(tuple(words), opens)


def _read_word(found: Any, level: Any) -> RecognisedWord | None:
    try:
        text = found.GetUTF8Text(level).strip()
    except RuntimeError:  # not recognised: the time ran out
        return None
    box = found.BoundingBox(level)
    if not text or box is None:
        return None
    confidence = min(1.0, max(0.0, found.Confidence(level) / 100))
    return RecognisedWord(text, round(confidence, 4), box)
