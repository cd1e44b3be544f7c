"""A long text in parts, its headings, and the pieces that quotes cut it into."""

import random

import pytest

from assay.app.text_parts import (
    PART_CHARACTERS,
    KeyedSpan,
    cut_parts,
    find_part,
    list_headings,
    mark_pieces,
    parse_quote,
    select_part,
)


@pytest.mark.parametrize(
    "text", ["", "short", "word " * 50_000, "line of text\n" * 30_000, "x" * 250_000]
)
def test_parts_are_the_whole_text_and_none_is_too_long(text: str) -> None:
    starts = cut_parts(text)
    parts = [select_part(text, starts, number) for number in range(1, len(starts) + 1)]
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(part.end - part.start <= PART_CHARACTERS + 10_000 for part in parts)
    if "\n" in text:
        assert all(text[part.end - 1] == "\n" for part in parts)
    for offset in range(0, len(text), 9_999):
        part = find_part(text, starts, offset)
        assert part.start <= offset < part.end


def test_pieces_are_the_part_and_each_knows_its_quotes() -> None:
    rng = random.Random(3)
    text = "".join(rng.choices("abc \n", k=3000))
    starts = cut_parts(text)
    part = select_part(text, starts, 1)
    for _ in range(50):
        spans = [
            KeyedSpan(f"fa_{number}", start, start + rng.randrange(1, 300))
            for number, start in enumerate(rng.choices(range(2900), k=rng.randrange(12)))
        ]
        asked = (100, 130) if rng.random() < 0.5 else None
        pieces = mark_pieces(text, part, spans, asked)
        assert "".join(piece.text for piece in pieces) == text
        assert sum(piece.is_first_asked for piece in pieces) == (asked is not None)
        for piece in pieces:
            end = piece.start + len(piece.text)
            inside = {s.key for s in spans if s.start <= piece.start and s.end >= end}
            assert set(piece.keys) == inside
            assert piece.is_asked == (asked is not None and piece.start < 130 and end > 100)


def test_headings_in_three_languages_are_found_and_sentences_are_not() -> None:
    text = (
        "# Notes\nArticle 3\nThe fee is due.\nČlanak 12. – prijava\n  § 4 Fälligkeit\n"
        "IV. PRIJAVA I PLAĆANJE\nArticle 5 " + "applies to all of these " * 9 + "\n"
        "Part of the fee is waived.\nsection 2 Dates\n"
    )
    found = list_headings(text, cut_parts(text))
    assert [heading.title for heading in found] == [
        "Notes",
        "Article 3",
        "Članak 12. – prijava",
        "§ 4 Fälligkeit",
        "IV. PRIJAVA I PLAĆANJE",
        "section 2 Dates",
    ]
    assert all(text[h.start :].startswith(h.title) for h in found)


@pytest.mark.parametrize("text", ["§ " * 200_000, "\t" * 200_000, "Article 1" * 40_000])
def test_looking_for_headings_ends(text: str) -> None:
    found = list_headings(text, cut_parts(text))
    assert all(text[each.start :].startswith(each.title) for each in found)


@pytest.mark.parametrize("given", ["", "5", "9-3", "4-4", "-1-3", "1-2-3", "1-a", "1-9999999999"])
def test_what_is_no_quote_is_none(given: str) -> None:
    assert parse_quote(given) is None
    assert parse_quote("3-9") == (3, 9)
