"""What the other cells and the heads of a table say about a figure in one of its rows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.row_labels import clean_label
from assay.sdk.facts import ALWAYS

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBERING = re.compile(r"(?:\d{1,3}[.\s]{1,2}){0,4}\d{0,3}[a-z]?\)?")
_UNIT_ONLY = re.compile(
    r"\W*(?:in\s|u\s)?(?:EUR|Euro|eur[aio]?|GBP|USD|HRK|kuna|percent|prozent|vom\sHundert"
    r"|v\.\s?H\.|posto|%|£|\$|€)\W*",
    re.IGNORECASE,
)


def align_heads(head: Sequence[str], cells: int) -> tuple[str, ...]:
    """Align the heads with their columns; the head of a first column is often left out."""
    heads = [" ".join(entry.strip(" |").split()) for entry in head]
    while heads and not heads[-1]:
        heads.pop()
    if len(heads) == cells - 1:
        heads = ["", *heads]
    return tuple([*heads, *([""] * cells)][:cells])


def find_row_condition(clause: Clause, figure: Figure) -> Mapping[str, Any]:
    """The bracket of a row, `Taxable income: not over $5,000`; its other names are qualifiers."""
    head, label = _find_label(clause, figure)
    if not (_WORD.search(label) or (_DIGIT.search(label) and _WORD.search(head))):
        return ALWAYS
    return {"op": "eq", "field": "scope", "value": f"{head} {label}".strip()}


def find_row_qualifiers(clause: Clause, figure: Figure) -> tuple[str, ...]:
    """The head of a figure's column, and what its row is about."""
    own = clause.cell_of(figure.start)
    if own < 0:
        return ()
    words = [*clause.labels, _find_label(clause, figure)[1], clause.heads[own]]
    return tuple(
        dict.fromkeys(one for one in words if _WORD.search(one) and not _UNIT_ONLY.fullmatch(one))
    )


def _find_label(clause: Clause, figure: Figure) -> tuple[str, str]:
    """The cell that says what a row is about, and its head: the first one that is not a number."""
    for place in range(clause.cell_of(figure.start)):
        label = _read_cell(clause, place)
        if label and not _NUMBERING.fullmatch(label):
            return clause.heads[place], label
    return "", ""


def _read_cell(clause: Clause, place: int) -> str:
    start, end = clause.cells[place]
    return clean_label(clause.text[max(0, start) : max(0, end)])
