"""Operations from clauses whose words and new texts are quoted (Croatian, German, British, Union).

A tradition recognises what a clause says; this module gives it its place, reads the quotations and
makes the operations.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from assay.packs.regulatory.acts.amending.clauses import (
    AmendingClause,
    Drafting,
    QuotedPassage,
    list_clauses,
    search_nearby,
)
from assay.packs.regulatory.acts.amending.fragments import (
    Line,
    NumberingStyle,
    copy_trimmed,
    join_lines,
    read_parts,
    split_lines,
)
from assay.packs.regulatory.acts.amending.meanings import ClauseMeaning, NamedActs, Path, Statement
from assay.packs.regulatory.acts.amending.nesting import NotNested, nest_lines
from assay.packs.regulatory.acts.amending.paths import (
    ARTICLE_LEVEL,
    LAST,
    SENTENCE_LEVEL,
    Step,
    combine,
    join_steps,
    last_number,
    subparagraph,
)
from assay.packs.regulatory.acts.amending.quoting import mask_quotations
from assay.packs.regulatory.acts.shapes import (
    Operation,
    OperationKind,
    Provision,
    ProvisionKind,
    Span,
    UnclearInstruction,
    Words,
    copy_words,
)


class ClauseReader(Protocol):
    """Understands the clauses of one tradition."""

    @property
    def looks(self) -> re.Pattern[str]: ...

    def read(self, clause: AmendingClause, context: Path) -> ClauseMeaning: ...

    def find_certain(self, words: str, context: Path) -> Path: ...


@dataclass(frozen=True, slots=True)
class QuotedTradition:
    marks: dict[str, str]
    drafting: Drafting
    article_line: re.Pattern[str]
    """The first line of a new article, with the groups `number` and `heading`."""
    style: NumberingStyle
    grammar: "ClauseReader"
    flows: bool = False
    """Whether a clause continues where the one before it was (Croatian)."""
    keeps_instrument: bool = False
    begins: re.Pattern[str] | None = None
    """What the instructions follow, if a text has it; before it are only reasons."""
    picture: re.Pattern[str] | None = None
    """What shows that new text has a picture, such as a formula, which is not in the text."""
    announces: re.Pattern[str] | None = None
    """What a line before new text says. Where the tradition marks quotations within new text
    otherwise, such a line shows that the quotation before has ended."""


def parse_quoted(
    source: str, text: str, tradition: QuotedTradition
) -> list[Operation | UnclearInstruction]:
    """The operations of an amending act, in order."""
    found_start = tradition.begins.search(text) if tradition.begins else None
    first = found_start.end() if found_start else 0
    masked = mask_quotations(
        text, tradition.marks, tradition.drafting.heading, first, tradition.announces
    )
    found: list[Operation | UnclearInstruction] = []
    contexts: dict[int, Path] = {}
    acts = NamedActs()
    is_lost = False
    unread: int | None = None
    references: list[tuple[UnclearInstruction, Sequence[str]]] = []
    annexed: int | None = None
    builder = _Builder(source, text, tradition)
    for clause in list_clauses(masked, tradition.drafting):
        if clause.start < first:
            continue
        if clause.is_heading:
            if annexed is None and clause.words.startswith("ANNEX"):
                annexed = len(found)
            contexts, is_lost, unread = {}, False, None
            acts.begin_article(keep=tradition.keeps_instrument)
            continue
        below = [depth for depth in contexts if depth < clause.depth or tradition.flows]
        context = contexts[max(below)] if below else ()
        if unread is not None and clause.depth <= unread:
            unread = None
        meaning = tradition.grammar.read(clause, context)
        instrument = acts.choose(clause, meaning)
        own = meaning.context
        if own is None and meaning.statements:
            last = meaning.statements[-1]
            own = tuple((last.renumbered or last.targets or [()])[-1])
        if tradition.flows and own is not None:
            own = tuple(step for step in own if step.level == ARTICLE_LEVEL)
        if own is not None:
            contexts = {d: c for d, c in contexts.items() if d < clause.depth} | {clause.depth: own}
        hides = _hides_instruction(text, clause, meaning, tradition)
        quote = Span(source, clause.start, clause.end)
        if hides:
            reason = "a quotation in it may not end where it should"
            certain = tradition.grammar.find_certain(clause.words, context)
            found.append(UnclearInstruction(quote, instrument, join_steps(certain), reason))
        elif is_lost and (meaning.statements or meaning.problem):
            # The act and the provision may have been named inside that quotation.
            reason = "a quotation before it may not end where it should"
            found.append(UnclearInstruction(quote, instrument, "", reason))
        elif unread is not None and (meaning.statements or meaning.problem):
            # It may name only a part of the place; the clause around it named the rest.
            reason = "the instruction that it is a part of is not understood"
            around = join_steps(context)
            around = around if around.startswith(_ARTICLES) else ""
            found.append(UnclearInstruction(quote, instrument, around, reason))
        else:
            found += builder.build(clause, meaning, context, instrument)
            if meaning.referred and isinstance(found[-1], UnclearInstruction):
                references.append((found[-1], list(map(join_steps, meaning.referred))))
        is_open = tradition.announces and any(not each.is_closed for each in clause.quotations)
        is_lost = is_lost or hides or bool(is_open)
        if own is None and not tradition.flows and (meaning.problem or clause.words.endswith(":")):
            unread = clause.depth if unread is None else unread
            contexts = {d: c for d, c in contexts.items() if d < clause.depth}
    in_annex = found[annexed:] if annexed is not None else []
    answered = [each for each, paths in references if _are_changed(each, paths, in_annex)]
    return [each for each in found if each not in answered]


def _are_changed(
    reference: UnclearInstruction,
    paths: Sequence[str],
    in_annex: Sequence[Operation | UnclearInstruction],
) -> bool:
    """Whether an annex has instructions about everything that a clause refers to it."""
    targets = [each.target for each in in_annex if each.instrument == reference.instrument]
    return all(
        any(target == path or target.startswith(f"{path}__") for target in targets)
        for path in paths
    )


def _hides_instruction(
    text: str, clause: AmendingClause, meaning: ClauseMeaning, tradition: QuotedTradition
) -> bool:
    """Whether an instruction may be inside what was taken for a quotation."""
    if meaning.statements:
        return any(
            tradition.grammar.looks.search(line["words"])
            for each in clause.quotations
            for line in _LEAD_IN.finditer(text, each.start, each.end)
        )
    if meaning.problem or meaning.context is not None:
        return False
    return any(
        not each.is_closed or search_nearby(tradition.grammar.looks, text, each.start, each.end)
        for each in clause.quotations
    )


_LEAD_IN = re.compile(r"(?m)^(?P<words>[^\n]*):[ \t]*\n[ \t]*[‘“„»\"]")
"""A line that announces a quotation: in new text, a sign that the quotation before did not end."""


class _Unreadable(Exception):
    """The quoted text does not fit the instruction; the message says why."""


@dataclass(slots=True)
class _Builder:
    source: str
    text: str
    tradition: QuotedTradition
    instrument: str = field(default="")

    def build(
        self, clause: AmendingClause, meaning: ClauseMeaning, context: Path, instrument: str
    ) -> list[Operation | UnclearInstruction]:
        self.instrument = instrument
        quote = Span(self.source, clause.start, clause.end)
        if meaning.problem:
            target = join_steps(meaning.target or context)
            target = target if target.startswith(_ARTICLES) else ""
            return [UnclearInstruction(quote, instrument, target, meaning.problem)]
        if meaning.statements and not all(each.is_closed for each in clause.quotations):
            target = join_steps(_common(meaning.statements) or context)
            reason = "a quotation in it is not closed"
            return [UnclearInstruction(quote, instrument, target, reason)]
        for statement in meaning.statements:
            if problem := _find_gap(statement):
                target = join_steps(_common([statement]))
                target = target if target.startswith(_ARTICLES) else ""
                return [UnclearInstruction(quote, instrument, target, problem)]
        built: list[Operation | UnclearInstruction] = []
        for statement in meaning.statements:
            try:
                built += self._operations(clause, statement, quote)
            except _Unreadable as reason:
                target = join_steps(_common([statement]))
                return [UnclearInstruction(quote, instrument, target, str(reason))]
        return built

    def _operations(
        self, clause: AmendingClause, statement: Statement, quote: Span
    ) -> list[Operation]:
        kind = statement.kind
        if kind is OperationKind.RENUMBER:
            return self._renumber(statement, quote)
        old = self._read(clause, statement.old)
        until = self._read(clause, statement.until)
        new = self._words(clause, statement.new, statement.lead)
        base = Operation(
            kind=kind,
            instrument=self.instrument,
            target="",
            old=old,
            until=until,
            to_end=statement.to_end,
            new=new,
            before=statement.before,
            everywhere=statement.everywhere,
            heading_only=statement.heading_only,
            opening_only=statement.opening_only,
            after=join_steps(statement.after),
            quote=quote,
        )
        if kind not in (OperationKind.REPLACE, OperationKind.INSERT):
            operations = [replace(base, target=join_steps(each)) for each in statement.targets]
            last = statement.targets[-1] if statement.targets else ()
            if kind is OperationKind.DELETE and (_is_line(last) or _is_sentence(last)):
                # The first of several sentences would give its number to the next one.
                operations.reverse()
            return operations
        if statement.new is None:
            raise _Unreadable("the new text is missing")
        quotation = clause.quotations[statement.new]
        picture = self.tradition.picture
        if picture and picture.search(self.text, quotation.start, quotation.end):
            raise _Unreadable("the new text has a formula that is not in the text")
        statement = self._take_unnumbered(quotation, statement)
        base = replace(base, after=join_steps(statement.after))
        if statement.opening_only or _is_line(statement.targets[0]):
            opening, parts, closing = self._read_lines(quotation, statement.targets[0])
            if statement.opening_only and parts:
                raise _Unreadable("the new text has more than the words before the points")
            until = join_steps(statement.through)
            return [
                replace(
                    base,
                    target=join_steps(each),
                    until=until,
                    new=opening,
                    provisions=tuple(parts),
                    closing=closing,
                )
                for each in statement.targets
            ]
        if statement.heading_only:
            base = replace(base, new=self._read_heading(quotation, new))
        if statement.heading_only or _is_sentence(statement.targets[0]):
            return [replace(base, target=join_steps(each)) for each in statement.targets]
        trees = self._read_new_text(quotation, statement)
        operations = []
        after = base.after
        replaced = {each[-1].number for each in statement.targets}
        for path, provisions in trees:
            is_more = kind is OperationKind.REPLACE and last_number(path) not in replaced
            own = OperationKind.INSERT if is_more else kind
            operations.append(
                replace(
                    base, kind=own, target=path, provisions=provisions, new=Words(), after=after
                )
            )
            is_row = kind is OperationKind.INSERT and base.after and not base.before
            after = path if is_row or kind is OperationKind.REPLACE else after
        return operations

    def _renumber(self, statement: Statement, quote: Span) -> list[Operation]:
        if len(statement.targets) != len(statement.renumbered):
            raise _Unreadable("which number each provision gets is not clear")
        operations = [
            Operation(
                kind=OperationKind.RENUMBER,
                instrument=self.instrument,
                target=join_steps(old),
                renumbered=join_steps(new),
                quote=quote,
            )
            for old, new in zip(statement.targets, statement.renumbered, strict=True)
        ]
        taken = {each.target for each in operations}
        needs_room = any(each.renumbered in taken for each in operations)
        return operations[::-1] if needs_room else operations

    def _read(self, clause: AmendingClause, index: int | None) -> str:
        if index is None:
            return ""
        quotation = clause.quotations[index]
        return self.text[quotation.start : quotation.end]

    def _words(self, clause: AmendingClause, index: int | None, lead: str) -> Words:
        if index is None:
            return Words()
        quotation = clause.quotations[index]
        note = self.tradition.style.note
        stops = [
            line.start()
            for line in re.finditer(r"(?m)^.+$", self.text[quotation.start : quotation.end])
            if note and note.match(line.group().lstrip())
        ]
        end = quotation.start + stops[0] if stops else quotation.end
        words = copy_trimmed(self.source, self.text, quotation.start, end)
        return Words(lead, (Span("", 0, len(lead)),)) + words if lead else words

    def _read_heading(self, quotation: QuotedPassage, words: Words) -> Words:
        """A new heading, without the number of the article that may be printed above it."""
        head = self.tradition.article_line.match(self.text, quotation.start, quotation.end)
        if head is None or not head["heading"]:
            return words
        return copy_trimmed(self.source, self.text, head.start("heading"), head.end("heading"))

    def _read_new_text(
        self, quotation: QuotedPassage, statement: Statement
    ) -> list[tuple[str, tuple[Provision, ...]]]:
        """The quoted provisions, each with its path, checked against the numbers announced."""
        wanted = list(statement.targets)
        parent = tuple(wanted[0][:-1])
        if wanted[0][-1].level == ARTICLE_LEVEL:
            trees = self._read_articles(quotation, wanted[0][-1])
        else:
            trees = self._read_parts(quotation, parent, wanted[0][-1], statement)
        if not statement.is_new_numbered:
            if len(trees) != 1 and not statement.has_several:
                raise _Unreadable("the new text has several provisions")
            return trees
        numbers = [last_number(path) for path, _ in trees]
        announced = [each[-1].number for each in wanted]
        if numbers != announced and not _has_more(numbers, announced, statement):
            raise _Unreadable("the numbers in the new text are not those that are announced")
        return trees

    def _take_unnumbered(self, quotation: QuotedPassage, statement: Statement) -> Statement:
        """A paragraph that is added without a number is a line of its article."""
        last = statement.targets[0][-1]
        if statement.is_new_numbered or statement.after or last.kind != ProvisionKind.PARAGRAPH:
            return statement
        lines = split_lines(self.text, quotation.start, quotation.end, self.tradition.style)
        if not lines or lines[0].mark is not None:
            return statement
        target = combine(statement.targets[0][:-1], [subparagraph(LAST)])
        return replace(statement, targets=[target], after=target, is_new_numbered=True)

    def _read_lines(
        self, quotation: QuotedPassage, target: Path
    ) -> tuple[Words, list[Provision], Words]:
        """New lines of a provision, their points, and the lines after these. The number of the
        provision that they are in may be printed before the first line."""
        style = self.tradition.style
        lines = split_lines(self.text, quotation.start, quotation.end, style)
        own = [step.number for step in target if step.kind != ProvisionKind.SUBPARAGRAPH]
        if lines and (mark := lines[0].mark) and own and mark.number == own[-1]:
            lines[0] = replace(lines[0], mark=None, start=lines[0].words_start)
        first = next((i for i, line in enumerate(lines) if line.mark), len(lines))
        opening = join_lines(
            copy_trimmed(self.source, self.text, line.start, line.end) for line in lines[:first]
        )
        closing, parts = self._nest(lines[first:], join_steps(target))
        return opening, parts, closing

    def _nest(
        self, lines: Sequence[Line], path: str, *, has_owner: bool = True
    ) -> tuple[Words, list[Provision]]:
        """The parts of a provision, and its words after them."""
        style = self.tradition.style
        if not style.ends_lists or not lines:
            return Words(), read_parts(self.source, self.text, lines, path, style)
        try:
            return nest_lines(self.source, self.text, lines, path, style, has_owner=has_owner)
        except NotNested as reason:
            raise _Unreadable(str(reason)) from None

    def _read_articles(
        self, quotation: QuotedPassage, step: Step
    ) -> list[tuple[str, tuple[Provision, ...]]]:
        heads = list(
            self.tradition.article_line.finditer(self.text, quotation.start, quotation.end)
        )
        if not heads:
            raise _Unreadable("the new text does not begin with the number of the article")
        lead = copy_trimmed(self.source, self.text, quotation.start, heads[0].start())
        trees = []
        ends = [each.start() for each in heads[1:]] + [quotation.end]
        for head, end in zip(heads, ends, strict=True):
            number = re.sub(r"[.\s]", "", head["number"])
            path = f"{step.kind}_{number}"
            heading = copy_trimmed(
                self.source, self.text, head.start("heading"), head.end("heading")
            )
            printed = self.text[head.start() : head.start("heading")].strip()
            printed = printed.splitlines()[0] if printed else printed
            opening, parts, closing = self._read_body(path, head.end(), end)
            first = Provision(path, printed, heading if heading.text else lead, opening, closing)
            trees.append((path, (first, *parts)))
            lead = Words()
        return trees

    def _read_body(self, path: str, start: int, end: int) -> tuple[Words, list[Provision], Words]:
        """An article's words before its parts, its parts, and its words after them."""
        style = self.tradition.style
        lines = split_lines(self.text, start, end, style)
        first = next((i for i, line in enumerate(lines) if line.mark is not None), len(lines))
        leading = [copy_words(self.source, self.text, e.start, e.end) for e in lines[:first]]
        opening = Words()
        unnumbered: list[Provision] = []
        if style.counts_unnumbered:
            unnumbered = [
                Provision(f"{path}__para_{count}", opening=words)
                for count, words in enumerate(leading, 1)
            ]
        else:
            opening = join_lines(leading)
        rest = lines[first:]
        is_paragraphs = bool(rest and rest[0].mark and rest[0].mark.style == style.paragraph)
        has_points = unnumbered and rest and not is_paragraphs
        closing, parts = self._nest(rest, unnumbered[-1].path if has_points else path)
        return opening, [*unnumbered, *parts], closing

    def _read_parts(
        self, quotation: QuotedPassage, parent: Path, step: Step, statement: Statement
    ) -> list[tuple[str, tuple[Provision, ...]]]:
        style = self.tradition.style
        lines = split_lines(self.text, quotation.start, quotation.end, style)
        base = join_steps(parent)
        if not lines:
            raise _Unreadable("the new text is empty")
        if lines[0].mark is None:
            if len(statement.targets) > 1 or not statement.is_new_numbered:
                raise _Unreadable("the new text does not begin with a number")
            path = f"{base}__{step.segment}".removeprefix("__")
            first = next((i for i, line in enumerate(lines) if line.mark), len(lines))
            opening = join_lines(
                copy_words(self.source, self.text, each.start, each.end) for each in lines[:first]
            )
            closing, parts = self._nest(lines[first:], path)
            return [(path, (Provision(path, opening=opening, closing=closing), *parts))]
        _, provisions = self._nest(lines, base, has_owner=False)
        trees: list[tuple[str, list[Provision]]] = []
        for each in provisions:
            if each.path.count("__") == base.count("__") + (1 if base else 0):
                path = f"{base}__{step.kind}_{last_number(each.path)}".removeprefix("__")
                trees.append((path, [replace(each, path=path)]))
                own = each.path
            else:
                path, tree = trees[-1]
                tree.append(replace(each, path=path + each.path[len(own) :]))
        return [(path, tuple(tree)) for path, tree in trees]


def _has_more(numbers: Sequence[str], announced: Sequence[str], statement: Statement) -> bool:
    """Whether new text has what is replaced and, after the first of it, new provisions as well:
    "paragraph 4 is replaced by the following: ‘4. … 4a. …’"."""
    kept = [each for each in numbers if each in announced]
    return (
        statement.kind is OperationKind.REPLACE
        and kept == list(announced)
        and numbers[0] == announced[0]
        and len(set(numbers)) == len(numbers)
    )


_ARTICLES = ("art_", "sec_", "annex", "preamble_")


def _find_gap(statement: Statement) -> str:
    """What a statement leaves open: the article, or any provision at all."""
    for path in (*statement.targets, *statement.renumbered):
        if path and path[0].level != ARTICLE_LEVEL:
            return "which article it concerns is not clear"
        if not path and not (statement.everywhere and statement.old is not None):
            return "which provision it concerns is not clear"
    return ""


def _is_line(path: Path) -> bool:
    return bool(path) and path[-1].kind == ProvisionKind.SUBPARAGRAPH


def _is_sentence(path: Path) -> bool:
    return bool(path) and path[-1].level == SENTENCE_LEVEL


def _common(statements: Sequence[Statement]) -> Path:
    paths = [path for each in statements for path in each.targets]
    shared: list[Step] = []
    for steps in zip(*paths, strict=False):
        if len(set(steps)) > 1:
            break
        shared.append(steps[0])
    return tuple(shared)


def place(citations: Sequence[Path], context: Path) -> list[Path]:
    return [combine(context, each) for each in citations]
