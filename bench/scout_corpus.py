"""What scout is measured on: texts for its speed, labelled pages for its judgement. All seeded."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tests.gazette.documents import Document
from tests.gazette.world import World

from assay.reading.page_look import look_at_page
from bench.scout_documents import written

WORTHLESS: Final = frozenset({"NEWS", "BOILERPLATE"})
"""The gazette's kinds that state no rule. All others do, each with a figure or a field to fill."""
LEAST_CHARACTERS: Final = 600
_SEED: Final = 7
_HELD_OUT: Final = (101, 202, 303)
_BLOCK: Final = re.compile(r"<(?:p|h3|tr)[ >].*?</(?:p|h3|tr)>", re.DOTALL)
_FIGURE: Final = re.compile(r"\d[\d.,]*\s?(?:%|eur|dana|days|tagen)", re.IGNORECASE)
_BARE: Final = str.maketrans("čćšžđČĆŠŽĐ", "ccszdCCSZD")

# Other words for the gazette's commonest ones, so that its own phrase book is not what is known.
_OTHERWISE: Final = {
    "hr": {
        "Stopa": "Porezna stopa",
        "iznosi": "jest",
        "podnosi se": "predaje se",
        "dužan je": "ima obvezu",
        "Prijava": "Izvješće",
        "plaća se": "uplaćuje se",
        "oslobođeni su": "ne plaćaju",
        "kaznit će se": "izreći će se mjera",
        "obveznik": "platitelj",
        "Obveznik": "Platitelj",
    },
    "en": {
        "shall be": "is",
        "rate": "percentage",
        "Returns": "Statements",
        "register": "sign up",
        "liable to a fine": "fined",
        "exempt from": "not charged",
        "accounting period": "reporting period",
    },
    "de": {
        "beträgt": "ist",
        "Satz": "Tarif",
        "Anmeldung": "Meldung",
        "Geldbuße": "Strafgeld",
        "muss sich": "hat sich",
        "befreit sind": "nicht zahlen",
        "Betrag": "Summe",
    },
}


@dataclass(frozen=True)
class Labelled:
    """A page of which it is known whether it is worth reading."""

    worth: bool
    kind: str
    language: str
    page: bytes


def texts(count: int, samples: Path | None = None) -> list[tuple[str, str]]:
    """Texts with their language, of one to twenty thousand characters and a few long ones."""
    rng = random.Random(_SEED)
    alike: dict[str, list[str]] = {}
    found: list[tuple[str, str]] = []
    for one in demo(count):
        text = look_at_page(one.page).text
        if len(text) >= LEAST_CHARACTERS:
            alike.setdefault(one.language, []).append(text)
            found.append((one.language, text))
    for at, (language, _) in enumerate(found):
        # Every tenth is several documents in one, as a consolidated act is; every hundredth many.
        if at % 10 == 0:
            several = 40 if at % 100 == 0 else rng.randint(2, 5)
            found[at] = (language, "\n".join(rng.choices(alike[language], k=several)))
    if samples is not None:
        pages = (look_at_page(file.read_bytes()).text for file in sorted(samples.rglob("*.html")))
        found += [("en", text) for text in pages if len(text) >= LEAST_CHARACTERS]
    rng.shuffle(found)
    return found


def demo(documents: int, seed: int = _SEED) -> list[Labelled]:
    """The demo's gazette as it is."""
    world = World(seed=seed, documents=documents)
    pages = world.build_pages()
    return [
        Labelled(one.kind not in WORTHLESS, one.kind, one.language, pages[path].body)
        for path, one in world.gazette().items()
    ]


def held_out(documents: int) -> list[Labelled]:
    """Gazettes of other seeds, shortened, reworded, in other frames, some without title."""
    found = []
    for seed in _HELD_OUT:
        rng = random.Random(seed)
        world = World(seed=seed, documents=max(20, documents // len(_HELD_OUT)))
        for one in world.gazette().values():
            page = _varied(one, rng)
            found.append(Labelled(one.kind not in WORTHLESS, one.kind, one.language, page))
    return found


def by_hand(part: str) -> list[Labelled]:
    """The documents that were written by hand."""
    return [Labelled(one.worth, "", one.language, one.page()) for one in written(part)]


def _varied(document: Document, rng: random.Random) -> bytes:
    content = "\n".join(_shortened(_BLOCK.findall(document.content), rng)) or document.content
    for word, other in _OTHERWISE[document.language].items():
        content = content.replace(word, other)
    title = rng.choice((document.title, document.title, "Dokument", ""))
    if rng.random() < 0.25:
        content, title = content.translate(_BARE), title.translate(_BARE)
    around = "".join(f"<li><a href='/{n}'>{n} menu</a></li>" for n in range(rng.randrange(12)))
    return (
        f"<html><head><title>{escape(title)}</title></head><body><div id='menu'><ul>{around}</ul>"
        f"</div><div class='page'>{content}</div><div class='footer'>2025</div></body></html>"
    ).encode()


def _shortened(blocks: Sequence[str], rng: random.Random) -> Iterator[str]:
    """About half of a document; its first figure stays, for without one it would state nothing."""
    kept = {n for n in range(len(blocks)) if rng.random() < 0.5} | set(range(min(3, len(blocks))))
    kept |= {n for n, block in enumerate(blocks) if _FIGURE.search(block)} and {
        next(n for n, block in enumerate(blocks) if _FIGURE.search(block))
    }
    return (block for n, block in enumerate(blocks) if n in kept)
