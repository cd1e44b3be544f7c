"""What a model is asked: only the regulatory sentences that the pack's extractor left alone."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from assay.errors import AnswerInvalid
from assay.llm.messages import Answer, ModelRequest
from assay.llm.prompts import PromptShelf
from assay.rules.pack import Pack
from assay.rules.proposals import Passage, ProposedFact, Sentence
from assay.rules.quotes import located

MAX_TOKENS = 700
"""Most tokens of one answer."""
WINDOW = 1_500
"""Characters that are sent at a time: a small model loses its way in more."""
PROMPT = "extract"

AskModel = Callable[[ModelRequest, type[BaseModel]], Awaitable[Answer]]
"""Asks the chosen model through the control plane, on the account of one piece of evidence."""


def _text(value: object) -> object:
    """Models write figures as numbers where text is wanted."""
    return str(value) if isinstance(value, int | float) else value


Text = Annotated[str, BeforeValidator(_text)]


class ModelFact(BaseModel):
    """A claim as a model words it."""

    domain: str
    subject: str
    predicate: str
    value: Text
    value_type: str
    unit: str = ""
    quote: str
    effective_from: str | None = None
    effective_until: str | None = None
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)


class ModelFacts(BaseModel):
    """The answer to the extraction prompt."""

    facts: list[ModelFact]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the text that is sent in one call."""

    start: int
    end: int


@dataclass
class Asked:
    """What came of asking."""

    proposals: list[ProposedFact]
    tokens: int = 0
    answers: int = 0
    cached: int = 0
    invalid: str | None = None
    """Why the last unusable answer was unusable."""


def windows_of(sentences: Sequence[Sentence], most: int = WINDOW) -> list[Window]:
    """The sentences in as few stretches as fit, each with nothing foreign in between."""
    windows: list[Window] = []
    for sentence in sentences:
        last = windows[-1] if windows else None
        near = last is not None and sentence.start - last.end < most // 5
        if last is not None and near and sentence.end - last.start <= most:
            windows[-1] = Window(last.start, sentence.end)
        else:
            windows.append(Window(sentence.start, min(sentence.end, sentence.start + most)))
    return windows


async def asked(
    windows: Sequence[Window], passage: Passage, pack: Pack, ask: AskModel, so_far: Asked
) -> Asked:
    """Ask about each stretch in turn. What was answered stays in `so_far` if a call fails."""
    prompt = PromptShelf(pack.folder / "prompts")[PROMPT]
    for window in windows:
        text = passage.reading.text[window.start : window.end]
        request = prompt.request(
            max_tokens=MAX_TOKENS,
            values={
                "title": passage.reading.title or "",
                "text": text,
                "domains": ", ".join(pack.domains),
                "subjects": ", ".join(pack.subjects),
                "predicates": ", ".join(pack.predicates),
                "value_types": ", ".join(pack.value_types),
                "units": ", ".join(sorted(pack.units)),
            },
        )
        try:
            answer = await ask(request, ModelFacts)
        except AnswerInvalid as error:
            so_far.answers += 1
            so_far.invalid = str(error)
            continue
        so_far.answers += 1
        so_far.cached += answer.cached
        so_far.tokens += answer.usage.total_tokens
        so_far.proposals += [_proposed(fact, text, window.start) for fact in answer.value.facts]
    return so_far


def _proposed(fact: ModelFact, text: str, offset: int) -> ProposedFact:
    """The claim with the place of its quote, if it stands in what the model was shown."""
    span = located(fact.quote, text)
    return ProposedFact(
        domain=fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        value=fact.value,
        value_type=fact.value_type,
        unit=fact.unit,
        quote=fact.quote,
        start=None if span is None else offset + span.start,
        confidence=fact.confidence,
        effective_from=fact.effective_from or None,
        effective_until=fact.effective_until or None,
    )
