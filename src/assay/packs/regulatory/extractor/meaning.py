"""What a figure means, and how to find that in the words before and after it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.packs.regulatory.extractor import cues
from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import VALUES, Figure, FigureKind
from assay.packs.regulatory.extractor.narration import is_negated

STRONG, GOOD, FAIR, WEAK = 0.96, 0.92, 0.88, 0.82
"""How certain a meaning is: its cue is beside the figure, near, in the sentence, or around it."""
_LONGEST_LINE = 160
CLOSE = 30
"""With no more letters than this between a cue and its figure, nothing else can be meant."""
Names = Sequence[tuple[str, re.Pattern[str]]]
"""Predicates with their cues, the more exact first."""
_LINK = re.compile(
    r"\s{0,3}(?:,|i|ili|odnosno|te|do|and|or|to|und|oder|bis|bzw\.|,?\s(?:a|and|und)|\()?\s{0,3}"
    r"(?:od|of|von|do|up to|bis zu)?\s{0,3}",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"[^;%]{0,30},?\s(?:ili|or|oder|a|i|und|and|te|odnosno|bzw\.)\s(?:po\s\w{2,8}\s)?(?:od\s|of\s"
    r"|von\s|at\s)?",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s{0,3}(?:,|i|ili|and|or|und|oder)\s{1,3}", re.IGNORECASE)
_OR = re.compile(
    r",?\s{0,3}(?:ili|or|oder|plus)[\s,]{1,3}[^;.]{0,50}?(?:od\s|of\s|von\s|up\sto\s|bis\szu\s"
    r"|do\s)?",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"[^%€;]{0,60}(?:,|\s(?:i|a|and|und|te))\s{1,3}(?:a\s|and\s|und\s|te\s)?(?:(?:za|for|für|na|on"
    r"|auf|alle|all|sve|die|in|im|u|od|bei|ab|after|dodatno|additionally|mit|with|sonst|inače"
    r"|otherwise"
    r"|der|the)\s[^;]{0,60}|(?:das\sheißt|d\.\s?h\.|to\sjest|tj\.|that\sis|ili|or|oder|odnosno)\s)",
    re.IGNORECASE,
)
_FOR_EACH = re.compile(
    r"\s(?:für|za|for|na|on)\s[^;,%]{2,40}\s(?:und|i|and|a)\s{1,3}", re.IGNORECASE
)
_OTHER_END = re.compile(
    r",?\s(?:a|and|und|i|te)\s(?:the\s|die\s|der\s)?(?:najviš\w|najmanj\w|najniž\w|maximum|minimum|höchste\w?)\s"
    r"(?:od\s|of\s)?",
    re.IGNORECASE,
)
"""`the least is 100, and the maximum 500`."""
_IN_BRACKETS = re.compile(r"\s?\(")
_IN_THE_CASE = re.compile(
    r"\s(?:if|where|in\sthe\scase|for|ako|u\sslučaju|wenn|bei|im\sfall)(?!\w)", re.IGNORECASE
)
"""`$25,000 ($100,000 in the case of a corporation)`: the same for others."""
_LISTED = frozenset(
    {
        "rate",
        "reduced_rate",
        "amount",
        "fee",
        "threshold",
        "allowance",
        "base",
        "surcharge",
        "reduction",
        "interest_rate",
    }
)
_ARTICLE = re.compile(r"(?<=\s)(?:eine[rmn]?|an?)\s$", re.IGNORECASE)
"""`bis zu einer Million Euro`, `not less than a 25-percent increase`."""
_NOTE_MARK = re.compile(r"F\d{1,4}\[\s?$")
"""`not exceedingF3[€3,000]`: how a revised act marks what was inserted."""
_DENIED = re.compile(r"(?<!\w)(?:ne|nit?i|not|neither|nor|nicht|weder|noch)(?!\w)", re.IGNORECASE)
_EXTREME = re.compile(
    r"(?<!\w)(?:(?P<most>maximum|najviš\w|najveć\w|höchst\w{0,2}|greatest)"
    r"|minimum|najniž\w|najmanj\w|mindest\w{0,2})\s?(?:\w{1,12}\s){0,3}"
    r"(?:penalt(?:y|ies)|fines?|kazn\w{1,2}|\w{0,8}bu(?:ß|ss)e|\w{0,6}strafe)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?<!\w)(?:ov(?:aj|a|o|ih?)\s+(?:zakon|pravilnik|uredb|odluk|naredb|uput|naput|propis"
    r"|tarif)\w{0,2}|this\s+"
    r"(?:act|regulation|decision|order|directive|(?:final\s+)?rule|ordinance|guidance|notice"
    r"|instrument|law|correction)|these\s+(?:regulations|rules|revisions|amendments)|they|it"
    r"|die\s+(?:verordnung|satzung|richtlinie)|dies(?:es|e|er)\s+(?:gesetz|verordnung|richtlinie"
    r"|satzung|anordnung|vorschrift)"
    r"|(?:amounts|rates|thresholds)\s+below|the\s+following\s+(?:amounts|rates)"
    r"|iznosi\s+u\s+nastavku)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a figure means."""

    figure: Figure
    predicate: str
    value_type: str
    confidence: float
    op: str = ""
    """For a limit: how it is compared, `gt`, `gte`, `lt` or `lte`."""
    field: str = ""
    """For a limit: which field of a situation is compared with it, if that is clear."""
    condition: Mapping[str, Any] | None = None
    """To whom and what it applies, if a table says so."""
    start: str | None = None
    """The first day, if the head of a column says so."""
    until: str | None = None


def find_comparison(clause: Clause, figure: Figure) -> str:
    """How something is compared with a figure: `gt`, `gte`, `lt`, `lte`, or empty."""
    # Struck-out text may come between a limit and its figure.
    before = clause.masked[max(0, figure.start - 60) : figure.start].rstrip(" ·") + " "
    before = _ARTICLE.sub("", _NOTE_MARK.sub(" ", before))
    for name, pattern in cues.LIMITS.items():
        if pattern.search(before):
            if name == "lt" and before.rstrip().lower().endswith("nicht"):
                continue
            return name
    after = cues.LIMIT_AFTER.match(clause.masked, figure.end)
    if after is None:
        begun = cues.INVERTED.search(clause.masked, 0, figure.start)
        if begun is not None:
            return "lte" if begun["no"] else "gt"
        far = clause.masked[max(0, figure.start - 120) : figure.start]
        return next((name for name, form in cues.FAR_LIMITS.items() if form.search(far)), "")
    if after["more"] or after["reached"]:
        return "gte"
    if after["under"]:
        return "lt"
    return "lte" if after["no"] or after["less"] else "gt"


def concerns_whole_act(text: str) -> bool:
    """Whether a sentence refers to the act that contains it."""
    return _WHOLE.search(text) is not None


def is_figure_denied(clause: Clause, figure: Figure) -> bool:
    """Whether the part of the sentence that contains a figure denies it."""
    start, end = clause.part_of(figure.start)
    return is_negated(clause.masked[start:end])


def find_last_cue(words: str, names: Names) -> tuple[str, int]:
    """The name whose cue comes last, and its distance from the end; the first listed if tied."""
    best, reached = "", -1
    for name, pattern in names:
        for match in pattern.finditer(words):
            if match.end() > reached:
                best, reached = name, match.end()
    return best, len(words) - reached


def find_following_cue(after: str, names: Names) -> str:
    """The name whose cue comes directly after a figure."""
    near = after[:CLOSE]
    found = [
        (match.start(), place)
        for place, (_, pattern) in enumerate(names)
        if (match := pattern.search(near))
    ]
    return names[min(found)[1]][0] if found else ""


def rate_distance(distance: int) -> float:
    """The confidence that a cue gives its figure, by the letters between them."""
    return STRONG if distance <= CLOSE else GOOD if distance <= 80 else FAIR


def inherit_meaning(clause: Clause, figure: Figure, so_far: Sequence[Meaning]) -> Meaning | None:
    """The meaning of the previous figure, if only a linking word is between them."""
    last = next((one for one in reversed(so_far) if one.figure.kind in VALUES), None)
    if last is None:
        return None
    between = clause.masked[last.figure.end : figure.start]
    if _IN_BRACKETS.fullmatch(between) and _IN_THE_CASE.match(clause.masked, figure.end):
        return replace(last, figure=figure) if last.figure.kind is figure.kind else None
    if last.op:
        return _inherit_past_limit(clause, figure, so_far)
    if last.figure.kind is not figure.kind:
        return _inherit_other_kind(last, figure) if _OR.fullmatch(between) else None
    if _LINK.fullmatch(between) or _OTHER_END.fullmatch(between):
        return replace(last, figure=figure, predicate=_name_other_end(clause, figure, last))
    listed = _NEXT.fullmatch(between) or _FOR_EACH.fullmatch(between)
    if listed and not find_comparison(clause, figure) and last.predicate in _LISTED:
        return replace(last, figure=figure, confidence=min(last.confidence, FAIR))
    if last.predicate.startswith("penalty") and len(between) <= 160:
        op, (start, _) = find_comparison(clause, figure), clause.part_of(figure.start)
        name = name_penalty_bound("penalty", op, clause.masked[start : figure.start])
        if op in ("gt", "lt") and name == "penalty":
            return None
        return replace(last, figure=figure, predicate=name, confidence=min(last.confidence, FAIR))
    return None


def _name_other_end(clause: Clause, figure: Figure, last: Meaning) -> str:
    """`najmanje 100 eura, a najviše 900`: the second end of a penalty is not that of the first."""
    op = find_comparison(clause, figure)
    if not last.predicate.startswith("penalty") or op not in ("lte", "gte"):
        return last.predicate
    return name_penalty_bound("penalty", op)


def _inherit_past_limit(
    clause: Clause, figure: Figure, so_far: Sequence[Meaning]
) -> Meaning | None:
    """`10 % if income is at most 500, or 18 % if …`: the same meaning again after a condition."""
    last = next((one for one in reversed(so_far) if one.figure.kind is figure.kind), None)
    if last is None or last.op or last.predicate not in _LISTED or find_comparison(clause, figure):
        return None
    near = so_far[-1].figure.end
    if _AGAIN.fullmatch(clause.masked[near : figure.start]) is None:
        return None
    return replace(last, figure=figure, confidence=min(last.confidence, FAIR))


def is_linked(between: str) -> bool:
    """Whether only a comma or an "and" is between two figures."""
    return _COMMA.fullmatch(between) is not None


def _inherit_other_kind(last: Meaning, figure: Figure) -> Meaning | None:
    """`a penalty of $50 or 10 percent of the tax`: a sum or a share with the same meaning."""
    if last.predicate not in ("penalty", "fee", "surcharge", "reduction"):
        return None
    kind = "percentage" if figure.kind is FigureKind.PERCENT else "currency"
    return replace(last, figure=figure, value_type=kind)


def interpret_by_context(
    clause: Clause, figure: Figure, names: Names, value_type: str
) -> Meaning | None:
    """The meaning of a figure without cues, from the words before its list or the heading."""
    for words, confidence in ((clause.lead, FAIR), (clause.heading, WEAK)):
        name, _ = find_last_cue(words[-200:], names)
        if name and not (words is clause.heading and name in ("amount", "base")):
            return Meaning(figure, name, value_type, confidence)
    return None


def interpret_by_title(
    clause: Clause, figure: Figure, names: Names, value_type: str
) -> Meaning | None:
    """The meaning of a figure in a row or a line without a verb, from the document's title."""
    valued = clause.masked[: figure.start].rstrip().endswith(":")
    is_sentence = clause.text.rstrip().endswith(".") and not (clause.is_row or valued)
    labels = ":" in clause.words_after(figure)
    if is_sentence or labels or len(clause.text) > _LONGEST_LINE or find_comparison(clause, figure):
        return None
    name, _ = find_last_cue(clause.title, names)
    return Meaning(figure, name, value_type, 0.82) if name else None


def name_penalty_bound(name: str, op: str, before: str = "") -> str:
    """A penalty of up to a sum is a maximum, one of at least a sum a minimum."""
    if name != "penalty":
        return name
    if op in ("lt", "gt"):
        # "May not be less than": the minimum.
        denied = _DENIED.search(before) is not None
        return {"lt": "penalty_min", "gt": "penalty_max"}[op] if denied else name
    if not op and (extreme := _EXTREME.search(before)):
        return "penalty_max" if extreme["most"] else "penalty_min"
    return {"lte": "penalty_max", "gte": "penalty_min"}.get(op, name)
