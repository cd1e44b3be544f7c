"""What each figure of a sentence means: its predicate, its type, and how certain that is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.deadlines import find_also_due
from assay.packs.regulatory.extractor.defaults import interpret_by_provision, is_budget
from assay.packs.regulatory.extractor.denials import is_not_stated
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.governing import choose_certain_deadline
from assay.packs.regulatory.extractor.meaning import FAIR, Meaning, find_comparison, is_linked
from assay.packs.regulatory.extractor.quantities import lays_nothing_down
from assay.packs.regulatory.extractor.shares import interpret_share
from assay.packs.regulatory.extractor.spans import correct_length, correct_span
from assay.packs.regulatory.extractor.sums import apply_ranges, interpret_sum, sets_limits
from assay.packs.regulatory.extractor.times import interpret_date, interpret_time

_WORKS = re.compile(
    r"(?<!\w)(?:radit\w{0,2}|radn\w{1,3}\svr(?:ijem|emen)\w{1,2}|working\s(?:time|hours|week)|works?"
    r"|\w{0,12}arbeitszeit\w{0,2}|arbeiten)(?!\w)",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"(?<!\w)(?:notice|otkazn\w{1,3}\srok\w{0,3}|kündigungsfrist\w{0,2})(?!\w)", re.IGNORECASE
)
_OF_NOTICE = re.compile(r"(?:['’]s?)?\s(?:notice|otkazn\w{1,3}\srok)(?!\w)", re.IGNORECASE)
_GREATEST = re.compile(
    r"(?<!\w)(?:maximum\s(?:amount|penalty|fine)|maximum\s\w{3,12}\spenalty|najviš\w\s(?:iznos|kazn)\w{0,3}"
    r"|höchstmaß|höchstbetrag)(?!\w)",
    re.IGNORECASE,
)
_WHICHEVER = re.compile(r"(?<!\w)(?:whichever|je\snachdem|ovisno\so\stome)(?!\w)", re.IGNORECASE)
_THOSE = re.compile(
    r"(?<!\w)(?:those|that|these|this|such|said|diese[rmsn]?|jene[rmsn]?|tih|tog|toga|ovih"
    r"|naveden\w{1,3})\s{1,3}$",
    re.IGNORECASE,
)
_REFERRED = re.compile(
    r"[^\W\d_]{0,8}(?:[\s-](?:period|time|limit|amount|limitation|rate))?\s(?:as\s)?"
    r"(?:referred\sto|mentioned|contained\sin|described\sin|iz\s(?:·|stavk|članka))",
    re.IGNORECASE,
)
_OFFENCE = re.compile(
    r"(?<!\w)(?:kaznit\sće\sse|kažnjava\sse|ordnungswidrig\s(?:im\ssinne\s[^,;]{0,160}\s)?handelt|mit\sgeldbuße\sbelegt\s(?:wird|werden)"
    r"|(?:commits|guilty\sof)\san\soffence\s(?:if|who))(?!\w)",
    re.IGNORECASE,
)
_CONTRARY = re.compile(
    r"\W{0,3}(?:entgegen|(?:eine[rm]\s)?vollziehbaren\s\w{4,20}\snach)\s(?:§|Art)"
)
"""`entgegen § 10 eine Aufzeichnung nicht fünf Jahre aufbewahrt`: a point of a list of offences."""
_IN_PLACE_OF = re.compile(
    r"(?<!\w)an\s(?:die\s)?stelle\s(?:de[rs]\s(?:[A-ZÄÖÜ]\w{2,24}\s){1,2})?von\s{0,3}$",
    re.IGNORECASE,
)
_OLD_WORDS = re.compile(
    r"(?<!\w)(?:substitut(?:ion\sof|ing)|inserting)\s[“\"‘][^“”\"]{1,400}[”\"’]\sfor\s[“\"‘][^“”\"]{0,400}$",
    re.IGNORECASE,
)
"""`by substituting “a class A fine” for “a fine not exceeding £1,000”`: the old words."""
_LAST = re.compile(
    r"(?<!\w)(?:letzten|vergangenen|vorangegangenen|vorangehenden|vorausgegangenen|vorhergehenden"
    r"|(?:the|such|those)\s(?:last|preceding|previous|prior|past|immediately\spreceding)"
    r"|(?:po)?zadnj(?:ih?|e|a)|posljednj(?:ih?|e|a)|prethodn(?:ih?|e|a)|proteklih)\s{0,3}$",
    re.IGNORECASE,
)
_AVERAGE = re.compile(
    r"(?:prosječn\w{1,3}|on\saverage|average\sof|durchschnittlich)\s$", re.IGNORECASE
)


def interpret_figures(clause: Clause) -> list[Meaning]:
    """The figures of a sentence that mean something, in order."""
    found: list[Meaning] = []
    for figure in clause.figures:
        if _is_named_again(clause, figure) or _is_part_of_offence(clause, figure):
            continue
        if clause.article and lays_nothing_down(clause, figure):
            continue
        if is_not_stated(clause, figure) or _is_replaced(clause, figure):
            continue
        if _is_spent(clause, figure) or _looks_back(clause, figure):
            continue
        meaning = _interpret_figure(clause, figure, found)
        meaning = meaning or interpret_by_provision(clause, figure, found)
        if meaning is not None:
            found.append(correct_length(clause, correct_span(clause, meaning)))
    found = apply_ranges(clause, _complete_list(clause, found))
    found = [choose_certain_deadline(clause, one) for one in found]
    return [*(_bound_penalty(clause, one, found) for one in found), *find_also_due(clause, found)]


def _bound_penalty(clause: Clause, meaning: Meaning, found: Sequence[Meaning]) -> Meaning:
    """A penalty is the greatest one if its heading, its list or "whichever is higher" says so."""
    if meaning.predicate != "penalty":
        return meaning
    around = f"{clause.heading} {clause.lead[-160:]}"
    rest = clause.masked[meaning.figure.end : meaning.figure.end + 160]
    limited = any(
        find_comparison(clause, one.figure) == "lte" for one in found if one is not meaning
    )
    if _GREATEST.search(around) or (limited and _WHICHEVER.search(rest)):
        return replace(meaning, predicate="penalty_max")
    return meaning


def _is_named_again(clause: Clause, figure: Figure) -> bool:
    """`within those 60 days`, `the period of 60 days referred to in …`: stated elsewhere."""
    if figure.kind not in VALUES and figure.kind is not FigureKind.TIME:
        return False
    if _THOSE.search(clause.masked, max(0, figure.start - 14), figure.start):
        return True
    return _REFERRED.match(clause.masked, figure.end) is not None


def _is_part_of_offence(clause: Clause, figure: Figure) -> bool:
    """`…kaznit će se: tko ne prijavi u roku od dva dana`: an offence repeats what must be done."""
    if figure.kind not in (FigureKind.TIME, FigureKind.DATE):
        return False
    if _CONTRARY.match(clause.text):
        return True
    return _OFFENCE.search(f"{clause.lead} {clause.masked[: figure.start]}") is not None


def _is_replaced(clause: Clause, figure: Figure) -> bool:
    """`an die Stelle von 4 Prozent tritt …`: what no longer applies."""
    before = clause.masked[max(0, figure.start - 60) : figure.start]
    if _OLD_WORDS.search(clause.masked[: figure.start]):
        return True
    return figure.kind in VALUES and _IN_PLACE_OF.search(before) is not None


def _is_spent(clause: Clause, figure: Figure) -> bool:
    """`there is authorized to be appropriated $25,000,000`: what a state spends binds nobody."""
    return figure.kind is FigureKind.SUM and bool(clause.article) and is_budget(clause)


def _looks_back(clause: Clause, figure: Figure) -> bool:
    """`in den letzten zwölf Monaten vor der Antragstellung`: over which time something counts."""
    if figure.kind is not FigureKind.TIME or not clause.article:
        return False
    before = clause.masked[max(0, figure.start - 40) : figure.start]
    return _LAST.search(before) is not None


def _complete_list(clause: Clause, found: list[Meaning]) -> list[Meaning]:
    """`mit 10, 15 und 30 Prozent besteuert`: all figures of a list mean what the last one does."""
    known = {meaning.figure.start: meaning for meaning in found}
    for first, second in reversed(list(pairwise(clause.figures))):
        meaning = known.get(second.start)
        if first.start in known or meaning is None or first.kind is not second.kind:
            continue
        if first.kind in VALUES and is_linked(clause.masked[first.end : second.start]):
            known[first.start] = replace(meaning, figure=first)
    return [known[start] for start in sorted(known)]


def _interpret_hours(clause: Clause, figure: Figure) -> Meaning | None:
    """`radnik može raditi najviše 50 sati tjedno`: how long people may work."""
    if figure.unit != "hours" or not _WORKS.search(clause.masked):
        return None
    limited = find_comparison(clause, figure) or _AVERAGE.search(
        clause.masked, max(0, figure.start - 40), figure.start
    )
    return Meaning(figure, "period", "count", FAIR) if limited else None


def _interpret_notice(clause: Clause, figure: Figure) -> Meaning | None:
    """`for less than two years, one week`, in a list of periods of notice."""
    apart = clause.masked[: figure.start].rstrip().endswith(",")
    ends = apart and not clause.masked[figure.end :].strip(" ,;.")
    listed = ends and _NOTICE.search(clause.lead)
    limited = find_comparison(clause, figure) and _OF_NOTICE.match(clause.masked, figure.end)
    return Meaning(figure, "period", "count", FAIR) if listed or limited else None


def _interpret_figure(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    if figure.kind is FigureKind.PERCENT:
        return interpret_share(clause, figure, so_far)
    if figure.kind is FigureKind.SUM:
        return interpret_sum(clause, figure, so_far)
    if figure.kind is FigureKind.TIME:
        return (
            interpret_time(clause, figure, so_far)
            or _interpret_hours(clause, figure)
            or _interpret_notice(clause, figure)
        )
    if figure.kind is FigureKind.DATE:
        return interpret_date(clause, figure, so_far)
    op = find_comparison(clause, figure)
    if not op:
        if clause.lead and sets_limits(clause.lead) and not clause.is_row:
            return Meaning(figure, "threshold", "threshold", 0.86)
        return None
    return Meaning(figure, "threshold", "threshold", FAIR, op, "employees")
