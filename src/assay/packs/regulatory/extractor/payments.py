"""What a provision pays or charges, with its own minimum or maximum, and what it only compares."""

import re

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure

_FEE_IS = re.compile(
    r"\W{0,3}(?:(?:Die|Eine|The|An?)\s)?(?:[^\W\d_]{2,20}\s){0,2}(?:\w{0,24}gebühr|fees?|pristojb\w|naknada)\s"
    r"(?:[^,;]{0,80}\s)?(?:beträgt|iznosi|is|shall\sbe|(?:may|shall|must)\snot\sexceed|darf|ne\smože\sbiti)\s[^,;]{0,30}$",
    re.IGNORECASE,
)
"""`Die Gebühr beträgt mindestens`: a minimum or maximum of the fee itself."""
_IS_PAID = re.compile(
    r"(?<!\w)(?:(?:shall|must)\spay\s(?:[^\W\d_]+\s){1,4}of|(?:is|are|be)\sentitled\sto\s[^,;]{3,60}\sof"
    r"|anspruch\sauf\s[^,;]{3,60}\svon|(?:beträgt|betragen)|(?:wird|werden)\s(?:[^\W\d_]+\s){0,6}(?:in\shöhe\svon"
    r"|bis\szu)|pravo\sna\s[^,;]{3,60}\s(?:od|u\siznosu)|(?:porez|naknada|plaća|potpora|mirovina|doplatak)\s"
    r"(?:[^\W\d_]+\s){0,6}ne\s(?:može|smije)\sbiti)(?!\w)",
    re.IGNORECASE,
)
_EXCESS = re.compile(
    r"(?<!\w)(?:wert\w{0,3}|umsatz\w{0,6}|einkommen\w?|vrijednost\w{0,2}|value|turnover|income|bei|ab)(?!\w)",
    re.IGNORECASE,
)
"""What is compared with a sum, rather than paid."""
_OF_TAXES = re.compile(
    r"(?<!\w)(?:tax\w{0,5}|income|profits?|gains?|deduct\w{0,5}|capital|relief|finance|revenue)(?!\w)",
    re.IGNORECASE,
)
_LEADING_LIMIT = re.compile(
    r"\W{0,3}(?:(?:Die|Der)\s(?:[a-zäöüß]{3,20}\s){0,2}\w{3,40}(?:grenze|schwelle|schwellenwert)"
    r"|The\s(?:\w{3,14}\s){0,2}(?:limit|threshold|ceiling)|(?:Prag|Granica|Cenzus))(?!\w)"
)
"""`Die Jahresarbeitsentgeltgrenze nach … beträgt`: the sentence is about a limit."""
_IF = re.compile(
    r"(?<!\w)(?:if|where|whose|when|ako|kada|čij\w{1,2}|wenn|sofern|deren)(?!\w)", re.IGNORECASE
)


def bounds_fee(before: str) -> bool:
    """Whether the words before a sum limit a fee itself: `Die Gebühr beträgt mindestens`."""
    return _FEE_IS.match(before) is not None


def names_limit(before: str) -> bool:
    """Whether a sentence is about a limit: `Die Jahresarbeitsentgeltgrenze nach … beträgt`."""
    return _LEADING_LIMIT.match(before) is not None


def bounds_payment(clause: Clause, figure: Figure) -> bool:
    """`shall pay wages of not less than $7.25`: a minimum or maximum of what somebody is paid."""
    start, _ = clause.part_of(figure.start)
    words = clause.masked[start : figure.start]
    paid = _IS_PAID.search(words)
    return paid is not None and not _IF.search(words) and not _EXCESS.search(words[paid.end() :])


def is_benefit(clause: Clause, before: str) -> bool:
    """`The weekly rate of jobseeker's allowance`: what is paid to people, and not free of tax."""
    words = [match[0] for match in cues.ALLOWANCE.finditer(before)]
    named = bool(words) and words[-1].lower().endswith(("allowance", "allowances"))
    around = f"{clause.title} {clause.heading} {clause.lead} {clause.masked}"
    return named and bool(clause.article) and _OF_TAXES.search(around) is None
