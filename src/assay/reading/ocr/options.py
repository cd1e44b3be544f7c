"""How scanned pages are read, what distinguishes one way from another, and what it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from assay.extras import OWN, describe_installation
from assay.model.hashes import canonical_json, content_hash
from assay.reading.ocr.engine import (
    find_data_folder,
    find_engine_version,
    list_languages,
    measure_data_files,
)

_METHOD = 1
"""Version of the code around Tesseract: increased whenever a page's text may change."""
_SAYS_WHERE = frozenset({"tessdata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrOptions:
    """What reading a scanned page may cost, and the quality it must reach."""

    languages: tuple[str, ...] = ("hrv", "deu", "eng")
    """Languages by Tesseract's names; the one that most pages are in comes first."""
    dpi: int = 300
    """The resolution at which a page is drawn. A scan with less is read at its own."""
    tessdata: str | None = None
    """The folder of Tesseract's language data; `None` looks in the usual places."""
    page_timeout_s: float = 120.0
    """After this time no further attempt at a page begins, and the current one is cut short."""
    low_confidence: float = 0.70
    """A page below it is flagged."""
    least_confidence: float = 0.50
    """A document below it needs a person's review."""
    good_confidence: float = 0.90
    """A page below it is tried again in another way."""
    least_coverage: float = 0.80
    """A page with a smaller share of its ink in words is tried again, otherwise flagged."""
    max_pixels: int = 20_000_000
    """Of the image that is read; a larger page is drawn at a lower resolution."""
    max_attempts: int = 4
    """How many ways of reading one page are tried."""

    def key(self) -> str:
        """A hash of everything besides its bytes that the text of a page depends on."""
        parts: dict[str, object] = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in _SAYS_WHERE
        }
        parts["method"] = _METHOD
        parts["engine"] = find_engine_version()
        parts["data"] = measure_data_files(self.languages, self.tessdata)
        return content_hash(canonical_json(parts))


@dataclass(frozen=True, slots=True)
class OcrAvailability:
    """Which parts of Tesseract are installed."""

    ok: bool
    version: str
    """Of Tesseract; empty if it is missing."""
    folder: str
    """Where its language data was found; empty if it was not."""
    languages: tuple[str, ...]
    """All languages whose data is installed."""
    missing: tuple[str, ...]
    """Requested languages whose data is missing."""
    how_to_get: str
    """What to do about it; empty if nothing is missing."""


def check_availability(options: OcrOptions | None = None) -> OcrAvailability:
    """Find which parts of Tesseract are installed, for these options."""
    options = options or OcrOptions()
    version = find_engine_version()
    folder = find_data_folder(options.tessdata)
    languages = list_languages(folder) if folder else ()
    missing = tuple(one for one in options.languages if one not in languages)
    return OcrAvailability(
        ok=bool(version and options.languages) and not missing,
        version=version,
        folder=str(folder or ""),
        languages=languages,
        missing=missing,
        how_to_get=_describe_installation(version, missing, options.tessdata),
    )


def _describe_installation(version: str, missing: Sequence[str], tessdata: str | None) -> str:
    ways = []
    if not version:
        ways.append(describe_installation(OWN, "ocr"))
    if missing:
        packages = " ".join(f"tesseract-ocr-{one.replace('_', '-')}" for one in missing)
        ways.append(
            f"Install the language data: 'apt install {packages}' on Debian and Ubuntu, "
            "'brew install tesseract-lang' on macOS."
        )
        if tessdata is not None:
            ways.append(f"Or put {', '.join(f'{one}.traineddata' for one in missing)} there.")
    return " ".join(ways)
