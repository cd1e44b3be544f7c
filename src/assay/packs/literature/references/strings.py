"""One reference as a string: its ids, year, title, authors and venue, as far as they are certain.

A field that is not certain stays empty: a wrong title sends the search for the work astray, and
an empty one does not.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from assay.packs.literature.ids import locate_ids
from assay.packs.literature.links import is_paper_url
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.parsed import clean_text, make_reference
from assay.packs.literature.references.names import read_names

_LONGEST: Final = 3000
_LABEL = re.compile(
    r"\s*(?:\[[\w+.,;:&' -]{1,40}\]|\(\d{1,4}[a-z]?\)|\d{1,4}[.)]?(?=\s+[^\d\s])|[•*·–—-])\s*\.?\s*"
)
_BROKEN_WORD = re.compile(r"(?<=[a-z]{2})[-\u00ad\u2010][ \t]*\r?\n[ \t]*(?=[a-z])")
_BROKEN_ADDRESS = re.compile(
    # An address or DOI goes on in the next line after a slash, a hyphen or an underscore.
    r"((?:https?://|\b10\.\d{4,9}/)[^\s]{0,300}?[/_-])[ \t]*\r?\n[ \t]*(?=[\w(])"
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”]{3,1000}")
_YEAR: Final = r"(?:1[5-9]\d\d|20\d\d)"
_SAME_AUTHORS = re.compile(r"(?:[-–—_―]{2,12}|[—―])\s?[.,:]?\s+(?=\S)")
_INSTITUTION = re.compile(rf"([A-Z][\w.&,’' /-]{{1,100}}?)\s\({_YEAR}[a-z]?\)[.,:]?\s")
_MONTH: Final = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Spring|Summer|Autumn|Fall)[a-z]{0,6}"
)
_YEAR_AFTER_NAMES = re.compile(
    rf"[\s.,;:]{{0,3}}[(\[]?\s?(?:c\.|ca\.|©)?({_YEAR})(?:/\d{{2,4}})?[a-z]?"
    rf"(?:, {_MONTH}\.?(?: \d\d?(?:[-–]\d\d?)?)?)?\s?[)\]]?[\s.,:;]{{0,3}}(?![-–\d])"
)
_PARENTHESISED_YEAR = re.compile(
    rf"[(\[](?:[^()\[\]\d]{{0,30}}\s)?({_YEAR})[a-z]?(?:[,.]? [^()\[\]]{{0,20}})?[)\]]"
)
_ANY_YEAR = re.compile(rf"(?<![\d.:/–-])({_YEAR})[a-z]?(?![\d–/:]|-\d|\.\d)")
_QUOTED = re.compile(
    r"[“”„«]\s?([^“”„«»]{6,500}?)\s?[”“»]|(?<![\w\"])\"([^\"]{6,500})\"|``(.{6,500}?)''|"
    r"(?<![\w‘'])[‘']([^‘’'\n]{4,200}(?:[’'][a-z][^‘’'\n]{0,200}){0,3})[’'](?=[\s,.;)])"
)
_SENTENCE_END = re.compile(
    r"(?<=[\w)”\"’'\]…%])([.?!])[”\"’']?(?=\s+\S|\s*$)|(?<=[?!])(?=\s+[A-Z])"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:vs|No|Vol|St|Dr|Mr|Mrs|al|cf|e\.g|i\.e|etc|Jr|Sr|sp|spp|var|ssp|ca|approx|Fig|"
    r"[A-Z]|Proc|Int|Conf|Univ|ed|eds|Nat|pp|vol|no|U\.S|U\.K)$"
)
_VENUE_START = re.compile(
    r"(?:In:?|in:?|Em|Dans|En)\s+(?=\S)|(?=to appear|Preprint|preprint|exhibition|"
    r"(?:[Ee]ds?|tr|trans)\. )|"
    r"(?=(?:Proc(?:eedings|\.)|IEEE|ACM|Journal|J\.|Trans(?:actions|\.)|"
    r"International (?:Journal|Conference)|Int\.|Annals|Annual|Conference|Workshop|Advances in|"
    r"Lecture Notes|LNCS|arXiv|CoRR|CVPR|ICCV|ECCV|NIPS|NeurIPS|ICML|ICLR|AAAI|IJCAI|ACL|EMNLP|"
    r"NAACL|SIGGRAPH|KDD|Phys\.|Rev\.|Nature\b|Science\b|Bull|Acta|Ph\.?D|Master|Tech(?:nical|\.)))"
)
_VENUE_IN = re.compile(r"^(?:In|Em|Dans|En|in)\b:?\s+", re.IGNORECASE)
_VENUE_END = re.compile(
    r",(?! (?:Man|and|und|et|&)\b|[^,.]{1,30},? and [A-Z])|;|\.(?=\s*(?:\d|$|\(|vol\b|pp\b|no\b))|"
    r"(?<=[a-z]{6})\.(?=\s[A-Z])|\s\(|:\s(?=\d)|\s(?=\d{1,4}(?![\w'’]))|"
    r"\s(?=(?:[Vv]ol(?:ume|\.)?|pp\.|[Nn]o\.|n°|Issue|Special Issue)(?![a-z]))"
)
_NOT_A_VENUE = re.compile(
    r"(?:Tech|TR\b|Report|Ph\.?D|Master|Issue|Unpublished|Available|Retrieved|Vol)"
)
_JOURNAL_TAIL = re.compile(
    r"^[\s,;.]{0,3}(?:\(?\d{4}\)?[a-z]?[\s,;:.]{0,3})?(?:[Vv]ol(?:ume|\.)?\s?|[Bb]d\.\s?|[Tt]\.\s?|no\.\s?)?"
    r"(?:(?!(?:1[5-9]|20)\d\d[.,;)\s])\d{1,4}|[IVXLC]{1,7}\b)\s?[\s,.;:(/–-]"
)
_AFTER_TITLE = re.compile(
    r"\s[(\[](?:[^()\[\]]{0,80}\b(?:1[5-9]\d\d|20\d\d)[^()\[\]]{0,20}|"
    r"\d\d?(?:st|nd|rd|th) ed[^()]{0,20}|"
    r"[Vv]ol[^()]{0,20}|pp?\.[^()]{0,30}|[^()]{0,60}(?:Press|Publish|Verlag|Books)[^()]{0,40})[)\]]"
)
_DATE_TAIL = re.compile(rf",? (?:\d\d? )?{_MONTH}\b|, {_YEAR}[,.;]|\.? doi\b|, v\. ?\d")
_LOWER_VENUE = re.compile(r"\s+(?:arXiv|bioRxiv|in\b)")
_PAGES = re.compile(r",\s(?:pp?\. ?)?\d{1,5}\s?[-–]{1,2}\s?\d{1,5}")
_BOOK_TAIL = re.compile(
    r"\b(?:Press|Verlag|Publish(?:er|ers|ing)|Springer|Wiley|Elsevier|University|Sons|Routledge|"
    r"Hall|McGraw|Books?|Éditions|Ed(?:s|itions?)?\.|Academic|thesis|dissertation|Report)\b"
)


@dataclass(frozen=True, slots=True)
class _Fields:
    """What was read so far, and the part of the text that is left."""

    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""
    venue: str = ""


def parse_reference_text(text: str) -> ListedReference:
    """What one reference says; its place is that of the whole text."""
    end = len(text)
    shown = _BROKEN_WORD.sub("", _BROKEN_ADDRESS.sub(r"\1", text[:_LONGEST]))
    located = locate_ids(shown)
    urls = [_trim_url(found[0]) for found in _URL.finditer(shown)]
    plain = clean_text(_URL.sub(" ", shown))
    fields = _read_fields(_LABEL.sub("", plain, count=1) if _LABEL.match(plain) else plain)
    return make_reference(
        ids={name for _, name, _ in located},
        version=max((v for _, _, v in located if v is not None), default=None),
        urls=[url for url in urls if url.startswith("http") or is_paper_url(f"https://{url}")],
        title=fields.title,
        authors=fields.authors,
        year=fields.year,
        venue=fields.venue,
        start=0,
        end=end,
    )


def _trim_url(url: str) -> str:
    """An address without the signs that follow it; its own brackets are balanced."""
    while url and (url[-1] in ".,;:>'" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _read_fields(text: str) -> _Fields:
    run = read_names(text)
    fields = _Fields()
    repeated = _SAME_AUTHORS.match(text)
    place = repeated.end() if repeated else 0
    institution = _INSTITUTION.match(text)
    if run is None and institution is not None:
        fields = replace(fields, authors=(institution[1],))
        place = institution.end(1)
    elif run is not None and (len(run.names) > 1 or run.has_more or _ends_names(text, run.end)):
        place = run.end
        if not run.are_editors:
            fields = replace(fields, authors=run.names)
    dated = _YEAR_AFTER_NAMES.match(text, place) if place else None
    if dated is not None:
        fields = replace(fields, year=int(dated[1]))
        place = dated.end()
    else:
        fields = replace(fields, year=_find_year(text, place))
    title, after = _find_title(text, place, has_names=bool(place))
    fields = replace(fields, title=title)
    if after:
        fields = replace(fields, venue=_find_venue(text[after:]))
    return fields


def _ends_names(text: str, place: int) -> bool:
    """Whether what follows a single name shows that it was one: a stop, a year, a quote."""
    return text[place - 1] == "." or bool(
        re.match(r"\s?[.,:;(]|\s\(?\d{4}|\s[“\"‘«]", text[place:])
    )


def _find_year(text: str, place: int) -> int | None:
    found = list(_PARENTHESISED_YEAR.finditer(text, place))
    if found:
        return int(found[-1][1])
    plain = re.sub(r"arXiv:?\s?\d{4}\.\d{4,5}|10\.\d{4,9}/\S+", " ", text[place:], flags=re.I)
    years = [int(each[1]) for each in _ANY_YEAR.finditer(plain)]
    return years[-1] if years else None


def _find_title(text: str, place: int, *, has_names: bool) -> tuple[str, int]:
    """The title and where it ends; empty and 0 where it is not certain."""
    quoted = _QUOTED.search(text, place, place + 600)
    if quoted is not None and (quoted.start() - place < 25 or not has_names):
        words = next(filter(None, quoted.groups())).rstrip(" ,.;")
        if len(words.split()) > 1 or len(words) > 12:
            return words, quoted.end()
    if not has_names:
        return "", 0
    start = place + len(text[place:]) - len(text[place:].lstrip(" .,:;–—-"))
    bracket = _AFTER_TITLE.search(text, start, start + 500)
    end = _find_sentence_end(text, start)
    comma = _find_comma_end(text, start, end)
    if comma:
        end = comma
    elif bracket is not None and bracket.start() < end:
        end = bracket.start()
    elif end == len(text) or _ANY_YEAR.search(text, start, end) or _PAGES.search(text, start, end):
        end = _find_plain_comma(text, start, end)
    candidate = text[start : min(end, bracket.start()) if bracket else end]
    if not _is_title(candidate):
        return "", 0
    return candidate.strip(" .,;:"), start + len(candidate)


def _find_sentence_end(text: str, start: int) -> int:
    for found in _SENTENCE_END.finditer(text, start + 3):
        end = found.start()
        if found[1] == "." and _ABBREVIATION.search(text[max(start, end - 12) : end]):
            continue
        following = text[found.end() : found.end() + 3].strip()
        if (
            found[1] == "."
            and following[:1].islower()
            and not _LOWER_VENUE.match(text, found.end())
        ):
            continue
        return found.end() if found[1] in ("?", "!") else end
    return len(text)


def _find_plain_comma(text: str, start: int, end: int) -> int:
    """The comma that ends a title, in a reference whose parts are all divided by commas."""
    for found in re.finditer(r",\s+(?=[A-Z\d]|working|unpublished|ed\.|pp)", text[start:end]):
        if len(text[start : start + found.start()].split()) > 2:
            return start + found.start()
    return end


def _find_comma_end(text: str, start: int, end: int) -> int:
    """Where a title ends at a comma, because a venue or a journal with its volume follows."""
    for found in re.finditer(r",\s+", text[start:end]):
        rest = text[start + found.end() : start + found.end() + 300]
        if found.start() < 8:
            continue
        if _VENUE_START.match(rest):
            return start + found.start()
        if re.match(r"[A-Z][\w.&: -]{2,80},?\s(?:[Vv]ol\.?\s?)?\d{1,4}\s?[,(:]", rest):
            return start + found.start()
    return 0


def _is_title(text: str) -> bool:
    """Whether words are plausible as a title: several, not names, not a venue."""
    words = text.split()
    if not 2 <= len(words) <= 60 or not 8 <= len(text) <= 400:
        return False
    if _JOURNAL_TAIL.match(text) or re.match(r"(?:In|in|pp|vol|Vol|ed|eds|Proc)\b[.: ]", text):
        return False
    if len(words) < 5 and _VENUE_START.match(text):
        return False
    letters = sum(letter.isalpha() or letter == " " for letter in text)
    return letters > 0.75 * len(text)


def _find_venue(rest: str) -> str:
    """The venue that follows a title: a journal before its volume, or what "In" names."""
    rest = rest.lstrip(" .,;:”\"’'")
    named = _VENUE_IN.match(rest)
    if named is not None:
        rest = rest[named.end() :]
        run = read_names(rest)
        if run is not None and run.are_editors:
            rest = rest[run.end :].lstrip(" .,;:")
    end = _VENUE_END.search(rest, 2)
    venue = (rest[: end.start()] if end else rest[:200]).strip(" .,;:")
    if not 2 <= len(venue) <= 150 or not venue[0].isalpha() or venue[0].islower():
        return ""
    if _NOT_A_VENUE.match(venue):
        return ""
    tail = rest[end.start() :] if end else ""
    is_journal = bool(_JOURNAL_TAIL.match(tail) or _DATE_TAIL.match(tail))
    if named is not None or is_journal or _VENUE_START.match(venue):
        is_book = bool(_BOOK_TAIL.search(venue)) and named is None
        return "" if is_book and not _JOURNAL_TAIL.match(tail) else venue
    return ""
