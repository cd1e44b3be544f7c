"""The harness of amendments: instructions parsed in every tradition, and applied to an act.

An input is a text of three parts: a line with the tradition, the act, and after a line of dashes
the amending act.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from assay.packs.regulatory.acts.amending import Tradition, apply_operations, parse_amendments
from assay.packs.regulatory.acts.amending.folding import fold
from assay.packs.regulatory.acts.shapes import (
    Act,
    Operation,
    OperationKind,
    Provision,
    Span,
    UnclearInstruction,
    Words,
)
from assay.packs.regulatory.acts.trees import read_act
from tests.fuzz.oracles import check_words, require, run_twice

TRADITIONS: tuple[Tradition, ...] = get_args(Tradition)
DIVIDER = "\n-----\n"
BASE, AMENDING = "base", "amending"
ON_WORDS = {
    OperationKind.REPLACE_WORDS,
    OperationKind.INSERT_WORDS,
    OperationKind.DELETE_WORDS,
}
_FIELDS = ("heading", "opening", "closing")
_MOST_SINGLE = 20
"""How many operations of one input are applied one by one."""


@dataclass(frozen=True, slots=True)
class AmendmentCase:
    """One input, taken apart."""

    tradition: Tradition
    base: str
    amending: str

    @property
    def texts(self) -> dict[str, str]:
        return {BASE: self.base, AMENDING: self.amending}


def write_case(tradition: str, base: str, amending: str) -> bytes:
    """An input of these parts."""
    return f"{tradition}\n{base}{DIVIDER}{amending}".encode()


def read_case(data: bytes) -> AmendmentCase:
    """The parts of an input; bytes without them are an amending act of some tradition."""
    first, _, rest = data.decode("utf-8", "replace").partition("\n")
    tradition = first if first in TRADITIONS else TRADITIONS[len(data) % len(TRADITIONS)]
    base, _, amending = rest.partition(DIVIDER)
    return AmendmentCase(tradition, base, amending)


def check_amendments(data: bytes) -> None:
    """Everything that is parsed is quoted, and what is applied changes exactly what it names."""
    case = read_case(data)
    parsed = run_twice(lambda: parse_amendments(AMENDING, case.amending, case.tradition))
    for each in parsed:
        _check_quote(each, case)
    act, _, _ = apply_operations(read_act(BASE, case.base), [])
    _check_act(act, case)
    operations = [each for each in parsed if isinstance(each, Operation)]
    _check_together(act, operations, case)
    for operation in operations[:_MOST_SINGLE]:
        _check_alone(act, operation, case)


def _check_quote(each: Operation | UnclearInstruction, case: AmendmentCase) -> None:
    quote = each.quote
    require(quote.source == AMENDING, "quote", f"of {quote.source!r}")
    inside = 0 <= quote.start <= quote.end <= len(case.amending)
    require(inside, "quote", f"{quote} of {len(case.amending)} characters")
    check_words("an instruction", (each.instrument, each.target))
    if isinstance(each, UnclearInstruction):
        require(each.reason != "", "question", "an unclear instruction has no reason")
        return
    for words in (each.new, each.closing):
        _check_copied(words, case)
    for provision in each.provisions:
        for field in _FIELDS:
            _check_copied(getattr(provision, field), case)


def _check_copied(words: Words, case: AmendmentCase) -> None:
    """The words are the characters of their places; one in no text has no letters or figures:
    a space that joins two texts, or the comma of "ein Komma"."""
    at = 0
    for span in words.spans:
        there = words.text[at : at + span.end - span.start]
        at += span.end - span.start
        if not span.source:
            require(not any(map(str.isalnum, there)), "span", f"{there[:60]!r} has no source")
            continue
        text = case.texts[span.source]
        inside = 0 <= span.start <= span.end <= len(text)
        require(inside, "span", f"{span} of {len(text)} characters")
        copied = text[span.start : span.end]
        require(copied == there, "span", f"{there[:60]!r} is copied from {copied[:60]!r}")
    require(at == len(words.text), "span", f"{words.text[at:][:60]!r} has no place")


def _check_act(act: Act, case: AmendmentCase) -> None:
    paths = [each.path for each in act.provisions]
    require(len(set(paths)) == len(paths), "act", "two provisions have one path")
    for provision in act.provisions:
        for field in _FIELDS:
            _check_copied(getattr(provision, field), case)


def _check_together(act: Act, operations: Sequence[Operation], case: AmendmentCase) -> None:
    after, applied, deferred = run_twice(lambda: apply_operations(act, operations))
    _check_act(after, case)
    ended = sorted(map(id, [*applied, *(each.operation for each in deferred)]))
    require(ended == sorted(map(id, operations)), "question", "an operation was lost or doubled")
    require(all(each.reason for each in deferred), "question", "deferred without a reason")
    if not applied:
        require(after == act, "unchanged", "nothing was applied, and the act changed")


def _check_alone(act: Act, operation: Operation, case: AmendmentCase) -> None:
    after, applied, _ = apply_operations(act, [operation])
    if not applied:
        require(after == act, "unchanged", f"{operation.target} was refused, and the act changed")
        return
    _check_act(after, case)
    if operation.kind in ON_WORDS:
        _check_words_changed(act, after, operation, case)
    else:
        _check_provisions_changed(act, after, operation)
    if not _counts_places(operation):
        again, repeated, _ = apply_operations(after, [operation])
        require(not repeated or again == after, "twice", f"{operation.kind} {operation.target}")


def _counts_places(operation: Operation) -> bool:
    """Whether it names a sentence or a line by its position: after one is deleted, that is another
    one, and nothing shows that the instruction was carried out before."""
    paths = (operation.target, operation.after, operation.renumbered)
    return any("sentence_" in path or "subpara_" in path or "last" in path for path in paths)


def _check_words_changed(
    before: Act, after: Act, operation: Operation, case: AmendmentCase
) -> None:
    """Nothing but the named words is lost, and nothing but the new words is added."""
    paths = [each.path for each in before.provisions]
    require([each.path for each in after.provisions] == paths, "words", "provisions changed")
    gone, added, places = "", "", 0
    for old, new in zip(before.provisions, after.provisions, strict=True):
        require(old.number == new.number, "words", f"the number of {old.path} changed")
        if old == new:
            continue
        places += 1
        for field in _FIELDS:
            gone += _find_lost(getattr(old, field), getattr(new, field), case)
            added += "".join(
                case.amending[span.start : span.end]
                for span in getattr(new, field).spans
                if span.source == AMENDING
            )
    _check_gone(_squeeze(gone), operation)
    new_words = _squeeze(operation.new.text)
    times = len(_squeeze(added)) // len(new_words) if new_words else 0
    require(_squeeze(added) == new_words * times, "words", f"{added[:80]!r} was added")
    if not operation.everywhere and new_words:
        require(times == operation.count or operation.until != "" or operation.to_end, "words",
                f"added {times} times, not {operation.count}")  # fmt: skip


def _check_gone(gone: str, operation: Operation) -> None:
    if operation.kind is OperationKind.INSERT_WORDS:
        require(gone == "", "words", f"{gone[:80]!r} was lost by an insertion")
        return
    old = _squeeze(operation.old)
    if operation.until or operation.to_end:
        until = _squeeze(operation.until)
        require(gone.startswith(old) and gone.endswith(until), "words", f"{gone[:80]!r} was lost")
        return
    times = len(gone) // len(old) if old else 0
    require(gone == old * times and times > 0, "words", f"{gone[:80]!r} was lost, not {old[:80]!r}")
    if not operation.everywhere:
        require(times == operation.count, "words", f"lost {times} times, not {operation.count}")


def _find_lost(before: Words, after: Words, case: AmendmentCase) -> str:
    """The characters of the act that are gone; those that stay are in the same order."""
    kept = [at for span in after.spans if span.source == BASE for at in range(span.start, span.end)]
    require(kept == sorted(set(kept)), "words", "words of the act changed their order")
    places = set(kept)
    return "".join(case.base[at] for at in _list_places(before.spans) if at not in places)


def _list_places(spans: Sequence[Span]) -> Iterator[int]:
    for span in spans:
        if span.source == BASE:
            yield from range(span.start, span.end)


def _check_provisions_changed(before: Act, after: Act, operation: Operation) -> None:
    """Provisions that the instruction does not name are what they were."""
    old, new = before.by_path(), after.by_path()
    changed = [path for path in old if new.get(path) != old[path]]
    changed += [path for path in new if path not in old]
    named = [_numbers_of(path) for path in (operation.target, operation.renumbered) if path]
    for path in changed:
        about = any(_is_about(_numbers_of(path), number) for number in named)
        require(about, "provision", f"{path} changed; the instruction names {operation.target}")
    if operation.kind is OperationKind.RENUMBER:
        words = sorted(map(_words_of, before.provisions))
        lost = [each for each in words if words.count(each) > 1]
        same = words == sorted(map(_words_of, after.provisions))
        require(
            same or bool(lost) or len(after.provisions) < len(words), "renumber", "words changed"
        )


def _numbers_of(path: str) -> list[str]:
    """The numbers of a path, without sentences and lines, which are parts of a provision's words,
    and without the paragraph 1 that a citation may count or leave out."""
    pairs = [segment.partition("_")[::2] for segment in path.split("__")]
    whole = [number.lower() for kind, number in pairs if kind not in ("sentence", "subpara")]
    return whole[:1] + [number for number in whole[1:] if number != "1"]


def _is_about(path: list[str], named: list[str]) -> bool:
    """Whether a path is what is named, or a part of it."""
    rest = iter(path)
    return all(number in rest for number in named)


def _words_of(provision: Provision) -> tuple[str, str, str]:
    return (provision.heading.text, provision.opening.text, provision.closing.text)


def _squeeze(text: str) -> str:
    return "".join(fold(text).split())
