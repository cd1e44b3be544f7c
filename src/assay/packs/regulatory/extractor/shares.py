"""What percentages say: rates, reduced rates, interest, surcharges, reductions."""

import re
from collections.abc import Sequence

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.meaning import (
    CLOSE,
    FAIR,
    Meaning,
    around,
    follows,
    inherited,
    limit_of,
    named,
    negated,
    sureness,
)
from assay.packs.regulatory.extractor.subjects import mentions

_SPECIFIC = (
    ("interest_rate", cues.INTEREST),
    ("penalty", cues.PENALTY),
    ("reduction", cues.REDUCTION),
    ("surcharge", cues.SURCHARGE),
    ("reduced_rate", cues.REDUCED),
)
_GENERAL = (("rate", cues.RATE), ("base", cues.BASE), ("fee", cues.FEE))
_LEVIED = re.compile(
    r"(?<!\w)(?:iznosi|iznose|amounts?\s+to|is|are|shall\s+be|beträgt|betragen|in\s+höhe\s+von"
    r"|u\s+visini(?:\s+od)?"
    r"|zahl\w{1,3}|paid|equal\s+to|plaća\w{0,2}|further|entfallen|entfällt|von|od|of|at|liegt\s+bei"
    r"|mit)\s{1,3}(?:a\s+further\s+)?$",
    re.IGNORECASE,
)
_BY_UP_TO = re.compile(r"(?<!\w)(?:by|za|um)\s+(?:up\s+to|najviše|bis\s+zu)\s{0,3}$", re.IGNORECASE)
_OF_INCOME = re.compile(
    r"\s{0,3}(?:(?:na|on|of|auf|von|vom|des|der|od)\s{1,3})?(?:\w{1,12}\s){0,2}(?:dohod|dobit"
    r"|osnovic"
    r"|prihod"
    r"|primit|vrijednost|income|profit|earnings|value|turnover|receipts|wages|einkommen|gewinn"
    r"|umsatz"
    r"|wert|einnahmen|kaufpreis)",
    re.IGNORECASE,
)
_OF_PEOPLE = re.compile(
    r"\s{0,3}(?:of\s+(?:all\s+|the\s+)?(?:taxpayers|cases|people|respondents|shares|voting|litres"
    r"|its|loan)"
    r"|slučajeva|obveznika|građana|ispitanika|udjela|dionica|der\s+(?:fälle|anteile"
    r"|steuerpflichtigen)|selbständige"
    r"|anteil\w{0,2})(?!\w)",
    re.IGNORECASE,
)


def share(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a percentage says, by the nearest words that tell."""
    before, after = clause.before(figure), clause.after(figure)
    if negated(clause, figure) or _OF_PEOPLE.match(after) or _BY_UP_TO.search(before):
        return None
    name, distance = named(before, _SPECIFIC)
    if not name:
        # A rate of a fee or on a base is a rate.
        name, distance = named(before, _GENERAL[:1])
    if not name:
        name, distance = named(before, _GENERAL[1:])
        name = name if distance <= CLOSE else ""
    if name and (limit_of(clause, figure) in ("gt", "lt") and distance > CLOSE):
        return None
    if name:
        return Meaning(figure, name, "percentage", sureness(distance))
    if limit_of(clause, figure):
        return None
    name = follows(after, (*_SPECIFIC, _GENERAL[0]))
    if name:
        return Meaning(figure, name, "percentage", FAIR)
    if same := inherited(clause, figure, so_far):
        return same
    levied = _LEVIED.search(before)
    rated = any(one.predicate == "rate" for one in so_far)
    asked = mentions(clause.heading) or cues.LEVY.search(clause.heading)
    if levied and not rated and not cues.LEVY.search(before) and asked:
        return Meaning(figure, "rate", "percentage", 0.85)
    if levied and (_OF_INCOME.match(after) or cues.LEVY.search(after[:20])):
        return Meaning(figure, "rate", "percentage", 0.86)
    if (levied and (rated or cues.LEVY.search(before))) or mentions(before[-30:]):
        return Meaning(figure, "rate", "percentage", FAIR)
    rates = around(clause, figure, (*_SPECIFIC, _GENERAL[0]), "percentage")
    return rates or around(clause, figure, _GENERAL[1:], "percentage")
