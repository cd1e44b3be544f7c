"""A text as a list of words, the form that every cheap check works on."""

import re
import unicodedata

# The capital comes first and what precedes it is checked after, because that is fast to search.
_NAME = re.compile(r"[A-ZČĆŠŽĐÄÖÜ](?<=[\w,;)]\s.)\w++")
# Possessive, so no word is read twice; a figure keeps the signs that join its digits.
_WORD = re.compile(r"\w++(?:[.,/:-]\d++)*+|[%‰§€$£]")


def split_words(text: str) -> list[str]:
    """The words and figures of a text in lower case, without punctuation.

    Ligatures, soft hyphens, no-break spaces and the like make no difference.
    """
    text = text.replace("\xa0", " ").replace("\xad", "")
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.lower())


def find_names(text: str) -> list[str]:
    """The words capitalized within a sentence: names, and in German all nouns."""
    return _NAME.findall(text)
