"""What the versions of an act's page do to its facts: which begin, which end, which stay.

A publisher consolidates a page in place, so each version replaces the one before. The versions are
compared provision by provision: a fact that the later one still states keeps its first day, however
the text was moved or reworded; the others end and begin on the day of the later version. Amendments
that are known are applied to the version that was there on their day, and explain what changed in
the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.amendment_steps import AmendmentStep
from assay.packs.regulatory.acts.changes import apply_steps, meaning_of
from assay.packs.regulatory.acts.comparing import ChangeKind, ProvisionChange, compare_acts
from assay.packs.regulatory.acts.fact_places import find_path_at, index_places
from assay.packs.regulatory.acts.law_changes import (
    CORRECTION,
    EndedFact,
    HeldFact,
    LawChanges,
    UnexplainedChange,
)
from assay.packs.regulatory.acts.naming import make_version_id
from assay.packs.regulatory.acts.shapes import Span
from assay.packs.regulatory.acts.version_days import DatedVersion
from assay.sdk.facts import FIRST_DAY_OF_ALL, AcceptedFact, Facts

_LONGEST_QUOTE = 400
Meaning = tuple[str, ...]


def work_out_versions(
    versions: Sequence[DatedVersion],
    steps: Sequence[AmendmentStep],
    key: str,
    facts: Facts,
    answers: Mapping[str, str],
) -> LawChanges:
    """Follow the facts of an act through the versions of its page, the oldest first.

    `answers` says of instructions that could not be applied whether they ended what was there, and
    of versions that do not say what changed them whether they only corrected the text.
    """
    history = _History(key, facts, answers)
    left = list(steps)
    for at, version in enumerate(versions):
        following = versions[at + 1] if at + 1 < len(versions) else None
        live = history.compare(versions[at - 1], version) if at else history.start(version)
        own = version.act, version.passage, live
        applied = select_steps(left, version, following)
        found = apply_steps(*own, applied, facts=facts, answers=answers)
        history.take_amendments(found, is_newest=following is None)
        if following is not None and not following.day.is_stated:
            ahead = [step for step in left if step.day and step.day > following.day.day]
            found = apply_steps(*own, ahead, facts=facts, answers=answers)
            taken = history.look_ahead(found, following)
            left = [step for step in left if step.parsed.quote.source not in taken]
    return history.changes


def select_steps(
    steps: Iterable[AmendmentStep], version: DatedVersion, following: DatedVersion | None
) -> list[AmendmentStep]:
    """The instructions that concern a version: those between its day and that of the next.

    What a publisher has consolidated since needs no second application; a step without a day may
    be yet to come.
    """
    if following is None:
        return [step for step in steps if step.day is None or step.day > version.day.day]
    until = following.day.day
    return [step for step in steps if step.day and version.day.day < step.day <= until]


@dataclass(frozen=True, slots=True)
class _StatedFact:
    """A fact as a version of the page states it."""

    source: str
    fact: AcceptedFact
    path: str
    start: str | None
    """The first day on which it holds, whatever the version says by itself."""

    @property
    def meaning(self) -> Meaning:
        return meaning_of(self.fact)

    @property
    def concept(self) -> str:
        return self.fact.proposed.concept

    @property
    def own_start(self) -> str | None:
        return self.fact.proposed.effective_from

    @property
    def held(self) -> HeldFact:
        if self.start == self.own_start:
            return HeldFact(self.source, self.fact)
        proposed = replace(self.fact.proposed, effective_from=self.start)
        return HeldFact(self.source, replace(self.fact, proposed=proposed), restated=True)


class _History:
    """The facts of an act, version by version."""

    def __init__(self, key: str, facts: Facts, answers: Mapping[str, str]) -> None:
        self._key = key
        self._facts = facts
        self._answers = answers
        self._live: list[_StatedFact] = []
        self._begun: dict[Meaning, str] = {}
        """The first days of facts that an amendment introduced."""
        self._ended: dict[Meaning, EndedFact] = {}
        """Facts that an amendment ended."""
        self.changes = LawChanges()

    def start(self, version: DatedVersion) -> list[HeldFact]:
        """Take the facts of the first version as they are."""
        self._live = self._list_stated(version)
        return [stated.held for stated in self._live]

    def take_amendments(self, found: LawChanges, *, is_newest: bool) -> None:
        """Take what amendments did to the version. What could not be applied is settled by the next
        version of the page."""
        certain = [ended for ended in found.ended if not ended.reason]
        self.changes.new += found.new
        self.changes.ended += found.ended if is_newest else certain
        self.changes.open += found.open if is_newest else []
        self.changes.applied += found.applied
        self._ended |= {meaning_of(ended.held.fact): ended for ended in certain}
        for held in found.new:
            self._begun[meaning_of(held.fact)] = held.fact.proposed.effective_from or ""

    def look_ahead(self, found: LawChanges, later: DatedVersion) -> set[str]:
        """Take amendments that the next version has although their day is yet to come: a publisher
        may consolidate ahead of time. Returns the texts of those amendments."""
        stated = {meaning_of(fact) for fact in later.list_facts(self._facts)}
        certain = [ended for ended in found.ended if not ended.reason]
        taken = {held.evidence_id for held in found.new} | {ended.by.source for ended in certain}
        taken -= {h.evidence_id for h in found.new if meaning_of(h.fact) not in stated}
        taken -= {e.by.source for e in certain if meaning_of(e.held.fact) in stated}
        consolidated = LawChanges(
            [held for held in found.new if held.evidence_id in taken],
            [ended for ended in certain if ended.by.source in taken],
        )
        self.take_amendments(consolidated, is_newest=False)
        return taken

    def compare(self, earlier: DatedVersion, later: DatedVersion) -> list[HeldFact]:
        """Go on to the next version; its facts, with the days on which they began."""
        comparison = _FactComparison(compare_acts(earlier.act, later.act), later)
        pairs, gone, come = comparison.pair(self._live, self._list_stated(later))
        live = [self._carry(old, new, later) for old, new in pairs]
        said = self._answers.get(make_version_id(later.source, self._key))
        is_correction = said == CORRECTION
        asked = [] if is_correction else self._ask(gone, come, later)
        doubted = {id(old) for old in asked} if said is None else set()
        began = [self._begin(new, gone if is_correction else (), later) for new in come]
        for old in gone:
            ended = self._end(old, began, comparison, later, is_correction=is_correction)
            if id(old) in doubted:
                ended = _doubt(ended, old)
            self.changes.ended.append(ended)
        live += [*began, *comparison.reread]
        for stated in live:
            self._restate(stated, later, comparison)
        self._live = live
        return [stated.held for stated in live]

    def _list_stated(self, version: DatedVersion) -> list[_StatedFact]:
        places = index_places(version.act, version.source)
        return [
            _StatedFact(
                version.source,
                fact,
                find_path_at(places, fact.start),
                fact.proposed.effective_from,
            )
            for fact in version.list_facts(self._facts)
        ]

    def _carry(self, old: _StatedFact, new: _StatedFact, later: DatedVersion) -> _StatedFact:
        """The later version says the same, so it holds for as long as before."""
        start, own = old.start, new.own_start
        if start is None and own is not None and own <= later.previous_seen:
            # The earlier version did not say since when.
            start = own
        carried = replace(new, start=start)
        ended = self._ended.get(old.meaning)
        if ended is not None and (start or "") < ended.day <= later.day.day:
            # The publisher has yet to consolidate the amendment that ended it.
            self.changes.ended.append(replace(ended, held=carried.held))
        return carried

    def _begin(
        self, new: _StatedFact, corrected: Iterable[_StatedFact], later: DatedVersion
    ) -> _StatedFact:
        """A fact that only the later version states."""
        for old in corrected:
            if old.concept == new.concept:
                return replace(new, start=old.start)
        if day := self._begun.get(new.meaning):
            return replace(new, start=day)
        found = later.find_day(new.path)
        own = new.own_start
        until = new.fact.proposed.effective_until
        is_later = own is not None and own >= (found.since or found.day)
        is_over = until is not None and until <= found.day
        return replace(new, start=own if is_later or is_over else found.day)

    def _end(
        self, old: _StatedFact, began: Sequence[_StatedFact], comparison: "_FactComparison",
        later: DatedVersion, *, is_correction: bool,
    ) -> EndedFact:  # fmt: skip
        """The end of a fact that only the earlier version states."""
        successors = [new.start for new in began if new.concept == old.concept and new.start]
        found = later.find_day(old.path)
        quote = found.quote or comparison.find_quote(old.path)
        known = self._ended.get(old.meaning)
        reason = since = ""
        if is_correction and successors:
            day = old.start or FIRST_DAY_OF_ALL
        elif known is not None:
            day = known.day
        else:
            day = min(successors, default=found.day)
            if found.since and day == found.day:
                since = found.since
                reason = (
                    f"the page changed between {later.previous_seen} and "
                    f"{later.first_seen} and does not say from which day the new text applies"
                )
        return EndedFact(old.held, day, quote, reason, since)

    def _restate(
        self, stated: _StatedFact, later: DatedVersion, comparison: "_FactComparison"
    ) -> None:
        """A fact with another first day than its version says: that of the version never held."""
        if stated.start == stated.own_start:
            return
        self.changes.new.append(stated.held)
        never = stated.own_start or FIRST_DAY_OF_ALL
        quote = later.day.quote or comparison.find_quote(stated.path)
        own = HeldFact(stated.source, stated.fact)
        self.changes.ended.append(EndedFact(own, never, quote))

    def _ask(
        self, gone: Sequence[_StatedFact], come: Sequence[_StatedFact],
        later: DatedVersion,
    ) -> list[_StatedFact]:  # fmt: skip
        """Ask whether figures were corrected, if nothing says that they were amended."""
        pairs = [
            (old, new)
            for old in gone
            for new in come
            if new.concept == old.concept
            and old.meaning not in self._ended
            and new.meaning not in self._begun
            and not later.find_day(new.path).is_noted
        ]
        if pairs:
            figures = tuple(
                (old.path, _format_figure(old.fact), _format_figure(new.fact)) for old, new in pairs
            )
            self.changes.unexplained.append(
                UnexplainedChange(
                    later.source, later.opening, later.previous_seen, later.first_seen, figures
                )
            )
        return [old for old, _ in pairs]


def _doubt(ended: EndedFact, old: _StatedFact) -> EndedFact:
    """Doubt that a fact ever held: its figure may have been an error that the page corrected."""
    reason = ended.reason or "the page may have corrected an error instead of showing new law"
    return replace(ended, reason=reason, since=old.start or FIRST_DAY_OF_ALL)


class _FactComparison:
    """Which facts of two versions say the same."""

    def __init__(self, changes: Sequence[ProvisionChange], later: DatedVersion) -> None:
        self._changes = changes
        self._later = later
        self._earlier_path = {c.after.path: c.before.path for c in changes if c.before and c.after}
        self._changed = {
            _find_top(one.path)
            for change in changes
            if change.kind is not ChangeKind.UNCHANGED
            for one in (change.before, change.after)
            if one is not None
        }
        self.reread: list[_StatedFact] = []
        """Facts that read otherwise although their article did not change."""

    def pair(
        self, live: Sequence[_StatedFact], stated: Sequence[_StatedFact]
    ) -> tuple[list[tuple[_StatedFact, _StatedFact]], list[_StatedFact], list[_StatedFact]]:
        """The facts in both, those only in the earlier version, and those only in the later one.

        Equal facts are paired within their provision first, then within their article, then
        wherever they were moved to.
        """
        pairs = []
        old, new = list(live), list(stated)
        for depth in (None, 1, 0):
            waiting: dict[tuple[Meaning, str], list[_StatedFact]] = {}
            for one in old:
                waiting.setdefault((one.meaning, _cut_path(one.path, depth)), []).append(one)
            left = []
            for one in new:
                path = _cut_path(self._earlier_path.get(one.path, one.path), depth)
                if found := waiting.get((one.meaning, path)):
                    pairs.append((found.pop(0), one))
                else:
                    left.append(one)
            new = left
            old = [one for entries in waiting.values() for one in entries]
        gone = [one for one in old if self._may_have_changed(one.path)]
        come = [one for one in new if self._may_have_changed(one.path)]
        self.reread = [one for one in new if not self._may_have_changed(one.path)]
        return pairs, gone, come

    def find_quote(self, path: str) -> Span:
        """What the later version has in the place of a provision; its first line if nothing."""
        for change in self._changes:
            after = change.after
            if after is None or path not in (after.path, change.before and change.before.path):
                continue
            for words in (after.opening, after.heading):
                if words.text.strip() and words.spans:
                    span = words.spans[0]
                    return replace(span, end=min(span.end, span.start + _LONGEST_QUOTE))
        return self._later.opening

    def _may_have_changed(self, path: str) -> bool:
        top = _find_top(path)
        return not top or top in self._changed


def _find_top(path: str) -> str:
    return path.split("__", 1)[0]


def _cut_path(path: str, depth: int | None) -> str:
    return path if depth is None else "__".join(path.split("__")[:depth])


def _format_figure(fact: AcceptedFact) -> str:
    return " ".join(filter(None, (fact.proposed.value, fact.proposed.unit)))
