"""Which stretches of time are not deadlines: those that must pass first, last, or look back.

An act says "within" and "not later than" of deadlines, but it counts in days and years for much
else: how long somebody holds an office, what happens only after a time, and over which time
something is measured.
"""

import re
from dataclasses import replace

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import FigureKind
from assay.packs.regulatory.extractor.meaning import Meaning
from assay.packs.regulatory.extractor.periods import is_in_condition
from assay.packs.regulatory.extractor.time_cues import NO_MORE_AFTER

_NEAR = 200
_PASSED = re.compile(
    r"(?<!\w)(?:"
    r"(?:(?:po|nakon)\s(?:prote[kc]\w{1,3}|iste[kc]\w{1,3}|što\s(?:protekne|istekne|proteku|isteknu))"
    r"|istekom|protekom)(?:\s(?:roka|razdoblja|vremena))?(?:\sod)?(?:\snajmanje)?"
    r"|najranije(?:\s(?:po|nakon|u\sroku\sod|istekom))?"
    r"|(?:after|upon|on|at|until)\s(?:the\s)?(?:expiration|expiry|end|lapse)\sof\s(?:(?:an?|the|another)\s)?"
    r"(?:(?:[a-z]{4,12}\s)?(?:period|term)\sof\s)?(?:at\sleast|not\sless\sthan)?"
    r"|not?\s(?:being\s|be\s)?(?:earlier|sooner)\sthan"
    r"|(?:after|beyond|until|(?:beginning|commencing|starting|ending|terminat\w{1,3}|expir\w{1,3}|effective)\son"
    r"|(?:on|through)\sthe\sday\sbefore)\sthe\s(?:date|day)(?:\s(?:that|which)\s(?:is|falls|occurs)|\soccurring)?"
    r"|nach\sablauf(?:\s(?:von|eine[rs]\s(?:[a-zäöüß]{3,20}\s)?(?:frist|zeit\w{0,6})\svon))?(?:\smindestens)?"
    r"|frühestens(?:\s(?:nach|ab|innerhalb))?|erst(?:\s(?:nach|ab)(?:\sablauf(?:\svon)?)?)?)\s{0,3}$",
    re.IGNORECASE,
)
"""Words before a time that must have passed."""
_AT_THE_LATEST = re.compile(
    r"(?<!\w)(?:spätestens(?:\sjedoch)?|najkasnije|later\sthan|latest)\s{0,3}$", re.IGNORECASE
)
_BEFORE_END = re.compile(
    r"(?<!\w)(?P<even>i\s|even\s|auch\s|bereits\s|schon\s|already\s)?(?:prije\s(?:isteka|proteka)(?:\s(?:roka|razdoblja))?(?:\sod)?"
    r"|before\s(?:the\s(?:expiration|expiry|end|lapse)\sof\s)?(?:(?:an?|the)\s)?(?:(?:[a-z]{4,12}\s)?(?:period|term)\sof)?|until(?:\sat\sleast)?"
    r"|vor\sablauf(?:\s(?:von|eine[rs]\s(?:[a-zäöüß]{3,20}\s)?(?:frist|zeit\w{0,6})\svon))?)\s{0,3}$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?<!\w)(?:ne|nije|nisu|niti|nitko|ni|no|not|nor|neither|cannot|never|nicht|kein\w{0,2}|niemand|weder)(?!\w)",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?<!\w)(?:najmanje|barem|at\sleast|not?\s(?:less|fewer)\sthan|mindestens|wenigstens)\s{0,3}$",
    re.IGNORECASE,
)
_THEREAFTER = re.compile(
    r"\s{0,3}(?:after|following|nach|nakon|have\s(?:elapsed|passed)|has\s(?:elapsed|passed))(?!\w)",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"(?<!\w)(?:un[a-z]{3,14}ed|outstanding|unpaid|pending|vacant|idle|in\sdefault|terminates?|expires?)(?:\sfor)?\s{0,3}$",
    re.IGNORECASE,
)
"""`property remaining unclaimed two years after the sale`: how long something was so."""
_HAPPENS = re.compile(
    r"(?<!\w)(?:ending|ended|beginning|began|commencing|occurring|expiring)\s(?:at\sleast|not\sless\sthan|more\sthan)\s{0,3}$",
    re.IGNORECASE,
)
"""`the last year ending at least 6 months before the sale`: which year is meant."""
_AT_MOST = re.compile(
    r"(?<!\w)(?:not?\s(?:more|longer)\sthan|not?\s(?:earlier|sooner)\sthan|not\sexceeding|höchstens|frühestens"
    r"|längstens|najranije|najviše|ne\sviše\sod|ne\sranije\sod)\s{0,3}$",
    re.IGNORECASE,
)
_FOR_LONG = re.compile(
    r"(?<!\w)(?:for|seit|während)\s(?:(?:not\sless|more)\sthan|at\sleast|mindestens)?\s{0,3}$"
    r"|(?<!\w)(?:more|longer|less|fewer)\sthan\s{0,3}$|(?<!\w)(?:mehr|länger|weniger)\sals\s{0,3}$"
    r"|(?<!\w)(?:više|duže|dulje|manje)\sod\s{0,3}$",
    re.IGNORECASE,
)
_NOT_ONLY_LESS = re.compile(r"(?<!\w)not?\sless\sthan\s{0,3}$", re.IGNORECASE)
_FORBIDDEN = re.compile(
    r"(?<!\w)(?:(?:may|shall|must)\snot|no\s[a-z]{3,14}\s(?:may|shall)|ne\ssmij[eu])(?!\w)[^,;]{0,140}\s"
    r"(?:within(?:\sa\speriod\sof)?|u\sroku\sod)\s{0,3}$",
    re.IGNORECASE,
)
"""`may not be employed within three years after`: how long something is forbidden."""
_EXCEPT = re.compile(r"(?<!\w)(?:unless|except|if|later|osim|ako)(?!\w)", re.IGNORECASE)
_AHEAD = re.compile(
    r"[\s-]{0,3}(?:period\s)?(?:immediately\s|next\s)?(?:before|prior\sto|preceding|vor|prije)(?!\w)",
    re.IGNORECASE,
)
_OVER_TIME = re.compile(
    r"(?<!\w)(?:(?:in|during|within|throughout)\s(?:the|any|each|every)(?:\s[a-z]{4,12})?(?:\speriod\sof)?"
    r"|(?:tijekom|tokom|u|kroz|za)\srazdoblj\w{1,2}(?:\sod)?|tijekom|tokom|za"
    r"|(?:in|innerhalb|während)\s(?:de[rns]|einer|eines)(?:\szeitraum\w{0,2}\svon)?|innerhalb\svon)\s{0,3}$",
    re.IGNORECASE,
)
_MEASURED_BACK = re.compile(
    r"[\s-]{0,3}(?:periods?\s|zeitraum\w{0,2}\s)?(?:(?:immediately\s|next\s)?(?:before|prior\sto|preceding|ending\swith|ending\son)"
    r"|vor(?:\sde[mrs])?|koj[aei]\sprethod\w{1,3}|prije|unatrag)(?!\w)",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"(?<!\w)(?:for\s(?:(?:an?|the|such|any|another|further|one|each)\s){0,2}(?:[a-z-]{3,14}\s){0,2}"
    r"(?:period|term|duration|time)s?(?:\sof)?,?\s(?:(?:as|of|not|exceeding|exceed|more|longer|less|than|up|to|at|least"
    r"|most|no|which|shall|may|does|be)\s){0,6}"
    r"|(?:für|auf)\s(?:(?:einen?|die|den|eine|der)\s)?(?:[a-zäöüß]{4,20}\s){0,2}(?:zeitraum|dauer|zeit|amtszeit)"
    r"(?:\svon)?(?:\s(?:jeweils|längstens|höchstens|mindestens|bis\szu|mehr\sals|weniger\sals)){0,2}\s"
    r"|(?:za|na)\s(?:[^\W\d_]{3,14}\s)?(?:razdoblj\w{1,2}|vrijeme|mandat\w{0,3})(?:\s(?:od|do))?"
    r"(?:\s(?:najviše|najmanje|najdulje|najduže))?\s"
    r"|(?:u\strajanju|trajanj[ae]|duration|mandat|amtszeit|amtsdauer|laufzeit|gültigkeitsdauer|term\sof\soffice)"
    r"(?:\s(?:of|od|do|von|is|je|traje|beträgt))?(?:\s(?:najviše|najmanje|höchstens|mindestens|up\sto|at\sleast))?\s"
    r")\s{0,2}$",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"(?<!\w)(?:holds?\soffice|term\sof\soffice|serves?\sas|mandat\w{0,2}\straje|shall\sserve)(?!\w)"
    r"[^.;]{0,80}$",
    re.IGNORECASE,
)
_NOT_LONGER = re.compile(
    r"(?<!\w)(?:period|term|duration|dauer|zeitraum|trajanje|razdoblje)(?!\w)[^.;]{0,80}\s(?:not\sexceed|nicht\süberschreiten"
    r"|ne\s(?:može|smije)\s(?:biti|trajati))(?!\w)[^.;]{0,60}$",
    re.IGNORECASE,
)
"""`the total period of payment does not exceed 6 months from …`."""
_OF_SERVICE = re.compile(
    r"\s{0,3}(?:(?:or\smore\s)?of\s(?:[a-z]{4,12}\s)?(?:service|experience|employment|age)"
    r"|(?:[^\W\d_]{4,16}\s)?(?:iskustva|staža))(?!\w)",
    re.IGNORECASE,
)
_LATEST = re.compile(
    r"(?<!\w)(?:within|later\sthan|innerhalb|binnen|spätestens|najkasnije|u\sroku)(?!\w)[^,;]{0,30}$",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?<!\w)(?:rok(?:om|a|u)?|fristen?|terms?|maturity|laufzeit)(?:\s[^\W\d_]{3,20}){0,2}\s(?:duž|dul|krać|već|länger"
    r"|kürzer|mehr|longer|shorter|exceeding)\w{0,5}(?:\s(?:od|als|than))?\s{0,3}$",
    re.IGNORECASE,
)
"""`s rokom povrata dužim od jedne godine`: which loans are meant."""
_LONGER = re.compile(
    r"(?<!\w)((?:dulj|dul[jg]|duž|krać)\w{0,4})\s(?:od|nego)\s{0,3}$", re.IGNORECASE
)
_LIMITED = re.compile(
    r"(?<!\w)(?:ne|ni|niti)\s(?:[^\W\d_]{2,20}\s){0,2}$"
    r"|(?<!\w)(?:ne|ni|niti|nit[ik]o|nijed\w{1,4})\s(?:se\s)?(?:smij|mož|mog|treba|traj)\w{0,4}(?!\w)[^,;]{0,140}$",
    re.IGNORECASE,
)
"""`ne može trajati dulje od`: what is compared is forbidden, which makes it a rule."""
_ATTRIBUTE = re.compile(
    r"(?<!\w)(?:eine[rsnm]?|die|der|den|dem|das|jede[rsnm]?)\s(?:innerhalb|binnen)(?:\svon)?\s{0,3}$",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"[^,;]{0,120}\s[a-zäöüß]{4,24}(?:ende|ete|te|ene)[rnms]?\s[A-ZÄÖÜ]")
"""`eine innerhalb von drei Monaten fällig werdende Gebühr`: which fee is meant."""


def correct_span(clause: Clause, meaning: Meaning) -> Meaning:
    """A period instead of a deadline, if a time must pass first, lasts, or looks back."""
    if meaning.figure.kind is not FigureKind.TIME or not meaning.predicate.endswith("deadline"):
        return meaning
    if not clause.article or meaning.figure.ordinal or clause.is_row:
        return meaning
    return replace(meaning, predicate="period") if _is_span(clause, meaning) else meaning


def correct_length(clause: Clause, meaning: Meaning) -> Meaning:
    """A threshold instead of a time, if something is compared with it: `dulje od tri mjeseca`."""
    counted = meaning.predicate == "period" or meaning.predicate.endswith("deadline")
    if meaning.figure.kind is not FigureKind.TIME or not counted or not clause.article:
        return meaning
    before = clause.masked[max(0, meaning.figure.start - _NEAR) : meaning.figure.start]
    compared = _LONGER.search(before)
    if compared is None or _LIMITED.search(before[: compared.start()]):
        return meaning
    op = "lt" if compared[1].lower().startswith("kra") else "gt"
    return replace(meaning, predicate="threshold", value_type="threshold", op=op)


def _is_span(clause: Clause, meaning: Meaning) -> bool:
    figure = meaning.figure
    start, end = clause.part_of(figure.start)
    before = clause.masked[max(start, figure.start - _NEAR) : figure.start]
    after = clause.masked[figure.end : min(end, figure.end + _NEAR)]
    if _must_pass(before, after) or _looks_back(before, after):
        return True
    if _COMPARED.search(before) and not _DENIED.search(before[-60:]):
        return True
    if _ATTRIBUTE.search(before) and _PARTICIPLE.match(after):
        return True
    forbidden = _FORBIDDEN.search(before)
    if _OF_SERVICE.match(after) or (forbidden and not _EXCEPT.search(forbidden[0])):
        return True
    lasting = any(form.search(before) for form in (_LASTS, _HOLDS, _NOT_LONGER))
    return lasting and not _LATEST.search(before)


def _must_pass(before: str, after: str) -> bool:
    """`tek po proteku tri godine`, `not before the end of 60 days`, `frühestens nach`."""
    if NO_MORE_AFTER.search(before):
        return False
    if (passed := _PASSED.search(before)) and not _AT_THE_LATEST.search(before[: passed.start()]):
        return True
    if (_AT_LEAST.search(before) or _LEFT.search(before)) and _THEREAFTER.match(after):
        return True
    ended = _BEFORE_END.search(before)
    if ended is None:
        return False
    if ended["even"]:
        return True
    if is_in_condition(before):
        # "If it is not done before the end of 18 days": that is how long there is to do it.
        return False
    denied = _DENIED.search(before[: ended.start()]) or re.match(r"[^,;]{0,120}\bnicht\b", after)
    return denied is not None


def _looks_back(before: str, after: str) -> bool:
    """`in the 30 days before`; and the earliest moment: `not more than three months before`."""
    if _AHEAD.match(after):
        if _HAPPENS.search(before):
            return True
        long = _FOR_LONG.search(before)
        less = _NOT_ONLY_LESS.search(before) and not re.match(r"for\s", long[0] if long else "")
        if _AT_MOST.search(before) or (long and not less):
            return True
    return _OVER_TIME.search(before) is not None and _MEASURED_BACK.match(after) is not None
