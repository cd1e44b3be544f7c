"""How the doubles count: one token is one whitespace-separated word.

No real model counts like this, but it lets tests calculate exactly.
"""

import re
from itertools import pairwise

from assay.llm.messages import ModelRequest

_WORD = re.compile(r"\s*\S+\s*")


def count_tokens(*texts: str) -> int:
    """The number of words in all texts together."""
    return sum(len(text.split()) for text in texts)


def split_words(text: str) -> list[str]:
    """The text in pieces of one word each, with the surrounding space; joined they are the text."""
    return _WORD.findall(text) or ([text] if text else [])


def split_pieces(text: str, pieces: int) -> list[str]:
    """The text in that many pieces of nearly equal length; fewer if it has fewer characters."""
    pieces = max(1, min(pieces, len(text)))
    edges = [len(text) * n // pieces for n in range(pieces + 1)]
    return [text[start:end] for start, end in pairwise(edges) if end > start]


def split_by_length(text: str, length: int) -> list[str]:
    """The text in pieces of that many characters."""
    return [text[start : start + length] for start in range(0, len(text), length)]


def take_words(text: str, words: int) -> str:
    """The text up to its n-th word, or the whole text if it has no more."""
    split = split_words(text)
    return text if len(split) <= words else "".join(split[:words]).rstrip()


def make_words(words: int) -> str:
    """A text of that many words: `w1 w2 w3`."""
    return " ".join(f"w{n}" for n in range(1, words + 1))


class WordEstimator:
    """Counts one token per word, both sent and received; it has nothing to learn."""

    def raw_prompt(self, request: ModelRequest) -> int:
        return count_tokens(request.system, request.user)

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        return raw

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        return count_tokens(text)

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        """Does nothing, because the count is exact."""
