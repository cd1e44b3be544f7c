"""How examples write what their texts say: `American` for `United States`, `Paris` for `Paris`."""

from collections import Counter
from collections.abc import Sequence

from assay.packs.graph.ids import folded_name
from assay.packs.graph.plain.alignment import aligned
from assay.packs.graph.plain.lines import Line
from assay.packs.graph.plain.mentions import Kind

_SEEN = 2
_SHARE = 0.5
"""How often words must stand for an object, of all the times that they stand beside it."""

Told = tuple[Sequence[Line], Sequence[tuple[str, str, str]]]


class Spelling:
    """Which words of the texts stand for which words of the triples."""

    def __init__(self, examples: Sequence[Told]) -> None:
        self._written: dict[str, dict[str, Counter[str]]] = {}
        beside: dict[str, dict[str, Counter[str]]] = {}
        seen: dict[str, Counter[str]] = {}
        for lines, triples in examples:
            own = set(_words(lines))
            for told in {one for _, one, _ in triples}:
                seen.setdefault(told, Counter()).update(own)
            for subject, told, object_ in triples:
                self._note("", subject, lines, subject=True)
                if not self._note(told, object_, lines):
                    for words in own - {folded_name(subject)}:
                        counted = beside.setdefault(told, {}).setdefault(words, Counter())
                        counted[object_] += 1
        self._meant = _meant(beside, seen)

    def meant(self, lines: Sequence[Line], told: str, object_: str) -> list[tuple[int, int]]:
        """The mentions that stand for an object in other words than its own."""
        meant = self._meant.get(told, {})
        return [
            (at, index)
            for at, line in enumerate(lines)
            for index, mention in enumerate(line.mentions)
            if meant.get(folded_name(mention.words)) == object_
        ]

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

    def _note(self, told: str, words: str, lines: Sequence[Line], *, subject: bool = False) -> bool:
        places = aligned(words, lines, subject=subject)
        for at, index in places:
            mention = lines[at].mentions[index]
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
    beside: dict[str, dict[str, Counter[str]]], seen: dict[str, Counter[str]]
) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for told, by_words in sorted(beside.items()):
        for words, counted in sorted(by_words.items()):
            object_ = min(counted, key=lambda one: (-counted[one], one))
            often = counted[object_]
            if often >= _SEEN and often >= _SHARE * seen[told][words]:
                found.setdefault(told, {})[words] = object_
    return found
