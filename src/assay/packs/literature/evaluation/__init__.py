"""How well lists, reference strings and matches are read, on data whose truth is known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.packs.literature.evaluation.discovery import evaluate_lists, measure_file
from assay.packs.literature.evaluation.matching import evaluate_matching
from assay.packs.literature.references import parse_reference_text
from assay.sdk.errors import InvalidInput

_LISTS: Final = (".md", ".yaml", ".yml", ".json", ".bib", ".ris", ".csv", ".html", ".xml")
_SHOWN: Final = (
    "kind",
    "references",
    "references by hand",
    "lines read by hand",
    "precision of references",
    "recall of references",
    "ids",
    "precision of ids",
    "recall of ids",
)


def _is_response(path: Path) -> bool:
    """Whether it is the response of an API rather than a list: one object in JSON."""
    return path.suffix.lower() == ".json" and path.read_bytes()[:64].lstrip()[:1] == b"{"


def measure_folder(folder: Path) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Measure lists, the fields of reference strings, and matches, as far as a folder has them."""
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", advice="Give a folder of lists.")
    found = evaluate_lists(folder)
    strings = {name: found.pop(name) for name in list(found) if "held out" in found[name]}
    matches = evaluate_matching(folder, parse_reference_text)
    for path in sorted(folder.iterdir()):
        is_new = path.name not in {*found, *strings, *matches}
        if is_new and path.suffix.lower() in _LISTS and not _is_response(path):
            measured = measure_file(path)
            if measured.get("references"):
                found[path.name] = measured
    if not (found or strings or matches):
        raise InvalidInput(
            f"{folder} contains neither lists nor labelled references.",
            advice="Put lists there (.md, .bib, .ris, ...), or files as in Crossref's test data.",
        )
    tables = {
        "Lists": [
            {"list": name, **{key: figures.get(key) for key in _SHOWN}}
            for name, figures in found.items()
        ],
        "Fields of reference strings": [
            {"file": name, "part": part, "field": each, **figures[each]}
            for name, parts in strings.items()
            for part, figures in parts.items()
            for each in figures
            if each != "strings"
        ],
        "Matches of reference strings": [
            {"file": name, "part": part, "right work": case, **figures[part][case]}
            for name, figures in matches.items()
            for part in ("tuning", "held_out")
            for case in ("present", "withheld")
        ],
    }
    return {title: rows for title, rows in tables.items() if rows}
