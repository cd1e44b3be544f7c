"""Where facts are in an act, and which instruction concerns them."""

from bisect import bisect_right
from collections.abc import Sequence

from assay.packs.regulatory.acts.amending.tree import ActTree
from assay.packs.regulatory.acts.shapes import Act, Operation, OperationKind, ProvisionKind

_COUNTED = (ProvisionKind.SENTENCE + "_", ProvisionKind.SUBPARAGRAPH + "_")


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


def find_nearest(tree: ActTree, path: str) -> str:
    """The provision that a path names, or the nearest one around it that the act has exactly once;
    empty if there is none."""
    while path:
        found = tree.find(path)
        if found is not None and found in tree.provisions and not tree.has_twin(found):
            return found
        path = path.rpartition("__")[0]
    return ""


def choose_instruction(path: str, words: str, applied: Sequence[Operation]) -> Operation:
    """The instruction that most precisely concerns some words of a provision."""
    wider = [op for op in applied if is_within(path, _cut_counted(op.target))]
    closer = [op for op in applied if path and is_within(_cut_counted(op.target), path)]
    about = [*wider, *(op for op in closer if op not in wider)]
    of_words = [op for op in about if op.kind is not OperationKind.REPLACE and op.old]
    named = [op for op in of_words if op.old in words]
    top = path.split("__", 1)[0]
    near = [op for op in applied if op.target.split("__", 1)[0] == top]
    return (named or about or near or applied)[0]


def _cut_counted(path: str) -> str:
    """The provision whose sentences or subparagraphs a path counts; they are not in the act."""
    kept = []
    for segment in path.split("__") if path else ():
        if segment.startswith(_COUNTED):
            break
        kept.append(segment)
    return "__".join(kept)


def is_within(path: str, outer: str) -> bool:
    """Whether a provision is another one or a part of it."""
    return bool(outer) and (path + "__").startswith(outer + "__")


def is_beside(path: str, other: str) -> bool:
    """Whether one of two provisions is the other one or a part of it."""
    return is_within(path, other) or is_within(other, path)
