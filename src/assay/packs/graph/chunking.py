"""Chunks of whole sentences that are read in one go."""

from collections.abc import Iterable, Iterator

from assay.packs.graph.model import Chunk
from assay.sdk.errors import InvalidInput
from assay.sdk.reading import skip_space, split_paragraphs, split_sentences


def split_chunks(text: str, most: int = 1500) -> Iterator[Chunk]:
    """Split a text into chunks of whole sentences of at most `most` characters.

    They cover everything but white space, in order. A longer sentence is cut at white space, and a
    longer word wherever it has to be.
    """
    for index, held in enumerate(
        _pack_spans(_cut_long_spans(text, split_sentences(text), most), most)
    ):
        start, end = held[0][0], held[-1][1]
        yield Chunk(index, start, end, text[start:end], tuple(held))


def split_parts(text: str, most: int) -> list[tuple[int, int]]:
    """Split a text into parts of whole paragraphs of at most `most` characters; a longer paragraph
    is split into sentences."""
    units: list[tuple[int, int]] = []
    for start, end in split_paragraphs(text, 0, len(text)):
        if end - start <= most:
            units.append((start, end))
        else:
            units.extend(_cut_long_spans(text, split_sentences(text, start, end), most))
    return [(held[0][0], held[-1][1]) for held in _pack_spans(units, most)]


def _pack_spans(units: Iterable[tuple[int, int]], most: int) -> Iterator[list[tuple[int, int]]]:
    """Group as many neighbours as fit."""
    held: list[tuple[int, int]] = []
    for unit in units:
        if held and unit[1] - held[0][0] > most:
            yield held
            held = []
        held.append(unit)
    if held:
        yield held


def _cut_long_spans(
    text: str, spans: Iterable[tuple[int, int]], most: int
) -> Iterator[tuple[int, int]]:
    """Yield the spans, cutting those that are too long at white space."""
    if most < 1:
        raise InvalidInput(f"A chunk needs at least one character, not {most}.")
    for start, end in spans:
        while end - start > most:
            cut = _find_cut(text, start, start + most)
            yield start, cut
            start = skip_space(text, cut, end)
        if start < end:
            yield start, end


def _find_cut(text: str, start: int, latest: int) -> int:
    """Find the end of the last whole word before a position; inside one long word, the position."""
    if text[latest].isspace():
        place = latest
    else:
        place = next((at for at in range(latest - 1, start, -1) if text[at].isspace()), latest)
    while text[place - 1].isspace():
        place -= 1
    return place
