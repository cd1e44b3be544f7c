"""Whether a sentence limits what it says to a case, or goes on with that of another sentence."""

import re

from assay.packs.regulatory.extractor import case_cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure

_STEM = 6
"""Letters of a word that count when it is looked for in another form."""
_BEGIN = (case_cues.FRONTED, case_cues.INVERTED, case_cues.WHOEVER)
_OPENERS = (case_cues.OPENS, case_cues.THAT)
_ANYWHERE = (
    case_cues.OPENS,
    case_cues.RELATIVE,
    case_cues.THAT,
    case_cues.OFFENCE,
    case_cues.TIER,
    case_cues.YEARS,
)


def count_cases(text: str) -> int:
    """How many times a sentence limits what it says: by a condition, a tier, or who is meant."""
    found = [match for form in _ANYWHERE for match in form.finditer(text)]
    found += [match for form in _BEGIN if (match := form.match(text))]
    count = reached = 0
    for match in sorted(found, key=re.Match.start):
        if not case_cues.IDIOM.match(text, match.end()):
            # "the part of the base that exceeds 3,000" is one limit.
            count += match.start() >= reached
            reached = max(reached, match.end())
    return count


def is_in_case(clause: Clause, figure: Figure) -> bool:
    """Whether a figure is part of a condition or of a relative clause."""
    before = clause.masked[: figure.start]
    # A relative clause is recognized by its end.
    opened = [one.end() for one in case_cues.RELATIVE.finditer(clause.masked)]
    opened += [one.end() for form in _OPENERS for one in form.finditer(before)]
    last = max((at for at in opened if at <= figure.start), default=-1)
    return last >= 0 and "," not in before[last:]


def refers_back(text: str) -> bool:
    """Whether a sentence applies in the case that the sentence before describes."""
    return case_cues.SAME_CASE.match(text) is not None


def follows_on(text: str, before: str) -> bool:
    """Whether a sentence goes on with what another, earlier in its paragraph, is about."""
    if case_cues.OTHERWISE.match(text):
        return False
    if refers_back(text) or case_cues.REFERS_BACK.match(text):
        return True
    named = case_cues.DEFINITE.match(text)
    if named is None:
        return False
    if named[1][:_STEM].casefold() in before.casefold():
        return True
    return case_cues.INVERTED.match(before) is not None and not _has_own_case(text)


def _has_own_case(text: str) -> bool:
    """Whether a German sentence says itself in which case it applies, or of which sentence."""
    forms = (case_cues.OPENS, case_cues.RELATIVE, case_cues.OWN_REFERENCE)
    return any(form.search(text) for form in forms)


def describes_case(text: str) -> bool:
    """Whether a sentence begins with the case in which it applies."""
    start = len(text) - len(text.lstrip("“„»\"'*_([ \t"))
    opened = case_cues.OPENS.match(text, start) or case_cues.INVERTED.match(text)
    return opened is not None


def limits_last(text: str) -> bool:
    """Whether a sentence limits the one before: `Dies gilt nicht, wenn …`."""
    return case_cues.EXCEPTS.match(text) is not None


def opens_exception(text: str) -> bool:
    """Whether a sentence begins as an exception: `Iznimno, za male obveznike …`."""
    return case_cues.EXCEPTION.match(text) is not None


def excepts_unnamed(text: str) -> bool:
    """Whether a sentence begins as an exception, and does not name from which provision."""
    opened = case_cues.EXCEPTION.match(text)
    return opened is not None and not opened["named"]


def limits_provision(text: str, paragraph: str, sentence: int) -> bool | None:
    """Whether a sentence names a paragraph or a sentence that it limits; None if it names none.

    A sentence number without a paragraph is one of the same paragraph, which is empty then.
    """
    named = case_cues.EXCEPTED.match(text)
    if named is None or not (named["paragraphs"] or named["sentences"]):
        return None
    if bool(paragraph) != bool(named["paragraphs"]):
        return False
    of_paragraph = not paragraph or _is_named(paragraph, named["paragraphs"])
    return of_paragraph and (not named["sentences"] or _is_named(str(sentence), named["sentences"]))


def _is_named(number: str, words: str) -> bool:
    """Whether a number is one of `1, 3 bis 5 und 7`."""
    if number in re.findall(r"\w+", words):
        return True
    ranges = re.finditer(r"(\d+) bis (\d+)", words)
    return number.isdigit() and any(int(one[1]) < int(number) < int(one[2]) for one in ranges)
