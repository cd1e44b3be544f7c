"""`python -m bench.statements --mirrors DIR`: which sentences assert what they say.

Measures the check of `assay.reading.statements` on the sentences of the tests and on public
corpora (see `bench.statement_sets`), each in two halves by a hash of the sentence. Tune with one
half (`--show` lists its errors) and read the other only as totals.
"""

import argparse
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.reading.statements import StatementMode, judge_statement

OWN: Final = Path(__file__).parents[1] / "tests" / "reading" / "statements"
_MARKED: Final = re.compile(r"[\[{]([^\]}]*)[\]}]")


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """A sentence with the place of its value, those of other names, and its mode."""

    language: str
    text: str
    value: tuple[int, int]
    others: tuple[tuple[int, int], ...]
    mode: StatementMode
    corpus: str = "own"
    only_negation: bool = False

    @classmethod
    def parse(cls, language: str, line: str) -> "OwnSentence":
        """Read `negated: {A} is not in [B].`: the value is in brackets, other names in braces."""
        mode, _, marked = line.partition(": ")
        text, at, value, others = "", 0, (0, 0), []
        for match in _MARKED.finditer(marked):
            text += marked[at : match.start()]
            place = (len(text), len(text) + len(match[1]))
            text += match[1]
            at = match.end()
            if match[0][0] == "[":
                value = place
            else:
                others.append(place)
        return cls(language, text + marked[at:], value, tuple(others), StatementMode(mode))

    @property
    def is_held_out(self) -> bool:
        """Half of the sentences, chosen by a hash."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 0


def read_own_sentences(folder: Path, language: str) -> Iterator[OwnSentence]:
    """The sentences of the tests."""
    for line in (folder / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield OwnSentence.parse(language, line)


def is_refused(sentence: OwnSentence) -> bool:
    """Whether a sentence is not taken for an assertion."""
    found = judge_statement(sentence.text, sentence.value, sentence.language, sentence.others)
    if sentence.only_negation:
        return found.mode is StatementMode.NEGATED
    return not found.is_asserted


def measure(sentences: Iterable[OwnSentence], *, show: bool) -> None:
    """Print recall, precision and refused controls of each corpus, the halves apart."""
    counts: Counter[tuple[str, str, bool, bool, bool]] = Counter()
    for one in sentences:
        refused, asserted = is_refused(one), one.mode is StatementMode.ASSERTED
        counts[one.corpus, one.language, one.is_held_out, asserted, refused] += 1
        if show and not one.is_held_out and refused is asserted:
            start, end = one.value
            print(f"{one.mode}: {one.text[:start]}[{one.text[start:end]}]{one.text[end:]}")
    print(
        f"{'corpus':<18}{'':4}{'half':<10}{'recall':>16}{'precision':>16}{'controls refused':>20}"
    )
    for corpus, language, held in sorted({key[:3] for key in counts}):
        right, missed, wrong, kept = (
            counts[corpus, language, held, asserted, refused]
            for asserted, refused in ((False, True), (False, False), (True, True), (True, False))
        )
        cells = (
            _write_share(right, right + missed),
            _write_share(right, right + wrong),
            _write_share(wrong, wrong + kept),
        )
        half = "held out" if held else "tuning"
        print(f"{corpus:<18}{language:4}{half:<10}{cells[0]:>16}{cells[1]:>16}{cells[2]:>20}")


def _write_share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.2f}" if whole else "-"


def main() -> None:
    """Measure the sentences of the tests, and the corpora if they are given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=Path, help="a folder of clones, owner+name/repo")
    parser.add_argument("--show", action="store_true", help="list the errors of the tuning half")
    options = parser.parse_args()
    sentences = [one for name in ("en", "de", "hr") for one in read_own_sentences(OWN, name)]
    if options.mirrors is not None:
        from bench.statement_sets import read_corpora

        sentences += [
            OwnSentence(
                one.language, one.text, (one.start, one.end), (), one.mode, one.corpus,
                one.only_negation,
            )
            for one in dict.fromkeys(read_corpora(options.mirrors))
        ]  # fmt: skip
    measure(sentences, show=options.show)


if __name__ == "__main__":
    main()
