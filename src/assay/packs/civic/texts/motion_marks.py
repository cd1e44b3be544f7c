"""The marks by which minutes show a motion: a mover, a second, a result, lists of names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from assay.packs.civic.texts.participation import CitedText
from assay.packs.civic.texts.rollcalls import (
    NAME,
    OFFICES,
    VoteList,
    group_vote_lists,
    is_vote,
    scan_vote_lists,
)

_NAME_REACH: Final = 90

_WHO = rf"{OFFICES}(?P<name>{NAME})"
_WAS = r"(?:was\s+|were\s+|is\s+)?(?:duly\s+|then\s+)?"
_MOVED_BY = re.compile(
    r"(?<![\w'’-])(?:(?i:(?:on|upon)\s+(?:a\s+|the\s+)?motion\s+(?:of|from)|(?:moved|motioned)\s+by"
    r"|(?:was|is)\sintroduced\s+by(?=\s[^.;]{3,80}\bseconded\sby)"
    rf"|motion,?\s+{_WAS}(?:made\s+|offered\s+|introduced\s+|moved\s+|presented\s+)?by"
    rf"|motion\s+(?:to|that|for)\s(?:[^.:\n]|\n(?!\s{{0,3}}\n)){{1,300}}?\s{_WAS}(?:made|offered"
    r"|introduced|presented)\s+by"
    rf"|motion\s(?:to|for)\s[^.:;\n]{{3,120}}?\sby(?=\s[^.;]{{3,60}}[.;,]\s{{1,3}}(?:second|2nd))"
    rf"|(?:mover|maker|motion maker|moved)\s*:)\s{{0,2}}:?\s{{1,3}}){_WHO}"
    r"(?!\s(?i:would|could|should|will|at\sthe|on\s\w+\s\d|last|in\s\d|during|failed\sto))"
)
_MOVES = re.compile(
    r"(?<=\s)(?i:(?:then|also|again)\s)?(?i:moved(?!\s?:)|motioned|ma(?:de|kes?)\s+(?:a\s+"
    r"|the\s+)?(?:[\w-]+\s+){0,2}motion|offered\s+a\s+(?:[\w-]+\s+){0,2}motion|so\s+moved)"
    r"(?=,?\s{1,3}(?:(?i:to|that|for|and|approval|adoption|acceptance|the|its|their|seconded|a"
    r"|denial|passage|we|adjournment)\b|[,;A-Z(])|[,;:.])"
)
_SECONDS = re.compile(r"(?<=\s)(?i:seconded|seconds|seconding|2nd)\b(?!\s(?i:by)\b|\s?:)")
_SECONDED_BY = re.compile(r"\bby\s{1,3}\Z", re.I)
_NAMELESS = re.compile(
    r"\b(?:he|she|they|correction|amendment|and|who),?\s(?=moved\s(?:to\s(?:approve|adopt|accept"
    r"|deny|table|continue)|that|for|approval)\b)",
    re.I,
)
_BEFORE = re.compile(rf"(?<![\w'’./-]){_WHO},?\s{{1,3}}\Z")
_M_S = re.compile(
    rf"\b(?:M/S(?:/C|/P)?|MSC|Motion/Second)\b[:.]?\s{{1,2}}(?:\()?{_WHO}\s?[/,–—-]\s?"
    rf"{_WHO.replace('name', 'other')}"
)
_PAIRED = re.compile(
    rf"\b(?i:motion)\s?:?\s\(?{_WHO}(?:\s?/\s?|,\s(?i:second(?:ed)?(?:\sby)?:?)\s)"
    rf"{_WHO.replace('name', 'other')}(?=\)|\s(?:to|that)\b)"
    rf"|(?<![\w'’./-])(?P<slashed>{NAME})\s?/\s?(?P<slasher>{NAME})(?=,?\s(?i:moved|motioned)\b)"
)
_LABELLED = re.compile(
    rf"(?m:^[ \t]*|(?<=[.;|] ))(?:\*\*)?(?i:motion)(?:\*\*)?\s?:\s{{0,3}}{_WHO}"
    r"(?=[ \t]*[\s,;.|]\s{0,8}(?i:second(?:ed)?(?:\sby)?|2nd)\s?:)"
)
_INTRODUCED = re.compile(
    rf"(?<![\w'’.-]){_WHO}\s(?i:introduced|offered|presented)\s(?i:the\sfollowing|this"
    r"|the)\s(?:[\w-]+\s){0,3}(?i:resolution|ordinance)[^.:;]{0,60}?\s(?i:and|who)\smoved\s(?:for\s)?"
    r"(?=(?:its|the)\s(?:adoption|passage|approval))"
    rf"|(?i:introduced|offered)\sby\s{_WHO.replace('name', 'offerer')},?\s(?i:who)\smoved\s"
    r"(?=(?:its|the)\s(?:adoption|passage|approval))"
)
_FOREGOING = re.compile(
    r"\b(?:the\s)?motion\s(?=for\sthe\s(?:adoption|passage)\sof\sthe\s(?:foregoing|above|following|said)\s"
    r"(?:resolution|ordinance)\s(?:was|being))",
    re.I,
)
_SWAPPED = re.compile(
    rf"(?<![\w'’.-]){_WHO},\s{{1,3}}(?i:seconded\sby)\s{{1,3}}"
    rf"{_WHO.replace('name', 'other')},\s{{1,3}}(?i:moved|motioned)\b"
)
_TEXT = re.compile(
    r"(?m)(?:^[ \t]*|(?<=[-–—] ))(?:\*\*)?(?:MOTION"
    r"|Motion)(?:\*\*)?(?:\s?\d{1,2})?(?:\s?:(?:\*\*)?\s{0,3}(?![A-Z]\w+ (?i:moved))|\s(?=(?i:to"
    r"|that)\s))"
)
_SECOND = re.compile(
    r"(?<![\w'’])(?i:second(?:ed)?|supported|2nd(?:ed)?)(?:\s(?i:was\smade|offered"
    rf"|provided))?\s(?i:by|from)\s{{0,2}}:?\s{{1,3}}{_WHO}"
    r"|(?m:^[ \t]*|(?<=[;,.|] )|(?<=[ \t]{2})|(?<=[a-z] )(?=S))(?i:seconder|seconded|second|2nd"
    rf"|support)\s?:\s{{0,3}}{_WHO.replace('name', 'labelled')}"
)
_PASSED = r"carried|carries|passed|passes|approved|adopted|prevailed|granted|accepted"
_FAILED = r"failed|fails|lost|defeated|denied|died|dies|rejected|not carr(?:ied|y)|not pass(?:ed)?"
_WORD = rf"(?P<word>{_FAILED}|{_PASSED})"
_AFTER = (
    r"(?!\s(?:on|at|in)\s(?:(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)\w{0,6}\.?\s\d"
    r"|the\s(?:last|previous)|\d{1,2}[/.]\d|(?:19|20)\d\d)|\s(?:by|at)\sthe\s(?:last|previous"
    r"|council\sat))"
)
_RESULT = re.compile(
    # The motion (to approve) was unanimously carried.
    r"(?:(?:^|[^\w\s]|\n(?=\s{0,4}(?-i:[A-Z]))|\b(?:and|which|whereupon|then|vote|ruled"
    r"|declared|announced|that)\b)\s{0,4})(?P<start>(?:the\s+"
    r"|this\s+|said\s+|original\s+|main\s+|amended\s+|substitute\s+|[A-Z][\w'’-]{1,20}['’]s\s+"
    r"|\w{3,12}\s+[A-Z][\w-]{1,20}['’]s\s+){0,3}"
    r"(?:motion|amendment|previous\squestion|call\sfor\sthe\squestion)(?:\s(?:as\samended|as\sstated|on\sthe\sfloor|to\s[^.;]{1,260}?"
    r"|was\sacted\supon,?\sand))?,?"
    r"\s+(?:(?:was|were|is|has|had|did|then|thereby|thereupon|been|duly|declared|unanimously|and"
    rf"|it)\s+){{0,4}}{_WORD}\b{_AFTER})"
    # Carried 5-0. / Unanimously carried. / MOTION CARRIED
    rf"|(?:(?:^|[.;]\s{{1,3}}|\n[ \t]*"
    r"|[–—-]\s))(?P<bare>(?:all\sayes?[.,;]\s)?(?:motion\s+)?(?:unanimously\s+"
    rf"|so\s+)?(?P<word2>{_FAILED}|{_PASSED})(?=\s+(?:unanimously|\(?\d{{1,2}}\s?[-–/]|(?:by|on)\s(?:a\s"
    rf"|the\s)?(?:[\w-]+\s){{0,3}}vote)|\.|\s*$|\s*\n|,?\s\d))"
    # RESULT: ADOPTED [UNANIMOUS]
    r"|(?P<label>\b(?:result|disposition|outcome|status|motion\sresult"
    rf"|action\sresult)\s?:\s{{0,3}}(?:motion\s|was\s)?(?:unanimously\s)?(?P<word3>{_FAILED}"
    rf"|{_PASSED}|unanimous))\b"
    # which carried / seconded by Jones and approved unanimously
    r"|(?P<joined>(?:\bwhich|\bthat|\band(?:\sit|\swas)?|,)\s(?:was\s|were\s)?(?:(?:unanimously"
    rf"|duly)\s(?P<word4>{_PASSED})|(?P<word5>{_FAILED}|{_PASSED})(?=\sunanimously"
    rf"|\s\(?\d{{1,2}}\s?[-–/]|\sby\s(?:a\s|the\s)?(?:\w+\s){{0,3}}vote|\son\s(?:a\s"
    rf"|the\s)?(?:[\w-]+\s){{0,3}}vote|\.)))"
    # (to appoint Jones) carried by the following vote
    rf"|(?P<by>\b(?P<word6>{_FAILED}|{_PASSED})\s(?:by|on"
    rf"|with)\sthe\sfollowing\s(?:[\w-]+\s){{0,3}}votes?\b)"
    # This resolution was declared duly adopted.
    rf"|(?P<text>\b(?:this|the|said)\s(?:resolution|ordinance|order)\s(?:was|is)\s(?:then\s"
    rf"|thereupon\s|declared\s|duly\s|unanimously\s){{0,3}}(?P<word7>{_FAILED}|{_PASSED})\b)"
    # passed and adopted this day by the following vote
    r"|(?P<act>\b(?:duly\s)?(?:passed|approved|adopted|introduced)(?:,?\s(?:and\s)?(?:passed"
    r"|adopted|approved|ordained)){1,2}\s(?:this|at|by|on)\b)",
    re.I | re.M,
)
_NO_SECOND = re.compile(
    r"\b(?:there\swas\sno\ssecond|(?:die[ds]|fail(?:ed|s)|was\slost|lost)\s(?:due\sto|for"
    r"|because\sof|from)\s(?:a\s"
    r"|the\s)?(?:lack|want)\sof\s(?:a\s)?second)\b|\bno\ssecond\b[^.]{0,30}\bmotion\s(?:died"
    r"|failed)",
    re.I,
)
_UNANIMOUS = re.compile(
    r"\bunanimous(?:ly)?\b|\ball\s(?:(?:members?|present|council\s?members?|commissioners?"
    r"|trustees?|supervisors?|directors?)\s){0,3}(?:voting|voted|in|were\sin)\s[\"“'‘]?(?:aye|yes"
    r"|yea|favou?r|in\sfavou?r)\b(?!\s(?:say|signify|please|of|\?))"
    r"|\ball\s(?:ayes|yeas|yes)\b|\b(?:ayes|yeas)\s?:\s?(?:all|unanimous)\b",
    re.I,
)
ONES: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
]
"""Numbers in words, each at its own place."""
_NUMBER = rf"(?:\d{{1,2}}|{'|'.join(ONES)})"
TALLY = re.compile(
    rf"(?<![\w$./#-])(?:(?:vote(?:\sof|:)?\s)?(?P<a>{_NUMBER})(?:\s?[-–—/:]\s?|\sto\s"
    rf"|-to-)(?P<b>{_NUMBER})(?:(?:\s?[-–—/:]\s?"
    rf"|\sto\s)(?P<c>\d{{1,2}}))?(?:\s?[-–—/]\s?(?P<d>\d{{1,2}}))?(?![\w/-]|[.,:]\d|\s?[ap]\.?m\b"
    r"|\s(?:\w+\s)?(?:majority|vote\s(?:is|was)\s(?:required"
    r"|needed)))(?<!2/3)(?<!3/4)(?<!4/5)(?<!3/5)"
    rf"|(?P<e>{_NUMBER})\s(?:ayes?|yeas?|yes|in\sfavou?r|for)\b(?:\svotes?\b)?[\s,;/.]{{1,3}}"
    rf"(?:and\s|to\s)?(?P<f>{_NUMBER}|no|none)\s(?:noes|nos?|nays?|opposed|against)\b"
    rf"|\b(?:ayes?|yeas?|yes)\s?[:=-]?\s?(?P<g>\d{{1,2}})[\s,;/.]{{1,4}}(?:noes|nos?"
    rf"|nays?)\s?[:=-]?\s?(?P<h>\d{{1,2}})\b(?!\s?-\s?[A-Z])"
    rf"(?:[\s,;/.]{{1,4}}abst(?:ain(?:ed|ing|s)?|entions?)\s?[:=-]?\s?(?P<i>\d{{1,2}})\b)?)",
    re.I,
)
_NUMBERED = re.compile(
    r"(?:\b(?:ordinances?|ord|resolutions?|res|bills?|files?|items?|case|nos?|numbers?|sections?|sec"
    r"|chapter|permit|application|contract|exhibit|lots?|district|zone|route|highway|article|policy"
    r"|rfp|rfq|petition|docket|project|warrant|proclamation|amendment|title|pages?|plat|order|tract"
    r"|phase|measure|act|rule|local\slaw|legislation|agreement)\b\.?|\#)(?:\s?(?:nos?\b\.?|\#))?"
    r"\s?[:(]?\s?\Z",
    re.I,
)
"""The words before a number that is a name, not a count."""
_SERIES = re.compile(r"\b(?!(?:VOTE|WAS|OF|BY|A|ON|WITH|IS|LOST|TO|AND)\b)[A-Z]{1,4}\s\Z")
"""Letters that make the number after them a name, as in `SUP 24-3`."""
_VOTE_OF = re.compile(
    r"(?m)^[ \t]*(?:\*\*)?(?:roll call |voice |final )?vote(?: count)?\s?[:–-]?\s?(?:\*\*)?\s?"
    r"|\bby\s(?:a\s|the\s)?(?:\w+\s){0,3}vote\sof\s|\bvote\swas\s"
    r"|\b(?:board|council|commission|committee)\svoted\s\(?(?=\d)"
    r"|(?<=[.;,] )(?:so voted|(?:roll call |voice )?vote)\s?[:–,-]?\s?\(?",
    re.I,
)


def find_tally(text: str, start: int, end: int) -> re.Match[str] | None:
    """The first count of votes in a span; the number of an ordinance or a file is not a count."""
    for match in TALLY.finditer(text, start, end):
        before = text[max(0, match.start() - 24) : match.start()]
        is_dashed = bool(match["a"]) and not match[0].lower().startswith("vote")
        is_padded = any(
            len(match[each] or "") == 2 and match[each].startswith("0") for each in "abcd"
        )
        if not is_dashed or not (is_padded or _NUMBERED.search(before) or _SERIES.search(before)):
            return match
    return None


class Topic(Enum):
    MAIN = auto()
    AMENDMENT = auto()
    SUBSTITUTE = auto()
    QUESTION = auto()
    """Whether to end the debate."""
    TABLE = auto()
    """Whether to put the matter off."""


class MarkOf(Enum):
    TEXT = auto()
    MOVER = auto()
    SECOND = auto()
    RESULT = auto()
    LABEL = auto()
    WEAK = auto()
    """Words that are a result only right after a motion."""
    LISTS = auto()


@dataclass(frozen=True)
class MotionMark:
    kind: MarkOf
    start: int
    end: int
    name: CitedText | None = None
    second: CitedText | None = None
    passed: bool | None = None
    group: tuple[VoteList, ...] = ()
    topic: Topic | None = None
    """What a vote is about, if its words say so."""
    is_foregoing: bool = False
    """Whether the words refer back to a resolution that was introduced before."""
    is_final: bool = False
    """Whether no vote can follow, as after the lack of a second."""


def scan_marks(text: str) -> Iterator[MotionMark]:
    for match in _MOVED_BY.finditer(text):
        yield MotionMark(MarkOf.MOVER, match.start(), match.end(), _cite(match, "name"))
    for kind, pattern in ((MarkOf.MOVER, _MOVES), (MarkOf.SECOND, _SECONDS)):
        for match in pattern.finditer(text):
            name = _find_name_before(text, match.start())
            if name and not _SECONDED_BY.search(text, max(0, name[0] - 20), name[0]):
                yield MotionMark(kind, name[0], match.end(), name[1])
    for match in (*_M_S.finditer(text), *_SWAPPED.finditer(text)):
        yield MotionMark(
            MarkOf.MOVER, match.start(), match.end(), _cite(match, "name"), _cite(match, "other")
        )
    for match in _PAIRED.finditer(text):
        mover, second = ("name", "other") if match["name"] else ("slashed", "slasher")
        yield MotionMark(MarkOf.MOVER, *match.span(), _cite(match, mover), _cite(match, second))
    for match in (*_LABELLED.finditer(text), *_INTRODUCED.finditer(text)):
        who = "offerer" if match.groupdict().get("offerer") else "name"
        yield MotionMark(MarkOf.MOVER, *match.span(), _cite(match, who))
    for match in (*_TEXT.finditer(text), *_NAMELESS.finditer(text), *_FOREGOING.finditer(text)):
        yield MotionMark(
            MarkOf.TEXT,
            match.end() if match.re is _NAMELESS else match.start(),
            match.end(),
            is_foregoing=match.re is _FOREGOING,
        )
    for match in _SECOND.finditer(text):
        yield MotionMark(
            MarkOf.SECOND,
            match.start(),
            match.end(),
            _cite(match, "name" if match["name"] else "labelled"),
        )
    for match in _NO_SECOND.finditer(text):
        yield MotionMark(MarkOf.RESULT, match.start(), match.end(), passed=False, is_final=True)
    for match in _RESULT.finditer(text):
        yield _read_result(match)
    for match in _UNANIMOUS.finditer(text):
        yield MotionMark(MarkOf.WEAK, match.start(), match.end(), passed=True)
    for match in _VOTE_OF.finditer(text):
        tally = find_tally(text, match.end(), match.end() + 30)
        if tally and tally.start() == match.end():
            yield MotionMark(MarkOf.WEAK, match.start(), tally.end())
    for group in group_vote_lists(scan_vote_lists(text)):
        if is_vote(group):
            yield MotionMark(MarkOf.LISTS, group[0].start, group[-1].end, group=tuple(group))


def _find_name_before(text: str, end: int) -> tuple[int, CitedText] | None:
    """The name that ends at a place, and where its titles start."""
    begin = max(0, end - _NAME_REACH)
    match = _BEFORE.search(text[begin:end])
    if not match:
        return None
    start = begin + match.start("name")
    return begin + match.start(), CitedText(match["name"], start, start + len(match["name"]))


def _cite(match: re.Match[str], group: str) -> CitedText:
    value = match[group]
    if not re.search(r"\b(?:Jr|Sr|[A-Z])\.$", value):
        value = value.rstrip(".")
    start = match.start(group)
    return CitedText(value, start, start + len(value))


def _read_result(match: re.Match[str]) -> MotionMark:
    word = next(
        (
            match[each]
            for each in ("word", "word2", "word3", "word4", "word5", "word6", "word7")
            if match[each]
        ),
        "passed",
    )
    passed = not re.fullmatch(_FAILED, " ".join(word.lower().split()))
    group = next(
        each for each in ("start", "bare", "label", "joined", "by", "text", "act") if match[each]
    )
    kind = {
        "label": MarkOf.LABEL,
        "joined": MarkOf.WEAK,
        "bare": MarkOf.WEAK,
        "text": MarkOf.WEAK,
    }.get(group, MarkOf.RESULT)
    return MotionMark(kind, *match.span(group), passed=passed)
