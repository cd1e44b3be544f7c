"""What clauses say, recognised by their wording: one set of builders for all quoted traditions.

A tradition gives each wording as a pattern with agreed group names: `cite` (the provision), `pairs`
and `list` (quotations), `each` (all occurrences), `side` (before or after), `new` (what a new
provision is called), `more` (a second instruction in the same clause).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from assay.packs.regulatory.acts.amending.citations import Citation, CitingStyle, read_citation
from assay.packs.regulatory.acts.amending.clauses import (
    LONGEST_CLAUSE,
    QUOTE,
    AmendingClause,
    search_nearby,
)
from assay.packs.regulatory.acts.amending.meanings import NOTHING, ClauseMeaning, Path, Statement
from assay.packs.regulatory.acts.amending.paths import (
    ARTICLE_LEVEL,
    LAST,
    SENTENCE_LEVEL,
    Step,
    combine,
    is_count,
    sentence,
    subparagraph,
)
from assay.packs.regulatory.acts.shapes import OperationKind, ProvisionKind


@dataclass(frozen=True, slots=True)
class Flags:
    """Whether a clause is about a heading or the words before the parts."""

    heading: bool
    opening: bool


_NOT_UNDERSTOOD = "the instruction is not understood"
_AND_MORE = re.compile(r"\s*(?:,|(?:und|sowie|and|i|te)\b)\s*\S")
_NOTHING = re.compile(r"(?!)")
_ENDS_PLACE = re.compile(rf"{QUOTE}|:\s")
_LINES = (ProvisionKind.SUBPARAGRAPH, ProvisionKind.SENTENCE)
Build = Callable[["Grammar", re.Match[str], Path, Flags], ClauseMeaning]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The wordings of a drafting tradition."""

    citation: CitingStyle
    wordings: Sequence[tuple[re.Pattern[str], Build]]
    looks: re.Pattern[str]
    """What any instruction contains, understood or not."""
    ignored: re.Pattern[str]
    """Clauses that are not instructions although they look like one, such as commencement."""
    noun: re.Pattern[str]
    """Words that only introduce a quotation ("die Wörter")."""
    heading: re.Pattern[str]
    """Names a provision's heading."""
    opening: re.Pattern[str]
    """Names the words before a provision's parts."""
    instrument: re.Pattern[str]
    """Names the act to change, with the group `act`."""
    sentence_noun: re.Pattern[str]
    before: frozenset[str]
    """Words that put the new text before the place."""
    joint: re.Pattern[str] | None = None
    """Words between two instructions about the same provision."""
    plain_nouns: dict[str, Step] = field(default_factory=dict)
    """What a new provision without an announced number is ("the following paragraph")."""
    subparagraph_noun: re.Pattern[str] = _NOTHING
    verb: re.Pattern[str] | None = None
    """What follows the provision that changes, where the wording is always like that."""
    leads_to_act: re.Pattern[str] = _NOTHING
    """What precedes an act that is the place of a change, where `verb` is given."""
    line_noun: re.Pattern[str] = _NOTHING
    """What is inserted next to a subparagraph."""

    def read(self, clause: AmendingClause, context: Path) -> ClauseMeaning:
        words = clause.words
        if len(words) > LONGEST_CLAUSE:
            return self._read_long(words, context)
        if not self.looks.search(words) or self.ignored.search(words):
            return self._read_instrument_only(words)
        words, instrument, dropped = self._take_instrument(words)
        words = " ".join(self.noun.sub("", words).split())
        heading, words = _take(self.heading, words)
        if heading and _AND_MORE.match(words):
            target = self.find_certain("", context)
            problem = "a heading and other provisions change at once"
            return ClauseMeaning(instrument=instrument, problem=problem, target=target)
        opening, words = _take(self.opening, words)
        flags = Flags(heading, opening)
        words = words.strip(" ,")
        meaning = self._recognise(words, context, flags) or self._recognise_joint(
            words, context, flags
        )
        if meaning is None:
            target = self.find_certain(words, context)
            meaning = ClauseMeaning(problem=_NOT_UNDERSTOOD, target=target)
        return replace(
            meaning,
            statements=[_shift(each, dropped) for each in meaning.statements],
            instrument=instrument,
            cites_act=bool(meaning.problem) and not self._names_place(clause.words, instrument),
        )

    def cite(self, words: str, context: Path) -> Citation:
        return read_citation(words, context, self.citation)

    def find_certain(self, words: str, context: Path) -> Path:
        """The provision that a clause surely concerns: what it names before any quotation."""
        before = words.partition(QUOTE)[0]
        before = self.verb.split(before)[0] if self.verb else before
        targets = self.cite(before, context).targets
        certain = targets[0] if len(targets) == 1 else context
        return certain if certain and certain[0].level == ARTICLE_LEVEL else ()

    def read_citations(self, words: str, context: Path) -> tuple[list[Path], str]:
        """The provisions that words name, and what is not understood."""
        read = self.cite(words, context)
        if read.rest:
            words = read.rest.replace(QUOTE, "…").strip(" …,") or "…"
            problem = f"which provision is meant is not clear: “{words}” is not understood"
            return read.targets or [context], problem
        return read.targets or [context], ""

    def find(self, match: re.Match[str], context: Path) -> tuple[list[Path], str]:
        """The provisions a clause is about: `lead` names where, `cite` (or `cite2`) what."""
        groups = match.groupdict()
        if groups.get("lead"):
            where, problem = self.read_citations(groups["lead"], context)
            if problem or len(where) != 1:
                return where, problem or "which provision is meant is not clear"
            context = where[0]
        return self.read_citations(groups.get("cite") or groups.get("cite2") or "", context)

    def _recognise(self, words: str, context: Path, flags: Flags) -> ClauseMeaning | None:
        for pattern, build in self.wordings:
            match = pattern.match(words)
            if match is not None:
                return build(self, match, context, flags)
        return None

    def _recognise_joint(self, words: str, context: Path, flags: Flags) -> ClauseMeaning | None:
        """Two instructions about one provision in one clause: both are understood, or neither."""
        cut = self.joint.search(words) if self.joint else None
        if cut is None or flags.heading or flags.opening:
            return None
        first = self._recognise(words[: cut.start()], context, flags)
        if first is None or not first.statements or first.problem:
            return first
        targets = first.statements[-1].targets
        if len(targets) != 1:
            return unclear(list(targets), "which provision the second change concerns is not clear")
        rest = words[cut.end() :]
        second = self._recognise(rest, targets[0], flags) or self._recognise_joint(
            rest, targets[0], flags
        )
        if second is None or second.problem:
            return second
        by = words[: cut.start()].count(QUOTE)
        return ClauseMeaning([*first.statements, *(_shift(e, by) for e in second.statements)])

    def _read_long(self, words: str, context: Path) -> ClauseMeaning:
        """What is longer than an instruction may still contain one; it begins with its act."""
        start = words[:LONGEST_CLAUSE]
        instrument = self._read_instrument_only(start).instrument
        if not search_nearby(self.looks, words, 0, len(words)) or self.ignored.search(start):
            return ClauseMeaning(instrument=instrument)
        target = self.find_certain(start, context)
        return ClauseMeaning(instrument=instrument, problem=_NOT_UNDERSTOOD, target=target)

    def _read_instrument_only(self, words: str) -> ClauseMeaning:
        match = self.instrument.search(words)
        return ClauseMeaning(instrument=_name(match)) if match else NOTHING

    def _names_place(self, words: str, instrument: str) -> bool:
        """Whether an act is named as the place of a change: "in Annex I to Directive 2002/65/EC" or
        "Directive 2002/65/EC is amended". What is not understood may cite any act."""
        if self.verb is None or not instrument:
            return True
        before, _, after = words.partition(instrument)
        return self.verb.match(after.lstrip()) is not None or (
            self.verb.search(before) is None and self.leads_to_act.search(before) is not None
        )

    def _take_instrument(self, words: str) -> tuple[str, str, int]:
        match = self.instrument.search(words)
        # What follows a quotation or a colon may cite any act: it is a part of the change.
        if match is None or _ENDS_PLACE.search(words, 0, match.start()):
            return words, "", 0
        rest = (words[: match.start()] + " " + words[match.end() :]).strip(" ,")
        return rest, _name(match), match.group().count(QUOTE)


def _name(match: re.Match[str]) -> str:
    return " ".join(match["act"].replace(QUOTE, "").split())


def _take(pattern: re.Pattern[str], words: str) -> tuple[bool, str]:
    match = pattern.search(words)
    if match is None or (QUOTE in words and match.start() > words.index(QUOTE)):
        return False, words
    return True, " ".join((words[: match.start()] + " " + words[match.end() :]).split())


def _shift(statement: Statement, by: int) -> Statement:
    """Quotations that name the act come first and are not part of the instruction."""
    changed = {
        name: value + by
        for name in ("old", "until", "new")
        if (value := getattr(statement, name)) is not None
    }
    return replace(statement, **changed) if by else statement


def unclear(targets: Sequence[Path], problem: str) -> ClauseMeaning:
    return ClauseMeaning(problem=problem, target=targets[0] if len(targets) == 1 else ())


def _has(match: re.Match[str], name: str) -> bool:
    return bool(match.groupdict().get(name))


MakeStatements = Callable[[Grammar, re.Match[str], Sequence[Path], Flags], list[Statement]]


def _on_words(make: MakeStatements) -> Build:
    """A reader of clauses that change words: it finds their provisions, or says why not."""

    def read(grammar: Grammar, match: re.Match[str], context: Path, flags: Flags) -> ClauseMeaning:
        targets, problem = grammar.find(match, context)
        if problem:
            return unclear(targets, problem)
        return ClauseMeaning(
            [
                replace(each, heading_only=flags.heading, opening_only=flags.opening)
                for each in make(grammar, match, targets, flags)
            ]
        )

    return read


def _is_everywhere(match: re.Match[str]) -> bool:
    return _has(match, "each") or _has(match, "each2")


@_on_words
def replace_words(
    grammar: Grammar, match: re.Match[str], targets: Sequence[Path], flags: Flags
) -> list[Statement]:
    """One or more pairs of quotations: old, new, old, new."""
    return [
        Statement(
            kind=OperationKind.REPLACE_WORDS,
            targets=targets,
            old=2 * index,
            new=2 * index + 1,
            everywhere=_is_everywhere(match),
        )
        for index in range(match["pairs"].count(QUOTE) // 2)
    ]


@_on_words
def replace_stretch(
    grammar: Grammar, match: re.Match[str], targets: Sequence[Path], flags: Flags
) -> list[Statement]:
    """The words from one quotation to another, or to the end."""
    to_end = _has(match, "end")
    last = 0 if to_end else 1
    has_new = _has(match, "put")
    return [
        Statement(
            kind=OperationKind.REPLACE_WORDS if has_new else OperationKind.DELETE_WORDS,
            targets=targets,
            old=0,
            until=None if to_end else 1,
            to_end=to_end,
            new=last + 1 if has_new else None,
        )
    ]


@_on_words
def delete_words(
    grammar: Grammar, match: re.Match[str], targets: Sequence[Path], flags: Flags
) -> list[Statement]:
    """Each quotation of a list."""
    return [
        Statement(
            kind=OperationKind.DELETE_WORDS,
            targets=targets,
            old=index,
            everywhere=_is_everywhere(match),
        )
        for index in range(match["list"].count(QUOTE))
    ]


@_on_words
def insert_words(
    grammar: Grammar, match: re.Match[str], targets: Sequence[Path], flags: Flags
) -> list[Statement]:
    """A quotation after or before another."""
    is_reverse = _has(match, "reverse")
    return [
        Statement(
            kind=OperationKind.INSERT_WORDS,
            targets=targets,
            old=1 if is_reverse else 0,
            new=0 if is_reverse else 1,
            before=match["side"].lower() in grammar.before,
            everywhere=_is_everywhere(match),
            lead=", " if _has(match, "comma") else "",
        )
    ]


@_on_words
def insert_at_edge(
    grammar: Grammar, match: re.Match[str], targets: Sequence[Path], flags: Flags
) -> list[Statement]:
    """Words at the beginning or the end of a provision."""
    is_before = match["side"].lower() in grammar.before
    return [Statement(kind=OperationKind.INSERT_WORDS, targets=targets, new=0, before=is_before)]


def replace_provision(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    targets, problem = grammar.find(match, context)
    names_it = flags.heading or flags.opening or _has(match, "cite") or _has(match, "cite2")
    if problem or not targets[0] or not names_it:
        return unclear(targets, problem or "what is replaced is not clear")
    is_words = flags.heading or flags.opening or targets[0][-1].kind in _LINES
    if is_words and len(targets) > 1 and _are_neighbours(targets):
        statement = Statement(
            kind=OperationKind.REPLACE, targets=targets[:1], through=targets[-1], new=0
        )
        return ClauseMeaning([statement])
    if is_words and len(targets) > 1:
        return ClauseMeaning(
            problem="which of the new words replace which provision is not clear",
            target=combine(targets[0], [])[:-1],
        )
    return ClauseMeaning(
        [
            Statement(
                kind=OperationKind.REPLACE,
                targets=targets,
                new=0,
                heading_only=flags.heading,
                opening_only=flags.opening,
            )
        ]
    )


def _are_neighbours(targets: Sequence[Path]) -> bool:
    """Whether provisions are subparagraphs of one provision, one after the other."""
    numbers = [each[-1].number for each in targets]
    return (
        all(each[-1].kind == ProvisionKind.SUBPARAGRAPH for each in targets)
        and len({each[:-1] for each in targets}) == 1
        and all(map(str.isdigit, numbers))
        and all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
    )


def insert_provision(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    """A new provision after or before another one."""
    anchors, problem = grammar.find(match, context)
    if problem or len(anchors) != 1 or not anchors[0]:
        return unclear(anchors, problem or "where the new text goes is not clear")
    anchor = anchors[0]
    before = match["side"].lower() in grammar.before
    new = match.groupdict().get("new") or ""
    if anchor[-1].kind == ProvisionKind.SUBPARAGRAPH and grammar.line_noun.fullmatch(new):
        statement = Statement(
            kind=OperationKind.INSERT, targets=[anchor], after=anchor, before=before, new=0
        )
        return ClauseMeaning([statement])
    if grammar.sentence_noun.fullmatch(new) and anchor[-1].level == SENTENCE_LEVEL:
        number = anchor[-1].number
        if not is_count(number):
            return unclear(anchors, "which sentence is meant is not clear")
        target = (*anchor[:-1], sentence(str(int(number) + (0 if before else 1))))
        statement = Statement(
            kind=OperationKind.INSERT, targets=[target], after=anchor, before=before, new=0
        )
        return ClauseMeaning([statement])
    return _insert(grammar, new, anchor, anchor[:-1], before=before, after=anchor)


def append_provision(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    """A new provision at the end of another one."""
    owners, problem = grammar.find(match, context)
    if problem or len(owners) != 1:
        return unclear(owners, problem or "where the new text goes is not clear")
    owner = tuple(step for step in owners[0] if step.level < SENTENCE_LEVEL)
    new = match.groupdict().get("new") or match.groupdict().get("new2") or ""
    if grammar.subparagraph_noun.fullmatch(new) and owner:
        target = combine(owner, [subparagraph(LAST)])
        statement = Statement(kind=OperationKind.INSERT, targets=[target], after=target, new=0)
        return ClauseMeaning([statement], context=owner)
    if grammar.sentence_noun.fullmatch(new):
        target = (*owner, sentence("last"))
        statement = Statement(kind=OperationKind.INSERT, targets=[target], after=target, new=0)
        return ClauseMeaning([statement], context=owner)
    return _insert(grammar, new, owner, owner, before=False, after=())


def _insert(
    grammar: Grammar, new: str, context: Path, owner: Path, *, before: bool, after: Path
) -> ClauseMeaning:
    read = grammar.cite(new, context)
    targets, numbered = read.targets, True
    noun = new.strip().lower()
    plain = grammar.plain_nouns.get(noun) or grammar.plain_nouns.get(noun.removesuffix("s"))
    if plain is not None:
        step = after[-1] if after and after[-1].kind == plain.kind else plain
        if not after and owner and owner[-1].kind == plain.kind == ProvisionKind.POINT:
            # What is added to a point is a part of it, not another point beside it.
            step = replace(plain, level=owner[-1].level + 1)
        targets, numbered = [combine(owner, [step])], False
    elif not new and after:
        targets, numbered = [after], False
    elif not targets or read.rest:
        return unclear([owner], "which number the new text has is not clear")
    statement = Statement(
        kind=OperationKind.INSERT,
        targets=targets,
        after=after,
        before=before,
        new=0,
        is_new_numbered=numbered,
        has_several=plain is not None and noun.endswith("s"),
    )
    return ClauseMeaning([statement], context=owner)


def renumber(grammar: Grammar, match: re.Match[str], context: Path, flags: Flags) -> ClauseMeaning:
    old, problem = grammar.find(match, context)
    new, problem_new = grammar.read_citations(match["new"], old[0])
    if problem or problem_new:
        return unclear(old, problem or problem_new)
    statement = Statement(kind=OperationKind.RENUMBER, targets=old, renumbered=new)
    more = match.groupdict().get("more") or ""
    if QUOTE in more:
        revised = Statement(kind=OperationKind.REPLACE, targets=new, new=0)
        return ClauseMeaning([statement, revised], context=new[-1])
    return ClauseMeaning([statement], context=new[-1])


def delete_provision(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    targets, problem = grammar.find(match, context)
    if problem or not targets[0] or flags.heading or flags.opening:
        return unclear(targets, problem or "what is deleted is not clear")
    return ClauseMeaning([Statement(kind=OperationKind.DELETE, targets=targets)])


def refer_to_annex(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    """What changes is said in an annex of the amending act."""
    targets, problem = grammar.find(match, context)
    meaning = unclear(targets, problem or "what its annex changes is not understood")
    return meaning if problem else replace(meaning, referred=targets)


def set_context(
    grammar: Grammar, match: re.Match[str], context: Path, flags: Flags
) -> ClauseMeaning:
    """A place for the clauses below; of several, what they share, and the clauses name the rest."""
    targets, problem = grammar.find(match, context)
    if problem:
        return unclear(targets, problem)
    steps = takewhile(lambda each: len(set(each)) == 1, zip(*targets, strict=False))
    shared = tuple(each[0] for each in steps)
    return ClauseMeaning(context=targets[0] if len(targets) == 1 else shared)
