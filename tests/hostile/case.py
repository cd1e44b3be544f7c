"""One document of the corpus: how it is written, and what is to become of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

READ: Final = "read"
"""It is read, its text is kept; what was amiss stands in a warning."""
SKIPPED: Final = "skipped"
"""It can be read, and scout says why it is not worth it."""

LAW: Final = (
    "Zakon o porezu na dodanu vrijednost. Članak 1. Ovim se Zakonom uređuje sustav poreza na "
    "dodanu vrijednost. Članak 2. Porezni obveznik dužan je do 20. dana u mjesecu podnijeti "
    "prijavu poreza. Članak 3. Porez se plaća po stopi od 25 %. Članak 4. Novčanom kaznom od "
    "1.000 do 20.000 eura kaznit će se za prekršaj obveznik koji ne podnese prijavu u roku. "
    "Članak 5. Ovaj Zakon stupa na snagu osmoga dana od dana objave u Narodnim novinama."
)
"""A few sentences that scout finds worth reading."""

Write = Callable[[BinaryIO, float], None]
"""Writes a document; the second argument is how much of its full size, 1 for all of it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A document that nobody should have sent."""

    name: str
    write: Write
    ends: frozenset[str]
    """How reading it may end: `read`, `skipped`, or the code of an error. More than one where the
    libraries underneath may well change their minds."""
    told: str = ""
    """Words of the reason, or of a warning."""
    holds: str = ""
    """Words of the text, where it is read."""
    content_type: str = "text/html"
    """What its server says that it is."""
    charset: str | None = None
    """What its server says of its encoding."""
    served: bool = True
    """Whether it is also fetched over HTTP; some are only as large as a file can be."""
    heavy: bool = False
    """Whether it is left out where seconds count."""

    @property
    def file_name(self) -> str:
        return self.name.replace("/", "-")

    @property
    def header(self) -> str:
        """The Content-Type that it is served with."""
        return f"{self.content_type}; charset={self.charset}" if self.charset else self.content_type


def ends(*ways: str) -> frozenset[str]:
    """The ways in which a case may end."""
    return frozenset(ways)


def said(data: bytes | str) -> Write:
    """A document of exactly these bytes."""
    body = data.encode() if isinstance(data, str) else data

    def write(sink: BinaryIO, _scale: float) -> None:
        sink.write(body)

    return write


def repeated(piece: bytes, count: int, *, before: bytes = b"", after: bytes = b"") -> Write:
    """One piece so many times over; only the count shrinks with the scale."""

    def write(sink: BinaryIO, scale: float) -> None:
        sink.write(before)
        left = max(1, round(count * scale))
        at_once = max(1, (1 << 20) // len(piece))
        while left > 0:
            sink.write(piece * min(at_once, left))
            left -= at_once
        sink.write(after)

    return write


def page(body: str, *, head: str = "") -> str:
    """A page around some markup, with enough of a law in it to be wanted."""
    return (
        f"<!doctype html><html lang=hr><head>{head}<title>Zakon o porezu</title></head>"
        f"<body><main><h1>Zakon o porezu</h1><p>{LAW}</p>{body}</main></body></html>"
    )
