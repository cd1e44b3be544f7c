"""Figures that a sentence names only to say that they do not apply: denied, abolished, permitted.

Their words are those of a rule, and the figure stands where that of a rule stands.
"""

import re

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure

_REACH = 120
_DENIED = re.compile(
    r"(?<!\w)(?:(?:nije|nisu|ne\s(?:iznos[ie]|plaća(?:\sse)?|vrijedi))(?:\s(?:od|po\sstopi\sod))?"
    r"|(?:is|are|was|were|does|do|shall|may|will)(?:\snot|n['’]t)(?:\s(?:be|amount\sto|longer))?"
    r"|(?:beträgt|betragen|ist|sind|gilt|gelten|beläuft\ssich)\s(?:[^\s,;]{1,20}\s){0,3}nicht(?:\smehr)?)\s{1,3}$",
    re.IGNORECASE,
)
"""`Stopa nije 12 %`: directly before a figure, where no limit is meant."""
_NOT_BUT = re.compile(r"(?<!\w)(?:nicht|not|ne)\s{1,3}$", re.IGNORECASE)
_BUT = re.compile(
    r"(?:\s[^\s,;]{1,20}){0,3},?\s(?:sondern|but(?!\snot\s)|nego|već)(?!\w)(?=[^;]*\d)",
    re.IGNORECASE,
)
"""`nicht 4 Prozent, sondern 6`."""
_ABOLISHES = (
    r"(?:(?:se\s)?ukida(?:ju)?(?:\sse)?|(?:je|su)\sukinut\w|više\sse\sne\s(?:plaća|naplaćuje|primjenjuje)"
    r"|entfäll(?:t|en)|(?:wird|werden)\s(?:abgeschafft|nicht\smehr\s(?:erhoben|verlangt|berechnet))"
    r"|(?:is|are)\s(?:hereby\s)?abolished|(?:is|are)\sno\slonger\s(?:charged|levied|payable|due))"
)
_ABOLISHED_AFTER = re.compile(
    rf"[^,;:.]{{0,80}}(?<!\w){_ABOLISHES}"
    r"(?=\s{0,3}(?:[.;]|$|(?:ab|mit|zum|od|s|from|with|on)\s[^,;]{0,40}[\d·]))",
    re.IGNORECASE,
)
"""`Naknada od 30 eura se ukida.` With a condition or for somebody, it is an exemption."""
_ABOLISHED_BEFORE = re.compile(rf"\W*(?:es\s)?{_ABOLISHES}(?!\w)[^,;:.]{{0,80}}$", re.IGNORECASE)
_RELATIVE = re.compile(r"(?<!\w)(?:auf\sde\w|koj\w{1,3}|which|that)(?!\w)[^,;]*$", re.IGNORECASE)
"""`der Betrag, der auf den Anteil entfällt`: what is allotted, not abolished."""
_ENABLED = re.compile(
    r"(?<!\w)(?:može|mogu)\s(?!se\s)(?:[^\s,;]{1,20}\s){0,4}?(?:propisati|uvesti|odrediti|utvrditi)(?!\w)[^;:]{0,60}$"
    r"|(?<!\w)(?:minister|government|secretary\sof\sstate|treasury)\smay\s(?:by\s\w{4,12}\s)?"
    r"(?:prescribe|introduce|set|fix)(?!\w)[^;:]{0,60}$",
    re.IGNORECASE,
)
"""`Ministar može propisati stopu do 6 %`: a power, which nobody has used."""
_PUNISHES = re.compile(
    r"(?<!\w)(?:kazn\w{1,4}|globa\w{0,2}|fines?|penalt\w{1,3})(?!\w)", re.IGNORECASE
)


def is_not_stated(clause: Clause, figure: Figure) -> bool:
    """Whether a value is named to say that it does not apply, or that somebody may set it."""
    if figure.kind not in VALUES:
        return False
    start, end = clause.part_of(figure.start)
    before = clause.masked[max(start, figure.start - _REACH) : figure.start]
    after = clause.masked[figure.end : min(end, figure.end + _REACH)]
    if _DENIED.search(before) or (
        _NOT_BUT.search(before) and _BUT.match(clause.masked, figure.end)
    ):
        return True
    return _is_abolished(before, after) or _is_enabled(before)


def _is_abolished(before: str, after: str) -> bool:
    if _ABOLISHED_AFTER.match(after):
        return _RELATIVE.search(before) is None
    return _ABOLISHED_BEFORE.fullmatch(before) is not None


def _is_enabled(before: str) -> bool:
    return _ENABLED.search(before) is not None and _PUNISHES.search(before) is None
