"""`python -m bench.civic_summaries`: the civic pack's summaries beside lead, TextRank and LexRank.

The texts are the committee meetings of QMSum (parliaments of Wales and Canada), with summaries
written by people: one of each meeting, and some of the part of it that a question is about, which
is like an agenda item. Everyone chooses from the same sentences and has the same room: a number of
sentences, or a number of words, at which the last sentence is cut off. The first figure is the mean
of ROUGE-1, ROUGE-2 and ROUGE-L (F) for the parts, with the same number of words.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from assay.packs.civic.texts.summary import SourceText, summarize
from assay.sdk.reading import split_sentences
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report

SUMY: Final = Peer(
    "sumy",
    "civic_summaries",
    "sqlite",
    ("sumy==0.13.0", "rouge-score==0.1.2", "numpy==2.4.6", "setuptools==81.0.0"),
)
WHERE: Final = (
    "Get QMSum with 'git clone https://github.com/Yale-LILY/QMSum' and give its folder with "
    "--data; a bare git directory will do."
)


@dataclass(frozen=True)
class Room:
    """How much a summary may say."""

    sentences: int
    words: int


ROOMS: Final = {"parts": Room(3, 80), "meetings": Room(6, 130)}
"""Sentences as the pack makes them; words about as many as people use in the part `train`."""


@dataclass(frozen=True)
class Task:
    """A text, what was asked about it, and a summary that a person wrote."""

    level: str
    text: str
    question: str
    reference: str
    spans: Sequence[tuple[int, int]]
    """Of its sentences."""

    def join(self, numbers: Iterable[int]) -> str:
        """The sentences with these numbers, in the order of the text."""
        return " ".join(self.text[slice(*self.spans[number])] for number in sorted(numbers))


Summarizer = Callable[[Task, int], str]
"""Makes a summary of a number of sentences."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.civic_summaries", description=__doc__)
    parser.add_argument("--data", type=Path, help=f"the folder of QMSum. {WHERE}")
    parser.add_argument("--part", choices=("train", "val", "test"), default="test")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    if given.data is None:
        sys.exit(f"This benchmark needs the data of QMSum. {WHERE}")
    print_report(measure(load_tasks(given.data, given.part), given.part), given.json)


def load_tasks(data: Path, part: str) -> list[Task]:
    """The tasks of one part of the committee meetings, from a folder or a git directory."""
    name = f"data/Committee/jsonl/{part}.jsonl"
    if (data / name).is_file():
        lines = (data / name).read_text()
    else:
        command = ["git", "-C", str(data), "show", f"HEAD:{name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"There is no {name} in {data}. {WHERE}")
        lines = done.stdout
    return [task for line in lines.splitlines() if line for task in _read_meeting(json.loads(line))]


def _read_meeting(meeting: Mapping[str, Any]) -> Iterator[Task]:
    turns = [" ".join(turn["content"].split()) for turn in meeting["meeting_transcripts"]]
    for asked in meeting["general_query_list"]:
        yield _make_task("meetings", turns, asked)
    for asked in meeting["specific_query_list"]:
        spans = [(int(first), int(last)) for first, last in asked["relevant_text_span"]]
        told = [turn for first, last in spans for turn in turns[first : last + 1]]
        yield _make_task("parts", told, asked)


def _make_task(level: str, turns: Iterable[str], asked: Mapping[str, Any]) -> Task:
    text = "\n\n".join(turn for turn in turns if turn)
    return Task(level, text, asked["query"], asked["answer"], split_sentences(text))


def measure(tasks: Sequence[Task], part: str) -> Report:
    """Everyone's scores at both levels, with both kinds of room."""
    cited = Citations()
    systems = {
        "Assay": lambda task, most: cited.summarize(task, "", most),
        "Assay, with the question as title": lambda t, most: cited.summarize(t, t.question, most),
        "lead": lambda task, most: task.join(range(min(most, len(task.spans)))),
        **rank_with_peers(tasks),
    }
    tables = {
        f"{level}, {kind}": score(systems, [t for t in tasks if t.level == level], kind)
        for level in ROOMS
        for kind in ("same words", "same sentences")
    }
    first = {name: row[-1] for name, row in tables["parts, same words"].items()}
    return Report(
        name="civic summaries",
        unit="mean of ROUGE-1, -2 and -L, F",
        better="higher",
        ours=first["Assay"],
        peers={name: figure for name, figure in first.items() if not name.startswith("Assay")},
        detail={
            "columns": "ROUGE-1, ROUGE-2, ROUGE-L, mean",
            **tables,
            "room": {
                level: f"{room.sentences} sentences or {room.words} words"
                for level, room in ROOMS.items()
            },
            "part of QMSum": part,
            "summaries": {level: sum(t.level == level for t in tasks) for level in ROOMS},
            "sentences of Assay found at their cited place": f"{cited.found} of {cited.given}",
        },
    )


class Citations:
    """Makes Assay's summaries and checks that every sentence is where it says."""

    def __init__(self) -> None:
        self.given = self.found = 0

    def summarize(self, task: Task, title: str, most: int) -> str:
        sentences = summarize([SourceText("text", task.text)], title, most)
        for sentence in sentences:
            self.given += 1
            if task.text[sentence.start : sentence.end].split() != sentence.text.split():
                raise AssertionError(f"not at its cited place: {sentence}")
            self.found += 1
        return " ".join(sentence.text for sentence in sentences)


def rank_with_peers(tasks: Sequence[Task]) -> dict[str, Summarizer]:
    """What sumy's summarizers would choose, asked for all texts at once."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(t.text for t in tasks))}
    spans = {task.text: task.spans for task in tasks}
    ranked = _ask_peer({"documents": [[text[a:b] for a, b in spans[text]] for text in numbers]})

    def choose_by(orders: list[list[int]]) -> Summarizer:
        return lambda task, most: task.join(orders[numbers[task.text]][:most])

    return {f"sumy {name}": choose_by(orders) for name, orders in ranked.items()}


def score(
    systems: Mapping[str, Summarizer], tasks: Sequence[Task], kind: str
) -> dict[str, list[float]]:
    """The mean ROUGE scores of each system, and their mean, in percent."""
    write = write_words if kind == "same words" else write_sentences
    pairs = [(write(system, task), task.reference) for system in systems.values() for task in tasks]
    scores = iter(_ask_peer({"pairs": pairs}))
    table = {}
    for name in systems:
        rows = [next(scores) for _ in tasks]
        means = [100 * fmean(column) for column in zip(*rows, strict=True)]
        table[name] = [round(figure, 2) for figure in (*means, fmean(means))]
    return table


def write_sentences(system: Summarizer, task: Task) -> str:
    """A summary of the number of sentences that is allowed."""
    return system(task, ROOMS[task.level].sentences)


def write_words(system: Summarizer, task: Task) -> str:
    """A summary of as few sentences as fill the words that are allowed, cut off there."""
    room, words = ROOMS[task.level].words, list[str]()
    for most in range(1, len(task.spans) + 1):
        before, words = words, system(task, most).split()
        if len(words) >= room or len(words) == len(before):
            break
    return " ".join(words[:room])


def _ask_peer(question: object) -> Any:
    done = subprocess.run(
        [str(install(SUMY)), "-m", "bench.civic_peers.summaries"],
        cwd=ROOT,
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise PeerFailed(f"sumy ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
