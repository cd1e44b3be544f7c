"""A text as a list of words, the way every cheap judgement wants it."""

import re
import unicodedata

# The capital first and what stands before it after, for that is quick to search.
_NAME = re.compile(r"[A-ZČĆŠŽĐÄÖÜ](?<=[\w,;)]\s.)\w++")
# Possessive, so that no word is read twice; a figure keeps what joins its digits.
_WORD = re.compile(r"\w++(?:[.,/:-]\d++)*+|[%‰§€$£]")


def split_words(text: str) -> list[str]:
    """The words and figures of a text in small letters, without punctuation.

    Ligatures, soft hyphens, no-break spaces and the like make no difference.
    """
    text = text.replace("\xa0", " ").replace("\xad", "")
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.lower())


def find_names(text: str) -> list[str]:
    """The words that are capital within a sentence: names, and in German all nouns."""
    return _NAME.findall(text)
