"""Patterns that take time in proportion to the text, whatever they are."""

import re2

MAX_PATTERN = 100
"""The most characters of a pattern."""
MAX_MEMORY = 1 << 20
"""The most bytes that one compiled pattern may take; some 128 are kept at a time."""


class PatternRefused(ValueError):
    """A pattern that is not taken; the message says why."""


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that is too long, malformed, or could not be matched in linear time."""
    if not pattern:
        raise PatternRefused("it is empty")
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"it has {len(pattern)} characters, and {MAX_PATTERN} are the most")
    try:
        re2.compile(pattern, _make_options())
    except re2.error as error:
        raise PatternRefused(_describe_error(error)) from error
    except UnicodeEncodeError as error:
        raise PatternRefused("it is no valid Unicode") from error


def matches_pattern(pattern: str, text: str) -> bool:
    """Whether the whole text fits the pattern, in any case."""
    # Half a surrogate pair has no UTF-8; it becomes a question mark rather than an error.
    data = text.encode("utf-8", "replace")
    return re2.compile(pattern, _make_options()).fullmatch(data) is not None


def _make_options() -> re2.Options:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    return options


def _describe_error(error: Exception) -> str:
    told = error.args[0] if error.args else ""
    text = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
    if text.startswith("invalid perl operator: (?"):
        return f"look-around is not possible ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1].isdigit():
        return f"back-references are not possible ({text})"
    return text or "it is malformed"
