"""What times and dates say: deadlines, periods, and when an act starts or ceases to apply."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.extractor import cues, time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import choose_deadline
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.force import (
    interpret_application_date,
    interpret_force_date,
    interpret_force_time,
    says_entry_into_force,
)
from assay.packs.regulatory.extractor.meaning import FAIR, GOOD, WEAK, Meaning, find_comparison
from assay.packs.regulatory.extractor.periods import (
    find_open_condition,
    interpret_period,
    interpret_retention,
    is_clock_time,
    is_in_condition,
    is_validity_limit,
)

_AND = re.compile(
    r"\s{0,3}(?:,|i|te|and|und|,\s*and|,\s*und)\s{0,3}(?:do|by|bis|zum|am|on)?\s{0,3}",
    re.IGNORECASE,
)
_OR = re.compile(
    r"(?:,|\s)\s?(?:odnosno|or|oder|beziehungsweise|bzw\.)\s(?:the\s|within\s|u\sroku\sod\s"
    r"|binnen\s|by\s"
    r"|bis\szum\s|do\s)?$",
    re.IGNORECASE,
)
_NOR = re.compile(
    r"(?:,|\s)\s?(?:ni|niti|nor|noch|a\sne|but\snot)\s(?:dulj|duž|krać|longer|shorter|more|less|mehr|länger)"
    r"\w{0,3}\s(?:od|than|als)\s$",
    re.IGNORECASE,
)
"""`ne može biti kraći od osam dana niti dulji od tri mjeseca`: both ends of one time."""
_IN_BRACKETS = re.compile(r"[^;()]{0,60}\s?\(")
_IN_THE_CASE = re.compile(
    r"\s(?:if|where|in\sthe\scase|for|ako|u\sslučaju|wenn|bei|im\sfall)(?!\w)", re.IGNORECASE
)
_HAS_BEEN_DONE = re.compile(
    r"[^,;]{0,90}\b(?:worden\s(?:ist|sind|war)|(?:ge|nachge|ange|abge|einge)\w{3,16}(?:t|en)\s(?:hat|haben|ist|sind|wurden?|waren?))"
    r"\b"
)
"""`dem bis zum 6. August 2016 ein Nachweis ausgestellt worden ist`: what was done until a day."""
_LIMITED_LIFE = re.compile(
    r"\s{0,3}(?:[^\W\d_]{2,16}\s){0,3}(?:zu\s)?(?:befriste\w{1,2}|verlänger\w{1,2}|erteil\w{1,2})(?!\w)"
)
_REFERS_BACK = re.compile(
    r"(?<!\w)(?:has|have|had|been|was|were|immediately|incurred|completed|born|existing|acquired|deferred|suspended|postponed|which|who|whose)(?!\w)[^,;]{0,60}"
    r"\s(?:before|prior\s+to|until)(?:\s+the)?\s{0,3}$",
    re.IGNORECASE,
)
"""`incurred prior to September 1, 1954`: what had been done by a day, and not what has to be."""
_ATTRIBUTE = re.compile(
    r"\s{1,3}(?:[a-zäöüß]{2,20}\s){0,3}[a-zäöüß]{4,24}(?:t|en|d|ig)e[nrms]?\s(?:[a-zäöüß]{3,20}\s){0,2}[A-ZÄÖÜ]"
)
"""`die bis zum 31. Dezember 2019 eingesetzten Verfahren`."""
_UNTIL_GERMAN = re.compile(
    r"(?<!\w)(?:bis(?:\s(?:zum|einschließlich|zum\sablauf\sdes))?|vor\sdem)\s{0,3}$", re.IGNORECASE
)
_IN_TIME_AFTER = re.compile(
    r"(?<!\w)(?:nach(?:\sdem)?|after(?:\sthe)?|(?:commencing|beginning|starting|ending|ended|expiring)\son(?:\sthe)?)"
    r"\s{0,3}$",
    re.IGNORECASE,
)
"""`Renten, die nach dem 30. Juni 1990 fällig werden`, `the week commencing on the 12th`."""
_VERB_FIRST = re.compile(
    r"^\W{0,3}[A-ZÄÖÜ][a-zäöüß]{2,16}(?:t|en|d|r)\s(?:der|die|das|ein\w{0,2}|sich|er|sie|es)\s[^,;]{0,160}\s(?:vor|nach)\sdem\s{0,3}$"
)
"""`Geht ein Antrag vor dem 1. März ein, kann …`: a day in a condition."""
_MAIN_FOLLOWS = re.compile(r",\s(?:so\s)?[a-zäöüß]{3,14}(?:t|n|d|f)\s")
_DAY_BEFORE = re.compile(r"(?<!\w)on\sthe\sday\sbefore(?:\sthe)?\s{0,3}$", re.IGNORECASE)
"""`the powers that he had on the day before May 3, 1988`."""
_BEFORE_DAY = re.compile(r"(?<!\w)(?:before|prior\s+to)(?:\s+the)?\s{0,3}$", re.IGNORECASE)
_OPENING = 40
_NEAR_DUTY = 90
"""So near before a day is the duty that has to be done by then, unless the day comes first."""
_CONTINUES = re.compile(
    r"(?<!\w)(?:betrieben|aufrecht\w{0,10}|beibehalten|vorgehalten|fortgeführt|fortgesetzt|weiter\w{0,10}"
    r"|maintain\w{0,3}|continue[sd]?|remain|održava\w{0,3}|nastavlja\w{0,2}|nastavit\w?|obavlja\w{0,3}"
    r"|zadržava\w{0,2})(?!\w)",
    re.IGNORECASE,
)
"""What goes on until a day, rather than has to be done by then."""
_NOT_BY = re.compile(r"(?<!\w)(?:not|ne|nicht)\s+(?:by|do|bis(?:\s+zum)?)\s{0,3}$", re.IGNORECASE)
_DONE_BY = re.compile(
    r"(?<!\w)(?:received|entered|made|acquired|issued|incurred|concluded|born|primljen\w{1,2}"
    r"|izdan\w{1,2}|sklopljen\w{1,2}|rođen\w{1,2}|stečen\w{1,2}|nastal\w{1,2}"
    r"|upisan\w{1,3}|ostvaren\w{1,3}|navršen\w{1,3}|započet\w{1,3}|podnesen\w{1,3}|osnovan\w{1,3}|donesen\w{1,3}|zatečen\w{1,3})"
    r"\s+(?:on\s+or\s+before|before|by|until|do|prije)\s{0,3}$",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"(?<!\w)[a-z]{3,14}ed(?:\s(?:for|up|in|out))?\s+(?:before|prior\s+to|until)\s{0,3}$"
)
_WHO_DID = re.compile(
    r"(?<!\w)(?:who|that|which)\s+(?:\w{1,12}\s){0,2}\w{2,14}ed\s+(?:on\s+or\s+)?(?:before|by"
    r"|until)\s{0,3}$",
    re.IGNORECASE,
)
_FROM_DAY = re.compile(r"(?<!\w)(?:od|from(?:\sthe)?|ab(?:\sdem)?)\s{0,3}$", re.IGNORECASE)
"""`od prvoga dana idućeg mjeseca`: when something begins."""
_IS_THE_DEADLINE = re.compile(
    r"(?<!\w)(?:rok\w{0,3}|deadlines?|due\s+dates?|time\s+limit|\w{0,16}frist|last\s+day|stichtag"
    r"|\w{0,8}termin\w?|fälligkeit\w{0,10}|dospijeće)"
    r"(?:\s\w{1,20}){0,7}(?::|\s(?:je|su|is|are|ist|sind|shall\s+be|endet\s+am|istječe|ends\s+on"
    r"|expires\s+on)\s)"
    r"\s{0,3}(?:der\s|am\s)?$",
    re.IGNORECASE,
)
_FOR_A_TERM = re.compile(
    r"(?<!\w)na\s+(?:rok|razdoblje|vrijeme)(?:\s+(?:od|do))?(?:\s+najviše)?\s{0,3}$", re.IGNORECASE
)
_FOR_AT_MOST = re.compile(r"(?<!\w)für\s(?:längstens|höchstens|mindestens)\s{0,3}$", re.IGNORECASE)
_NO_TERM = re.compile(
    r"(?<!\w)(?:ne\s+postoji|nema|there\s+is\s+no|es\s+gibt\s+kein\w{0,2}|nije\s+propisan)(?!\w)",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\s{0,3}(?:prije|before|prior\s+to|vor|(?P<ahead>ahead\s+of|in\s+advance"
    r"|im\s+voraus|vorher|zuvor|beforehand|ranije|unaprijed|[’']\s?(?:prior\s+"
    r"|written\s+)?notice))(?!\w)",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"(?:\s(?:and|i|und)\s\w{2,6}\s(?:day|dan|tag))?\s{0,3}(?:od|otkad\w?|nakon|po|after"
    r"|following|from|nach|ab)\s(?!·)"
    r"|\s{0,3}of\s(?!·)(?!actual|continuous|full|paid|service|experience|age(?!\w)|work(?!\w))",
    re.IGNORECASE,
)
_TERM_AFTER = re.compile(
    r"\s{0,3}(?:rok\w{0,3}|\w{0,12}frist|deadline|time\s+limit|window|limit|period\s+(?:for|to"
    r"|within|in\s+which))(?!\w)",
    re.IGNORECASE,
)
_GERMAN_TIME = re.compile(r"(?:tage|woche)n$", re.IGNORECASE)
_ENTITLED = re.compile(r"(?<!\w)(?:berechtigt|befugt|ermächtigt)(?!\w)", re.IGNORECASE)
"""`ist berechtigt, vier Wochen nach Androhung zu kündigen`: who may do something has no duty."""
_FOR_LONG = re.compile(r"(?<!\w)für\s{0,3}$")
_U = re.compile(r"(?<!\w)(?:u|kroz)\s{0,3}$", re.IGNORECASE)
_IN_TIME = re.compile(r"(?<!\w)(?:u|kroz|in)\s{0,3}$", re.IGNORECASE)
_RUNS_AFTER = re.compile(
    r"(?<!\w)(?:nakon|after|nach|istekom|po\s+isteku|following|frühestens"
    r"|earliest)(?:\s\w{1,12}){0,2}"
    r"\s{0,3}$",
    re.IGNORECASE,
)
"""What happens only after a time has passed is not a deadline."""
_HAS = re.compile(r"(?<!\w)(?:has|have|ima|imaju|hat|haben|gets?)\s{0,3}$", re.IGNORECASE)
_TO_DO = re.compile(r"\s{0,3}(?:to|in\s+which|within\s+which|za|da|zeit|um)(?!\w)", re.IGNORECASE)
_GIVES = re.compile(
    r"(?<!\w)(?:give|gives|given|afford|affords|afforded|allow|allows|allowed)\s[^;]{3,160}$",
    re.IGNORECASE,
)
_IN_WHICH = re.compile(
    r"(?:\s(?:from|after|of|beginning)\s[^;]{3,100}?)?(?:,\sor\s[^;]{3,100}?,?)?\s"
    r"(?:(?:with)?in\swhich\sto|to(?=\s(?:make|submit|respond|reply|comply|object)))(?!\w)",
    re.IGNORECASE,
)
"""`shall give them 28 days within which to make representations`."""
_OF_WHICH = re.compile(r"\s(?:in\srespect\s)?(?:of|on|for)\swhich(?!\w)", re.IGNORECASE)
"""`the first day in respect of which benefit is payable`."""
_MAY_DURING = re.compile(
    r"(?<!\w)(?:may|shall|must),?\s(?:at\sany\stime\s)?during\s(?:the|a)\speriod\sof\s$",
    re.IGNORECASE,
)
_AFTER_DURING = re.compile(
    r"\s(?:beginning|commencing|from|after|following)\s[^,;]{3,120},\s"
    r"(?:appeal|apply|make|pay|submit|lodge|give|request|object|withdraw|send|return)(?!\w)",
    re.IGNORECASE,
)
"""`may, during the period of 21 days beginning on the date of the notice, make a payment`."""
_NOT_YET = re.compile(
    r"(?<!\w)(?:shall|may|must)\snot\s[^;.]{1,60}\sbefore(?:\sthe)?\s{0,3}$", re.IGNORECASE
)
"""`shall not charge, before 1 January 2015, for water`: from when something is allowed."""
_BY_THE_END = re.compile(
    r"(?<!\w)by\sthe\s(?:end|expiry|expiration)\sof\s(?:(?:the|a)\speriod\sof\s)?$", re.IGNORECASE
)
_UP_TO = re.compile(
    r"\.?\s{0,3}(?:do|to|bis|until|–|-)(?:\szum)?\s{0,3}"
    r"|,?\s(?:and|but|or)\s(?:ending\s)?(?:on\sor\sbefore|before|on|not\slater\sthan|prior\sto)(?:\sthe)?\s{0,3}",
    re.IGNORECASE,
)
"""`on or after 1 January and on or before 31 December`: between two days."""
_BETWEEN = re.compile(r"(?<!\w)(?:between|između)(?:\sthe)?\s{0,3}$", re.IGNORECASE)
_EXPIRES = re.compile(r"(?<!\w)(?:expires?|lapses?)\s{0,3}$", re.IGNORECASE)
_DEFINITION = re.compile(
    r"\W{0,6}[‘“\"'][^’”\"']{2,80}[’”\"'],?\s(?:[^;.]{0,200}\s)?means(?!\w)", re.IGNORECASE
)
_HAPPENING = re.compile(
    r"(?<!\w)(?:(?:occurring|happening|arising|falling|executed|used|born|incurred|committed|died|dies|occurs?)\s+within"
    r"|(?:displays?|develops?)\s[^;]{0,140}\s(?:within|later\sthan))(?!\w)[^,;]{0,40}$",
    re.IGNORECASE,
)
"""`events occurring within a period of 3 months`: what is counted, where nobody has to act."""
_SURELY_BY = re.compile(
    r"(?<!\w)(?:by|later\s+than|on\s+or\s+before|najkasnije(?:\s+do)?|spätestens"
    r"|zaključno\s+\w{1,2})"
    r"(?:\s\w{1,9}){0,2}\s{0,3}$",
    re.IGNORECASE,
)
"""What only a deadline says; something may also apply "until" a day."""
_UNTOUCHED = re.compile(
    r"(?<!\w)(?:not\s+(?:affect|apply)|ne\s+(?:utječe|primjenjuj|odnos)\w{0,3}|unberührt"
    r"|nicht\s+berührt)",
    re.IGNORECASE,
)
_IN_FORCE = re.compile(r"entry\s+into\s+force|stupanj\w\s+na\s+snagu|inkrafttreten", re.IGNORECASE)
_ONLY_DUE = re.compile(r"due|fällig|dospij|payable", re.IGNORECASE)
_ITEM = 120
"""Most letters of a list item that says little more than a time."""
_DEADLINES_FOLLOW = re.compile(
    r"(?<!\w)(?:rok(?:ovi|u|om)?|deadlines?|time\s+limits?|within|\w{0,16}fristen?"
    r"|following\s+periods?"
    r"|innerhalb|binnen)(?!\w)",
    re.IGNORECASE,
)
_SET_APART = re.compile(r"(?:[:–—-]|\s{2,})\s{0,3}$")
_UNTIL = re.compile(r"(?<!\w)until\s{0,3}$", re.IGNORECASE)
_AT_LEAST_UNTIL = re.compile(
    r"(?<!\w)(?:mindestens|wenigstens|at\sleast|najmanje|barem)\s(?:bis|until|do)(?:\szum|\sthe)?\s{0,3}$",
    re.IGNORECASE,
)
"""`ist mindestens bis zum 31. Dezember 1990 zu gewährleisten`: what lasts, and is not due."""
_UNTIL_DAY = re.compile(r"(?<!\w)(?:until(?:\sthe)?|bis(?:\szum)?|do)\s{0,3}$", re.IGNORECASE)
_SHORT = 60
"""Most letters of an answer that needs its question."""
_WHEN = re.compile(
    r"(?<!\w)(?:rok\w{0,3}|do kada|kada|when|deadline|bis wann|wann"
    r"|\w{0,14}frist(?:en)?)(?!\w)",
    re.IGNORECASE,
)


def interpret_time(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a stretch of time or a day of the month means."""
    if other := _interpret_alternative(clause, figure, so_far):
        return other
    before = clause.words_before(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    if is_clock_time(clause, figure):
        return None
    if says_entry_into_force(part):
        return interpret_force_time(clause, figure)
    if _adds_to_last(clause, figure):
        return None
    if figure.ordinal:
        return _interpret_counted_day(clause, figure)
    if retention := interpret_retention(clause, figure, part):
        return retention
    if _FOR_A_TERM.search(before):
        return Meaning(figure, "period", "count", FAIR)
    if _NO_TERM.search(before):
        return None
    within = time_cues.WITHIN.search(before)
    if clause.article and _FOR_AT_MOST.search(before):
        return Meaning(figure, "period", "count", FAIR)
    if (
        within
        and re.search(r"längstens", within[0])
        and _LIMITED_LIFE.match(clause.masked, figure.end)
    ):
        return Meaning(figure, "period", "count", FAIR)
    if within and clause.article and within[0].rstrip().lower().endswith("exceed"):
        return Meaning(figure, "period", "count", FAIR)
    if within and is_validity_limit(before):
        return interpret_period(clause, figure, part)
    if clause.article and _EXPIRES.search(before) and _AFTERWARDS.match(clause.masked, figure.end):
        return Meaning(figure, "period", "count", FAIR)
    if time_cues.NO_MORE_AFTER.search(before) or _BY_THE_END.search(before):
        return _build_deadline(clause, figure)
    if within or _IS_THE_DEADLINE.search(before) or _is_counted_back(clause, figure):
        return None if _measures_sum(clause, figure) else _build_deadline(clause, figure)
    if clause.heading.rstrip().endswith("?") and len(clause.text) <= _SHORT:
        return _interpret_answer(clause, figure) or interpret_period(clause, figure, part)
    if _MAY_DURING.search(before) and _AFTER_DURING.match(clause.masked, figure.end):
        return _build_deadline(clause, figure)
    if _GIVES.search(before) and _IN_WHICH.match(clause.masked, figure.end):
        return _build_deadline(clause, figure)
    found = interpret_period(clause, figure, part) or _interpret_due_after(clause, figure, part)
    return found or _interpret_listed_deadline(clause, figure)


def _interpret_listed_deadline(clause: Clause, figure: Figure) -> Meaning | None:
    """`Rokovi: prijava – 15 dana`: an item of a list of deadlines."""
    around = _DEADLINES_FOLLOW.search(clause.lead[-80:]) or (
        _DEADLINES_FOLLOW.search(clause.heading) and _SET_APART.search(clause.words_before(figure))
    )
    if not around or len(clause.text) > _ITEM or find_comparison(clause, figure) in ("gt", "lt"):
        return None
    if is_in_condition(clause.words_before(figure)):
        return None
    name, confidence = choose_deadline(clause, figure)
    return Meaning(figure, name, "count", min(confidence, 0.84))


def _interpret_alternative(
    clause: Clause, figure: Figure, so_far: Sequence[Meaning]
) -> Meaning | None:
    """`within 30 days, or 90 days where …`: the same deadline in another case."""
    last = so_far[-1] if so_far else None
    if last is None or last.figure.kind is not FigureKind.TIME or last.value_type != "count":
        return None
    between = clause.masked[last.figure.end : figure.start]
    bracketed = _IN_BRACKETS.fullmatch(between) and _IN_THE_CASE.match(clause.masked, figure.end)
    linked = _OR.search(between) or _NOR.fullmatch(between) or bracketed
    if figure.ordinal != last.figure.ordinal or not linked or len(between) > 70:
        return None
    return replace(last, figure=figure, confidence=min(last.confidence, 0.84))


def _interpret_counted_day(clause: Clause, figure: Figure) -> Meaning | None:
    """`by the 20th day of the month`, `am 10. Tag nach Ablauf … fällig`."""
    before = clause.words_before(figure)
    named_by = (
        time_cues.BY.search(before) is not None or time_cues.WITHIN.search(before) is not None
    )
    if _FROM_DAY.search(before):
        return None
    start, end = clause.part_of(figure.start)
    due = time_cues.ON.search(before) or time_cues.DUE.search(clause.masked[start:end])
    if _OF_WHICH.match(clause.masked, figure.end):
        return None
    if figure.unit != "day_of_month" and not named_by and not due:
        return None
    if _RUNS_AFTER.search(before) or _ATTRIBUTE.match(clause.masked, figure.end):
        # "frühestens der erste Tag des Monats", "zum Ersten des Monats erstellte Listen".
        return None
    name, confidence = choose_deadline(clause, figure)
    if name == "deadline" and not named_by:
        return None
    return Meaning(figure, name, "count", min(confidence, GOOD if named_by else 0.86))


def _build_deadline(clause: Clause, figure: Figure) -> Meaning:
    name, confidence = choose_deadline(clause, figure)
    before = clause.words_before(figure, past_others=True)
    if _HAPPENING.search(before) or (_DEFINITION.match(clause.masked) and "within" in before):
        return Meaning(figure, "period", "count", FAIR)
    if is_in_condition(before) and not _is_named_in_condition(name, before, clause, figure):
        # "wenn der Rückerwerb innerhalb von zwei Jahren …": the main clause is not what is due.
        name = "deadline"
    return Meaning(figure, name, "count", confidence)


def _is_named_in_condition(name: str, before: str, clause: Clause, figure: Figure) -> bool:
    named = time_cues.DEADLINES.get(name)
    words = f"{find_open_condition(before)} {clause.words_after(figure)[:80]}"
    return named is None or named.search(words) is not None


def _interpret_due_after(clause: Clause, figure: Figure, part: str) -> Meaning | None:
    """`einen Monat nach Bekanntgabe fällig`, `payable 30 days after the invoice`."""
    after = clause.masked[figure.end :]
    before = clause.words_before(figure)
    if has := _interpret_time_to_act(clause, figure):
        return has
    if find_comparison(clause, figure) in ("gt", "lt", "gte") or is_in_condition(before):
        return None
    if _FOR_LONG.search(before):
        return None
    bound = time_cues.BOUND.search(part) or time_cues.DUE.search(part)
    if bound and _ENTITLED.search(bound[0]):
        bound = None
    in_time = _IN_TIME.search(before) and figure.unit in ("days", "working_days", "weeks")
    if in_time and not bound and _GERMAN_TIME.search(clause.masked, figure.start, figure.end):
        # "Grundbildung in überbetrieblichen Stätten in 20 Wochen": nobody has to act by then.
        return None
    in_time = in_time or (
        _U.search(before) and figure.unit in ("months", "hours") and not _is_clock_time(figure)
    )
    if not (in_time or _AFTERWARDS.match(after) or (_TERM_AFTER.match(after) and bound)):
        return None
    if _RUNS_AFTER.search(before) or _measures_sum(clause, figure):
        return None
    if _IN_FORCE.search(after[:60]) and time_cues.APPLIES_FROM.search(before):
        return None
    name, confidence = choose_deadline(clause, figure)
    if name == "deadline" and not (bound or in_time):
        return None
    return Meaning(figure, name, "count", min(confidence, 0.86 if bound else 0.83))


def _is_clock_time(figure: Figure) -> bool:
    """`u 12 sati` is a time of day."""
    return figure.unit == "hours" and figure.value.isdigit() and int(figure.value) < 24


def _interpret_time_to_act(clause: Clause, figure: Figure) -> Meaning | None:
    """`A person who buys a receiver has two months to take out a licence.`"""
    before = clause.words_before(figure)
    has = _HAS.search(before) and _TO_DO.match(clause.masked, figure.end)
    if not has:
        return None
    name, confidence = choose_deadline(clause, figure)
    return Meaning(figure, name, "count", min(confidence, FAIR))


def _adds_to_last(clause: Clause, figure: Figure) -> bool:
    """`nine months and one day after`: the day only adds to the months."""
    ends = [
        one.end for one in clause.figures if one.kind is FigureKind.TIME and one.end <= figure.start
    ]
    between = clause.masked[ends[-1] : figure.start] if ends else ""
    return re.fullmatch(r"\s(?:and|i|und)\s", between) is not None and figure.unit == "days"


def _measures_sum(clause: Clause, figure: Figure) -> bool:
    """`wer binnen eines Jahres weniger als 100 000 Franken …`: the time over which a sum counts."""
    _, end = clause.part_of(figure.start)
    for other in clause.figures:
        if other.kind in VALUES and figure.end <= other.start < min(end, figure.end + 70):
            between = clause.masked[figure.end : other.start]
            is_deadline = any(pattern.search(between) for pattern in time_cues.DEADLINES.values())
            return bool(find_comparison(clause, other)) and not is_deadline and "," not in between
    return False


def _interpret_answer(clause: Clause, figure: Figure) -> Meaning | None:
    """A short answer, whose question says what it is about."""
    if time_cues.KEEP.search(clause.heading):
        return Meaning(figure, "retention_period", "count", 0.86)
    return _build_deadline(clause, figure) if _WHEN.search(clause.heading) else None


def interpret_date(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """What a date means; the day from which a value applies is not a separate fact."""
    before = clause.words_before(figure)
    concerns_force, meaning = interpret_force_date(clause, figure)
    if concerns_force:
        return meaning
    if _ends_period(clause, figure):
        return None
    if applied := interpret_application_date(clause, figure):
        return applied
    if last := _interpret_list_day(clause, figure, so_far):
        return replace(last, figure=figure)
    if any(form.search(before) for form in (_NOT_BY, _DONE_BY, _WHO_DID)) or _was_done(before):
        return None
    if clause.article and (_REFERS_BACK.search(before) or _goes_on(clause, figure)):
        return None
    if clause.article and (
        _describes(clause, figure, before) or _NOT_YET.search(before) or _DAY_BEFORE.search(before)
    ):
        return None
    if (
        clause.article
        and _VERB_FIRST.search(before)
        and _MAIN_FOLLOWS.search(clause.masked, figure.end)
    ):
        return None
    if time_cues.BY.search(before):
        done = _HAS_BEEN_DONE.match(clause.masked, figure.end)
        return None if done else _interpret_by_day(clause, figure)
    if _IS_THE_DEADLINE.search(before):
        name, confidence = choose_deadline(clause, figure)
        return Meaning(figure, name, "date", min(confidence, GOOD))
    return _interpret_due_on(clause, figure)


def _describes(clause: Clause, figure: Figure, before: str) -> bool:
    """`rights acquired prior to April 24, 1941`: when something was, where nobody has to act."""
    if _BEFORE_DAY.search(before) and not figure.value.startswith("--"):
        start, end = clause.part_of(figure.start)
        opens = figure.start - max(start, clause.begin) < _OPENING
        words = clause.masked[start:end] if opens else before[-_NEAR_DUTY:]
        acts = re.search(r"(?<!\w)may(?!\w)", words)
        return not acts and time_cues.BOUND.search(words) is None
    return (
        _UNTIL_GERMAN.search(before) is not None
        and _ATTRIBUTE.match(clause.masked, figure.end) is not None
    )


def _goes_on(clause: Clause, figure: Figure) -> bool:
    """`Bis zum 31. Dezember 2007 müssen … betrieben werden`: a duty that ends on a day."""
    before = clause.words_before(figure)
    if _AT_LEAST_UNTIL.search(before):
        return True
    if _SURELY_BY.search(before) or not _UNTIL_DAY.search(before):
        return False
    start, end = clause.part_of(figure.start)
    return _CONTINUES.search(clause.masked, start, end) is not None


def _was_done(before: str) -> bool:
    """`a grant applied for before 1 May`: when something was done, unless it must be done."""
    done = _PARTICIPLE.search(before)
    return done is not None and not re.search(
        r"(?:must|shall|should|to|may|can|will)\s(?:only\s)?be\s$", before[: done.start()]
    )


def _interpret_by_day(clause: Clause, figure: Figure) -> Meaning | None:
    """A day by which something must be done, unless something applies until that day."""
    before = clause.words_before(figure)
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end]
    name, confidence = choose_deadline(clause, figure)
    bound = time_cues.BOUND.search(part) is not None
    if figure.start <= 30 and bound and not _UNTIL.search(before):
        return Meaning(figure, name, "date", max(confidence, 0.9))
    if name != "deadline":
        return Meaning(figure, name, "date", confidence)
    if time_cues.APPLIES_FROM.search(part) or cues.RATE.search(part) or _UNTOUCHED.search(part):
        return None
    if confidence >= 0.9:
        return Meaning(figure, name, "date", confidence)
    if (bound or _SURELY_BY.search(before)) and not _UNTIL.search(before):
        return Meaning(figure, name, "date", WEAK + 0.02)
    return None


def _interpret_due_on(clause: Clause, figure: Figure) -> Meaning | None:
    """`sind am 10. März zu entrichten`, `due on 31 January`."""
    before = clause.words_before(figure)
    _, end = clause.part_of(figure.start)
    rest = clause.masked[figure.end : min(end, figure.end + 90)]
    if time_cues.FROM.search(before) or (clause.article and _IN_TIME_AFTER.search(before)):
        return None
    due = time_cues.DUE.search(before[-60:]) or time_cues.DUE.search(rest)
    yearly = figure.value.startswith("--") and time_cues.ON.search(before)
    if not due and not yearly:
        return None
    name, confidence = choose_deadline(clause, figure)
    on_day = re.search(r"(?<!\w)on\s{0,3}$", before) and not time_cues.BOUND.search(clause.masked)
    if not due and name != "payment_deadline" and on_day:
        # "does not report a change on June 1": something that merely happens on a day.
        return None
    if due and name == "deadline" and _ONLY_DUE.match(due[0]):
        name = "payment_deadline"
    if name == "deadline":
        return None
    return Meaning(figure, name, "date", min(confidence, GOOD if due else 0.86))


def _is_counted_back(clause: Clause, figure: Figure) -> bool:
    """`at least 30 days before …`: a deadline that is counted backwards."""
    start, end = clause.part_of(figure.start)
    bound = find_comparison(clause, figure) in ("gte", "lte") or time_cues.BOUND.search(
        clause.masked[start:end]
    )
    if not (back := _BACK.match(clause.masked, figure.end)):
        return False
    if back["ahead"]:
        return True
    return bool(bound) or choose_deadline(clause, figure)[0] != "deadline"


def _ends_period(clause: Clause, figure: Figure) -> bool:
    """`od 1. siječnja do 30. lipnja 2026.`: the end of a period is not a deadline."""
    for other in clause.figures:
        if other.kind is FigureKind.DATE and other.end <= figure.start:
            between = clause.masked[other.end : figure.start]
            if _UP_TO.fullmatch(between):
                return time_cues.FROM.search(clause.masked[: other.start]) is not None
            if _BETWEEN.search(clause.masked[: other.start]) and between.strip() in ("and", "i"):
                return True
    return False


def _interpret_list_day(
    clause: Clause, figure: Figure, so_far: Sequence[Meaning]
) -> Meaning | None:
    """`do 31. srpnja, 31. kolovoza i 30. rujna`: the later days of a list."""
    last = so_far[-1] if so_far else None
    if last is None or last.value_type != "date" or not last.predicate.endswith("deadline"):
        return None
    between = clause.masked[last.figure.end : figure.start]
    return last if _AND.fullmatch(between) else None
