"""The difference between two texts: which lines, and which words in them."""

import difflib
import random
from typing import Any

import pytest

from assay.app import document_diffs
from assay.app.document_diffs import DiffKind, diff_texts, mark_words, pair_texts

BEFORE = """Act on Fees

Article 1. The fee is 8,15 EUR.
Article 2. It is due on 1 May.
Article 3. Unchanged.
"""
AFTER = """Act on Fees
Article 1. The fee is 7,90 EUR.
Article 2. It is due on 1 May.
Article 3. Unchanged.
Article 4. A new duty applies.
"""


def test_changed_and_new_lines_are_shown_and_nothing_else() -> None:
    found = [(line.kind.value, line.text) for line in diff_texts(BEFORE, AFTER)]
    assert found == [
        ("removed", "Article 1. The fee is 8,15 EUR."),
        ("added", "Article 1. The fee is 7,90 EUR."),
        ("added", "Article 4. A new duty applies."),
    ]


def test_a_figure_changes_as_a_whole() -> None:
    gone, come, new = diff_texts(BEFORE, AFTER)
    assert [gone.text[a:b] for a, b in gone.changed] == ["8,15"]
    assert [come.text[a:b] for a, b in come.changed] == ["7,90"]
    assert new.changed == ()


def test_lines_around_a_change_are_shown_and_the_rest_is_counted() -> None:
    lines = [f"Line {number}." for number in range(20)]
    changed = [*lines[:10], "Another line.", *lines[11:]]
    found = list(diff_texts("\n".join(lines), "\n".join(changed), context=1))
    assert [(line.kind.value, line.text) for line in found] == [
        ("omitted", "9 unchanged lines"),
        ("same", "Line 9."),
        ("removed", "Line 10."),
        ("added", "Another line."),
        ("same", "Line 11."),
        ("omitted", "8 unchanged lines"),
    ]


def test_space_and_empty_lines_make_no_difference() -> None:
    assert list(diff_texts("a\n\n b \n", "a\nb")) == []
    assert list(diff_texts("", "")) == []
    assert [line.kind for line in diff_texts("", "a\nb")] == [DiffKind.ADDED, DiffKind.ADDED]
    assert [line.kind for line in diff_texts("a", "")] == [DiffKind.REMOVED]


def test_a_difference_leads_from_one_text_to_the_other() -> None:
    """Whatever changes: removed and same lines are the old text, added and same lines the new."""
    random.seed(7)
    for _ in range(50):
        old = [random.choice("abcdefgh") for _ in range(random.randrange(30))]
        new = [random.choice("abcdefgh") for _ in range(random.randrange(30))]
        lines = list(diff_texts("\n".join(old), "\n".join(new), context=1000))
        assert [li.text for li in lines if li.kind is not DiffKind.ADDED] == old
        assert [li.text for li in lines if li.kind is not DiffKind.REMOVED] == new


def test_lines_side_by_side_are_both_texts_and_those_alike_are_beside_each_other() -> None:
    before = "Title\nThe fee is 8,15 EUR for guests.\nEnd"
    after = "Title\nA duty that is new.\nThe fee is 7,90 EUR for guests.\nEnd"
    rows = list(mark_words(pair_texts(before, after)))
    assert [(r.old and r.old.text, r.new and r.new.text) for r in rows] == [
        ("Title", "Title"),
        (None, "A duty that is new."),
        ("The fee is 8,15 EUR for guests.", "The fee is 7,90 EUR for guests."),
        ("End", "End"),
    ]
    assert [row.is_same for row in rows] == [True, False, False, True]
    old, new = rows[2].old, rows[2].new
    assert old and new and [old.text[a:b] for a, b in old.changed] == ["8,15"]
    assert [new.text[a:b] for a, b in new.changed] == ["7,90"]


def make_repetitive(rng: random.Random, kind: str) -> tuple[str, str]:
    """Two texts whose lines, or whose words, are the same few over and over."""
    if kind == "few lines":
        return (
            "\n".join(rng.choices("abcd", k=6000)),
            "\n".join(rng.choices("abcd", k=6000)),
        )
    if kind == "many lines":
        kinds = [f"row {number}" for number in range(200)]
        return "\n".join(rng.choices(kinds, k=20_000)), "\n".join(rng.choices(kinds, k=20_000))
    if kind == "few words":
        words = ["the", "rate", "of", "tax"]
        lines = [" ".join(rng.choices(words, k=400)) for _ in range(60)]
        return "\n".join(lines), "\n".join(f"{line[:700]} a {line[702:]}" for line in lines)
    lines = [f"line {number} says {number * 7 % 97}" for number in range(30_000)]
    changed = [line + " now" if number % 25 == 0 else line for number, line in enumerate(lines)]
    return "\n".join(lines), "\n".join(changed)


@pytest.mark.parametrize("kind", ["few lines", "many lines", "few words", "many changes"])
def test_comparing_is_bounded_whatever_is_in_the_texts(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The costs are counted: pairs of equal members, and members for each stretch compared."""
    costs: list[int] = []

    class Counting(difflib.SequenceMatcher[str]):
        def find_longest_match(self, *given: Any, **named: Any) -> difflib.Match:
            alo, ahi, _, _ = given
            costs.append(ahi - alo)
            places: dict[str, list[int]] = getattr(self, "b2j")  # noqa: B009
            lines: list[str] = getattr(self, "a")[alo:ahi]  # noqa: B009
            costs.append(sum(len(places.get(line, ())) for line in lines) // 16)
            return super().find_longest_match(*given)

    monkeypatch.setattr(document_diffs, "SequenceMatcher", Counting)
    before, after = make_repetitive(random.Random(5), kind)
    rows = list(mark_words(pair_texts(before, after)))
    assert [row.old.text for row in rows if row.old] == before.splitlines()
    assert [row.new.text for row in rows if row.new] == after.splitlines()
    assert sum(costs) < 5_000_000
