"""Describe what arrived instead of the requested listing."""

import html
import json
import re

from assay.errors import ContentBroken
from assay.model.markup import decode_markup

_TITLE = re.compile(r"<title[^<>]*>([^<]{0,500})", re.IGNORECASE)
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|div|p|h1|script|table|meta)[\s>/]", re.I)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*(?::[\w.-]+)?)[\s>/]")
_PASSWORD = re.compile(r"<input[^<>]*type\s*=\s*[\"']?password", re.IGNORECASE)
_REFUSALS = (
    "access denied", "access to this page", "attention required", "just a moment", "403", "401",
    "429", "500", "502", "503", "504", "error", "forbidden", "request rejected", "not authorized",
    "unauthorized", "service unavailable", "site maintenance", "page not found", "404", "blocked",
    "security check", "are you a robot", "robot check", "pardon our interruption", "checking your",
    "human verification", "too many requests", "bad gateway", "runtime error", "server error",
    "pristup odbijen", "greška", "stranica nije pronađena", "zugriff verweigert", "fehler",
)  # fmt: skip
_LOGINS = ("log in", "login", "sign in", "sign-in", "prijava", "anmelden", "anmeldung")
_CHALLENGES = (
    "_incapsula_resource", "cf-challenge", "challenge-platform", "awswafintegration",
    "awswafcookiedomainlist", "gokuprops", "cf_chl_opt", "g-recaptcha", "h-captcha",
    "datadome", "px-captcha", "enable javascript and cookies to continue",
)  # fmt: skip
_MAGIC = {
    b"%PDF": "a PDF file",
    b"PK\x03\x04": "a ZIP file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "an Office file",
}
_LOOKED_AT = 60_000
_SHOWN = 8
_LONGEST_NAME = 60


def is_html(text: str) -> bool:
    """Whether a text is a page, or a piece of one."""
    return _HTML.search(text[:2000]) is not None


def find_page_title(text: str) -> str | None:
    """The title of a page."""
    found = _TITLE.search(text[:_LOOKED_AT])
    return " ".join(html.unescape(found.group(1)).split())[:120] or None if found else None


def describe_body(body: bytes) -> str:
    """What a body is, in a few words."""
    for magic, name in _MAGIC.items():
        if body.startswith(magic):
            return name
    text = decode_markup(body[:_LOOKED_AT]).lstrip("\ufeff \t\r\n")
    if not text:
        return "an empty answer"
    if text[0] in "{[" or text[:2] == '"{':
        return _describe_json(body)
    if text[0] == "<" and not is_html(text):
        root = _ROOT.search(text)
        return (
            f"an XML document <{_shorten_name(root.group(1))}>" if root else "something with markup"
        )
    if is_html(text):
        kind = "a login page" if find_refusal(text) == "a login page" else "an HTML page"
        title = find_page_title(text)
        return f"{kind} titled {title!r}" if title else f"{kind} without a title"
    if "\0" in text[:200]:
        return "a binary file"
    return f"plain text that begins {' '.join(text[:200].split())[:60]!r}"


def find_refusal(text: str) -> str | None:
    """What kind of refusal a page is: a login, an error, a check for robots; None if it is none."""
    title = (find_page_title(text) or "").casefold()
    head = text[:_LOOKED_AT]
    if any(word in head.casefold() for word in _CHALLENGES) and len(text) < _LOOKED_AT:
        return "a check for robots"
    if _PASSWORD.search(head) or title.startswith(_LOGINS):
        return "a login page"
    if title.startswith(_REFUSALS):
        return "a refusal"
    return None


def find_plain_refusal(text: str) -> str | None:
    """A refusal so obvious that links on the page do not make it a listing."""
    title = (find_page_title(text) or "").casefold()
    if len(text) < _LOOKED_AT and title.startswith(_REFUSALS):
        return "a refusal"
    found = find_refusal(text)
    return found if found == "a check for robots" else None


def wrong_body_error(body: bytes, expected: str, url: str, advice: str = "") -> ContentBroken:
    """The error that says what arrived instead of what the strategy reads."""
    what = describe_body(body)
    sentence = f"{what[0].upper()}{what[1:]} came instead of {expected} from {url}."
    return ContentBroken(sentence, advice=advice or _choose_advice(what))


def _choose_advice(what: str) -> str:
    if what.startswith(("an HTML", "a login", "an empty", "plain")):
        return "Open the address in a browser; the site may refuse, or the address has changed."
    return "Give the endpoint a strategy that reads this."


def format_fields(value: object) -> str:
    """The names of a JSON object's first fields; a site may make a name of a megabyte."""
    names = list(value) if isinstance(value, dict) else []
    shown = ", ".join(_shorten_name(str(name)) for name in names[:_SHOWN])
    return shown + (", …" if len(names) > _SHOWN else "") or "none"


def _shorten_name(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _describe_json(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "broken JSON"
    if isinstance(value, dict):
        return f"a JSON object with the fields {format_fields(value)}"
    return "a JSON list" if isinstance(value, list) else "a JSON value"
