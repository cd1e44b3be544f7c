"""Two texts, compared word by word."""

from hypothesis import given
from hypothesis import strategies as st

from assay.sdk.diffs import compare_words

TEXTS = st.text(st.sampled_from("ab \n"), max_size=60)


@given(TEXTS, TEXTS)
def test_the_pieces_are_both_texts(before: str, after: str) -> None:
    pieces = compare_words(before, after)
    assert "".join(p.text for p in pieces if p.kind != "added").split() == before.split()
    assert "".join(p.text for p in pieces if p.kind != "removed") == after


def test_what_is_equal_is_said_once() -> None:
    pieces = compare_words("a rate of 5 % applies", "a rate of 6 % applies")
    assert [(p.kind, p.text) for p in pieces] == [
        ("same", "a rate of"), ("removed", " 5"), ("added", " 6"), ("same", " % applies"),
    ]  # fmt: skip


def test_long_texts_are_not_compared() -> None:
    before, after = "a " * 4000, "b " * 4000
    assert [p.kind for p in compare_words(before, after)] == ["removed", "added"]
    assert [p.kind for p in compare_words(before, before)] == ["same"]
