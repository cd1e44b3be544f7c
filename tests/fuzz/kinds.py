"""The kinds of input that are fuzzed: harness, seeds, mutator and cost of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.amendments import check_amendments
from tests.fuzz.documents import (
    check_archive,
    check_html,
    check_json,
    check_packed,
    check_sheets,
    check_text,
    check_xml,
)
from tests.fuzz.listings import check_feed, check_robots, check_sitemap
from tests.fuzz.mutation import (
    Mutator,
    choose_mutator,
    make_pdf_mutator,
    make_token_mutator,
    make_zip_mutator,
    mutate_compound,
)
from tests.fuzz.ontologies import check_ontology
from tests.fuzz.oracles import CostBounds
from tests.fuzz.others import check_display, check_web_body

_OFFICE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class Kind:
    """One kind of input."""

    name: str
    check: Callable[[bytes], None]
    """Reads the bytes, and raises where a rule is broken."""
    own_seeds: Callable[[], Iterable[bytes]] = tuple
    harvested: tuple[str, ...] = ()
    """Files of tests with documents written out."""
    samples: tuple[str, ...] = ()
    """Files of a folder of samples."""
    mutate: Mutator = field(default_factory=lambda: make_token_mutator(()))
    bounds: CostBounds = field(default_factory=CostBounds)
    max_size: int = 32_768

    def list_seeds(self, samples: Path | None = None) -> list[bytes]:
        """All inputs to start from, each once and none too large."""
        found = chain(
            seeds.list_corpus(self.name),
            self.own_seeds(),
            seeds.harvest(*self.harvested),
            seeds.list_samples(samples, *self.samples),
        )
        return [data for data in dict.fromkeys(found) if 0 < len(data) <= self.max_size]


def _words(text: str) -> tuple[bytes, ...]:
    return tuple(word.encode() for word in text.split("|"))


_HTML = make_token_mutator(
    _words(
        "<div>|</div>|<p>|<table>|<tr>|<td colspan=9>|<td rowspan=3>|</table>|<!--|-->|"
        "<script>|</script>|<del>|<ins>|<s>|<li>|<a href='/x.pdf'>|<title>|<pre>|<br/>|&amp;|"
        "&#x110000;|&#0;|&nbsp|<![CDATA[|]]>|<main>|<nav>|<h1>|<svg>|<template>|<noscript>|"
        "<select>|<option>|<textarea>|<base href='//[::1'>|<meta charset=utf-7>|\u202e|"
        "\u2028|\x00"
    )
)
_XML = make_token_mutator(
    _words(
        "<?xml version='1.0'?>|<?xml version='1.0' encoding='utf-16'?>|"
        "<!DOCTYPE a [<!ENTITY b 'c'>]>|<!DOCTYPE a SYSTEM 'b'>|&b;|<![CDATA[|]]>|<!--|-->|"
        "<a xmlns='b'>|<a:b>|</a>|<a/>|&lt;|&#0;|&#xD800;|<table>|<row>|<entry>|<title>|\x00|"
        "\ufffe"
    )
)
_LISTS = make_token_mutator(
    _words(
        "<rss>|<channel>|<item>|</item>|<link>/a</link>|<guid isPermaLink='false'>x</guid>|"
        "<entry>|</entry>|<feed>|<link rel='next' href='/2'/>|<link href='https://[x'/>|"
        "<pubDate>|</pubDate>|<updated>2024-02-30</updated>|<title>|&|&nbsp;|<![CDATA[|]]>|"
        "xml:base='//['|<url>|</url>|<loc>https://example.org/a</loc>|"
        "<lastmod>0000-00-00</lastmod>|<lastmod>9999-12-31T23:59:60+25:00</lastmod>|"
        "<sitemap>|</sitemap>|<urlset>|</urlset>|<sitemapindex>|\x00|\\u0000|\\ud800|"
        '{"version":"https://jsonfeed.org/version/1","items":[|"url":|"title":|'
        '"date_published":'
    )
)
_JSON = make_token_mutator(
    _words(
        '{|}|[|]|,|:|"|\\|"a":|null|true|NaN|-Infinity|1e999|\\u0000|\\ud800|\\udc00\\ud800|'
        '"<p>x</p>"|"<del>x</del>y"|"items":|"url":|"title":|"date":|"next":|\x1e|\ufeff'
    )
)
_ROBOTS = make_token_mutator(
    _words(
        "User-agent: *\n|User-agent: Assay\n|Disallow: /\n|Allow: /\n|Crawl-delay: nan\n|"
        "Crawl-delay: inf\n|Crawl-delay: -1\n|Request-rate: 1/0\n|Request-rate: 1/1s 0000-9999\n|"
        "Visit-time: 0600-0845\n|Sitemap: x\n|Host: x\n|*|$|%|%2f|%ff|#|:|\x00|\r|\u2028|/private"
    )
)
_RDF = make_token_mutator(
    _words(
        "@prefix : <http://e/> .\n|@base <x> .\n|a |owl:Class |owl:ObjectProperty |"
        "rdfs:subClassOf |rdfs:domain |rdfs:range |owl:unionOf ( |owl:inverseOf |rdfs:label |"
        '[ | ]|( | )| ; | . |"\\u0000"|"\\uD800"|"x"@en|"1"^^xsd:int|<http://[|<urn:x>|_:b|'
        "owl:imports |owl:onProperty |owl:someValuesFrom |owl:maxCardinality |rdf:first |"
        'rdf:rest |rdf:nil |"@context":|"@id":|"@graph":|"@type":|"@list":[|rdf:about=""|'
        'rdf:resource="#a"|rdf:parseType="Literal"'
    )
)
_LAW = make_token_mutator(
    _words(
        "Članak 1.\n|članku |stavku |riječi |»|«|briše se|zamjenjuje se|mijenja se i glasi:|"
        "dodaje se|iza |postaje |§ 12 |Absatz 1 |Satz 2 |Nummer |wird |gestrichen|ersetzt|"
        "durch |das Wort |die Wörter |„|“|eingefügt|wie folgt gefasst:\n|aufgehoben|bis |"
        "und |section 5|subsection (1)|for |substitute |omit |after |insert |repealed|(a)|"
        "(b)|(1)|■ 1. |§ 10.3 |is amended by |revising |removing |adding |paragraph (a)|"
        "to read as follows:\n|Article 1|Article 1(1)|‘|’|is replaced by |the following:|"
        "is deleted|point (a)|the second subparagraph|the words |each place|jeweils |"
        "in each place|at the end|the first sentence|\n|hr|de|uk|us|eu|\n-----\n|²|IV|1a"
    )
)
_WEB = make_token_mutator(
    _words(
        '{|}|[|]|,|:|"|\\|\\"|\\\\|"text":|"number":|"many":|"more":|1e400|NaN|\\ud800|'
        "\\u0000|\ufeff"
    )
)
_SIGNS = make_token_mutator(
    _words('\x1b[2J|\x07|\x9b|\u202e|\u2066|\u2028|\u200f|\x7f|\r\n|\t|\ud7ff|\ue000|\\|"|\x00')
)
_PDF = make_token_mutator(
    _words(
        "BT|ET|Tj|TJ|Td|Tm|Tf|Tr|cm|q|Q|re|m|l|S|f|Do|(|)|<|>|[|]|<<|>>|/F 12 Tf|0 0 600 800|"
        "1 0 R|/Kids|/Count|/Type/Page|/MediaBox|/Rotate 90|/Annots|/Filter/FlateDecode|"
        "/Length|/Parent|/Contents|/Resources|/Encoding|/ToUnicode|/Subtype/StrikeOut|"
        "/QuadPoints|/Encrypt"
    )
)
_OFFICE_XML = make_token_mutator(
    _words(
        "<w:p>|</w:p>|<w:r>|</w:r>|<w:t>x</w:t>|<w:tbl>|</w:tbl>|<w:tr>|<w:tc>|"
        "<w:gridSpan w:val='9'/>|<w:vMerge/>|<w:del>|<w:ins>|<w:strike/>|<w:numPr>|"
        "<w:pStyle w:val='H'/>|<w:footnoteReference w:id='1'/>|<w:br/>|<w:tab/>|"
        "<mc:AlternateContent>|<text:p>|</text:p>|<text:s text:c='9999999'/>|"
        "<table:table-row table:number-rows-repeated='1048576'>|"
        "<table:table-cell table:number-columns-repeated='16384'/>|<row r='1048576'>|"
        "<c r='XFD1' t='s'>|<c r='A1' t='inlineStr'>|<v>9999</v>|<v>nan</v>|<f>A1</f>|"
        "<!DOCTYPE a [<!ENTITY b 'c'>]>|&b;|&#0;"
    )
)
_RTF = make_token_mutator(
    _words(
        "{|}|\\par |\\u-1?|\\u55296?|\\'|\\bin9|\\uc0 |\\trowd |\\cell |\\row |\\*|\\strike |"
        "\\deleted "
    )
)


def _make_office_mutator(otherwise: Mutator) -> Mutator:
    packed = make_zip_mutator(_OFFICE_XML)
    return choose_mutator([(b"PK", packed), (_OFFICE, mutate_compound)], otherwise)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("html", check_html,
             harvested=("reading/test_html*.py", "sources/test_listing_pages.py"),
             samples=("*.html",), mutate=_HTML),
        Kind("xml", check_xml, harvested=("reading/test_structured_xml.py",),
             samples=("*.xml",), mutate=_XML),
        Kind("pdf", check_packed, seeds.list_pdfs, samples=("*.pdf",),
             mutate=make_pdf_mutator(_PDF), bounds=CostBounds(3.0, 0.2, 300, 2.0)),
        Kind("word", check_packed, seeds.list_word_documents,
             mutate=_make_office_mutator(_RTF)),
        Kind("sheets", check_sheets, seeds.list_sheets,
             mutate=_make_office_mutator(make_token_mutator(_words(",|;|\t|\"|\n|\r")))),
        Kind("json", check_json, harvested=("reading/test_structured_json.py",
                                            "sources/test_listing_json.py"),
             samples=("*.json",), mutate=_JSON),
        Kind("text", check_text, harvested=("reading/test_plain.py", "reading/test_decoding.py"),
             samples=("*.md", "*.csv")),
        Kind("feeds", check_feed, harvested=("sources/test_listing_feeds.py",),
             samples=("*.rss", "*.atom", "*jsonfeed*"), mutate=_LISTS),
        Kind("robots", check_robots, harvested=("sources/test_fetch_robots.py",), mutate=_ROBOTS),
        Kind("sitemaps", check_sitemap, harvested=("sources/test_listing_sitemaps.py",),
             samples=("*sitemap*",), mutate=_LISTS),
        Kind("ontologies", check_ontology, harvested=("packs/graph/test_ontology_*.py",),
             samples=("*.jsonld",), mutate=_RDF),
        Kind("amendments", check_amendments, seeds.list_amendments, mutate=_LAW, max_size=16_384),
        Kind("archives", check_archive, seeds.list_archives,
             mutate=choose_mutator([(_OFFICE, mutate_compound)],
                                   make_zip_mutator(make_token_mutator(())))),
        Kind("web", check_web_body, harvested=("server/test_*.py",), mutate=_WEB, max_size=65_536),
        Kind("display", check_display, harvested=("unit/test_display.py",), mutate=_SIGNS),
    )
}  # fmt: skip
