"""What percentages say: rates, reduced rates, interest, surcharges, reductions."""

import re
from collections.abc import Sequence

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import (
    CLOSE,
    FAIR,
    Meaning,
    find_comparison,
    find_following_cue,
    find_last_cue,
    inherit_meaning,
    interpret_by_context,
    interpret_by_title,
    is_figure_denied,
    name_penalty_bound,
    rate_distance,
)
from assay.packs.regulatory.extractor.subjects import find_mentions

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
    r"|zahl\w{1,3}|paid|equal\s+to|plaća\w{0,2}(?:\s+se)?|izdvaja\w{0,2}(?:\s+se)?"
    r"|obračunava\w{0,2}\s+se|further|entfallen|entfällt|von|od|of|at"
    r"|liegt\s+bei|auf"
    r"|mit)\s{1,3}(?:a\s+further\s+)?$",
    re.IGNORECASE,
)
_MEASURES = re.compile(
    # The strength of a drink, a share in a company and the degree of a disability are not rates.
    r"(?<!\w)(?:alkohol\w{0,6}|alcohol\w{0,4}|abv|invalidit\w{1,6}|behinderung|disability"
    r"|udio\w{0,3}"
    r"|udjel\w{1,4}|anteil\w{0,3}|stake|share(?:holding)?|beteiligung|oštećenj\w{1,2})"
    r"(?:\s\w{1,12}){0,3}\s{0,3}$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\s{0,3}(?:vol|alcohol|abv\b|alkohol|invalidit|disab|of\s(?:the\s)?(?:capital|shares|votes)"
    r"|tjelesn|udjela|der\s(?:stimmrechte|anteile))",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\s{0,3}(?:prozentpunkte|percentage\spoint|postotn\w{1,3}\spoen)", re.IGNORECASE
)
_A_YEAR = re.compile(
    r"\s{0,3}(?:per\sannum|a\syear|p\.\s?a\.|jährlich|godišnje)(?!\w)", re.IGNORECASE
)
_INTEREST = re.compile(r"(?<!\w)(?:interest|kamat\w{1,4}|\w{0,12}zins\w{0,5})(?!\w)", re.IGNORECASE)
_BEARS_INTEREST = re.compile(
    r"\s{0,3}(?:jährlich\s|p\.\s?a\.\s)?(?:zu\s)?verzins(?:lich\w{0,2}|en|t)(?!\w)", re.IGNORECASE
)
"""`ein mit 4 vom Hundert verzinslicher Betrag`."""
_BY = re.compile(r"(?<!\w)um(?:\sje(?:weils)?)?\s{1,3}$", re.IGNORECASE)
_BY_AS_MUCH = re.compile(
    r"(?<!\w)(?:um|by|za)(?:\s(?:je(?:weils)?|pauschal|insgesamt|jährlich|weitere|bis\szu|höchstens|mindestens"
    r"|up\sto|at\s(?:least|most)|najviše|najmanje|ukupno|dodatnih)){0,2}\s{1,3}$",
    re.IGNORECASE,
)
_LOWERS = re.compile(
    r"(?<!\w)(?:ermäßig\w{1,4}|verminder\w{1,4}|verringer\w{1,4}|(?:ge)?minder\w{1,4}|reduzi\w{2,6}|(?:ab)?(?:zu)?(?:ge)?senk\w{1,3}"
    r"|herabgesetzt|(?:ge|ver)?kürz\w{1,4}|(?:umanj|smanj|sniž)\w{1,6}|reduc\w{1,5}|decreas\w{1,4}|lower\w{0,3}"
    r"|diminish\w{0,3})(?!\w)",
    re.IGNORECASE,
)
_RAISES = re.compile(
    r"(?<!\w)(?:erhöh\w{1,4}|an(?:zu)?heb\w{1,3}|angehoben|(?:uveć|poveć|poviš)\w{1,6}|increas\w{1,4}|raised?)(?!\w)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\s{0,3}(?:zu\s)?(?:(?P<more>erhöh\w{1,2})|ermäßig\w{1,2}|gekürzt|kürzen|gemindert|mindern|vermindert"
    r"|verringert|herabgesetzt|gesenkt|reduziert)(?!\w)",
    re.IGNORECASE,
)
"""`um 25 Prozent ermäßigt`: German puts the verb last."""
_PAID_TO = re.compile(
    r"(?<!\w)(?:salar(?:y|ies)|pensions?|annuit(?:y|ies)|remuneration|wages|mirovin\w{1,3}|invalidnin\w{1,3}"
    r"|osnovn\w{1,3}\splać\w{1,3}|\w{0,12}gehalt\w{0,3}|\w{0,12}gehälter\w?|\w{0,12}renten?(?:betr[aä]g\w{0,2})?|\w{0,8}vergütung\w{0,2}|\w{0,8}pension\w{0,3}"
    r"|\w{0,12}bezüge\w?|besoldung\w{0,2})(?!\w)",
    re.IGNORECASE,
)
"""What people are paid; an increase of it is not a surcharge."""
_OF_THE = re.compile(r"\s(?:de[rs]|dieser|dieses|seine[rs]|ihre[rs])\s")
"""`0,2 Prozent der Zuschläge`: of what it is a share, and not what it is."""
_FINE_REACH = 120
_OR_ELSE = re.compile(r",?\s{0,3}(?:or|ili|oder|odnosno|bzw\.)(?!\w)", re.IGNORECASE)
_AT = re.compile(r"(?<!\w)(?:at|mit|s|sa)\s{1,3}$", re.IGNORECASE)
_IF = re.compile(
    r"(?<!\w)(?:if|where|whose|when|ako|kada|čij\w{1,2}|wenn|sofern|deren)(?!\w)", re.IGNORECASE
)
_BY_UP_TO = re.compile(r"(?<!\w)(?:by|za|um)\s+(?:up\s+to|najviše|bis\s+zu)\s{0,3}$", re.IGNORECASE)
_OF_INCOME = re.compile(
    r"\s{0,3}(?:(?:na|on|of|auf|von|vom|des|der|od)\s{1,3})?(?:\w{1,12}\s){0,2}(?:dohod|dobit"
    r"|osnovic"
    r"|prihod"
    r"|primit|vrijednost|income|profit|earnings|value|turnover|receipts|wages|einkommen|gewinn"
    r"|umsatz"
    r"|wert|einnahmen|kaufpreis|bemessungsgrundlage|entgelt|\w{0,16}preis|\w{0,16}ertrag"
    r"|\w{0,16}summe"
    r"|miete|premij|nabavn|prodajn|cijen|price|premium|rent|yield|proceeds|takings|sales|payroll)",
    re.IGNORECASE,
)
_OF_PEOPLE = re.compile(
    r"\s{0,3}(?:of\s+(?:all\s+|the\s+)?(?:taxpayers|cases|people|respondents|shares|voting|litres"
    r"|its\s(?:shares|capital|assets|staff)|them|households|businesses|loan)"
    r"|slučajeva|obveznika|građana|ispitanika|udjela|dionica|der\s+(?:fälle|anteile"
    r"|steuerpflichtigen)|selbständige"
    r"|anteil\w{0,2})(?!\w)",
    re.IGNORECASE,
)


_COUNTED_SUM = re.compile(
    r"(?<!\w)(?:rates?\sof\s(?:basic\s)?(?:pay|compensation|salary|return)"
    r"|(?:poverty|unemployment|graduation|default|completion|mortality|participation|vacancy)\srates?|costs?\sof|amounts?(?!\sdue)"
    r"|payments?\sof|sum\sof|grants?)(?!\w)",
    re.IGNORECASE,
)
"""What is not a charge in English: a share that such a sum may not exceed is a limit."""


def mask_counted_sums(words: str) -> str:
    """The words, with those masked that name a sum, but no charge."""
    return _COUNTED_SUM.sub(lambda found: "·" * len(found[0]), words)


def interpret_share(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a percentage means, by the nearest words that say so; otherwise by what it is under."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    if is_figure_denied(clause, figure) or counts_people(after):
        return None
    if _BY_UP_TO.search(before) and not find_change(clause, figure):
        return None
    if _MEASURES.search(before) or _MEASURED.match(after):
        return None
    if _POINTS.match(clause.masked, figure.end) and _is_about_interest(clause):
        return Meaning(figure, "interest_rate", "percentage", FAIR)
    if clause.article and _BEARS_INTEREST.match(after):
        return Meaning(figure, "interest_rate", "percentage", FAIR)
    op = find_comparison(clause, figure)
    if (other := inherit_meaning(clause, figure, so_far)) and other.predicate == "penalty":
        return other
    if fined := _interpret_fine_share(clause, figure, op, so_far):
        return fined
    if cues.LESS.match(after) and not op:
        return Meaning(figure, "reduction", "percentage", FAIR)
    if _BY.search(before) and (changed := _CHANGED.match(after)):
        raised = "rate" if clause.article and _PAID_TO.search(before) else "surcharge"
        name = raised if changed["more"] else "reduction"
        return Meaning(figure, name, "percentage", FAIR)
    if changed_by := find_change(clause, figure):
        return Meaning(figure, changed_by, "percentage", FAIR)
    name, distance = _find_nearest_cue(mask_counted_sums(before) if op else before)
    if name and (op in ("gt", "lt") and distance > CLOSE):
        return None
    if name:
        if clause.article:
            start, _ = clause.part_of(figure.start)
            name = name_penalty_bound(name, op, clause.masked[start : figure.start])
        if (
            name == "rate"
            and clause.article
            and _A_YEAR.match(after)
            and _speaks_of_interest(clause)
        ):
            name = "interest_rate"
        return Meaning(figure, name, "percentage", rate_distance(distance))
    if op:
        return _interpret_cap(clause, figure, so_far)
    if cues.LESS.match(after) or cues.MORE.match(after):
        name = "reduction" if cues.LESS.match(after) else "surcharge"
        return Meaning(figure, name, "percentage", FAIR)
    name = find_following_cue(after, (*_SPECIFIC, _GENERAL[0]))
    if name and not _OF_THE.match(after):
        return Meaning(figure, name, "percentage", FAIR)
    if same := inherit_meaning(clause, figure, so_far):
        return same
    return _interpret_levy(clause, figure, so_far) or _interpret_by_default(clause, figure)


def find_change(clause: Clause, figure: Figure) -> str:
    """`ermäßigt sich … um 25 Prozent`: whether something is lower or higher by a figure.

    The nearest verb decides; interest that rises by points is still interest.
    """
    before, after = clause.words_before(figure), clause.words_after(figure)
    if not clause.article or not _BY_AS_MUCH.search(before) or _is_about_interest(clause):
        return ""
    _, end = clause.part_of(figure.start)
    # German puts the verb last, after other figures that it is said of as well.
    rest = clause.masked[figure.end : end] if _BY.search(before) else after[:40]
    lower, higher = _LOWERS.search(rest), _RAISES.search(rest)
    if not lower and not higher:
        lowered, raised = list(_LOWERS.finditer(before)), list(_RAISES.finditer(before))
        lower = lowered[-1] if lowered else None
        higher = raised[-1] if raised else None
        if lower and higher and lower.start() < higher.start():
            lower = None
    if higher and not lower and _PAID_TO.search(before):
        return "amount" if figure.kind is FigureKind.SUM else "rate"
    return "reduction" if lower else "surcharge" if higher else ""


def _is_about_interest(clause: Clause) -> bool:
    return any(
        cues.INTEREST.search(words) for words in (clause.masked, clause.lead, clause.heading)
    )


def _speaks_of_interest(clause: Clause) -> bool:
    return any(_INTEREST.search(words) for words in (clause.masked, clause.lead, clause.heading))


def counts_people(after: str) -> bool:
    """`8,4 % Selbständige`: a share of people or cases, which nobody owes."""
    return _OF_PEOPLE.match(after) is not None


def _interpret_fine_share(
    clause: Clause, figure: Figure, op: str, so_far: Sequence[Meaning]
) -> Meaning | None:
    """`fines of up to EUR 500 or, in the case of an undertaking, up to 2 % of its turnover`."""
    last = so_far[-1] if so_far else None
    if last is None or op != "lte" or last.predicate not in ("penalty", "penalty_max"):
        return None
    between = clause.masked[last.figure.end : figure.start]
    if len(between) > _FINE_REACH or _OR_ELSE.match(between) is None:
        return None
    return Meaning(figure, "penalty", "percentage", FAIR)


def _find_nearest_cue(before: str) -> tuple[str, int]:
    """The nearest cue, exact words first; a rate of a fee or on a base is a rate."""
    name, distance = find_last_cue(before, _SPECIFIC)
    if not name:
        name, distance = find_last_cue(before, _GENERAL[:1])
    if not name:
        name, distance = find_last_cue(before, _GENERAL[1:])
        name = name if distance <= CLOSE else ""
    return name, distance


def _interpret_cap(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """`…, at most 25 percent`: the maximum of what the previous figure says."""
    last = so_far[-1] if so_far else None
    start, _ = clause.part_of(figure.start)
    if last is None or not cues.STRICT.search(clause.masked[start : figure.start]):
        return None
    if last.predicate not in ("penalty", "surcharge", "reduction", "fee"):
        return None
    return Meaning(figure, last.predicate, "percentage", 0.86)


def _interpret_levy(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """A share of income or value that is due, or of what a tax is named after."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    levied = _LEVIED.search(before)
    rated = any(one.predicate == "rate" for one in so_far)
    asked = find_mentions(clause.heading) or cues.LEVY.search(clause.heading)
    if levied and not rated and not cues.LEVY.search(before) and asked:
        return Meaning(figure, "rate", "percentage", 0.85)
    if levied and not rated and not asked and cues.LEVY.search(clause.title):
        return Meaning(figure, "rate", "percentage", 0.83)
    if levied and (_OF_INCOME.match(after) or cues.LEVY.search(after[:20])):
        return Meaning(figure, "rate", "percentage", 0.86)
    if cues.PAID.search(before) and _AT.search(before):
        return Meaning(figure, "rate", "percentage", 0.84)
    if cues.PAID.search(clause.masked) and _OF_INCOME.match(after) and not _IF.search(before):
        return Meaning(figure, "rate", "percentage", 0.84)
    if (levied and (rated or cues.LEVY.search(before))) or find_mentions(before[-30:]):
        return Meaning(figure, "rate", "percentage", FAIR)
    return None


def _interpret_by_default(clause: Clause, figure: Figure) -> Meaning | None:
    """What a share means according to its list, the subject of its sentence or its document."""
    rates = interpret_by_context(clause, figure, (*_SPECIFIC, _GENERAL[0]), "percentage")
    if rates or (rates := interpret_by_context(clause, figure, _GENERAL[1:], "percentage")):
        return rates
    start, _ = clause.part_of(figure.start)
    words = clause.masked[start : figure.start]
    if cues.DUE_VERB.search(words) and not _IF.search(words):
        name, _ = find_last_cue(words, (*_SPECIFIC, *_GENERAL[:1]))
        if name or cues.LEVY.search(words):
            return Meaning(figure, name or "rate", "percentage", 0.85)
    if cues.DUE_VERB.search(clause.masked) is None or clause.is_row:
        return interpret_by_title(
            clause, figure, (*_SPECIFIC, *_GENERAL, ("rate", cues.LEVY)), "percentage"
        )
    return None
