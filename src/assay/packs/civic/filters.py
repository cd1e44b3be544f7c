"""Which meetings and agenda items are set aside, and why. Nothing is thrown away."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class SkipPattern:
    """Words in a title for which something is set aside."""

    reason: str
    words: re.Pattern[str]


def _pattern(reason: str, words: str) -> SkipPattern:
    return SkipPattern(reason, re.compile(words, re.IGNORECASE))


TEST_MEETINGS: Final = (
    _pattern("test meeting", r"\b(test|mock|demo|training)\s+(meeting|agenda|session)\b"),
    _pattern("test meeting", r"^\W*(test|mock|demo)\b(?!\w)(?!\s+(of|for|results?)\b)\W*$"),
)
"""Meetings that a clerk made to try the software."""

PROCEDURAL: Final = (
    _pattern("roll call", r"^\W*(roll\s*call|call\s+to\s+order|attendance|establish\w* quorum)\b"),
    _pattern("pledge or prayer", r"\b(pledge of allegiance|invocation|moment of silence)\b"),
    _pattern("minutes", r"\b(approv\w+|accept\w*|adopt\w*|correct\w+)\b.{0,60}\bminutes\b"),
    _pattern("minutes", r"^\W*(approval of )?(the )?minutes\b"),
    _pattern("agenda", r"\b(approv\w+|adopt\w+|chang\w+|amend\w+)\b.{0,30}\bagenda\b"),
    _pattern("adjournment", r"^\W*(adjourn\w*|recess|reconvene)\b"),
    _pattern("announcements", r"^\W*(announcements?|welcome|introductions?)\W*$"),
)
"""Items about the meeting itself. Their documents are not fetched."""

CEREMONIAL: Final = (
    _pattern("proclamation", r"\b(proclamations?|proclaiming|recognizing|honoring)\b"),
    _pattern(
        "commendation", r"\b(commendations?|commending|certificates? of (appreciation|achie))"
    ),
    _pattern("appointment", r"\b(re)?appointments?\b|\b(re)?appoint(ing)?\b"),
    _pattern("liquor licence", r"\b(liquor|alcohol\w*|beer|wine) (licen[cs]es?|permits?)\b"),
    _pattern("public comment", r"^\W*(public|audience|citizens?|oral) (comments?|communications?)"),
)
"""Items that people search for but that need no analysis."""


def find_meeting_filter(title: str) -> str | None:
    """Why a meeting is not processed; None: it is."""
    return _find_reason(title, TEST_MEETINGS)


def find_fetch_filter(title: str) -> str | None:
    """Why the documents of an agenda item are not fetched; None: they are."""
    return _find_reason(title, PROCEDURAL)


def find_item_filter(title: str) -> str | None:
    """Why an agenda item is not analysed; None: it is."""
    return _find_reason(title, (*PROCEDURAL, *CEREMONIAL))


def _find_reason(title: str, patterns: tuple[SkipPattern, ...]) -> str | None:
    words = " ".join(title.split())
    return next((each.reason for each in patterns if each.words.search(words)), None)
