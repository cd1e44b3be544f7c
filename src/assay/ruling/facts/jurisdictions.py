"""The country that a publisher belongs to, as far as its address shows."""

from urllib.parse import urlsplit

_OF_DOMAINS = {
    "europa.eu": "eu",
    "gov": "us",
    "mil": "us",
    "us": "us",
}
_SOLD_TO_ANYONE = frozenset(
    [
        "ac",
        "ai",
        "am",
        "as",
        "bz",
        "cc",
        "cd",
        "co",
        "cx",
        "dj",
        "eu",
        "fm",
        "gg",
        "gl",
        "gs",
        "io",
        "la",
        "ly",
        "me",
        "ms",
        "mu",
        "nu",
        "pw",
        "re",
        "sc",
        "sh",
        "so",
        "st",
        "su",
        "tk",
        "to",
        "tv",
        "vc",
        "vg",
        "ws",
    ]
)
"""Countries whose domain says nothing about a publisher, unless it is that of its government."""
_OF_GOVERNMENTS = frozenset({"gov", "gob", "gouv", "government"})


def find_country(url: str) -> str:
    """The country whose domain an address has: `hr`, `uk`, `us` or `eu`; empty if it has none."""
    labels = (urlsplit(url).hostname or "").rstrip(".").split(".")
    for known, country in _OF_DOMAINS.items():
        if labels[-known.count(".") - 1 :] == known.split("."):
            return country
    top = labels[-1]
    if len(labels) < 2 or len(top) != 2 or not top.isalpha():
        return ""
    return "" if top in _SOLD_TO_ANYONE and not _OF_GOVERNMENTS & set(labels) else top
