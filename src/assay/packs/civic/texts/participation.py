"""How the public can take part in a meeting: where, on which link or number, and until when.

Each value is found by a pattern and accepted only if its own sentence, or the heading above it, says
what it is for. An address for accommodation requests or for copies of the agenda is not accepted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

_REACH: Final = 400
"""How far a sentence is followed in each direction."""
_HEADING_REACH: Final = 700
_HEAD: Final = 60_000
"""How much of a text is read: what follows in a packet are the papers of the items."""
_MOST: Final = 300
"""How many candidates of a kind are looked at."""
_OPENING: Final = 6000
"""The first part of an agenda, where it says where the meeting takes place."""

_BREAK = re.compile(
    r"[.!?;](?=[\s)\"”])|\n[ \t]*\n|\n[ \t]*(?=[•·*▪●\-–][ \t]|\(?\d{1,2}[.)][ \t]|o[ \t])"
    r"|\n(?=(?:How|To|Public|Written|Options?|Ways|Join|Submit)\b[^\n]{3,120}:[ \t]*\n)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[ap]\.m|No|St|Ave|Blvd|Rd|Dr|Mr|Mrs|Ms|Ste|Rm|ext)|\b[A-Z])$", re.I
)
_HEADING = re.compile(r"(?m)^[^\n]{3,160}:[ \t]*$")

_COMMENT = re.compile(
    r"\bcomments?\b|\bcommenting\b|\btestimony\b|\btestify\b|\bpublic input\b|\becomments?\b"
    r"|\bcommunity[- ]input\b|\baddress(?:ing)? the (?:\w+ ){0,2}(?:council|board|commission|committee)\b"
    r"|\b(?:wish|wishing|want|like|desire|sign up|register) to (?:speak|be heard)\b"
    r"|\bwritten (?:statements?|communications?|correspondence|remarks)\b"
    r"|\bread into the record\b|\bcitizens? (?:to be heard|participation)\b|\bspeak (?:at|during) \b",
    re.I,
)
_ACCOMMODATION = re.compile(
    r"\baccommodat|\bdisabilit|\bdisabled\b|\bA\.?D\.?A\.?\b|\bspecial assistance\b|\binterpret(?:er|ation)"
    r"|\balternat(?:e|ive) format|\bTTY\b|\bTDD\b|\brelay service|\bhearing[- ]impair|\btranslation\b"
    r"|\bsign language|\bauxiliary aid|\bsubscrib|\btechnical (?:support|difficult|assistance)"
)
_WAY = re.compile(
    r"\bsubmit|\be-?mail|\bsen[dt]\b|\bcall(?:ing)?\b|\bdial|\braise (?:your|a|the)|\bjoin|\bsign up|\bregister"
    r"|\bfill out|\bcomplete an?\b|\bspeaker(?:'s|’s)? (?:card|slip|form)|\bprovid|\bin writing\b|\bin person\b",
    re.I,
)
_INVITES = re.compile(
    r"\bmay\b|\bcan\b|\bshould\b|\bmust\b|\bshall\b|\bplease\b|\bare (?:encouraged|invited|asked)\b"
    r"|\bto (?:submit|provide|make|comment|speak|address)\b|\bwill be (?:accepted|received)\b|^\W*(?:By|Send|E-?mail|Submit)",
    re.I,
)

_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,30}){1,4}"
)
_URL = re.compile(
    r"\bhttps?://[^\s<>()\[\]\"“”]{4,400}"
    r"|(?<![\w@./-])(?:www\.|[a-z0-9-]{2,40}\.(?:org|gov|com|us|net)/|[a-z0-9-]{1,40}\.zoom(?:gov)?\.us/|zoom\.us/|youtube\.com/|youtu\.be/|[a-z0-9-]{1,40}\.webex\.com/)"
    r"[^\s<>()\[\]\"“”]{2,300}",
    re.I,
)
_MEETING_URL = re.compile(
    r"zoom(?:gov)?\.(?:us|com)/(?:j|w|s|my|webinar|meeting)/|webex\.com/\S*(?:meet|join|j\.php|webappng|wbxmjs|/m/|onstage)"
    r"|teams\.(?:microsoft|live)\.com/(?:l/meetup-join|meet)|goto(?:meet(?:ing)?)\.\w+/\S*\d|meet\.google\.com/\w"
    r"|bluejeans\.com/\d|meet\.goto\.com/\d|zoomgov\.com/(?:j|w)/",
    re.I,
)
_GENERIC_URL = re.compile(
    r"zoom\.us/(?:download|test|join)?/?$|support\.zoom|/download|/test/?$", re.I
)
_JOIN = re.compile(
    r"\b(?:join(?:ing)?|attend(?:ing)?|access(?:ing)?|participate|log(?:ging)? in(?:to)?|register)\b[^.]{0,80}"
    r"\b(?:virtual|zoom|webex|teams|webinar|remote(?:ly)?|online|teleconference|video ?conference)",
    re.I,
)
_STREAM_URL = re.compile(
    r"youtube\.com/|youtu\.be/|vimeo\.com/|swagit\.com/|granicus\.com/\S*(?:player|live)", re.I
)
_STREAM = re.compile(
    r"\bwatch\b|\bobserve\b|\blive[- ]?stream|\bstream(?:ed|ing)?\b|\bwebcast\b|\bbroadcast|\btelevised\b|\bview(?:ed)? (?:the )?(?:meeting|live)"
    r"|\bmeetings? (?:can|may) be viewed\b|\bview\b[^.]{0,40}\bmeeting",
    re.I,
)
_DOCUMENTS = re.compile(
    r"\bstaff reports?\b|\bagenda (?:packet|material)|\bcopies\b|\brecords?\b|\bdocuments?\b|\bagendas\b",
    re.I,
)

_PHONE = re.compile(
    r"(?<![\d-])(?:\+?1[\s.-]{0,2})?(?:\(\d{3}\)[\s.-]{0,3}|\d{3}[ .-]{1,2})\d{3}[ .-]{1,2}\d{4}(?![\d-])"
)
_DIAL = re.compile(
    r"\bdial(?:ing|[- ]?in)?\b|\bcall(?:ing)?[- ]?in\b|\bby (?:tele)?phone\b|\bphone numbers?\b|\btelephone numbers?\b"
    r"|\btoll[- ]free\b|\bjoin\b|\blisten\b|\bconference (?:call|line)\b|\bone[- ]tap\b|\bUS:|\baudio\b|\bvia (?:tele)?phone\b"
    r"|\bteleconference\b|\btelephonic",
    re.I,
)
_NOT_DIAL = re.compile(
    r"\bfax\b|\bfacsimile\b|\boffice\b|\bcontact\b|\bquestions?\b|\binformation\b|\bassistance\b|\bclerk(?:'s|’s)? at\b"
    r"|\bcall the\b|\bTTY\b|\bTDD\b|\b711\b|\brequest|\bif you need\b|\binquir|\bvoice ?mail box\b",
    re.I,
)
_CALL_TO_COMMENT = re.compile(
    r"\bcalling\b|\bleave a\b|\bby (?:tele)?phone\b|\bvoice ?mail\b", re.I
)
_MEETING_ID = re.compile(
    r"\b(?:meeting|webinar|conference|event|session)\s{1,3}(?:id|i\.d\.|number|no\.|code)(?:\s{0,2}(?:\(access code\)|number|is|[:#=])){0,3}"
    r"\s{0,3}(\d{3,4}[\s\u00a0-]{1,3}\d{3,4}[\s\u00a0-]{1,3}\d{3,4}(?:[ -]\d{1,3})?|\d{9,13})(?!\d)",
    re.I,
)
_ACCESS_CODE = re.compile(
    r"\baccess code(?:\s{0,2}(?:is|[:#=])){0,2}\s{0,3}(\d{3,4}[\s\u00a0-]{1,3}\d{3,4}[\s\u00a0-]{1,3}\d{3,4}(?:[ -]\d{1,3})?|\d{9,13})(?!\d)",
    re.I,
)
_ID_IN_URL = re.compile(r"zoom(?:gov)?\.(?:us|com)/[jw]/(\d{9,11})(?!\d)", re.I)
_PASSCODE = re.compile(
    r"\b(?:meeting |webinar |numeric |event )?(?:pass ?code|password)(?: \([a-z ]{1,30}\))?\s{0,2}(?::|=|\bis\b:?)\s{0,3}"
    r"([^\s,;()<>]{3,20})",
    re.I,
)
_NOT_PASSCODE = re.compile(
    r"(?:none|not|required|needed|the|see|if|will|when|your|this|below|as|on|n/a|requested)\W?$",
    re.I,
)
_TAKEN = re.compile(r"\breceived\b|\baccepted\b", re.I)
_SENT = re.compile(r"\be-?mail|@|\bsubmit|\bsend\b", re.I)
_CODE_BEFORE = re.compile(r"\b(?:id|code|number is)\W{0,4}\Z", re.I)
_TIME = r"(?:\d{1,2}(?::\d{2})?\s?(?:[ap]\.?\s?m\b\.?)|(?:12(?::00)? )?noon\b|midnight\b)"
_DAY = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
    r"(?:,? (?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r" \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)?"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}(?:,? \d{4})?"
    r"|(?:the )?(?:same |business )?day (?:of|before|prior to|preceding) (?:the |each )?(?:scheduled )?(?:\w+ ){0,2}meeting"
    r"|the date of the (?:\w+ ){0,2}meeting|the meeting da(?:te|y))"
)
_MEETING_BEFORE = (
    r"\s{1,3}(?:before|prior to|in advance of|preceding)\s{1,3}(?:the\s{1,3})?(?:start of )?"
    r"(?:the |each )?(?:\w+ ){0,2}?meeting(?: start(?: time)?)?"
)
_DEADLINE = re.compile(
    rf"\b(?:by|before|until|through|no later than|not later than|prior to)\s+((?:{_TIME}(?:,? ?(?:on )?{_DAY}(?:{_MEETING_BEFORE})?)?)"
    rf"|(?:{_DAY} (?:at|by) {_TIME}))"
    r"|\b((?:at least |no later than |up to )?(?:\w+ )?(?:\(\d{1,2}\) |\d{1,2}[ -])?(?:business )?(?:hours?|days?|minutes)"
    rf"{_MEETING_BEFORE})",
    re.I,
)
_STREET = (
    r"\d{1,6}[A-Z]? (?:[NSEW]\.? |North |South |East |West )?(?:\d{1,3}(?:st|nd|rd|th)|(?:[A-Z][\w.'’-]{0,25} ){0,3}[A-Z][\w.'’-]{1,25})"
    r" (?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Drive|Dr|Place|Pl|Way|Lane|Ln|Plaza|Court|Ct|Square|Parkway|Pkwy|Highway|Hwy|Circle|Terrace)\b\.?"
)
_TOWN = r"[A-Z][A-Za-z.'’ -]{1,30},? (?:[A-Z]{2}\b|California|Texas|Florida|Ohio|Washington|Oregon|Minnesota|Illinois|Colorado|Utah)(?:[ ,]{1,2}\d{5}(?:-\d{4})?)?"
_ADDRESS = re.compile(
    rf"(?<![\w#-])(?:{_STREET}(?:,? (?:[NSEW]{{1,2}}\b\.?))?(?:,?\s{{1,3}}(?:Suite|Ste\.?|Room|Rm\.?|Floor|\d{{1,2}}(?:st|nd|rd|th) Floor) ?[\w-]{{0,6}})?(?:,?\s{{1,3}}{_TOWN})?"
    rf"|\d{{1,6}} [A-Z][a-z]{{2,20}}(?: [A-Z][a-z]{{2,20}})?[ \t]{{0,2}}\n{_TOWN})"
)
_PLACE = re.compile(
    r"\bchambers?\b|\b(?:city|town|village|county|borough) hall\b|\bcivic center\b|\bboard ?room\b|\bcommunity center\b"
    r"|\b(?:meeting )?location:|\bplace:|\bwhere:|\bmeeting (?:will be|is|to be) held\b|\bin[- ]person (?:at|location)\b|\bauditorium\b"
    r"|\b(?:municipal|administration) (?:building|center)\b|\battend in person\b|\bhearing room\b",
    re.I,
)
_NOT_PLACE = re.compile(
    r"\bmail(?:ed|ing)?\b|\brecords?\b|\binspection\b|\bavailable\b|\boffice of\b|\bclerk(?:'s|’s) office\b|\bcopies\b|\bproperty\b"
    r"|\bparcel\b|\blocated at\b|\brezon|\bpermit\b|\bproject\b|\bposted\b|\bteleconferenc(?:e|ing) location|\bnot be open\b|\bclosed to\b",
    re.I,
)
_HYBRID = re.compile(
    r"\bhybrid (?:\w+ ){0,2}?(?:meetings?|format|session|hearing|basis|model)\b|\bmeetings? (?:is|are|will be)[^.\n]{0,50}\bhybrid\b|\bin a hybrid\b",
    re.I,
)
_IN_PERSON = re.compile(r"\bin[- ]person\b|\bphysically attend\b", re.I)
_REMOTE = re.compile(
    r"\bvirtual(?:ly)?\b|\bremote(?:ly)?\b|\bzoom\b|\bwebex\b|\bonline\b|\bteleconference\b|\bmicrosoft teams\b",
    re.I,
)
_ATTENDS = re.compile(r"\battend|\bparticipat|\bjoin\b|\bheld\b|\bconducted\b", re.I)
_NEGATED = re.compile(
    r"\bnot\b|\bno\b|\bclosed\b|\bsuspend|\bwithout\b|\bcannot\b|\bunable\b|\binstead of\b|\bonly\b|\bin lieu\b",
    re.I,
)
_VIRTUAL_ONLY = re.compile(
    r"\bvirtual(?:ly)?[- ]only\b|\bno physical (?:meeting )?location\b|\bheld (?:entirely |exclusively |solely |only )?(?:virtually|remotely)\b"
    r"|\b(?:fully|entirely|exclusively|solely) (?:virtual|remote|online)\b|(?m:^[ \t]*(?:THIS IS A )?VIRTUAL MEETING\b)"
    r"|\b(?:council )?chambers? (?:will (?:not be|be closed)|is closed|are closed)[^.]{0,30}\b(?:open )?to the public"
    r"|\bwill not (?:have|open) the (?:council )?chambers?\b|\bphysical meetings will not be\b"
    r"|\b(?:will be|is being) (?:held|conducted) (?:entirely |exclusively |solely |only )?(?:via|by|through|on) (?:zoom|tele-?conference|video ?conference|webex)\b"
    r"|\bin-person attendance (?:is|will) not\b"
    r"|\bwill take place (?:by|via) (?:tele-?conference|video ?conference|zoom)\b"
    r"|\bmembers\s+of\s+the\s+public\s+will\s+(?:be\s+)?participat(?:e|ing)\s+by\s+teleconference\b",
    re.I,
)


@dataclass(frozen=True)
class CitedText:
    """A value and where a text contains it."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Participation:
    """How the public can attend a meeting and comment; what the text does not say is None or empty."""

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
    for stop in _BREAK.finditer(text, begin, start):
        if text[stop.start()] != "." or not _ABBREVIATION.search(
            text, max(begin, stop.start() - 8), stop.start()
        ):
            begin = stop.end()
    finish = min(len(text), end + _REACH)
    for stop in _BREAK.finditer(text, end, finish):
        if text[stop.start()] != "." or not _ABBREVIATION.search(
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
    lines = _HEADING.findall(text, max(0, start - _HEADING_REACH), start)
    return lines[-1] if lines else ""


def _is_about_comments(text: str, start: int, end: int) -> bool:
    begin, finish = _find_sentence(text, start, end)
    sentence = text[begin:start] + " " + text[end:finish]
    if _ACCOMMODATION.search(sentence):
        return False
    heading = _find_heading(text, begin)
    return bool(
        _COMMENT.search(sentence)
        or (_COMMENT.search(heading) and not _ACCOMMODATION.search(heading))
    )


def _find_email(text: str) -> CitedText | None:
    for match in islice(_EMAIL.finditer(text), _MOST):
        if _is_about_comments(text, *match.span()):
            return _cite(text, *match.span())
    return None


def _find_virtual_url(text: str) -> CitedText | None:
    fallback: CitedText | None = None
    for match in islice(_URL.finditer(text), _MOST):
        if _GENERIC_URL.search(match[0]) or _STREAM_URL.search(match[0]):
            continue
        if _MEETING_URL.search(match[0]):
            return _cite_url(text, match)
        begin, _ = _find_sentence(text, *match.span())
        if fallback is None and _JOIN.search(text, begin, match.start()):
            fallback = _cite_url(text, match)
    return fallback


def _find_streams(text: str, virtual: CitedText | None) -> tuple[CitedText, ...]:
    found: dict[str, CitedText] = {}
    for match in islice(_URL.finditer(text), _MOST):
        address = _cite_url(text, match)
        if (
            (virtual and address.value == virtual.value)
            or _MEETING_URL.search(match[0])
            or _GENERIC_URL.search(match[0])
        ):
            continue
        begin, _ = _find_sentence(text, *match.span())
        before = text[begin : match.start()]
        if _STREAM_URL.search(match[0]) or (
            _STREAM.search(before) and not _DOCUMENTS.search(before)
        ):
            found.setdefault(address.value, address)
    return tuple(found.values())


def _find_phones(text: str) -> tuple[CitedText, ...]:
    found: dict[str, CitedText] = {}
    last_end = -1
    for match in islice(_PHONE.finditer(text), _MOST):
        start, end = match.span()
        begin, finish = _find_sentence(text, start, end)
        before = text[max(begin, start - 150) : start]
        line = text[text.rfind("\n", max(0, start - 80), start) + 1 : start]
        follows = last_end >= 0 and start - last_end <= 60 and not _NOT_DIAL.search(text, last_end, start)
        is_dial = (
            bool(_DIAL.search(before))
            or _has_meeting_id_after(text, end)
            or follows
            or bool(_DIAL.search(_find_heading(text, begin)) and len(line) < 30)
            or bool(_CALL_TO_COMMENT.search(before) and _COMMENT.search(text, begin, finish))
        )
        if (
            is_dial
            and not _NOT_DIAL.search(line if _DIAL.search(line) else before)
            and not _ACCOMMODATION.search(before + text[end : end + 40].partition("\n")[0])
            and not _CODE_BEFORE.search(before)
        ):
            found.setdefault(re.sub(r"\D", "", match[0])[-10:], _cite(text, start, end))
            last_end = end
    return tuple(found.values())


def _has_meeting_id_after(text: str, end: int) -> bool:
    return bool(
        _MEETING_ID.search(text, end, min(len(text), end + 90))
        or _ACCESS_CODE.search(text, end, min(len(text), end + 60))
    )


def _find_meeting_id(text: str) -> CitedText | None:
    for pattern in (_MEETING_ID, _ACCESS_CODE, _ID_IN_URL):
        for match in pattern.finditer(text):
            if 9 <= sum(map(str.isdigit, match[1])) <= 13:
                return _cite(text, *match.span(1))
    return None


def _find_passcode(text: str) -> CitedText | None:
    for match in _PASSCODE.finditer(text):
        code = match[1].rstrip(".'\"”’")
        if (
            len(code) >= 3
            and not _NOT_PASSCODE.match(code)
            and (":" in match[0] or any(map(str.isdigit, code)))
        ):
            return _cite(text, match.start(1), match.start(1) + len(code))
    return None


def _find_deadline(text: str) -> CitedText | None:
    for match in islice(_DEADLINE.finditer(text), _MOST):
        begin, finish = _find_sentence(text, *match.span())
        sentence = text[begin:finish]
        says_how = _COMMENT.search(sentence) and (_WAY.search(sentence) or _TAKEN.search(sentence))
        if not says_how and not _SENT.search(sentence):
            continue
        if _is_about_comments(text, *match.span()):
            group = 1 if match[1] else 2
            return _cite(text, *match.span(group))
    return None


def _find_address(text: str) -> CitedText | None:
    for match in _ADDRESS.finditer(text, 0, min(len(text), _OPENING)):
        start, end = match.span()
        begin, finish = _find_sentence(text, start, end)
        around = text[max(begin, start - 160) : min(finish, end + 60)]
        if _PLACE.search(around) and not _NOT_PLACE.search(around):
            return _cite(text, start, start + len(match[0].rstrip(" ,")))
    return None


def _find_hybrid(text: str) -> CitedText | None:
    if match := _HYBRID.search(text):
        return _cite(text, *match.span())
    for match in islice(_IN_PERSON.finditer(text), _MOST):
        begin, finish = _find_sentence(text, *match.span())
        sentence = text[begin:finish]
        if _REMOTE.search(sentence) and _ATTENDS.search(sentence) and not _NEGATED.search(sentence):
            return _cite(text, begin, finish)
    return None


def _find_virtual_only(text: str) -> CitedText | None:
    match = _VIRTUAL_ONLY.search(text)
    return (
        _cite(text, match.start() + len(match[0]) - len(match[0].lstrip()), match.end())
        if match
        else None
    )


def _find_instructions(text: str) -> CitedText | None:
    least = 0
    for match in islice(_COMMENT.finditer(text), _MOST):
        if match.start() < least:
            continue
        begin, finish = _find_sentence(text, *match.span())
        if text[finish - 1] == ":":
            finish = _find_sentence(text, min(finish + 8, len(text)), min(finish + 8, len(text)))[1]
        least = finish
        sentence = text[begin:finish]
        if len(sentence) < 30 or _ACCOMMODATION.search(sentence):
            continue
        if _WAY.search(sentence) and _INVITES.search(sentence):
            return _cite(text, begin, finish)
    return None


def list_cited(participation: Participation) -> Iterator[CitedText]:
    """All values of a reading with their places, for checks against the text."""
    for value in vars(participation).values():
        if isinstance(value, CitedText):
            yield value
        elif isinstance(value, tuple):
            yield from value
