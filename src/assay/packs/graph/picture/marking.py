"""A text with marks around its mentions and quotes; the text itself stays exactly as it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.packs.graph.model import TextSpan
from assay.packs.graph.picture.contents import PageContents
from assay.packs.graph.picture.words import escape_text

MOST_AT_ONCE = 8
"""Most mentions and quotes per piece; the longest ones are dropped."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A place in the text that belongs to an entity or a relation, by its number."""

    start: int
    end: int
    of: int


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of the text that lies in the same mentions and quotes from start to end."""

    start: int
    end: int
    entities: tuple[int, ...] = ()
    """The innermost first, as with relations."""
    relations: tuple[int, ...] = ()


def mark_text(contents: PageContents) -> str:
    """Write the text as HTML, with marks around its mentions and quotes."""
    return "".join(_mark_piece(piece, contents) for piece in cut_contents(contents))


def cut_contents(contents: PageContents) -> list[TextPiece]:
    """Cut the text of a page wherever a mention or a quote begins or ends."""
    mentions = _list_stretches(one.here for one in contents.entities)
    quotes = _list_stretches(one.here for one in contents.relations)
    return cut_text(len(contents.text), mentions, quotes)


def cut_text(
    length: int, mentions: Sequence[Stretch], quotes: Sequence[Stretch]
) -> list[TextPiece]:
    """Cut the text, without gap or overlap, wherever something begins or ends."""
    opened = _group_by_start(mentions), _group_by_start(quotes)
    cuts = {0, length}
    for one in (*mentions, *quotes):
        cuts.update((one.start, one.end))
    active: tuple[list[Stretch], list[Stretch]] = ([], [])
    pieces = []
    for start, end in pairwise(sorted(cuts)):
        for now, fresh in zip(active, opened, strict=True):
            now[:] = [one for one in now if one.end > start] + fresh.get(start, [])
        pieces.append(TextPiece(start, end, _rank_innermost(active[0]), _rank_innermost(active[1])))
    return pieces


def _list_stretches(places: Iterable[Iterable[TextSpan]]) -> list[Stretch]:
    return [Stretch(span.start, span.end, at) for at, spans in enumerate(places) for span in spans]


def _group_by_start(stretches: Iterable[Stretch]) -> dict[int, list[Stretch]]:
    groups: dict[int, list[Stretch]] = {}
    for one in stretches:
        groups.setdefault(one.start, []).append(one)
    return groups


def _rank_innermost(active: list[Stretch]) -> tuple[int, ...]:
    ranked = sorted(active, key=lambda one: (one.end - one.start, one.of))
    return tuple(dict.fromkeys(one.of for one in ranked))[:MOST_AT_ONCE]


def _mark_piece(piece: TextPiece, contents: PageContents) -> str:
    words = escape_text(contents.text[piece.start : piece.end])
    if not piece.entities and not piece.relations:
        return words
    data = f'id="c{piece.start}" data-a="{piece.start}" data-b="{piece.end}"'
    if piece.relations:
        data += f' data-r="{" ".join(map(str, piece.relations))}"'
    if not piece.entities:
        title = "\n".join(contents.relations[at].sentence for at in piece.relations[:3])
        return f'<span {data} title="{escape_text(title[:600])}">{words}</span>'
    entities = [contents.entities[at] for at in piece.entities]
    title = "\n".join(f"{one.name[:200]}: {', '.join(one.kinds)[:200]}" for one in entities[:3])
    data += f' data-e="{" ".join(map(str, piece.entities))}"'
    name = f"k{entities[0].colour}" + (" nested" if len(entities) > 1 else "")
    return f'<mark {data} class="{name}" title="{escape_text(title)}">{words}</mark>'
