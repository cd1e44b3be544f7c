"""Identities: the same city, meeting, item or matter has the same id wherever it is found."""

import re
from typing import Final

from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash

_BANANA = re.compile(r"[a-z0-9]+[A-Z]{2}")
_READING = re.compile(
    r"\b(first|second|third|final|1st|2nd|3rd)\s+reading\b|\b(continued|tabled) from\b.*", re.I
)
_OFFICES = re.compile(
    r"\b(mayor|vice|pro tem(pore)?|council ?(member|woman|man|or)?|president|"
    r"chair(man|woman|person)?|commissioner|alder(man|woman|person)?|supervisor|director|trustee|"
    r"mr|mrs|ms|dr)\b\.?",
    re.IGNORECASE,
)
_NOT_LETTERS = re.compile(r"[^\w]+")
_SHORTEST_TITLE: Final = 30
_GENERIC = re.compile(
    r"^(public (hearing|comment)s?|consent (agenda|calendar)|closed session|reports?|"
    r"(new|old|unfinished|other) business|(city|town) (manager|attorney|clerk)('s)? report|"
    r"(council|board|committee|commission) (member )?(reports?|comments?)|presentations?)"
    r"\b.{0,30}$",
    re.IGNORECASE,
)


def check_banana(text: str) -> str:
    """A city's id, such as `paloaltoCA`: its name in lower case and its state in upper case."""
    if _BANANA.fullmatch(text):
        return text
    raise InvalidInput(
        f"'{text}' is not the id of a city.",
        advice="Write its name in lower case without spaces, then its state in upper case, such as "
        "'paloaltoCA'.",
    )


def derive_meeting_id(banana: str, vendor_id: str) -> str:
    """A meeting's id. It does not contain the date, because a meeting may be moved."""
    return f"{banana}_{content_hash(vendor_id.encode())[:12]}"


def derive_agenda_item_id(meeting_id: str, vendor_id: str) -> str:
    """An agenda item's id."""
    suffix = re.sub(r"[^A-Za-z0-9.-]+", "-", vendor_id).strip("-")
    return f"{meeting_id}_{suffix or content_hash(vendor_id.encode())[:12]}"


def derive_matter_id(
    banana: str, matter_file: str | None, matter_id: str | None, title: str
) -> str | None:
    """A matter's id from its public file number, else the vendor's id, else its title.

    None if an item has neither number, and its title is too short or too general to identify a
    matter.
    """
    key = matter_file or matter_id or _make_title_key(title)
    return None if key is None else f"{banana}_{'-'.join(key.split())}"


def derive_member_id(banana: str, name: str) -> str:
    """A member's id; titles such as "Councilmember" do not count."""
    words = _NOT_LETTERS.sub("-", _OFFICES.sub(" ", name).lower()).strip("-")
    return f"{banana}_{words or _NOT_LETTERS.sub('-', name.lower()).strip('-')}"


def _make_title_key(title: str) -> str | None:
    words = " ".join(_READING.sub(" ", title).lower().split()).strip(" .,:;-")
    if len(words) < _SHORTEST_TITLE or _GENERIC.match(words):
        return None
    return f"title-{content_hash(words.encode())[:16]}"
