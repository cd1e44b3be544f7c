"""The difference between two texts: which lines, and which words in them."""

import random

from assay.app.document_diffs import DiffKind, diff_texts

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
