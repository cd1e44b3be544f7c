"""Changes that keep the form of a document: its reader is reached, and not only its container.

Plain mutation of a packed document hits the checksum of its archive; here the archive is opened,
one member is changed, and it is packed again. Likewise a PDF keeps its table of objects, and an old
Office file the places of its sectors.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random

Plain = Callable[[bytes, int], bytes]
"""Changes bytes without knowing their form, up to a size."""
Mutator = Callable[[bytes, int, Random, Plain], bytes]
"""Changes a document up to a size, by chance, with the help of a plain one."""

_TOKENS = re.compile(rb"<[^<>]*>|[\w.%-]+|\s+|.", re.DOTALL)
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_OBJECT = re.compile(rb"(\d+) 0 obj\n?(.*?)\n?endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_MOST_MEMBERS = 60
_MOST_UNPACKED = 1 << 20
_NUMBERS = (b"0", b"-1", b"1", b"255", b"65536", b"2147483648", b"-2147483649", b"1e308", b"nan",
            b"99999999999999999999", b"0.1", b"\xc2\xb2", b"\xd9\xa1")  # fmt: skip


def mutate_bytes(data: bytes, most: int, chance: Random) -> bytes:
    """A plain change: bits turned, a stretch lost, doubled, moved or replaced."""
    copy = bytearray(data or b"\0")
    at = chance.randrange(len(copy))
    length = chance.choice((1, 2, 4, 8, 32, 200))
    match chance.randrange(5):
        case 0:
            copy[at] ^= 1 << chance.randrange(8)
        case 1:
            del copy[at : at + length]
        case 2:
            copy[at:at] = copy[at : at + length]
        case 3:
            copy[at : at + length] = chance.randbytes(length)
        case _:
            to = chance.randrange(len(copy))
            copy[to:to] = copy[at : at + length]
    return bytes(copy[:most])


def make_token_mutator(words: Sequence[bytes]) -> Mutator:
    """A mutator of texts: it moves, doubles, repeats and drops whole tokens and lines, and inserts
    words that mean something in that form."""

    def mutate(data: bytes, most: int, chance: Random, plain: Plain) -> bytes:
        if chance.randrange(4) == 0:
            return plain(data, most)
        pattern = _LINES if chance.randrange(3) == 0 else _TOKENS
        tokens = pattern.findall(data[:most])
        for _ in range(chance.choice((1, 1, 2, 4))):
            _change_tokens(tokens, words, most, chance)
        return b"".join(tokens)[:most]

    return mutate


def _change_tokens(tokens: list[bytes], words: Sequence[bytes], most: int, chance: Random) -> None:
    at = chance.randrange(len(tokens) + 1)
    some = tokens[at : at + chance.choice((1, 2, 3, 8, 30))]
    match chance.randrange(8):
        case 0:
            del tokens[at : at + len(some)]
        case 1:
            tokens[at:at] = some
        case 2:
            to = chance.randrange(len(tokens) + 1)
            tokens[to:to] = some
        case 3 if some:
            # Work that grows with the square of a length shows only where something is long.
            room = most if chance.randrange(30) == 0 else 400
            size = max(1, sum(map(len, some)))
            tokens[at:at] = some * max(1, min(20_000, room // size))
        case 4 if some:
            tokens[at] = chance.choice(_NUMBERS)
        case 5 if some:
            tokens[at] = tokens[chance.randrange(len(tokens))]
        case _:
            tokens.insert(at, chance.choice(words) if words else b" ")


def make_zip_mutator(inner: Mutator) -> Mutator:
    """A mutator of packed documents: it changes, doubles, renames or drops a member."""

    def mutate(data: bytes, most: int, chance: Random, plain: Plain) -> bytes:
        members = _unpack(data)
        if not members or chance.randrange(8) == 0:
            return plain(data, most)
        name = chance.choice(sorted(members))
        match chance.randrange(16):
            case 0:
                del members[name]
            case 1:
                members[chance.choice(sorted(members)) + "2"] = members[name]
            case 2:
                members[plain(name.encode(), 60).decode("utf-8", "replace")] = members.pop(name)
            case _:
                members[name] = inner(members[name], most * 4, chance, plain)
        packed = _pack(members)
        return packed if len(packed) <= most else data

    return mutate


def _unpack(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = archive.infolist()[:_MOST_MEMBERS]
            if sum(each.file_size for each in found) > _MOST_UNPACKED:
                return {}
            return {each.filename: archive.read(each) for each in found}
    except Exception:
        # What zipfile raises on a damaged archive is its own affair; it is mutated plainly.
        return {}


def _pack(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in members.items():
            # An OpenDocument file begins with its type, uncompressed.
            form = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name or "x"), content, form)
    return held.getvalue()


def make_pdf_mutator(inner: Mutator) -> Mutator:
    """A mutator of PDF: it changes an object, or what a stream draws, and writes the table anew."""

    def mutate(data: bytes, most: int, chance: Random, plain: Plain) -> bytes:
        objects = _OBJECT.findall(data)
        if not objects or chance.randrange(8) == 0:
            return plain(data, most)
        at = chance.randrange(len(objects))
        number, content = objects[at]
        stream = _STREAM.search(content)
        if stream is not None and chance.randrange(4):
            drawn = inner(_inflate(stream.group(1)), most, chance, plain)
            content = b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn)
        else:
            content = inner(content, most, chance, plain)
        objects[at] = (number, content)
        trailer = data[data.rfind(b"trailer") :].partition(b"startxref")[0]
        return _write_pdf(objects, trailer)[:most]

    return mutate


def _inflate(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream, _MOST_UNPACKED) or stream
    except zlib.error:
        return stream


def _write_pdf(objects: Sequence[tuple[bytes, bytes]], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number, content in objects:
        places[int(number[:6])] = len(out)
        out += b"%s 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    count = min(max(places) + 1, 1000)
    out += b"xref\n0 %d\n" % count
    out += b"".join(b"%010d 00000 n \n" % places.get(number, 0) for number in range(count))
    return bytes(out) + (trailer or b"trailer<</Root 1 0 R>>\n") + b"startxref\n%d\n" % start


def mutate_compound(data: bytes, most: int, chance: Random, plain: Plain) -> bytes:
    """A mutator of old Office files: it overwrites, so that every sector stays in its place."""
    if chance.randrange(8) == 0 or len(data) < 1024:
        return plain(data, most)
    # Mostly beyond the header, and mostly where something is written.
    at = chance.randrange(512, len(data)) if chance.randrange(6) else chance.randrange(512)
    length = chance.choice((1, 2, 4, 8, 64))
    if chance.randrange(3) and (filled := re.compile(rb"[^\0]").search(data, at)):
        at = filled.start()
    changed = plain(data[at : at + length], length)[:length].ljust(length, b"\0")
    return (data[:at] + changed + data[at + length :])[:most]


def choose_mutator(by_start: Sequence[tuple[bytes, Mutator]], otherwise: Mutator) -> Mutator:
    """A mutator for documents of several forms, chosen by how one begins."""

    def mutate(data: bytes, most: int, chance: Random, plain: Plain) -> bytes:
        found = next((each for start, each in by_start if data.startswith(start)), otherwise)
        return found(data, most, chance, plain)

    return mutate
