"""What a figure of a provision means if no word near it says so.

An act states few figures by accident: what is not compared, quoted or counted is a share, a sum or a
stretch of time that applies. Other documents mention figures freely, so this is for provisions only.
"""

import re
from collections.abc import Sequence

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import (
    Meaning,
    find_comparison,
    find_last_cue,
    is_figure_denied,
)
from assay.packs.regulatory.extractor.periods import is_in_condition

_SURE = 0.86
_QUOTES = re.compile(
    r"(?<!\w)(?:substitut\w{1,4}|replac\w{1,3}|insert\w{0,3}|omit\w{0,4}|strik\w{1,3}|delet\w{1,3}"
    r"|were\sa\sreference|zamjenj\w{1,4}|mijenja\w{0,2}\sse|umjesto|briš\w{1,3}|ersetzt|eingefügt"
    r"|gestrichen|an\sdie\sstelle)(?!\w)",
    re.IGNORECASE,
)
"""Sentences that change other words; `amendments` reads them."""
_BUDGET = re.compile(
    r"(?<!\w)(?:appropriat\w{2,6}|authori[sz]ation\sof\s\w{3,20}|haushaltsjahr|proračun\w{0,3})(?!\w)",
    re.IGNORECASE,
)
"""What the state spends, rather than what binds others."""
_BASE = re.compile(
    r"(?<!\w)(?:\w{0,24}bemessungsgrundlage|\w{0,24}einnahmen|anteil(?:s|e|en)?\svon|versicherungsentgelt\w{0,2}"
    r"|wert\w{0,2}\svon|osnovic\w{1,3}|tax\sbase|taxable\samount)(?!\w)",
    re.IGNORECASE,
)
_STRENGTH = re.compile(
    r"\s{0,3}(?:vol\b|volumen|alcohol|alkohol|abv\b|by\s(?:weight|volume)|invalidit|disab|tjelesn)"
    r"|(?<=%)[0-9A-F]{2}",
    re.IGNORECASE,
)
_OF_STRENGTH = re.compile(
    r"(?<!\w)(?:alkohol\w{0,8}|alcohol\w{0,4}|invalidit\w{1,6}|oštećenj\w{1,2}|disability"
    r"|grad\sder\sbehinderung)(?:\s\w{1,12}){0,3}\s{0,3}$",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"(?<!\w)(?:ages?(?:\sof)?|aged(?:\sunder|\sover)?|attained|navrš\w{1,5}|starij\w{1,3}\sod"
    r"|mlađ\w{1,3}\sod|dob\w?(?:\sod)?|kind(?:er)?\sunter|child(?:ren)?\sunder|lebensjahr\w{0,2}"
    r"|alter\svon|von)(?:\s(?:les[st]\sthan|at\sleast|of|the|od|über|unter|mindestens)){0,2}\s{0,3}$",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"\s{0,3}(?:of\sage|old|alt(?:e[rnms]?)?(?!\w)|života|starosti)(?!\w)", re.IGNORECASE
)
_NAMES_AGE = re.compile(r"von(?:\s\w+){0,2}\s{0,3}$", re.IGNORECASE)
_PUNISHED = re.compile(
    r"(?<!\w)(?:imprison\w{0,5}|prison|zatvor\w{0,3}|freiheitsstrafe\w?|haft|jugendarrest)(?!\w)",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"(?<!\w)(?:letzten|vergangenen|vorangegangenen|vorangehenden|vorausgegangenen|last|past"
    r"|preceding|previous|prior|posljednj\w{1,3}|prethodn\w{1,3}|proteklih|uzastopn\w{1,3}"
    r"|durchschnitt\svon|in\sthe|während|each|every|svak\w{1,3}|jede[rmsn]?|per|je)\s{0,3}$",
    re.IGNORECASE,
)
_BEFORE_NOW = re.compile(
    r"\s{0,3}(?:prior\sto|preceding|immediately\sbefore|unatrag|vor\sde[mr]\s(?:beginn|antrag|entstehung"
    r"|bewertung))(?!\w)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:eine[mnrs]?|ein|a|an|day|month|year|week)(?!\w)", re.IGNORECASE)
_COUNTS_ONE = re.compile(
    r"(?<!\w)(?:nach|ablauf|um|von|auf|mindestens|höchstens|längstens|bis\szu|als|after|of|for|than"
    r"|exceed(?:ing|s)?|least|frühestens|spätestens|by|beträgt|another|further|weitere[nrs]?)\s{0,3}$",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<!\w)(?:između|zwischen|between|od|do)\s(?:[\w.]{1,12}\s(?:i|und|and|do)\s)?$")
_OF_CLOCK = re.compile(r"\s{0,3}(?:uvečer|ujutro|navečer|a\.?m\.?|p\.?m\.?)(?!\w)", re.IGNORECASE)
_WORKS = re.compile(r"(?<!\w)(?:tjedno|dnevno|mjesečno|wöchentlich|täglich|a\sweek|per\sweek)(?!\w)")
_AHEAD = re.compile(r"\s{0,3}(?:vor|before|prije|prior\sto|in\sadvance|im\svoraus)(?!\w)", re.IGNORECASE)


def interpret_by_provision(
    clause: Clause, figure: Figure, so_far: Sequence[Meaning]
) -> Meaning | None:
    """What a figure of a provision means by default; None outside provisions."""
    if not clause.article or clause.is_row or _QUOTES.search(clause.masked):
        return None
    if _BUDGET.search(clause.masked) or _BUDGET.search(clause.lead):
        return None
    if figure.kind is FigureKind.PERCENT:
        return _interpret_share(clause, figure)
    if figure.kind is FigureKind.SUM:
        return _interpret_sum(clause, figure)
    if figure.kind is FigureKind.TIME and not figure.ordinal:
        return _interpret_time(clause, figure)
    return None


def _interpret_share(clause: Clause, figure: Figure) -> Meaning | None:
    before, after = clause.words_before(figure), clause.words_after(figure)
    if _STRENGTH.match(after) or _OF_STRENGTH.search(before):
        return None
    if is_in_condition(before):
        op = find_comparison(clause, figure)
        return Meaning(figure, "threshold", "threshold", _SURE, op) if op else None
    if _BASE.search(before[-60:]):
        return Meaning(figure, "base", "percentage", _SURE)
    return Meaning(figure, "rate", "percentage", _SURE)


def _interpret_sum(clause: Clause, figure: Figure) -> Meaning | None:
    if is_figure_denied(clause, figure):
        return None
    if op := find_comparison(clause, figure):
        return Meaning(figure, "threshold", "threshold", _SURE, op)
    names = (("threshold", cues.THRESHOLD), ("allowance", cues.ALLOWANCE), ("fee", cues.FEE))
    name, _ = find_last_cue(clause.masked[: figure.start], names)
    kind = "threshold" if name == "threshold" else "currency"
    return Meaning(figure, name or "amount", kind, _SURE)


def _interpret_time(clause: Clause, figure: Figure) -> Meaning | None:
    before, after = clause.words_before(figure), clause.words_after(figure)
    start, end = clause.part_of(figure.start)
    if _PUNISHED.search(clause.masked[start:end]) or is_in_condition(before):
        return None
    if _is_age(before, after, figure) or _LOOKS_BACK.search(before) or _BEFORE_NOW.match(after):
        return None
    if figure.unit == "hours" and (_CLOCK.search(before) or _OF_CLOCK.match(after)):
        return None
    written = clause.masked[figure.start : figure.end]
    if figure.value == "1" and _ARTICLE.match(written) and not _COUNTS_ONE.search(before):
        return None
    name = "deadline" if _AHEAD.match(after) else "period"
    return Meaning(figure, name, "count", _SURE)


def _is_age(before: str, after: str, figure: Figure) -> bool:
    if figure.unit != "years":
        return False
    if _OLD.match(after):
        return True
    named = _AGE.search(before)
    return named is not None and _NAMES_AGE.match(named[0]) is None
