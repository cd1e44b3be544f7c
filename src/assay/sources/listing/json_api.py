"""Items in the responses of JSON APIs."""

import json
import re
from typing import Any
from urllib.parse import quote

from assay.errors import ContentBroken, ContentTooLarge, InvalidInput
from assay.sources.listing.builder import NO_ADDRESS, ListingBuilder, clean_title
from assay.sources.listing.dates import parse_date
from assay.sources.listing.json_paths import JsonPath, JsonPlace, parse_json_path
from assay.sources.listing.wrong_content import describe_body, format_fields, wrong_body_error

_ENVELOPES = ("items", "results", "value", "data", "records", "entries", "documents", "d", "rows")
_ADDRESSES = ("url", "link", "href", "html_url", "uri")
_FIELD = re.compile(r"\{([^{}]{1,100})\}")
_MOST_ENTRIES = 500_000
_COMPLAINTS = frozenset({"message", "error", "errors", "detail", "exceptionmessage"})


def parse_json_body(body: bytes, url: str, expected: str = "JSON") -> Any:
    """The value in a body; also if it is a string that contains JSON, as some sites send it."""
    try:
        value = json.loads(_decode_json(body))
        if isinstance(value, str):
            value = json.loads(value)
    except RecursionError as error:
        raise ContentBroken(f"The JSON from {url} is nested too deep to be read.") from error
    except ValueError as error:
        if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            raise ContentBroken(
                f"The JSON from {url} is broken: {str(error).removesuffix('.')[:120]}.",
                advice="It may have been cut short; the next check will show.",
            ) from error
        is_xml = describe_body(body).startswith("an XML")
        advice = "Request JSON with 'accept: application/json'." if is_xml else ""
        raise wrong_body_error(body, expected, url, advice) from error
    return value


def _decode_json(body: bytes) -> str:
    """JSON may arrive in UTF-8, 16 or 32, with or without a byte order mark; not always clean."""
    return body.decode(json.detect_encoding(body), errors="replace").lstrip("\ufeff \t\r\n")


def read_json_listing(body: bytes, gathering: ListingBuilder) -> tuple[Any, int]:
    """Read the entries of a response; return all of it, and the number of entries."""
    whole = parse_json_body(body, gathering.base_url)
    entries = _find_entries(whole, gathering)
    if len(entries) > _MOST_ENTRIES:
        raise ContentTooLarge(
            f"The answer from {gathering.base_url} has more than {_MOST_ENTRIES:,} entries."
        )
    for entry in entries:
        _read_entry(entry, gathering)
    if entries and not gathering.entries:
        raise ContentBroken(
            f"None of {len(entries)} entries from {gathering.base_url} has an address"
            f" (their fields: {format_fields(entries[0].value)}).",
            advice="Say where it is with 'url' or 'url_template'.",
        )
    gathering.require_addresses("the list")
    return whole, len(entries)


def _find_entries(whole: Any, gathering: ListingBuilder) -> list[JsonPlace]:
    written = gathering.options.items
    if written is None:
        return [
            JsonPlace(entry, (whole,) if isinstance(whole, dict) else ())
            for entry in _find_only_list(whole, gathering.base_url)
        ]
    path = parse_json_path(written)
    places = list(path.iter_places(JsonPlace(whole)))
    if not places and not _reaches_an_empty_list(path, whole):
        raise ContentBroken(
            f"There is nothing at {written!r} in {_describe_answer(whole)} from "
            f"{gathering.base_url}.",
            advice="The API may have changed, or responded with an error.",
        )
    entries: list[JsonPlace] = []
    for place in places:
        if isinstance(place.value, list):
            entries.extend(JsonPlace(entry, place.around) for entry in place.value)
        elif place.value is None:
            gathering.notes.append(f"{written!r} is null, which counts as an empty list")
        else:
            entries.append(place)
    return entries


def _reaches_an_empty_list(path: JsonPath, whole: Any) -> bool:
    """`a[*].b[*]` leads nowhere if a list on the way is empty, which is not an error."""
    for cut in range(len(path.steps), 0, -1):
        if path.steps[cut - 1][1] == "*":
            before = JsonPath(path.up, path.steps[: cut - 1])
            values = [place.value for place in before.iter_places(JsonPlace(whole))]
            if values and all(isinstance(value, list) for value in values):
                return not any(values)
    return False


def _find_only_list(whole: Any, url: str) -> list[Any]:
    """The list of a response without a configured path: the response itself, or its only list."""
    if isinstance(whole, list):
        return whole
    lists = {name for name, value in whole.items() if isinstance(value, list)} \
        if isinstance(whole, dict) else set()  # fmt: skip
    likely = [name for name in _ENVELOPES if name in lists] or sorted(lists)
    if len(likely) == 1:
        found: list[Any] = whole[likely[0]]
        return found
    if likely:
        raise ContentBroken(
            f"The answer from {url} has several lists: {format_fields(dict.fromkeys(likely))}.",
            advice="Say which one with 'items'.",
        )
    raise ContentBroken(
        f"There is no list in {_describe_answer(whole)} from {url}.",
        advice="Say where it is with 'items', unless this is an error of the site.",
    )


def _describe_answer(whole: Any) -> str:
    if not isinstance(whole, dict):
        return "a JSON list" if isinstance(whole, list) else "a JSON value"
    complaints = [whole[name] for name in whole if str(name).lower() in _COMPLAINTS]
    complaint = f", which says {str(complaints[0])[:100]!r}" if complaints else ""
    return f"a JSON object with the fields {format_fields(whole)}{complaint}"


def _read_entry(entry: JsonPlace, gathering: ListingBuilder) -> None:
    options = gathering.options
    if not isinstance(entry.value, dict):
        # A bare string or number gets a name, so a template can refer to it.
        entry = JsonPlace({"value": entry.value, "url": entry.value}, entry.around)
    address = _find_address(entry, gathering)
    if address is None:
        gathering.leave_out(NO_ADDRESS)
        return
    gathering.add(
        address,
        clean_title(_read_word(entry, options.title or "title")),
        parse_date(_read_word(entry, options.date), options.date_formats) if options.date else None,
        parse_date(_read_word(entry, options.changed), options.date_formats)
        if options.changed
        else None,
    )


def _find_address(entry: JsonPlace, gathering: ListingBuilder) -> str | None:
    options = gathering.options
    if options.url_template is not None:
        return fill_url_template(options.url_template, entry)
    names = (options.url,) if options.url is not None else _ADDRESSES
    for name in names:
        value = parse_json_path(name).find_first(entry)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _read_word(entry: JsonPlace, path: str | None) -> str | None:
    value = parse_json_path(path).find_first(entry) if path else None
    return str(value) if isinstance(value, str | int | float) else None


def fill_url_template(template: str, entry: JsonPlace) -> str | None:
    """Build an address from an entry's fields; None if the entry lacks one of them.

    A value is escaped, except for `{+path}`, which may contain slashes.
    """
    parts: list[str] = []
    at = 0
    for field in _FIELD.finditer(template):
        name = field.group(1)
        value = parse_json_path(name.removeprefix("+")).find_first(entry)
        if value is None or value == "" or isinstance(value, dict | list | bool):
            return None
        safe = "/:?&=@,;~" if name.startswith("+") else ""
        parts += [template[at : field.start()], quote(str(value), safe=safe)]
        at = field.end()
    return "".join(parts) + template[at:]


def check_template(template: str) -> None:
    """Refuse a template without fields, or with a field that is not a path."""
    fields = _FIELD.findall(template)
    if not fields:
        raise InvalidInput(f"{template!r} has no field: write one in braces, such as {{id}}.")
    for field in fields:
        parse_json_path(field.removeprefix("+"))
