"""What a model is asked about: only relevant sentences that the pack's extractor did not cover.

A long document is read in windows. Each is a call of its own, which the control plane grants and
whose answer it stores, so a document may be read over several days and pays for no window twice.
"""

import re
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from assay.errors import AnswerInvalid
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.prompts import Prompt, PromptLibrary
from assay.ruling.declaration import Facts
from assay.ruling.facts.model_extractor import ModelFindings
from assay.ruling.facts.proposals import Passage, ProposedFact, Sentence
from assay.ruling.facts.quotes import locate_quote
from assay.ruling.facts.values import (
    format_number,
    is_value_in_quote,
    read_number,
    scan_dates,
    scan_durations,
    scan_percentages,
    scan_sums,
)
from assay.ruling.facts.values.numbers import NUMERIC_TYPES

MAX_TOKENS = 700
"""The maximum number of tokens in one answer."""
WINDOW_CHARS = 1_500
"""How many characters are sent at a time: a small model loses track in more."""
PROMPT = "extract"
_MIN_WINDOW = 400
"""A window of this length is not split any further, however long the answer would be."""
_MAX_TITLE = 200
"""The maximum length of a title: it names the document, and must not instruct the model."""
_MAX_CONTEXT = 500
_FENCE = re.compile(r"-{4,}")

AskModel = Callable[[ModelRequest, type[BaseModel]], Awaitable[ModelAnswer]]
"""Asks the chosen model through the control plane, charged to one piece of evidence."""


def _clean_text(value: object) -> object:
    """Models write numbers where text is expected, and NUL characters."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.replace("\x00", "") if isinstance(value, str) else value


def _clean_optional_text(value: object) -> object:
    return "" if value is None else _clean_text(value)


ModelText = Annotated[str, BeforeValidator(_clean_text)]
OptionalModelText = Annotated[str, BeforeValidator(_clean_optional_text)]


class ModelFact(BaseModel):
    """A claim as a model states it."""

    domain: ModelText
    subject: ModelText
    predicate: ModelText
    value: ModelText
    value_type: ModelText
    unit: OptionalModelText = ""
    quote: ModelText
    effective_from: OptionalModelText = ""
    effective_until: OptionalModelText = ""
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)


class ModelFacts(BaseModel):
    """The answer to the extraction prompt."""

    facts: list[ModelFact]


@dataclass(frozen=True, slots=True)
class QuestionWindow:
    """A part of the text that is sent in one call."""

    start: int
    end: int
    context: str = ""
    """The context of its first sentence; that of the others is in the text."""


def plan_windows(sentences: Sequence[Sentence]) -> list[QuestionWindow]:
    """The windows in which the sentences are sent: those with values first, in case the budget
    does not last for the others today."""
    windows = split_into_windows([sentence for sentence in sentences if sentence.values])
    ends = [window.end for window in windows]
    rest = []
    for sentence in sentences:
        at = bisect_left(ends, sentence.end)
        is_inside = at < len(ends) and windows[at].start <= sentence.start
        if not sentence.values and not is_inside:
            rest.append(sentence)
    return windows + split_into_windows(rest)


def split_into_windows(
    sentences: Sequence[Sentence], most: int = WINDOW_CHARS
) -> list[QuestionWindow]:
    """The sentences in as few windows as possible, each with little other text in between."""
    windows: list[QuestionWindow] = []
    for sentence in sentences:
        last = windows[-1] if windows else None
        near = last is not None and sentence.start - last.end < most // 5
        if last is not None and near and sentence.end - last.start <= most:
            windows[-1] = replace(last, end=max(last.end, sentence.end))
        else:
            # A sentence longer than a window is sent in parts.
            starts = range(sentence.start, max(sentence.end, sentence.start + 1), most)
            windows += [
                QuestionWindow(at, min(sentence.end, at + most), sentence.context) for at in starts
            ]
    return windows


async def ask_windows(
    windows: Sequence[QuestionWindow],
    passage: Passage,
    pack: Facts,
    ask: AskModel,
    so_far: ModelFindings,
) -> ModelFindings:
    """Ask about each window in turn. If a call fails, earlier answers stay in `so_far`."""
    prompt = PromptLibrary(pack.folder / "prompts")[PROMPT]
    waiting = list(reversed(windows))
    while waiting:
        window = waiting.pop()
        text = passage.reading.text[window.start : window.end]
        try:
            answer = await ask(
                _build_request(prompt, text, window.context, passage, pack), ModelFacts
            )
        except AnswerInvalid as error:
            so_far.answers += 1
            so_far.invalid = str(error)
            if error.cut and len(text) > _MIN_WINDOW:
                # There was more to say than fits into one answer.
                waiting += reversed(_split_window(window, text))
            continue
        so_far.answers += 1
        so_far.cached += answer.cached
        so_far.tokens += answer.usage.total_tokens
        so_far.proposals += [
            replace(
                _build_proposal(fact, text, window.start, pack), jurisdiction=passage.jurisdiction
            )
            for fact in answer.value.facts
        ]
    return so_far


def _build_request(
    prompt: Prompt, text: str, context: str, passage: Passage, pack: Facts
) -> ModelRequest:
    title = " ".join((passage.reading.title or "").split())[:_MAX_TITLE]
    if context:
        # Words of the document too, so they belong inside the fence.
        text = f"[{' '.join(context.split())[:_MAX_CONTEXT]}]\n\n{text}"
    return prompt.build_request(
        max_tokens=MAX_TOKENS,
        values={
            # A document must not be able to fake the fence that marks its end.
            "title": _FENCE.sub("---", title),
            "text": _FENCE.sub("---", text),
            "domains": ", ".join(pack.domains),
            "subjects": ", ".join(pack.subjects),
            "predicates": ", ".join(pack.predicates),
            "value_types": ", ".join(pack.value_types),
            "units": ", ".join(sorted(pack.units)),
        },
    )


def _split_window(window: QuestionWindow, text: str) -> list[QuestionWindow]:
    """A window in two parts, split at a sentence or a word near its middle."""
    middle = len(text) // 2
    ends = [place for mark in (". ", "\n", " ") if (place := text.rfind(mark, 0, middle)) > 0]
    at = window.start + (ends[0] + 1 if ends else middle)
    return [replace(window, end=at), replace(window, start=at)]


def _build_proposal(fact: ModelFact, text: str, offset: int, pack: Facts) -> ProposedFact:
    """The claim with the position of its quote, if the text that the model saw contains it."""
    span = locate_quote(fact.quote, text)
    value, unit = normalize_value(fact.value, fact.value_type, fact.unit, fact.quote)
    known = pack.subjects.get(fact.subject)
    return ProposedFact(
        # A subject that the pack declares has a domain; otherwise one meaning would be two rules.
        domain=known.domain if known and fact.domain in pack.domains else fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        value=value,
        value_type=fact.value_type,
        unit=unit,
        quote=fact.quote,
        start=None if span is None else offset + span.start,
        confidence=fact.confidence,
        effective_from=normalize_day(fact.effective_from),
        effective_until=normalize_day(fact.effective_until),
    )


_PLAIN = re.compile(r"[-+]?[0-9]{1,24}(?:\.[0-9]{1,24})?")
_LANGUAGES = ("en", "hr")
"""One that writes `1,234.5`, and one that writes `1.234,5`."""


def normalize_value(value: str, value_type: str, unit: str, quote: str) -> tuple[str, str]:
    """A value and its unit, from forms such as `25.0`, `25 %`, `EUR 1,000` or `1 January 2026`.

    Only what can mean one thing is converted. Everything else stays as it is, for a gate to judge.
    """
    text, known = " ".join(value.split()), _normalize_unit(unit)
    if value_type == "date":
        return normalize_day(text) or text, known
    if value_type not in NUMERIC_TYPES:
        return text, known
    with_unit = [(n, u) for n, u in _read_with_unit(text) if known in ("", u)]
    if with_unit:
        known = with_unit[0][1]
    readings = (*_read_numbers(text), *(n for n, _ in with_unit))
    numbers = {format_number(number) for number in readings}
    quoted = [n for n in sorted(numbers) if is_value_in_quote(n, value_type, known, quote)]
    if len(quoted) == 1:
        return quoted[0], known
    plain = _PLAIN.fullmatch(text)
    return (format_number(Decimal(text)) if plain else text), known


def normalize_day(text: str | None) -> str | None:
    """A date in canonical form; the text itself if it is not a date, or an ambiguous one."""
    if text is None or not text.strip():
        return None
    plain = " ".join(text.split())
    whole = (0, len(plain.rstrip(".")))
    found = [date.iso for date in scan_dates(plain) if (date.start, date.end) == whole]
    return found[0] if len(found) == 1 else plain


def _read_numbers(text: str) -> Iterable[Decimal]:
    if _PLAIN.fullmatch(text):
        yield Decimal(text)
    for language in _LANGUAGES:
        number = read_number(text, language)
        if number is not None:
            yield number


def _read_with_unit(text: str) -> list[tuple[Decimal, str]]:
    """What the text can mean if it is a number with a unit and nothing else."""
    whole = (0, len(text))
    found = [(n, at.unit) for at in scan_percentages(text) if (at.start, at.end) == whole
             for n in at.readings]  # fmt: skip
    found += [(n, at.currency) for at in scan_sums(text) if (at.start, at.end) == whole
              for n in at.readings]  # fmt: skip
    return found + [
        (at.amount, at.unit) for at in scan_durations(text) if (at.start, at.end) == whole
    ]


def _normalize_unit(unit: str) -> str:
    """The canonical name of a unit, such as `percent`, `€` or `day`."""
    plain = unit.strip()
    names = {name for _, name in _read_with_unit(f"2 {plain}")} if plain else set()
    return names.pop() if len(names) == 1 else plain
