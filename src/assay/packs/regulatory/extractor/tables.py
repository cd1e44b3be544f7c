"""Rows of tables: the head of a column says what its figures mean."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.blocks import Block
from assay.packs.regulatory.extractor.effect import EffectSpan, day_after
from assay.packs.regulatory.extractor.figures import (
    Figure,
    FigureKind,
    find_figures,
    flatten_spaces,
)
from assay.packs.regulatory.extractor.meaning import Meaning, name_penalty_bound
from assay.packs.regulatory.extractor.named_years import read_row_label, read_year_label
from assay.packs.regulatory.extractor.narration import is_past, is_reported
from assay.packs.regulatory.extractor.scope import join_conditions
from assay.packs.regulatory.extractor.silences import is_aside
from assay.packs.regulatory.extractor.sums import correct_own_levy
from assay.sdk.facts import format_number, scan_numbers

_UNIT = re.compile(
    r"(?P<EUR>€|\bEUR\b|\beur(?:[aio]?s?|ima)\b)|(?P<HRK>\bkn\b|\bHRK\b|\bkun[aei]\b)"
    r"|(?P<AUD>\$A\b|\bA\$|\bAUD\b)|(?P<CAD>\bC\$|\bCA\$|\bCAD\b)"
    r"|(?P<USD>\$|\bUSD\b"
    r"|\bdollars?\b)"
    r"|(?P<GBP>£|\bGBP\b)|(?P<CHF>\bCHF\b|\bFr\.|\bFranken\b)|(?P<percent>%|\bposto\b|\bpercent\b"
    r"|\bprozent(?:s[aä]tz\w{0,2})?\b)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:(?:od|from|von|über|more than|više od|do|up to|bis|iznad|not more than|over|bis zu"
    r"|under|ispod|unter|first|next|prvih|sljedećih|die ersten|die nächsten"
    r"|above)\s)?[\d.,'’\s–—-]{1,40}(?:(?:do|to|bis)\s[\d.,\s]{1,30})?",
    re.IGNORECASE,
)
_GOODS = re.compile(
    r"(?<!\w)(?:djelatnost\w{0,2}|proizvod\w{0,2}|predmet\w{0,2}|roba|dobra|usluga|vrsta|activity"
    r"|product|goods|service|item"
    r"|supply|tätigkeit|produkt|ware|leistung|gegenstand|erzeugnis)(?!\w)",
    re.IGNORECASE,
)
_NOTHING_DUE = re.compile(
    r"(?<!\w)(?:koeficijent\w{0,2}|coefficient|faktor|godina\s|year\s|jahr\s|broj\s|number\s"
    r"|anzahl|stat\w{0,8}|promjena|change"
    r"|udio|share|anteil|indeks|index|razred|class|kol\.|ukupno|total|summe|prihod proračuna"
    r"|obrazac|polje|field|feld)",
    re.IGNORECASE,
)
_OF_YEARS = re.compile(r"(?:19|20)\d\d\.?\s?[–—-]")
"""A row of past years is history, unless the head says what it rules."""
_LIMIT_HEAD = re.compile(
    r"(?<!\w)(ab|bis|bis zu|od|do|up to|from)(?:\s(?:zu|einschließlich))?[\s.…]{0,4}"
    r"(?:\(?(?:in\s|u\s)?(?:€|EUR|Euro|eura|£|\$|CHF|Fr\.)\)?)?\s*$",
    re.IGNORECASE,
)
_FROM_HEAD = re.compile(
    r"(?<!\w)(?:(?:with\s)?effect(?:ive)?(?:\s(?:date|as|on|and|from)){1,4}|from|(?:gültig|geltend)?\s?ab|mit\swirkung\svom"
    r"|od(?:\sdana)?|(?:primjenjuje\sse|vrijedi)\sod)\W{0,3}$",
    re.IGNORECASE,
)
"""The head of a column that says from when its rows apply."""
_NEXT_CELL = re.compile(r"[\s|]{1,9}([^|\n]{6,40})[|\n]")
"""The first cell of the next row."""
_DUE_HEAD = re.compile(
    r"(?<!\w)(?:\w{0,24}gebühr(?:en)?|fees?|pristojb\w|(?:novčan\w\s)?kazn\w|globa|fines?|penalt(?:y|ies)|geldbuße\w?"
    r"|\w{0,8}regelsatz)(?!\w)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?<!\w)(?:threshold\w?|limits?|prag\w{0,3}|granic\w|\w{0,20}grenzen?|schwellenwert\w?|cenzus|band)(?!\w)",
    re.IGNORECASE,
)
_HUNDREDTHS = re.compile(
    r"(?<!\w)(?:cents?|centi|centa|pence|rappen|rp\.|lip[ae]|groschen)(?!\w)", re.IGNORECASE
)
"""Fractions of a currency, which are not its units."""
_BAND = re.compile(
    r"(?:the\s)?(?:first|next)|(?:za\s)?(?:prvih|sljedećih)"
    r"|(?:für\s)?die\s(?:ersten|nächsten|weiteren)",
    re.IGNORECASE,
)
"""`First 2,686,000`: the width of a band."""
_AMOUNT_HEAD = re.compile(r"(?:iznos|amount|betrag)(?!\w)", re.IGNORECASE)
"""The result of a base and a rate, listed beside them."""
_SUMS = (
    ("threshold", cues.THRESHOLD),
    ("penalty", cues.PENALTY),
    ("allowance", cues.ALLOWANCE),
    ("fee", cues.FEE),
    (
        "fee",
        cues.compile_cue(
            r"cijen[aeu]|cjenik\w{0,2}|tarif\w{0,3}|dues|rents?|prices?|preis\w{0,2}|entgelt\w{0,2}"
        ),
    ),
    (
        "fee",
        cues.compile_cue(
            r"licen[cs]es?|permits?|dozvol\w{1,2}|lizenz\w{0,2}|\w{0,12}genehmigung\w{0,2}"
        ),
    ),
    ("base", cues.BASE),
    ("amount", cues.AMOUNT),
    ("amount", cues.RATE),
)


@dataclass(frozen=True, slots=True)
class TableContext:
    """The words around a table that may say what it lists."""

    lead: str
    heading: str
    last: str
    """The sentence before the table."""
    title: str = ""
    """The title of the document."""
    jurisdiction: str = ""


def interpret_row(
    text: str, block: Block, around: TableContext, language: str | None
) -> Iterator[Meaning]:
    """What the figures of a row mean; nothing if no word says so."""
    if not block.head or is_aside(around.heading) or is_aside(block.caption):
        return
    head = _align_heads(block.head, len(block.cells))
    cells = [flatten_spaces(text[start:end]) for start, end in block.cells]
    limits = _find_brackets(cells, head, language)
    condition = _build_condition(cells, head, limits)
    row_span = _read_row_span(text, block.end, cells[0], head[0], language)
    if row_span == EffectSpan() and language == "en":
        row_span = read_row_label(cells[0], head[0], around.jurisdiction)
    for place, cell in enumerate(cells):
        if not cell:
            continue
        offset = block.cells[place][0] - block.start
        for found in limits.get(place, ()):
            yield shift_meaning(found, offset)
        if place in limits:
            continue
        for figure in _find_cell_figures(cell, head[place], language):
            label = cells[0] if place else ""
            beside = any(cues.RATE.search(one) or cues.BASE.search(one) for one in head)
            named = _choose_predicate(
                figure, head[place], label, block.caption, around, beside=beside
            )
            if named:
                named = (name_penalty_bound(named[0], _find_end(cell, figure)), named[1])
                span = _read_span(head[place], language, around.jurisdiction)
                span = row_span if span == EffectSpan() else span
                yield shift_meaning(_build_meaning(figure, named, condition, span), offset)


def _align_heads(head: Sequence[str], cells: int) -> list[str]:
    """Align the heads with their columns; the head of a first column is often left out."""
    heads = [entry.strip(" |") for entry in head]
    while heads and not heads[-1]:
        heads.pop()
    if len(heads) == cells - 1:
        heads = ["", *heads]
    return [*heads, *([""] * cells)][:cells]


def _find_end(cell: str, figure: Figure) -> str:
    """Whether a figure is the lower or the upper end of a range in its cell."""
    before, after = cell[: figure.start].rstrip(" €£$EUR"), cell[figure.end :].lstrip(" €EUReura")
    if re.match(r"(?:–|-|—|bis|to|do)\s{0,3}\d", after):
        return "gte"
    return "lte" if re.search(r"\d\D{0,6}(?:–|-|—|bis|to|do)$", before) else ""


def _find_cell_figures(cell: str, head: str, language: str | None) -> list[Figure]:
    """The sums and shares of a cell; the column head may name their unit."""
    found = [
        one
        for one in find_figures(cell, language)
        if one.kind in (FigureKind.SUM, FigureKind.PERCENT)
    ]
    unit = None if _HUNDREDTHS.search(head) else _UNIT.search(head)
    if found or unit is None or not _BARE.fullmatch(cell.strip()):
        return found
    name = unit.lastgroup or ""
    kind = FigureKind.PERCENT if name == "percent" else FigureKind.SUM
    sign = "%" if name == "percent" else name
    return [
        Figure(kind, number.start, number.end, format_number(number.readings[0]), sign)
        for number in scan_numbers(cell, language)
    ]


def _find_brackets(
    cells: Sequence[str], head: Sequence[str], language: str | None
) -> dict[int, list[Meaning]]:
    """The ends of brackets: `od 12.000,01 do 21.000,00`, `up to EUR 48,000`."""
    found: dict[int, list[Meaning]] = {}
    for place, cell in enumerate(cells):
        sums = [
            one
            for one in _find_cell_figures(cell, head[place], language)
            if one.kind is FigureKind.SUM
        ]
        if not sums or len(sums) > 2:
            continue
        ops = _find_comparisons(cell, sums) or _find_head_limits(head[place], len(sums))
        if ops and not _is_due(place, cells, head, language):
            field = _find_field(f"{head[place]} {cell}")
            found[place] = [
                Meaning(one, "threshold", "threshold", 0.9, op, field)
                for one, op in zip(sums, ops, strict=True)
                if one.value != "0"
            ]
    return found


def _is_due(place: int, cells: Sequence[str], head: Sequence[str], language: str | None) -> bool:
    """`50 – 70` under `Gebühr in Euro`: a minimum and a maximum of what is due, and no bracket.

    The ends of a bracket decide about something else in their row.
    """
    if _DUE_HEAD.search(head[place]) and not _find_field(head[place]):
        return True
    others = (
        _find_cell_figures(cell, head[other], language)
        for other, cell in enumerate(cells)
        if other != place
    )
    return place > 0 and bool(cells[0]) and not any(others) and not _COMPARED.search(head[place])


def _find_head_limits(head: str, sums: int) -> list[str]:
    """`Jahreseinkommen bis (EUR)`: a column of limits."""
    match = _LIMIT_HEAD.search(head)
    if match is None or sums != 1:
        return []
    return ["gte"] if match[1].lower() in ("ab", "od", "from") else ["lte"]


def _find_comparisons(cell: str, sums: Sequence[Figure]) -> list[str]:
    if len(sums) == 2:
        between = cell[sums[0].end : sums[1].start].strip(" .,eurEURa€")
        return (
            ["gte", "lte"]
            if between.lower() in ("do", "to", "bis", "through", "–", "-", "—", "and", "i", "und")
            else []
        )
    before = cell[: sums[0].start]
    for name, pattern in cues.LIMITS.items():
        if pattern.search(before):
            return [name]
    if _BAND.fullmatch(before.strip(" $€£")):
        return ["lte"]
    after = cell[sums[0].end :].lower()
    return (
        ["gte"]
        if re.match(r"\s*(?:i više|ili više|and more|or more|und mehr|oder mehr)", after)
        else []
    )


def _find_field(words: str) -> str:
    for name, pattern in (
        ("turnover", cues.TURNOVER),
        ("income", cues.INCOME),
        ("amount", cues.OF_AMOUNT),
    ):
        if pattern.search(words):
            return name
    return ""


def _build_condition(
    cells: Sequence[str], head: Sequence[str], limits: Mapping[int, Sequence[Meaning]]
) -> Mapping[str, Any] | None:
    """To which goods or within which bracket a row applies; None if that is unclear."""
    parts: list[Mapping[str, Any]] = []
    for found in limits.values():
        for one in found:
            if one.field and one.figure.unit == "EUR":
                parts.append({"op": one.op, "field": one.field, "value": one.figure.value})
    if 0 not in limits and _GOODS.search(head[0]) and len(cells[0]) > 2:
        parts.append({"op": "eq", "field": "activity", "value": " ".join(cells[0].split())})
    return join_conditions(parts) if parts else None


def _choose_predicate(
    figure: Figure, head: str, label: str, caption: str, around: TableContext, *, beside: bool
) -> tuple[str, float] | None:
    """The predicate of a figure, by the nearest words that name one."""
    names = cues.SHARES if figure.kind is FigureKind.PERCENT else _SUMS
    unnamed = _NOTHING_DUE.search(head) and not _UNIT.search(head)
    if unnamed or _is_narrated(f"{head} {caption}"):
        return None
    if figure.kind is FigureKind.SUM and _AMOUNT_HEAD.match(head.strip()) and beside:
        return "amount", 0.9
    for words, confidence in (
        (head, 0.93),
        (label, 0.9),
        (caption, 0.9),
        (around.lead, 0.88),
        (around.last, 0.85),
        (around.heading, 0.86),
        (around.title, 0.86),
    ):
        for name, pattern in names:
            match = pattern.search(words)
            if match is None:
                continue
            if name == "amount" and match[0].lower().startswith(("iznos", "amount", "betrag")):
                # "Amount" alone may mean anything, as in a worked example.
                continue
            if words is around.title and _OF_YEARS.search(label):
                return None
            return correct_own_levy(name, words), confidence
    return None


def _is_narrated(words: str) -> bool:
    return is_past(words) or is_reported(words)


def _build_meaning(
    figure: Figure, named: tuple[str, float], condition: Mapping[str, Any] | None, span: EffectSpan
) -> Meaning:
    name, confidence = named
    kind = "percentage" if figure.kind is FigureKind.PERCENT else "currency"
    if name == "threshold":
        kind = "threshold"
    doubt = 0.0 if condition is not None else 0.04
    return Meaning(
        figure,
        name,
        kind,
        round(confidence - doubt, 2),
        condition=condition,
        start=span.start,
        until=span.until,
    )


def _read_span(head: str, language: str | None, jurisdiction: str) -> EffectSpan:
    """`until 30 June 2026`, `from 1 July 2026`, `Fiscal year 2026` at the head of a column."""
    if re.fullmatch(r"(?:19|20)\d\d\.?", head.strip()):
        year = int(head.strip()[:4])
        return EffectSpan(f"{year}-01-01", f"{year + 1}-01-01")
    for figure in find_figures(flatten_spaces(head), language):
        if figure.kind is FigureKind.DATE and len(figure.value) == 10:
            before = flatten_spaces(head)[: figure.start]
            if time_cues.FROM.search(before):
                return EffectSpan(figure.value)
            if time_cues.BY.search(before):
                ends_before = time_cues.ENDS_BEFORE.search(before) is not None
                return EffectSpan(None, figure.value if ends_before else day_after(figure.value))
    return read_year_label(head, jurisdiction) if language == "en" else EffectSpan()


def _read_row_span(text: str, end: int, cell: str, head: str, language: str | None) -> EffectSpan:
    """`1 April 2022` under `With effect on and from`: from when a row applies, until the next."""
    day = _read_day(cell, language)
    if not day or _FROM_HEAD.search(head) is None:
        return EffectSpan()
    following = _NEXT_CELL.match(text, end)
    until = _read_day(following[1], language) if following else None
    return EffectSpan(day, until if until and until > day else None)


def _read_day(cell: str, language: str | None) -> str | None:
    """The day that a cell consists of."""
    words = flatten_spaces(cell).strip()
    days = [one for one in find_figures(words, language) if one.kind is FigureKind.DATE]
    is_day = len(days) == 1 and len(days[0].value) == 10 and days[0].start <= 5
    return days[0].value if is_day and len(words) - days[0].end <= 1 else None


def shift_meaning(meaning: Meaning, offset: int) -> Meaning:
    """The same meaning, with its figure shifted by that many letters."""
    figure = meaning.figure
    there = Figure(
        figure.kind, figure.start + offset, figure.end + offset, figure.value, figure.unit
    )
    return Meaning(
        there,
        meaning.predicate,
        meaning.value_type,
        meaning.confidence,
        meaning.op,
        meaning.field,
        meaning.condition,
        meaning.start,
        meaning.until,
    )
