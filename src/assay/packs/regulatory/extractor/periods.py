"""How long records are kept, and how long something applies or lasts."""

import re

from assay.packs.regulatory.extractor import time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import PENALTY
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.meaning import (
    FAIR,
    GOOD,
    STRONG,
    WEAK,
    Meaning,
    find_comparison,
    find_last_cue,
)

_DONE_WITHIN = re.compile(
    r"(?<!\w)(?:u\s+(?:\w{1,12}\s+)?roku|within|innerhalb|binnen|innert|later\s+than|najkasnije"
    r"|spätestens)(?!\w)",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"(?<!\w)(?:für|for|na|za|auf|über|over)(?:\s(?:najviše|najmanje|up\sto|höchstens|mindestens"
    r"|längstens|at\sleast|jeweils))?\s{0,3}$",
    re.IGNORECASE,
)
_FOR_ONLY = re.compile(r"(?<!\w)(?<!rate\s)(?<!rates\s)for\s{0,3}$")
_GRANTED = re.compile(
    r"(?<!\w)(?:erteilt|gewährt|gültig|befristet|bestellt|gebunden|befreit|vorgetragen"
    r"|verteil\w{1,2}"
    r"|granted|issued|valid|appointed|exempt|carried\sforward|carry\sforward|spread|suspended"
    r"|extended"
    r"|pays?|renewed"
    r"|izdaje|daje|dodjeljuje|vrijedi|sklapa|imenuj\w{1,2}|odobrava|priznaje|prenos\w{1,3}"
    r"|oslobođen\w?"
    r"|oslobađa\w{0,2})(?!\w)",
    re.IGNORECASE,
)
_LONG = re.compile(r"\s{0,3}(?:lang|hindurch|long|gültig|valid)(?!\w)", re.IGNORECASE)
_IF = re.compile(
    r"(?<!\w)(?:ako|ukoliko|kad[a]?|koj\w{1,3}|čij\w{1,3}|if|where|who|whose|which|when|unless|wenn"
    r"|sofern|soweit|falls|wer|deren|dessen|nachdem|has\s+exceeded|then\s+ending|slučaju\s+da"
    r"|(?:^|(?<=[,;]\s))(?:ne\s)?[^\W\d_]{3,20}\sli)(?!\w)",
    re.IGNORECASE,
)
"""A stretch of time in a condition is something to compare with."""
_INSERTED = re.compile(
    r"\s(?:[^\s,;]{1,20}\s){0,3}[^\s,;]{1,20},\s(?:within|(?:no|not)\slater)\s[^,;]{0,60}"
)
"""`unless the Court, within …`: a time after the subject of a condition, before its verb."""
_ALSO_GOODS = re.compile(
    r"stor|hold|remain|pohran|drž|zadrž|verwahr|speich|gespeich|maintain|retain", re.IGNORECASE
)
_OF_AGE = re.compile(r"\s{0,3}(?:of\sage|old)(?!\w)", re.IGNORECASE)
_PAPERS = re.compile(
    r"(?<!\w)(?:records?|recordings?|information|particulars|files?|reports?|returns?|documents?|invoices?|books|data|copies|copy|accounts|receipts|stubs"
    r"|registers?"
    r"|dokument\w{0,6}|isprav\w{0,3}|račun\w{0,2}|podat\w{1,3}|popis\w{0,2}|evidencij\w{1,2}"
    r"|knjig\w{1,2}"
    r"|\w{0,12}(?:beleg|unterlage|rechnung|daten|aufzeichnung|buch|bücher|dokument)\w{0,3})(?!\w)",
    re.IGNORECASE,
)
"""What is kept as a record; goods are kept too."""
_CLOCK = re.compile(
    r"(?<!\w)(?:između|zwischen|between)\s(?:[\w.]{1,12}\s(?:i|und|and)\s)?$"
    r"|(?<!\w)u\svremenu\sod\s[\d.:]{1,5}\s(?:sat\w?\s)?do\s$",
    re.IGNORECASE,
)
_OF_CLOCK = re.compile(r"(?:0\d|[12]?\d[.:](?:00|15|30|45))(?!\d)")
"""`od 08.00 do 22.00 sata`: how a time of day is written, and never a length."""
_KEEPING = re.compile(r"čuvanj", re.IGNORECASE)
_TIME_OF_KEEPING = re.compile(
    r"(?<!\w)(?:rok\w{0,3}|razdoblj\w{1,2}|vrijeme|trajanj\w)\s(?:za\s)?(?:[^\W\d_]{4,16}\s)?čuvanj",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"\s{0,3}prije\s", re.IGNORECASE)
_FROM_HOUR = re.compile(r"(?<!\w)u\svremenu\sod\s$", re.IGNORECASE)
_TO_HOUR = re.compile(r"(?:\ssat\w?)?\sdo\s\d", re.IGNORECASE)
_SHORT = 90
"""Most letters of a part of a sentence that shares the verb of the part before it."""
_VERBS = re.compile(
    r"(?<!\w)(?:plaća|podnosi|iznosi|vrijedi|shall|must|is|are|applies|ist|sind|wird|werden|gilt"
    r"|muss)"
    r"(?!\w)",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?<!\w)(?:not|no|cannot|ne|nicht|kein\w{0,2}|nije)(?!\w)", re.IGNORECASE)
_PRISON = re.compile(
    r"(?<!\w)(?:zatvor\w{0,2}|imprison\w{2,5}|jail|prison|freiheitsstrafe\w?|haft)(?!\w)",
    re.IGNORECASE,
)
_NO_FRIST = re.compile(
    r"(?<!\w)(?:festsetzungs|verjährungs|gewährleistungs|bindungs|sperr|halte|kündigungs"
    r"|vertrags)frist"
    r"|(?<!\w)(?:limitation|notice|qualifying|cooling-off|waiting|transitional?"
    r"|probationary)\s+period"
    r"|(?<!\w)(?:otkazni|zastarni)\s+rok|(?<!\w)zastar\w{1,8}(?!\w)",
    re.IGNORECASE,
)
"""What is called a time limit but is not a deadline for anybody."""


def interpret_retention(clause: Clause, figure: Figure, part: str) -> Meaning | None:
    """How long records are kept, rather than a time to do something in."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    whole = clause.words_before(figure, past_others=True)
    if re.match(r"\s{0,3}(?:lang\s)?aufgehoben\s+werden", after):
        return Meaning(figure, "retention_period", "count", GOOD)
    if _DONE_WITHIN.search(before) or figure.ordinal or _OF_AGE.match(after):
        return None
    if not time_cues.KEEP.search(part):
        return _interpret_repeated_retention(clause, figure, part)
    if find_comparison(clause, figure) in ("lt", "gt") and not time_cues.KEEP.search(after):
        return None
    cue = time_cues.KEEP.search(part)
    if (
        cue
        and _ALSO_GOODS.match(cue[0])
        and not _PAPERS.search(f"{clause.heading} {clause.lead} {part}")
    ):
        return None
    if not _says_kept(part) or _AHEAD.match(after):
        return None
    near = time_cues.KEEP.search(whole) or time_cues.KEEP.search(after[:60])
    return Meaning(figure, "retention_period", "count", STRONG if near else FAIR)


def _says_kept(part: str) -> bool:
    """Whether something is kept; `radi liječenja i čuvanja` only names what else is done."""
    kept = (cue[0] for cue in time_cues.KEEP.finditer(part))
    return any(not _KEEPING.match(cue) for cue in kept) or bool(_TIME_OF_KEEPING.search(part))


def _interpret_repeated_retention(clause: Clause, figure: Figure, part: str) -> Meaning | None:
    """`Računi čuvaju se deset godina, a evidencije tri godine`: the verb is not repeated."""
    start, _ = clause.part_of(figure.start)
    phrase = clause.masked[max(0, start - 120) : start]
    for words in (phrase, clause.lead[-120:]):
        if time_cues.KEEP.search(words) and len(part) <= _SHORT and not _VERBS.search(part):
            return Meaning(figure, "retention_period", "count", FAIR)
    return None


def is_validity_limit(before: str) -> bool:
    """Whether a time limit only limits how long something applies: `Verjährungsfrist`."""
    return _NO_FRIST.search(before) is not None


def interpret_period(clause: Clause, figure: Figure, part: str) -> Meaning | None:
    """How long something applies or lasts, other than a punishment."""
    before, after = clause.words_before(figure), clause.words_after(figure)
    name, distance = find_last_cue(before, (("period", time_cues.LASTING),))
    near = bool(name) and distance <= 25
    between = before[len(before) - distance :] if near else ""
    if _PRISON.search(part) or PENALTY.search(before[-25:]):
        return None
    if _IF.search(between) or is_in_condition(clause.words_before(figure, past_others=True)):
        return None
    if is_validity_limit(before):
        return Meaning(figure, "period", "count", GOOD)
    if find_comparison(clause, figure) in ("lt", "gt") and not _NOT.search(part):
        # "Bei einer Vertragsdauer von mehr als zwei Jahren": what a contract is compared with.
        return None
    if near:
        return Meaning(figure, "period", "count", GOOD if distance <= 5 else FAIR)
    if _LONG.match(after):
        return Meaning(figure, "period", "count", FAIR)
    if _FOR.search(before) and _GRANTED.search(part):
        return Meaning(figure, "period", "count", FAIR)
    if _FOR_ONLY.search(before) and figure.unit in (
        "months",
        "years",
    ):
        return Meaning(figure, "period", "count", WEAK)
    if time_cues.LASTING.search(clause.lead[-60:]) and figure.start <= 3:
        return Meaning(figure, "period", "count", WEAK)
    return None


def is_clock_time(clause: Clause, figure: Figure) -> bool:
    """`između 6 i 18 sati`: times of day."""
    before = clause.masked[max(0, figure.start - 30) : figure.start]
    written = _OF_CLOCK.match(clause.masked, figure.start)
    if _FROM_HOUR.search(before):
        written = written or _TO_HOUR.match(clause.masked, figure.end)
    return figure.unit == "hours" and (written or _CLOCK.search(before)) is not None


def find_open_condition(before: str) -> str:
    """The words of a condition that begins before a figure and has not ended yet; or nothing."""
    opened = [match.end() for match in _IF.finditer(before)]
    words = before[opened[-1] :] if opened else ""
    if _INSERTED.fullmatch(words):
        return words
    return "" if "," in words else words


def is_in_condition(before: str) -> bool:
    """Whether a condition begins before a figure and has not ended yet."""
    return bool(find_open_condition(before))
