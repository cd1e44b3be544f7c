"""Comparing a work with a reference as it was printed, however badly it was scanned or parsed.

A title that is found inside the text, with its authors and year, needs no parser. All comparisons
are between letters and digits alone, so that a lost or added space changes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from assay.packs.literature.comparing import (
    ABOUT_OTHERS,
    MOST_TITLE,
    OTHER_WORD,
    ROMAN,
    RecordComparison,
    find_longest_difference,
    is_generic_title,
    is_name,
    list_numbers,
    read_first_page,
)
from assay.packs.literature.folding import find_family_name, fold_text, squeeze_text, strip_markup
from assay.packs.literature.resolving.works import FoundWork

_MOST_TEXT = 3_000
_PHRASE = 22
"""Letters between two punctuation marks that are more than a name."""


@dataclass(frozen=True)
class PrintedText:
    """A reference as printed, and its letters and digits with their places."""

    text: str
    letters: str
    places: tuple[int, ...]
    """Where each of the letters is in the text."""

    @classmethod
    def of(cls, text: str) -> "PrintedText":
        """Prepare a text once for all candidates."""
        text = strip_markup(text[:_MOST_TEXT])
        letters: list[str] = []
        places: list[int] = []
        for at, sign in enumerate(text):
            folded = sign.casefold() if sign.isascii() else squeeze_text(sign)
            if sign.isascii() and not sign.isalnum():
                continue
            letters.append(folded)
            places.extend([at] * len(folded))
        return cls(text, "".join(letters), tuple(places))


def compare_with_text(
    printed: PrintedText, work: FoundWork, parsed: RecordComparison
) -> RecordComparison:
    """Compare a work with a printed reference. Each field counts as it agrees best: as parsed, or
    in the text."""
    found = _find_title(printed, work)
    size = len(squeeze_text(work.title[:MOST_TITLE]))
    venue = _choose_highest(parsed.venue, _find_phrase(printed.letters, work.venue))
    others = _list_phrases(printed.text, " ".join(work.authors[:60]), work.venue, work.title)
    if found.similarity < parsed.title:
        return replace(
            parsed,
            has_other_phrase=bool(others),
            authors=_choose_highest(parsed.authors, _find_authors(printed.letters, work.authors)),
            years_apart=_find_years_apart(printed.text, work.year, parsed.years_apart),
            venue=venue,
        )
    explained = size + len(squeeze_text(work.venue)) * (venue or 0.0) + 4
    return replace(
        parsed,
        title=found.similarity,
        title_size=size,
        title_words=len(fold_text(work.title[:MOST_TITLE]).split()),
        is_generic=is_generic_title(work.title),
        authors=_choose_highest(parsed.authors, _find_authors(printed.letters, work.authors)),
        years_apart=_find_years_apart(printed.text, work.year, parsed.years_apart),
        venue=venue,
        volume=_has_number(printed.text, work.volume),
        page=_has_page(printed.text, work),
        has_other_phrase=bool(others),
        is_whole=explained >= 0.9 * len(printed.letters),
        conflict=found.conflict,
    )


@dataclass(frozen=True)
class _FoundTitle:
    similarity: float = 0.0
    conflict: str = ""


def _find_title(printed: PrintedText, work: FoundWork) -> _FoundTitle:
    """How well a title is found in the text; less if it is only a part of a longer phrase."""
    title, letters = squeeze_text(work.title[:MOST_TITLE]), printed.letters
    if len(title) < 4 or len(letters) < len(title) * 0.6:
        return _FoundTitle()
    start = letters.find(title)
    score, end = 1.0, start + len(title)
    if start < 0:
        found = fuzz.partial_ratio_alignment(title, letters, score_cutoff=60)
        if found is None:
            return _FoundTitle()
        score, start, end = found.score / 100, found.dest_start, found.dest_end
        if find_longest_difference(title, letters[start:end]) >= OTHER_WORD:
            score = min(score, 0.89)
    first = printed.places[start]
    last = printed.places[min(end, len(letters)) - 1]
    lead, span, rest = (
        printed.text[:first],
        printed.text[first : last + 1],
        printed.text[last + 1 :],
    )
    if _is_after_phrase(lead, work):
        # Other words come first: this is the title of the book or series, or what is commented on.
        return _FoundTitle(min(score, 0.7))
    before = first < 3 or re.search(r"[^\w\s]", lead[-4:])
    after = len(rest) < 5 or re.search(r"[^\w\s]", rest[:5])
    score -= 0.0 if before and after else 0.03 if before or after else 0.06
    return _FoundTitle(score, _find_conflict(lead, span, rest, work))


_YEAR_END = re.compile(r"(?:\d[\w ]{1,4}|n\.\s?d\.)[a-z]?\)|\b(?:1[89]|20)\d\d[a-z]?[.,:)]")


def _is_after_phrase(lead: str, work: FoundWork) -> bool:
    """Whether other words than authors and a year come before."""
    *_, tail = _YEAR_END.split(lead)
    if tail != lead and sum(len(word) for word in fold_text(tail).split() if len(word) > 2) >= 4:
        return True
    return any(True for _ in _list_phrases(lead, " ".join(work.authors[:60])))


def _list_phrases(text: str, *known: str) -> list[str]:
    """The phrases between punctuation marks that are more than a name and not known."""
    expected = [squeeze_text(each[:2_000]) for each in known]
    found = (squeeze_text(phrase) for phrase in re.split(r"[^\w\s'’‐-]|\d", text))
    return [
        phrase
        for phrase in found
        if len(phrase) >= _PHRASE
        and all(not each or fuzz.partial_ratio(phrase, each) < 75 for each in expected)
    ]


def _find_conflict(lead: str, span: str, rest: str, work: FoundWork) -> str:
    """Why the printed title means another work, although it contains the title of this one."""
    title = fold_text(work.title[:MOST_TITLE])
    close = fold_text(lead[-40:])
    for what, pattern in ABOUT_OTHERS:
        of_title = pattern.search(title)
        if of_title is None:
            if pattern.search(close):
                return f"only one of them is {what}"
        elif fuzz.partial_ratio(of_title[0].replace(" ", ""), squeeze_text(lead[-40:] + span)) < 80:
            return f"only one of them is {what}"
    ours, printed = list_numbers(title), _list_parts(span + rest[:8])
    if any(number not in printed for number in ours if number < 100):
        return "the numbers in the titles differ"
    follows = re.match(r"[\W_]{0,3}(?:part\s)?([ivx]{1,4}|\d{1,2})[.:]\s", rest, re.IGNORECASE)
    if follows and not ours and _list_parts(follows[1]):
        return "the numbers in the titles differ"
    return ""


def _list_parts(text: str) -> set[int]:
    """All numbers and Roman numerals in a text, also single letters."""
    words = fold_text(text).split()
    found = {ROMAN[word] for word in words if word in ROMAN}
    return (
        found
        | {int(digits) for digits in re.findall(r"\d{1,8}", text)}
        | set(list_numbers(" ".join(words)))
    )


def _find_authors(letters: str, authors: Sequence[str]) -> float | None:
    """The share of the first authors whose family names are in the text; the first twice."""
    names = [find_family_name(author) for author in authors[:6] if is_name(author)]
    names = [name for name in names if len(name) > 1]
    if not names:
        return None
    good = [
        (_find_phrase(letters, name) or 0.0) >= (0.8 if len(name) > 4 else 0.99) for name in names
    ]
    # "et al." stands for all but the first.
    return max((sum(good) + good[0]) / (len(names) + 1), 0.6 if good[0] and len(names) > 3 else 0)


def _find_phrase(letters: str, phrase: str) -> float | None:
    squeezed = squeeze_text(phrase[:200])
    if not squeezed:
        return None
    if squeezed in letters:
        return 1.0
    return fuzz.partial_ratio(squeezed, letters) / 100 if len(squeezed) > 3 else 0.0


_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20[0-3]\d)(?!\d)")


def _find_years_apart(text: str, year: int | None, parsed: int | None) -> int | None:
    """The least difference to a year in the text: one in parentheses, or else any."""
    if year is None or parsed == 0:
        return parsed
    joined = re.sub(r"(?<=\d) (?=\d)", "", text)
    enclosed = re.findall(r"\(\D{0,12}(1[5-9]\d\d|20[0-3]\d)", joined)
    years = enclosed or _YEAR.findall(joined) or _YEAR.findall(text)
    apart = min((abs(int(each) - year) for each in years), default=None)
    if apart is not None and apart > 2 and not enclosed:
        # It may be a page or a part of the title.
        apart = None if not re.search(r"\b(19|20)\d\d\b", text) else apart
    return apart if parsed is None else min(parsed, parsed if apart is None else apart)


def _has_number(text: str, number: str) -> bool | None:
    wanted = read_first_page(number)
    return wanted in _list_numbers(text) if wanted else None


def _has_page(text: str, work: FoundWork) -> bool | None:
    """Whether the first or last page is in the text; None if the text seems to have no pages."""
    pages = [page.lower().lstrip("0") for page in re.findall(r"[A-Za-z]{0,4}\d+", work.pages)]
    if not pages:
        return None
    joined = re.sub(r"(?<=\d) (?=\d)", "", text.lower())
    ranges = re.findall(r"([a-z]{0,4}\d+)\s?[–—-]+\s?([a-z]{0,4}\d+)", joined)
    if any(first.lstrip("0") == pages[0] or last == pages[-1] for first, last in ranges):
        return True
    numbers = _list_numbers(text)
    if pages[0] in numbers and (not ranges or len(pages[0]) > 2):
        return True
    others = numbers - {str(work.year), read_first_page(work.volume)}
    has_pages = ranges or re.search(r"\bp{1,2}\.|[),:]\s?[A-Za-z]?\d+\W*$", text)
    return False if others and has_pages else None


def _list_numbers(text: str) -> set[str]:
    lower = text.lower()
    found = set(re.findall(r"\d+", lower)) | set(re.findall(r"[a-z]{0,4}\d+", lower))
    found |= set(re.findall(r"\d+", re.sub(r"(?<=\d) (?=\d)", "", lower)))
    return found | {number.lstrip("0") for number in found}


def _choose_highest(first: float | None, second: float | None) -> float | None:
    return max((each for each in (first, second) if each is not None), default=None)
