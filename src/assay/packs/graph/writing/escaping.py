"""Words between quotation marks, so that every reader finds the same words again."""

import re

HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
"""What an editor would not show, or would take for the end of a line or for another direction."""
_SPECIAL = re.compile(r'["\\\x00-\x1f]|' + HIDDEN.pattern)
_SHORT = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}


def quoted(words: str) -> str:
    """A string of Turtle and N-Triples; what needs no escape is left as it is."""
    return f'"{_SPECIAL.sub(_escape, words)}"'


def shown(written: str) -> str:
    """JSON in which what an editor would not show is escaped."""
    return HIDDEN.sub(_escape, written)


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return _SHORT.get(character) or f"\\u{ord(character):04X}"
