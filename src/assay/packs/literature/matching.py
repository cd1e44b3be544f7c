"""Whether two records describe the same work: decided by title, authors and year.

A service's own score is never used: Crossref gives wrong hits higher scores than right ones.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.packs.literature.comparing import (
    MOST_TITLE,
    BibliographicRecord,
    RecordComparison,
    compare_records,
    is_generic_title,
    list_title_words,
)
from assay.packs.literature.folding import find_family_name, squeeze_text
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.printed import PrintedText, compare_with_text
from assay.packs.literature.resolving.works import FoundWork

_STRONG = 0.9
_NEARLY = 0.87
_FAIR = 0.8
_CLOSE = 0.04
"""Two candidates whose scores differ by less are equally good."""
_MOST_CANDIDATES = 100
_GROUP = 40
"""The most records that are all compared with each other because they share a key."""


class MatchVerdict(StrEnum):
    """What to do with a possible match."""

    ACCEPT = "accept"
    ASK = "ask"
    """A person decides."""
    REFUSE = "refuse"


@dataclass(frozen=True, kw_only=True)
class MatchDecision:
    """The decision about a reference, with its reason."""

    verdict: MatchVerdict
    score: float
    """From 0 to 1, for sorting; the verdict does not follow from it alone."""
    reason: str
    work: FoundWork | None = None
    """The work that was accepted or is to be confirmed; None if all were refused."""
    others: tuple[FoundWork, ...] = ()
    """Other works that it could be, if a person is to decide."""


def match_work(
    reference: ListedReference, candidates: Sequence[FoundWork], text: str = ""
) -> MatchDecision:
    """Decide which of the candidates a reference means, if any.

    `text` is the reference as printed. With it, a reference that was parsed badly can be matched.
    """
    ranked: list[tuple[int, float, str, FoundWork]] = []
    printed = PrintedText.of(text) if text.strip() else None
    for work in candidates[:_MOST_CANDIDATES]:
        verdict, score, reason = _judge_candidate(reference, work, printed)
        ranked.append((_RANKS[verdict], score, reason, work))
    if not ranked:
        return MatchDecision(verdict=MatchVerdict.REFUSE, score=0.0, reason="nothing was found")
    ranked.sort(key=lambda entry: (-entry[0], -entry[1], entry[3].ids, entry[3].provider))
    rank, score, reason, work = ranked[0]
    verdict = _VERDICTS[rank]
    if verdict is MatchVerdict.REFUSE:
        return MatchDecision(verdict=verdict, score=score, reason=reason)
    rivals = tuple(
        other
        for its_rank, its_score, _, other in ranked[1:]
        if its_rank == rank and score - its_score < _CLOSE and not _are_twins(work, other)
    )
    if rivals and verdict is MatchVerdict.ACCEPT:
        verdict, reason = MatchVerdict.ASK, f"{1 + len(rivals)} works fit equally well"
    return MatchDecision(verdict=verdict, score=score, reason=reason, work=work, others=rivals)


def match_records(first: BibliographicRecord, second: BibliographicRecord) -> MatchDecision:
    """Decide whether two records without a common id describe the same work."""
    verdict, score, reason = judge_comparison(compare_records(first, second))
    return MatchDecision(verdict=verdict, score=score, reason=reason)


def is_same_work(first: FoundWork, second: FoundWork) -> bool:
    """Whether two found works are certainly one: by an id, or because a service says so."""
    one = {*first.ids, *first.same_work_ids}
    return bool(one & {*second.ids, *second.same_work_ids})


def _are_twins(first: FoundWork, second: FoundWork) -> bool:
    """Whether two found works are one, or one that was registered twice."""
    if is_same_work(first, second):
        return True
    found = compare_records(first, second)
    is_there = found.page is True or (found.page is None and found.is_same_venue)
    return found.title >= 0.97 and found.years_apart == 0 and is_there and not found.conflict


_VERDICTS = (MatchVerdict.REFUSE, MatchVerdict.ASK, MatchVerdict.ACCEPT)
_RANKS = {verdict: rank for rank, verdict in enumerate(_VERDICTS)}
_Judgement = tuple[MatchVerdict, float, str]


def _judge_candidate(
    reference: ListedReference, work: FoundWork, printed: PrintedText | None
) -> _Judgement:
    comparison = compare_records(reference, work)
    if printed is not None:
        comparison = compare_with_text(printed, work, comparison)
    if not set(reference.ids) & set(work.ids):
        return judge_comparison(comparison, is_printed=printed is not None)
    # An id is proof unless the rest contradicts it: lists contain wrong DOIs.
    unlike = reference.title and work.title and comparison.title < 0.5
    if unlike and (comparison.authors or 0.0) < 0.5:
        return MatchVerdict.ASK, 0.5, "the id is the same, but title and authors are not"
    return MatchVerdict.ACCEPT, 1.0, "the same id"


def judge_comparison(found: RecordComparison, *, is_printed: bool = False) -> _Judgement:
    """The verdict on a comparison. `is_printed`: the title was looked for in a printed text."""
    score = _compute_score(found)
    if found.conflict:
        is_number = "numbers" in found.conflict or "review" in found.conflict
        agrees = (found.authors or 0.0) >= 0.6 and _is_near(found, 0)
        may_be = is_number and found.page is not False and (found.title > 0.97 or agrees)
        return MatchVerdict.ASK if may_be else MatchVerdict.REFUSE, score, found.conflict
    if found.is_generic or (is_printed and found.title_size < 15):
        return _judge_generic(found, score)
    if found.title >= _STRONG:
        return _judge_strong(found, score)
    if found.title >= _FAIR:
        return _judge_fair(found, score)
    is_there = found.years_apart == 0 and found.page is True and found.volume is True
    if is_printed and is_there and not found.has_other_phrase and (found.authors or 0.0) >= 0.6:
        # Some styles print no titles.
        return MatchVerdict.ACCEPT, score, "authors, year, volume and page agree; no title"
    if found.title >= 0.65 and (found.authors or 0.0) >= 0.75 and _is_near(found, 2):
        if is_there:
            return MatchVerdict.ACCEPT, score, "authors, year, volume and page agree"
        if found.has_preprint or found.is_in_place:
            return MatchVerdict.ASK, score, "the authors agree, the title partly"
    return MatchVerdict.REFUSE, score, "the titles differ"


def _judge_strong(found: RecordComparison, score: float) -> _Judgement:
    authors, apart = found.authors, found.years_apart
    if authors is None:
        return _judge_without_authors(found, score)
    certain = found.title >= 0.97 and found.title_words > 5 and _is_near(found, 0)
    if authors < 0.3:
        if found.page and found.volume and apart == 0:
            return MatchVerdict.ASK, score, "the title agrees, the authors do not"
        return MatchVerdict.REFUSE, score, "the same title, but other authors"
    if authors < 0.5 and not certain:
        return MatchVerdict.ASK, score, "the title agrees, few of the authors do"
    if found.page is False and not found.has_preprint:
        return MatchVerdict.ASK, score, "title and authors agree, but the page does not"
    if apart is None or apart == 0:
        if (
            apart is None
            and found.title_size < 20
            and not (found.is_in_place or found.is_same_venue)
        ):
            return MatchVerdict.ASK, score, "title and authors agree, but the year is missing"
        return MatchVerdict.ACCEPT, score, "title, authors and year agree"
    if apart <= 2 and (found.has_preprint or found.is_in_place):
        return MatchVerdict.ACCEPT, score, f"title and authors agree, years {apart} apart"
    # A column has the same short title every year.
    if apart <= 1 and (found.venue is None or found.is_same_venue) and found.title_words > 5:
        return MatchVerdict.ACCEPT, score, f"title and authors agree, years {apart} apart"
    return MatchVerdict.ASK, score, f"title and authors agree, but the years are {apart} apart"


def _judge_without_authors(found: RecordComparison, score: float) -> _Judgement:
    """One of the records names no authors: the year must agree, and something else."""
    sure = found.title_size >= 25 and found.title >= 0.95 and found.title_words >= 6
    if found.page is False and found.volume is not True:
        return MatchVerdict.ASK, score, "only title and year agree"
    supported = found.is_in_place or found.is_same_venue or found.is_whole or sure
    if found.years_apart == 0 and found.page is not False and supported:
        return MatchVerdict.ACCEPT, score, "title and year agree; there are no authors"
    if found.years_apart is None and found.is_in_place and found.is_same_venue:
        return MatchVerdict.ACCEPT, score, "title, venue and page agree"
    if (found.years_apart or 0) > 2 and not found.is_in_place:
        return MatchVerdict.REFUSE, score, "the year differs; there are no authors to compare"
    return MatchVerdict.ASK, score, "only the title agrees"


def _judge_fair(found: RecordComparison, score: float) -> _Judgement:
    authors = found.authors
    if authors is None:
        if found.years_apart == 0 and found.is_in_place:
            sure = found.page and found.is_same_venue
            verdict = MatchVerdict.ACCEPT if sure else MatchVerdict.ASK
            return verdict, score, "most of the title agrees; there are no authors to compare"
        return MatchVerdict.REFUSE, score, "most of the title agrees, but nothing else"
    supported = found.is_in_place or (found.title >= _NEARLY and found.page is None)
    if authors >= 0.6 and found.years_apart == 0 and supported:
        return MatchVerdict.ACCEPT, score, "most of the title, the authors and the year agree"
    if authors >= 0.5 and found.page is not False and (_is_near(found, 2) or found.is_in_place):
        return MatchVerdict.ASK, score, "most of the title and the authors agree"
    return MatchVerdict.REFUSE, score, "the titles differ, and the authors or the year"


def _judge_generic(found: RecordComparison, score: float) -> _Judgement:
    """Many works have such a title: only place, year and authors together tell them apart."""
    authors_fit = found.authors is None or found.authors >= 0.5
    if found.title < _FAIR:
        return MatchVerdict.REFUSE, score, "the titles differ"
    if not authors_fit:
        return MatchVerdict.REFUSE, score, "many works have this title, and the authors differ"
    if found.page is False:
        return MatchVerdict.REFUSE, score, "many works have this title, and the page differs"
    near = found.years_apart in (0, None)
    if near and found.page and (found.volume or found.is_same_venue):
        return MatchVerdict.ACCEPT, score, "a common title, but venue and page agree"
    is_year = found.years_apart == 0 or (near and found.is_same_venue and not found.is_generic)
    is_venue = found.venue is None or found.is_same_venue
    if (found.authors or 0.0) >= 0.6 and is_venue and is_year:
        return MatchVerdict.ACCEPT, score, "a common title, but authors and venue agree"
    if near and (found.is_in_place or found.is_same_venue or found.is_whole):
        return MatchVerdict.ASK, score, "many works have this title"
    if found.years_apart == 0 and (found.authors or 0.0) >= 0.6:
        return MatchVerdict.ASK, score, "a common title; authors and year agree, the venue does not"
    return MatchVerdict.REFUSE, score, "many works have this title, and little else agrees"


def _is_near(found: RecordComparison, years: int) -> bool:
    return found.years_apart is None or found.years_apart <= years


def _compute_score(found: RecordComparison) -> float:
    """A figure for sorting: the title counts most, then authors, year, venue and place."""
    year = {None: 0.5, 0: 1.0, 1: 0.6, 2: 0.3}.get(found.years_apart, 0.0)
    authors = 0.5 if found.authors is None else found.authors
    venue = 0.5 if found.venue is None else found.venue
    place = sum({True: 0.5, None: 0.25, False: 0.0}[each] for each in (found.page, found.volume))
    score = 0.5 * found.title + 0.22 * authors + 0.12 * year + 0.06 * venue + 0.1 * place
    return round(score * (0.6 if found.conflict else 1.0), 4)


def list_match_keys(record: BibliographicRecord) -> tuple[str, ...]:
    """Keys of which two records of one work almost surely share one.

    A title that many works have is combined with the first author and year, because otherwise
    thousands of editorials would have to be compared with each other.
    """
    title = record.title[:MOST_TITLE]
    words = list_title_words(title)
    if not words:
        return ()
    names = [find_family_name(author) for author in record.authors[:3]]
    if is_generic_title(title):
        mark = squeeze_text(title)[:40]
        return tuple(sorted({f"g:{mark}:{name}:{record.year}" for name in names or [""]}))
    keys = _list_word_keys(words)
    main, sign, subtitle = re.sub(r"\s?[?!.:–—]\s", ": ", title).partition(": ")
    for part in (main, subtitle) if sign else ():
        if len(some := list_title_words(part)) >= 2:
            keys |= _list_word_keys(some)
    longest = max(words, key=lambda word: (len(word), word))
    keys |= {f"a:{name}:{longest}" for name in names if name}
    return tuple(sorted(keys))


def _list_word_keys(words: list[str]) -> set[str]:
    """The beginning, the end and the longest words, so that a misprint spoils only one of them."""
    letters = "".join(words)
    longest = sorted(words, key=lambda word: (-len(word), word))[:3]
    return {f"b:{letters[:18]}", f"e:{letters[-18:]}", f"l:{' '.join(sorted(longest))}"}


def list_candidate_pairs(records: Iterable[BibliographicRecord]) -> Iterator[tuple[int, int]]:
    """The pairs of records that are worth comparing, by their places, each once.

    In a group with a common key, records are compared with their neighbours in the order of titles,
    authors and years: the number of pairs grows with the number of records, not with its square.
    """
    kept = list(records)
    groups: dict[str, list[int]] = {}
    for place, record in enumerate(kept):
        for key in list_match_keys(record):
            groups.setdefault(key, []).append(place)
    seen: set[tuple[int, int]] = set()
    for places in groups.values():
        if len(places) > _GROUP:
            places.sort(key=lambda place: _sort_key(kept[place]))
        for index, first in enumerate(places):
            for second in places[index + 1 : index + _GROUP]:
                pair = (min(first, second), max(first, second))
                if pair not in seen:
                    seen.add(pair)
                    yield pair


def _sort_key(record: BibliographicRecord) -> tuple[str, str, int]:
    family = find_family_name(record.authors[0]) if record.authors else ""
    return squeeze_text(record.title[:MOST_TITLE])[:60], family, record.year or 0
