"""How wrong a text is: the character error rate."""

import unicodedata


def folded(text: str) -> str:
    """The text in composed form, with any white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def distance(truth: str, read: str) -> int:
    """How many characters must be put in, taken out or changed to make one of the other.

    Bit-parallel: each bit of two whole numbers says whether the distance rises or falls from one
    character of the truth to the next, and a character of the other text updates all at once.
    """
    if not truth:
        return len(read)
    everywhere, last = (1 << len(truth)) - 1, 1 << (len(truth) - 1)
    places: dict[str, int] = {}
    for place, character in enumerate(truth):
        places[character] = places.get(character, 0) | 1 << place
    rises, falls, found = everywhere, 0, len(truth)
    for character in read:
        same = places.get(character, 0)
        level = same | falls
        across = (((same & rises) + rises) ^ rises) | same
        up = falls | (~(across | rises) & everywhere)
        down = rises & across
        found += bool(up & last) - bool(down & last)
        up = (up << 1 | 1) & everywhere
        rises = ((down << 1) & everywhere) | (~(level | up) & everywhere)
        falls = up & level
    return found
