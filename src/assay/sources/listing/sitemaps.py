"""Sitemaps and sitemap indexes, read as they arrive: any size, in constant memory.

One entry that is not XML does not hide the others: it is repaired if an `&` was not escaped,
otherwise left out and counted, and reading continues after it.
"""

import re
from xml.parsers import expat

from assay.errors import ContentBroken
from assay.sources.decompression import GzipUnpacker
from assay.sources.listing.builder import NO_ADDRESS, UNREADABLE, ListingBuilder, clean_title
from assay.sources.listing.dates import parse_date
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.results import ListedItem, ListingPart
from assay.sources.listing.wrong_content import wrong_body_error
from assay.sources.listing.xml_events import XmlEvents, escape_ampersands

MAX_UNPACKED = 2_000_000_000
_ENTRY = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:url|sitemap)[\s>]")
_CLOSING = re.compile(rb"</(?:[\w.-]{1,40}:)?(?:url|sitemap)\s{0,20}>")
_ROOT_CLOSING = re.compile(rb"</(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex)\s{0,20}>")
_BLANK = b"\xef\xbb\xbf \t\r\n"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_HEAD = 1024
_LONGEST_BLANK = 100_000
_LONGEST_ENTRY = 1_000_000
_MOST_REPAIRS = 1000
_BROKEN = "is in an entry that is not well-formed|are in entries that are not well-formed"
_MENDED = "was mended: it has a bare '&'|were mended: they have a bare '&'"


class SitemapReader:
    """Takes the bytes of a sitemap as they arrive, and returns what each piece contains.

    Only the current entry is kept, so an address that is listed twice is returned twice.
    Without a `gathering`, `feed` and `close` return what was found.
    """

    def __init__(
        self,
        base_url: str,
        options: ListingOptions | None = None,
        *,
        gathering: ListingBuilder | None = None,
        max_bytes: int = MAX_UNPACKED,
    ) -> None:
        self._out: list[ListedItem | ListingPart] = []
        self._gathering = gathering or ListingBuilder(
            base_url, options or ListingOptions(), keep=self._out.append
        )
        self._unpacker = GzipUnpacker(max_bytes)
        self._head = b""
        self._events: XmlEvents | None = None
        self._is_text = False
        self._root: str | None = None
        self._ended = False
        self._recent = b""
        """What arrived since the current entry began; also an unfinished line."""
        self._recent_at = 0
        self._entry_at: int | None = None
        self._broken = False
        self._repairs = 0
        self._wide = False
        self._fields: dict[str, str] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left out so far, and why."""
        return self._gathering.warnings

    def feed(self, data: bytes) -> list[ListedItem | ListingPart]:
        """Read the next bytes; return what they contain."""
        for piece in self._unpacker.feed(data):
            self._take(piece)
        return self._take_found()

    def close(self) -> list[ListedItem | ListingPart]:
        """Return what was left at the end; raise if this was not a sitemap, or had no address."""
        if self._events is None and not self._is_text:
            self._begin(self._head)
        if self._is_text:
            self._read_lines(b"\n")
        elif self._root is None:
            raise self._wrong_content_error()
        elif not self._ended or self._unpacker.is_cut:
            self._end_cut_file()
        self._gathering.require_addresses("the sitemap")
        return self._take_found()

    def _take_found(self) -> list[ListedItem | ListingPart]:
        given = self._out[:]
        self._out.clear()
        return given

    def _take(self, data: bytes) -> None:
        if self._events is None and not self._is_text:
            self._head += data
            if len(self._head.lstrip(_BLANK)) < _HEAD and len(self._head) < _LONGEST_BLANK:
                return
            self._begin(self._head)
        elif self._is_text:
            self._read_lines(data)
        elif not self._ended:
            self._parse(data)

    def _begin(self, data: bytes) -> None:
        """Decide by the first bytes what this is."""
        self._wide = data.startswith(_WIDE)
        clean = data if self._wide else data.lstrip(_BLANK)
        if clean[:8].lower().startswith((b"http://", b"https://")):
            self._is_text = True
            self._read_lines(clean)
        elif clean.startswith(b"<") or self._wide:
            self._events = XmlEvents(self._start, self._end)
            self._parse(clean)
        else:
            raise self._wrong_content_error()

    def _read_lines(self, data: bytes) -> None:
        """Read a plain-text sitemap, one address per line."""
        *lines, self._recent = (self._recent + data).split(b"\n")
        if len(self._recent) > _LONGEST_ENTRY:
            raise ContentBroken(f"The text sitemap at {self._url} has a line of over 1 MB.")
        for line in lines:
            written = line.decode("utf-8", "replace").strip()
            if written.lower().startswith(("http://", "https://")):
                self._gathering.add(written)
            elif written:
                self._gathering.leave_out(UNREADABLE, example=repr(written[:80]))

    def _parse(self, data: bytes) -> None:
        if self._broken:
            self._recent += data
        else:
            self._give(data)
        while self._broken and not self._ended:
            rest = self._find_rest()
            if rest is None:
                return
            self._reopen()
            self._give(rest)

    def _give(self, data: bytes) -> None:
        """Let the parser read on, and keep what arrived since the current entry began."""
        assert self._events is not None
        self._recent += data
        try:
            self._events.feed(data)
        except expat.ExpatError as error:
            self._handle_break(error)
        begin = self._events.at if self._entry_at is None else self._entry_at
        if begin > self._recent_at:
            self._recent = self._recent[begin - self._recent_at :]
            self._recent_at = begin

    def _handle_break(self, error: expat.ExpatError) -> None:
        """Something is not XML, which is only tolerated inside a sitemap, and a limited number of
        times."""
        if self._root is None or self._wide:
            raise self._wrong_content_error() from error
        self._broken = True
        self._repairs += 1
        if self._repairs > _MOST_REPAIRS:
            raise ContentBroken(
                f"The sitemap at {self._url} is broken in more than {_MOST_REPAIRS} places."
            ) from error

    def _find_rest(self) -> bytes | None:
        """What follows the broken piece; None until its end has arrived."""
        found = (_CLOSING if self._entry_at is not None else _ENTRY).search(self._recent)
        closing = _ROOT_CLOSING.search(self._recent) if self._entry_at is None else None
        if closing is not None and (found is None or closing.start() < found.start()):
            # The end counts even if more has already arrived: how a file is cut into pieces must
            # not decide what is in it.
            self._ended = True
            return None
        if found is None:
            if len(self._recent) > _LONGEST_ENTRY:
                raise ContentBroken(f"The sitemap at {self._url} is broken for more than 1 MB.")
            return None
        if self._entry_at is None:
            return self._recent[found.start() :]
        self._mend(self._recent[: found.end()])
        return self._recent[found.end() :]

    def _reopen(self) -> None:
        """Start again after a broken piece, as if the file began there."""
        root = b"<urlset>"
        encoding = self._events.encoding if self._events else None
        self._events = XmlEvents(self._start, self._end, encoding=encoding)
        self._events.feed(root)
        self._recent, self._recent_at = b"", len(root)
        self._entry_at = None
        self._broken = False

    def _mend(self, entry: bytes) -> None:
        """Read one entry separately, with its ampersands escaped."""
        encoding = self._events.encoding if self._events else None
        self._fields = {}
        alone = XmlEvents(self._start, self._end, encoding=encoding)
        try:
            alone.feed(b"<urlset>" + escape_ampersands(entry) + b"</urlset>", last=True)
        except expat.ExpatError:
            self._gathering.leave_out(_BROKEN)
        else:
            self._gathering.leave_out(_MENDED)
        self._ended = False

    def _start(self, path: list[str], _attributes: dict[str, str]) -> None:
        depth = len(path)
        if depth == 2:
            self._fields = {}
            if path[1] in ("url", "sitemap") and self._events is not None:
                self._entry_at = self._events.at
        elif depth == 1:
            if path[0] not in ("urlset", "sitemapindex"):
                raise self._wrong_content_error()
            self._root = path[0]

    def _end(self, path: list[str], text: str) -> None:
        depth = len(path)
        if depth == 3:
            # Only the entry's own: an image inside it has an address too, but is not a document.
            self._fields.setdefault(path[2], text)
        elif depth == 4 and path[2] == "news":
            self._fields.setdefault(f"news:{path[3]}", text)
        elif depth == 2:
            self._entry_at = None
            if path[1] in ("url", "sitemap"):
                self._add_entry(path[1])
        elif depth == 1:
            self._ended = True

    def _add_entry(self, kind: str) -> None:
        fields = self._fields
        address = fields.get("loc", "").strip()
        changed = parse_date(fields.get("lastmod"))
        if not address:
            self._gathering.leave_out(NO_ADDRESS)
        elif kind == "sitemap":
            self._gathering.add_part(address, changed)
        else:
            published = parse_date(fields.get("news:publication_date"))
            self._gathering.add(address, clean_title(fields.get("news:title")), published, changed)

    def _end_cut_file(self) -> None:
        """The file is truncated: keep what was read, and say so."""
        if not self._gathering.kept:
            raise ContentBroken(
                f"The sitemap at {self._url} is cut short before its first address.",
                advice="The next check will show whether it is complete again.",
            )
        self._gathering.notes.append("the sitemap is cut off; it may have contained more")

    @property
    def _url(self) -> str:
        return self._gathering.base_url

    def _wrong_content_error(self) -> ContentBroken:
        return wrong_body_error(self._head, "a sitemap", self._url)
