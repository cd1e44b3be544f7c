"""What amending acts do to the facts of an act: which begin, which end, and which are in doubt.

The amendments are applied to the act's text, day by day, and the extractor reads the articles that
changed before and after. So a new figure keeps the meaning that its sentence gives it, and an old
one ends although nothing but its words was replaced.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from assay.packs.regulatory.acts.amending import apply_operations
from assay.packs.regulatory.acts.commencement import read_divided
from assay.packs.regulatory.acts.hand_changes import (
    build_hand_operation,
    parse_end,
    parse_hand_changes,
)
from assay.packs.regulatory.acts.instructions import choose_tradition, list_instructions
from assay.packs.regulatory.acts.law_changes import (
    ENDED,
    EndedFact,
    HeldFact,
    LawChanges,
    LawText,
    OpenInstruction,
)
from assay.packs.regulatory.acts.naming import make_act_key, make_instruction_id
from assay.packs.regulatory.acts.printing import PrintedArticles, print_articles
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Span,
    UnclearInstruction,
)
from assay.packs.regulatory.acts.trees import read_passage
from assay.packs.regulatory.extractor.reader import (
    extract_facts,
    find_days,
    find_issuing_body,
    profile_passage,
)
from assay.sdk.facts import (
    FIRST_DAY_OF_ALL,
    AcceptedFact,
    Facts,
    Passage,
    ProposedFact,
    check_proposals,
    is_value_in_quote,
    take_facts,
)
from assay.sdk.reading import ContentClass, Reading

_WORD = re.compile(r"\w+")


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


def apply_steps(
    act: Act, passage: Passage, live: list[HeldFact], steps: Sequence[AmendmentStep], *,
    facts: Facts, answers: Mapping[str, str],
) -> LawChanges:  # fmt: skip
    """Apply instructions to an act of which these facts hold, in the order of their days.

    `answers` says of instructions that could not be applied whether they ended what was there.
    """
    book = _LawBook(act, passage, live, facts, answers)
    for step in steps:
        if step.day is None:
            book.leave_open(step, "it is not known from which day it counts")
    dated = sorted((s for s in steps if s.day is not None), key=lambda s: (s.day, s.order))
    for _, group in groupby(dated, key=lambda step: (step.day, step.order[1])):
        book.amend(list(group))
    return book.changes


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


class _LawBook:
    """An act on a day, with the facts that hold then."""

    def __init__(
        self, act: Act, passage: Passage, live: list[HeldFact], facts: Facts,
        answers: Mapping[str, str],
    ) -> None:  # fmt: skip
        self._act = act
        self._texts = {live[0].evidence_id: passage.reading.text} if live else {}
        self._answers = answers
        self._live = live
        # A few articles do not say what the whole act is about.
        document = profile_passage(passage)
        self._facts = replace(facts, extractor=partial(extract_facts, document=document))
        self._language = passage.language
        self._jurisdiction = live[0].fact.proposed.jurisdiction if live else passage.jurisdiction
        self._title = document.title
        self.changes = LawChanges()

    def leave_open(self, step: AmendmentStep, reason: str) -> None:
        """Ask about an instruction, and doubt what it may have changed."""
        target, quote = step.parsed.target, step.parsed.quote
        day = step.day or step.order[0]
        said = self._answers.get(step.question)
        if said is not None:
            found = self._list_live_within(target) if said.startswith(ENDED) else []
            self.changes.ended += [EndedFact(held, day, quote) for held in found]
            gone = {id(held) for held in found}
            self._live = [held for held in self._live if id(held) not in gone]
            return
        self.changes.open.append(OpenInstruction(step.question, quote, target, day, reason))
        for held in self._list_live_within(target):
            self.changes.ended.append(EndedFact(held, day, step.parsed.quote, reason))

    def amend(self, steps: Sequence[AmendmentStep]) -> None:
        """Apply what one amending act changes on one day."""
        first = steps[0]
        self._texts[first.parsed.quote.source] = first.passage.reading.text
        operations = [s.parsed for s in steps if isinstance(s.parsed, Operation)]
        of_operation = {id(s.parsed): s for s in steps}
        before = self._act
        after, applied, deferred = apply_operations(before, operations)
        for step in steps:
            if isinstance(step.parsed, UnclearInstruction):
                self.leave_open(step, step.parsed.reason)
        for each in deferred:
            self.leave_open(of_operation[id(each.operation)], each.reason)
        self.changes.applied += len(applied)
        if applied:
            self._compare(before, after, applied, of_operation)
        self._act = after

    def _compare(
        self, before: Act, after: Act, applied: Sequence[Operation],
        steps: Mapping[int, AmendmentStep],
    ) -> None:  # fmt: skip
        """Read the articles that changed, before and after."""
        step = steps[id(applied[0])]
        day = step.day
        assert day is not None
        changed = _find_changed_paths(before, after)
        tops = {path.split("__", 1)[0] for path in changed}
        old, new = (print_articles(act, tops, self._title) for act in (before, after))
        told, tells = self._read_facts(old), self._read_facts(new)
        gone = Counter(map(meaning_of, told)) - Counter(map(meaning_of, tells))
        come = Counter(map(meaning_of, tells)) - Counter(map(meaning_of, told))
        ended = self._end_facts(gone, tops, before, applied, day)
        began = []
        source = step.parsed.quote.source
        for fact in sorted(tells, key=lambda fact: not _comes_from(fact, new, source)):
            meaning = meaning_of(fact)
            if come[meaning] <= 0:
                continue
            come[meaning] -= 1
            held = self._hold_fact(fact, new, applied, ended, step)
            if isinstance(held, HeldFact):
                began.append(held)
            else:
                path, by, reason = held
                question = steps[id(by)].question
                self.changes.open.append(OpenInstruction(question, by.quote, path, day, reason))
        self.changes.new += began
        gone_ids = {id(one.held) for one in ended}
        read = {meaning_of(fact)[:-1] for fact in (*told, *tells)}
        for held in self._list_live_within(*changed, act=before):
            if id(held) not in gone_ids and meaning_of(held.fact)[:-1] not in read:
                self._doubt_unread(held, applied, before, steps)
        self._live = [held for held in self._live if id(held) not in gone_ids] + began

    def _doubt_unread(
        self, held: HeldFact, applied: Sequence[Operation], act: Act,
        steps: Mapping[int, AmendmentStep],
    ) -> None:  # fmt: skip
        """Doubt a fact whose provision changed, and which its articles by themselves do not say:
        whether the new words still say it is unknown."""
        by = _choose_operation(held, applied, act)
        step = steps[id(by)]
        day = step.day or step.order[0]
        said = self._answers.get(step.question)
        if said is not None:
            if said.startswith(ENDED):
                self.changes.ended.append(EndedFact(held, day, by.quote))
            return
        reason = "the words around a figure changed, so its rule may be another one"
        open_ = OpenInstruction(step.question, by.quote, by.target, day, reason)
        if open_ not in self.changes.open:
            self.changes.open.append(open_)
        self.changes.ended.append(EndedFact(held, day, by.quote, reason))

    def _read_facts(self, printed: PrintedArticles) -> list[AcceptedFact]:
        reading = Reading(
            content_class=ContentClass.HTML, text=printed.text, title=self._title or None
        )
        passage = Passage(reading=reading, language=self._language, jurisdiction=self._jurisdiction)
        return list(take_facts(passage, self._facts))

    def _end_facts(
        self, gone: Counter[tuple[str, ...]], tops: set[str], act: Act,
        applied: Sequence[Operation], day: str,
    ) -> list[EndedFact]:  # fmt: skip
        """End the facts that the changed articles no longer state: first those with the same words,
        then those whose page prints the words of their provision otherwise."""
        ended: list[HeldFact] = []
        left: dict[tuple[str, ...], list[str]] = {}
        for *said, condition in gone.elements():
            left.setdefault(tuple(said), []).append(condition)
        others: dict[tuple[str, ...], list[HeldFact]] = {}
        for held in self._list_live_within(*tops, act=act):
            *said, condition = meaning_of(held.fact)
            conditions = left.get(tuple(said), [])
            if condition in conditions:
                conditions.remove(condition)
                ended.append(held)
            else:
                others.setdefault(tuple(said), []).append(held)
        for key, group in others.items():
            if len(group) <= len(left.get(key, ())):
                ended += group
        found = [
            EndedFact(held, day, _choose_operation(held, applied, act).quote) for held in ended
        ]
        self.changes.ended += found
        return found

    def _hold_fact(
        self, fact: AcceptedFact, printed: PrintedArticles, applied: Sequence[Operation],
        ended: Sequence[EndedFact], step: AmendmentStep,
    ) -> HeldFact | tuple[str, Operation, str]:  # fmt: skip
        """A new fact, quoted from the amending act; if that is impossible, the provision, the
        operation, and why."""
        source, text = step.parsed.quote.source, step.passage.reading.text
        spans = printed.find_sources(fact.start, fact.end)
        new = [span for span in spans if span.source == source]
        kept = [span for span in spans if span.source != source]
        path = printed.find_path(fact.start)
        by = next((op for op in applied if any(_contains(op.quote, s) for s in new)), applied[0])
        if not new:
            reason = "the words around a figure changed, so its rule may be another one"
            return path, by, reason
        quote = by.quote if kept else Span(source, new[0].start, new[-1].end)
        own = fact.proposed
        words = text[quote.start : quote.end]
        old = [
            before.value
            for before in (each.held.fact.proposed for each in ended)
            if before.concept == own.concept
            and is_value_in_quote(before.value, before.value_type, before.unit, words)
        ]
        proposed: ProposedFact = replace(
            own,
            quote=words,
            start=quote.start,
            effective_from=max(step.day or "", own.effective_from or ""),
            amends=True,
            replaces=old[0] if len(old) == 1 else None,
        )
        accepted, rejected = check_proposals([proposed], step.passage, self._facts)
        if not accepted:
            return path, by, rejected[0].detail
        base = self._choose_kept(kept)
        if base is None:
            return HeldFact(source, accepted[0], is_amended=True)
        words = self._texts[base.source][base.start : base.end]
        return HeldFact(source, accepted[0], base, words, is_amended=True)

    def _choose_kept(self, kept: Sequence[Span]) -> Span | None:
        """The words that an amendment left in place: those of one text, as many as possible."""
        joined: list[Span] = []
        for span in kept:
            last = joined[-1] if joined else None
            if last is not None and last.source == span.source and last.end <= span.start:
                joined[-1] = Span(span.source, last.start, span.end)
            else:
                joined.append(span)
        known = [span for span in joined if span.source in self._texts]
        return max(known, key=lambda span: (span.end - span.start, -span.start), default=None)

    def _list_live_within(self, *paths: str, act: Act | None = None) -> list[HeldFact]:
        """The facts that hold and lie in one of these provisions; empty path: the whole act."""
        if "" in paths:
            return list(self._live)
        indexes: dict[str, list[tuple[int, int, str]]] = {}
        found = []
        for held in self._live:
            index = indexes.get(held.evidence_id)
            if index is None:
                index = index_places(act or self._act, held.evidence_id)
                indexes[held.evidence_id] = index
            base = held.base.start if held.base else held.fact.start
            if held.base and held.base.source != held.evidence_id:
                index = index_places(act or self._act, held.base.source)
            path = find_path_at(index, base)
            if path and any(path == one or path.startswith(one + "__") for one in paths):
                found.append(held)
        return found


def meaning_of(fact: AcceptedFact) -> tuple[str, ...]:
    """What a fact says, whatever its day and its words."""
    said = fact.proposed
    condition = " ".join(_WORD.findall(str(said.applies_when)))
    return (said.concept, said.value_type, said.value, said.unit, condition)


def _find_changed_paths(before: Act, after: Act) -> set[str]:
    """The provisions in which anything differs."""
    old, new = before.by_path(), after.by_path()
    changed = {p for p, v in old.items() if new.get(p) != v}
    return changed | {p for p, v in new.items() if old.get(p) != v}


def index_places(act: Act, source: str) -> list[tuple[int, int, str]]:
    """The places of an act's words in one text, each with its provision, in order."""
    found = [
        (span.start, span.end, provision.path)
        for provision in act.provisions
        for words in (provision.heading, provision.opening, provision.closing)
        for span in words.spans
        if span.source == source
    ]
    return sorted(found)


def find_path_at(places: Sequence[tuple[int, int, str]], at: int) -> str:
    """The provision at a place of a text, or the one that starts next: a quote may begin with a
    number, which is not among the words."""
    place = bisect_right(places, at, key=lambda entry: entry[0]) - 1
    if place >= 0 and at < places[place][1]:
        return places[place][2]
    return places[place + 1][2] if place + 1 < len(places) else ""


def _choose_operation(held: HeldFact, applied: Iterable[Operation], act: Act) -> Operation:
    """The instruction that most precisely concerns a fact's provision."""
    index = index_places(act, held.evidence_id)
    path = find_path_at(index, held.fact.start)
    operations = list(applied)
    about = [op for op in operations if op.target and (path + "__").startswith(op.target + "__")]
    words = [op for op in about if op.kind is not OperationKind.REPLACE and op.old]
    named = [op for op in words if op.old in held.fact.quote]
    return (named or about or operations)[0]


def _comes_from(fact: AcceptedFact, printed: PrintedArticles, source: str) -> bool:
    """Whether some of a fact's words come from a text: of two equal facts, that one is new."""
    return any(span.source == source for span in printed.find_sources(fact.start, fact.end))


def _contains(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end
