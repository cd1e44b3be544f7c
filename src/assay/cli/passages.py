"""Passages marked in a text: by a style on a terminal with colours, by signs anywhere else."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from assay.cli.session import Session

Passage = tuple[int, int]
"""From and to which character."""


def mark_passages(
    session: Session,
    text: str,
    passages: Iterable[Passage],
    style: str,
    signs: tuple[str, str],
) -> Text:
    """The text with its passages marked; those that overlap become one."""
    merged = list(_merge(passages, len(text)))
    if session.has_colours:
        marked = Text(text)
        for start, end in merged:
            marked.stylize(style, start, end)
        return marked
    pieces, done = [], 0
    for start, end in merged:
        pieces += [text[done:start], signs[0], text[start:end], signs[1]]
        done = end
    return Text("".join([*pieces, text[done:]]))


def _merge(passages: Iterable[Passage], length: int) -> Iterator[Passage]:
    begin, until = -1, -1
    for start, end in sorted((max(0, a), min(b, length)) for a, b in passages):
        if start > until:
            if begin < until:
                yield begin, until
            begin, until = start, end
        else:
            until = max(until, end)
    if begin < until:
        yield begin, until
