"""How examples write values: `5.57 (days)` for `5.57 days`, `"1980-04-23"` for `23 April 1980`."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from assay.packs.graph.literals import literals_in
from assay.packs.graph.ontology.model import XSD

_FRAMED = re.compile(r'("?)(\d{4}-\d\d-\d\d|-?\d+\.\d+|-?\d+)((?: \([^()]+\))?"?)')
_DATE, _DECIMAL, _INTEGER = f"{XSD}date", f"{XSD}decimal", f"{XSD}integer"
_SEEN = 2

Frame = tuple[str, str, str]
"""What stands before a value, its datatype, and what stands after it."""


def frames_of(triples: Iterable[tuple[str, str, str]]) -> dict[str, Frame]:
    """Property → the frame of most of its objects; without those that add nothing to a value."""
    counted: dict[str, Counter[Frame | None]] = {}
    for _, told, words in triples:
        counted.setdefault(told, Counter())[_frame(words)] += 1
    found: dict[str, Frame] = {}
    for told, own in sorted(counted.items()):
        for frame, count in own.items():
            if frame is not None and count >= _SEEN and 2 * count > own.total():
                found[told] = frame
    return found


def _frame(words: str) -> Frame | None:
    match = _FRAMED.fullmatch(words.strip())
    if match is None or not (match[1] or match[3]):
        return None
    value = match[2]
    datatype = _DATE if "-" in value[1:] else _DECIMAL if "." in value else _INTEGER
    return match[1], datatype, match[3]


def framed(frames: Mapping[str, Frame], told: str, words: str) -> str | None:
    """Words of a text in the frame of a property; None where it has none or they are no value."""
    frame = frames.get(told)
    if frame is None:
        return None
    before, datatype, after = frame
    for found in literals_in(words):
        # A unit is written where one is told, and a sign is never lost.
        if found.words != words or ("(" in after and words[-1].isdigit()):
            continue
        for reading in found.readings:
            if reading.datatype in (datatype, _INTEGER if datatype == _DECIMAL else datatype):
                value = reading.value
                if datatype == _DECIMAL and "." not in value:
                    value += ".0"
                return f"{before}{value}{after}"
    return None
