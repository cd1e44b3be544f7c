"""Cuts a sentence into clauses, at its punctuation and at the words that begin a clause."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.reading.statements.cue_lists import CueList

STRONG = frozenset(";:")
"""Marks that end what a cue before them governs."""
_MARKS = re.compile(r"[,;:()\[\]–—\"“”„«»]|--|``|''")


@dataclass(slots=True)
class StatementClause:
    """A stretch of a sentence with a verb of its own, or as good as one."""

    start: int
    end: int
    kind: str = ""
    """What begins it: `if`, `whether`, `relative`, `that`, `sub`, `and`, `contrast`, or nothing."""
    after: str = ""
    """The mark before it."""
    is_joined: bool = False
    """Whether `and` comes before what begins it."""


def cut_clauses(text: str, cues: CueList) -> list[StatementClause]:
    """The clauses of a sentence."""
    return _merge_clauses(_cut_text(text, cues), text, cues)


def _cut_text(text: str, cues: CueList) -> Iterator[StatementClause]:
    openers: dict[int, str] = {}
    for kind, pattern in (
        ("and", cues.coordinators),
        ("sub", cues.subordinates),
        ("that", cues.complements),
        ("relative", cues.relatives),
        ("whether", cues.whether_words),
        ("contrast", cues.contrasts),
        ("if", cues.if_words),
    ):
        openers |= {match.start(): kind for match in pattern.finditer(text)}
    marks = {match.start(): match[0] for match in _MARKS.finditer(text)}
    current, taken = StatementClause(0, 0), 0
    for at in sorted({*openers, *marks}):
        if at in marks and not _is_in_number(text, at):
            current.end = at
            yield current
            current = StatementClause(at + len(marks[at]), 0, after=marks[at])
        elif at in openers and at >= taken:
            if openers[at] == "if" and (opened := cues.if_words.match(text, at)):
                taken = opened.end()
            between = text[current.start : at].strip()
            if between and not (current.kind == "and" and cues.coordinators.fullmatch(between)):
                current.end = at
                yield current
                current = StatementClause(at, 0, openers[at])
            elif not current.kind or openers[at] != "and":
                current.is_joined = current.is_joined or current.kind == "and"
                current.kind = openers[at]
    current.end = len(text)
    yield current


def _is_in_number(text: str, at: int) -> bool:
    near = text[max(0, at - 1) : at + 2]
    return len(near) == 3 and near[0].isdigit() and near[2].isdigit()


def _merge_clauses(
    cut: Iterable[StatementClause], text: str, cues: CueList
) -> list[StatementClause]:
    """Join what has no verb of its own to its neighbour."""
    kept: list[StatementClause] = []
    for clause in cut:
        words = text[clause.start : clause.end]
        if not kept:
            kept.append(clause)
            continue
        before = kept[-1]
        had = cues.verbs.search(text, before.start, before.end) is not None
        if not had and not clause.kind and before.kind in ("", "if", "and"):
            kept[-1] = StatementClause(before.start, clause.end, before.kind, before.after)
        elif _stands_alone(clause, words, cues) and (had or before.kind or clause.kind):
            kept.append(clause)
        else:
            kept[-1] = StatementClause(before.start, clause.end, before.kind, before.after)
    return kept


def _stands_alone(clause: StatementClause, words: str, cues: CueList) -> bool:
    if clause.kind in ("contrast", "relative", "if", "whether"):
        return True
    if clause.after in STRONG or clause.after in ("(", "–", "—", "--"):
        return True
    if cues.verbs.search(words) or cues.infinitives.search(words):
        return True
    # `in 1712, not in 1721`: the denial covers what is between the commas.
    denied = cues.negations.match(words.lstrip())
    return denied is not None and bool(clause.after or clause.kind)
