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


def find_sentences(text: str) -> list[tuple[int, int]] | None:
    """Where each sentence begins and ends; `None` if that cannot be told with certainty."""
    found = []
    start = len(text) - len(text.lstrip())
    for match in _END.finditer(text):
        if match.group() == ";":
            continue
        before = text[start : match.start()]
        following = text[match.end() :].lstrip().lstrip("\"»„“‚‘'(")
        if following[:1].islower() or _ABBREVIATION.search(before):
            continue
        if match.group() == "." and re.search(r"\d$", before) and following:
            if _CITED_NUMBER.search(before) or _MONTH.match(text, match.end()):
                continue
            return None
        found.append((start, match.end()))
        rest = text[match.end() :]
        start = match.end() + len(rest) - len(rest.lstrip())
    if start < len(text.rstrip()):
        found.append((start, len(text.rstrip())))
    return found
