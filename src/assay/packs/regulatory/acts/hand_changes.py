"""Amendments that a person applies by hand, because the machine could not do so with certainty.

The person names the provision and the words, never more than the amending act says: the new words
are looked up there, so that facts read from the result still quote the act.
"""

import re
from dataclasses import dataclass

from assay.packs.regulatory.acts.amending.folding import find_words
from assay.packs.regulatory.acts.law_changes import ENDED
from assay.packs.regulatory.acts.shapes import (
    Operation,
    OperationKind,
    Provision,
    Span,
    UnclearInstruction,
    copy_words,
)

FORMS = (
    'PATH: "old words" -> "new words"',
    'PATH: "the whole new text"',
    "PATH: delete",
)
"""How a person writes a change; `from YYYY-MM-DD` may follow, and further changes after `;`."""
_CHANGE = re.compile(
    r"(?P<path>[a-z]+_[\w.]+)\s*:\s*"
    r'(?:(?P<delete>delete)|(?:"(?P<old>[^"]+)"\s*->\s*)?"(?P<new>[^"]*)")'
    r"(?:\s+from\s+(?P<day>\d{4}-\d{2}-\d{2}))?\s*(?:;\s*|$)"
)


_END = re.compile(rf"{ENDED}(?:\s+from\s+(?P<day>\d{{4}}-\d{{2}}-\d{{2}}))?")


@dataclass(frozen=True, slots=True)
class HandChange:
    """A change of one provision, in a person's words."""

    target: str
    old: str = ""
    new: str = ""
    is_deletion: bool = False
    day: str = ""
    """The day from which it counts, if the person gave it."""


def parse_end(answer: str) -> str | None:
    """The day in an answer that an instruction ended what was there, or nothing; None if the answer
    says something else."""
    found = _END.fullmatch(answer.strip())
    return None if found is None else found["day"] or ""


def parse_hand_changes(answer: str) -> list[HandChange]:
    """The changes that an answer describes; none if any part of it is not understood."""
    found, at, text = [], 0, answer.strip()
    while at < len(text):
        match = _CHANGE.match(text, at)
        if match is None or not (match["delete"] or match["old"] or match["new"]):
            return []
        found.append(
            HandChange(
                target=match["path"],
                old=match["old"] or "",
                new=match["new"] or "",
                is_deletion=bool(match["delete"]),
                day=match["day"] or "",
            )
        )
        at = match.end()
    return found


def build_hand_operation(
    change: HandChange, parsed: Operation | UnclearInstruction, text: str
) -> Operation | UnclearInstruction:
    """The operation that takes the place of an instruction; unclear if its words are not there."""
    quote, kind = parsed.quote, _choose_kind(change)
    place = _find_new_words(change.new, quote, text)
    if change.new and place is None:
        reason = f"the new words “{change.new}” are not in the amending act"
        return UnclearInstruction(quote, parsed.instrument, change.target, reason)
    new = copy_words(quote.source, text, *(place or (0, 0)))
    is_whole = kind is OperationKind.REPLACE
    return Operation(
        kind=kind,
        instrument=parsed.instrument,
        target=change.target,
        old=change.old,
        new=new,
        provisions=(Provision(path=change.target, opening=new),) if is_whole else (),
        quote=quote,
    )


def _choose_kind(change: HandChange) -> OperationKind:
    if change.is_deletion:
        return OperationKind.DELETE
    if not change.old:
        return OperationKind.REPLACE
    return OperationKind.REPLACE_WORDS if change.new else OperationKind.DELETE_WORDS


def _find_new_words(words: str, quote: Span, text: str) -> tuple[int, int] | None:
    """The place of the words in the instruction; if they are not there, elsewhere in its act."""
    for start, end in ((quote.start, quote.end), (0, len(text))) if words else ():
        for found in find_words(text[start:end], words):
            return start + found[0], start + found[1]
    return None
