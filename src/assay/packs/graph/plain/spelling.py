"""How examples write what their texts say: `American` for `United States`, `Paris` for `Paris`."""

from collections import Counter
from collections.abc import Sequence

from assay.packs.graph.ids import folded_name
from assay.packs.graph.plain.alignment import aligned
from assay.packs.graph.plain.lines import Line
from assay.packs.graph.plain.mentions import Kind

_SEEN = 3
_SHARE = 0.6
"""How often words must stand for an object, of all the times that they stand beside it."""
_LIFT = 1.5
"""How much more often that must be than the object is told at all."""
Told = tuple[Sequence[Line], Sequence[tuple[str, str, str]]]


class Spelling:
    """Which words of the texts stand for which words of the triples."""

    def __init__(self, examples: Sequence[Told]) -> None:
        self._written: dict[str, dict[str, Counter[str]]] = {}
        self._opened: list[str] = []
        beside: dict[str, dict[str, Counter[str]]] = {}
        seen: dict[str, Counter[str]] = {}
        told_at_all: dict[str, Counter[str]] = {}
        for lines, triples in examples:
            own = set(_words(lines))
            for told in {one for _, one, _ in triples}:
                seen.setdefault(told, Counter()).update(own)
            for subject, told, object_ in triples:
                told_at_all.setdefault(told, Counter())[object_] += 1
                self._note("", subject, lines, subject=True)
                if not self._note(told, object_, lines):
                    for words in own - {folded_name(subject)} - self._verbs(own):
                        counted = beside.setdefault(told, {}).setdefault(words, Counter())
                        counted[object_] += 1
        self._meant = _meant(beside, seen, told_at_all)

    def meant(self, lines: Sequence[Line], told: str, object_: str) -> list[tuple[int, int]]:
        """The mentions that stand for an object in other words than its own."""
        meant = self._meant.get(told, {})
        return [
            (at, index)
            for at, line in enumerate(lines)
            for index, mention in enumerate(line.mentions)
            if meant.get(folded_name(mention.words)) == object_
        ]

    def article(self) -> bool:
        """Whether the names that texts open with keep their `The` in the triples."""
        kept = sum(written.casefold().startswith("the") for written in self._opened)
        return 2 * kept >= len(self._opened)

    def terms(self) -> frozenset[str]:
        """Words that stand for an object in other words than its own."""
        return frozenset(words for meant in self._meant.values() for words in meant)

    def table(self) -> dict[str, dict[str, str]]:
        """Property, or nothing for subjects → words → how they are written most often."""
        found: dict[str, dict[str, str]] = {}
        for told, by_words in sorted(self._written.items()):
            for words, counted in sorted(by_words.items()):
                found.setdefault(told, {})[words] = min(
                    counted, key=lambda one: (-counted[one], one)
                )
        for told, meant in sorted(self._meant.items()):
            for words, object_ in sorted(meant.items()):
                found.setdefault(told, {}).setdefault(words, object_)
        return found

    @staticmethod
    def _verbs(own: set[str]) -> set[str]:
        return {words for words in own if words.endswith(("ed", "ing"))}

    def _note(self, told: str, words: str, lines: Sequence[Line], *, subject: bool = False) -> bool:
        places = aligned(words, lines, subject=subject)
        for at, index in places:
            mention = lines[at].mentions[index]
            if subject and mention.words.startswith("The "):
                self._opened.append(words)
            if mention.kind is not Kind.STAND_IN:
                counted = self._written.setdefault(told, {})
                counted.setdefault(folded_name(mention.words), Counter())[words] += 1
        return bool(places)


def _words(lines: Sequence[Line]) -> list[str]:
    return [
        folded_name(mention.words)
        for line in lines
        for mention in line.mentions
        if mention.kind is not Kind.STAND_IN
    ]


def _meant(
    beside: dict[str, dict[str, Counter[str]]],
    seen: dict[str, Counter[str]],
    told_at_all: dict[str, Counter[str]],
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for told, by_words in sorted(beside.items()):
        for words, counted in sorted(by_words.items()):
            object_ = min(counted, key=lambda one: (-counted[one], one))
            often = counted[object_]
            share = often / seen[told][words]
            usual = told_at_all[told][object_] / told_at_all[told].total()
            if often >= _SEEN and share >= max(_SHARE, min(0.9, _LIFT * usual)):
                found.setdefault(told, {})[words] = object_
    return found
