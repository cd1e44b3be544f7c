"""Parse an amending act in its drafting tradition."""

import re
from typing import Literal, TypeAlias

from assay.packs.regulatory.acts.amending.american import parse_american
from assay.packs.regulatory.acts.amending.british import BRITISH
from assay.packs.regulatory.acts.amending.croatian import CROATIAN
from assay.packs.regulatory.acts.amending.european import EUROPEAN
from assay.packs.regulatory.acts.amending.german import GERMAN
from assay.packs.regulatory.acts.amending.quoted import QuotedTradition, parse_quoted
from assay.packs.regulatory.acts.amending.quoting import mask_quotations
from assay.packs.regulatory.acts.shapes import Operation, UnclearInstruction

Tradition: TypeAlias = Literal["hr", "de", "uk", "us", "eu"]
"""Whose way of drafting: Croatia, Germany, the United Kingdom, the United States (notices of the
Federal Register), and the Union (in English)."""

_NUMBER = re.compile(r"\d+[a-z]?")
_QUOTED: dict[str, QuotedTradition] = {
    "hr": CROATIAN,
    "de": GERMAN,
    "uk": BRITISH,
    "eu": EUROPEAN,
}


def hide_quotations(text: str, tradition: Tradition) -> str:
    """An amending act without the words that it quotes; every other character keeps its place."""
    if tradition == "us":
        return text
    quoted = _QUOTED[tradition]
    return mask_quotations(text, quoted.marks, quoted.drafting.heading).text


def list_own_articles(text: str, tradition: Tradition) -> list[tuple[int, str]]:
    """Where the articles of an amending act begin, and their numbers, whichever it quotes."""
    if tradition == "us":
        return []
    quoted = _QUOTED[tradition]
    heading = quoted.drafting.heading
    masked = mask_quotations(text, quoted.marks, heading, 0, quoted.announces).text
    numbers = ((each.end(), _NUMBER.search(each.group())) for each in heading.finditer(masked))
    return [(at, number.group()) for at, number in numbers if number]


def parse_amendments(
    source: str, text: str, tradition: Tradition
) -> list[Operation | UnclearInstruction]:
    """The changes that an amending act makes, in order, and the instructions not understood."""
    if tradition == "us":
        return parse_american(source, text)
    return parse_quoted(source, text, _QUOTED[tradition])
