"""The gazette's site as it stands on one day: which documents it has, and every page of it.

A world is a pure function of its seed, its day and its size. Day N is day N-1 with some
documents added, some amended, some removed, and one page that changed only its noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from html import escape
from types import MappingProxyType
from typing import Final

from assay.sdk.demo import ANY_BASE, SitePage
from tests.gazette.documents import ACTS, Document, Kind, Language, Outline, compose, draw

FIRST_DAY: Final = date(2025, 3, 3)
"""The date of day 1. It lies in the past, so that no honest Last-Modified is in the future."""
HOST: Final = "gazette.demo.test"
"""The name under which tests watch the gazette."""
FEWEST_DOCUMENTS: Final = 20

_HTML: Final = "text/html; charset=utf-8"
_XML: Final = "application/xml; charset=utf-8"
_MENU: Final = ("/", "/acts/", "/feed.xml", "/sitemap.xml", "/info/kontakt.html")

# One of each first, so that even the smallest world has every kind and every language.
_OPENING: Final[tuple[tuple[Kind, Language], ...]] = (
    ("LEGISLATION", "hr"),
    ("REGULATION", "hr"),
    ("GUIDELINE", "hr"),
    ("LEGISLATION", "en"),
    ("REGULATION", "en"),
    ("LEGISLATION", "de"),
    ("REGULATION", "de"),
    ("FAQ", "hr"),
    ("FORM", "hr"),
    ("ANNOUNCEMENT", "hr"),
    ("NEWS", "hr"),
    ("NEWS", "en"),
)
_KIND_WEIGHTS: Final[Mapping[Kind, int]] = MappingProxyType(
    {
        "LEGISLATION": 25,
        "REGULATION": 30,
        "GUIDELINE": 12,
        "FAQ": 5,
        "FORM": 4,
        "ANNOUNCEMENT": 10,
        "NEWS": 14,
    }
)
_LANGUAGE_WEIGHTS: Final[Mapping[Language, int]] = MappingProxyType({"hr": 70, "en": 16, "de": 14})
_CROATIAN_ONLY: Final[tuple[Kind, ...]] = ("FAQ", "FORM")


@dataclass(frozen=True)
class _SitePage:
    """A page of little value that belongs to the site, not to the gazette."""

    language: Language
    title: str
    text: str


_SITE_PAGES: Final[Mapping[str, _SitePage]] = MappingProxyType(
    {
        "/info/kontakt.html": _SitePage(
            "hr",
            "Kontakt",
            "Uredništvo Službenog lista, Trg slobode 4, Vedrograd.\n"
            "Radno vrijeme: radnim danom od 8 do 15 sati. Telefon: 000 555 014.\n"
            "Pitanja o objavi akata šalju se na urednistvo@sluzbeni-list.example.",
        ),
        "/info/poveznice.html": _SitePage(
            "hr",
            "Poveznice",
            "Početna\nPropisi po godinama\nPropisi po tijelu\nKazalo\nArhiva\nPretplata\nOglasi\n"
            "Pomoć\nPristupačnost\nUvjeti korištenja\nZaštita podataka\nKarta weba\nPrijava\nRSS",
        ),
        "/info/u-izradi.html": _SitePage("hr", "U izradi", "Sadržaj uskoro."),
        "/info/cookies.html": _SitePage(
            "en",
            "Cookies",
            "This site uses cookies that it needs and cookies that count visits.\n"
            "You can change your choice at any time in the settings of your browser.\n"
            "Accept all. Reject all. Settings.",
        ),
        "/info/impressum.html": _SitePage(
            "de",
            "Impressum",
            "Herausgeber: Amtsblatt der Republik Vedrina, Vedrograd.\n"
            "Alle Angaben ohne Gewähr. Nachdruck mit Quellenangabe gestattet.",
        ),
    }
)


@dataclass(frozen=True)
class _Furniture:
    """What stands around the text of every page in one language."""

    masthead: str
    menu: tuple[str, ...]
    banner: str
    footer: str
    noise: str


_FURNITURE: Final[Mapping[Language, _Furniture]] = MappingProxyType(
    {
        "hr": _Furniture(
            "Službeni list Republike Vedrine",
            ("Početna", "Propisi", "RSS", "Karta weba", "Kontakt"),
            "Ova stranica koristi kolačiće. Prihvati sve.",
            "Vedrina je izmišljena država; ovi tekstovi nemaju pravnu snagu.",
            "Stranica generirana {stamp} Broj posjeta: {visits}",
        ),
        "en": _Furniture(
            "Official Gazette of the Republic of Vedrina",
            ("Home", "Acts", "RSS", "Site map", "Contact"),
            "This site uses cookies. Accept all.",
            "Vedrina is an invented country; these texts have no legal force.",
            "Page generated at {stamp} Visits: {visits}",
        ),
        "de": _Furniture(
            "Amtsblatt der Republik Vedrina",
            ("Startseite", "Vorschriften", "RSS", "Übersicht", "Kontakt"),
            "Diese Seite verwendet Cookies. Alle annehmen.",
            "Vedrina ist ein erfundenes Land; diese Texte haben keine Rechtskraft.",
            "Seite erzeugt am {stamp} Besuche: {visits}",
        ),
    }
)


@dataclass(frozen=True)
class Changes:
    """The addresses at which a day differs from the day before, each tuple sorted."""

    added: tuple[str, ...] = ()
    amended: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    noisy: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    """A document's address and what has happened to it so far."""

    path: str
    outline: Outline
    amended: tuple[date, ...] = ()
    refreshed: tuple[date, ...] = ()

    @property
    def is_copy(self) -> bool:
        return self.path != self.outline.path

    def modified(self, seed: int) -> datetime:
        day = max((self.outline.published, *self.amended, *self.refreshed))
        rng = draw(seed, self.outline.path, "time")
        return datetime.combine(day, time(6, rng.randrange(60), rng.randrange(60)), UTC)


@dataclass(frozen=True)
class _State:
    """The documents of one day, and how many serials have ever been given."""

    entries: tuple[_Entry, ...]
    serials: int


def _plan(seed: int, serial: int, published: date) -> _Entry:
    if serial <= len(_OPENING):
        kind, language = _OPENING[serial - 1]
    else:
        rng = draw(seed, "plan", serial)
        kind = rng.choices(tuple(_KIND_WEIGHTS), tuple(_KIND_WEIGHTS.values()))[0]
        language = rng.choices(tuple(_LANGUAGE_WEIGHTS), tuple(_LANGUAGE_WEIGHTS.values()))[0]
        language = "hr" if kind in _CROATIAN_ONLY else language
    folder = "acts" if kind in ACTS else kind.lower()
    path = f"/{folder}/{published.year}/{serial:04d}.html"
    return _Entry(path, Outline(path, kind, language, published))


def _begin(seed: int, documents: int) -> _State:
    site = [
        _Entry(path, Outline(path, "BOILERPLATE", page.language, FIRST_DAY - timedelta(days=500)))
        for path, page in _SITE_PAGES.items()
    ]
    serials = documents - len(site) - 1
    rng = draw(seed, "calendar")
    ages = sorted((rng.randrange(400) for _ in range(serials)), reverse=True)
    planned = [_plan(seed, n, FIRST_DAY - timedelta(days=age)) for n, age in enumerate(ages, 1)]
    # The same act under a second address, byte for byte: whoever counts twice is found out.
    copied = planned[0].outline
    copy = _Entry(copied.path.replace("/acts/", "/archive/"), copied)
    return _State((*site, *planned, copy), serials)


def _advance(seed: int, state: _State, day: int) -> tuple[_State, Changes]:
    rng, today = draw(seed, "day", day), _date_of(day)
    copied = {entry.outline.path for entry in state.entries if entry.is_copy}
    # Copied acts rest, so that the copy stays exact; the site's own pages are never withdrawn.
    still = [entry for entry in state.entries if entry.outline.path not in copied]
    mortal = [entry for entry in still if entry.outline.kind != "BOILERPLATE"]
    acts = [entry for entry in mortal if entry.outline.kind in ACTS]
    amended = rng.sample(acts, rng.randint(2, 4))
    removed = rng.sample([e for e in mortal if e not in amended], rng.choice((1, 1, 1, 2)))
    noisy = [rng.choice([e for e in still if e not in amended and e not in removed])]
    first = state.serials + 1
    added = [_plan(seed, n, today) for n in range(first, first + rng.randint(7, 9))]
    entries: list[_Entry] = []
    for entry in state.entries:
        if entry in amended:
            entries.append(replace(entry, amended=(*entry.amended, today)))
        elif entry in noisy:
            entries.append(replace(entry, refreshed=(*entry.refreshed, today)))
        elif entry not in removed:
            entries.append(entry)
    changes = Changes(_paths(added), _paths(amended), _paths(removed), _paths(noisy))
    return _State((*entries, *added), state.serials + len(added)), changes


def _paths(entries: Iterable[_Entry]) -> tuple[str, ...]:
    return tuple(sorted(entry.path for entry in entries))


def _date_of(day: int) -> date:
    return FIRST_DAY + timedelta(days=day - 1)


@dataclass(frozen=True)
class World:
    """The site on one day."""

    seed: int = 7
    day: int = 1
    documents: int = 60
    """How many documents day 1 has."""

    def __post_init__(self) -> None:
        if self.day < 1:
            raise ValueError(f"a world begins on day 1; there is no day {self.day}")
        if self.documents < FEWEST_DOCUMENTS:
            raise ValueError(f"a world needs {FEWEST_DOCUMENTS} documents, not {self.documents}")

    @property
    def today(self) -> date:
        return _date_of(self.day)

    def next(self) -> World:
        return replace(self, day=self.day + 1)

    def changes(self) -> Changes:
        """What is new since the day before; on day 1, everything."""
        return self._history()[1]

    def gazette(self) -> dict[str, Document]:
        """Every document of the day by its address, as its authors know it."""
        return {e.path: self._document(e) for e in self._history()[0].entries}

    def build_pages(self) -> dict[str, SitePage]:
        """Every page of the day by its path. Absolute addresses begin with `ANY_BASE`."""
        entries = self._history()[0].entries
        return _site(self, [(entry, self._document(entry)) for entry in entries])

    def _history(self) -> tuple[_State, Changes]:
        state = _begin(self.seed, self.documents)
        changes = Changes(added=_paths(state.entries))
        for day in range(2, self.day + 1):
            state, changes = _advance(self.seed, state, day)
        return state, changes

    def _document(self, entry: _Entry) -> Document:
        if site_page := _SITE_PAGES.get(entry.path):
            text = "\n".join(f"<p>{escape(line)}</p>" for line in site_page.text.splitlines())
            title, own = site_page.title, entry.outline
            content = f"<h1>{escape(title)}</h1>\n{text}"
            return Document(own.path, own.kind, own.language, own.published, title, content)
        return replace(compose(self.seed, entry.outline, entry.amended), path=entry.path)


_Listed = tuple[_Entry, Document]


def _site(world: World, listed: list[_Listed]) -> dict[str, SitePage]:
    newest = sorted(
        (pair for pair in listed if not pair[0].is_copy and pair[1].kind != "BOILERPLATE"),
        key=lambda pair: (pair[1].published, pair[0].path),
        reverse=True,
    )
    acts = [pair for pair in newest if pair[1].kind in ACTS]
    morning = datetime.combine(world.today, time(7), UTC)
    welcome = "<p>Dobro došli na stranice Službenog lista Republike Vedrine.</p>\n"
    home = _frame("hr", "Službeni list", f"<h1>Službeni list</h1>\n{welcome}{_listing(acts[:10])}")
    index = _frame("hr", "Propisi", f"<h1>Propisi</h1>\n{_listing(acts)}")
    robots = f"User-agent: *\nDisallow: /search\nSitemap: {ANY_BASE}/sitemap.xml\n"
    pages = [
        _page("/", home, _HTML, morning),
        _page("/acts/", index, _HTML, morning),
        _page("/sitemap.xml", _sitemap(world, listed), _XML, morning),
        _page(
            "/feed.xml", _feed(world, newest[:20]), "application/rss+xml; charset=utf-8", morning
        ),
        _page("/robots.txt", robots, "text/plain; charset=utf-8", morning),
    ]
    for entry, document in listed:
        text = _frame(document.language, document.title, document.content, _noise(world, entry))
        pages.append(_page(entry.path, text, _HTML, entry.modified(world.seed)))
    return {page.path: page for page in pages}


def _page(path: str, text: str, content_type: str, modified: datetime) -> SitePage:
    return SitePage.of(path, text.encode(), content_type, modified)


def _noise(world: World, entry: _Entry) -> str:
    day = max((entry.outline.published, *entry.refreshed))
    rng = draw(world.seed, entry.outline.path, "noise", day)
    stamp = f"{day:%d.%m.%Y.} {rng.randrange(24):02d}:{rng.randrange(60):02d}."
    visits = rng.randrange(100, 90_000)
    return _FURNITURE[entry.outline.language].noise.format(stamp=stamp, visits=visits)


def _frame(language: Language, title: str, content: str, noise: str = "") -> str:
    furniture = _FURNITURE[language]
    menu = "".join(
        f'<li><a href="{href}">{escape(label)}</a></li>'
        for href, label in zip(_MENU, furniture.menu, strict=True)
    )
    return f"""<!DOCTYPE html>
<html lang="{language}">
<head><meta charset="utf-8"><title>{escape(title)} | {furniture.masthead}</title>
<style>body {{ max-width: 60em; margin: auto; }} .note {{ background: #ffc; }}</style></head>
<body>
<header><a href="/">{furniture.masthead}</a><nav><ul>{menu}</ul></nav></header>
<div class="cookies">{furniture.banner}</div>
<main><article>
{content}
</article></main>
<footer><p>{furniture.footer}</p><p class="generated">{escape(noise)}</p></footer>
<script>document.querySelector(".cookies").onclick = function () {{ this.remove(); }};</script>
</body>
</html>
"""


def _listing(listed: Iterable[_Listed]) -> str:
    rows = (
        f'<li><time datetime="{document.published}">{document.published:%d.%m.%Y.}</time> '
        f'<a href="{entry.path}">{escape(document.title)}</a></li>'
        for entry, document in listed
    )
    return '<ul class="listing">\n' + "\n".join(rows) + "\n</ul>"


def _sitemap(world: World, listed: Iterable[_Listed]) -> str:
    rows = "\n".join(
        f"<url><loc>{ANY_BASE}{entry.path}</loc>"
        f"<lastmod>{entry.modified(world.seed).isoformat()}</lastmod></url>"
        for entry, _ in listed
    )
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n{rows}\n</urlset>\n'


def _feed(world: World, newest: Iterable[_Listed]) -> str:
    items = "\n".join(
        f"<item><title>{escape(document.title)}</title><link>{ANY_BASE}{entry.path}</link>"
        f"<guid>{ANY_BASE}{entry.path}</guid>"
        f"<pubDate>{format_datetime(entry.modified(world.seed), usegmt=True)}</pubDate></item>"
        for entry, document in newest
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
        f"<title>Službeni list Republike Vedrine</title><link>{ANY_BASE}/</link>"
        f"<description>Najnoviji propisi</description>\n{items}\n</channel></rss>\n"
    )
