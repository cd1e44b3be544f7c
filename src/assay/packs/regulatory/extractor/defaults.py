"""What a figure of a provision means if no word near it says so.

An act states few figures by accident: what is not compared, quoted or counted is a share, a sum
or a stretch of time that applies. Other documents mention figures freely, so this is for provisions
only.
"""

import re
from collections.abc import Sequence

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import (
    Meaning,
    find_comparison,
    find_last_cue,
    is_figure_denied,
)
from assay.packs.regulatory.extractor.periods import is_clock_time, is_in_condition
from assay.packs.regulatory.extractor.shares import counts_people, mask_counted_sums
from assay.packs.regulatory.extractor.sums import ends_range, is_step

_SURE = 0.86
_PRONOUN = re.compile(r"\W{0,3}(?:er|sie|es|it|on|ona|ono)\s", re.IGNORECASE)
_CHARGES = (cues.LEVY, cues.FEE, cues.AMOUNT, cues.INTEREST, cues.PENALTY, cues.SURCHARGE)
_QUOTES = re.compile(
    r"(?<!\w)(?:substitut\w{1,4}|replac\w{1,3}|insert\w{0,3}|omit\w{0,4}|strik\w{1,3}|delet\w{1,3}"
    r"|were\sa\sreference|zamjenj\w{1,4}|mijenja\w{0,2}\sse|umjesto|briš\w{1,3}|durch\b.{1,200}\bersetzt|eingefügt"
    r"|gestrichen|an\sdie\sstelle)(?!\w)",
    re.IGNORECASE,
)
"""Sentences that change other words; `amendments` reads them."""
_STATES = re.compile(
    r"(?<!\w)(?:beträgt|betragen|iznosi|iznose|(?:shall\sbe|is|are)(?:\sas\sfollows)?)(?!\w)",
    re.IGNORECASE,
)
"""Words before the rows of a list that say what they amount to."""
_BUDGET = re.compile(
    r"(?<!\w)(?:appropriat(?:ions?|ed|ing)|authori[sz]ation\sof\s\w{3,20}|supply\sgranted|issue\sout\sof\sthe\s(?:central|consolidated)\sfund"
    r"|haushaltsplan\w{0,2}\s(?:wird|festgestellt))(?!\w)",
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
    r"|mlađ\w{1,3}\sod|dob\w?(?:\sod)?|lebensjahr\w{0,2}|alter\svon"
    r"|(?:osob|djec|djet|maloljet|kind|jugendlich|person|child|minor|people|visitor|hund|dog|psi)"
    r"\w{0,8}(?:\s(?:od|von|of|from|aged|između|zwischen|between|unter|under|über|over|ab|do|bis))"
    r"(?:\s\d{1,2}\s(?:do|bis|to|i|und|and))?)"
    r"(?:\s(?:les[st]\sthan|at\sleast|of|the|od|do|bis|up\sto|über|unter|mindestens)){0,2}\s{0,3}$",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"\s{0,3}(?:(?:do|bis|to|i|und|and)\s\d{1,2}\s(?:godina|jahre\w?|years)\s{0,3})?"
    r"(?:of\sage|old|alt(?:e[rnms]?)?(?!\w)|života|starosti)(?!\w)",
    re.IGNORECASE,
)
_LIMIT_OPENS = re.compile(
    r"(?<!\w)(?:exceed(?:s|ed|ing)?|(?:more|less|greater|fewer)\sthan|at\sleast)\W{0,3}$",
    re.IGNORECASE,
)
"""How words end that compare something with each point of their list."""
_OWNED = re.compile(
    r"\s{0,3}of\s(?:(?:the|its|their|such|all|total|outstanding|combined|issued)\s){0,4}(?:voting|capital\sstock|stock|shares?"
    r"|equity|securities|capital\sinterest|beneficial\sinterest)(?!\w)",
    re.IGNORECASE,
)
"""How much of a company somebody owns is compared, and not charged."""
_SERVICE = re.compile(
    r"\s{0,3}(?:or\smore\s)?(?:of\s(?:\w{1,12}\s)?(?:service|experience)|radnog\w?\siskustva"
    r"|(?:\w{4,16}\s)?staža|(?:\w{4,16}\s)?mirovinskog\w?|berufs\w{4,12}|versicherungszeit\w{0,2}"
    r"|(?:an\s)?\w{0,16}zeiten)(?!\w)",
    re.IGNORECASE,
)
"""How long somebody has to have worked or been insured: part of a condition."""
_PUNISHED = re.compile(
    r"(?<!\w)(?:imprison\w{0,5}|prison|zatvor\w{0,3}|freiheitsstrafe\w?|haft|jugendarrest)(?!\w)",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"(?<!\w)(?:letzten|vergangenen|vorangegangenen|vorangehenden|vorausgegangenen|last|past"
    r"|preceding|previous|prior|posljednj\w{1,3}|prethodn\w{1,3}|proteklih|uzastopn\w{1,3}"
    r"|durchschnitt\svon|in\sthe|während|each|every|any|rates?\sfor|svak\w{1,3}|jede[rmsn]?|per|je)\s{0,3}$",
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
_OF_CLOCK = re.compile(r"\s{0,3}(?:uvečer|ujutro|navečer|a\.?m\.?|p\.?m\.?)(?!\w)", re.IGNORECASE)
_LONGER = re.compile(
    r"(?<!\w)(?:läng\w{1,6}(?:\szeit)?|jünger|älter|kürzer\w{0,2}|später|früher|mehr|weniger|über|dul[jg]\w{1,3}|duž\w{1,3}"
    r"|krać\w{1,3}|već\w{1,3}|manj\w{1,3}|longer|shorter|later|earlier|more|less|fewer|exceed(?:s|ed|ing))"
    r"(?:\s(?:als|od|than))?\s{0,3}$",
    re.IGNORECASE,
)
"""With what something is compared, unless the comparison is forbidden."""
_FORBIDS = re.compile(
    r"(?<!\w)(?:ne|nije|ni|niti|not|nor|no|never|nicht|kein\w{0,2}|darf|dürfen|höchstens)(?!\w)",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\s{0,3}(?:or\smore|or\slonger|ili\sviše|ili\sduže|oder\s(?:mehr|länger))(?!\w)", re.IGNORECASE
)
_VERB_FIRST = re.compile(
    r"\W{0,3}(?:ist|sind|hat|haben|wird|werden|beträgt|betragen|übersteig\w{1,2}|überschreite\w{1,2}"
    r"|erreich\w{1,2}|war|waren|liegt|liegen|besteht|bestehen|dauert|erfolgt)\s(?=[\w·])",
    re.IGNORECASE,
)
"""`Ist die Frist …, so …`: a German condition that begins with its verb."""
_MAIN_CLAUSE = re.compile(
    r",\s(?:so|ist|sind|wird|werden|kann|können|gilt|gelten|hat|haben|darf|muss|beträgt|richtet)\s"
)
_EVERY = re.compile(
    r"\w{2,}(?:mjesečno|godišnje|tjedno|dnevno|jährlich|monatlich|wöchentlich)$", re.IGNORECASE
)
_UNIT_OF = re.compile(
    r"(?<!\w)(?:za|je|per|for\s(?:each|every)|po|pro|svak\w{1,3})\s{0,3}$", re.IGNORECASE
)
_DIVIDES = re.compile(
    r"(?<!\w)(?:geteilt|dividier\w{1,2}|divided|podijel\w{1,5}|division)(?!\w)", re.IGNORECASE
)
_AHEAD = re.compile(
    r"\s{0,3}(?:vor|before|prije|prior\sto|in\sadvance|im\svoraus)(?!\w)", re.IGNORECASE
)


def interpret_by_provision(
    clause: Clause, figure: Figure, so_far: Sequence[Meaning]
) -> Meaning | None:
    """What a figure of a provision means by default; None outside provisions."""
    if not clause.article or _QUOTES.search(clause.masked):
        return None
    if clause.is_row and not _STATES.search(clause.lead):
        return None
    if is_budget(clause):
        return None
    if figure.kind is FigureKind.PERCENT:
        return _interpret_share(clause, figure)
    if figure.kind is FigureKind.SUM:
        return _interpret_sum(clause, figure)
    if figure.kind is FigureKind.TIME and not figure.ordinal:
        return _interpret_time(clause, figure)
    return None


def is_budget(clause: Clause) -> bool:
    """Whether a provision says what the state may spend."""
    return any(_BUDGET.search(words) for words in (clause.masked, clause.lead, clause.title))


def _interpret_share(clause: Clause, figure: Figure) -> Meaning | None:
    before, after = clause.words_before(figure), clause.words_after(figure)
    if _STRENGTH.match(after) or _OF_STRENGTH.search(before) or counts_people(after):
        return None
    if not _has_words(clause, figure):
        return None
    if figure.value == "1" and _UNIT_OF.search(before):
        return None
    op = "" if ends_range(clause, figure) else find_comparison(clause, figure)
    if figure.start <= 1 and _LIMIT_OPENS.search(clause.lead):
        return Meaning(figure, "threshold", "threshold", _SURE)
    if op and _OWNED.match(after):
        return Meaning(figure, "threshold", "threshold", _SURE, op)
    conditional = _is_conditional(clause, figure)
    if conditional and not op and not ends_range(clause, figure):
        return None
    compared = op in ("gt", "lt") and not _is_forbidden(clause, figure)
    if op and (conditional or compared or not _is_paid(clause, figure)):
        return Meaning(figure, "threshold", "threshold", _SURE, op)
    name = "base" if _BASE.search(before[-60:]) else "rate"
    return Meaning(figure, name, "percentage", _SURE)


def _has_words(clause: Clause, figure: Figure) -> bool:
    """Whether a figure has a word beside it; `13 4 (30,8 %)` says nothing."""
    words = clause.masked[: figure.start] + clause.masked[figure.end :]
    return re.search(r"[^\W\d_]", words) is not None


def _is_paid(clause: Clause, figure: Figure) -> bool:
    """Whether a limit is that of something paid or charged, which is still a rate."""
    start, _ = clause.part_of(figure.start)
    words = mask_counted_sums(clause.masked[max(0, start - 120) : figure.start])
    # "Er beträgt höchstens …": the sentence before says what.
    return _PRONOUN.match(words) is not None or any(form.search(words) for form in _CHARGES)


def _interpret_sum(clause: Clause, figure: Figure) -> Meaning | None:
    if is_figure_denied(clause, figure) or is_step(clause, figure):
        return None
    if _DIVIDES.search(clause.masked) or not _has_words(clause, figure):
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
    written = clause.masked[figure.start : figure.end]
    if _PUNISHED.search(clause.masked[start:end]) or _is_conditional(clause, figure):
        return None
    if _is_age(before, after, figure) or _SERVICE.match(after) or _EVERY.fullmatch(written):
        return None
    if _LOOKS_BACK.search(before) or _BEFORE_NOW.match(after) or _OR_MORE.match(after):
        return None
    if is_clock_time(clause, figure) or _OF_CLOCK.match(after):
        return None
    if _LONGER.search(before) and not _is_forbidden(clause, figure):
        return None
    if figure.value == "1" and _ARTICLE.match(written) and not _COUNTS_ONE.search(before):
        return None
    limits = _AHEAD.match(after) or time_cues.WITHIN.search(before)
    name = "deadline" if limits else "period"
    return Meaning(figure, name, "count", _SURE)


def _is_conditional(clause: Clause, figure: Figure) -> bool:
    """Whether a figure is part of a condition, with or without a word that introduces it."""
    if is_in_condition(clause.words_before(figure, past_others=True)):
        return True
    opened = _VERB_FIRST.match(clause.masked)
    main = _MAIN_CLAUSE.search(clause.masked)
    return opened is not None and main is not None and figure.start < main.start()


def _is_forbidden(clause: Clause, figure: Figure) -> bool:
    """`ne smije biti dulji od`: then the comparison itself is the rule."""
    start, end = clause.part_of(figure.start)
    return (
        _FORBIDS.search(clause.masked, start, figure.start) is not None
        or re.match(r"[^,;]{0,60}\bnicht\s", clause.masked[figure.end : end]) is not None
    )


def _is_age(before: str, after: str, figure: Figure) -> bool:
    if _OLD.match(after):
        return True
    return figure.unit == "years" and _AGE.search(before) is not None
