"""Long lists, read piece by piece: time and memory depend on the piece, not on the list."""

import codecs
import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from assay.packs.literature.listed import (
    ListKind,
    ListPiece,
    PiecePlace,
    encode_references,
)
from assay.packs.literature.lists.detection import ListForm, detect_form
from assay.packs.literature.lists.forms import DIVISIBLE, parse_list
from assay.packs.literature.parsed import (
    ListWindow,
    ParsedList,
    ReferenceCollector,
    find_encoding,
    read_texts,
)
from assay.sdk.errors import ContentTooLarge
from assay.sdk.records import canonical_json

_MOST_WHOLE: Final = 2_000_000
"""References of a list that is read as a whole."""
_MOST_SHARED: Final = 5_000_000
"""Characters that every piece may have to know."""
_MOST_NOTES: Final = 20
_LASTING: Final = ("sections", "delimiter", "columns")
"""What still holds after a piece that could not be read."""


def read_piece(file: Path, kind: ListKind, at: PiecePlace, size: int) -> ListPiece:
    """Read a piece of a list; at most `size` bytes of it are in memory."""
    with file.open("rb") as opened:
        if not at.state:
            state = _begin(opened, kind)
            at = replace(at, start=state["mark"])
        else:
            state = json.loads(at.state)
        form = DIVISIBLE.get(ListForm(state["form"]))
        if form is None:
            return _read_whole(opened, kind)
        window, data = _open_window(opened, state["encoding"], at.start, size)
        if not at.state:
            texts = partial(read_texts, opened, state["encoding"], at.start, until=form.until)
            shared = form.survey(texts)
            at = replace(at, shared=b"" if window.is_last else _encode_shared(shared))
        else:
            shared = json.loads(at.shared)
    if at.follows_gap:
        known = state["reader"]
        state["reader"] = {name: known[name] for name in _LASTING if name in known}
    collector = ReferenceCollector(size)
    end, left = form.read(window, collector, shared, state["reader"])
    parsed = collector.finish()
    following = None
    if end is not None and not window.is_last:
        following = PiecePlace(
            at.start + _count_bytes(window.text[:end], data, state["encoding"]),
            at.place + end,
            canonical_json({**state, "reader": left}),
            at.shared,
        )
    return ListPiece(
        encode_references(parsed.references),
        len(parsed.references),
        _describe_notes(parsed, at.place),
        following,
    )


def skip_piece(file: Path, at: PiecePlace, size: int) -> PiecePlace | None:
    """The piece after one that cannot be read; None if there is none."""
    state = json.loads(at.state)
    if isinstance(state["reader"], list) and state["reader"]:
        # Inside an array or object, the beginning of the next record cannot be told for certain.
        return None
    with file.open("rb") as opened:
        window, data = _open_window(opened, state["encoding"], at.start, size)
    if window.is_last:
        return None
    end = window.text.find("\n", len(window.text) // 4) + 1 or len(window.text)
    return replace(
        at,
        start=at.start + _count_bytes(window.text[:end], data, state["encoding"]),
        place=at.place + end,
        follows_gap=True,
    )


def _begin(file: BinaryIO, kind: ListKind) -> dict[str, Any]:
    encoding, mark = find_encoding(file)
    head = next(iter(read_texts(file, encoding, mark)))
    form = detect_form(head, kind)
    return {"encoding": encoding, "mark": mark, "form": form.value, "reader": None}


def _open_window(file: BinaryIO, encoding: str, start: int, size: int) -> tuple[ListWindow, bytes]:
    file.seek(start)
    data = file.read(size)
    is_last = not file.read(1)
    # A letter that is cut at the end belongs to the next window.
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data, final=is_last)
    return ListWindow(text, is_last), data


def _count_bytes(text: str, data: bytes, encoding: str) -> int:
    """How many of the bytes a beginning of their text takes up."""
    if "\ufffd" not in text:
        return len(text.encode(encoding))
    # It may stand for one wrong byte or several.
    return (
        bisect_right(
            range(len(data) + 1), len(text), key=lambda n: len(data[:n].decode(encoding, "replace"))
        )
        - 1
    )


def _encode_shared(shared: Mapping[str, str]) -> bytes:
    if sum(len(name) + len(value) for name, value in shared.items()) > _MOST_SHARED:
        raise ContentTooLarge(
            f"The list defines {len(shared):,} links or names apart from their use, which is too "
            "much to repeat for each of its pieces.",
            advice="Divide the file into several lists.",
        )
    return canonical_json(shared)


def _read_whole(file: BinaryIO, kind: ListKind) -> ListPiece:
    file.seek(0)
    parsed = parse_list(file.read(), kind, most=_MOST_WHOLE)
    notes = _describe_notes(parsed, 0)
    if parsed.left_out:
        notes.append(f"{parsed.left_out:,} references beyond {_MOST_WHOLE:,} were left out.")
    return ListPiece(encode_references(parsed.references), len(parsed.references), notes)


def _describe_notes(parsed: ParsedList, place: int) -> list[str]:
    return [
        f"At character {place + note.place:,}: {note.message}"
        for note in parsed.notes[:_MOST_NOTES]
    ]
