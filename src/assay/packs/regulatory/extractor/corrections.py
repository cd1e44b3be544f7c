"""Figures that only look like a rate, an amount or a deadline: limits, windows, ages, other days.

The cues of a predicate are found near its figure; whether the figure is what they name, or a bound
that something is compared with, is said by other words of its clause.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.packs.regulatory.extractor.cases import is_in_case
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import compile_cue
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import Meaning

_CAPPED = frozenset({"rate", "amount", "base", "reduction"})
_NEAR = 120
_CAP_BEFORE = compile_cue(
    r"(?:shall|may|must|does|do|will|can|to) not (?:\w{2,12} ){0,2}(?:exceed|be (?:more|less"
    r"|greater|higher|lower) than)(?: \w{2,12}){0,3}"
    r"|ne (?:smije|smiju|može|mogu)(?: se)? (?:\w{2,14} ){0,3}(?:prelaziti|premašiti|biti"
    r" (?:već|manj|viš|niž)\w{1,2} od)"
)
_CAP_AFTER = compile_cue(
    r"(?:nicht|kein\w{0,2}) (?:\w{2,14} ){0,2}(?:überschreit|übersteig|unterschreit|überschritt"
    r"|überstieg|unterschritt)\w{1,3}"
    r"|ne (?:smije|smiju|može|mogu) (?:prelaziti|premašiti)"
)
_AT_MOST = re.compile(
    r"(?<!\w)(?:(?:subject\sto|up\sto)\sa\smaximum(?:\s(?:amount|sum|limit))?(?:\sof)?"
    r"|(?:darf|dürfen|kann|können)\s(?:[a-zäöüß]{2,14}\s){0,2}höchstens\s(?:auf|in\shöhe\svon)"
    r"|not\sexceed(?:ing)?,\sin\s(?:the\s)?aggregate,(?:\s(?:a|the)\s(?:sum|amount|total)\sof)?"
    r"|uz\s(?:uvjet\s)?najviši\siznos(?:\sod)?)\s{0,3}$",
    re.IGNORECASE,
)
"""`one half of the costs but subject to a maximum amount of`."""
_MAJORITY_AFTER = re.compile(
    r"\s(?:majority|večin\w{0,2}|većin\w{0,2}|mehrheit)(?!\w)", re.IGNORECASE
)
_MAJORITY_BEFORE = re.compile(
    r"(?<!\w)(?:majority|mehrheit|većin\w{1,2})\s(?:of|von|od)(?:\sat\sleast|\smindestens|\snajmanje)?\s$",
    re.IGNORECASE,
)
"""How many votes it takes is no rate of anything that is due."""
_OPENS_CASE = re.compile(
    r"(?:(?<!\w)(?:ako|ukoliko|if|unless|wenn|sofern|soweit|falls)|^\W{0,3}(?:wer|tko|whoever)"
    r"|(?<!\w)(?<!ne\s)[^\W\d_]{3,20}\sli)\s(?P<case>[^,;]{0,300})$",
    re.IGNORECASE,
)
_DUE_OR_MISSED = re.compile(
    r"(?<!\w)(?:shall|must|may|is\sto|are\sto|then|muss|müssen|dužn\w{1,2}|dužan|mora|moraju|će"
    r"|not|no|fails?|nicht|kein\w{0,2}|ne|nije|nisu)(?!\w)",
    re.IGNORECASE,
)
"""After a condition, what has to be done; in it, what somebody did not do in time."""
_LEADS_INTO_CASE = re.compile(r"[\W\d]{0,16}(?:where|if|wenn|ako|ukoliko)\s", re.IGNORECASE)
"""`Where an asset is acquired, and—`: each point of its list is part of the case."""
_NOT_BEFORE = re.compile(
    r"(?<!\w)(?:(?:ne\s|neće\s|nije\s)[^,;]{0,60}prije\sisteka(?:\sroka)?(?:\sod)?"
    r"|(?:shall|may|must|can|will)\s?not\s[^,;]{0,60}(?:earlier\sthan|(?:before|until)\sthe\s(?:end|expir\w{1,6})\sof(?:\s(?:the|a)\speriod\sof)?)"
    r"|(?:nicht|erst)\s[^,;]{0,40}(?:vor|nach)\sablauf\s(?:von|einer\sfrist\svon)?|frühestens(?:\snach)?)\s{0,3}$",
    re.IGNORECASE,
)
"""`ne može se izvršiti prije isteka roka od`: how long one has to wait."""
_NO_EARLIER = re.compile(
    r"(?<!\w)(?:nicht\s(?:früher|mehr|länger)\sals|höchstens|(?:not|no)\s(?:more|earlier|longer)\sthan"
    r"|najviše|ne\s(?:ranije|više)\sod)\s$",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"(?<!\w)(?:darf|dürfen|kann|können|smij[eu]|mogu|može)\s(?:[^,;]{0,80}\s)?(?:noch|još)(?:\sbis\szu)?\s$",
    re.IGNORECASE,
)
"""`dürfen noch drei Jahre nach Inkrafttreten verwendet werden`: how long something is allowed."""
_AHEAD_OF = re.compile(r"\s(?:vor|before|prior\sto|prije)(?!\w)", re.IGNORECASE)
"""`nicht früher als drei Monate vor der Vorlage ausgestellt`: how old something may be."""
_POINTS_OF_TEST = re.compile(
    r"\s(?:der|of\sthe|od)\s(?:(?:insgesamt|maximal)\s)?(?:erreichbaren|möglichen|zu\svergebenden|obtainable)\s",
    re.IGNORECASE,
)
"""`60 Prozent der erreichbaren Punkte`: what passes a test."""
_PAID = compile_cue(
    r"penalt\w{1,3}|fine[sd]?|kazn\w{1,4}|\w{0,8}buße|\w{0,6}strafe|rates?|stop[aeu]|\w{0,12}s[aä]tze?"
    r"|naknad\w{1,2}"
)
"""The greatest rate is still a rate."""
_WINDOW = re.compile(
    r"(?<!\w)(?:mehr\sals|mindestens|weniger\sals|more\sthan|at\sleast|fewer\sthan|less\sthan|više\sod"
    r"|najmanje|manje\sod)\s[^,;]{1,60}?\s(?:innerhalb\s(?:von|eines|einer|der)|binnen|within|in\sany"
    r"|during\s(?:a|any)|u\s(?:roku|razdoblju|vremenu|tijeku)(?:\sod)?|tijekom)\s(?:[a-zäöüß]{2,12}\s)?$"
    r"|(?<!\w)u\svremenu\sod\s$",
    re.IGNORECASE,
)
"""`more than seven hours within two weeks`: in which time something is counted."""
_ENDS = compile_cue(
    r"(?:tritt|treten)\b.{0,80}\baußer kraft|ceases? to (?:have effect|be in force)"
)
_AGE_BEFORE = re.compile(
    r"(?<!\w)(?:(?:attain|reach)(?:ed|s)?(?:\sthe\sage\sof)?|aged|the\sage\sof|navrši\w{0,3}"
    r"|mlađ\w{1,2}\sod|starij\w{1,2}\sod|starosti\s(?:do|od)|under\sthe\sage\sof)\s$",
    re.IGNORECASE,
)
_AGE_AFTER = re.compile(
    r"\s(?:of\sage|old(?!\w)|života|Lebensjahr|or\s(?:less|more|longer)|oder\s(?:weniger|mehr|länger)"
    r"|ili\s(?:manje|više|dulje))(?!\w)",
    re.IGNORECASE,
)
_BEFORE_DAY = re.compile(
    r"(?<!\w)(?<!or\s)(?:before|prior\sto|after|since|vor|vor\sdem|nach|nach\sdem|seit\sdem|prije|nakon"
    r"|am|on)\s$",
    re.IGNORECASE,
)
_FORBIDS_UNTIL = re.compile(r"(?<!\w)not,?\s(?:before|prior\sto)\s$", re.IGNORECASE)


def correct_meanings(clause: Clause, found: Iterable[Meaning]) -> Iterator[Meaning]:
    """The meanings of a clause, without days that only belong to a case."""
    for meaning in found:
        if meaning.figure.kind is FigureKind.DATE:
            if not (meaning.predicate.endswith("deadline") and _is_of_case(clause, meaning.figure)):
                yield meaning
        elif meaning.figure.kind is FigureKind.TIME:
            yield _correct_time(clause, meaning)
        else:
            yield _correct_limit(clause, meaning)


def _correct_limit(clause: Clause, meaning: Meaning) -> Meaning:
    """`darf 25 Prozent nicht überschreiten`: a limit, and not what is paid."""
    if meaning.predicate not in _CAPPED or clause.is_row:
        return meaning
    start, end = clause.part_of(meaning.figure.start)
    before = clause.masked[max(start, meaning.figure.start - _NEAR) : meaning.figure.start]
    after = clause.masked[meaning.figure.end : min(end, meaning.figure.end + _NEAR)]
    if (
        _POINTS_OF_TEST.match(after)
        or _MAJORITY_AFTER.match(after)
        or _MAJORITY_BEFORE.search(before)
    ):
        return replace(meaning, predicate="threshold", value_type="threshold", op="gte")
    if meaning.predicate in ("rate", "amount") and _AT_MOST.search(before):
        return replace(meaning, predicate="threshold", value_type="threshold", op="lte")
    directly = [one for one in _CAP_BEFORE.finditer(before) if len(before) - one.end() <= 12]
    is_capped = bool(directly) or _CAP_AFTER.search(after) is not None
    if not is_capped or _PAID.search(before):
        return meaning
    return replace(meaning, predicate="threshold", value_type="threshold", op="lte")


def _correct_time(clause: Clause, meaning: Meaning) -> Meaning:
    """`within two weeks` of a count, `ceases after six months`: how long, not until when."""
    text, figure = clause.masked, meaning.figure
    before = text[max(0, figure.start - _NEAR) : figure.start]
    if meaning.predicate in ("period", "deadline") and (
        _AGE_BEFORE.search(before) or _AGE_AFTER.match(text, figure.end)
    ):
        return replace(meaning, predicate="threshold", value_type="threshold")
    if meaning.predicate.endswith("deadline") and (
        _WINDOW.search(before)
        or _ENDS.search(text)
        or _NOT_BEFORE.search(before)
        or _STILL.search(before)
        or (_NO_EARLIER.search(before) and _AHEAD_OF.match(text, figure.end))
    ):
        return replace(meaning, predicate="period")
    if meaning.predicate == "deadline" and clause.article and _is_only_case(clause, figure):
        return replace(meaning, predicate="period")
    return meaning


def _is_only_case(clause: Clause, figure: Figure) -> bool:
    """`if a resolution is passed within the next 21 days`: a time that decides about a case."""
    start, _ = clause.part_of(figure.start)
    before = clause.masked[start : figure.start]
    opened = _OPENS_CASE.search(before)
    if opened is None and clause.text[:1].islower() and _LEADS_INTO_CASE.match(clause.lead):
        return _DUE_OR_MISSED.search(f"{clause.lead} {before}") is None
    return opened is not None and _DUE_OR_MISSED.search(opened["case"]) is None


def _is_of_case(clause: Clause, figure: Figure) -> bool:
    """Whether a day is part of a condition, or one before which something is forbidden."""
    before = clause.masked[: figure.start]
    if _FORBIDS_UNTIL.search(before):
        return True
    return _BEFORE_DAY.search(before) is not None and is_in_case(clause, figure)
