"""Text that may be shown: on a terminal, in a log line, in a file that people open.

Documents, file names and servers are not trusted. In what they say, control characters can move the
cursor, rename the window or erase a line, and bidirectional overrides let a text read differently
from what it is. Everything that is shown passes through here.
"""

import re

# All of C0 and C1 but tab and line feed; embeddings, overrides and isolates; the line separators of
# Unicode; halves of surrogate pairs, which nothing can encode. The marks that only give a direction
# to the sign next to them (U+200E, U+200F, U+061C) are part of Arabic and Hebrew texts, and stay.
_SIGNS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE = re.compile(f"[{_SIGNS}]")
_UNSAFE_IN_LINE = re.compile(f"[\\t\\n{_SIGNS}]")


def escape_controls(text: str) -> str:
    """The text with its control characters written out, such as `\\u001b`; lines stay lines.

    That is also how JSON writes them, so a JSON text keeps its meaning.
    """
    return _UNSAFE.sub(_write_out, text)


def escape_line(text: str) -> str:
    """The text on one line: a line break in it must not begin a line that somebody trusts."""
    return _UNSAFE_IN_LINE.sub(_write_out, text)


def _write_out(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign.group()):04x}"
