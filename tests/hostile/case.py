"""One document of the corpus: how it is written, and what is to become of it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

READ: Final = "read"
"""It is read, its text is kept; what was amiss stands in a warning."""
SKIPPED: Final = "skipped"
"""It can be read, and scout says why it is not worth it."""

_WHO: Final = ("Obveznik", "Poslodavac", "Ministarstvo", "Općina", "Nakladnik", "Korisnik", "Župan")
_OF: Final = ("vodama", "šumama", "cestama", "lukama", "muzejima", "knjigama", "školama", "poštama")
_ACTS: Final = (
    "podnijeti prijavu nadležnom tijelu", "platiti naknadu za uporabu", "voditi očevidnik izdataka",
    "objaviti izvješće na mrežnim stranicama", "zatražiti odobrenje inspekcije", "čuvati isprave",
)  # fmt: skip


def law(name: str, articles: int = 8) -> str:
    """Sentences that scout finds worth reading; no two names give the same."""
    chance = random.Random(name)
    return " ".join(
        f"Članak {number}. {chance.choice(_WHO)} je o {chance.choice(_OF)} i {chance.choice(_OF)} "
        f"dužan {chance.choice(_ACTS)} u roku od {chance.randint(2, 900)} dana, a kazna iznosi od "
        f"{chance.randint(100, 99_999)} eura po stopi od {chance.randint(1, 99)} %."
        for number in range(1, articles + 1)
    )


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


def repeated(piece: bytes, count: int, *, before: str = "", after: str = "") -> Write:
    """One piece so many times over; only the count shrinks with the scale."""

    def write(sink: BinaryIO, scale: float) -> None:
        sink.write(before.encode())
        left = max(1, round(count * scale))
        at_once = max(1, (1 << 20) // len(piece))
        while left > 0:
            sink.write(piece * min(at_once, left))
            left -= at_once
        sink.write(after.encode())

    return write


def page(name: str, *, head: str = "", after: str = "") -> str:
    """A page of a law, with markup of the caller's."""
    return (
        f"<!doctype html><html lang=hr><head>{head}<title>Zakon {name}</title></head>"
        f"<body><main><h1>Zakon {name}</h1><p>{law(name)}</p>{after}</main></body></html>"
    )
