"""Compare two versions of an act provision by provision, and find the period of each wording.

A publisher consolidates an act in place: the page of today replaces that of yesterday. What did
not change keeps its period, whatever was inserted around it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from assay.packs.regulatory.acts.shapes import Act, Provision

_REPEALED: Final = re.compile(
    r"\(?\[?\s*(?:\(?XXXX\)?\s*)?(?:weggefallen|aufgehoben|gestrichen|gegenstandslos|entfallen"
    r"|brisan\w?|briše se|prestao važiti|repealed|omitted|revoked|deleted|reserved|removed)"
    r"\s*[\])]*[.;,]?|(?:[.…]\s*){3,}|[-–—]",
    re.IGNORECASE,
)
"""What is printed in place of a repealed provision. `(XXXX)` is how the German federal collection
marks provisions that are no longer in force."""
_WORD: Final = re.compile(r"\w+")
_FEWEST_WORDS: Final = 4
"""Fewer words than this are too common to recognise a provision by."""
_SIMILAR: Final = 0.6
_MOST_PAIRS: Final = 40_000
"""How many pairs of provisions without a partner are compared word by word."""


class ChangeKind(StrEnum):
    """What happened to a provision between two versions."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    INSERTED = "inserted"
    REPEALED = "repealed"
    """Removed, or replaced by a note that it was repealed."""
    MOVED = "moved"
    """The same words, or almost the same, under another path."""


@dataclass(frozen=True, slots=True)
class ProvisionChange:
    """What happened to one provision's own heading and words; its parts have their own."""

    kind: ChangeKind
    before: Provision | None
    """The earlier version; empty if inserted."""
    after: Provision | None
    """The later version; empty if repealed without a note."""

    @property
    def path(self) -> str:
        """Its path now, or its last one."""
        provision = self.after or self.before
        assert provision is not None
        return provision.path

    @property
    def has_new_words(self) -> bool:
        """Whether its words differ, for a provision that was moved."""
        return self.before is None or self.after is None or _fold(self.before) != _fold(self.after)


@dataclass(frozen=True, slots=True)
class ProvisionPeriod:
    """One wording of a provision, and the days on which it holds."""

    provision: Provision
    start: date
    """The day of the first version that has it."""
    end: date | None
    """The first day on which it no longer holds; none if it still does."""
    came_about: ChangeKind
    """Inserted (also: there from the beginning), changed or moved."""
    moved_from: str = ""
    """The path it had before, if it was moved."""


def compare_acts(earlier: Act, later: Act) -> tuple[ProvisionChange, ...]:
    """What happened to each provision, in the order of the later act, then what was removed.

    An inserted or renumbered provision does not make its neighbours look changed: the same words
    are found under their new path.
    """
    return _Comparison(earlier, later).list_changes()


def find_repealed(act: Act) -> set[str]:
    """The provisions of which only a note is left, in their own words or in all their parts."""
    gone: set[str] = set()
    alive: set[str] = set()
    for one in reversed(act.provisions):
        has_parts = one.path in alive or one.path in gone
        is_empty = not (one.opening.text.strip() or one.closing.text.strip())
        if one.path not in alive and (_is_note(one) or (has_parts and is_empty)):
            gone.update((one.path, one.parent))
        else:
            alive.update((one.path, one.parent))
            gone.discard(one.path)
    return gone - alive


def list_periods(versions: Sequence[tuple[date, Act]]) -> tuple[ProvisionPeriod, ...]:
    """The periods of every wording of every provision, by path and then by day."""
    ordered = sorted(versions, key=lambda version: version[0])
    open_periods: dict[str, ProvisionPeriod] = {}
    ended: list[ProvisionPeriod] = []
    earlier = Act()
    for day, act in ordered:
        changes = [
            change
            for change in compare_acts(earlier, act)
            if change.kind is not ChangeKind.UNCHANGED
        ]
        for change in changes:
            if change.before and (period := open_periods.pop(change.before.path, None)):
                ended += _end_period(period, day)
        for change in changes:
            after = change.after
            if after is None or change.kind is ChangeKind.REPEALED:
                continue
            moved_from = change.before.path if change.before else ""
            is_moved = change.kind is ChangeKind.MOVED
            open_periods[after.path] = ProvisionPeriod(
                after, day, None, change.kind, moved_from if is_moved else ""
            )
        earlier = act
    return tuple(
        sorted(
            (*ended, *open_periods.values()),
            key=lambda period: (period.provision.path, period.start),
        )
    )


def _end_period(period: ProvisionPeriod, day: date) -> Iterable[ProvisionPeriod]:
    # Two versions of one day: only the later one ever held.
    if period.start < day:
        yield ProvisionPeriod(
            period.provision, period.start, day, period.came_about, period.moved_from
        )


def _is_note(provision: Provision) -> bool:
    """Whether a provision consists of a note that it was repealed."""
    words = [words for words in (provision.heading, provision.opening) if words.text.strip()]
    return (
        bool(words)
        and not provision.closing.text.strip()
        and all(_REPEALED.fullmatch(one.text.strip()) for one in words)
    )


def _fold(provision: Provision) -> str:
    """A provision's own words, to compare them: single spaces, without its number."""
    parts = (provision.heading.text, provision.opening.text, provision.closing.text)
    return "\n".join(" ".join(part.split()) for part in parts)


class _Comparison:
    def __init__(self, earlier: Act, later: Act) -> None:
        self._earlier = earlier
        self._later = later
        self._before = earlier.by_path()
        self._after = later.by_path()
        self._words_before = {path: _fold(one) for path, one in self._before.items()}
        self._words_after = {path: _fold(one) for path, one in self._after.items()}
        self._partners: dict[str, str] = {}
        """From the later path to the earlier one."""
        self._taken: set[str] = set()
        self._gone_before = find_repealed(earlier)
        self._gone_after = find_repealed(later)
        self._list_before = _TreeIndex(earlier).list_within
        self._list_after = _TreeIndex(later).list_within

    def list_changes(self) -> tuple[ProvisionChange, ...]:
        self._pair_equal()
        self._pair_moved()
        self._pair_similar_siblings()
        self._pair_paths()
        changes = [self._describe(one) for one in self._later.provisions]
        changes += (
            ProvisionChange(ChangeKind.REPEALED, one, None)
            for one in self._earlier.provisions
            if one.path not in self._taken and one.path not in self._gone_before
        )
        return tuple(changes)

    def _pair(self, earlier: str, later: str) -> None:
        self._partners[later] = earlier
        self._taken.add(earlier)

    def _pair_equal(self) -> None:
        for path, words in self._words_after.items():
            if self._words_before.get(path) == words:
                self._pair(path, path)

    def _pair_moved(self) -> None:
        """Find the same words under another path, whole articles and lists first.

        Words that occur twice are only followed within the provision they belonged to.
        """
        before = _digest_trees(self._earlier, self._words_before)
        after = _digest_trees(self._later, self._words_after)
        waiting: dict[tuple[str, int], list[str]] = defaultdict(list)
        everywhere: dict[int, list[str]] = defaultdict(list)
        for path, digest in before.items():
            if path not in self._taken and self._is_telling(path):
                waiting[_get_parent(path), digest].append(path)
                everywhere[digest].append(path)
        times = Counter(digest for path, digest in after.items() if path not in self._partners)
        for one in self._later.provisions:
            if one.path in self._partners:
                continue
            digest = after[one.path]
            found = waiting.get((self._partners.get(one.parent, one.parent), digest), [])
            if len(found) != 1 and times[digest] == 1:
                found = everywhere.get(digest, [])
            if len(found) == 1 and found[0] not in self._taken:
                self._pair_trees(found[0], one.path)

    def _is_telling(self, path: str) -> bool:
        words = _WORD.findall(self._words_before[path])
        return len(words) >= _FEWEST_WORDS and path not in self._gone_before

    def _pair_trees(self, earlier: str, later: str) -> None:
        """Pair two provisions that say the same, and their parts one by one."""
        old, new = self._list_before(earlier), self._list_after(later)
        for one, other in zip(old, new, strict=True):
            if one.path not in self._taken and other.path not in self._partners:
                self._pair(one.path, other.path)

    def _pair_similar_siblings(self) -> None:
        """Follow provisions that were renumbered and reworded at once.

        Only where the wording now at their old path is clearly another one.
        """
        before: dict[str, list[str]] = defaultdict(list)
        for path in self._before:
            if path not in self._taken and path not in self._gone_before:
                before[_get_parent(path)].append(path)
        after: dict[str, list[str]] = defaultdict(list)
        for one in self._later.provisions:
            if one.path not in self._partners and one.path not in self._gone_after:
                parent = self._partners.get(one.parent, one.parent)
                after[parent].append(one.path)
        room = _MOST_PAIRS
        for parent, new in after.items():
            old = before.get(parent, [])
            room -= len(old) * len(new)
            if room < 0:
                return
            if set(old) != set(new) and len(old) + len(new) > 1:
                self._pair_similar(old, new)

    def _pair_similar(self, old: Sequence[str], new: Sequence[str]) -> None:
        bags = {path: _count_words(self._words_before[path]) for path in old}
        others = {path: _count_words(self._words_after[path]) for path in new}
        scored = sorted(
            (
                (-_measure_overlap(bags[one], others[other]), one != other, at, one, other)
                for one in old
                for at, other in enumerate(new)
            ),
        )
        used: set[str] = set()
        for score, _, _, one, other in scored:
            if -score >= _SIMILAR and one not in self._taken and other not in used:
                used.add(other)
                self._pair(one, other)

    def _pair_paths(self) -> None:
        """What is left under the same path has changed."""
        for path in self._words_after:
            if path not in self._partners and path in self._before and path not in self._taken:
                self._pair(path, path)

    def _describe(self, after: Provision) -> ProvisionChange:
        partner = self._partners.get(after.path)
        before = self._before[partner] if partner else None
        existed = before is not None and before.path not in self._gone_before
        exists = after.path not in self._gone_after
        if not exists:
            kind = ChangeKind.REPEALED if existed else ChangeKind.UNCHANGED
        elif before is None or not existed:
            kind = ChangeKind.INSERTED
        elif before.path != after.path:
            kind = ChangeKind.MOVED
        elif self._words_before[before.path] == self._words_after[after.path]:
            kind = ChangeKind.UNCHANGED
        else:
            kind = ChangeKind.CHANGED
        return ProvisionChange(kind, before, after)


def _get_parent(path: str) -> str:
    return path.rpartition("__")[0]


class _TreeIndex:
    """Finds a provision's parts without looking at all the others."""

    def __init__(self, act: Act) -> None:
        self._provisions = act.provisions
        self._places = {one.path: at for at, one in enumerate(act.provisions)}

    def list_within(self, path: str) -> Sequence[Provision]:
        at = end = self._places[path]
        inside = path + "__"
        while end + 1 < len(self._provisions) and self._provisions[end + 1].path.startswith(inside):
            end += 1
        return self._provisions[at : end + 1]


def _digest_trees(act: Act, words: Mapping[str, str]) -> dict[str, int]:
    """A number for the words of each provision and all its parts."""
    parts: dict[str, list[int]] = defaultdict(list)
    found: dict[str, int] = {}
    for one in reversed(act.provisions):
        found[one.path] = hash((words[one.path], tuple(parts.pop(one.path, ()))))
        parts[one.parent].append(found[one.path])
    return found


def _count_words(words: str) -> Counter[str]:
    return Counter(_WORD.findall(words.casefold()))


def _measure_overlap(one: Counter[str], other: Counter[str]) -> float:
    """The share of words that two wordings have in common."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
