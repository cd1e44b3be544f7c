"""`python -m bench.law_history_facts FOLDER`: facts of German acts over their git history.

FOLDER is a clone of github.com/bundestag/gesetze. Each commit is a new version of an act's page.

Every version is read by the extractor alone; these facts are the truth of its day. What
`work_out_versions` makes of all versions together is stored as the pipeline would store it, and
asked for on the day of each version: a fact that is missing or left over was lost or kept wrongly.
The wordings that `list_provision_versions` gives for that day must be those of the page. Acts are
divided by a hash of their name, as in `bench.law_history`; single misses are only shown for those
that may be looked at.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Final

from assay.packs.regulatory.acts.changes import meaning_of
from assay.packs.regulatory.acts.comparing import find_repealed
from assay.packs.regulatory.acts.law_changes import HeldFact, LawChanges
from assay.packs.regulatory.acts.provision_history import list_provision_versions, select_provision
from assay.packs.regulatory.acts.version_days import DatedVersion, date_versions
from assay.packs.regulatory.acts.versions import work_out_versions
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.sdk.facts import FIRST_DAY_OF_ALL, AcceptedFact, Passage, take_facts
from assay.sdk.reading import ContentClass, Reading
from bench.law_history import ACTS, Page, is_held_out, read_pages
from bench.report import Report, print_report

_TITLE_LINES: Final = 40
_LONGEST: Final = 450_000
"""Longer acts take minutes to extract, version by version."""


@dataclass(slots=True)
class FactTally:
    """What was counted over the versions of some acts."""

    acts: int = 0
    versions: int = 0
    facts: int = 0
    """Facts of all versions, each version by itself."""
    right: int = 0
    missing: int = 0
    left_over: int = 0
    ended: int = 0
    restated: int = 0
    questions: int = 0
    days: Counter[str] = field(default_factory=Counter)
    """How versions are dated: by themselves, by an amendment that they name without its day, or
    only by their retrievals."""
    lost_without: int = 0
    """Facts of days of earlier versions that the newest version alone does not state."""
    wordings: int = 0
    wrong_wordings: int = 0
    seconds: float = 0.0
    misses: list[str] = field(default_factory=list)

    def describe(self) -> dict[str, object]:
        shown = {
            name: getattr(self, name) for name in self.__slots__ if name not in ("misses", "days")
        }
        return {**shown, "days": dict(self.days), "seconds": round(self.seconds, 1)}


def replay_facts(name: str, pages: Sequence[Page], tally: FactTally) -> None:
    """Follow the facts of an act, and ask for those of each version's day."""
    facts = load_facts_with_extractor()
    title = next((line[2:] for line in pages[0].lines[:_TITLE_LINES] if line[:2] == "# "), name)
    last_of_day = {page.day: page for page in pages}
    kept = [page for page in pages if last_of_day[page.day] is page]
    started = process_time()
    versions = [
        DatedVersion(page.commit, _make_passage(page, title), page.day.isoformat()) for page in kept
    ]
    date_versions(versions)
    changes = work_out_versions(versions, (), name, facts, {})
    tally.seconds += process_time() - started
    tally.acts += 1
    tally.versions += len(versions)
    tally.ended += len(changes.ended)
    tally.restated += sum(held.restated for held in changes.new)
    tally.questions += len(changes.unexplained)
    for version in versions[1:]:
        is_stated = version.day.day != version.first_seen
        kinds = "stated", "amendment named" if version.day.is_noted else "nothing said"
        tally.days[kinds[not is_stated]] += 1
    _compare_wordings(versions, tally)
    own = {version.source: take_facts(version.passage, facts) for version in versions}
    _compare_days(versions, own, changes, tally)


def _compare_wordings(versions: Sequence[DatedVersion], tally: FactTally) -> None:
    """On the day of every version, the wordings must be exactly those of its page."""
    found = list_provision_versions(versions)
    tally.wordings += len(found)
    for version in versions:
        day = version.day.day or version.first_seen
        repealed = find_repealed(version.act)
        expected = {
            (one.path, " ".join(one.opening.text.split()))
            for one in version.act.provisions
            if one.path not in repealed
        }
        held = {
            (one.provision.path, " ".join(one.provision.opening.text.split()))
            for one in select_provision(found, day=day)
            if one.is_certain_on(day)
        }
        tally.wrong_wordings += len(expected ^ held)


def _compare_days(
    versions: Sequence[DatedVersion],
    own: dict[str, tuple[AcceptedFact, ...]],
    changes: LawChanges,
    tally: FactTally,
) -> None:
    law = list_law(versions, own, changes)
    newest = {meaning_of(fact) for fact in own[versions[-1].source]}
    for version in versions:
        day = version.day.day or version.first_seen
        expected = {
            meaning_of(fact)
            for fact in own[version.source]
            if (fact.proposed.effective_from or "") <= day
            and day < (fact.proposed.effective_until or "9999")
        }
        found = {meaning for meaning, start, end in law if start <= day and (not end or day < end)}
        tally.facts += len(expected)
        tally.right += len(expected & found)
        tally.missing += len(expected - found)
        tally.left_over += len(found - expected)
        tally.lost_without += len(expected - newest)
        tally.misses += [f"{day} missing {one}" for one in sorted(expected - found)]
        tally.misses += [f"{day} left over {one}" for one in sorted(found - expected)]


def list_law(
    versions: Sequence[DatedVersion],
    own: dict[str, tuple[AcceptedFact, ...]],
    changes: LawChanges,
) -> set[tuple[tuple[str, ...], str, str]]:
    """The meaning, first and last day of everything that has support, as rules have it."""
    ends: dict[tuple[object, ...], list[str]] = {}
    for ended in changes.ended:
        if ended.since or not ended.reason:
            ends.setdefault(_key_of(ended.held), []).append(ended.day)
    stored = [HeldFact(source, fact) for source, facts in own.items() for fact in facts]
    found = set()
    for held in (*stored, *changes.new):
        said = held.fact.proposed
        start = said.effective_from or FIRST_DAY_OF_ALL
        end = min(ends.get(_key_of(held), ()), default=None)
        is_earlier = held.evidence_id in own and held.evidence_id != versions[-1].source
        is_supported = end is not None or not is_earlier
        if is_supported and not (end and end <= start):
            until = min(filter(None, (end, said.effective_until)), default="")
            found.add((meaning_of(held.fact), start, until))
    return found


def _key_of(held: HeldFact) -> tuple[object, ...]:
    fact = held.fact
    start = fact.proposed.effective_from
    return held.evidence_id, fact.start, fact.end, start, meaning_of(fact)


def _make_passage(page: Page, title: str) -> Passage:
    text = "\n".join(page.lines)
    reading = Reading(content_class=ContentClass.HTML, text=text, title=title)
    return Passage(reading=reading, language="de")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="show misses of the acts for tuning")
    given = parser.parse_args()
    tallies = {False: FactTally(), True: FactTally()}
    for name in ACTS:
        held = is_held_out(name)
        if given.show and held:
            continue
        pages = read_pages(given.folder, f"{name[0]}/{name}/index.md")
        if sum(map(len, pages[-1].lines)) <= _LONGEST:
            replay_facts(name, pages, tallies[held])
    if given.show:
        print("\n".join(tallies[False].misses), file=sys.stderr)
    tuning, held_out = tallies[False], tallies[True]
    print_report(
        Report(
            name="facts of a page that is consolidated in place, on the day of each version",
            unit="share of facts found, held-out acts",
            better="higher",
            ours=round(held_out.right / max(1, held_out.facts), 4),
            peers={
                "the newest version alone": round(
                    1 - held_out.lost_without / max(1, held_out.facts), 4
                )
            },
            detail={"tuning": tuning.describe(), "held out": held_out.describe()},
        ),
        as_json=given.json,
    )


if __name__ == "__main__":
    main()
