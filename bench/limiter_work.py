"""The calls of the limiter bench: the same sizes, in the same order, for every contender.

A prompt begins with an order that the strict server follows: how many words to answer, and how
long to take over them. Words count as tokens, so that every contender can tell a prompt's size
exactly and none is judged by its tokenizer.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

SEED: Final = 3
PROMPT_WORDS: Final = (50, 600)
ANSWER_WORDS: Final = (20, 200)
ANSWER_MS: Final = (50, 400)
HEADROOM: Final = (1.05, 1.6)
"""How far above what is then said the allowed length of an answer lies, as a factor."""

_ORDER: Final = re.compile(r"Say (\d+) words in (\d+) ms\.")
_TEXT: Final = (
    "the act of seventeen ministers and their councils was published in a gazette after long "
    "debate about water rights which several provinces had claimed since before independence "
    "whereas section four applies only where no earlier permit exists under this title or its "
    "schedules nothing here shall limit any person from lodging an appeal within thirty days"
)


@dataclass(frozen=True)
class Work:
    """One call to make."""

    prompt: str
    max_tokens: int

    @property
    def most_tokens(self) -> int:
        """What the call uses if its answer becomes as long as it may."""
        return count_words(self.prompt) + self.max_tokens


def works(worker: int, *, seed: int = SEED) -> Iterator[Work]:
    """The endless calls of one worker process; no two prompts are equal."""
    chance = random.Random(f"{seed}/{worker}")
    vocabulary = _TEXT.split()
    number = 0
    while True:
        number += 1
        answer = chance.randint(*ANSWER_WORDS)
        prompt = order(answer, chance.randint(*ANSWER_MS)) + f" Case {worker}-{number}: "
        wanted = chance.randint(*PROMPT_WORDS) - count_words(prompt)
        yield Work(
            prompt + " ".join(chance.choices(vocabulary, k=wanted)),
            ceil(answer * chance.uniform(*HEADROOM)),
        )


def order(words: int, answer_ms: int) -> str:
    """What a prompt begins with."""
    return f"Say {words} words in {answer_ms} ms."


def read_order(prompt: str) -> tuple[int, int]:
    """How many words to answer, in how many milliseconds."""
    found = _ORDER.search(prompt)
    if found is None:
        raise ValueError(f"no order in the prompt that begins with {prompt[:60]!r}")
    return int(found[1]), int(found[2])


def count_words(text: str) -> int:
    return len(text.split())
