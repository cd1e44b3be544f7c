"""Operations on words: find the old ones exactly as often as the instruction implies."""

from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.amending.folding import find_words
from assay.packs.regulatory.acts.amending.paths import LAST, is_count, last_number, split_path
from assay.packs.regulatory.acts.amending.sentences import find_sentences
from assay.packs.regulatory.acts.amending.subparagraphs import (
    find_subparagraph,
    is_subparagraph,
    leads_parts,
)
from assay.packs.regulatory.acts.amending.tree import ActTree
from assay.packs.regulatory.acts.shapes import (
    JOINING_SPACE,
    Operation,
    OperationKind,
    Provision,
    ProvisionKind,
    Words,
)

_FIELDS = ("heading", "opening", "closing")


@dataclass(frozen=True, slots=True)
class WordPlace:
    """A stretch of one field of one provision."""

    path: str
    field: str
    start: int
    end: int


class NotApplicable(Exception):
    """An operation cannot be applied with certainty; the message is the reason."""


def is_sentence(path: str) -> bool:
    return path.rpartition("__")[2].startswith(ProvisionKind.SENTENCE + "_")


def change_words(tree: ActTree, operation: Operation) -> None:
    """Replace, insert or delete words of the target and its parts."""
    stretches = _list_stretches(tree, operation)
    if operation.kind is OperationKind.INSERT_WORDS and not operation.old:
        _insert_at_edge(tree, operation, stretches)
        return
    places = [place for each in stretches for place in _find_in(tree, each, operation.old)]
    _check_count(operation, len(places))
    if operation.until or operation.to_end:
        places = [_extend(tree, operation, places[0], stretches)]
    for place in reversed(places):
        _change(tree, operation, place)


def find_sentence(tree: ActTree, path: str) -> WordPlace:
    """Where a sentence is within its provision."""
    parent, number = path.rpartition("__")[0], last_number(path)
    if is_subparagraph(parent):
        return _find_sentence_in(tree, find_line(tree, parent), number)
    provision = tree.provisions[_find_holder(tree, require(tree, parent))]
    opening, closing = (
        find_sentences(provision.opening.text),
        find_sentences(provision.closing.text),
    )
    if opening is None or closing is None:
        raise NotApplicable("where its sentences end cannot be determined with certainty")
    places = [WordPlace(provision.path, "opening", *each) for each in opening]
    places += [WordPlace(provision.path, "closing", *each) for each in closing]
    return _choose_sentence(places, number)


def _find_holder(tree: ActTree, path: str) -> str:
    """The provision whose words an instruction counts: a section that has an only paragraph without
    a number is cited without it ("§ 3 Satz 2")."""
    provision, parts = tree.provisions[path], tree.parts.get(path, [])
    if len(parts) != 1 or provision.opening.text.strip() or provision.closing.text.strip():
        return path
    is_paragraph = split_path(parts[0])[-1][0] == ProvisionKind.PARAGRAPH
    return parts[0] if is_paragraph and not tree.provisions[parts[0]].number else path


def find_line(tree: ActTree, path: str) -> WordPlace:
    """Where a subparagraph is within its provision, without the points it leads to."""
    parent, number = path.rpartition("__")[0], last_number(path)
    found = require(tree, parent)
    line = find_subparagraph(tree.provisions[found], tree.parts.get(found, ()), number)
    if line is None:
        raise NotApplicable(f"the provision {parent} has no subparagraph {number} for certain")
    return WordPlace(found, line.field, line.start, line.end)


def _find_sentence_in(tree: ActTree, line: WordPlace, number: str) -> WordPlace:
    text = getattr(tree.provisions[line.path], line.field).text[line.start : line.end]
    sentences = find_sentences(text)
    if sentences is None:
        raise NotApplicable("where its sentences end cannot be determined with certainty")
    places = [
        replace(line, start=line.start + start, end=line.start + end) for start, end in sentences
    ]
    return _choose_sentence(places, number)


def _choose_sentence(places: list[WordPlace], number: str) -> WordPlace:
    index = len(places) - 1 if number == LAST else int(number) - 1 if is_count(number) else -1
    if not 0 <= index < len(places):
        raise NotApplicable(_describe_missing_sentence(len(places), number))
    return places[index]


def _describe_missing_sentence(count: int, number: str) -> str:
    named = "its last sentence" if number == LAST else f"sentence {number}"
    if count == 0:
        return f"the instruction names {named}, but the provision itself has no sentences"
    held = "only one sentence" if count == 1 else f"only {count} sentences"
    return f"the instruction names {named}, but the provision has {held}"


def cut_in(tree: ActTree, place: WordPlace, new: Words) -> None:
    """Put words in the place of others."""
    provision = tree.provisions[place.path]
    words: Words = getattr(provision, place.field)
    before, after = words.cut(0, place.start), words.cut(place.end, len(words.text))
    tree.provisions[place.path] = _with(provision, place.field, _join(before, new, after))


def require(tree: ActTree, path: str) -> str:
    """The provision's own path, if the act has it exactly once."""
    found = tree.find(path)
    if found is None or (path and found not in tree.provisions):
        raise NotApplicable(f"the act has no provision {path or 'to change'}")
    if tree.has_twin(found):
        raise NotApplicable(f"the act has the number of {path} twice; which is meant is not clear")
    return found


def _list_stretches(tree: ActTree, operation: Operation) -> list[WordPlace]:
    target = operation.target
    if is_sentence(target):
        place = find_sentence(tree, target)
        parts = tree.parts.get(place.path, [])
        whole = getattr(tree.provisions[place.path], place.field).text
        stretches = [place]
        if parts and place.field == "opening" and place.end >= len(whole.rstrip()):
            # The sentence goes on in the points it introduces.
            stretches += _list_fields(tree, tree.walk(place.path)[1:], ("opening", "closing"))
        return stretches
    if is_subparagraph(target):
        place = find_line(tree, target)
        parts = tree.parts.get(place.path, [])
        stretches = [place]
        opening = tree.provisions[place.path].opening.text
        if parts and place.field == "opening" and place.end >= len(opening.rstrip()):
            if not leads_parts(tree.provisions[place.path], parts, last_number(target)):
                raise NotApplicable("which points belong to the subparagraph is not clear")
            stretches += _list_fields(tree, tree.walk(place.path)[1:], ("opening", "closing"))
        return stretches
    path = require(tree, target)
    if operation.heading_only:
        return _list_fields(tree, [path], ("heading",))
    if operation.opening_only:
        return _list_fields(tree, [path], ("opening",))
    fields = _FIELDS if not target else ("opening", "closing")
    return _list_fields(tree, tree.walk(path), fields)


def _list_fields(tree: ActTree, paths: list[str], fields: tuple[str, ...]) -> list[WordPlace]:
    return [
        WordPlace(path, field, 0, len(text))
        for path in paths
        for field in fields
        if (text := getattr(tree.provisions[path], field).text)
    ]


def _find_in(tree: ActTree, stretch: WordPlace, words: str) -> list[WordPlace]:
    text = getattr(tree.provisions[stretch.path], stretch.field).text
    return [
        WordPlace(stretch.path, stretch.field, start, end)
        for start, end in find_words(text, words)
        if stretch.start <= start and end <= stretch.end
    ]


def _check_count(operation: Operation, found: int) -> None:
    old = _shorten(operation.old)
    if found == 0:
        raise NotApplicable(f"the words “{old}” are not in the provision")
    if not operation.everywhere and found != operation.count:
        raise NotApplicable(
            f"the words “{old}” occur {found} times in the provision; the instruction means "
            + ("one of them" if operation.count == 1 else f"{operation.count}")
        )
    if (operation.until or operation.to_end) and found != 1:
        raise NotApplicable(f"the words “{old}” occur {found} times; where to begin is not clear")


def _extend(
    tree: ActTree, operation: Operation, first: WordPlace, stretches: list[WordPlace]
) -> WordPlace:
    """The words from the first named ones to the last named ones."""
    if operation.to_end:
        last_stretch = stretches[-1]
        if (last_stretch.path, last_stretch.field) != (first.path, first.field):
            raise NotApplicable("the words to the end of the provision go on in its parts")
        return replace(first, end=last_stretch.end)
    text = getattr(tree.provisions[first.path], first.field).text
    ends = [end for start, end in find_words(text, operation.until) if start >= first.end]
    if len(ends) != 1:
        raise NotApplicable(
            f"the words “{_shorten(operation.until)}” occur {len(ends)} times after "
            f"“{_shorten(operation.old)}”; where to end is not clear"
        )
    return replace(first, end=ends[0])


def _change(tree: ActTree, operation: Operation, place: WordPlace) -> None:
    match operation.kind:
        case OperationKind.DELETE_WORDS:
            cut_in(tree, place, Words())
        case OperationKind.REPLACE_WORDS:
            cut_in(tree, place, operation.new)
        case _:
            at = place.start if operation.before else place.end
            cut_in(tree, replace(place, start=at, end=at), operation.new)


def _insert_at_edge(tree: ActTree, operation: Operation, stretches: list[WordPlace]) -> None:
    """Insert at the beginning or the end of the target."""
    if not stretches:
        raise NotApplicable("the provision has no words")
    stretch = stretches[0] if operation.before else stretches[-1]
    if not operation.before and not is_sentence(operation.target):
        if len({(each.path, each.field) for each in stretches}) > 1:
            raise NotApplicable("the provision ends with its parts; where to insert is not clear")
        text = getattr(tree.provisions[stretch.path], stretch.field).text.rstrip()
        is_whole = operation.new.text[:1].isupper() or operation.new.text.rstrip()[-1:] in ".;:"
        if text.endswith(".") and not is_whole:
            raise NotApplicable("whether the new words go before the full stop is not clear")
    at = stretch.start if operation.before else stretch.end
    cut_in(tree, replace(stretch, start=at, end=at), operation.new)


def _join(before: Words, new: Words, after: Words) -> Words:
    """Words one after another, with single spaces between them."""
    if not new.text:
        if after.text[:1] in {",", ".", ";", ":", ")"} or not after.text:
            before = before.cut(0, len(before.text.rstrip()))
        elif before.text[-1:].isspace() or not before.text:
            after = after.cut(len(after.text) - len(after.text.lstrip()), len(after.text))
        return before + after
    joined = _glue(before, new)
    return _glue(joined, after)


def _glue(first: Words, second: Words) -> Words:
    if not first.text or not second.text:
        return first + second
    end, start = first.text[-1], second.text[0]
    touches = not (end.isspace() or start.isspace() or end in "(„»“‘§/-" or start in ",.;:)!?“«”/-")
    return first + JOINING_SPACE + second if touches else first + second


def _with(provision: Provision, field: str, words: Words) -> Provision:
    match field:
        case "heading":
            return replace(provision, heading=words)
        case "opening":
            return replace(provision, opening=words)
        case _:
            return replace(provision, closing=words)


def _shorten(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 60 else words[:57] + "…"
