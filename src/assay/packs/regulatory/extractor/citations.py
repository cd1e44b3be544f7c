"""Which references of a clause refer to something, rather than introduce or number a provision."""

import re

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.cues import DUTY
from assay.packs.regulatory.extractor.references import Reference

_LEADERS = re.compile(r"\.{4,}|…{2,}|(?:\.\s){4,}")
"""The dots between a title and its page, in a table of contents."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ADDED_BEFORE = re.compile(
    r"(?<!\w)(?:dodaj[eu]\s+se|umeć[eu]\s+se|following|folgende[rnms]?|neue[rnms]?|new|novi|nova"
    r"|nov[eo])"
    r"(?:\s(?:novi|nova|new|neuer))?\s{0,3}[„“\"»‘']?$",
    re.IGNORECASE,
)
_ADDED_AFTER = re.compile(
    r"\s{0,3}(?:koj[aie]\s+glas[ei]|is\s+(?:added|inserted)|wird\s+(?:angefügt|eingefügt))",
    re.IGNORECASE,
)
_NEW_WORDING = re.compile(
    r"^\W{0,2}(?:§|čl|art|section|stav)[^:]{0,60}\s(?:mijenja\w{0,2}\s+se\s+i\s+glas[ei]|glasi"
    r"|lautet"
    r"|erhält\s+folgende\s+fassung|(?:is|are)\s+(?:replaced\s+by\s+the\s+following"
    r"|amended\s+to\s+read))",
    re.IGNORECASE,
)
"""What follows replaces the provision itself."""
_CITED_AS = re.compile(
    r"(?<!\w)(?:may\s+be\s+)?cited\s+as(?!\w)|(?<!\w)short\s+title", re.IGNORECASE
)
_ENACTS = re.compile(
    r"(?:na temelju|temeljem|pursuant to|under|having regard|auf ?grund|gestützt auf|nach)\b",
    re.IGNORECASE,
)
_SAME = 24
"""Letters that a line must share with its document's title to be a repetition of it."""


def find_citations(clause: Clause, title: str) -> list[Reference]:
    """The references of a clause that refer to something."""
    if not clause.references or _LEADERS.search(clause.text):
        return []
    if _repeats_title(clause, title) or _is_heading(clause):
        return []
    if _NEW_WORDING.search(clause.text) and not clause.references[0].named:
        return list(clause.references[1:])
    own = _CITED_AS.search(clause.text)
    return [
        one
        for one in clause.references
        if not _is_added(clause, one) and not (own and own.end() <= one.start)
    ]


def _is_heading(clause: Clause) -> bool:
    """`Članak 5.`, `§ 4 Steuersätze`: a line that a page or a scan sets apart."""
    first = clause.references[0]
    if first.named:
        return False
    if first.start > 2:
        # "ZAKON O POREZU — Članak 2.", at the top of a page.
        before = clause.text[: first.start]
        ends = not _WORD.search(clause.text[first.end :])
        return ends and before.isupper() and _WORD.search(before) is not None
    rest = clause.text[first.end :].strip()
    quoted = first.start > 0 and rest[:1].isupper()
    if quoted or not _WORD.search(rest):
        return True
    return rest[-1] not in ".;:,!?" and DUTY.search(clause.masked) is None


def _repeats_title(clause: Clause, title: str) -> bool:
    """Whether a line repeats the title of its document, as at the top of a page."""
    if not _SAME <= len(clause.text) <= len(title) + 60 or clause.text[-1] in ".;:":
        return False
    if _ENACTS.match(clause.text):
        return False
    return title.casefold().startswith(clause.text.casefold()[:_SAME])


def _is_added(clause: Clause, reference: Reference) -> bool:
    """Whether an amendment only adds the provision: there is nothing to refer to yet."""
    before = clause.text[max(0, reference.start - 30) : reference.start]
    return bool(
        _ADDED_BEFORE.search(before)
        or (not reference.named and _ADDED_AFTER.match(clause.text, reference.end))
    )
