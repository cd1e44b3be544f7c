"""What a provision says of a figure, whole and in its own words, where a condition is not plain."""

import re
from collections.abc import Sequence

from assay.packs.regulatory.extractor import case_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.kinds import load_common_stems, make_stem

OPEN = "[…]"
"""Where the figure itself stands: its value may change while its condition does not."""
_LONGEST = 1900
_LONGEST_POINT = 160
_PLAIN = 12
"""So many telling words may be in a sentence that applies always."""
_SHORT = 25
"""The condition of a sentence with no more words can be read out of it."""
_WORD = re.compile(r"[^\W\d_]{4,}")


def is_simple(clause: Clause, around: Sequence[str], rivals: Sequence[Figure]) -> bool:
    """Whether a sentence is short, speaks of one figure, and depends on no words around it."""
    return not any(around) and not rivals and len(clause.text.split()) <= _SHORT


def is_plain(clause: Clause, figure: Figure, named: Sequence[str]) -> bool:
    """Whether a sentence says little more than its figure and what it is of."""
    words = clause.text[: figure.start] + clause.text[figure.end :]
    stems = {make_stem(word) for word in _WORD.findall(words)}
    known = {make_stem(word) for one in named for word in _WORD.findall(one)}
    return len(stems - known - load_common_stems()) <= _PLAIN


def write_wording(
    clause: Clause, figure: Figure, before: Sequence[str], points: Sequence[str], after: str
) -> str:
    """The words that introduce a sentence, the sentence with its figure left open, and its list."""
    after_it = _clean(clause.text[figure.end :])
    gap = "" if after_it[:1] in (",", ";", ".", ")", ":") else " "
    own = f"{_clean(clause.text[: figure.start])} {OPEN}{gap}{after_it}"
    cut = (point[:_LONGEST_POINT] for point in points)
    parts = [*map(_clean, before), own.strip(), *map(_clean, cut), _clean(after)]
    kept = list(dict.fromkeys(filter(None, parts)))
    while len(kept) > 1 and sum(map(len, kept)) + 3 * len(kept) > _LONGEST:
        kept.pop(0 if OPEN not in kept[0] else -1)
    whole = " · ".join(kept)
    if len(whole) <= _LONGEST:
        return whole
    at = max(0, whole.index(OPEN) - _LONGEST // 2)
    return f"… {whole[at : at + _LONGEST - 8]} …"


def _clean(words: str) -> str:
    plain = case_cues.LINK.sub(r"\1", words)
    plain = case_cues.NOISE.sub(lambda found: "" if found[0] in "\\]·" else " ", plain)
    return " ".join(plain.split())
