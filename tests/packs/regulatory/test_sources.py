"""The sources of the pack: their own examples, and payloads that publishers really sent.

The payloads are not part of the repository; the quirks they have are in the examples as well.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import packs
from assay.errors import ContentBroken, InvalidInput
from assay.reading.documents import read_document
from assay.sources.folders import (
    DocumentDescription,
    SourceFolder,
    describe_document,
    find_example_failures,
    load_folder,
)
from assay.sources.listing import Listing, ListingOptions, read_listing

FOLDERS = Path(packs.__file__).parent / "regulatory" / "sources"
NAMES = (
    "ecfr",
    "eu_vat",
    "eur_lex",
    "federal_register",
    "generic",
    "gesetze_im_internet",
    "hmrc",
    "legislation_gov_uk",
    "mfin",
    "narodne_novine",
    "porezna_uprava",
    "ris",
)
SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "regulatory"
real = pytest.mark.skipif(not SAMPLES.is_dir(), reason="there is no ../shared/samples here")
CELLAR = "http://publications.europa.eu/resource/cellar/x.0006.04/DOC_2"
FULL_TEXT = "https://www.federalregister.gov/documents/full_text/xml"
REGULATION = (
    "of 13 March 2024 laying down measures for a high level of public sector interoperability"
    " across the Union (Interoperable Europe Act)"
)


def test_every_folder_is_tested() -> None:
    assert tuple(sorted(path.name for path in FOLDERS.iterdir() if path.is_dir())) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_source_gives_what_its_examples_say(name: str) -> None:
    assert find_example_failures(FOLDERS / name) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_source_is_whole(name: str) -> None:
    folder = load_folder(FOLDERS / name)
    assert folder.source.packs == ["regulatory"]
    tried = {example.endpoint for example in folder.examples}
    active = {e.endpoint_id.partition("/")[2] for e in folder.endpoints if e.active}
    assert active <= tried
    assert any(example.refused for example in folder.examples), "nothing tells a wall from an act"
    assert folder.describes_documents or folder.template
    assert folder.licence or folder.template


@pytest.mark.parametrize(
    ("name", "file", "words"),
    [
        ("narodne_novine", "act.html", "Naknada za vez iznosi 12,50 eura na dan."),
        ("eur_lex", "act.fmx.xml", "1. The fee for grading shall be EUR 40 for each sample."),
        ("eur_lex", "act.html", "A ladder shall be given back within 14 days."),
        ("federal_register", "rule.xml", "The toll is $7.20 for each axle."),
        ("ecfr", "section.xml", "(a) Amount. The fee for weighing a parcel is $3."),
        ("ecfr", "annual.xml", "A parcel is weighed once."),
        ("legislation_gov_uk", "made.xml", "The fee for a peal of bells is £25."),
        ("gesetze_im_internet", "act.html", "Die Gebühr für eine Überfahrt beträgt 4 Euro."),
        ("ris", "act.html", "Die Gebühr für eine Bergfahrt beträgt 12 Euro."),
        ("hmrc", "page.html", "The landing fee for a ferry is £30 for each berth."),
        ("porezna_uprava", "page.html", "Pristojba za zvonjavu iznosi 15 eura."),
        ("eu_vat", "page.html", "The standard rate may not be lower than 15 %."),
    ],
)
def test_the_text_of_an_act_is_read_without_its_card(name: str, file: str, words: str) -> None:
    text = read_document((FOLDERS / name / "examples" / file).read_bytes()).text
    assert words in text
    for noise in ("2031-04-01", "L_2031", "formex", "Internal Revenue", "Pretraga"):
        assert noise not in text


@pytest.mark.parametrize("name", ["ecfr", "gesetze_im_internet"])
def test_a_choice_replaces_the_default_endpoints(name: str) -> None:
    chosen = {"ecfr": {"title": ["12", "7"]}, "gesetze_im_internet": {"act": ["milog"]}}[name]
    names = [e.endpoint_id for e in load_folder(FOLDERS / name, chosen=chosen).endpoints]
    urls = [e.url for e in load_folder(FOLDERS / name, chosen=chosen).endpoints]
    if name == "ecfr":
        assert names == ["ecfr/title-12", "ecfr/title-7", "ecfr/search"]
        assert "versions/title-7.json" in urls[1]
    else:
        assert names == ["gesetze-im-internet/milog", "gesetze-im-internet/toc"]
        assert urls[0] == "https://www.gesetze-im-internet.de/milog/index.html"


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"title": ["51"]}, "'51' is not a valid value of 'title'"),
        ({"part": ["1"]}, "The source has no option 'part'"),
        ({"title": ["12/../search"]}, "is not a valid value"),
    ],
)
def test_a_wrong_choice_is_refused(chosen: dict[str, list[str]], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        load_folder(FOLDERS / "ecfr", chosen=chosen)


def test_every_publisher_says_what_is_unconfirmed() -> None:
    new = ("eu_vat", "gesetze_im_internet", "hmrc", "mfin", "porezna_uprava", "ris")
    for name in new:
        assert "Not tried live" in (load_folder(FOLDERS / name).caveats or "")


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def told(folder: str, name: str, url: str) -> dict[str, Any]:
    found = describe_document(FOLDERS / folder, sample(name), url)
    empty = asdict(DocumentDescription())
    return {field: value for field, value in asdict(found).items() if value != empty[field]}


def of_endpoint(folder: SourceFolder, endpoint: str, name: str, url: str) -> Listing:
    found = folder.get_endpoint(endpoint)
    options = ListingOptions.model_validate(found.options)
    return read_listing(found.strategy, sample(name), url, options)


@real
def test_a_real_issue_of_narodne_novine_is_listed() -> None:
    folder = load_folder(FOLDERS / "narodne_novine")
    url = "https://narodne-novine.nn.hr/sitemap_1_2018_42.xml"
    listing = of_endpoint(folder, "sitemap", "nn_sitemap_1_2018_42.xml", url)
    assert len(listing.items) == 22
    assert listing.items[0].url.endswith("/clanci/sluzbeni/2018_05_42_805.html")


@real
def test_a_real_card_of_narodne_novine_is_described() -> None:
    nn = "https://narodne-novine.nn.hr/eli/sluzbeni"
    assert told("narodne_novine", "nn_act_2018_42_805.jsonld", f"{nn}/2018/42/805/json-ld") == {
        "title": "Zakon o provedbi Opće uredbe o zaštiti podataka",
        "doc_id": f"{nn}/2018/42/805",
        "document_type": "ZAKON",
        "language": "hr",
        "dated": "2018-04-27",
        "published": "2018-05-09",
        "changes": (
            {"kind": "repeals", "act": f"{nn}/2003/103/1364"},
            {"kind": "repeals", "act": f"{nn}/2004/105/2031"},
        ),
        "based_on": (f"{nn}/2004/139/2433",),
        "is_text": False,
        "text_at": (f"{nn}/2018/42/805/hrv/html",),
    }


@real
def test_a_real_act_of_the_union_is_described_in_all_its_forms() -> None:
    eli = "http://data.europa.eu/eli/reg/2024/903/oj"
    name = "eu_formex_32024R0903"
    start = "Regulation (EU) 2024/903 of the European Parliament and of the Council"
    act = told("eur_lex", f"{name}_main.fmx.xml", CELLAR)
    assert (act["doc_id"], act["dated"], act["language"]) == (eli, "2024-03-13", "en")
    assert act["title"] == f"{start} {REGULATION}"
    card = told("eur_lex", f"{name}_doc.fmx.xml", CELLAR)
    assert (card["doc_id"], card["title"], card["published"]) == (eli, act["title"], "2024-03-22")
    assert card["is_text"] is False
    assert card["text_at"][0] == "L_202400903EN.000101.fmx.xml"
    contents = told("eur_lex", f"{name}_toc.fmx.xml", CELLAR)
    assert (contents["is_text"], contents["published"]) == (False, "2024-03-22")
    page = told("eur_lex", "eu_html_32024R0903.html", CELLAR)
    assert (page["doc_id"], page["published"]) == (eli, "2024-03-22")
    assert page["title"] == f"{start.upper()} {REGULATION}"
    proposal = told("eur_lex", "eu_com_2025_11.html", CELLAR)
    assert (proposal["doc_id"], proposal["document_type"]) == ("COM(2025) 11 final", "proposal")


@real
def test_a_real_answer_of_cellar_is_listed() -> None:
    # The query that was really asked calls the file otherwise, and has no title.
    body = sample("eu_cellar_sparql_results.json").replace(b'"cellarURIs"', b'"item"')
    options = load_folder(FOLDERS / "eur_lex").get_endpoint("formex").options
    listing = read_listing("DATE_FILTERED", body, "https://publications.europa.eu/webapi/rdf/sparql",
                     ListingOptions.model_validate(options))  # fmt: skip
    assert [item.url[-5:] for item in listing.items] == ["DOC_1", "DOC_2", "DOC_3", "DOC_4"]


@real
def test_real_documents_of_the_federal_register_are_described() -> None:
    old = told("federal_register", "fr_fulltext_2013-27337.xml", f"{FULL_TEXT}/2013/11/21/x.xml")
    assert old["doc_id"] == "FR Doc. 2013-27337"
    assert (old["published"], old["effective_from"]) == ("2013-11-21", "2013-11-21")
    rule = told("federal_register", "fr_fulltext_2014-21847.xml", f"{FULL_TEXT}/2014/09/22/x.xml")
    assert rule["title"] == "Consumer Leasing (Regulation M)"
    assert (rule["published"], rule["effective_from"]) == ("2014-09-22", "2015-01-01")
    assert rule["changes"] == (
        {"kind": "amends", "act": "12 CFR 213"},
        {"kind": "amends", "act": "12 CFR 1013"},
    )
    record = told("federal_register", "federalregister_document_2026-13726.json", FULL_TEXT)
    assert record["doc_id"] == "FR Doc. 2026-13726"
    assert record["text_at"] == (f"{FULL_TEXT}/2026/07/07/2026-13726.xml",)


@real
def test_a_real_search_without_addresses_of_texts_says_so() -> None:
    folder = load_folder(FOLDERS / "federal_register")
    url = "https://www.federalregister.gov/api/v1/documents.json"
    with pytest.raises(ContentBroken, match=r"None of 2 entries .* has an address"):
        of_endpoint(folder, "rules", "federalregister_search.json", url)


@real
def test_real_answers_of_the_ecfr_are_listed() -> None:
    folder = load_folder(FOLDERS / "ecfr")
    api = "https://www.ecfr.gov/api"
    versions = of_endpoint(folder, "title-26", "ecfr_versions_title15_744_3.json", api)
    full = f"{api}/versioner/v1/full"
    assert [item.url for item in versions.items] == [
        f"{full}/{day}/title-15.xml?part=744&section=744.3"
        for day in ("2017-01-03", "2017-07-07", "2021-01-15", "2021-03-16")
    ]
    found = of_endpoint(folder, "search", "ecfr_search.json", api)
    assert [item.published for item in found.items] == ["2021-01-15", "2017-07-07"]
    assert all("<strong>" not in (item.title or "<strong>") for item in found.items)


@real
@pytest.mark.parametrize(("part", "title"), [
    ("1006", "FAIR DEBT COLLECTION PRACTICES ACT (REGULATION F)"),
    ("1003", "HOME MORTGAGE DISCLOSURE (REGULATION C)"),
])  # fmt: skip
def test_a_real_annual_edition_is_described(part: str, title: str) -> None:
    found = told("ecfr", f"cfr_annual_2012_t12_p{part}.xml", "https://www.govinfo.gov/x.xml")
    assert (found["doc_id"], found["title"]) == (f"12 CFR {part}", title)
    assert found["published"] == "2012-01-01"
    assert "effective_from" not in found


@real
def test_real_acts_of_the_united_kingdom_are_described() -> None:
    uk, site = "legislation_gov_uk", "https://www.legislation.gov.uk"
    made = told(uk, "uk_clml_uksi_2020_1326_made.xml", f"{site}/uksi/2020/1326/made/data.xml")
    assert made["doc_id"] == f"{site}/id/uksi/2020/1326"
    assert (made["dated"], made["effective_from"]) == ("2020-11-20", "2020-11-21")
    name = "Health Protection (Coronavirus, Restrictions) (England) (No. 4) Regulations 2020"
    assert made["changes"] == ({"kind": "amends", "act": name},)
    section = told(uk, "uk_clml_ukpga-1995-50-s1-2009-10-01.xml", site)
    assert (section["dated"], section["effective_from"]) == ("1995-11-08", "2009-10-01")
    contents = told(uk, "uk_clml_uksi-2014-448-contents.xml", site)
    assert contents["text_at"] == (f"{site}/uksi/2014/448/made/data.xml",)
    card = told(uk, "uk_clml_ukpga-2006-37-metadata.xml", site)
    assert (card["title"], card["is_text"]) == ("Parliamentary Costs Act 2006", False)


@real
def test_real_feeds_and_sitemaps_are_listed_by_the_templates() -> None:
    folder = load_folder(FOLDERS / "generic")
    feed = of_endpoint(folder, "feed", "generic_feed.atom", "http://example.org/feed")
    assert len(feed.items) == 2
    sitemap = of_endpoint(folder, "sitemap", "generic_sitemap_index.xml", "http://www.example.com/")
    assert len(sitemap.parts) == 2


DOCUMENTS = sorted(
    (name, example.file, example.url)
    for name in NAMES
    for example in load_folder(FOLDERS / name).examples
    if example.endpoint is None
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(DOCUMENTS),
    st.floats(0, 1),
    st.sampled_from([b"", b"\0", b"<", b'"', b"}", b"[]", b"null", b"&x;"]),
    st.integers(0, 40),
)
def test_a_damaged_document_is_described_or_refused_with_a_reason(
    document: tuple[str, str, str], at: float, put: bytes, taken: int
) -> None:
    name, file, url = document
    data = (FOLDERS / name / "examples" / file).read_bytes()
    place = int(at * len(data))
    damaged = data[:place] + put + (data[place + taken :] if taken < 40 else b"")
    try:
        describe_document(FOLDERS / name, damaged, url)
    except ContentBroken as error:
        for bug in ("KeyError", "TypeError", "AttributeError", "IndexError", "StopIteration"):
            assert bug not in error.what
