"""Pages with a known main text: documents of the demo's gazette in the dress of many sites.

The words of the gazette stand in every page; what stands around them, and the tags that they
stand in, differ from template to template. All of it comes from the seed.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from tests.gazette.documents import Document
from tests.gazette.world import World

_BLOCK: Final = re.compile(r"<(h1|h2|h3|p|table)\b[^>]*>(.*?)</\1>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]+>")
_LANGUAGES: Final = ("hr", "en", "de")

# What sites say around their texts, in the order of the languages.
_MENU: Final = (
    "Početna|Propisi|Arhiva|Pretplata|Oglasi|Kontakt|Pomoć|Karta weba|Pristupačnost|O nama|Usluge|"
    "Najčešća pitanja|Javna nabava|Natječaji|Obrasci za preuzimanje|Prijava u sustav",
    "Home|Acts|Archive|Subscribe|Notices|Contact|Help|Site map|Accessibility|About us|Services|"
    "Frequently asked questions|Procurement|Vacancies|Forms to download|Sign in",
    "Startseite|Vorschriften|Archiv|Abonnement|Anzeigen|Kontakt|Hilfe|Übersicht|Barrierefreiheit|"
    "Über uns|Dienste|Häufige Fragen|Ausschreibungen|Stellen|Formulare|Anmelden",
)
_COOKIES: Final = (
    "Ova stranica koristi kolačiće kako bi vam pružila bolje korisničko iskustvo. Prihvati sve",
    "We use cookies to improve your experience on this site. Accept all Reject all",
    "Diese Website verwendet Cookies, um Ihnen mehr Komfort zu bieten. Alle annehmen",
)
_FOOTER: Final = (
    "Sva prava pridržana. Uvjeti korištenja. Izjava o pristupačnosti. Zaštita podataka.",
    "All rights reserved. Terms of use. Accessibility statement. Privacy policy.",
    "Alle Rechte vorbehalten. Nutzungsbedingungen. Erklärung zur Barrierefreiheit. Datenschutz.",
)
_COMMENT: Final = (
    "Slažem se s prethodnikom, ovo je trebalo biti gotovo još prošle godine.",
    "I could not agree more, this should have been settled years ago if you ask me.",
    "Das sehe ich ganz genauso, darauf haben wir alle schon sehr lange gewartet.",
)
_RELATED: Final = (
    "Otvoren natječaj za potpore|Novo radno vrijeme šaltera|Održana sjednica odbora",
    "Grants are open for applications|New opening hours|Committee meets in public",
    "Förderanträge ab sofort möglich|Neue Öffnungszeiten|Sitzung des Ausschusses",
)


@dataclass(frozen=True)
class MadePage:
    """A page, and the main text that a reader should find in it."""

    name: str
    template: str
    language: str
    data: bytes
    gold: str


@dataclass(frozen=True)
class _Dress:
    """One document, and the words around it."""

    document: Document
    rng: random.Random

    @property
    def at(self) -> int:
        return _LANGUAGES.index(self.document.language)

    def blocks(self) -> list[tuple[str, str]]:
        return _BLOCK.findall(self.document.content)

    def menu(self, count: int) -> list[str]:
        names = _MENU[self.at].split("|")
        return [self.rng.choice(names) for _ in range(count)]

    def links(self, count: int, wrap: str = "<li>{}</li>") -> str:
        return "".join(wrap.format(f'<a href="/{n}">{escape(name)}</a>')
                       for n, name in enumerate(self.menu(count)))  # fmt: skip

    def page(self, body: str, head: str = "") -> str:
        return (
            f'<!DOCTYPE html>\n<html lang="{self.document.language}"><head><meta charset="utf-8">'
            f"<title>{escape(self.document.title)}</title>{head}{self.machinery()}</head>"
            f"<body>\n{body}\n{self.icons()}</body></html>"
        )

    def machinery(self) -> str:
        """Styles and scripts, of which a real page has more than of words."""
        rules = "".join(
            f".c{n}{{margin:{n}px;padding:{self.rng.randrange(40)}px;color:#{n:06x}}}\n"
            for n in range(self.rng.randrange(60, 200))
        )
        calls = "".join(
            f'if(x<{n}){{q.push(["track","event{n}",{{"a":"<b>{n}</b>"}}]);}}\n'
            for n in range(self.rng.randrange(40, 160))
        )
        return f"<style>{rules}</style><script>var q=[];var x=1;\n{calls}</script>"

    def icons(self) -> str:
        """Pictures that are drawn in the page, and boxes that wait to be shown."""
        return "".join(
            f'<div class="c{n} icon-box" data-id="{n}"><span class="i"><svg viewBox="0 0 24 24">'
            f'<path d="M{n} 2l4 4-4 4z"/></svg></span><span class="c{n}"></span></div>'
            for n in range(self.rng.randrange(20, 80))
        )


def pages(count: int, seed: int = 11) -> list[MadePage]:
    """So many pages, the templates taking turns."""
    documents = [
        one for one in World(seed=seed, documents=count + 40).gazette().values()
        if one.kind != "BOILERPLATE"
    ]  # fmt: skip
    made: list[MadePage] = []
    for number, document in enumerate(documents[:count]):
        name = tuple(TEMPLATES)[number % len(TEMPLATES)]
        dress = _Dress(document, random.Random(f"{seed} {number}"))
        data = TEMPLATES[name](dress).encode()
        gold = _gold(document)
        made.append(MadePage(f"{number:04d}.html", name, document.language, data, gold))
    return made


def _gold(document: Document) -> str:
    return " ".join(unescape(_TAG.sub(" ", document.content)).split())


def _semantic(dress: _Dress) -> str:
    return dress.page(
        f"<header><a href=/>Logo</a><nav><ul>{dress.links(8)}</ul></nav></header>"
        f"<main><article>{dress.document.content}</article></main>"
        f"<footer><p>{_FOOTER[dress.at]}</p></footer>"
    )


def _nav_heavy(dress: _Dress) -> str:
    columns = "".join(f"<div class=mega-col><ul>{dress.links(14)}</ul></div>" for _ in range(8))
    return dress.page(
        f"<div id=top-menu class='menu mega'>{columns}</div>"
        f"<div class=breadcrumbs>{dress.links(3, '{} / ')}</div>"
        f"<div class='col-md-9 page-body'>{dress.document.content}</div>"
        f"<div class='col-md-3 sidebar'><h4>Izbornik</h4><ul>{dress.links(20)}</ul></div>"
        f"<div id=footer><ul>{dress.links(24)}</ul>{_FOOTER[dress.at]}</div>"
    )


def _banners_and_comments(dress: _Dress) -> str:
    related = "".join(
        f"<div class=card><a href=/{n}><h4>{text}</h4></a></div>"
        for n, text in enumerate(_RELATED[dress.at].split("|"))
    )
    comments = "".join(
        f"<li class=comment><b>user{n}</b><p>{_COMMENT[dress.at]}</p></li>" for n in range(5)
    )
    return dress.page(
        f"<div class=cookie-consent role=dialog><p>{_COOKIES[dress.at]}</p></div>"
        f"<div class=site-header><ul class=nav>{dress.links(9)}</ul></div>"
        f"<div class=content-area><div class=entry-content>{dress.document.content}</div>"
        f"<div class=share-buttons>{dress.links(4, '{} ')}</div></div>"
        f"<section class=related-posts>{related}</section>"
        f"<section id=comments class=comments-area><ol>{comments}</ol></section>"
        f"<footer>{_FOOTER[dress.at]}</footer>"
    )


def _nameless(dress: _Dress) -> str:
    return dress.page(
        f"<div class=a1><div class=b7>{dress.links(10, '<span>{}</span>')}</div></div>"
        f"<div class=c3><div><div>{_as_divs(dress)}</div></div></div>"
        f"<div class=a2><div>{dress.links(12, '<span>{}</span>')}</div></div>"
    )


def _as_divs(dress: _Dress) -> str:
    return "".join(
        f"<{tag}>{inner}</{tag}>" if tag == "table" else f"<div class=t{n % 3}>{inner}</div>"
        for n, (tag, inner) in enumerate(dress.blocks())
    )


def _list_only(dress: _Dress) -> str:
    items = "".join(
        f"<li><table>{inner}</table></li>" if tag == "table" else f"<li>{inner}</li>"
        for tag, inner in dress.blocks()
    )
    return dress.page(
        f"<div class=navbar><ul>{dress.links(8)}</ul></div><ul class=items>{items}</ul>"
        f"<div class=footer>{_FOOTER[dress.at]}</div>"
    )


def _definitions(dress: _Dress) -> str:
    items = "".join(
        f"<dt>{inner}</dt>" if tag.startswith("h") else
        f"<dd><table>{inner}</table></dd>" if tag == "table" else f"<dd>{inner}</dd>"
        for tag, inner in dress.blocks()
    )  # fmt: skip
    return dress.page(
        f"<nav>{dress.links(10, '{} | ')}</nav><div id=main><dl>{items}</dl></div>"
        f"<footer>{_FOOTER[dress.at]}</footer>"
    )


def _table_heavy(dress: _Dress) -> str:
    rows = "".join(
        f"<tr><td colspan=2><table>{inner}</table></td></tr>" if tag == "table" else
        f"<tr><th colspan=2>{inner}</th></tr>" if tag.startswith("h") else
        f"<tr><td>{n}.</td><td>{inner}</td></tr>"
        for n, (tag, inner) in enumerate(dress.blocks())
    )  # fmt: skip
    # The numbers of the rows are words of the page, and stand in no document.
    return dress.page(
        f"<ul id=menu>{dress.links(8)}</ul><div class=content><table class=act>{rows}</table></div>"
        f"<div id=footer>{_FOOTER[dress.at]}</div>"
    )


def _old_layout(dress: _Dress) -> str:
    text = "".join(
        f"<table border=1>{inner}</table>" if tag == "table" else
        f"<font size=4><b>{inner}</b></font><br>\n" if tag.startswith("h") else
        f"<font face=Arial size=2>{inner}</font><br><br>\n"
        for tag, inner in dress.blocks()
    )  # fmt: skip
    return dress.page(
        f"<table width=100% bgcolor=#003366><tr><td>{dress.links(6, '{} ')}</td></tr></table>"
        f"<table width=100%><tr><td width=150 valign=top>{dress.links(16, '{}<br>')}</td>"
        f"<td valign=top>{text}</td></tr></table>"
        f"<table width=100%><tr><td align=center><font size=1>{_FOOTER[dress.at]}</font></td></tr>"
        "</table>"
    )


def _word(dress: _Dress) -> str:
    text = "".join(
        f"<table class=MsoNormalTable border=1 style='border-collapse:collapse'>{inner}</table>"
        if tag == "table"
        else "<p class=MsoNormal style='margin-bottom:0in;text-align:justify'><span lang=HR "
        f"style='font-size:11.0pt;font-family:\"Arial\",sans-serif'>{inner}<o:p></o:p></span></p>\n"
        for tag, inner in dress.blocks()
    )
    head = (
        "<meta name=Generator content='Microsoft Word 15'><style><!-- p.MsoNormal {margin:0in;} "
        "--></style><!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]-->"
    )
    return dress.page(f"<div class=WordSection1>{text}</div>", head)


def _portal(dress: _Dress) -> str:
    tabs = "".join(f"<div style='display:none' id=tab{n}>{dress.links(6)}</div>" for n in range(4))
    return dress.page(
        f"<form id=aspnetForm action=/x><input type=hidden name=__VIEWSTATE value=abc>"
        f"<div id=ctl00_header>{dress.links(7, '<span>{}</span>')}</div>{tabs}"
        f"<select>{''.join(f'<option>{n}' for n in range(1990, 2026))}</select>"
        f"<div id=ctl00_content><div class=doc>{dress.document.content}</div></div>"
        f"<div id=ctl00_footer>{_FOOTER[dress.at]}</div></form>"
    )


TEMPLATES: Final[dict[str, Callable[[_Dress], str]]] = {
    "semantic": _semantic,
    "menus": _nav_heavy,
    "banners and comments": _banners_and_comments,
    "nameless parts": _nameless,
    "list": _list_only,
    "definitions": _definitions,
    "table of text": _table_heavy,
    "old table layout": _old_layout,
    "word": _word,
    "portal": _portal,
}
"""The templates by name, in the order in which they take turns."""
