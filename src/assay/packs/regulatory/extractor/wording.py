"""What a provision says of a figure, whole and in its own words, where a condition is not plain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.extractor import case_cues
from assay.packs.regulatory.extractor.cases import follows_on, limits_last
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.kinds import load_common_stems, make_stem
from assay.packs.regulatory.extractor.paragraphs import OPEN
from assay.packs.regulatory.extractor.sentences import split_sentences

_LONGEST = 1900
_SHORT = 16
"""The condition of a sentence with no more words can be read out of it."""
_UNDERSTOOD = 35
"""The same, if limits or persons that the sentence names were understood."""
_PLAIN = 8
"""So many telling words may be in a short sentence that applies always."""
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The words of a provision around a sentence."""

    leads: Sequence[str] = ()
    """What introduces the lists it is in, and the case that it goes on with."""
    points: Sequence[str] = ()
    """The list that it introduces."""
    limit: str = ""
    """A later sentence that limits it."""
    paragraph: str = ""
    """The whole paragraph, with the figure left open; empty if it is not known or too long."""
    referred: Sequence[str] = ()
    """The provisions of the same act that the sentence names, and those that except its own."""

    def concern(self, language: str) -> bool:
        """Whether they say something about the figure of the sentence."""
        around = self.leads or self.points or self.limit or self.referred
        return bool(around) or _says_more(self.paragraph, language)


def is_simple(clause: Clause, rivals: Sequence[Figure], is_understood: bool) -> bool:
    """Whether a sentence is short and speaks of one figure, or says of each when it applies."""
    words = len(clause.text.split())
    return words <= _UNDERSTOOD if is_understood else words <= _SHORT and not rivals


def is_plain(clause: Clause, figure: Figure, named: Sequence[str]) -> bool:
    """Whether a sentence says little more than its figure and what it is of."""
    words = clause.text[: figure.start] + clause.text[figure.end :]
    known = {make_stem(word) for one in named for word in _WORD.findall(one)}
    return len(_list_telling(words) - known) <= _PLAIN


def _says_more(paragraph: str, language: str) -> bool:
    """Whether a paragraph says more about a figure than its own sentence.

    A sentence beside it may begin its period, except a case or say of what it is. It concerns
    another matter only if the two have no telling word in common.
    """
    spans = split_sentences(paragraph, 0, len(paragraph), language)
    sentences = [paragraph[start:end] for start, end in spans]
    own = " ".join(one for one in sentences if OPEN in one)
    others = [one for one in sentences if OPEN not in one]
    telling = _list_telling(own)
    return any(
        follows_on(own, one)
        or follows_on(one, own)
        or limits_last(one)
        or telling & _list_telling(one)
        for one in others
    )


def _list_telling(words: str) -> set[str]:
    return {make_stem(word) for word in _WORD.findall(words)} - load_common_stems()


def write_wording(clause: Clause, figure: Figure, around: Surroundings) -> str:
    """The paragraph of a figure; otherwise its sentence, with the words that it depends on."""
    limit = _clean(around.limit)
    if around.paragraph:
        paragraph = OPEN.join(map(_clean_piece, around.paragraph.split(OPEN)))
        whole = paragraph if limit in paragraph else f"{paragraph} · {limit}"
        if len(whole) <= _LONGEST:
            return whole
    after_it = _clean(clause.text[figure.end :])
    gap = "" if after_it[:1] in (",", ";", ".", ")", ":") else " "
    own = f"{_clean(clause.text[: figure.start])} {OPEN}{gap}{after_it}"
    parts = [*map(_clean, around.leads), own.strip(), *map(_clean, around.points), limit]
    kept = list(dict.fromkeys(filter(None, parts)))
    while len(kept) > 1 and sum(map(len, kept)) + 3 * len(kept) > _LONGEST:
        kept.pop(0 if OPEN not in kept[0] else -1)
    whole = " · ".join(kept)
    if len(whole) <= _LONGEST:
        return whole
    at = max(0, whole.index(OPEN) - _LONGEST // 2)
    return f"… {whole[at : at + _LONGEST - 8]} …"


def _clean(words: str) -> str:
    return _clean_piece(words).strip()


def _clean_piece(words: str) -> str:
    """Words without marks of Markdown; a space at either end stays."""
    plain = case_cues.LINK.sub(r"\1", words)
    plain = case_cues.NOISE.sub(lambda found: "" if found[0] in "\\]·" else " ", plain)
    return re.sub(r"\s+", " ", plain)
