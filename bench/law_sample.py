"""`python -m bench.law_sample --mirrors DIR --part tuning|judging`: facts of real law for a judge.

Draws facts at random from whole acts in public repositories and writes a sheet for each language:
what the extractor says, the sentence it says it of, and the text around it. A person marks which
aspects are right. A hash of its name decides which part an act belongs to: tune with one part, and
read the other only to judge. At most a few facts come from one act, so that no act dominates.
"""

import argparse
import asyncio
import hashlib
import random
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.app.examination import examine_targets
from assay.app.tools import Tools, build_tools
from assay.errors import AssayError
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.ruling.evaluation.aspects import FIGURES, UNSCORED
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.proposals import Passage
from assay.ruling.rules.conditions import parse_condition, render_condition
from assay.settings import Settings

_LARGEST: Final = 1_200_000
_AROUND: Final = 1500
_AT_ONCE: Final = 12


@dataclass(frozen=True, slots=True)
class ActPool:
    """Acts of one language in a public repository."""

    language: str
    jurisdiction: str
    repository: str
    commit: str
    under: str
    ending: str


POOLS: Final = (
    ActPool("hr", "hr", "nhursa77/veritas77", "3328b41", "ustav i zakoni/", ".md"),
    ActPool("de", "de", "bundestag/gesetze", "HEAD", "", "index.md"),
    # Earlier ones have mostly been replaced since.
    ActPool("en", "ie", "legalize-dev/legalize-ie", "HEAD", "ie/IE-20", ".md"),
    ActPool("en", "us", "legalize-dev/legalize-us", "HEAD", "us/", ".md"),
)


@dataclass(frozen=True, slots=True)
class ExtractedAct:
    """An act as read, and the facts in it that have a figure."""

    path: str
    passage: Passage
    facts: Sequence[AcceptedFact]


@dataclass(frozen=True, slots=True)
class DrawnFact:
    """A fact, and the text around it."""

    act: str
    accepted: AcceptedFact
    before: str
    after: str

    def write(self, number: int) -> str:
        """The fact as a judge sees it."""
        fact = self.accepted.proposed
        condition = render_condition(parse_condition(fact.applies_when))
        return "\n".join(
            (
                f"## {number}",
                f"act: {self.act}",
                f"value: {fact.value} {fact.unit} ({fact.value_type})",
                f"concept: {fact.subject} · {fact.predicate}",
                f"about: {'; '.join(fact.qualifiers) or '-'}",
                f"context: {'; '.join(fact.context) or '-'}",
                f"applies: {condition}",
                f"from: {fact.effective_from or '-'}   until: {fact.effective_until or '-'}",
                f"provision: {fact.article or '-'}",
                f"quote: {' '.join(fact.quote.split())}",
                f"text around it:\n{self.before}>>>{fact.quote}<<<{self.after}",
                "",
            )
        )


def part_of(name: str) -> str:
    """The part that an act belongs to, by a hash of its name."""
    first = hashlib.sha256(f"sample/{name}".encode()).digest()[0]
    return "judging" if first % 2 else "tuning"


def list_acts(pool: ActPool, mirrors: Path, part: str) -> list[str]:
    """The paths of the pool's acts that belong to a part."""
    listed = _run_git(pool, mirrors, "ls-tree", "-r", "-z", "--name-only", pool.commit)
    return [
        path
        for path in listed.decode().split("\0")
        if path.startswith(pool.under) and path.endswith(pool.ending) and part_of(path) == part
    ]


async def draw_facts(
    pool: ActPool, mirrors: Path, part: str, wanted: int, per_act: int, chance: random.Random
) -> list[DrawnFact]:
    """Facts of acts in random order, until there are enough."""
    paths = sorted(list_acts(pool, mirrors, part))
    chance.shuffle(paths)
    tools, drawn = build_tools(Settings()), list[DrawnFact]()
    try:
        for at in range(0, len(paths), _AT_ONCE):
            if len(drawn) >= wanted:
                break
            drawn += await _draw_from(
                pool, mirrors, paths[at : at + _AT_ONCE], per_act, chance, tools
            )
    finally:
        await tools.close()
    return drawn[:wanted]


async def _draw_from(
    pool: ActPool,
    mirrors: Path,
    paths: Sequence[str],
    per_act: int,
    chance: random.Random,
    tools: Tools,
) -> list[DrawnFact]:
    drawn = []
    for act in await extract_acts(pool, mirrors, paths, tools):
        text = act.passage.reading.text
        for one in chance.sample(act.facts, min(per_act, len(act.facts))):
            before = text[max(0, one.start - _AROUND) : one.start]
            drawn.append(DrawnFact(act.path, one, before, text[one.end : one.end + _AROUND // 2]))
    return drawn


async def extract_acts(
    pool: ActPool, mirrors: Path, paths: Sequence[str], tools: Tools
) -> list[ExtractedAct]:
    """The facts of some acts; those that cannot be read are left out."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, path in enumerate(paths):
            raw = read_raw(pool, mirrors, path)
            file = Path(folder) / f"{number}{Path(path).suffix}"
            file.write_bytes(raw if len(raw) <= _LARGEST else b"")
            files.append(file)
        examined = await examine_targets([str(file) for file in files], tools)
        kept = [
            (
                path,
                Passage(
                    reading=one.reading, language=pool.language, jurisdiction=pool.jurisdiction
                ),
            )
            for path, one in zip(paths, examined, strict=True)
            if one.reading is not None
        ]
        pack = load_facts_with_extractor()
        results = await tools.pool.run_each(extract_facts, [(passage, pack) for _, passage in kept])
    return [
        ExtractedAct(
            path,
            passage,
            [
                one
                for one in result.accepted
                if one.proposed.value_type in FIGURES and one.proposed.predicate not in UNSCORED
            ],
        )
        for (path, passage), result in zip(kept, results, strict=True)
        if not isinstance(result, AssayError)
    ]


def read_raw(pool: ActPool, mirrors: Path, path: str) -> bytes:
    """The file of an act."""
    return _run_git(pool, mirrors, "show", f"{pool.commit}:{path}")


def _run_git(pool: ActPool, mirrors: Path, *arguments: str) -> bytes:
    folder = mirrors / pool.repository.replace("/", "+")
    places = (folder / "repo", folder / ".git", folder)
    found = next(place for place in places if (place / "HEAD").is_file())
    done = subprocess.run(
        ["git", "--git-dir", str(found), *arguments], capture_output=True, check=True
    )
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with the clones")
    parser.add_argument("--part", choices=("tuning", "judging"), default="tuning")
    parser.add_argument("--facts", type=int, default=67, help="facts of each language")
    parser.add_argument("--per-act", type=int, default=3, help="the most facts of one act")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--language", choices=("hr", "de", "en"), help="only this language")
    parser.add_argument("--out", type=Path, required=True, help="folder for the sheets")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    for language in sorted({pool.language for pool in POOLS}):
        if given.language not in (None, language):
            continue
        pools = [pool for pool in POOLS if pool.language == language]
        chance = random.Random(f"{given.seed}/{language}")
        drawn: list[DrawnFact] = []
        for place, pool in enumerate(pools):
            wanted = (given.facts - len(drawn)) // (len(pools) - place)
            drawn += asyncio.run(
                draw_facts(pool, given.mirrors, given.part, wanted, given.per_act, chance)
            )
        sheet = "\n".join(one.write(number) for number, one in enumerate(drawn, 1))
        (given.out / f"{language}.md").write_text(sheet, encoding="utf-8")
        print(f"{language}: {len(drawn)} facts of {len({one.act for one in drawn})} acts")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
