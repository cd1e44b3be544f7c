"""How the public can take part in a meeting: where, on which link or number, and until when.

Each value is found by a pattern and accepted only if its own sentence, or the heading above it,
says what it is for. An address for accommodation requests or for copies of the agenda is not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from assay.packs.civic.texts import participation_words as words

_REACH: Final = 400
"""How far a sentence is followed in each direction."""
_HEADING_REACH: Final = 700
_HEAD: Final = 60_000
"""How much of a text is read: what follows in a packet are the papers of the items."""
_MOST: Final = 300
"""How many candidates of a kind are looked at."""
_OPENING: Final = 6000
"""The first part of an agenda, where it says where the meeting takes place."""


@dataclass(frozen=True)
class CitedText:
    """A value and where a text contains it."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Participation:
    """How the public can attend and comment; what the text does not say is None or empty."""

    physical_address: CitedText | None = None
    virtual_url: CitedText | None = None
    phones: tuple[CitedText, ...] = ()
    """Numbers that lead into the meeting or record a comment, not those of an office."""
    meeting_id: CitedText | None = None
    passcode: CitedText | None = None
    email: CitedText | None = None
    """The address for comments."""
    public_comment_deadline: CitedText | None = None
    """As written, such as `4:00 p.m. on the day of the meeting`."""
    is_hybrid: bool = False
    is_virtual_only: bool = False
    attendance: CitedText | None = None
    """The words that say that the meeting is hybrid or only virtual."""
    streaming_urls: tuple[CitedText, ...] = ()
    instructions: CitedText | None = None
    """The sentence that says how to comment."""


def find_participation(text: str) -> Participation | None:
    """How the public can take part, as the text of an agenda says; None if it says nothing."""
    text = text[:_HEAD]
    virtual = _find_virtual_url(text)
    email = _find_email(text)
    hybrid, virtual_only = _find_hybrid(text), _find_virtual_only(text)
    if hybrid and virtual_only:
        hybrid = virtual_only = None
    found = Participation(
        physical_address=_find_address(text),
        virtual_url=virtual,
        phones=_find_phones(text),
        meeting_id=_find_meeting_id(text),
        passcode=_find_passcode(text),
        email=email,
        public_comment_deadline=_find_deadline(text),
        is_hybrid=hybrid is not None,
        is_virtual_only=virtual_only is not None,
        attendance=hybrid or virtual_only,
        streaming_urls=_find_streams(text, virtual),
        instructions=_find_instructions(text),
    )
    return None if found == Participation() else found


def _cite(text: str, start: int, end: int) -> CitedText:
    return CitedText(text[start:end], start, end)


def _cite_url(text: str, match: re.Match[str]) -> CitedText:
    address = match[0].rstrip(".,;:!?'’*_")
    return _cite(text, match.start(), match.start() + len(address))


def _find_sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence or list entry around a span starts and ends."""
    begin = max(0, start - _REACH)
    for stop in words.BREAK.finditer(text, begin, start):
        if text[stop.start()] != "." or not words.ABBREVIATION.search(
            text, max(begin, stop.start() - 8), stop.start()
        ):
            begin = stop.end()
    finish = min(len(text), end + _REACH)
    for stop in words.BREAK.finditer(text, end, finish):
        if text[stop.start()] != "." or not words.ABBREVIATION.search(
            text, max(end, stop.start() - 8), stop.start()
        ):
            finish = stop.start() + (text[stop.start()] in ".!?")
            break
    while begin < start and text[begin].isspace():
        begin += 1
    while finish > end and text[finish - 1].isspace():
        finish -= 1
    return begin, finish


def _find_heading(text: str, start: int) -> str:
    """The last line before a place that ends with a colon, if it is near."""
    lines = words.HEADING.findall(text, max(0, start - _HEADING_REACH), start)
    return lines[-1] if lines else ""


def _is_about_comments(text: str, start: int, end: int) -> bool:
    begin, finish = _find_sentence(text, start, end)
    sentence = text[begin:start] + " " + text[end:finish]
    if words.ACCOMMODATION.search(sentence):
        return False
    heading = _find_heading(text, begin)
    return bool(
        words.COMMENT.search(sentence)
        or (words.COMMENT.search(heading) and not words.ACCOMMODATION.search(heading))
    )


def _find_email(text: str) -> CitedText | None:
    for match in islice(words.EMAIL.finditer(text), _MOST):
        if _is_about_comments(text, *match.span()):
            return _cite(text, *match.span())
    return None


def _find_virtual_url(text: str) -> CitedText | None:
    fallback: CitedText | None = None
    for match in islice(words.URL.finditer(text), _MOST):
        if words.GENERIC_URL.search(match[0]) or words.STREAM_URL.search(match[0]):
            continue
        if words.MEETING_URL.search(match[0]):
            return _cite_url(text, match)
        begin, _ = _find_sentence(text, *match.span())
        if fallback is None and words.JOIN.search(text, begin, match.start()):
            fallback = _cite_url(text, match)
    return fallback


def _find_streams(text: str, virtual: CitedText | None) -> tuple[CitedText, ...]:
    found: dict[str, CitedText] = {}
    for match in islice(words.URL.finditer(text), _MOST):
        address = _cite_url(text, match)
        if (
            (virtual and address.value == virtual.value)
            or words.MEETING_URL.search(match[0])
            or words.GENERIC_URL.search(match[0])
        ):
            continue
        begin, _ = _find_sentence(text, *match.span())
        before = text[begin : match.start()]
        if words.STREAM_URL.search(match[0]) or (
            words.STREAM.search(before) and not words.DOCUMENTS.search(before)
        ):
            found.setdefault(address.value, address)
    return tuple(found.values())


def _find_phones(text: str) -> tuple[CitedText, ...]:
    found: dict[str, CitedText] = {}
    last_end = -1
    for match in islice(words.PHONE.finditer(text), _MOST):
        start, end = match.span()
        begin, finish = _find_sentence(text, start, end)
        before = text[max(begin, start - 150) : start]
        line = text[max(0, start - 80) : start].rpartition("\n")[2]
        follows = (
            last_end >= 0
            and start - last_end <= 60
            and not words.NOT_DIAL.search(text, last_end, start)
            and not words.ACCOMMODATION.search(text, last_end, start)
        )
        heading = _find_heading(text, begin)
        if words.ACCOMMODATION.search(heading) and not words.DIAL.search(before):
            continue
        is_dial = (
            bool(words.DIAL.search(before))
            or _has_meeting_id_after(text, end)
            or follows
            or bool(words.DIAL.search(heading) and len(line) < 30)
            or _is_remote_telephone(text, start)
            or bool(words.CALL.search(before) and words.TOLL_FREE.match(text, end))
            or bool(
                words.CALL_TO_COMMENT.search(before) and words.COMMENT.search(text, begin, finish)
            )
        )
        if (
            is_dial
            and not words.NOT_DIAL.search(line if words.DIAL.search(line) else before)
            and not words.ACCOMMODATION.search(
                before + words.FIRST_CLAUSE.sub("", text[end : end + 40])
            )
            and not words.CODE_BEFORE.search(before)
        ):
            found.setdefault(re.sub(r"\D", "", match[0])[-10:], _cite(text, start, end))
            last_end = end
    return tuple(found.values())


def _is_remote_telephone(text: str, start: int) -> bool:
    """Whether a number after `Telephone:` is one of the ways to join that the lines above list."""
    above = text[max(0, start - 300) : start]
    return bool(words.TELEPHONE.search(above[-70:])) and bool(
        words.REMOTE.search(above) and words.ATTENDS.search(above)
    )


def _has_meeting_id_after(text: str, end: int) -> bool:
    return bool(
        words.MEETING_ID.search(text, end, min(len(text), end + 90))
        or words.ACCESS_CODE.search(text, end, min(len(text), end + 60))
    )


def _find_meeting_id(text: str) -> CitedText | None:
    for pattern in (words.MEETING_ID, words.ACCESS_CODE, words.ID_IN_URL):
        for match in pattern.finditer(text):
            if 9 <= sum(map(str.isdigit, match[1])) <= 13:
                return _cite(text, *match.span(1))
    return None


def _find_passcode(text: str) -> CitedText | None:
    for match in words.PASSCODE.finditer(text):
        group = 1 if match[1] else 2
        code = match[group].rstrip(".'\"”’")
        if (
            len(code) >= 3
            and not words.NOT_PASSCODE.match(code)
            and (":" in match[0] or any(map(str.isdigit, code)))
        ):
            return _cite(text, match.start(group), match.start(group) + len(code))
    return None


def _find_deadline(text: str) -> CitedText | None:
    for match in islice(words.DEADLINE.finditer(text), _MOST):
        is_bare = match["at"] and words.BARE_TIME.fullmatch(match["at"])
        if is_bare and words.OTHER_DAY.match(text, match.end()):
            continue
        begin, finish = _find_sentence(text, *match.span())
        sentence = text[begin:finish]
        says_how = words.COMMENT.search(sentence) and (
            words.WAY.search(sentence) or words.TAKEN.search(sentence)
        )
        if not says_how and not words.SENT.search(sentence):
            continue
        if _is_about_comments(text, *match.span()):
            return _cite(text, *match.span(match.lastgroup or 0))
    return None


def _find_address(text: str) -> CitedText | None:
    for match in words.ADDRESS.finditer(text, 0, min(len(text), _OPENING)):
        start, end = match.span()
        begin, finish = _find_sentence(text, start, end)
        around = text[max(begin, start - 160) : min(finish, end + 60)]
        if words.PLACE.search(around) and not words.NOT_PLACE.search(around):
            return _cite(text, start, start + len(match[0].rstrip(" ,")))
    return None


def _find_hybrid(text: str) -> CitedText | None:
    if match := words.HYBRID.search(text):
        return _cite(text, *match.span())
    for match in islice(words.IN_PERSON.finditer(text), _MOST):
        begin, finish = _find_sentence(text, *match.span())
        sentence = text[begin:finish]
        if (
            words.REMOTE.search(sentence)
            and words.ATTENDS.search(sentence)
            and not words.NEGATED.search(sentence)
        ):
            return _cite(text, begin, finish)
    return None


def _find_virtual_only(text: str) -> CitedText | None:
    match = words.VIRTUAL_ONLY.search(text)
    return (
        _cite(text, match.start() + len(match[0]) - len(match[0].lstrip()), match.end())
        if match
        else None
    )


def _find_instructions(text: str) -> CitedText | None:
    least = 0
    for match in islice(words.COMMENT.finditer(text), _MOST):
        if match.start() < least:
            continue
        begin, finish = _find_sentence(text, *match.span())
        if text[finish - 1] == ":":
            finish = _find_sentence(text, min(finish + 8, len(text)), min(finish + 8, len(text)))[1]
        least = finish
        sentence = text[begin:finish]
        if len(sentence) < 30 or words.ACCOMMODATION.search(sentence):
            continue
        if words.WAY.search(sentence) and words.INVITES.search(sentence):
            return _cite(text, begin, finish)
    return None


def list_cited(participation: Participation) -> Iterator[CitedText]:
    """All values of a reading with their places, for checks against the text."""
    for value in vars(participation).values():
        if isinstance(value, CitedText):
            yield value
        elif isinstance(value, tuple):
            yield from value
