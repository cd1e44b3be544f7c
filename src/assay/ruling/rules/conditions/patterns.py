"""Regular expressions whose matching time is linear in the length of the text."""

import re2

MAX_PATTERN = 100
"""The maximum length of a pattern."""
MAX_MEMORY = 1 << 20
"""The maximum size of a compiled pattern in bytes; about 128 are cached at a time."""


class PatternRefused(ValueError):
    """A pattern that is not accepted; the message says why."""


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that is too long, malformed, or cannot be matched in linear time."""
    if not pattern:
        raise PatternRefused("it is empty")
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"it has {len(pattern)} characters; at most {MAX_PATTERN} are allowed")
    try:
        re2.compile(pattern, _make_options())
    except re2.error as error:
        raise PatternRefused(_describe_error(error)) from error
    except UnicodeEncodeError as error:
        raise PatternRefused("it is not valid Unicode") from error


def matches_pattern(pattern: str, text: str) -> bool:
    """Whether the whole text matches the pattern, ignoring case."""
    # A lone surrogate cannot be encoded; it becomes a question mark rather than an error.
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
    message = error.args[0] if error.args else ""
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    if text.startswith("invalid perl operator: (?"):
        return f"look-around is not possible ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1].isdigit():
        return f"back-references are not possible ({text})"
    return text or "it is malformed"
