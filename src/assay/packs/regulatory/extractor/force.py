"""When an act enters into force, begins to apply, or ceases to apply."""

import re

from assay.packs.regulatory.extractor import time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import GOOD, STRONG, WEAK, Meaning, concerns_whole_act

_OF_DAY = re.compile(r"(?<!wirkung\s)(?<!\w)(?:vom|of|od|dated)\s{0,3}$", re.IGNORECASE)
_AT_END_OF = re.compile(r"(?<!\w)(?:at\s+the\s+end|mit\s+(?:dem\s+)?ablauf)\s", re.IGNORECASE)
_AFTER_PUBLICATION = re.compile(
    r"\s{0,3}(?:od|po|nakon|poslije|after|following|of|from|nach|koj\w)(?!\w)", re.IGNORECASE
)
_ACT = re.compile(
    r"^\W{0,3}(?:(?:the|das|die|der|dies\w{1,2}|this|these"
    r"|ov\w{1,2})\s+)?(?:[^\W\d_]{2,24}\s+){0,3}?"
    r"(?:odluk|zakon|pravilnik|uredb|naredb|tarif|odredb|izmjen|članc|čl|act\b|regulation|order\b"
    r"|rules?\b"
    r"|provision|article|section|part\b|directive|amendment|ordinance|notice|schedule|changes?\b"
    r"|\w{0,24}gesetz|\w{0,24}verordnung|\w{0,24}satzung|richtlinie|artikel|bestimmung|vorschrift"
    r"|änderung|regelung|neufassung|uvjet|cjenik|statut|pravila|naknad|pristojb|cijen|stop[ae]"
    r"|iznos|terms|conditions|charges|fees|dues|rates|amounts|tariff|guidance|by-?laws?"
    r"|bye-?laws?|gebühren|entgelte|sätze|beträge|preise|reglement|·)",
    re.IGNORECASE,
)
"""A sentence whose subject is an act or a provision; a masked reference counts as one."""
_PRONOUN = re.compile(r"^\W{0,3}(?:it|they|sie|es|er|isti?|ist[aoe])(?!\w)", re.IGNORECASE)
_IN_KRAFT = re.compile(r"(?<!\w)(?P<not>außer)\s+kraft|(?<!\w)in\s+kraft(?!\w)", re.IGNORECASE)
_EXCEPTED = re.compile(r"(?<!\w)(?:except\sthat|osim|mit\sausnahme)(?!\w)", re.IGNORECASE)


def interpret_force_time(clause: Clause, figure: Figure) -> Meaning | None:
    """`osmog dana od dana objave`: when an act enters into force, counted from its publication."""
    after = clause.masked[figure.end :]
    counted = figure.unit == "day_of_month" or _AFTER_PUBLICATION.match(after)
    start, end = clause.part_of(figure.start)
    dated = any(one.kind is FigureKind.DATE and start <= one.start < end for one in clause.figures)
    if not counted or not _concerns_act(clause):
        return None
    if (
        dated
        and figure.ordinal
        and re.match(r"\w*tag", _figure_words(clause, figure), re.IGNORECASE)
    ):
        # "am Tag nach der Verkündung, spätestens am 1. April 2025": the date is what counts.
        return None
    return Meaning(figure, "entry_into_force", "count", STRONG)


def _figure_words(clause: Clause, figure: Figure) -> str:
    return clause.masked[figure.start : figure.end]


def says_entry_into_force(part: str) -> bool:
    """Whether a part of a sentence says that something enters into force."""
    for match in time_cues.FORCE.finditer(part):
        if not match[0].lower().startswith(("tritt", "treten")):
            return True
        if re.search(r"\bin\s+Kraft\b", part[match.end() :]):
            return True
    return False


def interpret_force_date(clause: Clause, figure: Figure) -> tuple[bool, Meaning | None]:
    """What a date says about an act's force, and whether it concerns that at all."""
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    before = clause.words_before(figure)
    if _is_end_of_force(part, figure.start - start) and not (
        time_cues.BY.search(before) and not _AT_END_OF.search(before[-40:])
    ):
        verb = time_cues.REPEAL.search(part)
        ahead = verb is not None and start + verb.end() <= figure.start
        plain_from = time_cues.FROM.search(before) and not re.search(
            r"(?:wirkung|effect|počevši)\s\w{1,5}\s{0,3}$|(?<!\w)(?:ab|mit)\s(?:dem\s)?$",
            before,
            re.IGNORECASE,
        )
        named_by_day = _OF_DAY.search(before) and not _AT_END_OF.search(before[-20:])
        if named_by_day or (plain_from and not ahead) or len(figure.value) != 10:
            return True, None
        return True, Meaning(figure, "repeal", "date", GOOD)
    if says_entry_into_force(part) or time_cues.EFFECTIVE.match(clause.masked[: figure.start]):
        if _OF_DAY.search(before) and not time_cues.FORCE.search(before):
            return True, None
        return True, _interpret_entry_date(clause, figure)
    return False, None


def _is_end_of_force(part: str, at: int) -> bool:
    """Whether a date is nearest to an end of force: `in Kraft und … außer Kraft` has both."""
    if not time_cues.REPEAL.search(part):
        return False
    german = _IN_KRAFT.search(part, at)
    if german:
        return german["not"] is not None
    if not time_cues.FORCE.search(part):
        return True
    repeals = [match.start() for match in time_cues.REPEAL.finditer(part, 0, at)]
    forces = [match.start() for match in time_cues.FORCE.finditer(part, 0, at)]
    return max(repeals, default=-1) > max(forces, default=-1)


def _concerns_act(clause: Clause) -> bool:
    begins = time_cues.FORCE.match(clause.masked.lstrip()) is not None
    return begins or concerns_whole_act(clause.text) or _ACT.match(clause.masked) is not None


def _has_values(clause: Clause) -> bool:
    return any(one.kind in VALUES for one in clause.figures)


def _interpret_entry_date(clause: Clause, figure: Figure) -> Meaning | None:
    """The day of entry into force; beside a value it is that value's day."""
    if len(figure.value) != 10 or _has_values(clause):
        return None
    sure = concerns_whole_act(clause.text) or figure.end >= len(clause.text.rstrip(" ."))
    return Meaning(figure, "entry_into_force", "date", STRONG if sure else 0.85)


def names_exception(before: str) -> bool:
    """`… shall apply to all, except that section 3 applies from …`: the day of an exception."""
    return _EXCEPTED.search(before) is not None


def interpret_application_date(clause: Clause, figure: Figure) -> Meaning | None:
    """`a primjenjuje se od 1. siječnja 2025.`, `Article 3 is applicable from 15 March 2027`."""
    if len(figure.value) != 10 or _has_values(clause):
        return None
    before = clause.words_before(figure)[-60:]
    if not time_cues.FROM.search(before) or names_exception(clause.masked[: figure.start]):
        return None
    _, end = clause.part_of(figure.start)
    says = time_cues.APPLIES_FROM.search(before) or time_cues.APPLIES_FROM.search(
        clause.masked[figure.end : min(end, figure.end + 40)]
    )
    surely = re.search(r"(?:effect|wirkung)\s+(?:from|vom|ab)\s{0,3}$", before, re.IGNORECASE)
    if (says or surely) and (_concerns_act(clause) or _PRONOUN.match(clause.masked)):
        return Meaning(figure, "entry_into_force", "date", GOOD)
    opened = time_cues.FROM.search(clause.masked[: figure.start])
    opens = opened is not None and opened.start() <= 1
    if opens and not says and time_cues.BOUND.search(clause.masked[figure.end : end]):
        # "Od 1. siječnja 2026. obveznici su dužni …": from when a duty applies.
        return Meaning(figure, "entry_into_force", "date", WEAK)
    return None
