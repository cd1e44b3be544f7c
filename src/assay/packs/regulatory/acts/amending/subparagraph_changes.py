"""Replace, insert and delete subparagraphs, with the points that belong to them."""

from dataclasses import replace

from assay.packs.regulatory.acts.amending.fragments import join_lines
from assay.packs.regulatory.acts.amending.paths import LAST, last_number
from assay.packs.regulatory.acts.amending.subparagraphs import has_rows, is_subparagraph
from assay.packs.regulatory.acts.amending.tree import ActTree
from assay.packs.regulatory.acts.amending.words import NotApplicable, WordPlace, find_line
from assay.packs.regulatory.acts.shapes import Operation, OperationKind, Words


def change_subparagraph(tree: ActTree, operation: Operation) -> None:
    """Change the lines of a provision as an operation on one of its subparagraphs says."""
    if operation.kind is OperationKind.RENUMBER:
        raise NotApplicable("a subparagraph has no number")
    if operation.kind is not OperationKind.DELETE and not operation.new.text.strip():
        raise NotApplicable("the new text is missing")
    if operation.kind is OperationKind.INSERT:
        _insert(tree, operation)
    else:
        _replace(tree, operation)


def _insert(tree: ActTree, operation: Operation) -> None:
    if operation.provisions:
        raise NotApplicable("the new text has points, and whose they are is not clear")
    anchor = operation.after or operation.target
    if last_number(anchor) == LAST and not operation.before:
        _append(tree, anchor.rpartition("__")[0], operation.new)
        return
    if not is_subparagraph(anchor):
        raise NotApplicable("where the new text goes is not clear")
    place = find_line(tree, anchor)
    if not operation.before and _leads(tree, place):
        if _has_rows(tree, place):
            raise NotApplicable("where the points of the subparagraph end is not clear")
        place = WordPlace(place.path, "closing", 0, 0)
        _put(tree, place, operation.new)
        return
    at = place.start if operation.before else place.end
    _put(tree, replace(place, start=at, end=at), operation.new)


def _append(tree: ActTree, path: str, new: Words) -> None:
    found = tree.find(path)
    if found is None or found not in tree.provisions:
        raise NotApplicable(f"the act has no provision {path}")
    provision = tree.provisions[found]
    parts = tree.parts.get(found, ())
    if not provision.opening.text.strip():
        raise NotApplicable("the provision consists of its parts; where to add is not clear")
    if parts or provision.closing.text.strip():
        tree.provisions[found] = replace(provision, closing=join_lines([provision.closing, new]))
    else:
        tree.provisions[found] = replace(provision, opening=join_lines([provision.opening, new]))


def _replace(tree: ActTree, operation: Operation) -> None:
    place = find_line(tree, operation.target)
    last = find_line(tree, operation.until) if operation.until else place
    leads = _leads(tree, last) or place.field != last.field
    if leads and not operation.opening_only and _has_rows(tree, place):
        raise NotApplicable("which points belong to the subparagraph is not clear")
    if operation.provisions and not leads and (tree.parts.get(place.path) or _has_more(tree, last)):
        raise NotApplicable("the new text has points, and whose they are is not clear")
    if leads and not operation.opening_only:
        for each in list(tree.parts.get(place.path, ())):
            tree.remove(each)
    if place.field != last.field:
        _put(tree, replace(last, start=0), Words())
        opening = tree.provisions[place.path].opening.text
        last = replace(place, end=len(opening))
    _put(tree, replace(place, end=last.end), operation.new)
    for point in operation.provisions:
        path = place.path + point.path[len(operation.target) :]
        tree.add((replace(point, path=path),), len(tree.parts.get(path.rpartition("__")[0], ())))
    if operation.closing.text:
        _put(tree, WordPlace(place.path, "closing", 0, 0), operation.closing)


def _leads(tree: ActTree, place: WordPlace) -> bool:
    """Whether the provision's parts follow a line."""
    opening = tree.provisions[place.path].opening.text
    is_last = place.field == "opening" and not opening[place.end :].strip()
    return is_last and bool(tree.parts.get(place.path))


def _has_rows(tree: ActTree, place: WordPlace) -> bool:
    """Whether a provision has two rows of points, of which the second is another line's."""
    return has_rows(tree.parts.get(place.path, ()))


def _has_more(tree: ActTree, place: WordPlace) -> bool:
    """Whether words follow a line."""
    provision = tree.provisions[place.path]
    rest = getattr(provision, place.field).text[place.end :]
    return bool(rest.strip()) or (place.field == "opening" and bool(provision.closing.text.strip()))


def _put(tree: ActTree, place: WordPlace, new: Words) -> None:
    """Put lines in the place of a line, or between two."""
    provision = tree.provisions[place.path]
    words: Words = getattr(provision, place.field)
    before = _trim(words.cut(0, place.start))
    after = _trim(words.cut(place.end, len(words.text)))
    joined = join_lines([before, new, after])
    is_opening = place.field == "opening"
    tree.provisions[place.path] = (
        replace(provision, opening=joined) if is_opening else replace(provision, closing=joined)
    )


def _trim(words: Words) -> Words:
    text = words.text
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return words.cut(start, end) if start < end else Words()
