"""What a model is asked about an item, and what of its answer is kept.

The documents are given as numbered sentences, and the model cites numbers: every sentence of its
summary has places in documents. A sentence that says more than its places do is left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from assay.packs.civic.texts.summary import SourceText, SummarySentence
from assay.packs.civic.topics import TOPICS, normalise_topics
from assay.sdk.errors import AnswerInvalid
from assay.sdk.models import ModelRequest, Prompt, PromptLibrary, schema_of, validate_answer
from assay.sdk.reading import split_sentences
from assay.sdk.records import content_hash

_OWN_CHARACTERS: Final = 18_000
"""Of an item's own documents: with the answer, it stays below the default cap for a document."""
_SHARED_CHARACTERS: Final = 3_000
_SHORTEST: Final = 15
_MAX_TOKENS: Final = 900
_LINE = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'’-]+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NEGATION = re.compile(
    r"\b(not|no|never|without|den(?:y|ies|ied)|reject\w*|declin\w+|fail\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
_STEM: Final = 5
_LEAST_SHARED: Final = 0.4
"""The share of a sentence's words that the cited sentences must also have."""


class AnalysisSentence(BaseModel):
    """A sentence of a model's summary."""

    text: str
    cites: list[int]


class ItemAnalysis(BaseModel):
    """A model's answer about one item."""

    item: str
    sentences: list[AnalysisSentence]
    topics: list[str]


@dataclass(frozen=True)
class Question:
    """What a model is asked about."""

    subject_id: str
    title: str
    own: tuple[SourceText, ...]
    shared: tuple[SourceText, ...] = ()
    """Documents that other items have as well; they give context."""
    most: int = 3
    """Sentences in the answer."""


@dataclass(frozen=True)
class CheckedAnalysis:
    """What of an answer is kept."""

    sentences: tuple[tuple[str, tuple[SummarySentence, ...]], ...]
    """Each with the sentences of documents that say it."""
    topics: list[str]
    dropped: int
    """Sentences that their citations do not bear out."""


def build_request(question: Question) -> ModelRequest:
    """The question to a model."""
    own, shared = _number_sentences(question)
    prompt = _load_prompt()
    return prompt.build_request(
        max_tokens=_MAX_TOKENS,
        schema=schema_of(ItemAnalysis),
        code=make_code(question.subject_id),
        title=" ".join(question.title.split()),
        most=question.most,
        topics=", ".join(TOPICS),
        own=_list_lines(own) or "(none)",
        shared=_list_lines(shared) or "(none)",
    )


def read_analysis(question: Question, answer: ItemAnalysis) -> CheckedAnalysis:
    """Keep what the documents bear out; AnswerInvalid if that is nothing."""
    if answer.item != make_code(question.subject_id):
        raise AnswerInvalid(f"The answer is about item {answer.item!r}, not about this one.")
    own, shared = _number_sentences(question)
    numbered = own | shared
    kept = []
    for sentence in answer.sentences:
        cited = tuple(numbered[n] for n in sorted(set(sentence.cites)) if n in numbered)
        text = " ".join(sentence.text.split())
        if text and is_borne_out(text, [each.text for each in cited]):
            kept.append((text, cited))
    kept = kept[: question.most]
    if not any(place in own.values() for _, cited in kept for place in cited):
        raise AnswerInvalid("The documents do not support any sentence of the answer.")
    dropped = len(answer.sentences) - len(kept)
    return CheckedAnalysis(tuple(kept), normalise_topics(answer.topics), dropped)


def fits_item(key: str, request: ModelRequest, text: str) -> bool:
    """Whether a text from a batch can be the answer about that item.

    It must repeat the item's code, and the sentences that it cites must bear out some of it.
    """
    try:
        answer = validate_answer(text, ItemAnalysis)
    except AnswerInvalid:
        return False
    numbered = {int(number): line for number, line in _LINE.findall(request.user)}
    return answer.item == make_code(key) and any(
        is_borne_out(each.text, [numbered[n] for n in each.cites if n in numbered])
        for each in answer.sentences
    )


def make_code(subject_id: str) -> str:
    """A short code for an item, which its answer repeats."""
    return content_hash(subject_id.encode())[:8]


def is_borne_out(text: str, cited: Sequence[str]) -> bool:
    """Whether the cited sentences have the figures, the names and enough of the words of a text.

    A text that denies what they assert, or the other way round, is not borne out.
    """
    if not cited:
        return False
    said = " ".join(cited)
    if not set(_FIGURE.findall(text)) <= set(_FIGURE.findall(said)):
        return False
    words = _stems(said)
    if not {name.casefold()[:_STEM] for name in _NAME.findall(text)} <= _stems(said, shortest=1):
        return False
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(said)):
        return False
    own = _stems(text)
    return bool(own) and len(own & words) >= _LEAST_SHARED * len(own)


def _stems(text: str, shortest: int = 4) -> set[str]:
    found = _WORD.findall(text) if shortest == 4 else re.findall(r"[\w'’-]+", text)
    return {word.casefold()[:_STEM] for word in found}


def _number_sentences(
    question: Question,
) -> tuple[dict[int, SummarySentence], dict[int, SummarySentence]]:
    """The sentences of the item's own documents and of the shared ones, by number."""
    own = dict(enumerate(_take_sentences(question.own, _OWN_CHARACTERS), 1))
    shared = _take_sentences(question.shared, _SHARED_CHARACTERS)
    return own, dict(enumerate(shared, len(own) + 1))


def _take_sentences(texts: Sequence[SourceText], most: int) -> Iterator[SummarySentence]:
    """The first sentences of each text; what one does not need is left to the next."""
    for place, source in enumerate(texts):
        share = most // (len(texts) - place)
        for start, end in split_sentences(source.text[: 2 * share]):
            words = " ".join(source.text[start:end].split())
            if len(words) < _SHORTEST or not any(letter.isalpha() for letter in words):
                continue
            if len(words) > share:
                break
            share -= len(words)
            most -= len(words)
            at = source.start
            yield SummarySentence(words, source.artifact_id, at + start, at + end)


def _list_lines(numbered: Mapping[int, SummarySentence]) -> str:
    return "\n".join(f"[{number}] {each.text}" for number, each in numbered.items())


@cache
def _load_prompt() -> Prompt:
    return PromptLibrary(Path(__file__).parents[1] / "prompts")["civic-item"]
