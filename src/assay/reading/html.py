"""The visible text of an HTML page, and how much of it is furniture."""

import html
import re
from dataclasses import dataclass

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_DROPPED = re.compile(
    r"<(script|style|template|noscript)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL
)
_FURNITURE = re.compile(r"<(nav|header|footer|aside)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_TABLE_OR_LIST = re.compile(r"<(table|ol|dl)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Page:
    """What a first look at a page gives."""

    title: str | None
    text: str
    """The text without navigation, header and footer."""
    boilerplate_ratio: float
    has_structured_data: bool


def decoded(data: bytes) -> str:
    """Text in the encoding that the page names, UTF-8 by default; never an exception."""
    named = _CHARSET.search(data[:2048])
    encoding = named.group(1).decode("ascii") if named else "utf-8"
    try:
        return data.decode(encoding, errors="replace")
    except LookupError:
        return data.decode("utf-8", errors="replace")


def first_look(data: bytes) -> Page:
    """Title, main text and shape of a page, without building a tree."""
    markup = _DROPPED.sub(" ", decoded(data))
    title = _TITLE.search(markup)
    body = markup[title.end() :] if title else markup
    main = _FURNITURE.sub(" ", body)
    everything, kept = _plain(body), _plain(main)
    share = 1.0 - len(kept) / len(everything) if everything else 1.0
    return Page(
        title=_plain(title.group(1)) or None if title else None,
        text=kept,
        boilerplate_ratio=round(max(0.0, min(1.0, share)), 4),
        has_structured_data=_TABLE_OR_LIST.search(main) is not None,
    )


def _plain(markup: str) -> str:
    return _SPACE.sub(" ", html.unescape(_TAG.sub(" ", markup))).strip()
