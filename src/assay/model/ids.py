"""Ids that come out the same wherever and whenever they are made."""

import difflib
import secrets
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from assay.clock import utc_stamp
from assay.errors import InvalidInput
from assay.model.hashes import content_hash

_DEFAULT_PORTS = {"http": 80, "https": 443}
_FILE_SCHEME = "file:"
_PLAIN_IN_PATH = "/%:@!$&'()*+,;=~"


def derive_id(prefix: str, *parts: str) -> str:
    """An id computed from its parts; no part can run into the next."""
    # Doubling the separator would not do: "a\x1f" + "b" and "a" + "\x1fb" would be the same.
    joined = "\x1f".join(part.replace("\x1e", "\x1e0").replace("\x1f", "\x1e1") for part in parts)
    return f"{prefix}_{content_hash(joined.encode())[:24]}"


def normalise_url(url: str) -> str:
    """One spelling of an address: lower-case host, no default port, no fragment, sorted query."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"{url!r} is not an address: {error}.") from error
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower().rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    path = quote(parts.path or "/", safe=_PLAIN_IN_PATH)
    # Escaped bytes that are not UTF-8 must survive unchanged, or two addresses become one.
    errors = "surrogateescape"
    fields = parse_qsl(parts.query, keep_blank_values=True, errors=errors)
    return urlunsplit((scheme, host, path, urlencode(sorted(fields), errors=errors), ""))


def doc_id_of_url(url: str) -> str:
    """The id of a document that has no better name than its address."""
    return f"url:{content_hash(normalise_url(url).encode())}"


def make_file_url(source: str, name: str) -> str:
    """The address of a file that a person added, by its name in a source."""
    return f"{_FILE_SCHEME}{quote(source, safe='')}/{quote(name, safe='')}"


def is_by_hand(url: str) -> bool:
    """Whether a person added what is at an address; then it is read without judging its worth."""
    return url.startswith(_FILE_SCHEME)


def derive_evidence_id(url: str, hash_of_content: str) -> str:
    """The id of one fetched version of something, unique by address and content."""
    return derive_id("ev", url, hash_of_content)


def suggest_name(name: str, known: Iterable[str]) -> str:
    """'Did you mean 'fetch'? ' for a mistyped name; empty if none is similar."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean '{near[0]}'? " if near else ""


def derive_item_id(endpoint_id: str, url: str) -> str:
    return derive_id("it", endpoint_id, url)


def make_run_id(now_ms: int) -> str:
    """The current time, with a suffix that makes it unique."""
    return f"{utc_stamp(now_ms)}-{secrets.token_hex(3)}"
