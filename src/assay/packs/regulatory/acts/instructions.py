"""The instructions of an amending act, whatever its language."""

from dataclasses import replace

from assay.packs.regulatory.acts.amending import Tradition, parse_amendments
from assay.packs.regulatory.acts.naming import (
    find_amended_name,
    find_full_name,
    make_act_key,
)
from assay.packs.regulatory.acts.shapes import Operation, UnclearInstruction
from assay.sdk.facts import Passage

_TRADITIONS: dict[str, Tradition] = {"hr": "hr", "bs": "hr", "sr": "hr", "sh": "hr", "de": "de"}
_OPENING = 20_000
_MAX_LINES = 20
"""How many lines may come before the end of the title."""


def list_instructions(source: str, passage: Passage) -> list[Operation | UnclearInstruction]:
    """All instructions of a text, in order; where they name no act, the title does."""
    found = parse_amendments(source, passage.reading.text, choose_tradition(passage))
    if all(each.instrument for each in found):
        return found
    named = _find_amended_act(passage)
    return [each if each.instrument else replace(each, instrument=named) for each in found]


def _find_amended_act(passage: Passage) -> str:
    """The act that the title names, which may follow the issuer's name and the legal basis."""
    opening = passage.reading.text[:_OPENING].splitlines()[:_MAX_LINES]
    titles = map(find_amended_name, (passage.reading.title or "", *opening))
    named = next(filter(None, titles), "")
    is_british = named and choose_tradition(passage) == "uk"
    return find_full_name(named, passage.reading.text) if is_british else named


def find_named_acts(source: str, passage: Passage, body: str = "") -> dict[str, str]:
    """The acts that a text amends: key → name as given. `body` is the town that made the text."""
    found = list_instructions(source, passage)
    return {key: each.instrument for each in found if (key := make_act_key(each.instrument, body))}


def choose_tradition(passage: Passage) -> Tradition:
    """The drafting tradition of a text, by its language and its words."""
    known = _TRADITIONS.get(passage.language)
    if known is not None:
        return known
    text = passage.reading.text[:_OPENING]
    if "CFR" in text or "Federal Register" in text:
        return "us"
    return "eu" if "Official Journal" in text or "HAS ADOPTED THIS" in text else "uk"
