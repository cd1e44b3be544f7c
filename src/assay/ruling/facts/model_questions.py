"""What a model is asked: only the relevant sentences that the pack's extractor left alone."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from assay.errors import AnswerInvalid
from assay.llm.messages import Answer, ModelRequest
from assay.llm.prompts import Prompt, PromptShelf
from assay.ruling.declaration import Facts
from assay.ruling.facts.model_extractor import ModelFindings
from assay.ruling.facts.model_wording import day, worded
from assay.ruling.facts.proposals import Passage, ProposedFact, Sentence
from assay.ruling.facts.quotes import located

MAX_TOKENS = 700
"""Most tokens of one answer."""
WINDOW = 1_500
"""Characters that are sent at a time: a small model loses its way in more."""
PROMPT = "extract"
_SHORTEST = 400
"""A stretch that is not parted any further, however much there is to say about it."""
_TITLE = 200
"""Characters of a title: it names the document, and is no place to tell a model anything."""
_FENCE = re.compile(r"-{4,}")

AskModel = Callable[[ModelRequest, type[BaseModel]], Awaitable[Answer]]
"""Asks the chosen model through the control plane, on the account of one piece of evidence."""


def _text(value: object) -> object:
    """Models write figures as numbers where text is wanted, and characters that no text has."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.replace("\x00", "") if isinstance(value, str) else value


def _or_nothing(value: object) -> object:
    return "" if value is None else _text(value)


Text = Annotated[str, BeforeValidator(_text)]
Perhaps = Annotated[str, BeforeValidator(_or_nothing)]


class ModelFact(BaseModel):
    """A claim as a model words it."""

    domain: Text
    subject: Text
    predicate: Text
    value: Text
    value_type: Text
    unit: Perhaps = ""
    quote: Text
    effective_from: Perhaps = ""
    effective_until: Perhaps = ""
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)


class ModelFacts(BaseModel):
    """The answer to the extraction prompt."""

    facts: list[ModelFact]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the text that is sent in one call."""

    start: int
    end: int


def windows_of(sentences: Sequence[Sentence], most: int = WINDOW) -> list[Window]:
    """The sentences in as few stretches as fit, each with nothing foreign in between."""
    windows: list[Window] = []
    for sentence in sentences:
        last = windows[-1] if windows else None
        near = last is not None and sentence.start - last.end < most // 5
        if last is not None and near and sentence.end - last.start <= most:
            windows[-1] = Window(last.start, sentence.end)
        else:
            # One that is longer than that is sent in parts.
            starts = range(sentence.start, max(sentence.end, sentence.start + 1), most)
            windows += [Window(at, min(sentence.end, at + most)) for at in starts]
    return windows


async def asked(
    windows: Sequence[Window], passage: Passage, pack: Facts, ask: AskModel, so_far: ModelFindings
) -> ModelFindings:
    """Ask about each stretch in turn. What was answered stays in `so_far` if a call fails."""
    prompt = PromptShelf(pack.folder / "prompts")[PROMPT]
    waiting = list(reversed(windows))
    while waiting:
        window = waiting.pop()
        text = passage.reading.text[window.start : window.end]
        try:
            answer = await ask(_request(prompt, text, passage, pack), ModelFacts)
        except AnswerInvalid as error:
            so_far.answers += 1
            so_far.invalid = str(error)
            if error.cut and len(text) > _SHORTEST:
                # There was more to say than an answer may hold.
                waiting += reversed(_halves(window, text))
            continue
        so_far.answers += 1
        so_far.cached += answer.cached
        so_far.tokens += answer.usage.total_tokens
        so_far.proposals += [
            _proposed(fact, text, window.start, pack) for fact in answer.value.facts
        ]
    return so_far


def _request(prompt: Prompt, text: str, passage: Passage, pack: Facts) -> ModelRequest:
    title = " ".join((passage.reading.title or "").split())[:_TITLE]
    return prompt.build_request(
        max_tokens=MAX_TOKENS,
        values={
            # A document cannot draw the line where its own text ends.
            "title": _FENCE.sub("---", title),
            "text": _FENCE.sub("---", text),
            "domains": ", ".join(pack.domains),
            "subjects": ", ".join(pack.subjects),
            "predicates": ", ".join(pack.predicates),
            "value_types": ", ".join(pack.value_types),
            "units": ", ".join(sorted(pack.units)),
        },
    )


def _halves(window: Window, text: str) -> list[Window]:
    """A stretch in two, parted at a sentence or a word near its middle."""
    middle = len(text) // 2
    ends = [place for mark in (". ", "\n", " ") if (place := text.rfind(mark, 0, middle)) > 0]
    at = window.start + (ends[0] + 1 if ends else middle)
    return [Window(window.start, at), Window(at, window.end)]


def _proposed(fact: ModelFact, text: str, offset: int, pack: Facts) -> ProposedFact:
    """The claim with the place of its quote, if it stands in what the model was shown."""
    span = located(fact.quote, text)
    value, unit = worded(fact.value, fact.value_type, fact.unit, fact.quote)
    known = pack.subjects.get(fact.subject)
    return ProposedFact(
        # A subject that the pack knows has its domain already; else one meaning would be two rules.
        domain=known.domain if known and fact.domain in pack.domains else fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        value=value,
        value_type=fact.value_type,
        unit=unit,
        quote=fact.quote,
        start=None if span is None else offset + span.start,
        confidence=fact.confidence,
        effective_from=day(fact.effective_from),
        effective_until=day(fact.effective_until),
    )
