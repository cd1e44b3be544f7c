"""Find the list in a JSON answer, and where its entries have an address, a title and a date."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from assay.sources.listing.dates import parse_date
from assay.sources.listing.json_api import parse_json_body
from assay.sources.listing.json_paths import JsonPlace, parse_json_path
from assay.sources.proposals.date_orders import find_date_order

_DEEPEST = 4
_LOOKED_AT = 50
_MOST_FIELDS = 200
_SHARE = 0.5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ADDRESS_NAMES = ("html_url", "url", "link", "href", "permalink", "insiteurl", "web", "uri",
                  "pdf", "agenda", "document", "file")  # fmt: skip
_TITLE_NAMES = (
    "title",
    "headline",
    "subject",
    "name",
    "label",
    "heading",
    "description",
    "summary",
)
_DATE_NAMES = ("publish", "published", "publication", "date", "datum", "issued", "start")
_BESIDE = re.compile(r"video|image|photo|thumb|icon|logo|avatar|player|stream")
"""What an entry has besides its document."""
_CHANGED_NAMES = ("modified", "updated", "changed", "lastmod")


@dataclass(frozen=True, slots=True)
class JsonList:
    """The list in an answer, described by paths; without an address its entries lead nowhere."""

    options: dict[str, object]
    entries: int
    fields: tuple[str, ...]
    has_addresses: bool


def find_json_list(body: bytes, url: str) -> JsonList | None:
    """The longest list of objects in an answer, preferring one whose entries have addresses."""
    found = [
        _describe_list(path, entries, url)
        for path, entries in _iter_lists(parse_json_body(body, url), "", 0)
    ]
    return max(found, key=lambda each: (each.has_addresses, each.entries), default=None)


def _iter_lists(value: Any, path: str, depth: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if isinstance(value, list):
        entries = [entry for entry in value if isinstance(entry, dict)]
        if entries and len(entries) == len(value):
            yield path, entries
    elif isinstance(value, dict) and depth < _DEEPEST:
        for name, inner in list(value.items())[:_MOST_FIELDS]:
            yield from _iter_lists(inner, _join_path(path, str(name)), depth + 1)


def _join_path(path: str, name: str) -> str:
    if _PLAIN.match(name):
        return f"{path}.{name}" if path else name
    return f'{path}["{name}"]' if '"' not in name else f"{path}['{name}']"


def _describe_list(path: str, entries: Sequence[dict[str, Any]], url: str) -> JsonList:
    sample = entries[:_LOOKED_AT]
    paths = list(dict.fromkeys(each for entry in sample for each in _iter_fields(entry, "", 0)))
    values = {each: _read_values(sample, each) for each in paths[:_MOST_FIELDS]}
    options: dict[str, object] = {"items": path} if path else {}
    address = _choose_path(values, _ADDRESS_NAMES, lambda text: _is_address(text), len(sample))
    address = address or _find_any_address(values, len(sample))
    if address is not None:
        options["url"] = address
        hosts = {urlsplit(urljoin(url, text)).hostname for text in values[address]}
        own = (urlsplit(url).hostname or "").removeprefix("www.")
        away = sorted(host for host in hosts if host and host.removeprefix("www.") != own)
        if away:
            options["hosts"] = away[:5]
    title = _choose_path(values, _TITLE_NAMES, _is_title, len(sample))
    if title is not None:
        options["title"] = title
    formats = find_date_order(each for texts in values.values() for each in texts[:5]).formats
    for option, names in (("date", _DATE_NAMES), ("changed", _CHANGED_NAMES)):
        where = _choose_path(
            values, names, lambda text: parse_date(text, formats) is not None, len(sample)
        )
        if where is not None and where not in options.values():
            options[option] = where
            if formats and not any(parse_date(text) for text in values[where]):
                options["date_formats"] = list(formats)
    return JsonList(options, len(entries), tuple(entries[0])[:20], address is not None)


def _iter_fields(entry: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    for name, value in list(entry.items())[:_MOST_FIELDS]:
        where = _join_path(path, str(name))
        if isinstance(value, dict) and depth < 1:
            yield from _iter_fields(value, where, depth + 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield where


def _read_values(sample: Sequence[dict[str, Any]], path: str) -> list[str]:
    parsed = parse_json_path(path)
    found = (parsed.find_first(JsonPlace(entry)) for entry in sample)
    return [str(value) for value in found if isinstance(value, str | int | float) and value != ""]


def _choose_path(
    values: dict[str, list[str]], names: Sequence[str], fits: Any, entries: int
) -> str | None:
    """The field whose name is the likeliest and whose values fit; outer fields come first."""
    ranked: list[tuple[int, int, int, str]] = []
    for place, (path, texts) in enumerate(values.items()):
        last = re.split(r"[.\[]", path)[-1].strip("\"']").lower()
        rank = next((number for number, name in enumerate(names) if name in last), None)
        if rank is None or _BESIDE.search(last) or not texts or len(texts) < _SHARE * entries:
            continue
        if sum(1 for text in texts if fits(text)) >= 0.8 * len(texts):
            exact = 0 if last in names else 1
            ranked.append((exact, rank, place, path))
    return min(ranked)[3] if ranked else None


def _find_any_address(values: dict[str, list[str]], entries: int) -> str | None:
    """A field with another address in every entry, whatever it is called."""
    for path, texts in values.items():
        whole = all(_is_address(text) and not text.startswith("/") for text in texts)
        if whole and len(set(texts)) == entries and not _BESIDE.search(path.lower()):
            return path
    return None


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://", "/")) and " " not in text and len(text) > 1


def _is_title(text: str) -> bool:
    return not _is_address(text) and not text.isdigit() and len(text) > 2
