"""To whom and to what a sentence applies, as a condition; what is unclear stays in its words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.cases import count_cases, opens_exception
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.meaning import Meaning, find_comparison
from assay.packs.regulatory.extractor.wording import (
    Surroundings,
    is_plain,
    is_simple,
    write_wording,
)
from assay.sdk.facts import ALWAYS, WORDING_FIELD

_NAME = r"(?P<name>[^\W\d_][^,.;:()%\d„“”\"»«·]{2,70}?)"
_STOP = (
    r"(?=\s*(?:[,.;:()„“]|$)|\s+(?:iznosi|iznose|plaća|obračunava|primjenjuje|obavlja|obavljaju"
    r"|je|su|se|ako|kada|osim|uz|(?:od|do|from|until|ab|bis)\s\d"
    r"|is|are|shall|at|subject|where|if|unless|except|provided|beträgt|betragen|gilt"
    r"|gelten|wird"
    r"|werden|ist|sind|wenn|soweit|sofern|nach|und der|and the|a stopa)(?!\w))"
)
_ACTIVITIES = tuple(
    re.compile(pattern.replace(" ", r"\s{1,3}").replace("NAME", _NAME) + _STOP, re.IGNORECASE)
    for pattern in (
        r"\bprimjenjuj\w{1,2} se(?: i)? na (?:djelatnosti? )?(?:isporuk\w )?NAME",
        r"\bobračunava se na (?:djelatnost )?NAME",
        r"\b(?:vrijedi|vrijede|primjenjuj\w{1,2} se) za NAME",
        r"\b(?:za|na) djelatnosti? NAME",
        r"\bako se djelatnost NAME(?= obavlja)",
        r"\bdjelatnost NAME(?= obavlja)",
        r"^(?:za|na) NAME(?= (?:primjenjuje|obračunava|stopa|snižena|iznosi|plaća))",
        r"\b(?:shall )?appl(?:y|ies) to (?:the (?:supply|activity) of |supplies of )?NAME",
        r"^for NAME(?=, the)",
        r"\bwhere NAME(?= is carried on)",
        r"\b(?:gilt|gelten)(?: nur)? für (?:den bereich |die lieferung von |umsätze aus )?NAME",
        r"\bfür den bereich NAME",
        r"^für NAME(?= (?:beträgt|gilt|betragen))",
    )
)
_OF_ITEM = re.compile(
    rf"^[^.;]{{0,30}}?[%€]\s{{0,3}}(?:za|na|for|on|für|auf)\s{{1,3}}{_NAME}{_STOP}", re.IGNORECASE
)
_NOT_A_NAME = re.compile(
    r"(?<!\w)(?:koj\w{1,3}|čij\w{1,3}|dio|dijela|dijel|osnovic\w{1,3}|sve|svak\w{1,3}"
    r"|obveznik\w{0,3}|which|that"
    r"|whose|who|part|base|persons?|every|any|all|deren|die|der|welche\w?|teil|alle|wer|personen"
    r"|osob\w{1,3}"
    r"|razdoblj\w{1,2}|period|zeitraum|ovaj|ova|ovo|this|these|dies\w{1,2}|ostal\w{1,3}|other|it"
    r"|them|year|godin\w)"
    r"(?!\w)",
    re.IGNORECASE,
)
_PERSONS: Mapping[str, re.Pattern[str]] = {
    "responsible_person": cues.compile_cue(
        r"odgovorn\w{1,3} osob\w{1,3}|responsible persons?|responsible officer"
        r"|verantwortlich\w{1,2} person\w{0,2}"
    ),
    "sole_trader": cues.compile_cue(
        r"obrtni\w{1,4}|fizičk\w{1,3} osob\w{1,3} obrtni\w{1,4}|sole traders?"
        r"|einzelunternehmer\w{0,2}"
    ),
    "legal_person": cues.compile_cue(
        r"pravn\w{1,3}(?: (?:i|ili|odnosno|i/ili) fizičk\w{1,3})? osob\w{1,3}"
        r"|legal (?:person|persons|entity|entities)"
        r"|juristisch\w{1,2} person\w{0,2}"
    ),
    "natural_person": cues.compile_cue(
        r"fizičk\w{1,3}(?: (?:i|ili|odnosno|i/ili) pravn\w{1,3})? osob\w{1,3}"
        r"|natural persons?|individuals"
        r"|(?:an|any|each|every|the) individual(?= (?:who|whose|is|shall|may|must|has)|[,.;:)])"
        r"|natürlich\w{1,2} person\w{0,2}"
    ),
}
_WHOSE_PERSON = re.compile(
    r"(?<=\w)\s(?:u\spravnoj\sosobi|pravne\sosobe|(?:of|in)\s(?:the|a)\slegal\s(?:person|entity)"
    r"|(?:in\s)?(?:der|einer)\sjuristischen\sperson)(?!\w)",
    re.IGNORECASE,
)
"""`odgovorna osoba u pravnoj osobi`: the person for whom the responsible one acts."""
_UNRESOLVED = re.compile(
    r"(?<!\w)(?:ako|ukoliko|osim|pod uvjetom|uz uvjet|if|unless|except|provided that"
    r"|(?<!is\s)(?<!are\s)(?<!be\s)subject to"
    r"|where"
    r"|notwithstanding|wenn|sofern|soweit|außer|es sei denn|vorbehaltlich)(?!\w)",
    re.IGNORECASE,
)
_IN_A_YEAR = re.compile(
    r"\s{0,3}(?:u godini|godišnje|a year|per year|in a year|im jahr|pro jahr)", re.IGNORECASE
)


_COMPARED = (FigureKind.SUM, FigureKind.HEADS)


@dataclass(frozen=True, slots=True)
class ClauseScope:
    """A condition, and how much what it leaves out reduces the confidence of its fact."""

    condition: Mapping[str, Any]
    doubt: float = 0.0


def find_scope(
    clause: Clause,
    meaning: Meaning,
    others: Sequence[Meaning],
    around: Surroundings,
    language: str,
) -> ClauseScope:
    """To whom and what a figure applies, by the words of its sentence and those around it."""
    if meaning.predicate in ("entry_into_force", "repeal"):
        return ClauseScope(ALWAYS)
    found: list[Mapping[str, Any]] = []
    activity = find_activity(clause, meaning.figure)
    if activity:
        found.append({"op": "eq", "field": "activity", "value": activity})
    if person := _find_person(clause, meaning):
        found.append({"op": "eq", "field": "taxpayer", "value": person})
    limits = [] if meaning.predicate == "threshold" else [*_find_limits(clause, meaning, others)]
    found.extend(limits)
    named = [str(one["value"]).lower() for one in found]
    rivals = [
        one.figure
        for one in others
        if (one.figure.value, one.figure.unit) != (meaning.figure.value, meaning.figure.unit)
        and (one.value_type == meaning.value_type or _are_deadlines(one, meaning))
        and one.predicate != "threshold"
    ]
    doubt = 0.0 if found or not _UNRESOLVED.search(_part_words(clause, meaning.figure)) else 0.01
    is_open = count_cases(clause.masked) > len(found) - bool(person) or not is_plain(
        clause, meaning.figure, named
    )
    is_open = is_open or opens_exception(clause.text) or _has_open_limit(clause, meaning, found)
    if is_open or around.concern(language) or not is_simple(clause, rivals, bool(found)):
        words = write_wording(clause, meaning.figure, around)
        found.append({"op": "eq", "field": WORDING_FIELD, "value": words})
    return ClauseScope(join_conditions(found), doubt)


def _has_open_limit(clause: Clause, meaning: Meaning, found: Sequence[Mapping[str, Any]]) -> bool:
    """`Dobici do 1.500 eura oporezuju se sa 10 posto`: whether a sentence compares something with
    a sum or a number of people, and it is not understood with what."""
    known = {one["value"] for one in found}
    others = [one for one in clause.figures if one != meaning.figure and one.kind in _COMPARED]
    if meaning.predicate == "threshold":
        return any(one.kind in VALUES for one in clause.figures if one != meaning.figure)
    return any(one.value not in known and find_comparison(clause, one) for one in others)


def _are_deadlines(one: Meaning, other: Meaning) -> bool:
    """`by 1 June, if it begins later within four weeks`: a day and a time for the same thing."""
    return one.predicate.endswith("deadline") and other.predicate.endswith("deadline")


def join_conditions(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """One condition of several, all of which must hold."""
    if not found:
        return ALWAYS
    return found[0] if len(found) == 1 else {"op": "and", "all": list(found)}


def find_activity(clause: Clause, figure: Figure) -> str:
    """The activity or the goods that a sentence says it applies to."""
    start, end = clause.part_of(figure.start)
    part = clause.masked[start:end].strip()
    whole = clause.masked
    for pattern in _ACTIVITIES:
        match = pattern.search(part) or (pattern.search(whole) if start else None)
        if match and (name := _clean_name(match["name"])):
            return name
    if clause.lead and (match := _OF_ITEM.match(part)):
        return _clean_name(match["name"])
    return ""


def _clean_name(name: str) -> str:
    words = " ".join(name.split())
    if _NOT_A_NAME.search(words) or len(words.split()) > 8:
        return ""
    return words


def _part_words(clause: Clause, figure: Figure) -> str:
    start, end = clause.part_of(figure.start)
    return clause.masked[start:end]


def _find_person(clause: Clause, meaning: Meaning) -> str:
    """The kind of person, if the part of the sentence names only one kind."""
    part = _blot_whose_person(_part_words(clause, meaning.figure))
    named = {name for name, pattern in _PERSONS.items() if pattern.search(part)}
    if "sole_trader" in named:
        named.discard("natural_person")
    if len(named) == 1 and _is_of_next_figure(clause, meaning.figure, next(iter(named))):
        return ""
    if len(named) == 1 and (
        meaning.predicate.startswith("penalty") or _is_whom_it_holds_for(part, named)
    ):
        return named.pop()
    if meaning.predicate.startswith("penalty") and len(named) > 1:
        return _find_nearest_person(clause, meaning.figure)
    return ""


def _is_of_next_figure(clause: Clause, figure: Figure, person: str) -> bool:
    """`3 % or, in the case of natural persons, 2 %`: whether another figure applies to a person."""
    named = _PERSONS[person].search(clause.masked)
    return (
        named is not None
        and named.start() > figure.end
        and any(one.kind is figure.kind and one.start > named.end() for one in clause.figures)
    )


def _blot_whose_person(words: str) -> str:
    return _WHOSE_PERSON.sub(lambda match: "·" * len(match[0]), words)


def _is_whom_it_holds_for(part: str, named: set[str]) -> bool:
    """`za pravne osobe`, `for natural persons`: the person it applies to."""
    match = _PERSONS[next(iter(named))].search(part)
    return (
        match is not None
        and re.search(r"(?<!\w)(?:za|for|für|by|od)\s{1,3}$", part[: match.start()], re.IGNORECASE)
        is not None
    )


def _find_nearest_person(clause: Clause, figure: Figure) -> str:
    start, _ = clause.part_of(figure.start)
    before = _blot_whose_person(clause.masked[start : figure.start])
    best, reached = "", -1
    for name, pattern in _PERSONS.items():
        for match in pattern.finditer(before):
            if match.end() > reached:
                best, reached = name, match.end()
    return best if reached >= 0 and len(before) - reached < 60 else ""


def _choose_limits(
    meaning: Meaning, limits: Sequence[Meaning], part: Sequence[Meaning]
) -> Sequence[Meaning]:
    """The limits of one of several rates: `20 % up to 50,000, and 30 % above 50,000`."""
    starts = sorted(one.figure.start for one in part if one.value_type == meaning.value_type)
    own = meaning.figure.start
    if len(starts) < 2 or own not in starts:
        return limits
    if any(one.figure.start > starts[-1] for one in limits):
        after = min((start for start in starts if start > own), default=limits[-1].figure.end)
        return [one for one in limits if own < one.figure.start < after]
    before = max((start for start in starts if start < own), default=-1)
    return [one for one in limits if before < one.figure.start < own]


def _find_limits(
    clause: Clause, meaning: Meaning, others: Sequence[Meaning]
) -> Iterator[Mapping[str, Any]]:
    """The limits that the same part of the sentence sets for what it says."""
    here = clause.part_of(meaning.figure.start)
    part = [one for one in others if clause.part_of(one.figure.start) == here]
    limits = [one for one in part if one.predicate == "threshold"]
    for other in _choose_limits(meaning, limits, part):
        if other.field and other.op and other.figure.unit in ("EUR", ""):
            yield {"op": other.op, "field": other.field, "value": other.figure.value}
    for figure in clause.figures:
        if figure.kind is FigureKind.TIME and figure.unit == "days" and figure != meaning.figure:
            op = find_comparison(clause, figure)
            if op in ("lt", "gt") and _IN_A_YEAR.match(clause.masked, figure.end):
                yield {"op": op, "field": "days", "value": figure.value}
