"""From which day a version of an act's page counts, according to the page itself.

A publisher says so above the first provision, or in a note of its own: `gültig ab 1.1.2026`,
`geändert durch Gesetz vom 12.12.2025 mWv 1.1.2026`, "as amended on 1 January 2026". Provisions
also quote when other acts were amended, so what they say in the middle of a line does not count.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Final

from assay.packs.regulatory.acts.law_changes import LawVersion
from assay.packs.regulatory.acts.shapes import Act, Span
from assay.packs.regulatory.acts.trees import read_passage
from assay.packs.regulatory.extractor.reader import find_days
from assay.sdk.facts import AcceptedFact, Facts, Passage, scan_dates, take_facts

_HEAD: Final = 6_000
"""Where a page ends to describe itself at the latest, if it has no provisions."""
_LONGEST_NOTE: Final = 400
_BEFORE: Final = 70
_FROM: Final = re.compile(
    r"(?<!\w)(?:mWv|m\.\s?W\.\s?v\.|mit\s+Wirkung\s+(?:vom|ab|zum)|(?:gültig|geltend|gilt|Geltung"
    r"|Fassung|Version|in\s+Kraft)\s+(?:ab|seit)|in\s+der\s+(?:ab|seit)"
    r"|with\s+effect\s+from|w\.e\.f\.|(?:in\s+force|applicable|valid|effective)\s+(?:from|since"
    r"|as\s+of|on)|effective|(?:as|last)\s+amended(?:\s+on)?|amended\s+(?:on|with\s+effect\s+from)"
    r"|consolidated\s+(?:text|version)(?:\s+(?:of|as\s+of|as\s+at))?"
    r"|(?:na\s+snazi|primjenjuje\s+se|vrijedi|važi|u\s+primjeni)\s+od|s\s+učinkom\s+od"
    r"|pročišćeni\s+tekst(?:\s+(?:zakona|na\s+snazi))?\s+(?:od|na\s+dan))"
    r"(?:\s+(?:dem|dana))?\s*:?\s{0,3}$",
    re.IGNORECASE,
)
"""Right before the first day on which the text applies."""
_STATE: Final = re.compile(
    r"(?<!\w)(?:(?:Rechts|Gesetzes)?stand(?:\s+(?:vom|am|der\s+Gesetzgebung))?"
    r"|(?:status|current|up\s+to\s+date|as)\s+(?:as\s+)?(?:of|at|to)|stanje(?:\s+na\s+dan)?)"
    r"\s*:?\s{0,3}$",
    re.IGNORECASE,
)
"""Right before a day on which the text applied: the first one, or that of printing."""
_NOTE: Final = re.compile(
    r"\W{0,4}(?:§+\s*\d\w*\W{1,3}|Art\w*\.?\s*\d\w*\W{1,3})?(?:\(?(?:zuletzt\s+|last\s+)?"
    r"(?:geänd|neu\s?gefasst|eingef(?:\.|ügt)|aufgeh|Änderung\s+durch|amended|as\s+amended"
    r"|substituted|inserted|izmij|izmj|dopun|Fassung|gültig|geltend|gilt\s+ab|in\s+der\s+(?:ab|seit)"
    r"|Geltung|Stand|Rechtsstand|Version|in\s+force|effective|consolidated|valid\s+from"
    r"|status|current|up\s+to\s+date|na\s+snazi|stanje|pročišćeni))",
    re.IGNORECASE,
)
"""How a line begins that is a note of the publisher."""
_AMENDED: Final = re.compile(
    r"(?<!\w)(?:geändert|geänd\.|Änderung\s+durch|neu\s?gefasst|amended|substituted|izmijenjen"
    r"|izmjen|dopunjen)",
    re.IGNORECASE,
)
_LATEST: Final = timedelta(days=3653)
"""A day further ahead than this is not that of a version."""


@dataclass(frozen=True, slots=True)
class VersionNotes:
    """What a version of a page says about itself."""

    days: Mapping[str, Span | None] = field(default_factory=dict)
    """The days from which it applies, each with the words that say so, if they are known."""
    states: Mapping[str, Span | None] = field(default_factory=dict)
    """The days for which it is up to date."""
    amendments: frozenset[str] = frozenset()
    """Notes that name an amendment, whether with a day or not."""
    articles: Mapping[str, str] = field(default_factory=dict)
    """The first days of single articles, by their numbers."""


@dataclass(frozen=True, slots=True)
class VersionDay:
    """From when a version of a page counts, compared with the one before."""

    day: str
    """The first day on which it surely does."""
    since: str = ""
    """If the day is not known exactly: the first day on which it may already have counted."""
    quote: Span | None = None
    """Where the page says so."""
    is_stated: bool = True
    """Whether the page says so."""
    is_noted: bool = True
    """Whether it says that it was amended. Otherwise it may have been corrected."""
    articles: Mapping[str, str] = field(default_factory=dict)
    """Articles that count from another day."""


class DatedVersion:
    """A version of an act's page that was read, with the day from which it counts."""

    def __init__(
        self, source: str, passage: Passage, first_seen: str, previous_seen: str = ""
    ) -> None:
        self.source = source
        self.passage = passage
        self.first_seen = first_seen
        self.previous_seen = previous_seen
        """The last day on which the page showed the version before it."""
        self.act: Act = read_passage(source, passage)
        self.day = VersionDay("")
        """Empty for the first version: nobody saw how it came about."""
        self._facts: tuple[AcceptedFact, ...] | None = None

    @cached_property
    def notes(self) -> VersionNotes:
        """What it says about itself."""
        return read_version_notes(self.source, self.passage, self.act)

    def list_facts(self, facts: Facts) -> tuple[AcceptedFact, ...]:
        """The facts that it states by itself."""
        if self._facts is None:
            self._facts = take_facts(self.passage, facts)
        return self._facts

    def follow(self, earlier: "DatedVersion") -> None:
        """Find the day, after an earlier version whose own day is known."""
        self.previous_seen = self.previous_seen or earlier.first_seen
        self.day = find_version_day(
            earlier.notes,
            self.notes,
            after=earlier.day.day,
            last_seen=self.previous_seen,
            first_seen=self.first_seen,
        )

    def find_day(self, path: str) -> VersionDay:
        """From when a provision counts as this version has it."""
        own = self.day.articles.get(path.split("__", 1)[0].partition("_")[2])
        return replace(self.day, day=own, since="", quote=None, is_noted=True) if own else self.day

    @property
    def opening(self) -> Span:
        """The first line of the page, to quote where nothing is left to quote."""
        return Span(
            self.source, 0, len(self.passage.reading.text[:_LONGEST_NOTE].split("\n", 1)[0])
        )


def read_version(stored: LawVersion) -> DatedVersion:
    """Read a stored version of a page; its day is yet to be found."""
    passage = stored.law.text.load_passage()
    return DatedVersion(stored.law.evidence_id, passage, stored.first_seen, stored.previous_seen)


def date_versions(versions: list[DatedVersion]) -> list[DatedVersion]:
    """Find the day of each version after the first."""
    for earlier, later in pairwise(versions):
        later.follow(earlier)
    return versions


def read_version_notes(source: str, passage: Passage, act: Act) -> VersionNotes:
    """Find what a page says about its version."""
    text = passage.reading.text
    starts = [
        span.start
        for one in act.provisions
        if one.path.startswith(("art_", "sec_"))
        for words in (one.heading, one.opening)
        for span in words.spans
    ]
    head = min(starts, default=min(len(text), _HEAD))
    days: dict[str, Span | None] = {}
    states: dict[str, Span | None] = {}
    amendments = set()
    at = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        start, at = at, at + len(line)
        words = line.strip()
        # The length comes first: the pattern of a note is for short lines.
        if not words or len(words) > _LONGEST_NOTE:
            continue
        if start >= head and _NOTE.match(words) is None:
            continue
        if _AMENDED.search(words):
            # "Last amended by" may be a label, with the act in the next line.
            following = lines[number + 1] if number + 1 < len(lines) else ""
            amendments.add(" ".join(f"{words} {following}".split()))
        lead = len(line) - len(line.lstrip())
        for found in scan_dates(line, passage.language):
            before = line[max(0, found.start - _BEFORE) : found.start]
            kinds = ((days, _FROM), (states, _STATE))
            for kept, pattern in kinds:
                if found.iso[0] != "-" and pattern.search(before):
                    kept.setdefault(found.iso, Span(source, start + lead, start + found.end))
                    break
    effect = find_days(passage)
    for day in (*effect.applied, *effect.force):
        days.setdefault(day, None)
    return VersionNotes(days, states, frozenset(amendments), dict(effect.articles))


def find_version_day(
    earlier: VersionNotes, later: VersionNotes, *, after: str, last_seen: str, first_seen: str
) -> VersionDay:
    """From when the later version counts.

    `after` is the day of the earlier one, which was seen until `last_seen`. Only what the earlier
    version did not say yet is about the change. If that names no day, the page changed somewhere
    between the two retrievals.
    """
    latest = (date.fromisoformat(first_seen) + _LATEST).isoformat()
    fresh = {d: s for d, s in later.days.items() if d not in earlier.days and after < d <= latest}
    if not fresh:
        # A page that is up to date on the day it is fetched may say so every day.
        printed = {first_seen, _add_day(first_seen, -1)}
        fresh = {
            day: span
            for day, span in later.states.items()
            if day not in earlier.states and after < day <= first_seen and day not in printed
        }
    articles = {
        number: day
        for number, day in later.articles.items()
        if earlier.articles.get(number) != day and after < day
    }
    is_noted = bool(later.amendments - earlier.amendments)
    if len(fresh) == 1:
        ((day, span),) = fresh.items()
        return VersionDay(day, quote=span, articles=articles)
    since = _add_day(last_seen, 1)
    # What replaces a version that is yet to apply does not apply before it for sure.
    day = max(first_seen, after)
    return VersionDay(
        day,
        since if since < day else "",
        is_stated=False,
        is_noted=is_noted or bool(fresh),
        articles=articles,
    )


def _add_day(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
