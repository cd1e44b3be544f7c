"""Whether scans can be read here, and what to install if not."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.reading.ocr.engine import find_data_folder, find_engine_version, list_languages
from assay.reading.ocr.options import OcrOptions


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
        ways.append("Install the Python package tesserocr, which brings Tesseract with it.")
    if missing:
        packages = " ".join(f"tesseract-ocr-{one.replace('_', '-')}" for one in missing)
        ways.append(
            f"Install the language data: 'apt install {packages}' on Debian and Ubuntu, "
            "'brew install tesseract-lang' on macOS."
        )
        if tessdata is not None:
            ways.append(f"Or put {', '.join(f'{one}.traineddata' for one in missing)} there.")
    return " ".join(ways)
