"""Wherever a reference is found, the text at its place contains what was read from it."""

import json

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.packs.literature.ids import find_ids
from assay.packs.literature.listed import ListKind
from assay.packs.literature.lists import decode_list, parse_list

WORDS = st.sampled_from(
    ["Boats", "Ships", "Harbours", "drift", "float", "melt", "under", "with", "Größe", "Ωmega"]
)
TITLES = st.lists(WORDS, min_size=3, max_size=9).map(" ".join)
NUMBERS = st.integers(1, 99_999)
ENTRY = st.tuples(TITLES, NUMBERS)
ENTRIES = st.lists(ENTRY, min_size=1, max_size=8, unique_by=lambda entry: entry[1])
NOISE = st.sampled_from(
    ["", "\n", "Some words.\n\n", "## Heading\n", "<!-- [x](y) -->\n", "```\ncode\n```\n"]
)


def arxiv(number: int) -> str:
    return f"2301.{number:05}"


MARKDOWN = (
    lambda title, number: f"- [{title}](https://arxiv.org/abs/{arxiv(number)})\n",
    lambda title, number: f"* **{title}**, [[pdf](http://arxiv.org/pdf/{arxiv(number)}v2.pdf)]\n",
    lambda title, number: f"- {title}\n  - Paper: https://arxiv.org/abs/{arxiv(number)}\n",
    lambda title, number: f"| [{title}](https://arxiv.org/abs/{arxiv(number)}) | 2023 |\n",
)


def check_places(data: bytes, kind: ListKind, entries: list[tuple[str, int]]) -> None:
    text = decode_list(data)
    references = parse_list(data, kind).references
    assert [each.ids for each in references] == [(f"arxiv:{arxiv(n)}",) for _, n in entries]
    for each, (title, number) in zip(references, entries, strict=True):
        place = text[each.start : each.end]
        assert each.title == title
        assert title in " ".join(place.split())
        assert arxiv(number) in place
        assert find_ids(place) in ([f"arxiv:{arxiv(number)}"], [])


@settings(max_examples=60)
@given(ENTRIES, st.lists(st.tuples(st.sampled_from(MARKDOWN), NOISE), min_size=8, max_size=8))
def test_the_place_of_an_entry_in_markdown_contains_it(entries, shapes) -> None:  # type: ignore[no-untyped-def]
    parts = [
        noise + "\n" + make(title, number)
        for (title, number), (make, noise) in zip(entries, shapes, strict=False)
    ]
    check_places("\n".join(parts).encode(), ListKind.AWESOME, entries)


@settings(max_examples=30)
@given(ENTRIES)
def test_the_place_of_a_record_contains_it(entries: list[tuple[str, int]]) -> None:
    records = [
        {"title": t, "type": "article", "URL": f"https://arxiv.org/abs/{arxiv(n)}"}
        for t, n in entries
    ]
    check_places(json.dumps(records, ensure_ascii=False).encode(), ListKind.CSL, entries)
    check_places(
        json.dumps({"papers": records}, ensure_ascii=False).encode(), ListKind.AWESOME, entries
    )
    plain = yaml.safe_dump(records, allow_unicode=True, width=1000)
    check_places(plain.encode(), ListKind.AWESOME, entries)


@settings(max_examples=30)
@given(ENTRIES)
def test_the_place_of_an_entry_in_a_file_contains_it(entries: list[tuple[str, int]]) -> None:
    bib = "".join(
        f"@misc{{k{n}, title = {{{t}}}, note = {{arXiv:{arxiv(n)}}}}}\n" for t, n in entries
    )
    check_places(bib.encode(), ListKind.BIBTEX, entries)
    ris = "".join(
        f"TY  - JOUR\nTI  - {t}\nUR  - https://arxiv.org/abs/{arxiv(n)}\nER  - \n"
        for t, n in entries
    )
    check_places(ris.encode(), ListKind.RIS, entries)
    rows = "".join(f'"{t}","https://arxiv.org/abs/{arxiv(n)}"\n' for t, n in entries)
    check_places(f'"Title","Url"\n{rows}'.encode(), ListKind.CSV, entries)
    feed = "".join(
        f"<entry><id>http://arxiv.org/abs/{arxiv(n)}v1</id><title>{t}</title></entry>"
        for t, n in entries
    )
    check_places(f"<feed>{feed}</feed>".encode(), ListKind.ARXIV, entries)


@settings(max_examples=100)
@given(
    st.text(alphabet="[]()!*_#|-`<>@{}=,.:/\\\"' \nabc10arxiv", max_size=400),
    st.sampled_from(list(ListKind)),
)
def test_any_text_is_read_without_an_error_and_places_are_inside_it(
    text: str, kind: ListKind
) -> None:
    parsed = parse_list(text.encode(), kind)
    for each in parsed.references:
        assert 0 <= each.start < each.end <= len(text)
        assert each.title == " ".join(each.title.split())
    assert parse_list(text.encode(), kind) == parsed
