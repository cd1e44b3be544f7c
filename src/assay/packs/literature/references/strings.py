"""One reference as a string: its ids, year, title, authors and venue, as far as they are certain.

A field that is not certain stays empty: a wrong title sends the search for the work astray, and
an empty one does not.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from assay.packs.literature.ids import locate_ids
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.links import is_paper_url
from assay.packs.literature.parsed import clean_text, make_reference
from assay.packs.literature.references.names import read_names

_LONGEST: Final = 3000
_LABEL = re.compile(
    r"\s*(?:\[[\w+.,;:&' -]{1,40}\]|\(\d{1,4}[a-z]?\)|\d{1,4}[.)]?(?=\s+[^\d\s])|[•*·–—-])\s*\.?\s*"
)
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”]{3,1000}")
_YEAR: Final = r"(?:1[5-9]\d\d|20\d\d)"
_YEAR_AFTER_NAMES = re.compile(
    rf"[\s.,;:]{{0,3}}[(\[]?\s?(?:c\.|ca\.|©)?({_YEAR})(?:/\d{{2,4}})?[a-z]?"
    rf"(?:, [A-Z][a-zé]+\.?(?: \d\d?(?:[-–]\d\d?)?)?)?\s?[)\]]?[\s.,:;]{{0,3}}(?![-–\d])"
)
_PARENTHESISED_YEAR = re.compile(rf"[(\[](?:[^()\[\]\d]{{0,30}}\s)?({_YEAR})[a-z]?(?:[,.]? [^()\[\]]{{0,20}})?[)\]]")  # fmt: skip # noqa: E501
_ANY_YEAR = re.compile(rf"(?<![\d.:/–-])({_YEAR})[a-z]?(?![\d–/:]|-\d|\.\d)")
_QUOTED = re.compile(
    r"[“”„«]\s?([^“”„«»]{6,500}?)\s?[”“»]|(?<![\w\"])\"([^\"]{6,500})\"|``(.{6,500}?)''|"
    r"(?<![\w‘'])[‘']([^‘’'\n]{4,200}(?:[’'][a-z][^‘’'\n]{0,200}){0,3})[’'](?=[\s,.;)])"
)
_SENTENCE_END = re.compile(r"(?<=[\w)”\"’'\]…%])([.?!])[”\"’']?(?=\s+\S|\s*$)|(?<=[?!])(?=\s+[A-Z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:vs|No|Vol|St|Dr|Mr|Mrs|al|cf|e\.g|i\.e|etc|Jr|Sr|sp|spp|var|ssp|ca|approx|Fig|"
    r"[A-Z]|Proc|Int|Conf|Univ|ed|eds|Nat|pp|vol|no|U\.S|U\.K)$"
)
_VENUE_START = re.compile(
    r"(?:In:?|in|Em|Dans|En)\s+(?=\S)|(?=(?:Proc(?:eedings|\.)|IEEE|ACM|Journal|J\.|Trans(?:actions|\.)|"
    r"International (?:Journal|Conference)|Int\.|Annals|Annual|Conference|Workshop|Advances in|"
    r"Lecture Notes|LNCS|arXiv|CoRR|CVPR|ICCV|ECCV|NIPS|NeurIPS|ICML|ICLR|AAAI|IJCAI|ACL|EMNLP|"
    r"NAACL|SIGGRAPH|KDD|Phys\.|Rev\.|Nature\b|Science\b|Bull|Acta|Ph\.?D|Master|Tech(?:nical|\.)))"
)
_VENUE_IN = re.compile(r"^(?:In|Em|Dans|En|in)\b:?\s+", re.IGNORECASE)
_VENUE_END = re.compile(
    r",|;|\.(?=\s*(?:\d|$|[A-Z(]|vol|pp|no))|\s\(|:\s|\s(?=\d)|\s(?=[Vv]ol(?:ume|\.)?\b)|\s(?=pp\.)|"
    r"\s(?=[Nn]o\.)"
)
_JOURNAL_TAIL = re.compile(
    r"^[\s,;.]{0,3}(?:\(?\d{4}\)?[a-z]?[\s,;:.]{0,3})?(?:[Vv]ol(?:ume|\.)?\s?|[Bb]d\.\s?|[Tt]\.\s?|no\.\s?)?"
    r"(?:\d{1,4}|[IVXLC]{1,7}\b)\s?[\s,.;:(/–-]"
)
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
    shown = text[:_LONGEST]
    located = locate_ids(shown)
    urls = [found[0].rstrip(".,;:)]>'") for found in _URL.finditer(shown)]
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


def _read_fields(text: str) -> _Fields:
    run = read_names(text)
    fields = _Fields()
    place = 0
    if run is not None and (len(run.names) > 1 or run.has_more or _ends_names(text, run.end)):
        place = run.end
        if not run.are_editors:
            fields = replace(fields, authors=run.names)
    dated = _YEAR_AFTER_NAMES.match(text, place) if place else None
    if dated is not None:
        fields = replace(fields, year=int(dated[1]))
        place = dated.end()
    else:
        fields = replace(fields, year=_find_year(text, place))
    title, after = _find_title(text, place, has_names=bool(place), is_dated=dated is not None)
    fields = replace(fields, title=title)
    if after:
        fields = replace(fields, venue=_find_venue(text[after:]))
    return fields


def _ends_names(text: str, place: int) -> bool:
    """Whether what follows a single name shows that it was one: a stop, a year, a quote."""
    return bool(re.match(r"\s?[.,:;(]|\s\(?\d{4}|\s[“\"‘]", text[place:]))


def _find_year(text: str, place: int) -> int | None:
    found = list(_PARENTHESISED_YEAR.finditer(text, place))
    if found:
        return int(found[-1][1])
    plain = re.sub(r"arXiv:?\s?\d{4}\.\d{4,5}|10\.\d{4,9}/\S+", " ", text[place:], flags=re.I)
    years = [int(each[1]) for each in _ANY_YEAR.finditer(plain)]
    return years[-1] if years else None


def _find_title(text: str, place: int, *, has_names: bool, is_dated: bool) -> tuple[str, int]:
    """The title and where it ends; empty and 0 where it is not certain."""
    quoted = _QUOTED.search(text, place, place + 600)
    if quoted is not None and (quoted.start() - place < 60 or not has_names):
        words = next(filter(None, quoted.groups())).rstrip(" ,.;")
        if len(words.split()) > 1 or len(words) > 12:
            return words, quoted.end()
    if not has_names:
        return "", 0
    start = place + len(text[place:]) - len(text[place:].lstrip(" .,:;–—-"))
    end = _find_sentence_end(text, start)
    candidate = text[start:end]
    comma = _find_comma_end(text, start, end, is_dated=is_dated)
    if comma:
        candidate, end = text[start:comma], comma
    if not _is_title(candidate):
        return "", 0
    return candidate.strip(" .,;:"), end


def _find_sentence_end(text: str, start: int) -> int:
    for found in _SENTENCE_END.finditer(text, start + 3):
        end = found.start()
        if found[1] == "." and _ABBREVIATION.search(text[max(start, end - 12) : end]):
            continue
        following = text[found.end() : found.end() + 3].strip()
        if following and following[0].islower() and found[1] == ".":
            continue
        return found.end() if found[1] in ("?", "!") else end
    return len(text)


def _find_comma_end(text: str, start: int, end: int, *, is_dated: bool) -> int:
    """Where a title ends at a comma, because a venue or a journal with its volume follows."""
    for found in re.finditer(r",\s+", text[start:end]):
        rest = text[start + found.end() : start + found.end() + 300]
        if found.start() < 8:
            continue
        if _VENUE_START.match(rest):
            return start + found.start()
        journal = re.match(r"[A-Z][\w.& ]{2,80}?,?\s", rest)
        if journal and re.match(r"[A-Z][\w.&: -]{2,80},?\s(?:[Vv]ol\.?\s?)?\d{1,4}\s?[,(:]", rest):
            return start + found.start()
    return 0


def _is_title(text: str) -> bool:
    """Whether words are plausible as a title: several, not names, not a venue."""
    words = text.split()
    if not 2 <= len(words) <= 60 or not 8 <= len(text) <= 400:
        return False
    if _JOURNAL_TAIL.match(text) or re.match(r"(?:In|in|pp|vol|Vol|ed|eds|Proc)\b[.: ]", text):
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
    tail = rest[end.start() :] if end else ""
    is_journal = bool(_JOURNAL_TAIL.match(tail))
    if named is not None or is_journal or _VENUE_START.match(venue):
        return "" if _BOOK_TAIL.search(venue) and not is_journal and named is None else venue
    return ""
