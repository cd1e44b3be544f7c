"""The proof of the scorer: what was published for the baselines, and what it makes of them.

The published average of DBpedia-WebNLG counts its first ontology twice, because the benchmark's
configuration lists it twice. Its own list is followed here, so that the figures can be the same;
a score of ours counts each ontology once.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bench.text2kg_data import Baseline
from bench.text2kg_score import Figures, Score, average

_AVERAGES: Final = {
    "avg_precision": "precision",
    "avg_recall": "recall",
    "avg_f1": "f1",
    "avg_onto_conf": "conformance",
    "avg_rel_halluc": "relation_made_up",
    "avg_sub_halluc": "subject_made_up",
    "avg_obj_halluc": "object_made_up",
}
_OF_A_SENTENCE: Final = {name.removeprefix("avg_"): figure for name, figure in _AVERAGES.items()}
_EXAMPLES: Final = 12


class Agreement:
    """Published figures beside our own, figure by figure."""

    def __init__(self) -> None:
        self._same: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.unlike: list[str] = []

    def take(
        self, published: Mapping[str, Any], names: Mapping[str, str], ours: Figures, where: str
    ) -> None:
        """One line of published figures, and the figures that are to be the same."""
        for name, figure in names.items():
            own = getattr(ours, figure)
            same = is_same(own, published[name])
            self._all[figure] += 1
            self._same[figure] += same
            if not same:
                self.unlike.append(f"{where} {figure}: {own:.4f}, published {published[name]}")

    @property
    def same(self) -> int:
        return self._same.total()

    @property
    def all(self) -> int:
        return self._all.total()

    def told(self) -> dict[str, str]:
        return {name: f"{self._same[name]} of {count}" for name, count in self._all.items()}


def is_same(own: float, published: float | str) -> bool:
    """Whether a figure is the published one: to its two decimals where those are all it has."""
    if isinstance(published, str):
        return f"{own:.2f}" == published
    return math.isclose(own, published, abs_tol=1e-9)


def averages(baseline: Baseline, scored: Score) -> Agreement:
    """The published averages of a baseline against ours, one for each ontology and subset."""
    found = Agreement()
    for line, figures in _published(baseline, scored):
        found.take(line, _AVERAGES, figures, f"{line.get('onto', 'all')} {line['type']}")
    return found


def sentences(baseline: Baseline, scored: Score) -> Agreement:
    """The published figures of each sentence against ours."""
    found = Agreement()
    for part in scored.parts:
        for id_, figures in part.by_sentence.items():
            if id_ in baseline.figures:
                found.take(baseline.figures[id_], _OF_A_SENTENCE, figures, id_)
    return found


def proof(baseline: Baseline, scored: Score) -> dict[str, Any]:
    """How many published figures the scorer gives, and which it does not."""
    of_parts, of_sentences = averages(baseline, scored), sentences(baseline, scored)
    answered = {id_ for part in scored.parts for id_ in part.by_sentence}
    return {
        "averages": of_parts.told(),
        "sentences": of_sentences.told(),
        "scored on one side only": len(answered ^ set(baseline.figures)),
        "same": f"{of_parts.same + of_sentences.same} of {of_parts.all + of_sentences.all}",
        "unlike": [*of_parts.unlike, *of_sentences.unlike][:_EXAMPLES],
    }


def _published(baseline: Baseline, scored: Score) -> Iterator[tuple[Mapping[str, Any], Figures]]:
    """Each published average with our own; one that was published twice is given twice."""
    parts = {part.name: part for part in scored.parts}
    for line in baseline.averages:
        part = parts.get(line.get("onto", ""))
        if line["type"] == "global":
            listed = [parts[one["id"]].all for one in line["onto_list"] if one["id"] in parts]
            yield line, average(listed, len(line["onto_list"]))
        elif part is not None and line["type"] == "all_test_cases":
            yield line, part.all
        elif part is not None and part.selected is not None:
            yield line, part.selected
