"""How much two bibliographic records agree: in title, authors, year, venue and pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from assay.packs.literature.folding import (
    are_names_alike,
    find_family_name,
    fold_text,
    list_name_words,
    squeeze_text,
)

MOST_TITLE = 600
"""Characters of a title that are compared; a longer one is a mistake or an attack."""
OTHER_WORD = 5
"""Letters in a row by which two titles differ if it is more than misprints."""
_MOST_AUTHORS = 40


class BibliographicRecord(Protocol):
    """What is compared: a reference of a list, or a work that a service found."""

    @property
    def title(self) -> str: ...
    @property
    def authors(self) -> Sequence[str]: ...
    @property
    def year(self) -> int | None: ...
    @property
    def venue(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordComparison:
    """How much two records agree, from 0 to 1; None where one of them says nothing."""

    title: float
    title_size: int
    """Letters and digits in the shorter title: a short one proves little."""
    title_words: int
    is_generic: bool
    """Whether many works have this title, such as "Editorial"."""
    authors: float | None = None
    years_apart: int | None = None
    venue: float | None = None
    volume: bool | None = None
    page: bool | None = None
    is_whole: bool = False
    """Whether title, year and venue explain the whole printed reference."""
    has_other_phrase: bool = True
    """Whether the printed reference has a phrase that can be another title."""
    conflict: str = ""
    """Why the titles mean different works although they look alike."""
    has_preprint: bool = False
    """Whether one of the records is a preprint."""

    @property
    def is_in_place(self) -> bool:
        """Whether the page agrees, or volume and venue do, and nothing says otherwise."""
        same_volume = self.volume is True and (self.venue or 0.0) >= 0.85
        return self.page is True or (same_volume and self.page is None)

    @property
    def is_same_venue(self) -> bool:
        return (self.venue or 0.0) >= 0.85


def compare_records(first: BibliographicRecord, second: BibliographicRecord) -> RecordComparison:
    """Compare two records field by field."""
    one, other = first.title[:MOST_TITLE], second.title[:MOST_TITLE]
    similarity = compare_titles(one, other)
    shorter = min(one, other, key=lambda title: len(squeeze_text(title)))
    return RecordComparison(
        title=similarity,
        title_size=len(squeeze_text(shorter)),
        title_words=len(fold_text(shorter).split()),
        is_generic=is_generic_title(shorter),
        authors=compare_authors(first.authors, second.authors),
        years_apart=_subtract_years(first.year, second.year),
        venue=compare_venues(first.venue, second.venue),
        volume=_compare_numbers(first, second, "volume"),
        page=_compare_numbers(first, second, "pages"),
        conflict=find_conflict(one, other) if similarity > 0.5 else "",
        has_preprint=is_preprint(first) or is_preprint(second),
    )


def compare_titles(first: str, second: str) -> float:
    """1.0 for the same title; a little less if one lacks the subtitle or is cut off."""
    one, other = squeeze_text(first), squeeze_text(second)
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    whole = fuzz.ratio(one, other) / 100
    if len(shorter) >= 12 and len(longer) > len(shorter):
        if shorter in (squeeze_text(part) for part in _list_title_parts(first, second)):
            return max(whole, 0.95)
        # A list may cut long titles off in the middle of a word.
        if len(shorter) >= 30 and fuzz.ratio(shorter, longer[: len(shorter)]) >= 97:
            return max(whole, 0.93)
        # A name or a date that does not belong to the title stands before or after it.
        if len(shorter) >= 30 and len(shorter) >= 0.8 * len(longer) and shorter in longer:
            return max(whole, 0.92)
    words = list_title_words(first), list_title_words(second)
    if len(shorter) >= 20 and sorted(words[0]) == sorted(words[1]):
        return max(whole, 0.97)
    return whole if find_longest_difference(one, other) < OTHER_WORD else min(whole, 0.89)


def find_longest_difference(first: str, second: str) -> int:
    """The length of the longest part in which two texts differ: misprints are short."""
    longest = run = 0
    for step in Levenshtein.opcodes(first, second):
        size = max(step.src_end - step.src_start, step.dest_end - step.dest_start)
        if step.tag != "equal":
            run += size
            longest = max(longest, run)
        elif size > 1:
            run = 0
    return longest


def compare_authors(first: Sequence[str], second: Sequence[str]) -> float | None:
    """The share of the shorter list that the other contains, and a bonus for the first author."""
    ours = [name for name in first[:_MOST_AUTHORS] if is_name(name)]
    theirs = [name for name in second[:_MOST_AUTHORS] if is_name(name)]
    if not ours or not theirs:
        return None
    shorter, longer = sorted((ours, theirs), key=len)
    hits = [any(is_same_author(name, other) for other in longer) for name in shorter]
    leading = is_same_author(shorter[0], longer[0])
    score = 0.8 * sum(hits) / len(shorter) + 0.2 * leading
    return score / 2 if len(shorter) == 1 and len(longer) > 3 and not leading else score


def is_same_author(first: str, second: str) -> bool:
    """Whether two names can be the same person's: by family name, in either order of names."""
    one, other = find_family_name(first), find_family_name(second)
    if are_names_alike(one, other):
        return not _has_other_initial(first, second, one, other)
    if len(one) > 3 and len(other) > 3:
        alike = fuzz.ratio(one, other)
        if alike >= 88 or (alike >= 74 and first[:1].casefold() == second[:1].casefold()):
            return True
    if one in list_name_words(second) or other in list_name_words(first):
        return True
    return _is_swapped(fold_text(first).split(), fold_text(second).split())


def compare_venues(first: str, second: str) -> float | None:
    """How alike two names of a journal or conference are; an abbreviation counts."""
    one, other = fold_text(first), fold_text(second)
    if not one or not other:
        return None
    if one == other:
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    if bool(_PERIODICAL.search(one)) != bool(_PERIODICAL.search(other)):
        # A conference and the journal of the same society publish different versions.
        return min(0.8, fuzz.token_set_ratio(one, other) / 100)
    if _abbreviates(shorter.split(), longer.split()) or _is_acronym(shorter, longer):
        return 0.95
    return max(fuzz.token_set_ratio(one, other), fuzz.ratio(one, other)) / 100


_PERIODICAL = re.compile(
    r"\b(j|jour\w*|trans\w*|mag\w*|lett\w*|rec|record|annals|bull\w*|rev\w*)\b"
)


_STOP = frozenset((
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it", "of",
    "on", "or", "over", "the", "to", "towards", "toward", "under", "using", "via", "with", "der",
    "die", "das", "und", "von", "ein", "eine", "le", "la", "les", "de", "des", "du", "el", "los",
))  # fmt: skip
_GENERIC = frozenset(
    squeeze_text(title)
    for title in (
        "introduction", "editorial", "preface", "foreword", "index", "contents", "abstracts",
        "news", "table of contents", "book review", "book reviews", "letter to the editor",
        "obituary", "letters to the editor", "correspondence", "reply", "comment", "discussion",
        "errata", "erratum", "corrigendum", "correction", "acknowledgements", "acknowledgments",
        "references", "bibliography", "glossary", "appendix", "conclusion", "conclusions",
        "summary", "overview", "front matter", "back matter", "title page", "subject index",
        "author index", "masthead", "announcements", "announcement", "list of contributors",
        "contributors", "list of reviewers", "guest editorial", "editors note", "from the editor",
        "in this issue", "in memoriam", "research highlights", "calendar", "notes", "notices",
        "reviews", "cover", "frontispiece", "editorial board", "copyright page",
        "list of figures", "list of tables", "poster session", "message from the chairs",
        "welcome", "dedication", "afterword", "prologue", "epilogue", "author response",
        "response", "books received", "publications received", "meetings", "report",
        "miscellaneous", "chapter 1", "general introduction", "concluding remarks",
    )
)  # fmt: skip


def is_generic_title(title: str) -> bool:
    """Whether a title alone says almost nothing about which work it is."""
    squeezed = squeeze_text(title)
    return len(squeezed) < 8 or re.sub(r"\d+$", "", squeezed) in _GENERIC


_PREPRINTS = re.compile(
    r"\b(arxiv|biorxiv|medrxiv|chemrxiv|ssrn|psyarxiv|corr|preprints?|research square|techrxiv|"
    r"osf|hal|openreview|working papers?|technical reports?)\b"
)


def is_preprint(record: BibliographicRecord) -> bool:
    """Whether a record is a preprint's, by its venue, kind or ids."""
    if _PREPRINTS.search(fold_text(record.venue)):
        return True
    if getattr(record, "kind", "") in ("preprint", "posted-content"):
        return True
    ids: Sequence[str] = getattr(record, "ids", ())
    return (
        bool(ids)
        and all(each.startswith(("arxiv:", "openalex:")) for each in ids)
        and any(each.startswith("arxiv:") for each in ids)
    )


ABOUT_OTHERS = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        (
            "a correction",
            r"\b(erratum|errata|corrigend\w+|correction (to|of)|(author|publisher) correction)\b",
        ),
        (
            "a comment",
            r"\b(comments? on|reply to|replies to|response to|rejoinder|rebuttal|discussion of)\b",
        ),
        (
            "a retraction",
            r"\b(retraction|retracted|withdrawn|withdrawal|expression of concern)\b",
        ),
        ("a review", r"\bbook reviews?\b|^review of\b"),
        ("an abstract", r"\bcheminform abstract\b"),
        (
            "an addition",
            r"\b(addendum|supplement(ary|al)? (to|material|information)|appendix to)\b",
        ),
    )
)
"""What a work about another one is, and how its title says so."""
ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9,
          "x": 10, "xi": 11, "xii": 12, "xiii": 13, "xiv": 14, "xv": 15}  # fmt: skip
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "first": 1, "second": 2, "third": 3}
PART = re.compile(
    r"\b(?:part|pt|volume|vol|chapter|section|paper)\s+(\d{1,3}|[ivx]+|one|two|three)\b"
)


def find_conflict(first: str, second: str) -> str:
    """Why two similar titles mean different works; empty if nothing says so."""
    one, other = fold_text(first), fold_text(second)
    for what, pattern in ABOUT_OTHERS:
        if bool(pattern.search(one)) != bool(pattern.search(other)):
            return f"only one of them is {what}"
    ours, theirs = list_numbers(one), list_numbers(other)
    if ours != theirs and not _is_cut_off(one, other):
        alone = set(ours) ^ set(theirs)
        # A list may add the year, or leave out that it is the first part.
        if (set(ours) - {1} and set(theirs) - {1}) or any(1 < each < 1000 for each in alone):
            return "the numbers in the titles differ"
    return ""


@lru_cache(maxsize=20_000)
def list_numbers(folded: str) -> tuple[int, ...]:
    """The numbers in a title: digits, Roman numerals, and what follows "part"."""
    found = [_to_number(match[1]) for match in PART.finditer(folded)]
    words = PART.sub(" ", folded).split()
    for place, word in enumerate(words):
        if word.isdecimal() and word.isascii() and len(word) < 9:
            found.append(int(word))
        elif word in ROMAN and (len(word) > 1 or (place == len(words) - 1 and place > 0)):
            found.append(ROMAN[word])
    return tuple(sorted(found))


def _to_number(text: str) -> int:
    return int(text) if text.isdecimal() else ROMAN.get(text) or _WORDS.get(text, 0)


def _is_cut_off(one: str, other: str) -> bool:
    """Whether one of two titles ends before the numbers in which they differ."""
    shorter, longer = sorted((one, other), key=len)
    rest = longer[len(shorter) :]
    if not longer.startswith(shorter) or not rest.startswith(" ") or PART.search(rest):
        return False
    return list_numbers(shorter) == list_numbers(longer[: len(shorter)])


def _list_title_parts(first: str, second: str) -> list[str]:
    """Title and subtitle of each title that has both; a short subtitle is not enough."""
    found = []
    for title in (first, second):
        main, sign, sub = re.sub(r"\s+[-–—]+\s+|[?!]\s|\s?[.:]\s", ": ", title).partition(": ")
        if sign and len(fold_text(main).split()) >= 2:
            found.append(main)
        if sign and len(fold_text(sub).split()) >= 4:
            found.append(sub)
    return found


def list_title_words(title: str) -> list[str]:
    """The folded words of a title that say what it is about."""
    return [word for word in fold_text(title).split() if word not in _STOP]


def is_name(author: str) -> bool:
    """Whether it is a name at all."""
    return fold_text(author) not in ("", "et al", "others", "anonymous", "anon")


def _has_other_initial(first: str, second: str, one: str, other: str) -> bool:
    """Whether the given names of two people with one family name begin differently."""
    given = [
        {
            letter
            for word in fold_text(name).split()
            if not are_names_alike(word, family)
            # "JR" and "anyc" are several initials.
            for letter in (word if len(word) < 5 else word[0])
        }
        for name, family in ((first, one), (second, other))
    ]
    return all(given) and not (given[0] & given[1])


def _is_swapped(first: list[str], second: list[str]) -> bool:
    """Whether "S Sunita" can be "S Sarawagi", with her given name taken for the family name."""
    if len(first) != 2 or len(second) != 2 or len(first[0]) > 2 or len(second[0]) > 2:
        return False
    return first[0][0] == second[1][0] and second[0][0] == first[1][0]


def _abbreviates(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether each word of one begins a word of the other, in order: "Phys Rev B"."""
    if len(short) < 2 and not (short and len(short[0]) > 3):
        return False
    rest = iter(long)
    return all(any(word.startswith(part) for word in rest) for part in short)


_SMALL = frozenset(("of", "the", "on", "and", "in", "for", "a"))


def _is_acronym(short: str, long: str) -> bool:
    initials = "".join(word[0] for word in long.split() if word not in _SMALL)
    squeezed = re.sub(r"\d", "", short.replace(" ", ""))
    return 3 <= len(squeezed) <= 8 and squeezed in initials


def _subtract_years(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else abs(first - second)


def _compare_numbers(
    first: BibliographicRecord, second: BibliographicRecord, field: str
) -> bool | None:
    one, other = (read_first_page(getattr(each, field, "")) for each in (first, second))
    return one == other if one and other else None


def read_first_page(pages: str) -> str:
    """The first number in a range of pages, or a volume's."""
    match = re.match(r"\W*([A-Za-z]{0,3}\d+)", pages)
    return match[1].lower().lstrip("0") if match else ""
