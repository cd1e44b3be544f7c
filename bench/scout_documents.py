"""Short documents as real sites have them, written by hand, half of them worth reading.

They share no phrase with the demo's gazette. A document is worth reading if it states or explains
a rule, a rate, an amount, a deadline or a duty; what merely mentions an authority is not.
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path


@dataclass(frozen=True)
class Written:
    """One document by hand."""

    language: str
    worth: bool
    title: str
    body: str

    def page(self) -> bytes:
        """The document as a page, with what usually stands around it."""
        menu, foot = _AROUND[self.language]
        entries = "".join(f'<li><a href="/{n}">{name}</a></li>' for n, name in enumerate(menu))
        text = "\n".join(f"<p>{escape(line)}</p>" for line in self.body.strip().splitlines())
        return f"""<!doctype html><html lang="{self.language}"><head><meta charset="utf-8">
<title>{escape(self.title)}</title><script>var a = "<p>1</p>";</script></head><body>
<div class="topbar"><nav><ul>{entries}</ul></nav></div>
<div class="content"><h1>{escape(self.title)}</h1>
{text}</div>
<footer>{foot}</footer></body></html>""".encode()


_AROUND = {
    "hr": (("Naslovnica", "O nama", "Usluge"), "© 2025 Sva prava pridržana"),
    "en": (("Home", "About", "Services"), "© 2025 All rights reserved"),
    "de": (("Start", "Über uns", "Service"), "© 2025 Alle Rechte vorbehalten"),
}


def written(part: str = "first") -> list[Written]:
    """The documents of one part: `first`, or `later`, which was written when scout was done.

    In the file, a line with language, sign and title stands before each, and a blank line behind.
    """
    file = Path(__file__).parent / "scout_text" / f"{part}.txt"
    found = []
    for entry in file.read_text("utf-8").strip().split("\n\n"):
        head, _, body = entry.partition("\n")
        language, sign, title = head.split(" ", 2)
        found.append(Written(language, sign == "+", title, body))
    return found
