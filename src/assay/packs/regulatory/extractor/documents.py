"""A document as a whole: its title, its subject, whether it amends, whether it is in force."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.extractor.blocks import Block, BlockKind
from assay.packs.regulatory.extractor.bodies import find_body
from assay.packs.regulatory.extractor.references import find_references
from assay.packs.regulatory.extractor.silences import addresses_machine, is_draft, is_example
from assay.packs.regulatory.extractor.subjects import (
    NAMELESS,
    find_mentions,
    find_subject,
    make_slug,
    names_other_levy,
)
from assay.sdk.reading import Reading

_FILE_NAME = re.compile(r"\.(?:xml|docx?|pdf|html?|txt|xlsx?)\b|%20|^[\w.-]+$", re.IGNORECASE)
_AMENDS = re.compile(
    r"(?<!\w)(?:izmjen\w{1,4}|dopun\w{1,4}|amend(?:ing|ments?)|änderung\w{0,2}"
    r"|zur\s+änderung)(?!\w)",
    re.IGNORECASE,
)
_ACT = re.compile(
    r"(?:(?:opći|novi)\s+)?(?:zakon|pravilnik|uredba|odluka|naredba|naputak|uputa|tarifa"
    r"|obavijest|information|satzung"
    r"|gesetz|verordnung|richtlinie|merkblatt|(?:\w+\s){0,6}(?:act|regulations?|order"
    r"|directive)(?!\w)|part\s+\d)",
    re.IGNORECASE,
)
_OWN_LEVY = re.compile(
    r"\b([A-ZÄÖÜ][a-zäöüß]{2,30}(?:steuer|zuschlag|abgabe|umlage))(?=gesetz|verordnung)"
)
"""`Biersteuergesetz`: a German act is named after its levy."""
_OWN_MATTER = re.compile(
    r"\w{5,40}(?:gesetz(?:buch)?|ordnung)\b|(?i:\bzakon(?:ik)?\s+o\s+\w)"
    r"|\b[A-Z][\w'’-]{2,30}\s(?:Act|Regulations|Order)(?:,|\s)\s?(?:\(\w[\w\s]{2,30}\)\s)?(?:19|20)\d\d"
)
"""The name of an act that says what it is about."""
_MANY_MATTERS = re.compile(
    r"(?i:\bfinance\b|\bbudget|jahressteuer|haushalts|\bmantel|\bporezn|\btax(?:es|ation)?\b"
    r"|\brevenue\b|izmjen|amend|änderung)"
)
"""Acts on many matters; their sentences name each."""
_KINDS_OF_LEVIES = frozenset({"trosarina"})
"""Subjects that stand for several levies; an act about one of these is about that one only."""
_OPENING = 1_500
_FIRST_LINES = 8
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """What is known about a document before its sentences are read."""

    title: str
    subject: str
    domain: str
    """Empty if the pack does not know the subject."""
    amends: bool
    is_draft: bool
    is_example: bool
    """Whether it works out an example, which means its sums apply to nobody."""
    titled: bool
    """Whether its title itself names its subject."""
    body: str = ""
    """The key of the town or county that decided, if it was one."""


def profile_document(reading: Reading, blocks: Sequence[Block]) -> DocumentProfile:
    """Find a document's subject and kind, from its title and its first lines."""
    opening = (reading.text[block.start : block.end] for block in blocks[:_FIRST_LINES])
    lines = [line for line in opening if not addresses_machine(line)]
    title = _find_title(reading, lines)
    body, named = find_body(title, lines)
    subject, domain = _find_subject(
        reading.text, title.replace(named, " ") if named else title, lines
    )
    heads = [title, *_collect_headings(reading.text, blocks[:_FIRST_LINES])]
    return DocumentProfile(
        title=title,
        subject=subject,
        domain=domain,
        amends=any(_AMENDS.search(head) for head in heads),
        is_draft=is_draft([title, *lines]),
        is_example=is_example(title),
        titled=bool(find_mentions(title))
        or names_other_levy(title)
        or bool(_OWN_LEVY.search(title))
        or _is_own_matter(title),
        body=body,
    )


def _is_own_matter(title: str) -> bool:
    """Whether an act's name says what it is about: the taxes in its sentences are not."""
    return _OWN_MATTER.search(title) is not None and _MANY_MATTERS.search(title) is None


def _strip_references(text: str) -> str:
    """Remove the provisions it refers to, which name the subjects of other acts."""
    for reference in reversed(find_references(text)):
        text = text[: reference.start] + " " + text[reference.end :]
    return text


def _collect_headings(text: str, blocks: Sequence[Block]) -> list[str]:
    found = [block for block in blocks if block.kind is BlockKind.HEADING]
    return [text[block.start : block.end] for block in found]


def _find_title(reading: Reading, lines: Sequence[str]) -> str:
    title = (reading.title or "").strip()
    if title and not (_FILE_NAME.search(title) and " " not in title):
        return title
    for place, line in enumerate(lines):
        if len(line) <= _LONGEST_NAME and _OWN_MATTER.match(line) and line[-1] != ".":
            return line
        if _ACT.match(line):
            return " ".join(lines[place : place + 3]) if make_slug(line) == NAMELESS else line
    return next((line for line in lines if len(line) > 8 and " " in line), title)


def _find_subject(text: str, title: str, lines: Sequence[str]) -> tuple[str, str]:
    """The subject that the title names, otherwise the opening, otherwise a slug of the title."""
    if not find_mentions(title) and names_other_levy(title):
        return make_slug(title), ""
    if levy := _OWN_LEVY.search(title):
        # The act may name other taxes more often, but it is not about them.
        named = [one.subject.name for one in find_mentions(levy[1])]
        if not named or (named[0] in _KINDS_OF_LEVIES and levy[1] != "Verbrauchsteuer"):
            return make_slug(levy[1]), ""
    if _is_own_matter(title) and not find_mentions(title):
        return make_slug(title), ""
    for words in (title, _strip_references(" ".join(lines)[:_OPENING])):
        if found := find_mentions(words):
            return found[0].subject.name, found[0].subject.domain
    opening = text[: 4 * _OPENING]
    subject = find_subject(opening)
    if subject is not None and len(find_mentions(opening)) >= 3:
        return subject.name, subject.domain
    return make_slug(title), ""
