"""`python -m bench.text2kg --data DIR`: a graph out of sentences, on the public Text2KGBench.

DIR is a checkout of the repository cenguix/Text2KGBench; its data is read where it lies. Assay
reads every sentence of the test split with the ontology of its file and is scored by the
benchmark's own rules, and so are the answers that the benchmark publishes of two models of 13
billion parameters: these are the peers. `ours` is the F1 of the extractor that asks no model,
averaged over ontologies and then over data sets. It is shown the train split, without the
sentences that the test split has too, and writes names and values as that does; a prompt of the
peers had from it the one sentence most like its own. What each of this is worth, and the figures
without it, are in the detail. With `--provider` a model of a home reads instead, as a rule a
sample; it is shown no example, and only its values are written as the train split writes them.

The scorer is proved on every whole run: each figure that was published for the peers is counted
again. Ends with 1 where one is not the same, and with 3 where the data is not here.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from assay.packs.graph.service import GraphService
from bench.report import Report, print_report
from bench.text2kg_assay import Reading, opened, read_plainly, read_with
from bench.text2kg_data import DATASETS, DataMissing, Dataset, Part, has_unseen, read_dataset
from bench.text2kg_proof import proof
from bench.text2kg_score import Score, in_words, score
from bench.text2kg_writing import Writing

UNLIKE: Final = 1
NOT_HERE: Final = 3
WITH_EXAMPLES: Final = "Assay"
VALUES: Final = "Assay, names in the words of the text"
IN_WORDS: Final = "Assay, names and values in the words of the text"
WITHOUT: Final = "Assay without examples"
ASKED: Final = "Assay with a model"
_TOKENS: Final = 4096


def sampled(datasets: Sequence[Dataset], limit: int) -> tuple[Dataset, ...]:
    """So many sentences, spread evenly over all ontologies and within each."""
    parts = [(dataset.name, part) for dataset in datasets for part in dataset.parts]
    shares = {
        (name, part.name): limit // len(parts) + (number < limit % len(parts))
        for number, (name, part) in enumerate(parts)
    }
    return tuple(
        replace(
            dataset,
            parts=tuple(
                _sample(part, share)
                for part in dataset.parts
                if (share := shares[dataset.name, part.name])
            ),
        )
        for dataset in datasets
        if any(shares[dataset.name, part.name] for part in dataset.parts)
    )


def _sample(part: Part, most: int) -> Part:
    count = min(most, len(part.sentences))
    taken = [part.sentences[len(part.sentences) * n // count] for n in range(count)]
    kept = {sentence.id for sentence in taken}
    return replace(
        part,
        sentences=tuple(taken),
        selected=tuple(id_ for id_ in part.selected if id_ in kept),
    )


async def plain_scores(dataset: Dataset, *, examples: bool) -> tuple[dict[str, Score], float]:
    """The extractor without a model, in all its ways of being shown something, and its seconds."""
    without, shown, written, spelled = {}, {}, {}, {}
    seconds = 0.0
    for part in dataset.parts:
        bare = await read_plainly(part, examples=False)
        without[part.name] = bare.answers(part.labels)
        seconds += bare.seconds
        if examples:
            taught = await read_plainly(part, examples=True)
            shown[part.name] = taught.answers(part.labels)
            writing = Writing(part.train)
            written[part.name] = taught.answers(part.labels, writing)
            spelled[part.name] = taught.answers(part.labels, writing, spelled=True)
            seconds += taught.seconds
    scores = {WITHOUT: score(dataset, without)}
    if examples:
        scores = {
            WITH_EXAMPLES: score(dataset, spelled),
            VALUES: score(dataset, written),
            IN_WORDS: score(dataset, shown),
            **scores,
        }
    return scores, seconds


async def asked_score(
    dataset: Dataset, desk: GraphService, provider: str, *, examples: bool
) -> tuple[Score, Reading]:
    """A model on a data set, and all that it read."""
    read = {part.name: await read_with(desk, provider, part, _TOKENS) for part in dataset.parts}
    answers = {
        part.name: read[part.name].answers(part.labels, Writing(part.train) if examples else None)
        for part in dataset.parts
    }
    whole = Reading(
        {},
        sum(one.seconds for one in read.values()),
        sum(one.tokens for one in read.values()),
        sum(one.incomplete for one in read.values()),
    )
    return score(dataset, answers), whole


def peer_scores(dataset: Dataset) -> dict[str, Score]:
    """The published answers of the benchmark's own models."""
    return {one.name: score(dataset, one.answers) for one in dataset.baselines}


def figures(scored: Score) -> dict[str, Any]:
    """A score as it is told."""
    told: dict[str, Any] = {
        **scored.all.rounded(),
        "strict": scored.strict.rounded(),
        "triples per sentence": round(scored.triples_per_sentence, 2),
        "sentences answered": f"{scored.answered} of {scored.sentences}",
    }
    if scored.selected is not None:
        told["verified by a person"] = scored.selected.rounded()
    return told


def by_ontology(scores: Mapping[str, Score]) -> dict[str, Any]:
    """Each ontology with the figures of all contenders."""
    told: dict[str, Any] = {}
    for name, scored in scores.items():
        for part in scored.parts:
            told.setdefault(part.name, {"sentences": part.sentences})[name] = {
                **part.all.rounded(),
                "strict f1": round(part.strict.f1, 4),
            }
    return told


def report_of(
    scores: Mapping[str, Mapping[str, Score]], ours: str, extra: Mapping[str, Any]
) -> Report:
    """The report over data sets, by data set and contender; unseen sentences are in the detail."""
    counted = [by for name, by in scores.items() if name in DATASETS]
    names = [name for name in counted[0] if all(name in by for by in counted)]

    def mean(name: str) -> float:
        return round(sum(by[name].all.f1 for by in counted) / len(counted), 4)

    return Report(
        name="Text2KGBench: triples out of sentences by an ontology",
        unit="F1",
        better="higher",
        ours=mean(ours),
        peers={name: mean(name) for name in names if not name.startswith("Assay")},
        detail={
            "F1": {name: mean(name) for name in names},
            "strict F1": {
                name: round(sum(by[name].strict.f1 for by in counted) / len(counted), 4)
                for name in names
            },
            **{
                dataset: {name: figures(scored) for name, scored in by.items()}
                for dataset, by in scores.items()
            },
            **extra,
            "ontologies": {dataset: by_ontology(by) for dataset, by in scores.items()},
        },
    )


def proofs(
    datasets: Sequence[Dataset], scores: Mapping[str, Mapping[str, Score]]
) -> tuple[dict[str, Any], bool]:
    """What was published beside what the scorer gives, and whether all of it is the same."""
    told = {
        f"{dataset.name} {one.name}": proof(one, scores[dataset.name][one.name])
        for dataset in datasets
        for one in dataset.baselines
    }
    return told, not any(one["unlike"] for one in told.values())


async def measured(given: argparse.Namespace) -> tuple[Report, bool]:
    """Everything that was asked for, and whether the scorer was not disproved."""
    began = time.perf_counter()
    datasets = _datasets(given)
    scores: dict[str, dict[str, Score]] = {}
    seconds = 0.0
    for dataset in datasets:
        found, spent = await plain_scores(dataset, examples=given.examples)
        seconds += spent
        scores[dataset.name] = {**found, **peer_scores(dataset)}
    sentences = sum(found[WITHOUT].sentences for found in scores.values())
    extra: dict[str, Any] = {
        "sentences a second without a model": round(sentences * (1 + given.examples) / seconds, 1),
        "gold triples in the words of their sentence": {
            dataset.name: round(in_words(dataset), 4) for dataset in datasets
        },
        "sentences of the train split": {
            dataset.name: sum(len(part.train) for part in dataset.parts) for dataset in datasets
        },
        "withheld, for they are in the test split too": {
            dataset.name: sum(part.withheld for part in dataset.parts) for dataset in datasets
        },
    }
    ours = WITH_EXAMPLES if given.examples else WITHOUT
    if given.provider is not None:
        ours = ASKED
        extra["the model"] = await _asked(given, datasets, scores)
    # What was published is of all sentences, so a sample cannot prove anything.
    proved, same = ({}, True) if given.limit else proofs(datasets, scores)
    extra["proof of the scorer"] = proved or "not of a sample"
    extra["seconds"] = round(time.perf_counter() - began, 1)
    return report_of(scores, ours, extra), same


def _datasets(given: argparse.Namespace) -> list[Dataset]:
    names = DATASETS if given.dataset == "all" else (given.dataset,)
    datasets = [read_dataset(given.data, name) for name in names]
    if given.limit:
        return list(sampled(datasets, given.limit))
    unseen = [name for name in names if given.provider is None and has_unseen(given.data, name)]
    return datasets + [read_dataset(given.data, name, unseen=True) for name in unseen]


async def _asked(
    given: argparse.Namespace, datasets: Sequence[Dataset], scores: dict[str, dict[str, Score]]
) -> dict[str, Any]:
    """Put the model's scores beside the others; what it cost."""
    told: dict[str, Any] = {}
    with opened(given.home) as app:
        desk = GraphService(app.services)
        try:
            for dataset in datasets:
                scored, whole = await asked_score(
                    dataset, desk, given.provider, examples=given.examples
                )
                scores[dataset.name] = {ASKED: scored, **scores[dataset.name]}
                told[dataset.name] = {
                    "tokens": whole.tokens,
                    "seconds": round(whole.seconds, 1),
                    "sentences": scored.sentences,
                    "requests with a failed stage": whole.incomplete,
                }
        finally:
            await app.services.close()
    return told


def main() -> int:
    """Run the bench; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.text2kg")
    parser.add_argument("--data", type=Path, required=True, help="a checkout of Text2KGBench")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--dataset", choices=(*DATASETS, "all"), default="all")
    parser.add_argument("--limit", type=int, default=0, help="so many sentences, evenly spread")
    parser.add_argument(
        "--examples",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether the train split is shown",
    )
    parser.add_argument("--provider", help="a model of the home, by its name there")
    parser.add_argument("--home", type=Path, help="whose settings name the provider")
    given = parser.parse_args()
    if (given.provider is None) != (given.home is None):
        parser.error("--provider and --home go together")
    try:
        report, same = asyncio.run(measured(given))
    except DataMissing as error:
        print(error, file=sys.stderr)
        return NOT_HERE
    print_report(report, given.json)
    return 0 if same else UNLIKE


if __name__ == "__main__":
    sys.exit(main())
