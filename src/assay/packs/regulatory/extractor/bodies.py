"""The body that made a decision: a town or a county, whose rules hold nowhere else."""

import re
from collections.abc import Iterable

from assay.packs.regulatory.extractor.kinds import strip_marks

_NAME = r"[A-ZČĆŠŽĐÄÖÜ][\w'’-]*"
_NO_NAME = r"(?!Članak|Article|Artikel|Municipal|Code|Council|Ordinance)"
_NAMES = rf"(?P<name>{_NAME}(?:[ \t]{_NO_NAME}{_NAME}){{0,2}})"
_OF_KIND = re.compile(
    r"(?<!\w)(?:(?i:grad[au]?|općin[aeiu]|županij[aeiu]|gradsk\w{1,3}\s+vijeć\w{1,2}\s+grada"
    r"|gemeinde|markt|(?:landes|haupt)?stadt|kreisstadt|landkreis(?:es)?|(?:city|town|village"
    rf"|borough|county|township|parish|municipality)[ \t]of))[ \t]{_NAMES}"
    r"|(?<!\w)(?:Borough|District|Ward|Gemeinde|Bezirk)[ \t](?P<number>\d{1,5})(?!\w)"
)
_ENGLISH = re.compile(
    rf"(?<!\w){_NAMES}[ \t](?:City|Town|County|Borough|District|Parish)[ \t]Council(?!\w)"
)
_AT_END = re.compile(
    rf"^(?:decision|ordinance|by-?law|resolution)(?!\w).{{0,200}}\sof[ \t](?-i:{_NAMES})\s*$",
    re.IGNORECASE | re.DOTALL,
)
_NO_BODY = frozenset(
    [
        "parliament",
        "council",
        "commission",
        "ministers",
        "government",
        "president",
        "republic",
        "union",
        "state",
        "america",
        "europe",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)

_LONGEST_HEADING = 60
"""A line above the title that names who decided is short; a sentence may name any town."""


def find_body(title: str, lines: Iterable[str] = ()) -> tuple[str, str]:
    """The key of the body that decided, and its words in the title; both may be empty."""
    for pattern in (_OF_KIND, _ENGLISH, _AT_END):
        found = pattern.search(title)
        if found and (key := _make_key(found)):
            start = found.start("name") if pattern is _AT_END else found.start()
            return key, title[start : found.end()]
    for line in lines:
        if len(line) > _LONGEST_HEADING:
            continue
        found = _OF_KIND.match(line) or _ENGLISH.match(line)
        if found and (key := _make_key(found)):
            return key, ""
    return "", ""


def _make_key(found: re.Match[str]) -> str:
    parts = found.groupdict()
    if parts.get("number"):
        return "_".join(found[0].lower().split())
    name = str(parts["name"])
    if name.casefold() in _NO_BODY:
        return ""
    # `Grada Splita` is `Grad Split`.
    return "_".join(strip_marks(word).rstrip("aeiou") or word for word in name.split())
