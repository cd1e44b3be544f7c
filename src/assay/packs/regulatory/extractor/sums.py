"""What sums say: penalties, allowances, thresholds, fees, bases and amounts due."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure
from assay.packs.regulatory.extractor.meaning import (
    CLOSE,
    FAIR,
    GOOD,
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
from assay.packs.regulatory.extractor.payments import (
    bounds_fee,
    bounds_payment,
    is_benefit,
    names_limit,
)
from assay.packs.regulatory.extractor.shares import find_change
from assay.packs.regulatory.extractor.subjects import find_mentions

_SPECIFIC = (
    ("penalty", cues.PENALTY),
    ("allowance", cues.ALLOWANCE),
    ("reduction", cues.REDUCTION),
    ("surcharge", cues.SURCHARGE),
)
_GENERAL = (("fee", cues.FEE), ("base", cues.BASE), ("amount", cues.AMOUNT))
_DUE = frozenset({("base", "gte"), ("fee", "gte"), ("fee", "lte")})
_LONGEST_ITEM = 120
_GREATEST = 100_000
"""A larger sum, in words that name no levy, is a figure from the news."""
_CAPPED = {
    "surcharge": "surcharge",
    "reduction": "reduction",
    "fee": "fee",
    "amount": "amount",
    "penalty": "penalty",
    "rate": "amount",
    "allowance": "allowance",
    "base": "base",
}
"""What may have a minimum or maximum, and what these are called."""
_FOR_EACH = re.compile(
    r"(?<!\w)(?:for\s(?:each|every)|je\s(?:angefangene|volle|weitere)\w?|für\sje(?:\w{1,3})?"
    r"|(?:na|za"
    r"|po)\ssvak\w{1,3}|svak\w{1,3}\szapočet\w{1,3}"
    r"|each|every|(?<=\d\scents\s)per)\s{0,3}$",
    re.IGNORECASE,
)
_TAX_FREE = re.compile(r"(?<!\w)(?:steuerfrei|tax-free|neoporeziv\w{1,3})(?!\w)", re.IGNORECASE)
_DENIES_LIMIT = re.compile(
    r"(?<!\w)(?:ne\smože|ne\smije|(?:may|shall|can|must)\s?not\sbe|darf\snicht)(?!\w)",
    re.IGNORECASE,
)
_OFFENCES = re.compile(
    r"(?<!\w)(?:offen[cs]es?|penalt(?:y|ies)|fines|prekršaj\w{0,2}|kazn\w{1,4}|straf\w{1,16}"
    r"|bu(?:ß|ss)geld\w{0,12}|ordnungswidrigkeiten)(?!\w)",
    re.IGNORECASE,
)
_PER_OFFENCE = re.compile(
    r"\s(?:per|for\s(?:each|every))\s(?:such\s)?(?:violation|offen[cs]e|contravention)(?!\w)",
    re.IGNORECASE,
)
_PAYS_UP_TO = re.compile(
    r"(?<!\w)(?:nicht\sverlangt|ne\smože\sisplatiti|neće\splatiti|(?:kann|können)\b.{0,60}\bkosten"
    r"|faces\sup\sto)(?!\w)",
    re.IGNORECASE,
)
_TAXED = re.compile(
    r"(?:porez|trošarin|doprinos|steuer|excise|kurtaxe)|(?<!\w)(?:tax|duty|vat)(?!\w)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^\d:;.!?]{3,70}:\s{1,3}")
_WHOLE_SUM = re.compile(
    r"(?<!\w)(?:ukup\w{2,4}|total\w{0,3}|summe|gesamt\w{0,12}|budget\w{0,2}|proračun\w{0,2}"
    r"|fond\w{0,2}"
    r"|prihod\w{0,2}|revenue|einnahmen|turnover|rezultat|result|account|račun|iban"
    r"|tel\w{0,5})(?!\w)",
    re.IGNORECASE,
)
_NOR = re.compile(
    r"(?<!\w)(?:niti?|nor|noch)\s(?:\w{2,10}\s)?(?:od|than|als)\s{0,3}$", re.IGNORECASE
)
_SUBJECT_TO = re.compile(
    r"(?<!\w)(?:subject\sto|up\sto|jedoch|aber|however|ali)(?!\w)", re.IGNORECASE
)
_EXCEEDED = re.compile(
    r"(?<!\w)(?:exceed\w{0,3}|prelaz\w{1,3}|premaš\w{1,4}|überschreite\w|überschritten"
    r"|übersteig\w{1,2})(?!\w)",
    re.IGNORECASE,
)
_COSTS = re.compile(r"(?<!\w)(?:costs?|kostet|kosten|stoji|stoje)\s{1,3}$", re.IGNORECASE)
_LEISURE = re.compile(
    r"(?<!\w)(?:coffee|beer|meal|hotel|ticket|kav[aeu]|ulaznic\w{1,2}|karta|ručak|kaffee|bier"
    r"|eintritt"
    r"|about|some|around|oko|etwa|rund|ca\.)(?!\w)",
    re.IGNORECASE,
)
"""What is bought and sold, or estimated."""
_IF = re.compile(
    r"(?<!\w)(?:if|where|whose|when|ako|kada|čij\w{1,2}|wenn|sofern|deren)(?!\w)", re.IGNORECASE
)
_ONLY_LIMIT = re.compile(
    r"\s{0,3}(?:a|ali|but|and|und|jedoch"
    r"|aber)?\s{0,3}(?:ne\s)?[^\W\d_]{2,12}(?:\s[^\W\d_]{2,8}){0,3}\s{0,3}",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\s{0,3}(?:do|to|bis|und|and|i|–|-|—)(?:\s(?:najviše|zu|höchstens))?\s{0,3}", re.IGNORECASE
)
_OPENS_RANGE = re.compile(
    r"(?<!\w)(?:od|of|from|between|izmeđ?u|von|zwischen|iznosu od)"
    r"(?:\s(?:najmanje|at\sleast|mindestens))?\s{0,3}$",
    re.IGNORECASE,
)
_AMOUNTS_TO = re.compile(
    r"(?<!\w)(?:iznosi|iznose|beträgt|betragen|amounts\s+to|u\s+iznosu\s+od|u\s+visini\s+od"
    r"|in\s+höhe\s+von"
    r"|in\s+the\s+amount\s+of)\s(?:[^\W\d_]{2,14}\s){0,2}$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?<!\w)(?:iznosi|iznose|je|su|is|are|be|beträgt|betragen|of|od|von|auf|comes\s+to|plaća|pay"
    r"|zahlt)\s{1,3}$",
    re.IGNORECASE,
)
_EXCEEDS = re.compile(r"(?<!not\s)(?<!\w)exceed(?:s|ed|ing)\s{0,3}$", re.IGNORECASE)
_THEN_CHANGED = re.compile(r",\s(?:reduced|increased|adjusted)\sby(?!\w)", re.IGNORECASE)
"""`at the annual rate of $11,830, reduced by the amount of …`."""
_FINED_UP_TO = re.compile(
    r"(?<!\w)(?:fined?|penalty|penalties)(?!\w)[^.;]{0,30}\s(?:more\sthan|exceed\w{0,3}|up\sto)(?!\w)[^.;]{0,40}\sof\W{0,3}$",
    re.IGNORECASE,
)
"""`may be fined not more than the greatest of—`, before a list of sums."""
_ROUNDED = re.compile(
    r"(?<!\w)(?:round\w{0,3}|nearest|multiples?\sof|divisible\sby|teilbar|djeljiv\w{1,2}|zaokruž\w{1,6}|(?:(?:auf|ab)(?:zu)?)?(?:ge)?rund(?:et|en))(?!\w)",
    re.IGNORECASE,
)
_IN_THE_AMOUNT = re.compile(
    r"(?<!\w)(?:u\s+iznosu\s+od|u\s+visini\s+od|in\s+the\s+amount\s+of"
    r"|in\s+höhe\s+von)\s+\w{4,12}\s{0,3}$",
    re.IGNORECASE,
)


def interpret_sum(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a sum means, by the nearest words that say so; otherwise by what it is listed under."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    if is_step(clause, figure):
        return None
    op = find_comparison(clause, figure)
    if op == "lte" and ends_range(clause, figure) and (not so_far or not so_far[-1].op):
        op = ""
    if _opens_bracket(clause, figure):
        return _interpret_limit(clause, figure, "gte")
    if so_far and so_far[-1].op == "gte" and ends_range(clause, figure):
        return _interpret_limit(clause, figure, "lte")
    if op and (capped := _interpret_cap(clause, figure, so_far)):
        return capped
    if op == "lte" and (_TAX_FREE.search(before[-40:]) or _TAX_FREE.search(after[:40])):
        return Meaning(figure, "allowance", "currency", FAIR)
    if cues.LESS.match(after) or cues.MORE.match(after) or cues.EXTRA.search(before):
        name = "reduction" if cues.LESS.match(after) else "surcharge"
        return Meaning(figure, name, "currency", FAIR)
    if changed_by := find_change(clause, figure):
        return Meaning(figure, changed_by, "currency", FAIR)
    if found := _interpret_specific(clause, figure, op):
        return found if found.predicate else None
    if same := inherit_meaning(clause, figure, so_far):
        return same
    general, distance = find_last_cue(before, _GENERAL)
    if op in ("gte", "lte") and (name := _find_bound(clause, figure)):
        return Meaning(figure, name, "currency", 0.85)
    if op and clause.article and bounds_fee(before):
        return Meaning(figure, correct_own_levy("fee", before), "currency", FAIR)
    if op and clause.article and not _EXCEEDS.search(before) and bounds_payment(clause, figure):
        name = "fee" if general == "fee" and distance <= CLOSE else "amount"
        return Meaning(figure, name, "currency", FAIR)
    if op and not _is_due(before, general, distance, op):
        return _interpret_limit(clause, figure, op)
    if figure.start <= 1 and clause.article and _FINED_UP_TO.search(clause.lead):
        return Meaning(figure, "penalty_max", "currency", FAIR)
    if is_figure_denied(clause, figure):
        return None
    return _interpret_named(clause, figure) or _interpret_by_default(clause, figure)


def is_step(clause: Clause, figure: Figure) -> bool:
    """Whether a sum only says how others are rounded or counted: `for each $100`."""
    near = clause.masked[max(0, figure.start - 60) : figure.end + 60]
    return bool(_ROUNDED.search(near) or _FOR_EACH.search(clause.words_before(figure)))


def _opens_bracket(clause: Clause, figure: Figure) -> bool:
    """`on earnings between 6,396 and 50,270`: both are limits of what is named before them."""
    before = clause.words_before(figure)
    opened = _OPENS_RANGE.search(before)
    if opened is None:
        return False
    beside = before[max(0, opened.start() - 22) : opened.start()]
    forms = (cues.INCOME, cues.TURNOVER)
    last = max((match.end() for form in forms for match in form.finditer(beside)), default=-1)
    following = (other for other in clause.figures if other.start >= figure.end)
    end = next((other.start for other in following if other.kind is figure.kind), None)
    linked = end is not None and _RANGE.fullmatch(clause.masked, figure.end, end) is not None
    return linked and last >= max(0, len(beside) - 2)


def ends_range(clause: Clause, figure: Figure) -> bool:
    """`130 do 2.600 eura`: the end of a range is not a separate limit."""
    return any(
        other.kind is figure.kind
        and other.end <= figure.start
        and _RANGE.fullmatch(clause.masked[other.end : figure.start])
        for other in clause.figures
    )


def _interpret_specific(clause: Clause, figure: Figure, op: str) -> Meaning | None:
    """A penalty, allowance, reduction or surcharge; one without a name means it is denied."""
    before = clause.words_before(figure)
    name, distance = find_last_cue(before, _SPECIFIC)
    if cues.ALLOWANCE.search(before) and name in ("surcharge", "reduction"):
        name = "allowance"
    if name == "penalty" and op and distance > 60:
        return None
    if name == "allowance" and is_benefit(clause, before):
        name = "amount"
    if not name:
        return None
    if name != "penalty" and (op in ("gt", "lt") or (op == "gte" and distance > CLOSE)):
        return _interpret_limit(clause, figure, op)
    if is_figure_denied(clause, figure) and not _DENIES_LIMIT.search(before):
        return Meaning(figure, "", "currency", 0.0)
    start, _ = clause.part_of(figure.start)
    name = name_penalty_bound(name, op, clause.masked[start : figure.start])
    return Meaning(figure, name, "currency", rate_distance(distance))


def _interpret_named(clause: Clause, figure: Figure) -> Meaning | None:
    """A threshold, fee, base or amount, named by the words near the sum."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    general, distance = find_last_cue(before, _GENERAL)
    if _names_threshold(before):
        return Meaning(figure, "threshold", "threshold", GOOD)
    if clause.article and _AMOUNTS_TO.search(before) and names_limit(before):
        return Meaning(figure, "threshold", "threshold", FAIR)
    head = _find_leading_name(clause, figure)
    if (amounts := _AMOUNTS_TO.search(before)) and not head:
        near, far = find_last_cue(before[: amounts.start()], (*_SPECIFIC[1:2], *_GENERAL[:2]))
        head = near if far <= 40 else ""
    if _IN_THE_AMOUNT.search(before):
        return Meaning(figure, correct_own_levy(head or "amount", before), "currency", FAIR)
    if _AMOUNTS_TO.search(before) and head:
        return Meaning(figure, correct_own_levy(head, before), "currency", GOOD)
    if general and (general != "amount" or distance <= 40 or _SAYS.search(before)):
        general = correct_own_levy(general, before)
        return Meaning(figure, general, "currency", rate_distance(distance))
    name = "" if _THEN_CHANGED.match(after) else find_following_cue(after, (*_SPECIFIC, *_GENERAL))
    if name:
        return Meaning(figure, name, "currency", FAIR)
    if _AMOUNTS_TO.search(before):
        name = find_last_cue(clause.masked[: figure.start], _GENERAL[:2])[0] or "amount"
        return Meaning(
            figure, correct_own_levy(name, clause.masked[: figure.start]), "currency", FAIR
        )
    return None


def _interpret_by_default(clause: Clause, figure: Figure) -> Meaning | None:
    """What a sum means if no word near it says so: by its list, its subject, its document."""
    if clause.lead and sets_limits(clause.lead) and not _is_other_row(clause):
        if cues.PENALTY.search(clause.lead[-60:]):
            return Meaning(figure, "penalty_max", "currency", FAIR)
        return Meaning(figure, "threshold", "threshold", 0.86)
    exact = interpret_by_context(clause, figure, (*_SPECIFIC, *_GENERAL[:2]), "currency")
    if exact or (exact := interpret_by_context(clause, figure, _GENERAL[2:], "currency")):
        return exact
    led, colon, _ = clause.masked[: figure.start].rpartition(":")
    if colon and clause.article and _EXCEEDED.search(led[-120:]):
        return Meaning(figure, "threshold", "threshold", 0.86)
    start, _ = clause.part_of(figure.start)
    words = clause.masked[start : figure.start]
    if _COSTS.search(words) and not _LEISURE.search(clause.masked):
        return Meaning(figure, "fee", "currency", 0.82)
    if cues.DUE_VERB.search(words) and (name := _find_first_named(words)):
        return Meaning(figure, correct_own_levy(name, words), "currency", 0.85)
    named_by = interpret_by_title(clause, figure, (*_SPECIFIC, *_GENERAL), "currency")
    if not named_by and _LABELLED.fullmatch(words) and not _WHOLE_SUM.search(words):
        named_by = Meaning(figure, "amount", "currency", 0.82)
    if named_by or cues.PAID.search(clause.masked) is None or find_comparison(clause, figure):
        return named_by
    if _LEISURE.search(clause.masked) or float(figure.value) > _GREATEST:
        return None
    around_it = f"{clause.title} {clause.heading}"
    taxed = _TAXED.search(around_it) is not None and not cues.FEE.search(around_it)
    neutral = bool(clause.article) and not cues.FEE.search(f"{around_it} {clause.masked}")
    return Meaning(figure, "amount" if taxed or neutral else "fee", "currency", 0.82)


def _is_other_row(clause: Clause) -> bool:
    """Whether a row only follows another one, rather than words that introduce it."""
    return clause.is_row and not clause.lead.rstrip().endswith((":", "—"))


def _find_first_named(words: str) -> str:
    """The first thing due that a sentence names: its subject."""
    found = [
        (match.start(), place)
        for place, (_, pattern) in enumerate((*_SPECIFIC, *_GENERAL))
        if (match := pattern.search(words))
    ]
    return (*_SPECIFIC, *_GENERAL)[min(found)[1]][0] if found else ""


def sets_limits(lead: str) -> bool:
    """`…, if two of these limits are not exceeded:` introduces limits."""
    return bool(cues.THRESHOLD.search(lead[-120:]) or _EXCEEDED.search(lead[-120:]))


def _interpret_cap(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """`2 %, at most 500 euros`: the minimum or maximum of what the previous figure says."""
    start, _ = clause.part_of(figure.start)
    words = clause.masked[start : figure.start]
    if not (cues.STRICT.search(words) or _NOR.search(words)):
        return None
    last = next((one for one in reversed(so_far) if one.predicate in _CAPPED), None)
    if last is None or last.figure.kind not in VALUES:
        return None
    between = clause.masked[last.figure.end : figure.start]
    compares = any(form.search(between[-40:]) for form in (cues.INCOME, cues.TURNOVER))
    conditional = _IF.search(between) and not _SUBJECT_TO.search(between)
    if len(between) > 120 or compares or conditional:
        return None
    name = _CAPPED[last.predicate]
    return Meaning(
        figure, name_penalty_bound(name, find_comparison(clause, figure)), "currency", 0.86
    )


def _is_due(before: str, general: str, distance: int, op: str) -> bool:
    """Whether a sum with a limit is still what is due: a fee of up to it, a base of at least it."""
    if _IN_THE_AMOUNT.search(before):
        return True
    between = before[-distance:]
    if any(form.search(between) for form in (cues.INCOME, cues.TURNOVER, cues.OF_AMOUNT)):
        return False
    strict = cues.STRICT.search(before)
    if strict and "exceed" not in strict[0] and distance <= CLOSE and not _IF.search(before):
        return bool(general)
    return distance <= CLOSE and (general, op) in _DUE


def _find_bound(clause: Clause, figure: Figure) -> str:
    """`…, a najmanje 1.500 eura`: the minimum or maximum of what the sentence is about."""
    start, _ = clause.part_of(figure.start)
    if not start or not _ONLY_LIMIT.fullmatch(clause.masked[start : figure.start]):
        return ""
    return find_last_cue(clause.masked[:start], _GENERAL)[0]


def _find_leading_name(clause: Clause, figure: Figure) -> str:
    """`Osnovica za obračun doprinosa iznosi …`: the name that begins the part of the sentence."""
    start, _ = clause.part_of(figure.start)
    head = clause.masked[start : min(figure.start, start + 45)]
    found = [
        (match.start(), name)
        for name, pattern in _GENERAL[:2]
        if (match := pattern.search(head)) and match.start() <= 30
    ]
    return min(found)[1] if found else ""


def correct_own_levy(name: str, before: str) -> str:
    """A levy whose own name is that of a fee or a charge is due as an amount."""
    if name == "fee" and find_mentions(before):
        last = find_mentions(before)[-1]
        matches = [match.end() for match in cues.FEE.finditer(before)]
        if matches and last.start <= matches[-1] <= last.end:
            return "amount"
    return name


def _interpret_limit(clause: Clause, figure: Figure, op: str) -> Meaning:
    field = _find_field(clause, figure)
    if op == "lte" and clause.article and _FINED_UP_TO.search(clause.lead):
        return Meaning(figure, "penalty_max", "currency", FAIR)
    if op == "lte" and _PER_OFFENCE.match(clause.masked, figure.end):
        return Meaning(figure, "penalty_max", "currency", FAIR)
    if not field and op == "lte" and _OFFENCES.search(clause.heading):
        return Meaning(figure, "penalty_max", "currency", 0.84)
    start, _ = clause.part_of(figure.start)
    words = clause.masked[start : figure.start]
    strict = cues.STRICT.search(words)
    vague = strict and "exceed" not in strict[0] and not (_IF.search(words) or clause.lead)
    vague = vague or _PAYS_UP_TO.search(clause.masked) is not None
    # "It may be at most 500 euros" limits what the sentence before was about.
    sure = GOOD if field else 0.75 if vague else 0.85
    return Meaning(figure, "threshold", "threshold", sure, op, field)


def _names_threshold(before: str) -> bool:
    bases = {match.end() for match in cues.BASE.finditer(before)}
    found = [match.end() for match in cues.THRESHOLD.finditer(before) if match.end() not in bases]
    return bool(found) and len(before) - found[-1] <= 60


def _find_field(clause: Clause, figure: Figure) -> str:
    """Which field of a situation a limit is compared with: the last thing named before it."""
    before = clause.words_before(figure, past_others=True)
    name, distance = find_last_cue(
        before,
        (("turnover", cues.TURNOVER), ("income", cues.INCOME), ("amount", cues.OF_AMOUNT)),
    )
    if name == "amount" and cues.TURNOVER.search(before[-120:]):
        return "turnover"
    return name if distance <= 120 else ""


def follow_sibling(
    clause: Clause, found: list[Meaning], sibling: Clause, known: Sequence[Meaning]
) -> list[Meaning]:
    """`(a) for a first offence, to a fine not exceeding €1,500, (b) for any other, €2,000`.

    The later item of a list says only a sum; what it is, the item before it says.
    """
    fined = [one.predicate for one in known if one.predicate.startswith("penalty")]
    if not fined or not clause.lead or clause.is_row or clause.lead != sibling.lead:
        return found
    if len(clause.text) > _LONGEST_ITEM:
        return found
    return [
        replace(one, predicate=fined[-1])
        if one.predicate in ("amount", "fee") and one.value_type == "currency"
        else one
        for one in found
    ]


def apply_ranges(clause: Clause, found: list[Meaning]) -> list[Meaning]:
    """A penalty from one sum to another is a minimum and a maximum penalty."""
    for place in range(len(found) - 1):
        first, second = found[place], found[place + 1]
        both = {first.predicate, second.predicate}
        if not both <= {"penalty", "penalty_max", "penalty_min"} or first.value_type != "currency":
            continue
        between = clause.masked[first.figure.end : second.figure.start]
        before = clause.masked[max(0, first.figure.start - 24) : first.figure.start]
        if _RANGE.fullmatch(between) and _OPENS_RANGE.search(before):
            found[place] = replace(first, predicate="penalty_min")
            found[place + 1] = replace(second, predicate="penalty_max", confidence=first.confidence)
    return found
