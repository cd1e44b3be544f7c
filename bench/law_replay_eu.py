"""Acts of the Union in their consolidated versions, and the acts that led from one to the next.

Reads a clone of github.com/SFHAJJI/lex-corpus-eu-eurlex: consolidated versions in Formex, each of
which lists the acts that it takes in, and amending acts as the Official Journal prints them.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from assay.packs.regulatory.acts.shapes import Act
from assay.packs.regulatory.acts.trees import read_act
from assay.reading.decoding import decode_bytes
from assay.reading.documents import read_document
from bench.law_replay_us import Step

_CONSOLIDATED: Final = re.compile(
    r"works/(?P<act>\w+)/versions/(?P<day>[\d-]{10})--\w+/en\.fmx4/CL[^/]*\.0001\.xml"
)
_PUBLISHED: Final = re.compile(r"works/(?P<act>\w+)/versions/[\d-]{10}--\w+/en\.(?:xml|html)")
_LARGEST: Final = 3_000_000
"""Larger acts take minutes to read."""


@dataclass(frozen=True, slots=True)
class ConsolidatedVersion:
    """A version of an act as the publisher consolidated it, not yet read."""

    act: str
    day: str
    raw: bytes
    sequence: int
    """Its number among the versions; one that is missing leaves a gap."""
    taken_in: Sequence[str]
    """The acts that it contains."""
    ended_by: Sequence[str]
    """The acts that end it, if the publisher knew them: an act that takes effect in stages
    ends a version that contains it already."""

    def read(self) -> Act:
        reading = read_document(self.raw)
        return read_act(self.act, reading.text, decode_bytes(self.raw).text, reading.segments)


def list_union_steps(clone: Path) -> Iterator[Step]:
    """Every pair of versions between which all amending acts are known and take effect at once."""
    files = _run_git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode().split("\n")
    published: dict[str, str] = {}
    for each in sorted(files):
        if found := _PUBLISHED.fullmatch(each):
            # The first version is the one in the Official Journal; others are consolidated.
            published.setdefault(found["act"], each)
    by_act: dict[str, list[tuple[str, str]]] = {}
    for each in files:
        if found := _CONSOLIDATED.fullmatch(each):
            by_act.setdefault(found["act"], []).append((found["day"], each))
    for act, entries in sorted(by_act.items()):
        versions = [_read_version(clone, act, *entry) for entry in sorted(entries)]
        kept: tuple[bytes, Act] | None = None
        for at, (earlier, later) in enumerate(pairwise(versions)):
            new = [each for each in later.taken_in if each not in earlier.taken_in]
            if not is_whole(earlier, versions[at + 1 :], new) or not published.keys() >= set(new):
                continue
            texts = [_read_published(clone, published[each]) for each in new]
            if not all(texts):
                continue
            before = kept[1] if kept and kept[0] == earlier.raw else earlier.read()
            after = later.read()
            kept = (later.raw, after)
            name = "+".join(new)
            yield Step(act, name, "\n".join(texts), before, after, tradition="eu")


def is_whole(
    earlier: ConsolidatedVersion, later: Sequence[ConsolidatedVersion], new: Sequence[str]
) -> bool:
    """Whether the new acts, and nothing else, lead from a version to the next, and all at once."""
    following = later[0]
    staged = {each for version in later for each in version.ended_by}
    is_followed_by_stage = len(later) > 1 and set(later[1].taken_in) <= set(following.taken_in)
    return (
        bool(new)
        and following.sequence == earlier.sequence + 1
        and set(earlier.taken_in) <= set(following.taken_in)
        and not staged & set(new)
        and not is_followed_by_stage
        and max(len(earlier.raw), len(following.raw)) <= _LARGEST
    )


def _read_version(clone: Path, act: str, day: str, path: str) -> ConsolidatedVersion:
    raw = _run_git(clone, "show", f"HEAD:{path}")
    head = raw.decode("utf-8", errors="replace")
    about = re.search(r"<INFO\.CONSLEG[^>]*>", head)
    attributes = dict(re.findall(r'([\w.]+)="([^"]*)"', about.group() if about else ""))
    acts = re.findall(r"<MOD\.ACT\b.*?</MOD\.ACT>", head, re.DOTALL)
    numbers = [re.search(r"<NO\.CELEX>([^<]+)", each) for each in acts]
    return ConsolidatedVersion(
        act,
        day,
        raw,
        int(attributes.get("PROD.SEQ", "0").partition(".")[0] or 0),
        [_spell_out(each[1]) for each in numbers if each],
        [_spell_out(each) for each in attributes.get("SOURCE.END", "").split()],
    )


def _spell_out(celex: str) -> str:
    """A number as files are named; until 2010 its year had two digits: 309L0111 is 32009L0111."""
    short = re.fullmatch(r"3(\d\d)([A-Z]\d{4})", celex)
    if short is None:
        return celex.lower()
    century = "19" if int(short[1]) > 50 else "20"
    return f"3{century}{short[1]}{short[2]}".lower()


def _read_published(clone: Path, path: str) -> str:
    raw = _run_git(clone, "show", f"HEAD:{path}")
    return read_document(raw).text if 0 < len(raw) <= _LARGEST else ""


def is_about(instrument: str, celex: str) -> bool:
    """Whether an act that is named "Regulation (EU) No 282/2011" has the number 32011R0282."""
    found = re.fullmatch(r"3(\d{4})([rldRLD])(\d{4})", celex)
    named = re.search(r"(\w+)\s+(?:\([^)]*\)\s*)?(?:No\s+)?(\d+)/(\d+)", instrument)
    if found is None or named is None:
        return False
    kind = {"r": "Regulation", "l": "Directive", "d": "Decision"}[found[2].lower()]
    year, number = int(found[1]), int(found[3])
    numbers = {_in_full(int(named[2])), _in_full(int(named[3]))}
    return named[1] == kind and {year, number} <= {*numbers, int(named[2]), int(named[3])}


def _in_full(year: int) -> int:
    """Years were printed with two digits until 1998."""
    return year + 1900 if 50 < year < 100 else year


def _run_git(clone: Path, *arguments: str) -> bytes:
    """What git prints: nothing for a file that a mirror left out because of its size."""
    done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)
    return done.stdout
