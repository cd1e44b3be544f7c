"""Answers a question from the passages that a search found.

With a model, every sentence cites a passage and quotes its words; what is not found in the passage
word for word is left out and reported. Without one, the best passages are the answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from assay.packs.literature.index import HitPassage, LiteratureHit
from assay.sdk.errors import AnswerInvalid, CallDenied, InvalidInput, ProviderFailed
from assay.sdk.facts import locate_quote
from assay.sdk.models import CallScope, ModelRequest, Prompt, PromptLibrary, schema_of
from assay.sdk.services import Services

EXTRACTIVE: Final = "passages"
"""The method of an answer that no model has written."""
STEP: Final = "literature_answer"
_MOST_PASSAGES: Final = 12
_MOST_CHARACTERS: Final = 14_000
_MOST_SENTENCES: Final = 6
_LONGEST_QUESTION: Final = 1_000
_LEAST_QUOTED: Final = 3
"""Words of a quote: fewer are found in any text."""
_MAX_TOKENS: Final = 1_200
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


class PassageQuote(BaseModel):
    """What a model cites."""

    passage: int
    quote: str


class PaperSentence(BaseModel):
    """A sentence of a model's answer."""

    text: str
    cites: list[PassageQuote]


class PaperAnswer(BaseModel):
    """A model's answer."""

    sentences: list[PaperSentence]


@dataclass(frozen=True, kw_only=True)
class PaperCitation:
    """The words of a paper that say something, and their place."""

    number: int
    """Of the passage, as in the answer's list."""
    doc_id: str
    quote: str
    """As the paper has it."""
    start: int
    end: int
    page: int | None
    artifact_id: str | None


@dataclass(frozen=True, kw_only=True)
class AnswerSentence:
    """A sentence of an answer, and where papers say it."""

    text: str
    citations: tuple[PaperCitation, ...]


@dataclass(frozen=True, kw_only=True)
class NumberedPassage:
    """A passage that was read for an answer."""

    number: int
    doc_id: str
    title: str
    passage: HitPassage


@dataclass(frozen=True, kw_only=True)
class LiteratureAnswer:
    """The answer to a question: cited sentences, or only the passages to read."""

    question: str
    method: str
    """`provider/model`, or `passages`."""
    sentences: tuple[AnswerSentence, ...] = ()
    passages: tuple[NumberedPassage, ...] = ()
    dropped: tuple[str, ...] = ()
    """Each sentence that was left out, with the reason."""
    reason: str = ""
    """Why no model has answered, if one could have been asked."""


async def answer_question(
    question: str, hits: Sequence[LiteratureHit], services: Services, provider: str | None = None
) -> LiteratureAnswer:
    """Answer from what a search for the question found, with a model if there is one."""
    question = " ".join(question.split())
    if not question or len(question) > _LONGEST_QUESTION:
        raise InvalidInput(
            f"A question has from 1 to {_LONGEST_QUESTION} characters.",
            advice="Ask one thing at a time.",
        )
    passages = number_passages(hits)
    plain = LiteratureAnswer(question=question, method=EXTRACTIVE, passages=passages)
    chosen = services.models.choose(provider) if passages else None
    if chosen is None:
        return plain
    try:
        answer = await services.models.ask(
            build_question(question, passages), PaperAnswer, provider, CallScope(step=STEP)
        )
    except (CallDenied, ProviderFailed, AnswerInvalid) as error:
        return _explain(plain, f"{error}")
    sentences, dropped = check_answer(answer.value, passages)
    if not sentences:
        reason = "The passages do not answer the question."
        if dropped:
            reason = "The passages do not contain the words that the model quoted."
        return _explain(plain, reason, dropped)
    return LiteratureAnswer(
        question=question,
        method=f"{answer.provider}/{answer.model}",
        sentences=sentences,
        passages=passages,
        dropped=dropped,
    )


def number_passages(hits: Iterable[LiteratureHit]) -> tuple[NumberedPassage, ...]:
    """The best passages of all works, the best first, as many as fit into one question."""
    found = [(passage, hit) for hit in hits for passage in hit.passages if passage.text.strip()]
    found.sort(key=lambda each: -each[0].score)
    taken: list[NumberedPassage] = []
    left = _MOST_CHARACTERS
    for passage, hit in found[:_MOST_PASSAGES]:
        left -= len(passage.text)
        if left < 0 and taken:
            break
        taken.append(
            NumberedPassage(
                number=len(taken) + 1, doc_id=hit.doc_id, title=hit.title, passage=passage
            )
        )
    return tuple(taken)


def build_question(question: str, passages: Sequence[NumberedPassage]) -> ModelRequest:
    """The request to a model."""
    return _load_prompt().build_request(
        max_tokens=_MAX_TOKENS,
        schema=schema_of(PaperAnswer),
        question=question,
        most=_MOST_SENTENCES,
        passages="\n\n".join(
            f"[{each.number}] {' '.join(each.title.split())}\n"
            f"{' '.join(each.passage.text[:_MOST_CHARACTERS].split())}"
            for each in passages
        ),
    )


def check_answer(
    answer: PaperAnswer, passages: Sequence[NumberedPassage]
) -> tuple[tuple[AnswerSentence, ...], tuple[str, ...]]:
    """The sentences whose every quote is found in its passage, and the others with the reason."""
    by_number = {each.number: each for each in passages}
    kept: list[AnswerSentence] = []
    dropped: list[str] = []
    for sentence in answer.sentences[:_MOST_SENTENCES]:
        text = " ".join(sentence.text.split())
        if not text:
            continue
        citations, fault = _find_citations(sentence, by_number)
        fault = fault or _find_invented_figure(text, sentence, by_number)
        if fault:
            dropped.append(f"{text} ({fault})")
        else:
            kept.append(AnswerSentence(text=text, citations=citations))
    return tuple(kept), tuple(dropped)


def _find_citations(
    sentence: PaperSentence, passages: dict[int, NumberedPassage]
) -> tuple[tuple[PaperCitation, ...], str]:
    citations: list[PaperCitation] = []
    for cited in sentence.cites:
        source = passages.get(cited.passage)
        if source is None:
            return (), f"it cites passage {cited.passage}, which it was not given"
        if len(cited.quote.split()) < _LEAST_QUOTED:
            return (), f"the quote '{cited.quote}' is too short"
        passage = source.passage
        span = locate_quote(cited.quote.strip(), passage.text)
        if span is None:
            return (), f"passage {cited.passage} does not contain the quote '{cited.quote}'"
        citations.append(
            PaperCitation(
                number=cited.passage,
                doc_id=source.doc_id,
                quote=passage.text[span.start : span.end],
                start=passage.start + span.start,
                end=passage.start + span.end,
                page=passage.page,
                artifact_id=passage.artifact_id,
            )
        )
    return tuple(citations), "" if citations else "it cites nothing"


def _find_invented_figure(
    text: str, sentence: PaperSentence, passages: dict[int, NumberedPassage]
) -> str:
    known = {
        figure
        for cited in sentence.cites
        for figure in _FIGURE.findall(passages[cited.passage].passage.text)
    }
    # "Table 2" may come from the title; a figure of the answer may not come from nowhere.
    titles = " ".join(passages[cited.passage].title for cited in sentence.cites)
    invented = [each for each in _FIGURE.findall(text) if each not in known | {*titles.split()}]
    return f"the cited passages do not contain the figure {invented[0]}" if invented else ""


def _explain(
    plain: LiteratureAnswer, reason: str, dropped: tuple[str, ...] = ()
) -> LiteratureAnswer:
    return LiteratureAnswer(
        question=plain.question,
        method=plain.method,
        passages=plain.passages,
        reason=reason,
        dropped=dropped,
    )


@cache
def _load_prompt() -> Prompt:
    return PromptLibrary(Path(__file__).parent / "prompts")["literature-answer"]
