"""From when a document and its provisions apply, by what they say about themselves.

The day of a whole act comes from its own clause only. The text of an act that was amended also
contains such clauses of the amending acts, and does not say since when an amended provision reads
as it does; its day then stays unknown.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from assay.packs.regulatory.extractor import time_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.effect import EffectSpan, add_days
from assay.packs.regulatory.extractor.figures import Figure, FigureKind
from assay.packs.regulatory.extractor.force import says_entry_into_force
from assay.packs.regulatory.extractor.later_wording import LaterWording
from assay.packs.regulatory.extractor.meaning import Meaning, concerns_whole_act
from assay.packs.regulatory.extractor.named_provisions import (
    NamedProvision,
    find_root,
    list_provisions,
)
from assay.packs.regulatory.extractor.section_days import find_headed_spans, find_section_spans

Read = tuple[Clause, Sequence[Meaning]]

_ONE_PART = re.compile(
    r"^\W*(?:(?:odredb\w{1,2}\s+)?člank?\w{0,3}|articles?|sections?|regulations?\s\d|paragraph|§"
    r"|artikel|stav\w{1,2})",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"(?<!\w)(?:osim|izuzev|except|other\s+than|save|with\s+the\s+exception|ausgenommen"
    r"|mit\s+Ausnahme)(?!\w)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"(?<!\w)(?:ov(?:aj|a|o|e|i)\s+(?:[^\W\d_]{3,24}\s+)?(?:zakon|pravilnik|uredb|odluk|naredb|uput"
    r"|naput|propis|tarif|statut|poslovnik|cjenik|pravila|uvjeti|izmjen)\w{0,3}"
    r"|this\s+(?:[^\W\d_]{3,24}\s+)?(?:act|regulation|decision|order|directive|rule|ordinance"
    r"|guidance|notice|instrument|law|correction|by-?law)"
    r"|these\s+(?:[^\W\d_]{3,24}\s+)?(?:regulations|rules|revisions|amendments|by-?laws|terms)"
    r"|dies(?:es|e|er)\s+(?:[^\W\d_]{0,30}(?:gesetz|verordnung|satzung|ordnung)|richtlinie"
    r"|vorschrift|bekanntmachung|abkommen|vertrag)"
    r"|d(?:as|ie)\s+[^\W\d_]{0,30}(?:gesetz|verordnung|satzung|ordnung)(?=\s+tritt))(?!\w)",
    re.IGNORECASE,
)
_CONDITIONED = re.compile(
    r"^\W*(?:if|where|when|until|unless|before|bis|wenn|sobald|soweit|kad|ako|dok)(?!\w)",
    re.IGNORECASE,
)
_OTHER_SUBJECT = re.compile(
    r"(?<!\w)(?:not|nicht|ne|which|that|who|where|if|to|koj\w{1,3}|ako|die|der|das|soweit)(?!\w)",
    re.IGNORECASE,
)
_WHICH = re.compile(r",\s+(?:der|die|das|which)\s", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^()]{0,200}\)")
_CONTINUES = re.compile(
    r"^\W*(?:it|they|sie|es|isti?|primjenjuj\w{1,2}\s+se|stupa\w{0,2}\s+na)(?!\w)", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,4}[a-zA-Z]{0,2}")
_BARE = re.compile(
    r"^\W*(?:effective|inkrafttreten|stupanje|datum|gültig|commencement|na\s+snagu"
    r"|(?:the\s+|die\s+|das\s+)?(?:zakon|pravilnik|uredba|odluka|naredba|tarifa|cjenik|izmjene|act"
    r"|regulations?|order|rules?|rates|amounts|changes|amendments|[^\W\d_]{0,30}(?:gesetz|verordnung"
    r"|satzung|ordnung))\s+(?:stupa|primjenjuj|vrijed|shall|will|comes?|enters?|takes?|appl|become"
    r"|tritt|treten|gilt|gelten))",
    re.IGNORECASE,
)
"""A sentence about a whole text that does not say "this"."""
_ANOTHER = re.compile(
    r"(?<!\w)(?:\S[^.;]{0,80}\s(?:it|they)(?!\w)|this\s+(?:section|subsection|part|paragraph)"
    r"|ovoga?\s+člank\w)",
    re.IGNORECASE,
)
"""A pronoun in the middle of a sentence stands for something that the sentence names."""
_LONGEST = 600
"""A longer sentence says too much for its days to be those of the whole act."""
_OTHER_PART = re.compile(
    r"(?:,\s(?:(?:a|dok|te|i|and|while|whereas|but|und|wobei|während|aber)\s)?|;\s)"
    r"(?=(?:odredb\w{1,2}\s|the\s|die\s|der\s)?(?:člank?\w{0,3}|articles?|sections?|regulations?|artikel|§)"
    r"\W{0,2}[\d§])",
    re.IGNORECASE,
)
"""Where a part of a sentence about certain provisions begins."""
_CEASES = (
    r"(?:(?:shall\s|will\s|će\s)?(?:ceases?\sto\s(?:have\seffect|be\sin\sforce|apply)|expires?|lapses?"
    r"|presta(?:je|ju|ti|t\sće)\s(?:važiti|vrijediti)))"
)
_ENDS_ON = re.compile(
    rf"(?:(?:^\W*(?:this|these|it|ov(?:aj|a|e|i))\s(?:[^,;]{{0,60}}\s)?|(?<!\w)(?:and|i|te|,)\s(?:it\s)?){_CEASES}"
    r"|(?P<german>kraft\s(?:und|,)(?:\stritt)?|^\W*(?:dies(?:es|e|er)\s[^,;]{0,80}|es|sie)\s(?:tritt|treten)))"
    r"\s(?:am|mit\s(?:dem\s)?ablauf\sdes|on|at\sthe\send\sof|istekom|dana)?\s{0,2}$",
    re.IGNORECASE,
)
"""`… tritt am 1. Januar 2026 in Kraft und am`, before the day on which an act ends."""
_ENDED = re.compile(r"\s(?:wieder\s)?außer\skraft(?!\w)", re.IGNORECASE)
_THROUGH = re.compile(
    r"(?<!\w)(?:mit\s(?:dem\s)?ablauf\sdes|at\sthe\send\sof|istekom)\s{0,2}$", re.IGNORECASE
)
"""`mit Ablauf des 31. Dezember`: the act still applies on that day."""
_FAR = 160
_FROM_DAY = re.compile(
    r"(?<!\w)(?:od\s+dana|nakon\s+(?:dana\s+)?objav\w|following|after|nach)(?!\w)", re.IGNORECASE
)


_PROVISION = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)?(?:Section|Article|Artikel|Art\.?|Članak|§|\d{1,2}\.)"
    r"\s?\d{0,3}[ .:—*(]",
    re.MULTILINE,
)
_TREATY = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)?[^\n.;:]{0,80}(?<!\w)(?:übereinkommens?|\w{0,20}abkommens?"
    r"|übereinkunft|convention|treaty|protocol|agreement|konvencij[ae]|sporazum|protokol\w?)(?!\w)"
    r"[^\n.;:]{0,160}$",
    re.MULTILINE | re.IGNORECASE,
)
_UNIFICATION = re.compile(r"^#{1,6}[ \t]+Anhang EV(?!\w)", re.MULTILINE)
"""What the treaty of 1990 on German unity says of an act, which is printed after it."""
_FIRST_ARTICLE = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)?(?:Article|ARTICLE|Artikel|ARTIKEL|Art\.?|Članak|ČLANAK)\s(?:1|I)"
    r"(?!\w)",
    re.MULTILINE,
)
_OF_AMENDING_ACT = re.compile(r"\(NN \d{1,3}/\d{2,4}\)$")
_PREAMBLE = 4_000
"""The most letters between the title of a treaty and its first article."""


@dataclass(slots=True)
class EffectDays:
    """From when a document applies as a whole, and its provisions that differ."""

    force: Counter[str] = field(default_factory=Counter)
    applied: Counter[str] = field(default_factory=Counter)
    articles: dict[str, str] = field(default_factory=dict)
    """Every day that the text names, whether it is still the day of its present wording or not."""
    day: str | None = None
    """The first day of the act, by its own clause."""
    end: str | None = None
    """The first day on which the act no longer applies, by the same clause."""
    exceptions: dict[str, dict[NamedProvision, str | None]] = field(default_factory=dict)
    """By their numbers: provisions with another first day, which is None if it is not known."""
    parts: dict[int, EffectSpan] = field(default_factory=dict)
    """By where they begin: sentences whose section or paragraph says when it applies."""
    later: LaterWording = field(default_factory=LaterWording)
    treaty: int | None = None
    """Where the text of a treaty begins that an act annexes: it has days of its own."""

    def find_span(self, article: str, at: int) -> EffectSpan:
        """From when until when a sentence of an article applies, by where it begins."""
        if (own := self.parts.get(at)) is not None:
            return own
        if self.later.covers(at) or (self.treaty is not None and at >= self.treaty):
            return EffectSpan()
        return EffectSpan(self.first_day_of(article), self.end)

    def first_day_of(self, article: str) -> str | None:
        """The first day of what an article says; None if the document does not say."""
        number = _NUMBER.search(article)
        known = self.exceptions.get(number[0], {}) if number else {}
        named = [one for one in known if one.covers(article)]
        if named:
            return known[max(named, key=lambda one: len(one.paragraph))]
        return self.day

    def add_exceptions(self, found: Mapping[NamedProvision, str | None]) -> None:
        """Add provisions with another first day."""
        for one, day in found.items():
            self.exceptions.setdefault(one.number, {})[one] = day


def find_document_days(
    clauses: Sequence[Read],
    text: str,
    language: str,
    published: str | None,
    jurisdiction: str = "",
) -> EffectDays:
    """The days that a document names for all of it and for single provisions."""
    days = EffectDays(later=LaterWording.find(text), treaty=_find_treaty(text))
    for clause, found in clauses:
        _count_days(days, clause, found, published)
    own = [place for place, (clause, _) in enumerate(clauses) if _begins_act(clause)]
    sections = _divide_sections(clauses)
    headed = find_headed_spans((clause for clause, _ in clauses), text, language)
    days.parts = headed | find_section_spans(sections, text, language, days.later, jurisdiction)
    days.parts |= _find_spans_of_amending_acts(clauses)
    if not own:
        # Where annexes have days of their own, none of them is that of the whole.
        days.day = None if headed else _find_named_day(days, clauses, published)
        days.add_exceptions({NamedProvision(each): day for each, day in days.articles.items()})
        return days
    end = _find_end_of_first_act(days, [clauses[at][0] for at in own], len(text))
    first = [one for one in clauses if one[0].start < end]
    days.later.end = end
    if own[0] < len(first):
        _read_own_clause(days, first, own[0], published)
    for clause, found in first:
        if _ONE_PART.match(clause.text) and len(clause.text) <= _LONGEST:
            days.add_exceptions(_read_part_clause(clause, found, published))
    return days


def _find_spans_of_amending_acts(clauses: Sequence[Read]) -> dict[int, EffectSpan]:
    """The sentences of amending acts among the last provisions of a consolidated text, cited as
    `čl. 20. (NN 98/19)`: each of these acts says itself when it enters into force."""
    acts: dict[str, list[Read]] = {}
    for one in clauses:
        if gazette := _OF_AMENDING_ACT.search(one[0].article):
            acts.setdefault(gazette[0], []).append(one)
    found: dict[int, EffectSpan] = {}
    for act in acts.values():
        own = [place for place, (clause, _) in enumerate(act) if _begins_act(clause)]
        if len(own) == 1:
            days = EffectDays()
            _read_own_clause(days, act, own[0], None)
            for clause, _ in act:
                found[clause.start] = EffectSpan(days.first_day_of(clause.article), days.end)
    return found


def _find_treaty(text: str) -> int | None:
    """Where an act annexes a treaty: after its title, the articles begin again with the first."""
    own = _PROVISION.search(text)
    if annexed := _UNIFICATION.search(text):
        return annexed.start()
    for title in _TREATY.finditer(text, own.end()) if own else ():
        if _FIRST_ARTICLE.search(text, title.end(), title.end() + _PREAMBLE):
            return title.start()
    return None


def _count_days(
    days: EffectDays, clause: Clause, found: Sequence[Meaning], published: str | None
) -> None:
    """Count every day from which an act or an article applies."""
    if len(clause.text) > _LONGEST:
        return
    one_part = _ONE_PART.match(clause.text) is not None
    for meaning in found:
        if meaning.predicate != "entry_into_force":
            continue
        day = _find_day(clause, meaning.figure, published)
        articles = _find_articles(clause, meaning.figure)
        if day and articles:
            days.articles |= {each.number: day for each in articles}
        elif day and meaning.confidence >= 0.9 and not one_part:
            days.force[day] += 1
    if concerns_whole_act(clause.text) and not one_part and (day := _find_applied_from(clause)):
        days.applied[day] += 1


def _find_named_day(
    found_days: EffectDays, clauses: Sequence[Read], published: str | None
) -> str | None:
    """The day that a text without such a clause names, as in `Effective 1 May 2026`."""
    applied, force = set[str | None](), set[str | None]()
    if len({find_root(clause.article) for clause, _ in clauses}) <= 1:
        # What a text of a single provision says about its force concerns all of it.
        applied, force = {*found_days.applied}, {*found_days.force}
    for clause, found in clauses:
        if len(clause.text) > _LONGEST or _ONE_PART.match(clause.text):
            continue
        if concerns_whole_act(clause.text) and not _ANOTHER.search(clause.text):
            applied.add(_find_applied_from(clause))
        if _CONTINUES.match(clause.text) or _BARE.match(clause.text):
            dated = (one.figure for one in found if one.predicate == "entry_into_force")
            force |= {_find_day(clause, figure, published) for figure in dated}
    for days in (applied - {None}, force - {None}):
        if len(days) == 1:
            return days.pop()
    return None


def _find_end_of_first_act(days: EffectDays, own: Sequence[Clause], end: int) -> int:
    """Where the provisions of amending acts begin, which have such clauses of their own."""
    root = find_root(own[0].article)
    others = (one.start for one in own if find_root(one.article) != root)
    return min(next(others, end), end if days.later.end is None else days.later.end)


def _begins_act(clause: Clause) -> bool:
    """Whether this is the clause by which an act enters into force."""
    if len(clause.text) > _LONGEST or _CONDITIONED.match(clause.text):
        return False
    own = _OWN.search(clause.text, 0, _FAR)
    if own is None:
        return False
    before = clause.masked[max(0, own.start() - 40) : own.start()]
    if re.search(r"(?<!\w)(?:tritt|treten)\s+$", before):
        return "in Kraft" in clause.text[own.end() :]
    said = time_cues.FORCE.search(clause.masked, own.end()) or time_cues.APPLIES_FROM.search(
        clause.masked, own.end()
    )
    if said is None or said.start() - own.end() > _FAR:
        return False
    if time_cues.APPLIES_FROM.fullmatch(said[0]) and _find_applied_from(clause) is None:
        return False
    if said[0].lower().startswith(("tritt", "treten")) and "in Kraft" not in clause.text:
        return False
    between = _IN_BRACKETS.sub("", clause.masked[own.end() : said.start()])
    return _OTHER_SUBJECT.search(between) is None


def _read_own_clause(
    days: EffectDays, clauses: Sequence[Read], at: int, published: str | None
) -> None:
    """Take the day of the act and its exceptions from its own clause, and what continues it."""
    own, found = clauses[at]
    root = find_root(own.article)
    days.add_exceptions(_read_other_parts(own))
    later = [one for one, _ in clauses[at + 1 : at + 4] if find_root(one.article) == root]
    days.end = next(filter(None, map(_find_end, (own, *later))), None)
    except_for = _EXCEPT.search(own.masked)
    excepted = list_provisions(own.text[except_for.start() :]) if except_for else []
    days.add_exceptions(dict.fromkeys(excepted))
    for meaning in found:
        if meaning.predicate != "entry_into_force":
            continue
        day = _find_day(own, meaning.figure, published)
        articles = _find_articles(own, meaning.figure)
        if articles:
            days.add_exceptions({one: None if one.is_partial else day for one in articles})
        elif days.day is None:
            days.day = day
    if except_for and not excepted:
        # "other than Part 3": what is excepted is not known by its number.
        days.day = None
        return
    following = (clause for clause in later if _CONTINUES.match(clause.text))
    applied = next(filter(None, map(_find_applied_from, (own, *following))), None)
    days.day = applied or days.day


def _read_other_parts(clause: Clause) -> dict[NamedProvision, str | None]:
    """`…, a članak 5. stupa na snagu danom pristupanja`: provisions that a part of the clause of
    the whole act excepts without a word for it."""
    starts = [one.end() for one in _OTHER_PART.finditer(clause.text)]
    found: dict[NamedProvision, str | None] = {}
    for start, end in pairwise((*starts, len(clause.text))):
        said = time_cues.FORCE.search(clause.text, start, end) or time_cues.APPLIES_FROM.search(
            clause.text, start, end
        )
        if said is None:
            continue
        dates = [
            one.value
            for one in clause.figures
            if one.kind is FigureKind.DATE and start <= one.start < end and len(one.value) == 10
        ]
        named = list_provisions(clause.text[start : said.start()])
        day = dates[0] if len(dates) == 1 else None
        found |= {one: None if one.is_partial else day for one in named}
    return found


def _find_end(clause: Clause) -> str | None:
    """The first day on which an act no longer applies, if its own clause says so.

    An act that ends on the last day of a month applies on that day, whatever words are used.
    """
    for figure in clause.figures:
        if figure.kind is not FigureKind.DATE or len(figure.value) != 10:
            continue
        ended = _ENDS_ON.search(clause.masked, 0, figure.start)
        if ended is None or (ended["german"] and not _ENDED.match(clause.masked, figure.end)):
            continue
        following = add_days(figure.value, 1)
        lasts = _THROUGH.search(clause.masked, 0, figure.start) or (following or "").endswith("-01")
        return following if lasts else figure.value
    return None


def _read_part_clause(
    clause: Clause, found: Sequence[Meaning], published: str | None
) -> dict[NamedProvision, str | None]:
    """`Sections 4 and 5 come into operation on 1 May 2026`: the days of single provisions."""
    said = time_cues.FORCE.search(clause.text)
    if said is None or not says_entry_into_force(clause.text):
        return {}
    dated = [one for one in found if one.predicate == "entry_into_force"]
    if dated:
        return {
            one: None if one.is_partial else _find_day(clause, meaning.figure, published)
            for meaning in dated
            for one in _find_articles(clause, meaning.figure)
        }
    return dict.fromkeys(list_provisions(clause.text[: said.start()]))


def _find_articles(clause: Clause, figure: Figure) -> list[NamedProvision]:
    """`…, osim članka 17. koji stupa na snagu 1. ožujka 2025.`: the articles a day belongs to."""
    except_for = _EXCEPT.search(clause.masked, 0, figure.start)
    if not _ONE_PART.match(clause.text) and (
        except_for is None or not _begins_again(clause, except_for.start(), figure.start)
    ):
        return []
    earlier = [one.end for one in clause.figures if one.kind is FigureKind.DATE]
    start = max((end for end in earlier if end <= figure.start), default=0)
    start = max(start, except_for.start() if except_for else 0)
    return list_provisions(clause.text[start : figure.start])


def _begins_again(clause: Clause, start: int, end: int) -> bool:
    """Whether a day is that of what is excepted, as in `except section 4, which begins on`."""
    said = [one.start() for one in time_cues.FORCE.finditer(clause.masked, 0, end)]
    inside = [at for at in said if at > start]
    if len(inside) == len(said):
        # "This Act, except section 4, comes into force on": the first verb is that of the act.
        inside = inside[1:]
    return bool(inside) or _WHICH.search(clause.masked, start, end) is not None


def _find_day(clause: Clause, figure: Figure, published: str | None) -> str | None:
    if figure.kind is FigureKind.DATE:
        return figure.value
    if published is None or not _FROM_DAY.search(clause.masked, figure.end):
        return None
    whole = figure.unit == "days" and figure.value.isdigit()
    return add_days(published, int(figure.value)) if whole else None


def _find_applied_from(clause: Clause) -> str | None:
    """The day from which a whole act applies, if that is not when it enters into force."""
    if not time_cues.APPLIES_FROM.search(clause.masked):
        return None
    except_for = _EXCEPT.search(clause.masked)
    for figure in clause.figures:
        before = clause.masked[max(0, figure.start - 40) : figure.start]
        near = clause.masked[max(0, figure.start - 60) : figure.end + 30]
        dated = figure.kind is FigureKind.DATE and len(figure.value) == 10
        if except_for and figure.start > except_for.start():
            return None
        if dated and time_cues.FROM.search(before) and time_cues.APPLIES_FROM.search(near):
            return figure.value
    return None


def _divide_sections(clauses: Sequence[Read]) -> Iterator[list[Clause]]:
    """The clauses of each section or article, in the order of the text."""
    for _, group in groupby((clause for clause, _ in clauses), lambda one: find_root(one.article)):
        yield list(group)
