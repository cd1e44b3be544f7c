"""Text2KGBench as it lies in a checkout: sentences, triples, ontologies, baselines.

The data is read where it lies and kept nowhere else.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

Triple: TypeAlias = tuple[str, str, str]
"""Subject, relation and object, in words."""
Answers: TypeAlias = Mapping[str, tuple[Triple, ...]]
"""What a system found, by the id of the sentence; a sentence that is missing was not answered."""

DATASETS: Final = ("wikidata_tekgen", "dbpedia_webnlg")
UNSEEN: Final = "unseen"
"""Sentences of TekGen that the benchmark's authors wrote themselves, so no model has read them."""
_NAME: Final = re.compile(r"(?:ont_)?(\d+_[a-z]+)_")


class DataMissing(Exception):
    """The folder is no checkout of Text2KGBench, or not a whole one."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of the test split with what it should give."""

    id: str
    text: str
    gold: tuple[Triple, ...]


@dataclass(frozen=True)
class Labels:
    """The names that an ontology gives its concepts and relations, as the benchmark reads them."""

    concepts: tuple[str, ...]
    relations: frozenset[str]


@dataclass(frozen=True)
class Taught:
    """A sentence of the train split with its triples, in the writing of the split."""

    text: str
    triples: tuple[Triple, ...]


@dataclass(frozen=True, kw_only=True)
class Part:
    """All that belongs to one ontology."""

    name: str
    """Such as `1_movie`."""
    sentences: tuple[Sentence, ...]
    labels: Labels
    turtle: bytes
    """The ontology in OWL."""
    train: tuple[Taught, ...] = ()
    """Without the sentences of the test split, some of which the data set has in both."""
    withheld: int = 0
    """How many sentences of the train split those are."""
    selected: tuple[str, ...] = ()
    """Ids of the sentences whose triples a person has verified."""


@dataclass(frozen=True)
class Baseline:
    """What a model answered when the benchmark was made, and the figures that were published."""

    name: str
    answers: Mapping[str, Answers]
    """By ontology."""
    averages: tuple[Mapping[str, Any], ...]
    """One for each ontology and subset, the whole last, as published."""
    figures: Mapping[str, Mapping[str, Any]]
    """By sentence, as published."""


@dataclass(frozen=True)
class Dataset:
    """One of the benchmark's data sets, or its unseen sentences."""

    name: str
    parts: tuple[Part, ...]
    baselines: tuple[Baseline, ...] = field(default=())


def read_dataset(checkout: Path, name: str, *, unseen: bool = False) -> Dataset:
    """A data set; DataMissing where it is not there."""
    folder = checkout / "data" / name
    gold_folder = folder / "unseen_sentences" if unseen else folder
    gold = _by_part(gold_folder / "ground_truth")
    if not gold:
        raise DataMissing(
            f"{gold_folder} has no ground truth: give the folder of a checkout of "
            "cenguix/Text2KGBench with --data"
        )
    parts = tuple(_part(folder, part, path, unseen) for part, path in gold.items())
    baselines = sorted(path for path in (folder / "baselines").glob("*") if _is_model(path))
    return Dataset(
        f"{name} {UNSEEN}" if unseen else name,
        parts,
        tuple(_baseline(path, unseen) for path in baselines),
    )


def has_unseen(checkout: Path, name: str) -> bool:
    """Whether the data set has unseen sentences."""
    return bool(_by_part(checkout / "data" / name / "unseen_sentences" / "ground_truth"))


def _part(folder: Path, name: str, gold: Path, unseen: bool) -> Part:
    # A later line with the same id takes the place of an earlier one, as in the benchmark.
    lines = {line["id"]: line for line in _lines(gold)}
    texts = {line["sent"] for line in lines.values()}
    path = _by_part(folder / "train").get(name)
    train = () if path is None else _taught(_lines(path))
    selected = folder / "manually_verified_sentences" / f"selected_ont_{name}.txt"
    return Part(
        name=name,
        sentences=tuple(
            Sentence(id_, line["sent"], tuple(map(_labelled, line["triples"])))
            for id_, line in lines.items()
        ),
        labels=read_labels(folder / "ontologies" / f"{name}_ontology.json"),
        turtle=(folder / "ontologies" / "owl" / f"ont_{name}.ttl").read_bytes(),
        train=tuple(taught for taught in train if taught.text not in texts),
        withheld=sum(taught.text in texts for taught in train),
        selected=()
        if unseen or not selected.exists()
        else tuple(line.strip() for line in selected.read_text(encoding="utf-8").splitlines()),
    )


def read_labels(path: Path) -> Labels:
    """The names in an ontology's JSON file."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Labels(
        tuple(concept["label"] for concept in told["concepts"]),
        frozenset(relation["label"] for relation in told["relations"]),
    )


def _taught(lines: Iterable[Mapping[str, Any]]) -> tuple[Taught, ...]:
    """The train split; the lines of one sentence are one."""
    by_text: dict[str, list[Triple]] = {}
    for line in lines:
        known = by_text.setdefault(line["sent"], [])
        if "triples" in line:
            known += map(_labelled, line["triples"])
        else:
            known.append((line["sub_label"], line["rel_label"], line["obj_label"]))
    return tuple(
        Taught(text, tuple(dict.fromkeys(triples)))
        for text, triples in by_text.items()
        if text.strip()
    )


def _labelled(triple: Mapping[str, str]) -> Triple:
    return triple["sub"], triple["rel"], triple["obj"]


def _is_model(folder: Path) -> bool:
    return (folder / "llm_responses").is_dir()


def _baseline(folder: Path, unseen: bool) -> Baseline:
    where = folder / UNSEEN if unseen else folder
    published = where / "eval_metrics"
    return Baseline(
        folder.name,
        {
            part: {
                line["id"]: tuple((sub, rel, obj) for sub, rel, obj in line["triples"])
                for line in _lines(path)
            }
            for part, path in _by_part(where / "llm_responses").items()
        },
        tuple(line for path in sorted(published.glob("*avg*.jsonl")) for line in _lines(path)),
        {line["id"]: line for path in _by_part(published).values() for line in _lines(path)},
    )


def _by_part(folder: Path) -> dict[str, Path]:
    """The files of a folder by the ontology that they are named after, in the order of numbers."""
    found = {}
    for path in folder.glob("*.jsonl"):
        named = _NAME.match(path.name)
        if named:
            found[named[1]] = path
    return dict(sorted(found.items(), key=lambda item: int(item[0].split("_")[0])))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    # Only a line feed ends a line: some sentences hold other signs that Unicode calls line ends.
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)
