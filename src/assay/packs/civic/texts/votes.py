"""The motions in minutes: who made and seconded each, what it says, its result and its votes.

The text is scanned for marks (a mover, a second, a result, lists of names); a motion collects the
marks up to the next mover. Nothing is derived from what is usual: members who are not named have no
vote, and a result that contradicts the counts is not a result.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from assay.packs.civic.portals.listed import VoteValue
from assay.packs.civic.texts.motion_marks import (
    ONES,
    TALLY,
    MarkOf,
    MotionMark,
    Topic,
    find_tally,
    scan_marks,
)
from assay.packs.civic.texts.motion_topics import drop_retold, find_motion_topic, find_vote_topic
from assay.packs.civic.texts.participation import CitedText
from assay.packs.civic.texts.rollcalls import (
    MemberVote,
    VoteList,
    drop_contradictions,
    read_list_votes,
    scan_named_votes,
    scan_roll_call,
)

_NEAR: Final = 250
_SOON: Final = 1500
_LATE: Final = 4000
_MOST_RESULTS: Final = 20
_LONGEST: Final = 1500
"""The longest text of a motion."""
_SENTENCE_END = re.compile(r"\.(?=\s{1,4}[\"“(]?[A-Z0-9*]|\s{0,4}\Z|[\"”])|\n[ \t]*\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:nos?|res|ord|st|mr|ms|dr|mrs|inc|sec|[ap]\.m|jr|sr|ave|vs|ald|items? [\w.]{1,6})"
    r"|(?<![\w.])\w)\Z",
    re.I,
)
_SAYS = re.compile(
    r"[\s,;:.)–—-]{0,4}(?:(?i:and|then"
    r"|made\sa\smotion)\s)?(?i:it\swas\sresolved,?\s)?(?P<text>(?i:to|that|for|approval"
    r"|adoption|recommending|approving|adopting|authorizing|the\sadoption|its\sadoption|acceptance"
    r"|we)\b)"
)

_PAGE = re.compile(r"[^\n]{0,80}\b(?:minutes\b[^\n]{0,40}\bpa?ge?|page \d)", re.I)
_DANGLING = re.compile(
    r"(?:[,;.](?:\s{1,3}(?:and|which|with|the|was|is|motion|that|this)){1,5}"
    r"|\s{1,3}(?:and|which|with|was|is)(?:\s(?:duly|then))?)\Z",
    re.I,
)
_MOTION_WORD = re.compile(r"(?:\W{0,6}(?:the\s)?(?:motion|moved)\W{0,8})?", re.I)
_HEADER = re.compile(r"(?:moved|mover|moved by)\s?:", re.I)
_INSIDE = re.compile(
    r"motion\s+((?:to|that|for)\s.{1,300}?)\s+(?:was\s|were\s)?(?:\w+\s)?by\s", re.S | re.I
)
_TALLY_AFTER = re.compile(r"\W{0,6}\(?(?:vote:?\s)?(?=\d)", re.I)


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
    is_main: bool = True
    """Whether it decides on the item itself: not on an amendment, a substitute, the end of the
    debate, or another day."""


@dataclass
class _Draft:
    kind: MarkOf
    start: int
    end: int
    mover: CitedText | None = None
    seconder: CitedText | None = None
    mover_mark: MotionMark | None = None
    second_mark: MotionMark | None = None
    text_mark: MotionMark | None = None
    has_header: bool = False
    """Whether the names come first under labels, and the text after them."""
    results: list[MotionMark] = field(default_factory=list)
    group: tuple[VoteList, ...] = ()
    topic: Topic | None = None
    votes_from: int | None = None
    """Where the votes start, if votes about something else come first."""
    text_end: int | None = None
    """Where the text ends at the latest, if another motion came between."""
    aside_end: int | None = None
    """The end of the last vote about something else."""

    def take(self, mark: MotionMark) -> None:
        self.end = max(self.end, mark.end)


def find_votes(text: str) -> list[MotionRead]:
    """The motions in the text of minutes, in order."""
    marks = sorted(scan_marks(text), key=lambda mark: (mark.start, mark.end))
    found: list[MotionRead | None] = []
    draft: _Draft | None = None
    # The motion that the draft interrupted before its vote.
    main: _Draft | None = None
    for each in drop_retold(text, marks):
        mark = replace(each, topic=find_vote_topic(text, each))
        if draft and main and _is_on_main(text, draft, mark):
            begin = text.rfind("\n\n", draft.end, mark.start)
            begin = begin if begin >= 0 else mark.start
            found.append(_finish(text, draft, begin))
            draft, main = main, None
            draft.end = draft.votes_from = begin
        if draft and main and _is_doubtful(draft, mark):
            continue
        if draft and _join(draft, mark):
            continue
        if mark.kind in (MarkOf.SECOND, MarkOf.WEAK):
            continue
        if main and draft and (draft.topic is None or mark.start - main.end > _LATE):
            found.append(_finish(text, main, main.text_end or main.end))
            main = None
        if draft and main is None and _is_interrupted(draft, mark):
            main, main.text_end = draft, mark.start
        elif draft:
            found.append(_finish(text, draft, mark.start))
        draft = _open(text, mark)
    if main:
        found.append(_finish(text, main, main.text_end or main.end))
    if draft:
        found.append(_finish(text, draft, len(text)))
    return sorted((motion for motion in found if motion), key=lambda motion: motion.start)


def _open(text: str, mark: MotionMark) -> _Draft:
    draft = _Draft(mark.kind, mark.start, mark.end, mark.name, mark.second, topic=mark.topic)
    if mark.kind in (MarkOf.MOVER, MarkOf.TEXT):
        draft.topic = find_motion_topic(text, mark.start, mark.end)
    if mark.kind is MarkOf.MOVER:
        draft.mover_mark = mark
        draft.has_header = _HEADER.match(text, mark.start) is not None
    elif mark.kind in (MarkOf.RESULT, MarkOf.LABEL):
        draft.results.append(mark)
    draft.group = mark.group
    return draft


def _is_interrupted(draft: _Draft, mark: MotionMark) -> bool:
    """Whether a motion still awaits its vote when another one is made."""
    return (
        mark.kind in (MarkOf.MOVER, MarkOf.TEXT)
        and draft.mover is not None
        and draft.topic in (None, Topic.SUBSTITUTE, Topic.AMENDMENT)
        and not draft.results
        and not draft.group
        and mark.start - draft.end < _LATE
    )


def _is_on_main(text: str, draft: _Draft, mark: MotionMark) -> bool:
    """Whether a vote belongs to the motion that the draft interrupted."""
    if mark.kind not in (MarkOf.RESULT, MarkOf.WEAK, MarkOf.LISTS):
        return False
    if mark.topic is Topic.MAIN:
        return bool(draft.topic or draft.results or draft.group)
    if mark.topic is not None or draft.topic is None:
        return False
    return (
        mark.kind is MarkOf.RESULT
        and mark.start > draft.end
        and any(result.topic is draft.topic for result in draft.results)
        and find_tally(text, mark.start, mark.end + 30) is not None
    )


def _is_doubtful(draft: _Draft, mark: MotionMark) -> bool:
    """Whether lists may belong to this motion or to the one that it interrupted."""
    return (
        mark.kind is MarkOf.LISTS
        and draft.topic is not None
        and bool(draft.results)
        and mark.start - draft.end > 20
    )


def _turn_away(draft: _Draft, mark: MotionMark) -> bool | None:
    """Whether a vote about something else is passed over; None if it is not about that."""
    if mark.kind not in (MarkOf.RESULT, MarkOf.WEAK, MarkOf.LISTS):
        return None
    is_voted = bool(draft.results or draft.group)
    if mark.topic is None:
        follows = draft.aside_end is not None and mark.start - draft.aside_end <= _NEAR
        return True if follows and not is_voted and mark.kind is not MarkOf.RESULT else None
    if mark.topic is draft.topic:
        return None
    if mark.topic is Topic.MAIN and draft.topic is None:
        if any(result.topic is not Topic.MAIN for result in draft.results) and (
            mark.start > draft.end
        ):
            # What came before was the vote on something that led to this one.
            draft.results, draft.group, draft.votes_from = [], (), mark.start
        return None
    if is_voted:
        return mark.kind is MarkOf.WEAK
    draft.aside_end = mark.end
    return True


def _join(draft: _Draft, mark: MotionMark) -> bool:
    """Take a mark into the motion that it belongs to; False if it starts another."""
    gap = mark.start - draft.end
    is_table = draft.kind is MarkOf.LABEL
    aside = _turn_away(draft, mark)
    if aside is not None:
        return aside
    if mark.kind is MarkOf.TEXT:
        is_open = draft.mover is not None and not draft.results and not draft.group
        if is_open and mark.is_foregoing and not draft.seconder:
            draft.text_end = mark.start
            draft.take(mark)
            return True
        if is_open and draft.has_header and draft.text_mark is None and 0 <= gap <= 40:
            draft.text_mark = mark
            draft.take(mark)
            return True
        return gap < 0
    if mark.kind is MarkOf.MOVER:
        if gap < 0 and draft.mover and mark.name and draft.mover.start == mark.name.start:
            return True
        if (
            draft.mover
            or gap > _SOON
            or not (is_table or (draft.kind is MarkOf.TEXT and not draft.results))
        ):
            return False
        draft.mover, draft.mover_mark = mark.name, mark
        draft.seconder = draft.seconder or mark.second
    elif mark.kind is MarkOf.SECOND:
        if (
            draft.seconder
            or gap > _SOON
            or (draft.results and not is_table)
            or draft.kind is MarkOf.LISTS
        ):
            return True
        draft.seconder, draft.second_mark = mark.name, mark
    elif mark.kind is MarkOf.LISTS:
        if (
            draft.group
            or any(result.is_final for result in draft.results)
            or gap > (_NEAR * 2 if draft.results else _SOON * 2)
        ):
            return False
        draft.group = mark.group
    elif draft.results:
        is_closed = bool(draft.group) or any(result.is_final for result in draft.results)
        if mark.kind is MarkOf.RESULT and gap > 20 and mark.passed is not draft.results[0].passed:
            return False
        if mark.kind is MarkOf.LABEL or (
            mark.kind is MarkOf.RESULT and gap >= 0 and (gap > _NEAR or is_closed)
        ):
            return False
        if is_closed and gap > 0:
            return True
        if gap > _NEAR:
            return True
        if len(draft.results) < _MOST_RESULTS:
            draft.results.append(mark)
    else:
        if gap > (_NEAR * 2 if mark.kind is MarkOf.WEAK else _LATE) or (
            draft.kind is MarkOf.LISTS and gap > _NEAR
        ):
            return mark.kind is MarkOf.WEAK
        draft.results.append(mark)
    if draft.aside_end is not None and draft.votes_from is None and mark.kind is not MarkOf.SECOND:
        draft.votes_from = mark.start
    draft.take(mark)
    return True


def _finish(text: str, draft: _Draft, limit: int) -> MotionRead | None:
    bound = min(limit, draft.end + _SOON)
    votes = read_list_votes(text, list(draft.group)) if draft.group else []
    since = draft.mover.end if draft.mover else draft.start
    if draft.aside_end is not None and draft.votes_from is None:
        since = bound
    since = max(since, draft.votes_from or 0)
    roll = scan_roll_call(text, since, bound) if not draft.group else []
    first = draft.results[0].start if draft.results else draft.end
    told = scan_named_votes(
        text, max(draft.votes_from or draft.start, first - 150), min(bound, draft.end + 200)
    )
    if roll:
        draft.end = max(draft.end, roll[-1].end)
    votes = drop_contradictions(votes or [*roll, *told])
    tally = _find_tally(text, draft, bound)
    if not _is_motion(draft, bool(votes), bool(tally)):
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
        draft.topic in (None, Topic.MAIN),
    )


def _is_motion(draft: _Draft, has_votes: bool, has_tally: bool) -> bool:
    """Whether the marks are enough: a mover or a result alone may be mere talk of a motion."""
    if draft.kind is MarkOf.LISTS:
        return {VoteValue.YES, VoteValue.NO} <= {each.vote for each in draft.group}
    is_voted = has_votes or bool(draft.group)
    if draft.mover:
        return is_voted or bool(draft.seconder or draft.results)
    if not draft.results and not is_voted:
        return False
    return is_voted or has_tally or draft.seconder is not None


def _find_tally(text: str, draft: _Draft, bound: int) -> re.Match[str] | None:
    begin = draft.votes_from or draft.start
    for mark in draft.results:
        end = min(mark.end + 120, _find_end(text, mark.end, bound))
        for start in (mark.start, max(begin, mark.start - 40)):
            if tally := find_tally(text, start, end):
                return tally
        after = _TALLY_AFTER.match(text, end, min(bound, end + 30))
        if after and (tally := find_tally(text, after.end(), min(bound, after.end() + 30))):
            return tally if tally.start() == after.end() else None
    if draft.group:
        return TALLY.match(text, draft.group[0].start, draft.group[-1].end)
    return None


def _read_counts(tally: re.Match[str] | None) -> tuple[int, ...]:
    if not tally:
        return ()
    words = [tally[each] for each in "abcdefghi" if tally[each]]
    return tuple(
        int(word) if word.isdigit() else (ONES.index(word.lower()) if word.lower() in ONES else 0)
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
        # `failed with a six to one vote` may name the majority first.
        if stated == {False} and (ayes, noes) == (counts[1], counts[0]):
            return False
        if draft.group and (ayes not in (None, counts[0]) or noes not in (None, counts[1])):
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
            draft.text_end or len(text),
        ]
    )
    if draft.text_mark:
        return _trim(text, draft.text_mark.end, stop)
    if draft.kind is MarkOf.TEXT:
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
