"""What amending acts do to the facts of an act: which begin, which end, and which are in doubt.

The amendments are applied to the act's text, day by day, and the extractor reads the articles that
changed before and after. So a new figure keeps the meaning that its sentence gives it, and an old
one ends although nothing but its words was replaced.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby

from assay.packs.regulatory.acts.amended_facts import AppliedAmendment, UnquotedFact
from assay.packs.regulatory.acts.amending import apply_operations
from assay.packs.regulatory.acts.amending.tree import ActTree
from assay.packs.regulatory.acts.amendment_steps import AmendmentStep
from assay.packs.regulatory.acts.fact_places import (
    choose_instruction,
    find_nearest,
    find_path_at,
    index_places,
    is_beside,
    is_within,
)
from assay.packs.regulatory.acts.hand_changes import parse_end
from assay.packs.regulatory.acts.law_changes import (
    ENDED,
    EndedFact,
    HeldFact,
    LawChanges,
    OpenInstruction,
)
from assay.packs.regulatory.acts.naming import make_figure_question_id
from assay.packs.regulatory.acts.printing import PrintedArticles, print_articles
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Span,
    UnclearInstruction,
    join_words,
)
from assay.packs.regulatory.extractor.reader import extract_facts, profile_passage
from assay.sdk.facts import AcceptedFact, Facts, Passage, is_value_in_quote, take_facts
from assay.sdk.reading import ContentClass, Reading

_WORD = re.compile(r"\w+")
_ON_WORDS = (
    OperationKind.REPLACE_WORDS,
    OperationKind.INSERT_WORDS,
    OperationKind.DELETE_WORDS,
)


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


class _LawBook:
    """An act on a day, with the facts that hold then."""

    def __init__(
        self, act: Act, passage: Passage, live: list[HeldFact], facts: Facts,
        answers: Mapping[str, str],
    ) -> None:  # fmt: skip
        self._act = act
        self._known_places = _Places(act)
        self._texts = {live[0].evidence_id: passage.reading.text} if live else {}
        self._answers = answers
        self._live = live
        # A few articles do not say what the whole act is about.
        document = profile_passage(passage)
        self._facts = replace(facts, extractor=partial(extract_facts, document=document))
        self._language = passage.language
        self._jurisdiction = live[0].fact.proposed.jurisdiction if live else passage.jurisdiction
        self._title = document.title
        self._open: list[tuple[AmendmentStep, str]] = []
        """Instructions with open questions, and why they were not applied."""
        self._replaced: dict[tuple[str, ...], list[HeldFact]] = {}
        """The facts that hold, perhaps, where the amended act says something else."""
        self.changes = LawChanges()

    def leave_open(self, step: AmendmentStep, reason: str, there: Iterable[HeldFact] = ()) -> None:
        """Ask about an instruction, and doubt what it may have changed.

        `there` are the facts that it concerns as the act was before the others of its act.
        """
        target, quote = step.parsed.target, step.parsed.quote
        day = step.day or step.order[0]
        found = self._keep_live(there)
        said = self._answers.get(step.question)
        if said is None:
            self.changes.open.append(OpenInstruction(step.question, quote, target, day, reason))
            self._open.append((step, reason))
            known = {id(held) for held in found}
            found += [held for held in self._list_concerned(step) if id(held) not in known]
            self.changes.ended += [EndedFact(held, day, quote, reason) for held in found]
        elif said.startswith(ENDED):
            self.changes.ended += [EndedFact(held, day, quote) for held in found]
            self._drop(found)

    def amend(self, steps: Sequence[AmendmentStep]) -> None:
        """Apply what one amending act changes on one day."""
        first = steps[0]
        self._texts[first.parsed.quote.source] = first.passage.reading.text
        operations = [s.parsed for s in steps if isinstance(s.parsed, Operation)]
        of_operation = {id(s.parsed): s for s in steps}
        before = self._act
        after, applied, deferred = apply_operations(before, operations)
        unsure = [(s, s.parsed.reason) for s in steps if isinstance(s.parsed, UnclearInstruction)]
        unsure += [(of_operation[id(each.operation)], each.reason) for each in deferred]
        there = [self._list_concerned(step) for step, _ in unsure]
        self.changes.applied += len(applied)
        began = self._compare(before, after, applied, of_operation) if applied else []
        self._act = after
        self._doubt_begun(began, applied)
        for (step, reason), facts in zip(unsure, there, strict=True):
            self.leave_open(step, reason, facts)

    def _list_concerned(self, step: AmendmentStep) -> list[HeldFact]:
        """The facts of an instruction's provision."""
        path = self._places.find_concerned(step.parsed)
        return [] if path is None else self._list_live_within(path)

    def _doubt_begun(self, began: Sequence[HeldFact], applied: Sequence[Operation]) -> None:
        """Doubt new facts of provisions about which a question of an earlier day is open, unless
        the whole provision has a new text."""
        places = self._places
        whole = [op.target for op in applied if _is_whole(op)]
        left = []
        for step, reason in self._open:
            target, quote = step.parsed.target, step.parsed.quote
            nearest = find_nearest(places.tree, target)
            if any(is_within(path, one) for one in whole for path in (target, nearest)):
                continue
            left.append((step, reason))
            path = places.find_concerned(step.parsed)
            if path is not None:
                found = [h for h in began if not path or is_within(places.find_path(h), path)]
                day = step.day or step.order[0]
                self.changes.ended += [EndedFact(held, day, quote, reason) for held in found]
        self._open = left

    def _compare(
        self, before: Act, after: Act, applied: Sequence[Operation],
        steps: Mapping[int, AmendmentStep],
    ) -> list[HeldFact]:  # fmt: skip
        """Read the articles that changed, before and after; the facts that begin."""
        step = steps[id(applied[0])]
        day = step.day
        assert day is not None
        changed = _find_changed_paths(before, after)
        tops = {path.split("__", 1)[0] for path in changed}
        old, new = (print_articles(act, tops, self._title) for act in (before, after))
        told, tells = self._read_facts(old), self._read_facts(new)
        gone = Counter(map(meaning_of, told)) - Counter(map(meaning_of, tells))
        come = Counter(map(meaning_of, tells)) - Counter(map(meaning_of, told))
        ended = self._find_ended(gone, tops, before)
        source = step.parsed.quote.source
        amendment = AppliedAmendment(
            day, source, step.passage, applied, new, ended, self._texts, self._facts
        )
        began: list[HeldFact] = []
        unquoted: list[UnquotedFact] = []
        for fact in sorted(tells, key=lambda fact: not _comes_from(fact, new, source)):
            meaning = meaning_of(fact)
            if come[meaning] <= 0:
                continue
            come[meaning] -= 1
            held = amendment.quote_fact(fact)
            if isinstance(held, HeldFact):
                began.append(held)
            else:
                unquoted.append(held)
        places = _Places(before)
        paths = {id(held): places.find_path(held) for held in ended}
        concepts = {held.fact.proposed.concept for held in began}
        left = self._ask_about(unquoted, ended, paths, concepts, steps)
        unread = self._list_unread(left, concepts, paths, applied, after)
        left = self._ask_about(unread, left, paths, concepts, steps)
        read = {meaning_of(fact)[:-1] for fact in (*told, *tells)}
        known = {id(held) for held in ended}
        for held in self._list_live_within(*changed, act=before):
            if id(held) not in known and meaning_of(held.fact)[:-1] not in read:
                # Its articles by themselves do not say it, so whether they still do is unknown.
                path = places.find_path(held)
                by = choose_instruction(path, held.fact.quote, applied)
                reason = "the words around a figure changed, so its rule may be another one"
                unseen = UnquotedFact(held.fact, path, by, reason)
                self._ask_about_figure(unseen, [held], steps[id(by)])
        for held in left:
            by = choose_instruction(paths[id(held)], held.fact.quote, applied)
            self.changes.ended.append(EndedFact(held, day, by.quote))
        self._drop(left)
        self.changes.new += began
        self._live += began
        return began

    def _ask_about(
        self, unquoted: Iterable[UnquotedFact], ended: Sequence[HeldFact],
        paths: Mapping[int, str], begun: Collection[str], steps: Mapping[int, AmendmentStep],
    ) -> list[HeldFact]:  # fmt: skip
        """Ask about what the amended act says in words that cannot be quoted, and doubt the facts
        in whose place or beside which it is. Returns the ended facts that are none of them."""
        touched: set[int] = set()
        known = {id(held) for held in ended}
        for each in unquoted:
            replaced = _list_replaced(each, ended, paths, begun)
            self._replaced.setdefault(meaning_of(each.fact), []).extend(replaced)
            beside = self._list_live_within(each.path)
            doubted = replaced or [held for held in beside if id(held) not in known]
            touched |= {id(held) for held in doubted}
            self._ask_about_figure(each, doubted, steps[id(each.by)])
        return [held for held in ended if id(held) not in touched]

    def _ask_about_figure(
        self, unquoted: UnquotedFact, doubted: Sequence[HeldFact], step: AmendmentStep
    ) -> None:
        reason, quote, day = unquoted.reason, unquoted.by.quote, step.day or ""
        figure, read = unquoted.figure, unquoted.fact.proposed
        question = make_figure_question_id(step.question, read.concept, read.value, read.unit)
        said = self._answers.get(question)
        if said is None:
            self.changes.open.append(
                OpenInstruction(question, quote, unquoted.path, day, reason, figure)
            )
            self.changes.ended += [EndedFact(held, day, quote, reason) for held in doubted]
        elif (end := parse_end(said)) is not None:
            self.changes.ended += [EndedFact(held, end or day, quote) for held in doubted]
            self._drop(doubted)

    def _list_unread(
        self, ended: Sequence[HeldFact], begun: Collection[str], paths: Mapping[int, str],
        applied: Sequence[Operation], after: Act,
    ) -> list[UnquotedFact]:  # fmt: skip
        """Facts that are no longer read although only other words of their provision changed."""
        gone = {id(held) for held in ended}
        places = _Places(after)
        stays = {
            (places.find_path(held), held.fact.proposed.value)
            for held in self._live
            if id(held) not in gone
        }
        found = []
        for held in ended:
            said, path = held.fact.proposed, paths[id(held)]
            about = [
                op for op in applied if is_within(path, op.target) or is_within(op.target, path)
            ]
            words = join_words(after.list_within(path))
            if (
                all(op.kind in _ON_WORDS for op in about)
                and said.concept not in begun
                and said.value_type != "text"
                and (path, said.value) not in stays
                and is_value_in_quote(said.value, said.value_type, said.unit, words)
            ):
                by = choose_instruction(path, held.fact.quote, applied)
                reason = "the words around it changed, and what they say now cannot be read"
                found.append(UnquotedFact(held.fact, path, by, reason))
        return found

    def _read_facts(self, printed: PrintedArticles) -> list[AcceptedFact]:
        reading = Reading(
            content_class=ContentClass.HTML, text=printed.text, title=self._title or None
        )
        passage = Passage(reading=reading, language=self._language, jurisdiction=self._jurisdiction)
        return list(take_facts(passage, self._facts))

    def _find_ended(
        self, gone: Counter[tuple[str, ...]], tops: set[str], act: Act
    ) -> list[HeldFact]:
        """The facts that the changed articles no longer state: first those with the same words,
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
        known = {id(held) for held in ended}
        replaced = [held for meaning in gone for held in self._replaced.get(meaning, ())]
        return ended + [h for h in self._keep_live(replaced) if id(h) not in known]

    def _keep_live(self, facts: Iterable[HeldFact]) -> list[HeldFact]:
        live = {id(held) for held in self._live}
        return [held for held in facts if id(held) in live]

    def _drop(self, facts: Iterable[HeldFact]) -> None:
        gone = {id(held) for held in facts}
        self._live = [held for held in self._live if id(held) not in gone]

    @property
    def _places(self) -> "_Places":
        if self._known_places.act is not self._act:
            self._known_places = _Places(self._act)
        return self._known_places

    def _list_live_within(self, *paths: str, act: Act | None = None) -> list[HeldFact]:
        """The facts that hold and lie in one of these provisions; empty path: the whole act."""
        if "" in paths:
            return list(self._live)
        places = _Places(act) if act else self._places
        return [
            held for held in self._live if any(is_within(places.find_path(held), p) for p in paths)
        ]


class _Places:
    """Where the words of an act are in the texts they come from."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self._of_text: dict[str, list[tuple[int, int, str]]] = {}

    @cached_property
    def tree(self) -> ActTree:
        return ActTree(self.act)

    def find_path(self, held: HeldFact) -> str:
        """The provision that a fact is in; empty if it is in none."""
        at = held.base or Span(held.evidence_id, held.fact.start, held.fact.end)
        if at.source not in self._of_text:
            self._of_text[at.source] = index_places(self.act, at.source)
        return find_path_at(self._of_text[at.source], at.start)

    def find_concerned(self, parsed: Operation | UnclearInstruction) -> str | None:
        """The provision that an instruction may change; None if it changes none, empty if any. If
        the act does not have it, the instruction may mean anything in the nearest one around it."""
        target = parsed.target
        is_insertion = isinstance(parsed, Operation) and parsed.kind is OperationKind.INSERT
        if is_insertion and "__" not in target and self.tree.find(target) is None:
            # A new article leaves the others as they are.
            return None
        return find_nearest(self.tree, target)


def _list_replaced(
    unquoted: UnquotedFact, ended: Sequence[HeldFact], paths: Mapping[int, str],
    begun: Collection[str],
) -> list[HeldFact]:  # fmt: skip
    """The facts in whose place a new one is: those about the same, in its provision if possible;
    otherwise those of its provision that have no other in their place."""
    concept = unquoted.fact.proposed.concept
    same = [held for held in ended if held.fact.proposed.concept == concept]
    others = [held for held in ended if held.fact.proposed.concept not in begun]
    near = [h for h in same or others if is_beside(paths[id(h)], unquoted.path)]
    return near or same


def _is_whole(operation: Operation) -> bool:
    """Whether nothing of a provision stays."""
    part = operation.heading_only or operation.opening_only
    return operation.kind in (OperationKind.REPLACE, OperationKind.DELETE) and not part


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


def _comes_from(fact: AcceptedFact, printed: PrintedArticles, source: str) -> bool:
    """Whether some of a fact's words come from a text: of two equal facts, that one is new."""
    return any(span.source == source for span in printed.find_sources(fact.start, fact.end))
