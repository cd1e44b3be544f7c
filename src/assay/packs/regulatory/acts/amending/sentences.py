"""The sentences of a provision, for instructions such as "in Satz 2"."""

import re

_END = re.compile(r"[.!?;](?=\s+[\"»„“‚‘'(]*[^\W\d_])|[.!?](?=\s*$)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-zÄÖÜäöüČĆĐŠŽčćđšž]|Nr|Abs|Art|Buchst|bzw|gem|ggf|vgl|Kap|sog|usw|evtl|"
    r"einschl|insb|Mio|Mrd|St|Ziff|Bd|ff|br|čl|st|toč|podtoč|tzv|npr|odn|itd|sl|str|reg|ss|para|"
    r"paras|No|Nos|Art|Mr|Ms|Inc|Co|Corp|vs|cf|seq|U\.S|i\.e|e\.g)$"
)
_CITED_NUMBER = re.compile(
    r"(?:član\w*|stav\w*|točk\w*|podtočk\w*|alinej\w*|br|broj\w*|Nr|Nummer|Absatz|"
    r"Satz|§|Artikel|dana|"
    r"od|do|i|ili|te|bis|und|vom|am|zum|ab)\.?\s+\d+[a-z]?$",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)


_OPENING_MARKS = frozenset("\"»„“‚‘'(")
_NEAR = 60
"""How far before its full stop a sentence shows whether it ends there."""


def _skip_spaces(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def find_sentences(text: str) -> list[tuple[int, int]] | None:
    """Where each sentence begins and ends; `None` if that cannot be determined with certainty."""
    found = []
    start = len(text) - len(text.lstrip())
    for match in _END.finditer(text):
        if match.group() == ";":
            continue
        before = text[max(start, match.start() - _NEAR) : match.start()]
        at = _skip_spaces(text, match.end())
        while text[at : at + 1] in _OPENING_MARKS:
            at += 1
        following = text[at : at + 1]
        if following.islower() or _ABBREVIATION.search(before):
            continue
        if match.group() == "." and re.search(r"\d$", before) and following:
            if _CITED_NUMBER.search(before) or _MONTH.match(text, match.end()):
                continue
            return None
        found.append((start, match.end()))
        start = _skip_spaces(text, match.end())
    if start < len(text.rstrip()):
        found.append((start, len(text.rstrip())))
    return found
