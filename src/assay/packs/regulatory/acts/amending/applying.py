"""Apply an amending act's operations to an act: exactly what they say, or not at all."""

from collections.abc import Sequence
from dataclasses import replace

from assay.packs.regulatory.acts.amending.kept import merge_kept
from assay.packs.regulatory.acts.amending.paths import is_count, last_number
from assay.packs.regulatory.acts.amending.sentences import find_sentences
from assay.packs.regulatory.acts.amending.subparagraph_changes import change_subparagraph
from assay.packs.regulatory.acts.amending.subparagraphs import (
    has_rows,
    is_subparagraph,
    leads_parts,
    list_subparagraphs,
)
from assay.packs.regulatory.acts.amending.tree import ActTree
from assay.packs.regulatory.acts.amending.words import (
    NotApplicable,
    WordPlace,
    change_words,
    cut_in,
    find_line,
    find_sentence,
    is_sentence,
    require,
)
from assay.packs.regulatory.acts.shapes import (
    Act,
    Deferred,
    Operation,
    OperationKind,
    Provision,
    Words,
)

_ON_WORDS = {
    OperationKind.REPLACE_WORDS,
    OperationKind.INSERT_WORDS,
    OperationKind.DELETE_WORDS,
}


_MOST_LINES = 1_000
"""Stands for the number of the last subparagraph."""


def apply_operations(
    act: Act, operations: Sequence[Operation]
) -> tuple[Act, list[Operation], list[Deferred]]:
    """The act after the operations, those that were applied, and those that were not and why.

    An operation is applied only if its provision exists and the old words occur exactly as often
    as it implies. One that refers to a number which an earlier deferred operation should have
    given is deferred too, because it would reach another provision.
    """
    run = _Run(act, operations)
    for index in range(len(operations)):
        run.apply(index)
    return run.tree.read(), run.applied, run.deferred


class _Run:
    """The operations of one act, in order."""

    def __init__(self, act: Act, operations: Sequence[Operation]) -> None:
        self.tree = ActTree(act)
        self.operations = operations
        self.applied: list[Operation] = []
        self.deferred: list[Deferred] = []
        self.done: set[int] = set()
        self.unreliable: set[str] = set()
        """Numbers that an operation which was not applied should have given or taken away."""
        self.recounted: dict[tuple[str, str], int] = {}
        """The last subparagraph or sentence that still has the number it had before an act."""
        self.renumberings: dict[str, list[int]] = {}
        for index, each in enumerate(operations):
            if each.kind is OperationKind.RENUMBER:
                self.renumberings.setdefault(each.target, []).append(index)

    def apply(self, index: int) -> None:
        if index in self.done:
            return
        self.done.add(index)
        operation = self.operations[index]
        try:
            self._check_reliable(operation)
            self._check_count(operation)
            before = self._count_lines(operation)
            self._change(operation)
            if self._count_lines(operation) != before or _recounts_sentences(operation):
                self._recount(operation)
        except NotApplicable as reason:
            self.deferred.append(Deferred(operation, str(reason)))
            if operation.kind in (OperationKind.RENUMBER, OperationKind.INSERT):
                self.unreliable.add(operation.renumbered or operation.target)
        else:
            self.applied.append(operation)

    def _check_reliable(self, operation: Operation) -> None:
        for path in (operation.target, operation.after):
            for lead in _list_leads(path) if self.unreliable else ():
                if lead in self.unreliable:
                    raise NotApplicable(
                        f"an earlier instruction about {lead} was not applied, so this number may "
                        "belong to another provision"
                    )

    def _check_count(self, operation: Operation) -> None:
        """An act counts sentences as they were or as it leaves them: it does not say which."""
        counted = _find_counted(operation)
        if counted is None:
            return
        owner, number = counted
        last = self.recounted.get((operation.quote.source, owner), number)
        if last < number < _MOST_LINES:
            raise NotApplicable(
                f"an earlier instruction changed how many sentences or subparagraphs {owner} has, "
                "so which one is meant is not clear"
            )

    def _count_lines(self, operation: Operation) -> int:
        counted = _find_counted(operation)
        found = self.tree.find(counted[0]) if counted else None
        if found is None or found not in self.tree.provisions:
            return 0
        provision = self.tree.provisions[found]
        return len(list_subparagraphs(provision, self.tree.parts.get(found, ())))

    def _recount(self, operation: Operation) -> None:
        counted = _find_counted(operation)
        if counted is not None:
            owner, number = counted
            key = (operation.quote.source, owner)
            last = number - 1 if operation.before else number
            self.recounted[key] = min(last, self.recounted.get(key, last))

    def _change(self, operation: Operation) -> None:
        if operation.kind in _ON_WORDS:
            change_words(self.tree, operation)
        elif is_subparagraph(operation.target):
            change_subparagraph(self.tree, operation)
        elif is_sentence(operation.target):
            self._change_sentence(operation)
        elif operation.kind is OperationKind.REPLACE:
            self._replace(operation)
        elif operation.kind is OperationKind.INSERT:
            self._insert(operation)
        elif operation.kind is OperationKind.DELETE:
            self.tree.remove(self._require(operation.target))
        else:
            self._renumber(operation)

    def _change_sentence(self, operation: Operation) -> None:
        if operation.kind is OperationKind.INSERT:
            anchor = operation.after or operation.target
            if not operation.after:
                parent, number = operation.target.rpartition("__")[0], last_number(anchor)
                anchor = f"{parent}__sentence_{int(number) - 1}" if is_count(number) else anchor
            place = find_sentence(self.tree, anchor)
            at = place.start if operation.before else place.end
            self._check_place(place, at)
            cut_in(self.tree, replace(place, start=at, end=at), operation.new)
            return
        place = find_sentence(self.tree, operation.target)
        self._check_place(place, place.end)
        if operation.kind is OperationKind.REPLACE and not operation.new.text:
            raise NotApplicable("the new sentence is missing")
        is_new = operation.kind is OperationKind.REPLACE
        cut_in(self.tree, place, operation.new if is_new else Words())

    def _check_place(self, place: WordPlace, at: int) -> None:
        """A sentence that goes on in points cannot be replaced alone."""
        words = getattr(self.tree.provisions[place.path], place.field).text
        if (
            self.tree.parts.get(place.path)
            and place.field == "opening"
            and at >= len(words.rstrip())
        ):
            raise NotApplicable("the sentence goes on in the provision's parts")

    def _replace(self, operation: Operation) -> None:
        path = self._require(operation.target)
        old = self.tree.provisions[path]
        if operation.heading_only:
            new = operation.provisions[0].heading if operation.provisions else operation.new
            self._check_words(new)
            self.tree.provisions[path] = replace(old, heading=new)
        elif operation.opening_only:
            new = operation.provisions[0].opening if operation.provisions else operation.new
            self._check_words(new)
            if "\n" in old.opening.text.strip():
                raise NotApplicable("which of the lines before the points changes is not clear")
            self.tree.provisions[path] = replace(old, opening=new)
        else:
            new_text = self._move(operation.provisions, operation.target, path)
            first = replace(new_text[0], number=new_text[0].number or old.number)
            new_text = (first, *new_text[1:])
            merged = merge_kept([self.tree.provisions[p] for p in self.tree.walk(path)], new_text)
            self.tree.put(path, merged)

    def _check_words(self, words: Words) -> None:
        if not words.text.strip():
            raise NotApplicable("the new text is missing")

    def _insert(self, operation: Operation) -> None:
        if not operation.provisions:
            raise NotApplicable("the new text is missing")
        self._make_room(operation.target)
        existing = self.tree.find(operation.target)
        if existing is not None and existing in self.tree.provisions:
            if not _is_reserved(self.tree.provisions[existing]):
                raise NotApplicable(f"the act already has {operation.target}")
            moved = self._move(operation.provisions, operation.target, existing)
            self.tree.put(existing, merge_kept([], moved))
            return
        parent = operation.target.rpartition("__")[0]
        found = self._require_holder(parent) if parent else ""
        target = "__".join(filter(None, (found, operation.target.rpartition("__")[2])))
        provisions = merge_kept([], self._move(operation.provisions, operation.target, target))
        if operation.after:
            after = self._require(operation.after)
            place = self.tree.place_after(after) - (1 if operation.before else 0)
        elif has_rows(self.tree.parts.get(found, ())):
            raise NotApplicable(f"which of the rows of points {target} belongs to is not clear")
        else:
            place = self.tree.find_place(target)
        self.tree.add(provisions, place)

    def _renumber(self, operation: Operation) -> None:
        path = self._require(operation.target)
        self._make_room(operation.renumbered)
        taken = self.tree.find(operation.renumbered)
        if taken is not None and taken in self.tree.provisions and taken != path:
            if not _is_reserved(self.tree.provisions[taken]):
                raise NotApplicable(f"the act already has {operation.renumbered}")
            self.tree.remove(taken)
        parent, _, segment = operation.renumbered.rpartition("__")
        found = self._require(parent) if parent else ""
        kind = path.rpartition("__")[2].partition("_")[0]
        renamed = f"{kind}_{segment.partition('_')[2]}"
        self.tree.rename(path, "__".join(filter(None, (found, renamed))))

    def _make_room(self, path: str) -> None:
        """Move a provision away first, if the same act gives its number to another one.

        "Iza stavka 2. dodaje se stavak 3. … Dosadašnji stavak 3. postaje stavak 4."
        """
        for later in self.renumberings.get(path, ()):
            if later not in self.done and self.tree.find(path) is not None:
                self.apply(later)

    def _require(self, path: str) -> str:
        if not path:
            raise NotApplicable("the act has no provision to change")
        return require(self.tree, path)

    def _require_holder(self, path: str) -> str:
        """The provision that has the points of a provision or of one of its subparagraphs."""
        if not is_subparagraph(path):
            return self._require(path)
        found = find_line(self.tree, path).path
        parts = self.tree.parts.get(found, ())
        if not leads_parts(self.tree.provisions[found], parts, last_number(path)):
            raise NotApplicable(f"whether {path} has points is not clear")
        return found

    def _move(self, provisions: tuple[Provision, ...], path: str, to: str) -> tuple[Provision, ...]:
        if not provisions:
            raise NotApplicable("the new text is missing")
        if path == to:
            return provisions
        return tuple(replace(each, path=to + each.path[len(path) :]) for each in provisions)


def _find_counted(operation: Operation) -> tuple[str, int] | None:
    """The provision whose sentences or subparagraphs an operation counts, up to which number."""
    segments = (operation.after or operation.target).split("__")
    counted = (i for i, each in enumerate(segments) if is_subparagraph(each) or is_sentence(each))
    at = next(counted, None)
    if at is None:
        return None
    number = last_number(segments[at])
    return "__".join(segments[:at]), int(number) if is_count(number) else _MOST_LINES


def _recounts_sentences(operation: Operation) -> bool:
    """Whether other sentences have other numbers after an operation."""
    if operation.kind in _ON_WORDS or not is_sentence(operation.target):
        return False
    sentences = find_sentences(operation.new.text) or ()
    return operation.kind is not OperationKind.REPLACE or len(sentences) != 1


def _list_leads(path: str) -> list[str]:
    """A path and those of the provisions it is in."""
    segments = path.split("__") if path else []
    return ["__".join(segments[: count + 1]) for count in range(len(segments))]


def _is_reserved(provision: Provision) -> bool:
    words = (provision.opening.text or provision.heading.text).strip("[]. \u2003").lower()
    return words in {"reserved", "", "weggefallen", "(weggefallen)", "brisan", "brisano", "omitted"}
