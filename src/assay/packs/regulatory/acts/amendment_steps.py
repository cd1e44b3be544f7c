"""The instructions about an act, each with the day from which it counts."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from assay.packs.regulatory.acts.commencement import read_divided
from assay.packs.regulatory.acts.fact_places import find_path_at, index_places
from assay.packs.regulatory.acts.hand_changes import (
    build_hand_operation,
    parse_end,
    parse_hand_changes,
)
from assay.packs.regulatory.acts.instructions import choose_tradition, list_instructions
from assay.packs.regulatory.acts.law_changes import EndedFact, HeldFact, LawText
from assay.packs.regulatory.acts.naming import make_act_key, make_instruction_id
from assay.packs.regulatory.acts.shapes import Operation, Span, UnclearInstruction
from assay.packs.regulatory.acts.trees import read_passage
from assay.packs.regulatory.extractor.reader import find_days, find_issuing_body
from assay.sdk.facts import FIRST_DAY_OF_ALL, Facts, Passage, take_facts


@dataclass(frozen=True, slots=True)
class AmendmentStep:
    """An instruction with the day from which it counts; None if that is unknown."""

    day: str | None
    order: tuple[str, str, int]
    parsed: Operation | UnclearInstruction
    passage: Passage
    question: str
    """The id of the question that is asked if it cannot be applied."""


def list_steps(
    amending: Sequence[LawText], key: str, answers: Mapping[str, str]
) -> list[AmendmentStep]:
    """The instructions about an act, each with its day; what people changed by hand, as changed."""
    found = (step for each in amending for step in _list_steps(each, key))
    return [
        step
        for _, group in groupby(found, key=lambda step: step.question)
        for step in _take_answers(list(group), key, answers)
    ]


def _take_answers(
    steps: list[AmendmentStep], key: str, answers: Mapping[str, str]
) -> list[AmendmentStep]:
    """What one instruction does, as it says itself or as a person said."""
    first, said = steps[0], []
    quote, text = first.parsed.quote, first.passage.reading.text
    ended = parse_end(answers.get(first.question, ""))
    if ended is not None:
        return [replace(step, day=ended or step.day) for step in steps]
    while changes := parse_hand_changes(answers.get(steps[0].question, "")):
        said.append(answers[steps[0].question])
        question = make_instruction_id(quote.source, quote.start, key, *said)
        steps = [
            replace(
                first,
                day=change.day or first.day,
                parsed=build_hand_operation(change, first.parsed, text),
                question=question,
            )
            for change in changes
        ]
    return steps


def list_withdrawn(steps: Iterable[AmendmentStep], facts: Facts) -> list[EndedFact]:
    """What the extractor reads in the instructions themselves."""
    found = []
    for _, group in groupby(steps, key=lambda step: step.parsed.quote.source):
        own = list(group)
        quotes = sorted({(step.parsed.quote.start, step.parsed.quote.end) for step in own})
        for fact in take_facts(own[0].passage, facts):
            place = bisect_right(quotes, (fact.start, len(own[0].passage.reading.text))) - 1
            is_reference = fact.proposed.value_type == "cross_reference"
            if place >= 0 and fact.start < quotes[place][1] and not is_reference:
                day = fact.proposed.effective_from or FIRST_DAY_OF_ALL
                source = own[0].parsed.quote.source
                found.append(EndedFact(HeldFact(source, fact), day, Span(source, *quotes[place])))
    return found


def _list_steps(text: LawText, key: str) -> list[AmendmentStep]:
    passage = text.text.load_passage()
    own = read_passage(text.evidence_id, passage)
    places = index_places(own, text.evidence_id)
    days, body = find_days(passage), find_issuing_body(passage)
    divided = read_divided(passage.reading.text, choose_tradition(passage))
    steps = []
    for number, each in enumerate(list_instructions(text.evidence_id, passage)):
        if make_act_key(each.instrument, body) != key:
            continue
        top = find_path_at(places, each.quote.start).split("__", 1)[0].partition("_")[2]
        is_divided = divided.contains(top, each.quote.start)
        day = None if is_divided else days.first_day_of(top)
        order = (passage.published or "", text.evidence_id, number)
        question = make_instruction_id(each.quote.source, each.quote.start, key)
        steps.append(AmendmentStep(day, order, each, passage, question))
    return steps
