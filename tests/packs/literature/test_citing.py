"""Citations: other programs find in them what the work says, whatever its title contains."""

import json
import re
import string
from typing import Any

import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st
from pybtex.database import Entry, parse_string

from assay.packs.literature.author_names import AuthorName, split_name
from assay.packs.literature.citing import (
    CitationStyle,
    assign_keys,
    cite_work,
    clean_text,
    find_entry_kind,
    make_key,
)
from assay.packs.literature.works import Work

# What LaTeX prints for these commands.
PRINTED = {
    r"{\textbackslash}": "\\", r"{\textbraceleft}": "\x01", r"{\textbraceright}": "\x02",
    r"{\textasciitilde}": "~", r"{\textasciicircum}": "^", r"{\textless}": "<",
    r"{\textgreater}": ">", r"{\textbar}": "|",
    **{f"\\{sign}": sign for sign in "$&%#_"},
}  # fmt: skip
COMMAND = re.compile("|".join(re.escape(each) for each in PRINTED))
HOSTILE = (
    "}, author = {Mallory}, title = {", "\\input{/etc/passwd}", "@article{x, ", "{", "}}", '"', "%",
    "ER  - ", "\r\nER  - \r\nTY  - JOUR", "\nTI  - ", "$k$-means", "A\\", "\x00\x07\x1b[31m", "; ",
    "\u202eabc", "\u2028", " and ", "and others", "Über Größe", "深層学習", "~^#_&", "\\{", "*",
    "@comment{", "@string{a = {b}}", "</script>", "\ud800",
)  # fmt: skip
TITLES = st.lists(
    st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12), st.text("aB{}\\% ", max_size=6)),
    max_size=6,
).map("".join)


def build(**more: Any) -> Work:
    given: dict[str, Any] = {
        "doc_id": "arxiv:1706.03762", "ids": ("arxiv:1706.03762",), "title": "Attention",
        "authors": ("Ashish Vaswani",), "year": 2017, **more,
    }  # fmt: skip
    return Work(**given)


def print_latex(text: str) -> str:
    """The text as LaTeX prints it; braces that only protect the case are gone."""
    plain = COMMAND.sub(lambda m: PRINTED[m[0]], text)
    return re.sub(r"[{}]", "", plain).replace("\x01", "{").replace("\x02", "}")


def read_bibtex(text: str) -> Entry:
    ((_, entry),) = parse_string(text, "bibtex").entries.items()
    return entry


def squeeze(text: str) -> str:
    return " ".join(text.split())


@settings(max_examples=40)
@given(title=TITLES, venue=TITLES, abstract=TITLES)
def test_bibtex_gives_every_text_back(title: str, venue: str, abstract: str) -> None:
    work = build(title=title, venue=venue, abstract=abstract, kind="journal-article")
    entry = read_bibtex(cite_work(work, CitationStyle.BIBTEX))
    for name, text in (("title", title), ("journal", venue), ("abstract", abstract)):
        assert print_latex(entry.fields.get(name, "")) == clean_text(text)
    assert set(entry.fields) <= {
        "title", "journal", "year", "eprint", "archiveprefix", "abstract", "url",
    }  # fmt: skip
    assert len(entry.persons["author"]) == 1


@given(title=TITLES, venue=TITLES, abstract=TITLES, author=TITLES)
def test_ris_gives_every_text_back(title: str, venue: str, abstract: str, author: str) -> None:
    work = build(title=title, venue=venue, abstract=abstract, authors=(author,), kind="article")
    (entry,) = rispy.loads(cite_work(work, CitationStyle.RIS))
    assert squeeze(entry.get("title", "")) == clean_text(title)
    assert entry.get("secondary_title", "") == squeeze(clean_text(venue).replace("*", ""))
    assert entry.get("abstract", "") == clean_text(abstract)
    assert entry["year"] == "2017" and entry["accession_number"] == "arXiv:1706.03762"


@given(title=TITLES, author=TITLES)
def test_csl_gives_every_text_back(title: str, author: str) -> None:
    text = cite_work(build(title=title, authors=(author,)), CitationStyle.CSL)
    (item,) = json.loads(text.encode())
    assert item.get("title", "") == clean_text(title)
    (name,) = item.get("author", [{}])
    assert set(name) <= {"family", "given", "non-dropping-particle", "suffix", "literal"}
    assert item["issued"] == {"date-parts": [[2017]]} and item["type"] == "article"


@settings(max_examples=40)
@given(authors=st.lists(TITLES.filter(clean_text), max_size=4))
def test_names_never_become_more_or_fewer(authors: list[str]) -> None:
    work = build(authors=tuple(authors))
    entry = read_bibtex(cite_work(work, CitationStyle.BIBTEX))
    found = [
        name
        for person in entry.persons.get("author", [])
        for name in [" ".join(person.last_names + person.first_names + person.middle_names)]
    ]
    assert len(found) == len(authors)
    (ris,) = rispy.loads(cite_work(work, CitationStyle.RIS))
    assert len(ris.get("authors", [])) <= len(authors)


@given(title=TITLES, author=TITLES)
def test_plain_text_is_one_printable_line(title: str, author: str) -> None:
    text = cite_work(build(title=title, authors=(author,)), CitationStyle.TEXT)
    assert text == clean_text(text) and "\x1b" not in text
    assert text.encode() and text.endswith("arXiv:1706.03762")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Ashish Vaswani", AuthorName("Vaswani", "Ashish")),
        ("Vaswani, Ashish", AuthorName("Vaswani", "Ashish")),
        ("Vaswani A", AuthorName("Vaswani", "A")),
        ("Laurens van der Maaten", AuthorName("Maaten", "Laurens", "van der")),
        ("van der Maaten, Laurens", AuthorName("Maaten", "Laurens", "van der")),
        ("King, Jr., Martin Luther", AuthorName("King", "Martin Luther", suffix="Jr.")),
        ("Martin Luther King Jr.", AuthorName("King", "Martin Luther", suffix="Jr.")),
        ("King, Martin Luther, Jr.", AuthorName("King", "Martin Luther", suffix="Jr.")),
        ("Plato", AuthorName("Plato")),
        ("In So Kweon", AuthorName("Kweon", "In So")),
        ("J. K. Rowling", AuthorName("Rowling", "J. K.")),
        ("García Márquez, Gabriel", AuthorName("García Márquez", "Gabriel")),
        ("Llama Team", AuthorName("Llama Team", is_organisation=True)),
        (
            "World Health Organization",
            AuthorName("World Health Organization", is_organisation=True),
        ),
        ("{Barnes & Noble}", AuthorName("Barnes & Noble", is_organisation=True)),
        (
            "University of California, Berkeley",
            AuthorName("University of California, Berkeley", is_organisation=True),
        ),
    ],
)
def test_a_name_is_divided_as_its_owner_writes_it(author: str, name: AuthorName) -> None:
    assert split_name(author) == name


def test_every_format_has_the_parts_of_names_in_their_places() -> None:
    names = ("Jan van der Berg", "King, Jr., Martin", "Plato", "The ATLAS Collaboration")
    work = build(authors=names)
    first, second, third, fourth = read_bibtex(cite_work(work, CitationStyle.BIBTEX)).persons[
        "author"
    ]
    assert (first.first_names, first.prelast_names, first.last_names) == (
        ["Jan"], ["van", "der"], ["Berg"],
    )  # fmt: skip
    assert (second.lineage_names, second.last_names) == (["Jr."], ["King"])
    assert (third.last_names, fourth.last_names) == (["Plato"], ["{The ATLAS Collaboration}"])
    (item,) = json.loads(cite_work(work, CitationStyle.CSL))
    assert item["author"] == [
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
        {"family": "King", "given": "Martin", "suffix": "Jr."},
        {"family": "Plato"},
        {"literal": "The ATLAS Collaboration"},
    ]
    (entry,) = rispy.loads(cite_work(work, CitationStyle.RIS))
    assert entry["authors"] == [
        "van der Berg, Jan", "King, Martin, Jr.", "Plato", "The ATLAS Collaboration",
    ]  # fmt: skip
    assert cite_work(work, CitationStyle.TEXT) == (
        "Jan van der Berg, Martin King Jr., Plato, The ATLAS Collaboration (2017). Attention. "
        "arXiv:1706.03762"
    )


@pytest.mark.parametrize(
    ("kind", "venue", "expected"),
    [
        ("journal-article", "Nature", "article article-journal JOUR"),
        ("article", "Conference on X", "inproceedings paper-conference CPAPER"),
        ("proceedings-article", "X", "inproceedings paper-conference CPAPER"),
        ("article", "arXiv (Cornell University)", "misc article UNPB"),
        ("preprint", "X", "misc article UNPB"),
        ("posted-content", "", "misc article UNPB"),
        ("book", "Springer", "book book BOOK"),
        ("monograph", "", "book book BOOK"),
        ("book-chapter", "Handbook", "incollection chapter CHAP"),
        ("dissertation", "MIT", "phdthesis thesis THES"),
        ("report", "NASA", "techreport report RPRT"),
        ("dataset", "Zenodo", "misc dataset DATA"),
        ("reference-entry", "X", "incollection entry-encyclopedia ENCYC"),
        ("component", "X", "misc document GEN"),
        ("", "Nature", "article article-journal JOUR"),
        ("", "", "misc article UNPB"),
    ],
)  # fmt: skip
def test_the_kinds_of_catalogues_have_names_in_every_format(
    kind: str, venue: str, expected: str
) -> None:
    work = build(kind=kind, venue=venue)
    found = find_entry_kind(work)
    assert f"{found.bibtex} {found.csl} {found.ris}" == expected
    assert read_bibtex(cite_work(work, CitationStyle.BIBTEX)).type == found.bibtex


def test_addresses_and_ids_keep_their_signs() -> None:
    url = "https://example.org/a_b%20c?x={1};y#z"
    work = build(
        ids=("arxiv:1706.03762", "doi:10.1016/s0969-2126(97)00260_8", "isbn:9780262033848"),
        url=url, pdf_url="https://example.org/a.pdf", is_retracted=True,
    )  # fmt: skip
    entry = read_bibtex(cite_work(work, CitationStyle.BIBTEX))
    assert entry.fields["doi"] == "10.1016/s0969-2126(97)00260_8"
    assert entry.fields["url"] == "https://example.org/a_b%20c?x=%7B1%7D;y#z"
    assert (entry.fields["eprint"], entry.fields["archiveprefix"]) == ("1706.03762", "arXiv")
    assert entry.fields["note"] == "Retracted"
    (ris,) = rispy.loads(cite_work(work, CitationStyle.RIS))
    assert ris["urls"] == ["https://example.org/a_b%20c?x=%7B1%7D%3By#z"]
    assert ris["doi"] == "10.1016/s0969-2126(97)00260_8" and ris["issn"] == "9780262033848"
    (item,) = json.loads(cite_work(work, CitationStyle.CSL))
    assert item["DOI"] == "10.1016/s0969-2126(97)00260_8" and item["status"] == "retracted"
    assert "Retracted. https://doi.org/10.1016" in cite_work(work, CitationStyle.TEXT)


def test_capitals_inside_words_are_protected() -> None:
    text = cite_work(build(title="BERT and iPhones: A Study of C#"), CitationStyle.BIBTEX)
    assert "title = {{BERT} and {iPhones:} A Study of C\\#}," in text


def test_a_key_has_a_letter_only_where_it_is_needed() -> None:
    works = [
        build(doc_id=f"doi:10.1/{n}", title=title, authors=(author,))
        for n, (title, author) in enumerate(
            [
                ("Deep Learning", "Jan Müller"),
                ("Deep Nets", "Müller, Eva"),
                ("Deepa's Way", "Ole Müller"),
                ("A Deep View", "O. Müller"),
                ("深層", "山田"),
                ("The Łódź Notes", "Ørsted, H."),
            ]
        )
    ]
    keys = assign_keys(works)
    assert list(keys.values()) == list(assign_keys(reversed(works)).values())
    assert sorted(keys.values()) == [
        "anon2017untitled", "muller2017deep", "muller2017deepa", "muller2017deepas",
        "muller2017deepb", "orsted2017lodz",
    ]  # fmt: skip


@given(titles=st.lists(st.text("ab ", max_size=3), max_size=60))
def test_keys_are_unique_and_plain(titles: list[str]) -> None:
    works = [build(doc_id=f"doi:10.1/{n}", title=title) for n, title in enumerate(titles)]
    keys = assign_keys(works)
    assert set(keys) == {work.doc_id for work in works}
    assert len(set(keys.values())) == len(works)
    allowed = set(string.ascii_lowercase + string.digits)
    assert all(set(key) <= allowed for key in keys.values())
    assert all(keys[work.doc_id].startswith(make_key(work)) for work in works)
