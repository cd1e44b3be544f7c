"""Whether a text is text at all, and of a usable length."""

import re
from collections.abc import Sequence

MIN_LENGTH = 100
MAX_LENGTH = 500_000
MAX_BOILERPLATE = 0.7
MIN_PRINTABLE = 0.8
"""A text with a smaller share of printable characters is garbage."""
MAX_REPETITION = 0.9
"""A text that repeats itself more than this says too little to be worth reading."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ue000-\uf8ff\ufff0-\ufff8\ufffd-\uffff]"
)
_PHRASE_WORDS = 3
_MIN_WORDS = 60
"""The number of words from which repetition can be measured."""


def find_flaw(text: str, words: Sequence[str], length: int, boilerplate_ratio: float) -> str | None:
    """Why no pack should read a document; `text` and `words` are its first `MAX_LENGTH`."""
    if length < MIN_LENGTH:
        return f"too short: {length} characters, {MIN_LENGTH} are needed"
    if length > MAX_LENGTH:
        return f"too long: {length} characters, {MAX_LENGTH} are allowed"
    if boilerplate_ratio > MAX_BOILERPLATE:
        return f"{boilerplate_ratio:.0%} of it is navigation and footer"
    share = measure_printable_share(text)
    if share < MIN_PRINTABLE:
        return f"garbage: only {share:.0%} of its characters are printable"
    repeated = measure_repetition(words)
    if repeated > MAX_REPETITION:
        return f"{repeated:.0%} of it repeats what it said before"
    return None


def measure_printable_share(text: str) -> float:
    """The share of characters that a person could read."""
    if not text:
        return 1.0
    return 1.0 - len(_UNPRINTABLE.findall(text)) / len(text)


def measure_repetition(words: Sequence[str]) -> float:
    """The share of phrases that occurred earlier in the text; 0 if it cannot be too much."""
    # There are at least as many distinct phrases as distinct words that start one.
    if len(words) < _MIN_WORDS or len(set(words)) - _PHRASE_WORDS > (1.0 - MAX_REPETITION) * len(
        words
    ):
        return 0.0
    phrases = list(zip(*(words[at:] for at in range(_PHRASE_WORDS)), strict=False))
    return 1.0 - len(set(phrases)) / len(phrases)
