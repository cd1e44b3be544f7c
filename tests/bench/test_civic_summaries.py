"""The summaries bench: its tasks, the room of a summary, and the check of citations."""

import json
from pathlib import Path

import pytest
from bench.civic_summaries import ROOMS, Citations, Task, load_tasks, write_sentences, write_words

from assay.packs.civic.texts.summary import SummarySentence
from bench import civic_summaries

TURNS = [
    "I call the meeting to order.",
    "The bridge on Elm Street carries nine thousand cars a day. It will cost two million dollars.",
    "The library opens on Sundays from next month on, as readers have asked for years.",
]
MEETING = {
    "meeting_transcripts": [{"speaker": "A", "content": turn} for turn in TURNS],
    "general_query_list": [{"query": "Summarize the whole meeting.", "answer": "Bridge, library."}],
    "specific_query_list": [
        {"query": "The library?", "answer": "Sundays.", "relevant_text_span": [["2", "2"]]}
    ],
}


@pytest.fixture
def tasks(tmp_path: Path) -> list[Task]:
    folder = tmp_path / "data" / "Committee" / "jsonl"
    folder.mkdir(parents=True)
    (folder / "val.jsonl").write_text(json.dumps(MEETING) + "\n")
    return load_tasks(tmp_path, "val")


def test_a_meeting_becomes_one_task_as_a_whole_and_one_for_each_question(
    tasks: list[Task],
) -> None:
    assert [(task.level, task.text, len(task.spans)) for task in tasks] == [
        ("meetings", "\n\n".join(TURNS), 4),
        ("parts", TURNS[2], 1),
    ]


def test_data_that_is_not_there_is_refused_with_its_address(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="git clone"):
        load_tasks(tmp_path, "test")


def test_everyone_has_the_same_room(tasks: list[Task]) -> None:
    text = " ".join(f"word{number}" for number in range(1000))
    asked: list[int] = []

    def write(task: Task, most: int) -> str:
        asked.append(most)
        return " ".join(text.split()[: most * 100])

    room = ROOMS["meetings"]
    assert len(write_words(write, tasks[0]).split()) == room.words
    assert asked == [1, 2]
    write_sentences(write, tasks[0])
    assert asked[-1] == room.sentences


def test_a_sentence_that_is_not_at_its_place_ends_the_bench(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = Citations()
    cited.summarize(tasks[0], "", 2)
    assert cited.found == cited.given == 2
    moved = [SummarySentence("The bridge.", "text", 0, 5)]
    monkeypatch.setattr(civic_summaries, "summarize", lambda *_: moved)
    with pytest.raises(AssertionError, match="not at its cited place"):
        cited.summarize(tasks[0], "", 2)
