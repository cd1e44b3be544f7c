"""The result of reading a list, and the cleaning that all kinds of lists share."""

import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Final
from zlib import crc32

from pydantic import BaseModel, ConfigDict

from assay.packs.literature.ids import id_of_url, locate_ids, locate_url_ids
from assay.packs.literature.listed import ListedReference
from assay.sdk.errors import InvalidInput
from assay.sdk.records import normalise_url

_LONGEST_TITLE: Final = 600
_LONGEST_TEXT: Final = 20_000
_MOST_AUTHORS: Final = 500
_MOST_URLS: Final = 50
_MOST_NOTES: Final = 1000
_CHUNK: Final = 1 << 20
_LONGEST_PART: Final = 4 * _CHUNK
_YEAR = re.compile(r"(?<![\d./-])(1[89]\d\d|20\d\d)(?!\d)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_SPACE = re.compile(r"\s+")


class ListNote(BaseModel):
    """Something in a list that could not be read, and where it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: int
    """The offset in the decoded text."""
    message: str


class ParsedList(BaseModel):
    """The references of a list, in its order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    references: tuple[ListedReference, ...] = ()
    notes: tuple[ListNote, ...] = ()
    left_out: int = 0
    """How many references there were beyond the limit."""


class ReferenceCollector:
    """Gathers the references of a list up to a limit, and counts those beyond it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._references: list[ListedReference] = []
        self._notes: list[ListNote] = []
        self._left_out = 0

    @property
    def is_full(self) -> bool:
        return len(self._references) >= self._most

    def add(self, reference: ListedReference) -> None:
        if self.is_full:
            self._left_out += 1
        else:
            self._references.append(reference)

    def leave_out(self, count: int) -> None:
        """Count references beyond the limit that were not even read."""
        self._left_out += count

    def note(self, place: int, message: str) -> None:
        if len(self._notes) < _MOST_NOTES:
            self._notes.append(ListNote(place=place, message=message))

    def finish(self) -> ParsedList:
        return ParsedList(
            references=tuple(self._references),
            notes=tuple(self._notes),
            left_out=self._left_out,
        )


Texts = Callable[[], Iterable[str]]
"""The text of a whole list in parts, as often as it is called."""


@dataclass(frozen=True)
class ListWindow:
    """The part of a list that is in memory; the next piece begins somewhere inside it."""

    text: str
    is_last: bool = True
    """Whether the list ends with it. If not, what touches its end may go on, and is left to the
    next piece."""

    def ends_at(self, place: int) -> bool:
        """Whether the piece ends before the entry at this place.

        What the entry says decides, not where it is: after something was inserted near the top of
        a list, the pieces below are the same as before.
        """
        least = len(self.text) // 4
        if self.is_last or place < least:
            return False
        return place >= 2 * least or crc32(self.text[place : place + 80].encode()) % 32 == 0

    def is_cut(self, end: int) -> bool:
        """Whether what ends at this place may go on beyond the window."""
        return not self.is_last and end >= len(self.text)

    def find_last_line(self) -> int:
        """Where the last line begins; the end, if there is only one."""
        return self.text.rfind("\n") + 1 or len(self.text)


def decode_list(data: bytes) -> str:
    """The text of a list: UTF-8, UTF-16 with its mark, otherwise Latin-1's superset of Windows."""
    encoding, start = find_encoding(BytesIO(data))
    return data[start:].decode(encoding, "replace")


def find_encoding(file: BinaryIO) -> tuple[str, int]:
    """The encoding of a list, and where its text begins after a mark."""
    mark = file.read(3)
    if mark[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return ("utf-16-le" if mark[:1] == b"\xff" else "utf-16-be"), 2
    start = 3 if mark == codecs.BOM_UTF8 else 0
    # A file cut inside a letter, or with a few wrong bytes, is still UTF-8.
    try:
        for _ in read_texts(file, "utf-8", start, "strict"):
            pass
    except UnicodeDecodeError:
        counts = [
            (text.count("\ufffd"), sum(letter > "\x7f" for letter in text))
            for text in read_texts(file, "utf-8", start)
            if not text.isascii()
        ]
        if sum(wrong for wrong, _ in counts) * 20 >= sum(special for _, special in counts):
            return "cp1252", 0
    return "utf-8", start


def read_texts(
    file: BinaryIO, encoding: str, start: int, errors: str = "replace", *, until: str = ""
) -> Iterator[str]:
    """The text of a file in parts of a bounded size, each of which ends before `until`."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    file.seek(start)
    kept = ""
    while chunk := file.read(_CHUNK):
        text = kept + decoder.decode(chunk)
        cut = text.rfind(until) if until else len(text)
        if cut <= 0 and len(text) > _LONGEST_PART:
            cut = len(text)
        if cut > 0:
            yield text[:cut]
        kept = text[max(0, cut) :]
    yield kept


def clean_text(text: str, most: int = _LONGEST_TEXT) -> str:
    """Words with single spaces: no tags, entities, control characters or invisible marks."""
    text = text[: most * 4]
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if text.isascii() and text.isprintable():
        # The only space here is the blank.
        text = _SPACE.sub(" ", text) if "  " in text else text
        return text.strip()[:most].rstrip()
    kept = (
        " " if letter in "\t\r\n\v\f\u2028\u2029" else letter
        for letter in text
        if letter in "\t\r\n\v\f\u2028\u2029" or unicodedata.category(letter)[0] != "C"
    )
    return _SPACE.sub(" ", "".join(kept)).strip()[:most].rstrip()


def clean_title(title: str) -> str:
    """A title without markup around it."""
    title = clean_text(title, _LONGEST_TITLE)
    while len(title) > 1 and (title[0], title[-1]) in (("{", "}"), ('"', '"'), ("“", "”")):
        title = title[1:-1].strip()
    return title.strip(" ,;|").removesuffix(".").strip()


def find_year(text: str) -> int | None:
    """The first plausible year in a text."""
    found = _YEAR.search(text[:5000])
    return int(found[1]) if found else None


def normalise_urls(urls: Iterable[str]) -> tuple[str, ...]:
    """Addresses in one spelling, each once; what is not an address of the web is left out."""
    kept: dict[str, None] = {}
    for url in urls:
        address = html.unescape(url.strip())
        if not address.lower().startswith(("http://", "https://")) or len(address) > 2000:
            continue
        try:
            kept[normalise_url("".join(c for c in address if c.isprintable()))] = None
        except InvalidInput:
            continue
        if len(kept) == _MOST_URLS:
            break
    return tuple(kept)


def collect_ids(texts: Iterable[str], urls: Iterable[str] = ()) -> tuple[set[str], int | None]:
    """The ids in texts and addresses, and the version if one arXiv paper is named with one."""
    ids: set[str] = set()
    versions: set[int] = set()
    for text in texts:
        for _, name, version in locate_ids(text):
            ids.add(name)
            if version is not None:
                versions.add(version)
    for url in urls:
        stands_for = id_of_url(url)
        if stands_for is not None:
            ids.add(stands_for)
            versions.update(v for _, other, v in locate_url_ids(url) if other == stands_for and v)
    return ids, max(versions, default=None)


def make_reference(
    *,
    ids: Iterable[str] = (),
    version: int | None = None,
    urls: Iterable[str] = (),
    title: str = "",
    authors: Iterable[str] = (),
    year: int | None = None,
    venue: str = "",
    abstract: str = "",
    section: str = "",
    start: int,
    end: int,
) -> ListedReference:
    """A reference with all its texts cleaned; an address that stands for an id becomes the id."""
    known = set(ids)
    others: list[str] = []
    for url in urls:
        name = id_of_url(url)
        if name is None:
            others.append(url)
        else:
            known.add(name)
    has_arxiv = any(name.startswith("arxiv:") for name in known)
    names = (clean_text(author, 200).strip(" ,;") for author in authors)
    return ListedReference(
        ids=tuple(sorted(known)),
        version=version if has_arxiv else None,
        urls=normalise_urls(others),
        title=clean_title(title),
        authors=tuple(name for name in names if name)[:_MOST_AUTHORS],
        year=year,
        venue=clean_text(venue, 300).strip(" ,;"),
        abstract=clean_text(abstract),
        section=clean_text(section, 300),
        start=start,
        end=end,
    )
