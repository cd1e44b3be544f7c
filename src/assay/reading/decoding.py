"""Decode bytes in the encoding they really use, which is not always the one they declare."""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_SAMPLE: Final = 64 * 1024
_DECLARED: Final = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# As browsers do: a page that declares latin-1 means Windows-1252.
_MEANT: Final = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254"}
_CANDIDATES: Final = ("cp1250", "iso8859-2", "cp1252")
_UNICODE: Final = ("utf-8", "utf-16", "utf-32")
_PLAIN: Final = b"xn--80ak6aa92e.<a b=1>\\x41\\u0041+AGE-"
# How likely a character above ASCII is in a European text. The same byte is a rare character in
# the other encodings, so a few dozen letters are enough to tell them apart.
_LIKELY: Final = {
    **dict.fromkeys("čćšžđČĆŠŽĐäöüÄÖÜßéáíóúçâîôàñ„“”’‘–—…•€§°«»", 1.0),
    **dict.fromkeys("êëïûùÀÉÊÁÍÓÚÇ®©™×·²³½", 0.8),
    **dict.fromkeys("èąęłńśźżĄĘŁŃŚŹŻěřůťďňýŘŮőűľŐŰ\xa0", 0.6),
}
_UNLIKELY: Final = dict.fromkeys("æÆðÐþÞÈŕŔĺ¹³¿¾¼¶¬¦ˇ¢\xad\ufffd", -1.0)
_CLEARLY: Final = 0.5


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A document as characters."""

    text: str
    encoding: str
    """The encoding it was read in."""
    warnings: tuple[str, ...] = ()


def decode_bytes(data: bytes, charset: str | None = None) -> DecodedText:
    """Decode some bytes; `charset` is what came with them, for example in an HTTP header.

    A byte order mark counts first, then a declared encoding that fits, then UTF-8, then whichever
    European encoding reads most like text. Never raises.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    if (wide := _detect_utf_16(data)) is not None:
        return DecodedText(data.decode(wide, errors="replace"), wide)
    declared = _find_codec(charset) or _find_declared(data)
    try:
        return _accept_utf8(data.decode("utf-8"), declared)
    except UnicodeDecodeError as error:
        return _decode_other(data, declared, error.start)


def _decode_marked(data: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(data.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            return _decode_other(data, "utf-8", error.start)
        text = data.decode(encoding, errors="replace")
        return DecodedText(text, encoding, (f"Some bytes are not {encoding.upper()}.",))


def _detect_utf_16(data: bytes) -> str | None:
    """UTF-16 without a mark: in mostly Latin text, every other byte is zero."""
    head = data[:512]
    half = len(head) // 2
    if half < 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even <= half // 20 and odd >= half // 2:
        return "utf-16-le"
    if odd <= half // 20 and even >= half // 2:
        return "utf-16-be"
    return None


def _find_codec(name: str | None) -> str | None:
    """Python's name for an encoding, if it is one for text.

    Some of Python's codecs serve other purposes, and a document may name any of them. A codec that
    does not return plain markup unchanged is not one that documents are written in.
    """
    if not name:
        return None
    try:
        found = codecs.lookup(name.strip().strip("\"'"))
        if not found.name.startswith(_UNICODE) and _PLAIN.decode(found.name) != _PLAIN.decode():
            return None
    except (LookupError, ValueError, UnicodeError):
        return None
    return _MEANT.get(found.name, found.name)


def _find_declared(data: bytes) -> str | None:
    found = _DECLARED.search(data[:4096])
    if found is None:
        return None
    return _find_codec((found[1] or found[2]).decode("ascii", errors="replace"))


def _accept_utf8(text: str, declared: str | None) -> DecodedText:
    """Text that is valid UTF-8, whatever encoding it declares."""
    if declared in (None, "utf-8") or text.isascii():
        return DecodedText(text, "utf-8")
    return DecodedText(text, "utf-8", (f"It is declared as {declared} but is UTF-8.",))


def _decode_other(data: bytes, declared: str | None, bad: int) -> DecodedText:
    guessed, clearly = _guess_encoding(data, bad)
    if declared == "utf-8" or declared is None or declared.startswith("utf-"):
        # Bytes that only make sense one by one are not UTF-16 either.
        if _UTF8_LETTER.search(data, max(0, bad - _SAMPLE), bad + _SAMPLE):
            return _decode_by_line(data, guessed)
        reason = (
            "It does not declare its encoding"
            if declared is None
            else f"It is declared as {declared} but is not"
        )
    elif declared == "cp1252" and guessed != declared and clearly:
        reason = f"It is declared as {declared} but is not"
    else:
        return _decode_single(data, declared)
    read = _decode_single(data, guessed)
    warning = f"{reason}; it was read as {guessed}."
    return DecodedText(read.text, read.encoding, (warning, *read.warnings))


def _decode_single(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, errors="replace")
    lost = text.count("\ufffd")
    if not lost:
        return DecodedText(text, encoding)
    return DecodedText(text, encoding, (f"{lost} characters are not {encoding}.",))


def _guess_encoding(data: bytes, bad: int) -> tuple[str, bool]:
    """The encoding in which the non-ASCII bytes read most like text; whether it clearly wins."""
    start = max(0, bad - _SAMPLE // 4)
    sample = data[start : start + _SAMPLE].translate(None, delete=bytes(range(0x80)))
    likeness = {
        encoding: _score_likeness(sample.decode(encoding, errors="replace"))
        for encoding in _CANDIDATES
    }
    best = max(_CANDIDATES, key=lambda encoding: likeness[encoding])
    return best, likeness[best] - likeness["cp1252"] > _CLEARLY * len(sample)


def _score_likeness(text: str) -> float:
    return sum(
        count * _LIKELY.get(character, _UNLIKELY.get(character, 0.0))
        for character, count in Counter(text).items()
    )


_UTF8_RUN: Final = re.compile(
    rb"(?:[\x00-\x7f]++|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})++"
)
_UTF8_LETTER: Final = re.compile(rb"[\xc3-\xc5][\x80-\xbf]|\xe2\x80[\x93-\xa6]")


def _decode_by_line(data: bytes, otherwise: str) -> DecodedText:
    pieces: list[str] = []
    others = damaged = 0
    for line in data.splitlines(keepends=True):
        try:
            pieces.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            if _UTF8_LETTER.search(line):
                # One bad byte must not spoil the good letters of a page that is a single line.
                pieces.append(_decode_by_byte(line, otherwise))
                damaged += 1
            else:
                pieces.append(line.decode(otherwise, errors="replace"))
                others += 1
    return DecodedText("".join(pieces), "utf-8", tuple(_describe_lines(others, damaged, otherwise)))


def _decode_by_byte(line: bytes, otherwise: str) -> str:
    """Decode a line as UTF-8, and each byte that is not UTF-8 in the other encoding."""
    pieces: list[str] = []
    at = 0
    for letters in _UTF8_RUN.finditer(line):
        pieces.append(line[at : letters.start()].decode(otherwise, errors="replace"))
        pieces.append(letters[0].decode("utf-8", errors="replace"))
        at = letters.end()
    pieces.append(line[at:].decode(otherwise, errors="replace"))
    return "".join(pieces)


def _describe_lines(others: int, damaged: int, otherwise: str) -> Iterator[str]:
    if others:
        yield f"Its encodings are mixed: {others} lines are {otherwise}, the others UTF-8."
    if damaged:
        yield f"It is UTF-8 but for some bytes of {damaged} lines; they were read as {otherwise}."
