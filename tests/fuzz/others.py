"""Harnesses of what clients send, and of what is shown."""

import json
from typing import Any

from pydantic import BaseModel

from assay.display import escape_controls, escape_line
from assay.errors import AssayError
from assay.sdk.web_limits import WebLimits, parse_body, refuse_large_structure
from tests.fuzz.oracles import check_error, require, run_twice

WEB_LIMITS = WebLimits()
UNSAFE = frozenset(
    [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u2028\u2029\u202a\u202b\u202c\u202d",
     *"\u202e\u2066\u2067\u2068\u2069"]
)  # fmt: skip


class AnyBody(BaseModel):
    """A body with fields of several types."""

    text: str = ""
    number: int = 0
    many: list[str] = []
    more: dict[str, Any] = {}


def check_web_body(data: bytes) -> None:
    """A request body: what the limits let through is within them, and it is parsed or refused."""
    if len(data) > WEB_LIMITS.body_bytes:
        return
    try:
        refuse_large_structure(data, WEB_LIMITS)
    except AssayError as error:
        check_error(error)
    else:
        _check_size(data)
    run_twice(lambda: parse_body(data, AnyBody, WEB_LIMITS, "Send JSON."))


def _check_size(data: bytes) -> None:
    """Python's own parser agrees that there are no more values and levels than allowed."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    levels, values = [(value, 1)], 0
    while levels:
        each, depth = levels.pop()
        values += 1
        below = list(each.values()) if isinstance(each, dict) else each
        if isinstance(below, list):
            require(depth <= WEB_LIMITS.body_depth, "depth", f"{depth} levels were let through")
            levels += [(one, depth + 1) for one in below]
    # The first value of a list is not announced by a comma.
    require(values <= 2 * WEB_LIMITS.body_values + 1, "values", f"{values} were let through")


def check_display(data: bytes) -> None:
    """Any text, shown: nothing in it moves the cursor or turns the writing around."""
    for text in (data.decode("utf-8", "surrogatepass" if _has_pairs(data) else "replace"),
                 data.decode("latin-1"), data.decode("utf-16-le", "replace")):  # fmt: skip
        line, lines = run_twice(lambda text=text: (escape_line(text), escape_controls(text)))  # type: ignore[misc]
        for shown, allowed in ((line, ""), (lines, "\t\n")):
            found = {sign for sign in shown if sign in UNSAFE or 0xD800 <= ord(sign) <= 0xDFFF}
            require(found <= set(allowed), "display", f"{sorted(map(ord, found))}")
        require(escape_line(line) == line, "display", "escaping twice changes the text")
        require(lines.count("\n") == text.count("\n"), "display", "lines were lost")
        _check_json(text)


def _has_pairs(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _check_json(text: str) -> None:
    """JSON that is shown keeps its meaning."""
    shown = escape_controls(json.dumps({"text": text}, ensure_ascii=False))
    require(json.loads(shown) == {"text": text}, "display", "JSON lost its meaning")
