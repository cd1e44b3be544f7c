"""What a vote is about: the main motion, an amendment, a way to end the debate, another meeting.

Minutes often record several votes between a motion and its own result. A vote that names its topic
belongs to the motion with that topic and to no other.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from assay.packs.civic.texts.motion_marks import MarkOf, MotionMark, Topic

_REACH: Final = 240
"""How far a clause is followed."""
_CLAUSE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[Nn]o)(?<!\bSt)[.;!?](?=\s)|\n[ \t]*\n")
_SENTENCE_END = re.compile(_CLAUSE_END.pattern.replace(";", ""))

_QUESTION: Final = (
    r"(?:(?:calling|call)\s(?:for\s)?(?:of\s)?the\s(?:previous\s)?question"
    r"|the\sprevious\squestion"
    r"|(?:end|ending|close|closing|limit|limiting|cut\soff|extend|extending)\s(?:the\s|all\s"
    r"|further\s)?(?:debate|discussion)|cloture|call\sfor\sthe\svote)"
)
_TABLE: Final = r"(?:table|tabling|postpone|refer|lay\b[^.;]{0,60}\bon\sthe\stable)"
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)


_VOTE_ON: Final = {
    Topic.QUESTION: re.compile(
        rf"\b(?:motion|vote|moved)\b[^.;]{{0,80}}\b{_QUESTION}\b"
        rf"|\b(?:call\sfor\sthe|previous)\squestion\s(?:was\s)?(?:\w+ly\s)?"
        rf"(?:carr|pass|fail|approv|adopt|defeat|lost)"
        r"|\b(?:debate|discussion)\s(?:was\s|is\s)?(?:then\s)?(?:closed|ended|cut\soff|limited)"
        r"\s(?:by|on|with)\b"
        r"|\bcall(?:ed)?\s(?:for\s)?the\squestion\b(?![^.;]{0,80}\bmotion\b)"
        rf"|\bto\s{_QUESTION}\b",
        re.I,
    ),
    Topic.TABLE: re.compile(
        rf"\b(?:motion|vote|moved)\s(?:[^.;]{{0,60}}\s)?(?:to|on|for)\s{_TABLE}\b", re.I
    ),
    Topic.MAIN: re.compile(
        r"\bmain\s(?:motion|question)\b|\boriginal\smotion\b(?!\sto\b)"
        r"|\bmotion,?\sas\s(?:so\s|finally\s)?amended\b|\bamended\smotion\b"
        r"|\b(?:resolution|ordinance|order|item),?\sas\s(?:so\s|finally\s)?amended\b",
        re.I,
    ),
    Topic.SUBSTITUTE: re.compile(r"\bsubstitute\smotion\b", re.I),
    Topic.AMENDMENT: re.compile(
        r"\b(?:motion|vote|moved)\b[^.;]{0,80}?\bto\s(?:further\s)?amend\b"
        r"|\b(?:the|this|that|said|first|second|third|proposed|['’]s|on|vote|his|her)\s"
        r"amendments?\b(?!\s(?:to\s(?!the\s(?:main\s|original\s)?motion\b)|no\b|number|of|with|\d))"
        r"|^\W{0,4}amendments?\b",
        re.I,
    ),
}
"""The first that fits names the topic of a vote."""
_TOPIC_WORDS: Final = (
    *(
        "question",
        "debate",
        "discussion",
        "tabl",
        "lay",
        "postpone",
        "refer",
        "main",
        "original",
        "amend",
    ),
    *("substitute", "cloture", "call"),
)
_PURPOSE = re.compile(r"\b(?:to|that)\s(?:(?:further|also|then|formally)\s)?(?P<verb>\w+)", re.I)
_MOTION_ON: Final = {
    Topic.QUESTION: re.compile(rf"\bto\s{_QUESTION}\b|\bmoved\s(?:for\s)?{_QUESTION}\b", re.I),
    Topic.SUBSTITUTE: re.compile(r"\bsubstitute\b", re.I),
    Topic.AMENDMENT: re.compile(
        r"\b(?:moved|motioned)\s(?:for\s)?(?:the|an|this|his|her)\s(?:\w+\s)?amendment\b"
        r"|\bto\s(?:approve|adopt|accept|pass)\s(?:the|an|this)\s(?:\w+\s){0,2}amendment\b"
        r"|\bmotion\s(?:for|of)\s(?:an\s)?amendment\b",
        re.I,
    ),
}
_RETOLD = re.compile(
    r"\b(?:at|during|in|from|since)\s(?:the|its|their|our|that|an?)\s(?:\w+\s){0,2}?"
    rf"(?:meeting|hearing|session)\s(?:of|on|in|last)\s(?:\w+day,?\s)?(?:{_MONTH}|month|week|year)"
    rf"|\b(?:at|during|in)\s(?:the|its|their|our)\s{_MONTH}(?:\s\d{{1,2}}(?:st|nd|rd|th)?)?"
    r"(?:,?\s\d{4})?,?\s(?:\w+\s){0,3}(?:meeting|hearing|session)\b"
    r"|\b(?:at|during|in)\s(?:the|its|their|our|an?)\s(?:last|previous|prior|earlier|past)\s"
    r"(?:\w+\s){0,3}(?:meeting|hearing|session)\b"
    r"|\b(?:at|during)\s(?:that|last\s(?:week|month|year)['’]s)\s(?:\w+\s){0,2}?"
    r"(?:meeting|hearing|session)\b"
    rf"|\b(?:recalled|recall|reminded|noted|explained|said|stated|reported|asked|mentioned)\b"
    rf"[^.;]{{0,120}}\b(?:(?:on|in)\s{_MONTH}(?:\s\d)?|last\s(?:week|month|year|spring|summer"
    r"|fall|winter)|previously|years?\sago|months?\sago|weeks?\sago|(?:in|of)\s(?:19|20)\d\d)"
    r"|\bminutes\sof\b[^.;]{0,80}\b(?:state|show|reflect|record|say|indicate|read)(?:ed|s)?\b",
    re.I,
)
_RETOLD_WORDS: Final = (
    *("meeting", "hearing", "session", "minutes", "recall", "remind", "noted", "explained"),
    *("said", "stated", "reported", "asked", "mentioned"),
)
_LONG_AGO = re.compile(
    rf"\W*(?:(?:on|in)\s(?:{_MONTH}\s(?:\d{{1,2}},\s)?(?:19|20)\d\d|(?:19|20)\d\d)\b"
    r"|last\s(?:week|month|year)\b|previously\b)",
    re.I,
)
"""How a sentence about the past starts."""
_HELD = re.compile(r"\bheld\s(?:on|at|in|this)\b", re.I)
_THAT_MEETING = re.compile(
    r"\bat\s(?:that|the\s(?:last|previous|prior|earlier))\s(?:meeting|hearing|session)\b", re.I
)


def find_vote_topic(text: str, mark: MotionMark) -> Topic | None:
    """The topic that the clause of a result or of lists of votes names."""
    if mark.kind not in (MarkOf.RESULT, MarkOf.LABEL, MarkOf.WEAK, MarkOf.LISTS):
        return None
    clause = text[_find_start(text, mark.start) : mark.start]
    if mark.kind is MarkOf.LISTS:
        # The label itself says nothing, and an earlier paragraph is another matter.
        words = clause
    else:
        words = clause + text[mark.start : _find_stop(text, mark.end, 60)]
    if not _has_any(words, _TOPIC_WORDS):
        return None
    return next((topic for topic, form in _VOTE_ON.items() if form.search(words)), None)


def find_motion_topic(text: str, start: int, end: int) -> Topic | None:
    """The topic of a motion, from its first sentence."""
    words = text[start : _find_stop(text, end, _REACH)]
    found = next((topic for topic, form in _MOTION_ON.items() if form.search(words)), None)
    purpose = _PURPOSE.search(words)
    if found or not purpose:
        return found
    verb = purpose["verb"].lower()
    if verb in ("table", "lay", "postpone", "refer"):
        return Topic.TABLE
    return Topic.AMENDMENT if verb == "amend" else None


def drop_retold(text: str, marks: Iterable[MotionMark]) -> Iterator[MotionMark]:
    """Marks without those of a motion at an earlier meeting that a speaker retells."""
    retold_end: int | None = None
    for mark in marks:
        opens = mark.kind in (MarkOf.MOVER, MarkOf.TEXT)
        if _is_retold(text, mark):
            retold_end = mark.end if opens or retold_end is not None else None
        elif opens or retold_end is None or _is_apart(text, retold_end, mark.start):
            retold_end = None
            yield mark
        else:
            retold_end = max(retold_end, mark.end)


def _is_retold(text: str, mark: MotionMark) -> bool:
    before = text[_find_start(text, mark.start, _SENTENCE_END) : mark.start]
    is_past = _has_any(before, _RETOLD_WORDS) and _RETOLD.search(before)
    if is_past or _LONG_AGO.match(before):
        return not _HELD.search(before)
    after = text[mark.start : _find_stop(text, mark.end, 80)]
    return _has_any(after, _RETOLD_WORDS) and _THAT_MEETING.search(after) is not None


def _has_any(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains one of the words; much faster than a pattern."""
    lowered = text.lower()
    return any(word in lowered for word in words)


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether a place is too far from a retold motion to belong to it."""
    return end - start > _REACH or re.search(r"\n[ \t]*\n", text[start:end]) is not None


def _find_start(text: str, place: int, ends: re.Pattern[str] = _CLAUSE_END) -> int:
    begin = max(0, place - _REACH)
    for stop in ends.finditer(text, begin, place):
        begin = stop.end()
    return begin


def _find_stop(text: str, place: int, reach: int) -> int:
    limit = min(len(text), place + reach)
    stop = _CLAUSE_END.search(text, place, limit)
    return stop.start() if stop else limit
