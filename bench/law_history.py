"""`python -m bench.law_history FOLDER`: German acts replayed over their git history.

FOLDER is a clone of github.com/bundestag/gesetze. Each commit that changes an act is a new version
of its page. What `compare_acts` reports is checked against the changed lines, which are assigned as
a reader would: a line belongs to the heading and to the numbered paragraph before it. What was
only wrapped anew is unchanged. (Git's own diff matches equal lines across sections, and would miss
a section that was moved.) Acts are divided by a hash of their name; single misses are only shown
for those that may be looked at.
"""

import argparse
import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Final

from assay.packs.regulatory.acts.comparing import (
    ChangeKind,
    ProvisionChange,
    ProvisionPeriod,
    compare_acts,
    find_repealed,
    list_periods,
)
from assay.packs.regulatory.acts.shapes import Act
from assay.packs.regulatory.acts.trees import read_act
from bench.report import Report, print_report

ACTS: Final = (
    *("ustg_1980", "estg", "ao_1977", "kredwg", "bgb", "btmg_1981", "zpo", "wphg", "tpg", "sgb_6"),
    *("sgb_5", "sgb_3", "gkg_2004", "stpo", "stgb", "sgb_7", "rvg", "luftvg", "lfgb", "jgg"),
    *("aufenthg_2004", "arbgg", "amg_1976", "aeg_1994", "wogg", "whg_2009", "vag", "hgb", "irg"),
)
# German acts mark sections that are no longer in force with `(XXXX)`.
_HEADING: Final = re.compile(
    r"#{1,6}\s+(?:\(XXXX\)\s*)?(?:(?P<sec>§§?)|(?P<art>Art(?:ikel|\.)?)|(?P<annex>Anlage|Anhang))"
    r"\s*(?P<value>\d+[a-z]*|[IVX]+\b)?(?=\W|$)"
)
_PARAGRAPH: Final = re.compile(r"^\((\d+[a-z]*)\)")
_GONE: Final = re.compile(r"\(?(?:weggefallen|aufgehoben)\)?", re.IGNORECASE)

Unit = tuple[str, str]
"""A section and a paragraph of it, as simple as a person with a pencil would find them."""


@dataclass(slots=True)
class Score:
    """How many units were reported rightly, wrongly and not at all."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, reported: set[Unit] | set[str], true: set[Unit] | set[str]) -> None:
        self.right += len(reported & true)
        self.wrong += len(reported - true)
        self.missed += len(true - reported)

    def describe(self) -> dict[str, float]:
        reported, true = self.right + self.wrong, self.right + self.missed
        return {
            "of": true,
            "precision": round(self.right / reported, 4) if reported else 1.0,
            "recall": round(self.right / true, 4) if true else 1.0,
        }


@dataclass(slots=True)
class Tally:
    """What was counted over the versions of some acts."""

    acts: int = 0
    versions: int = 0
    sections: Score = field(default_factory=Score)
    paragraphs: Score = field(default_factory=Score)
    inserted: Score = field(default_factory=Score)
    repealed: Score = field(default_factory=Score)
    moved: Score = field(default_factory=Score)
    lines: int = 0
    lines_in_wrong_section: int = 0
    lines_in_wrong_paragraph: int = 0
    periods: int = 0
    wrong_periods: int = 0
    provisions: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """What happened to provisions from one version to the next."""
    seconds: float = 0.0

    def describe(self) -> dict[str, object]:
        return {
            "acts": self.acts,
            "versions": self.versions,
            "changed_sections": self.sections.describe(),
            "changed_paragraphs": self.paragraphs.describe(),
            "inserted_sections": self.inserted.describe(),
            "repealed_sections": self.repealed.describe(),
            "moved_paragraphs": self.moved.describe(),
            "lines": self.lines,
            "lines_in_wrong_section": self.lines_in_wrong_section,
            "lines_in_wrong_paragraph": self.lines_in_wrong_paragraph,
            "periods": self.periods,
            "wrong_periods": self.wrong_periods,
            "provisions": self.provisions,
            "kinds": dict(self.kinds),
            "cpu_seconds_each_act": round(self.seconds / max(1, self.acts), 3),
        }


@dataclass(frozen=True, slots=True)
class Page:
    """A version of an act's page, and to which unit each of its lines belongs."""

    day: date
    commit: str
    lines: Sequence[str]
    units: Sequence[Unit | None]

    def words(self, depth: int) -> dict[Unit, str]:
        """What each section (1) or paragraph (2) says, with single spaces."""
        found: dict[Unit, list[str]] = {}
        for line, unit in zip(self.lines, self.units, strict=True):
            if unit:
                # Neither the level of a heading nor the number of an only paragraph is wording.
                words = line.lstrip("#").removeprefix("(1)")
                words = _PARAGRAPH.sub("", words, count=1) if depth > 1 else words
                found.setdefault((unit[0], unit[1] if depth > 1 else ""), []).append(words)
        return {unit: " ".join(" ".join(lines).split()) for unit, lines in found.items()}


def read_pages(folder: Path, path: str) -> list[Page]:
    """The versions of an act, oldest first."""
    log = _run_git(folder, "log", "--reverse", "--format=%H %cs", "--", path).split("\n")
    pages = []
    for entry in filter(None, log):
        commit, day = entry.split()
        shown = subprocess.run(
            ["git", "-C", str(folder), "show", f"{commit}:{path}"], capture_output=True, check=False
        )
        if shown.returncode == 0:
            lines = shown.stdout.decode().split("\n")
            pages.append(Page(date.fromisoformat(day), commit, lines, list(find_units(lines))))
    return pages


def find_units(lines: Sequence[str]) -> Iterator[Unit | None]:
    """The unit of each line: the heading before it, and the number at the left edge before it.

    The text of a section without numbers is its first paragraph.
    """
    times = Counter[str]()
    section, paragraph = "", ""
    found: list[Unit | None] = []
    numbered: set[str] = set()
    for line in lines:
        if line.startswith("#"):
            heading = _HEADING.match(line)
            section = paragraph = ""
            if heading:
                kind = next(name for name in ("sec", "art", "annex") if heading[name])
                section = f"{kind}_{heading['value'].lower()}" if heading["value"] else kind
                times[section] += 1
                if times[section] > 1:
                    section = f"{section}_{times[section]}"
        elif section and (number := _PARAGRAPH.match(line)):
            paragraph = number[1]
            numbered.add(section)
        found.append((section, paragraph) if section else None)
    for line, unit in zip(lines, found, strict=True):
        is_whole = unit and unit[0] not in numbered and not unit[0].startswith("annex")
        yield (unit[0], "1") if unit and is_whole and not line.startswith("#") else unit


def find_changed(old: Page, new: Page, depth: int) -> set[Unit]:
    """The units that say something else now; a note of repeal says as much as nothing."""
    before, after = old.words(depth), new.words(depth)
    gone = {unit[0] for unit, words in old.words(1).items() if _is_gone(words)}
    gone_now = {unit[0] for unit, words in new.words(1).items() if _is_gone(words)}
    for words, sections in ((before, gone), (after, gone_now)):
        for unit in list(words):
            if unit[0] in sections or _is_gone(words[unit]):
                del words[unit]
    return {unit for unit in {*before, *after} if before.get(unit) != after.get(unit)}


def find_unit(path: str) -> Unit | None:
    """The unit that a path belongs to."""
    parts = path.split("__")
    if not parts[0].startswith(("sec", "art", "annex")):
        return None
    has_number = len(parts) > 1 and parts[1].startswith("para_") and parts[0][:5] != "annex"
    return parts[0], parts[1].removeprefix("para_") if has_number else ""


def list_reported(changes: Sequence[ProvisionChange], depth: int) -> set[Unit]:
    """The units in which something is reported to have changed."""
    return {
        (unit[0], unit[1] if depth > 1 else "")
        for change in changes
        if change.kind is not ChangeKind.UNCHANGED
        for provision in (change.before, change.after)
        if provision and (unit := find_unit(provision.path))
    }


def replay_act(folder: Path, path: str, tally: Tally, show: bool) -> None:
    """Compare every version of an act with the one before."""
    pages = read_pages(folder, path)
    texts = ["\n".join(page.lines) for page in pages]
    begun = process_time()
    acts = [read_act(page.commit, text) for page, text in zip(pages, texts, strict=True)]
    compared = [compare_acts(*pair) for pair in pairwise(acts)]
    periods = list_periods([(page.day, act) for page, act in zip(pages, acts, strict=True)])
    tally.seconds += process_time() - begun
    tally.acts += 1
    tally.versions += len(pages)
    tally.provisions += sum(len(act.provisions) for act in acts)
    tally.kinds.update(change.kind for changes in compared for change in changes)
    for at, changes in enumerate(compared):
        old, new = pages[at], pages[at + 1]
        for depth, score in ((1, tally.sections), (2, tally.paragraphs)):
            true = find_changed(old, new, depth)
            reported = list_reported(changes, depth)
            # Annexes have no paragraphs that both sides would count alike.
            if depth > 1:
                true = {unit for unit in true if not unit[0].startswith("annex")}
                reported = {unit for unit in reported if not unit[0].startswith("annex")}
            score.add(reported, true)
            if show and reported != true:
                print(path, new.commit[:8], depth, "wrong", sorted(reported - true)[:8],
                      "missed", sorted(true - reported)[:8], file=sys.stderr)  # fmt: skip
        _check_kinds(old, new, changes, tally, show)
    _check_lines(pages[-1], texts[-1], acts[-1], tally, show)
    _check_periods(pages, acts, periods, tally)


def _check_kinds(
    old: Page,
    new: Page,
    changes: Sequence[ProvisionChange],
    tally: Tally,
    show: bool,
) -> None:
    before, after = (
        {unit[0]: words for unit, words in page.words(1).items()} for page in (old, new)
    )
    gone = {name for name, words in before.items() if _is_gone(words)}
    gone_now = {name for name, words in after.items() if _is_gone(words)}
    inserted = set(after) - set(before) - gone_now | (gone & set(after)) - gone_now
    repealed = (set(before) - gone) - (set(after) - gone_now)
    moved = _find_moved(old, new)
    sections = [c for c in changes if "__" not in c.path and find_unit(c.path)]
    departed = {c.before.path for c in sections if c.kind is ChangeKind.MOVED and c.before}
    arrived = {c.path for c in sections if c.kind in (ChangeKind.MOVED, ChangeKind.INSERTED)}
    ended = {c.before.path for c in sections if c.kind is ChangeKind.REPEALED and c.before}
    # Where one section left or ended and another one came, the page has it before and after.
    came, went = arrived - departed - ended, (ended | departed) - arrived
    tally.inserted.add(came, inserted)
    tally.repealed.add(went, repealed)
    if show and (came != inserted or went != repealed):
        wrong = sorted(came ^ inserted)[:8], sorted(went ^ repealed)[:8]
        print(new.commit[:8], "inserted, repealed", *wrong, file=sys.stderr)
    reported = {
        unit
        for c in changes
        if c.kind is ChangeKind.MOVED and c.before and not c.has_new_words
        and c.before.path.count("__") == 1 and c.path.count("__") == 1
        and (unit := find_unit(c.before.path)) and unit[1]
        and c.path.split("__")[0] == c.before.path.split("__")[0]
    }  # fmt: skip
    reworded = {
        unit for c in changes if c.has_new_words and c.before and (unit := find_unit(c.before.path))
    }
    reported = (reported - reworded) & _find_paragraphs(old)
    tally.moved.add(reported, moved)
    if show and reported != moved:
        print(new.commit[:8], "moved", sorted(reported ^ moved)[:8], file=sys.stderr)


def _is_gone(words: str) -> bool:
    return len(words) < 60 and _GONE.search(words) is not None


def _find_paragraphs(page: Page) -> set[Unit]:
    return {unit for unit in page.words(2) if unit[1]}


def _find_moved(old: Page, new: Page) -> set[Unit]:
    """Paragraphs whose words are now under another number of the same section, and only there."""
    before = old.words(2)
    after = new.words(2)
    found = set()
    places: dict[tuple[str, str], list[Unit]] = {}
    for unit, words in after.items():
        places.setdefault((unit[0], words), []).append(unit)
    origins = Counter((unit[0], words) for unit, words in before.items())
    for unit, words in before.items():
        there = places.get((unit[0], words), [])
        is_alone = origins[unit[0], words] == 1 and len(there) == 1
        if is_alone and unit[1] and there[0][1] and there[0] != unit and len(words.split()) >= 4:
            found.add(unit)
    return found


def _check_lines(page: Page, text: str, act: Act, tally: Tally, show: bool) -> None:
    """Whether every line of the last version is in the section and paragraph it is printed in."""
    owner: dict[int, Unit | None] = {}
    starts = [0]
    for line in page.lines:
        starts.append(starts[-1] + len(line) + 1)
    spans = sorted(
        (span.start, span.end, find_unit(one.path))
        for one in act.provisions
        for words in (one.heading, one.opening, one.closing)
        for span in words.spans
        if span.source
    )
    at = 0
    for start, end, unit in spans:
        while at + 1 < len(starts) and starts[at + 1] <= start:
            at += 1
        number = at
        while number < len(page.lines) and starts[number] < end:
            owner[number] = unit
            number += 1
    for number, (line_text, unit) in enumerate(zip(page.lines, page.units, strict=True)):
        if not unit or line_text.startswith("#") or len(line_text.strip()) < 12:
            continue
        tally.lines += 1
        found = owner.get(number)
        if found is None or found[0] != unit[0]:
            tally.lines_in_wrong_section += 1
            if show:
                print("section", unit, found, line_text[:60], file=sys.stderr)
        elif not unit[0].startswith("annex") and found[1] != unit[1]:
            tally.lines_in_wrong_paragraph += 1
            if show:
                print("paragraph", unit, found, line_text[:60], file=sys.stderr)


def _check_periods(
    pages: Sequence[Page], acts: Sequence[Act], periods: Sequence[ProvisionPeriod], tally: Tally
) -> None:
    """On the day of every version, the periods must give exactly the provisions of its page."""
    tally.periods += len(periods)
    last_of_day = {page.day: act for page, act in zip(pages, acts, strict=True)}
    for day, act in last_of_day.items():
        repealed = find_repealed(act)
        expected = {
            (one.path, one.heading.text.split() == [], " ".join(one.opening.text.split()))
            for one in act.provisions
            if one.path not in repealed
        }
        held = {
            (p.provision.path, p.provision.heading.text.split() == [],
             " ".join(p.provision.opening.text.split()))
            for p in periods
            if p.start <= day and (p.end is None or day < p.end)
        }  # fmt: skip
        tally.wrong_periods += len(expected ^ held)


def _run_git(folder: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    return ran.stdout.decode(errors="replace")


def is_held_out(name: str) -> bool:
    """Whether an act is only looked at in totals."""
    return hashlib.sha256(name.encode()).digest()[0] % 3 != 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="show misses of the acts for tuning")
    parser.add_argument("--act", help="only this act; must be one for tuning")
    given = parser.parse_args()
    tallies: Mapping[bool, Tally] = {False: Tally(), True: Tally()}
    for name in ACTS:
        held = is_held_out(name)
        if (given.act and (name != given.act or held)) or (given.show and held):
            continue
        replay_act(given.folder, f"{name[0]}/{name}/index.md", tallies[held], given.show)
    tuning, held_out = tallies[False], tallies[True]
    print_report(
        Report(
            name="law_history",
            unit="share of changed paragraphs found, held-out acts",
            better="higher",
            ours=held_out.paragraphs.describe()["recall"],
            detail={"tuning": tuning.describe(), "held_out": held_out.describe()},
        ),
        as_json=given.json,
    )


if __name__ == "__main__":
    main()
