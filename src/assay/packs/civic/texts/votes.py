"""The motions in minutes: who made and seconded each, what it says, its result and its votes.

The text is scanned for marks (a mover, a second, a result, lists of names); a motion collects the
marks up to the next mover. Nothing is derived from what is usual: members who are not named have no
vote, and a result that contradicts the counts is not a result.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from assay.packs.civic.portals.listed import VoteValue
from assay.packs.civic.texts.participation import CitedText
from assay.packs.civic.texts.rollcalls import (
    NAME,
    OFFICES,
    MemberVote,
    VoteList,
    drop_contradictions,
    group_vote_lists,
    is_vote,
    read_list_votes,
    scan_named_votes,
    scan_roll_call,
    scan_vote_lists,
)

_NAME_REACH: Final = 90
_NEAR: Final = 250
_SOON: Final = 1500
_LATE: Final = 4000
_LONGEST: Final = 1500
"""The longest text of a motion."""

_WHO = rf"{OFFICES}(?P<name>{NAME})"
_WAS = r"(?:was\s+|were\s+|is\s+)?(?:duly\s+|then\s+)?"
_MOVED_BY = re.compile(
    r"(?<![\w'’-])(?:(?i:(?:on|upon)\s+(?:a\s+|the\s+)?motion\s+(?:of|from)|(?:moved|motioned)\s+by"
    rf"|motion\s+{_WAS}(?:made\s+|offered\s+|introduced\s+|moved\s+|presented\s+)?by"
    rf"|motion\s+(?:to|that|for)\s(?:[^.:\n]|\n(?!\s{{0,3}}\n)){{1,300}}?\s{_WAS}(?:made|offered|introduced|presented)\s+by"
    rf"|(?:mover|maker|motion maker)\s*:)\s{{0,2}}:?\s{{1,3}}){_WHO}"
    r"(?!\s(?i:would|could|should|will|at\sthe|on\s\w+\s\d|last|in\s\d|during|failed\sto))"
)
_MOVES = re.compile(
    r"(?<=\s)(?i:(?:then|also|again)\s)?(?i:moved|motioned|made\s+(?:a\s+|the\s+)?(?:[\w-]+\s+){0,2}motion|offered\s+a\s+(?:[\w-]+\s+){0,2}motion|so\s+moved)"
    r"(?=,?\s{1,3}(?:(?i:to|that|for|and|approval|adoption|acceptance|the|its|their|seconded|a|denial|passage|we|adjournment)\b|[,;A-Z(])|[,;:.])"
)
_SECONDS = re.compile(r"(?<=\s)(?i:seconded|seconds|seconding|2nd)\b(?!\s(?i:by)\b)")
_NAMELESS = re.compile(
    r"\b(?:he|she|they|correction|amendment|and|who),?\s(?=moved\s(?:to\s(?:approve|adopt|accept|deny|table|continue)|that|for|approval)\b)",
    re.I,
)
_BEFORE = re.compile(rf"(?<![\w'’.-]){_WHO},?\s{{1,3}}\Z")
_M_S = re.compile(
    rf"\bM/S(?:/C|/P)?\b[:.]?\s{{1,2}}(?:\()?{_WHO}\s?[/,–—-]\s?{_WHO.replace('name', 'other')}"
)
_TEXT = re.compile(
    r"(?m)(?:^[ \t]*|(?<=[-–—] ))(?:\*\*)?(?:MOTION|Motion)(?:\*\*)?(?:\s?\d{1,2})?(?:\s?:(?:\*\*)?\s{0,3}(?![A-Z]\w+ (?i:moved))|\s(?=(?i:to|that)\s))"
)
_SECOND = re.compile(
    rf"(?<![\w'’])(?i:second(?:ed)?|supported|2nd(?:ed)?)(?:\s(?i:was\smade|offered|provided))?\s(?i:by)\s{{0,2}}:?\s{{1,3}}{_WHO}"
    rf"|(?m:^[ \t]*|(?<=[;,.|] ))(?i:seconder|seconded|second|2nd|support)\s?:\s{{0,3}}{_WHO.replace('name', 'labelled')}"
)
_PASSED = r"carried|carries|passed|passes|approved|adopted|prevailed|granted|accepted"
_FAILED = r"failed|fails|lost|defeated|denied|died|dies|rejected|not carried|not pass(?:ed)?"
_WORD = rf"(?P<word>{_FAILED}|{_PASSED})"
_AFTER = r"(?!\s(?:on|at|in)\s(?:\w+\s\d|the\s(?:last|previous)|\d)|\s(?:by|at)\sthe\s(?:last|previous|council\sat))"
_RESULT = re.compile(
    # The motion (to approve) was unanimously carried.
    r"(?:(?:^|[.;:,)\]”\"]|\n|\b(?:and|which|whereupon|then|vote)\b)\s{0,4})(?P<start>(?:the\s+|this\s+|said\s+|original\s+|main\s+|amended\s+|substitute\s+|[A-Z][\w'’-]{1,20}['’]s\s+|\w{3,12}\s+[A-Z][\w-]{1,20}['’]s\s+){0,3}"
    r"motion(?:\s(?:as\samended|as\sstated|on\sthe\sfloor|to\s[^.;]{1,260}?|was\sacted\supon,?\sand))?,?"
    rf"\s+(?:(?:was|were|is|has|had|then|thereby|thereupon|been|duly|declared|unanimously|and|it)\s+){{0,4}}{_WORD}\b{_AFTER})"
    # Carried 5-0. / Unanimously carried. / MOTION CARRIED
    rf"|(?:(?:^|[.;]\s{{1,3}}|\n[ \t]*|[–—-]\s))(?P<bare>(?:all\sayes?[.,;]\s)?(?:motion\s+)?(?:unanimously\s+|so\s+)?(?P<word2>{_FAILED}|{_PASSED})(?=\s+(?:unanimously|\(?\d{{1,2}}\s?[-–/]|by\s(?:a\s|the\s)?(?:\w+\s){{0,3}}vote)|\.|\s*$|\s*\n|,?\s\d))"
    # RESULT: ADOPTED [UNANIMOUS]
    rf"|(?P<label>\b(?:result|disposition|outcome|status|motion\sresult|action\sresult)\s?:\s{{0,3}}(?:motion\s|was\s)?(?:unanimously\s)?(?P<word3>{_FAILED}|{_PASSED}|unanimous))\b"
    # which carried / seconded by Jones and approved unanimously
    rf"|(?P<joined>(?:\bwhich|\bthat|\band(?:\sit|\swas)?|,)\s(?:was\s|were\s)?(?:(?:unanimously|duly)\s(?P<word4>{_PASSED})|(?P<word5>{_FAILED}|{_PASSED})(?=\sunanimously|\s\(?\d{{1,2}}\s?[-–/]|\sby\s(?:a\s|the\s)?(?:\w+\s){{0,3}}vote|\son\s(?:a\s|the\s)?(?:\w+\s){{0,3}}vote|\.)))"
    # (to appoint Jones) carried by the following vote
    rf"|(?P<by>\b(?P<word6>{_FAILED}|{_PASSED})\s(?:by|on|with)\sthe\sfollowing\s(?:[\w-]+\s){{0,3}}votes?\b)"
    # passed and adopted this day by the following vote
    r"|(?P<act>\b(?:duly\s)?(?:passed|approved|adopted|introduced)(?:,?\s(?:and\s)?(?:passed|adopted|approved|ordained)){1,2}\s(?:this|at|by|on)\b)",
    re.I | re.M,
)
_NO_SECOND = re.compile(
    r"\b(?:die[ds]|fail(?:ed|s)|was\slost|lost)\s(?:due\sto|for|because\sof|from)\s(?:a\s|the\s)?(?:lack|want)\sof\s(?:a\s)?second\b|\bno\ssecond\b[^.]{0,30}\bmotion\s(?:died|failed)",
    re.I,
)
_UNANIMOUS = re.compile(
    r"\bunanimous(?:ly)?\b|\ball\s(?:(?:members?|present|council\s?members?|commissioners?|trustees?|supervisors?|directors?)\s){0,3}(?:voting|voted|in|were\sin)\s[\"“'‘]?(?:aye|yes|yea|favou?r|in\sfavou?r)\b(?!\s(?:say|signify|please|of|\?))"
    r"|\ball\s(?:ayes|yeas|yes)\b|\b(?:ayes|yeas)\s?:\s?(?:all|unanimous)\b",
    re.I,
)
_ONES: Final = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_NUMBER = rf"(?:\d{{1,2}}|{'|'.join(_ONES)})"
_TALLY = re.compile(
    rf"(?<![\w$./#-])(?:(?:vote(?:\sof|:)?\s)?(?P<a>{_NUMBER})(?:\s?[-–—/:]\s?|\sto\s|-to-)(?P<b>{_NUMBER})(?:(?:\s?[-–—/:]\s?|\sto\s)(?P<c>\d{{1,2}}))?(?:\s?[-–—/]\s?(?P<d>\d{{1,2}}))?(?![\w/-]|[.,:]\d|\s?[ap]\.?m\b|\s(?:\w+\s)?(?:majority|vote\s(?:is|was)\s(?:required|needed)))(?<!2/3)(?<!3/4)(?<!4/5)(?<!3/5)"
    rf"|(?P<e>{_NUMBER})\s(?:ayes?|yeas?|yes|in\sfavou?r|for)\b[\s,;/]{{1,3}}(?:and\s|to\s)?(?P<f>{_NUMBER}|no|none)\s(?:noes|nos?|nays?|opposed|against)\b"
    rf"|\b(?:ayes?|yeas?|yes)\s?[:=-]?\s?(?P<g>\d{{1,2}})[\s,;/]{{1,4}}(?:noes|nos?|nays?)\s?[:=-]?\s?(?P<h>\d{{1,2}})\b(?!\s?-\s?[A-Z]))",
    re.I,
)
_VOTE_OF = re.compile(
    r"(?m)^[ \t]*(?:\*\*)?(?:roll call |voice |final )?vote(?: count)?\s?[:–-]?\s?(?:\*\*)?\s?|\bby\s(?:a\s|the\s)?(?:\w+\s){0,3}vote\sof\s|\bvote\swas\s",
    re.I,
)
_SENTENCE_END = re.compile(r"\.(?=\s{1,4}[\"“(]?[A-Z0-9*]|\s{0,4}\Z|[\"”])|\n[ \t]*\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:nos?|res|ord|st|mr|ms|dr|mrs|inc|sec|[ap]\.m|jr|sr|ave|vs|ald|items? [\w.]{1,6})|(?<![\w.])\w)\Z",
    re.I,
)
_SAYS = re.compile(
    r"[\s,;:.)–—-]{0,4}(?:(?i:and|then|made\sa\smotion)\s)?(?P<text>(?i:to|that|for|approval|adoption|recommending|approving|adopting|authorizing|the\sadoption|its\sadoption|acceptance|we)\b)"
)

_PAGE = re.compile(r"[^\n]{0,80}\b(?:minutes\b[^\n]{0,40}\bpa?ge?|page \d)", re.I)
_DANGLING = re.compile(r"(?:[,;.]?\s{1,3}(?:and|which|with|the|was|is|motion|that|this)){1,5}\Z", re.I)
_MOTION_WORD = re.compile(r"(?:\W{0,6}(?:motion|moved)\W{0,8})?", re.I)
_INSIDE = re.compile(
    r"motion\s+((?:to|that|for)\s.{1,300}?)\s+(?:was\s|were\s)?(?:\w+\s)?by\s", re.S | re.I
)
_TALLY_AFTER = re.compile(r"\W{0,6}\(?(?:vote:?\s)?(?=\d)", re.I)


class _Kind(Enum):
    TEXT = auto()
    MOVER = auto()
    SECOND = auto()
    RESULT = auto()
    LABEL = auto()
    WEAK = auto()
    """Words that are a result only right after a motion."""
    LISTS = auto()


@dataclass(frozen=True)
class MotionRead:
    """A motion as the minutes record it; what they do not say is None or empty."""

    start: int
    end: int
    mover: CitedText | None = None
    seconder: CitedText | None = None
    motion: CitedText | None = None
    result: CitedText | None = None
    """The words that state the result."""
    passed: bool | None = None
    """None if the minutes do not say so, or if their counts contradict it."""
    tally: CitedText | None = None
    """As written, such as `5-0`."""
    counts: tuple[int, ...] = ()
    """The numbers of the tally: for, against, and if written, abstaining and absent."""
    votes: tuple[MemberVote, ...] = ()


@dataclass(frozen=True)
class _Mark:
    kind: _Kind
    start: int
    end: int
    name: CitedText | None = None
    second: CitedText | None = None
    passed: bool | None = None
    group: tuple[VoteList, ...] = ()
    is_final: bool = False
    """Whether no vote can follow, as after the lack of a second."""


@dataclass
class _Draft:
    kind: _Kind
    start: int
    end: int
    mover: CitedText | None = None
    seconder: CitedText | None = None
    mover_mark: _Mark | None = None
    second_mark: _Mark | None = None
    results: list[_Mark] = field(default_factory=list)
    group: tuple[VoteList, ...] = ()

    def take(self, mark: _Mark) -> None:
        self.end = max(self.end, mark.end)


def find_votes(text: str) -> list[MotionRead]:
    """The motions in the text of minutes, in order."""
    marks = sorted(_scan_marks(text), key=lambda mark: (mark.start, mark.end))
    found: list[MotionRead] = []
    draft: _Draft | None = None
    for mark in marks:
        if draft and _join(draft, mark):
            continue
        if mark.kind in (_Kind.SECOND, _Kind.WEAK):
            continue
        if draft and (motion := _finish(text, draft, mark.start)):
            found.append(motion)
        draft = _open(mark)
    if draft and (motion := _finish(text, draft, len(text))):
        found.append(motion)
    return found


def _scan_marks(text: str) -> Iterator[_Mark]:
    for match in _MOVED_BY.finditer(text):
        yield _Mark(_Kind.MOVER, match.start(), match.end(), _cite(match, "name"))
    for kind, pattern in ((_Kind.MOVER, _MOVES), (_Kind.SECOND, _SECONDS)):
        for match in pattern.finditer(text):
            if name := _find_name_before(text, match.start()):
                yield _Mark(kind, name[0], match.end(), name[1])
    for match in _M_S.finditer(text):
        yield _Mark(
            _Kind.MOVER, match.start(), match.end(), _cite(match, "name"), _cite(match, "other")
        )
    for match in (*_TEXT.finditer(text), *_NAMELESS.finditer(text)):
        yield _Mark(
            _Kind.TEXT, match.end() if match.re is _NAMELESS else match.start(), match.end()
        )
    for match in _SECOND.finditer(text):
        yield _Mark(
            _Kind.SECOND,
            match.start(),
            match.end(),
            _cite(match, "name" if match["name"] else "labelled"),
        )
    for match in _NO_SECOND.finditer(text):
        yield _Mark(_Kind.RESULT, match.start(), match.end(), passed=False, is_final=True)
    for match in _RESULT.finditer(text):
        yield _read_result(match)
    for match in _UNANIMOUS.finditer(text):
        yield _Mark(_Kind.WEAK, match.start(), match.end(), passed=True)
    for match in _VOTE_OF.finditer(text):
        if tally := _TALLY.match(text, match.end()):
            yield _Mark(_Kind.WEAK, match.start(), tally.end())
    for group in group_vote_lists(scan_vote_lists(text)):
        if is_vote(group):
            yield _Mark(_Kind.LISTS, group[0].start, group[-1].end, group=tuple(group))


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


def _read_result(match: re.Match[str]) -> _Mark:
    word = next(
        (match[each] for each in ("word", "word2", "word3", "word4", "word5", "word6") if match[each]),
        "passed",
    )
    passed = not re.fullmatch(_FAILED, " ".join(word.lower().split()))
    group = next(each for each in ("start", "bare", "label", "joined", "by", "act") if match[each])
    kind = {"label": _Kind.LABEL, "joined": _Kind.WEAK, "bare": _Kind.WEAK}.get(group, _Kind.RESULT)
    return _Mark(kind, *match.span(group), passed=passed)


def _open(mark: _Mark) -> _Draft:
    draft = _Draft(mark.kind, mark.start, mark.end, mark.name, mark.second)
    if mark.kind is _Kind.MOVER:
        draft.mover_mark = mark
    elif mark.kind in (_Kind.RESULT, _Kind.LABEL):
        draft.results.append(mark)
    draft.group = mark.group
    return draft


def _join(draft: _Draft, mark: _Mark) -> bool:
    """Take a mark into the motion that it belongs to; False if it starts another."""
    gap = mark.start - draft.end
    is_table = draft.kind is _Kind.LABEL
    if mark.kind is _Kind.TEXT:
        return gap < 0
    if mark.kind is _Kind.MOVER:
        if gap < 0 and draft.mover and mark.name and draft.mover.start == mark.name.start:
            return True
        if (
            draft.mover
            or gap > _SOON
            or not (is_table or (draft.kind is _Kind.TEXT and not draft.results))
        ):
            return False
        draft.mover, draft.mover_mark = mark.name, mark
        draft.seconder = draft.seconder or mark.second
    elif mark.kind is _Kind.SECOND:
        if (
            draft.seconder
            or gap > _SOON
            or (draft.results and not is_table)
            or draft.kind is _Kind.LISTS
        ):
            return True
        draft.seconder, draft.second_mark = mark.name, mark
    elif mark.kind is _Kind.LISTS:
        if (
            draft.group
            or any(result.is_final for result in draft.results)
            or gap > (_NEAR * 2 if draft.results else _SOON * 2)
        ):
            return False
        draft.group = mark.group
    elif draft.results:
        is_closed = bool(draft.group) or any(result.is_final for result in draft.results)
        if mark.kind is _Kind.LABEL or (
            mark.kind is _Kind.RESULT and gap >= 0 and (gap > _NEAR or is_closed)
        ):
            return False
        if is_closed and gap > 0:
            return True
        if gap > _NEAR:
            return True
        draft.results.append(mark)
    else:
        if (
            gap > (_NEAR * 2 if mark.kind is _Kind.WEAK else _LATE)
            or draft.kind is _Kind.LISTS
            and gap > _NEAR
        ):
            return mark.kind is _Kind.WEAK
        draft.results.append(mark)
    draft.take(mark)
    return True


def _finish(text: str, draft: _Draft, limit: int) -> MotionRead | None:
    bound = min(limit, draft.end + _SOON)
    votes = read_list_votes(text, list(draft.group)) if draft.group else []
    roll = (
        scan_roll_call(text, draft.mover.end if draft.mover else draft.start, bound)
        if not draft.group
        else []
    )
    first = draft.results[0].start if draft.results else draft.end
    told = scan_named_votes(text, max(draft.start, first - 150), min(bound, draft.end + 200))
    if roll:
        draft.end = max(draft.end, roll[-1].end)
    votes = drop_contradictions(votes or [*roll, *told])
    tally = _find_tally(text, draft, bound)
    if not draft.mover and not draft.results and not votes and not draft.group:
        return None
    if not (draft.seconder or draft.results or votes or draft.group):
        return None
    if (
        draft.kind in (_Kind.RESULT, _Kind.LABEL, _Kind.TEXT)
        and not draft.mover
        and not (votes or tally or draft.group or draft.seconder)
    ):
        return None
    if draft.kind is _Kind.LISTS and not {VoteValue.YES, VoteValue.NO} <= {each.vote for each in draft.group}:
        return None
    counts = _read_counts(tally)
    motion = _read_text(text, draft)
    ends = (
        [vote.end for vote in votes]
        + ([motion.end] if motion else [])
        + ([tally.end()] if tally else [])
    )
    end = max([draft.end, *ends])
    stated = [mark for mark in draft.results if mark.passed is not None][:2]
    result = stated[0].end if stated else 0
    if len(stated) > 1 and stated[1].start <= result + 2:
        result = max(result, stated[1].end)
    seconder = draft.seconder
    if seconder and draft.mover and seconder.value == draft.mover.value:
        seconder = None
    return MotionRead(
        draft.start,
        end,
        draft.mover,
        seconder,
        motion,
        CitedText(text[stated[0].start : result], stated[0].start, result) if stated else None,
        _decide(draft, votes, counts),
        CitedText(tally[0].strip(), tally.start(), tally.end()) if tally else None,
        counts,
        tuple(votes),
    )


def _find_tally(text: str, draft: _Draft, bound: int) -> re.Match[str] | None:
    for mark in draft.results:
        end = min(mark.end + 120, _find_end(text, mark.end, bound))
        for start in (mark.start, max(draft.start, mark.start - 40)):
            if tally := _TALLY.search(text, start, end):
                return tally
        if after := _TALLY_AFTER.match(text, end, min(bound, end + 30)):
            if tally := _TALLY.match(text, after.end(), bound):
                return tally
    return None


def _read_counts(tally: re.Match[str] | None) -> tuple[int, ...]:
    if not tally:
        return ()
    words = [tally[each] for each in "abcdefgh" if tally[each]]
    return tuple(
        int(word) if word.isdigit() else (_ONES.index(word.lower()) if word.lower() in _ONES else 0)
        for word in words
    )


def _decide(draft: _Draft, votes: list[MemberVote], counts: tuple[int, ...]) -> bool | None:
    """Whether the motion passed: what is stated, if no count contradicts it."""
    stated = {mark.passed for mark in draft.results if mark.passed is not None}
    sizes = {each.vote: each.size for each in draft.group}
    ayes, noes = sizes.get(VoteValue.YES), sizes.get(VoteValue.NO)
    if not draft.group:
        named = [vote.vote for vote in votes]
        ayes, noes = named.count(VoteValue.YES) or None, named.count(VoteValue.NO) or None
    if len(stated) > 1 or any(each.has_conflict for each in draft.group):
        return None
    if counts:
        if draft.group and (
            (ayes is not None and ayes != counts[0]) or (noes is not None and noes != counts[1])
        ):
            return None
        if (ayes or 0) > counts[0] or (noes or 0) > counts[1]:
            return None
        ayes, noes = counts[0], counts[1]
    if stated == {True}:
        return None if ayes is not None and noes is not None and ayes <= noes else True
    if stated == {False}:
        return None if noes == 0 and ayes is not None and ayes > 1 and not counts[2:] else False
    return True if ayes is not None and ayes > 1 and noes == 0 else None


def _read_text(text: str, draft: _Draft) -> CitedText | None:
    marks = [mark for mark in (draft.mover_mark, draft.second_mark) if mark]
    results = [mark.start for mark in draft.results if mark.start > draft.start]
    stop = min(
        [
            *results,
            *(each.start for each in draft.group if each.start > draft.start),
            draft.start + _LATE,
        ]
    )
    if draft.kind is _Kind.TEXT:
        begin = _MOTION_WORD.match(text, draft.start)
        start = begin.end() if begin else draft.start
        if words := _trim(text, start, min([stop, *(mark.start for mark in marks)])):
            return words
    for place, mark in enumerate(marks):
        says = _SAYS.match(text, mark.end, stop)
        if says:
            after = [other.start for other in marks[place + 1 :] if other.start > mark.end]
            return _trim(text, says.start("text"), min([stop, *after]))
    if draft.mover_mark and (
        inside := _INSIDE.search(text, draft.mover_mark.start, draft.mover_mark.end)
    ):
        return _trim(text, *inside.span(1))
    return None


def _find_end(text: str, start: int, limit: int) -> int:
    """Where the sentence or paragraph that continues at a place ends."""
    for stop in _SENTENCE_END.finditer(text, start, limit):
        if text[stop.start()] != "." or not _ABBREVIATION.search(
            text[max(start, stop.start() - 14) : stop.start()]
        ):
            return stop.start()
    return limit


def _trim(text: str, start: int, end: int) -> CitedText | None:
    end = min(end, start + _LONGEST)
    finish = _find_end(text, start, end)
    if text[max(start, finish - 3) : finish].rstrip().endswith(":"):
        # `to adopt the following resolution:` continues in the next paragraph.
        after = finish + len(text[finish:end]) - len(text[finish:end].lstrip())
        finish = finish if _PAGE.match(text, after, end) else _find_end(text, after, end)
    value = text[start:finish].rstrip(" \t\n,;.:-–—")
    value = _DANGLING.sub("", value)
    return CitedText(value, start, start + len(value)) if len(value) > 3 else None
