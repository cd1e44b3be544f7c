"""Copies, near-copies and versions."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.months import list_month_numbers
from assay.reading.similarity import (
    BANDS,
    Kinship,
    Resemblance,
    Signature,
    compute_signature,
    find_original,
    find_resemblances,
    is_decisive,
)
from assay.reading.words import find_names, split_words

_VOCABULARY = [f"w{chr(97 + a)}{chr(97 + b)}" for a in range(26) for b in range(26)]


def text(seed: int, words: int = 600) -> list[str]:
    """Words without a figure, so that only a test's own edits decide."""
    rng = random.Random(seed)
    return [rng.choice(_VOCABULARY) for _ in range(words)]


def edited(words: list[str], share: float, seed: int = 1) -> list[str]:
    """Some words replaced by others that mean as little."""
    rng = random.Random(seed)
    changed = list(words)
    for at in rng.sample(range(len(words)), round(share * len(words))):
        changed[at] = f"z{rng.choice(_VOCABULARY)}"
    return changed


def jaccard(first: list[str], second: list[str]) -> float:
    one, two = (set(zip(*(words[n:] for n in range(4)), strict=False)) for words in (first, second))
    return len(one & two) / len(one | two)


LAW = split_words(
    "Obveznik plaća porez po stopi od 25 % u roku od 15 dana. Nije dopuštena žalba. "
    + " ".join(text(3, 200))
)


def kinship_after(old: str, new: str) -> Kinship | None:
    changed = [new if word == old else word for word in LAW]
    assert changed != LAW
    found = compute_signature(LAW).kinship_with(compute_signature(changed))
    return found[0] if found else None


def test_layout_and_typography_make_no_difference() -> None:
    plain = compute_signature(
        split_words("The rate is 25 %, paid  within 15 days: office of finance.")
    )
    fancy = compute_signature(
        split_words("THE rate is\n25\xa0%; paid within 15 days – o\xadffice of ﬁnance")
    )
    assert plain == fancy
    assert plain.kinship_with(fancy) == (Kinship.COPY, 1.0)


@pytest.mark.parametrize(
    ("old", "new"),
    [("25", "23"), ("15", "8"), ("nije", "je"), ("%", "eura"), ("plaća", "ne")],
)
def test_a_changed_figure_or_negation_makes_a_version(old: str, new: str) -> None:
    assert kinship_after(old, new) is Kinship.VERSION


def test_another_name_makes_a_version() -> None:
    decision = " ".join(text(9, 200)) + ". Za ravnatelja je izabran Ivan Horvat, dipl. iur."
    other = decision.replace("Ivan Horvat", "Marko Babić")
    one, two = (compute_signature(split_words(t), find_names(t)) for t in (decision, other))
    found = one.kinship_with(two)
    assert found is not None
    assert found[0] is Kinship.VERSION


def test_names_are_capital_words_within_a_sentence() -> None:
    assert find_names("Stopa je ista. Ovo je Grad Zagreb, a to (i) Ćuk.\nNovi red") == [
        "Grad",
        "Zagreb",
        "Ćuk",
    ]


def test_another_word_makes_a_near_copy() -> None:
    assert kinship_after("žalba", "pritužba") is Kinship.NEAR_COPY


_DECISIVE = """
25 1.000,50 2024. 12/2024 § % € nije nema bez not no without nicht kein keine must may shall mora
smije može dužan darf muss siječnja march märz dvadeset twenty zwanzig najmanje höchstens least
eura kuna prozent"""


@pytest.mark.parametrize("word", _DECISIVE.split())
def test_figures_and_words_that_decide_are_decisive(word: str) -> None:
    assert is_decisive(word)


def test_every_form_of_a_month_is_decisive() -> None:
    # Two deadlines may differ only in `31 Jan` and `31 Mar`.
    forms = [*list_month_numbers(), "siječnjem", "veljačom", "prosincem"]
    assert [form for form in forms if not is_decisive(form)] == []


@pytest.mark.parametrize("word", ["porez", "the", "der", "zgrada", "gebäude", "i", "and"])
def test_other_words_are_not(word: str) -> None:
    assert not is_decisive(word)


def test_the_order_of_figures_does_not_matter_but_their_number_does() -> None:
    one, two, three = (
        compute_signature(split_words(t)) for t in ("a 5 b 7 c", "a 7 b 5 c", "a 5 b 7 7 c")
    )
    assert one.figures == two.figures
    assert one.figures != three.figures
    assert one.words != two.words


@pytest.mark.parametrize("share", [0.0, 0.005, 0.02, 0.05, 0.1, 0.3])
def test_the_estimated_share_is_close_to_the_true_one(share: float) -> None:
    words = text(11, 1500)
    other = edited(words, share)
    estimate = compute_signature(words).similarity_to(compute_signature(other))
    assert estimate == pytest.approx(jaccard(words, other), abs=0.12)


def test_near_documents_share_a_band_and_strangers_none() -> None:
    found = 0
    for seed in range(60):
        words = text(seed, 500)
        near, stranger = edited(words, 0.01, seed), text(1000 + seed, 500)
        bands = set(compute_signature(words).compute_bands())
        assert len(bands) == BANDS
        found += bool(bands & set(compute_signature(near).compute_bands()))
        assert not bands & set(compute_signature(stranger).compute_bands())
    assert found == 60


def test_band_keys_fit_a_signed_column_of_64_bits() -> None:
    keys = [key for seed in range(20) for key in compute_signature(text(seed, 50)).compute_bands()]
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert min(keys) < 0 < max(keys)


def test_a_signature_survives_storage() -> None:
    signature = compute_signature(LAW)
    stored = signature.to_bytes()
    assert len(stored) == 529
    assert Signature.from_bytes(stored) == signature
    with pytest.raises(ValueError, match="another version"):
        Signature.from_bytes(b"\x00" + stored[1:])


def test_a_signature_is_the_same_in_every_process() -> None:
    # Stored signatures are compared with those of later runs: this one must never change.
    signature = compute_signature(
        split_words("Stopa poreza iznosi 25 % i plaća se do 20. u mjesecu.")
    )
    assert signature.words.hex() == "e6f66a940302ad3959a3c65eca7ce0de"
    assert signature.figures.hex() == "826ed55c49c1338e"
    assert signature.compute_bands()[:2] == (-2295556631078704551, -6178160897690231562)


@pytest.mark.parametrize("words", [[], ["one"], ["one", "two", "three"]])
def test_the_shortest_texts_have_a_signature(words: list[str]) -> None:
    assert compute_signature(words).kinship_with(compute_signature(words)) == (Kinship.COPY, 1.0)
    assert compute_signature(words).kinship_with(compute_signature(text(1, 50))) is None


def test_the_least_id_is_the_original_and_a_version_never_is() -> None:
    related = [
        Resemblance("b", Kinship.NEAR_COPY, 0.95),
        Resemblance("a", Kinship.VERSION, 0.99),
        Resemblance("d", Kinship.COPY, 1.0),
    ]
    assert find_original("c", related) == related[0]
    assert find_original("b2", related) == related[0]
    assert find_original("a2", related) is None
    assert find_original("c", []) is None


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.permutations(["e1", "e2", "e3", "e4"]))
def test_everybody_agrees_on_the_original_in_whatever_order(order: list[str]) -> None:
    base = text(5, 400)
    documents = {
        "e1": base,
        "e2": edited(base, 0.005),
        "e3": base,
        "e4": [*base[:-1], "25"],
    }
    signatures = {name: compute_signature(documents[name]) for name in order}
    originals = {
        name: found.evidence_id if (found := find_original(name, near)) else None
        for name in order
        if (near := find_resemblances(name, signatures[name], signatures)) is not None
    }
    assert originals == {"e1": None, "e2": "e1", "e3": "e1", "e4": None}
    others = find_resemblances("e4", signatures["e4"], signatures)
    assert [(found.evidence_id, found.kinship) for found in others] == [
        (name, Kinship.VERSION) for name in ("e1", "e2", "e3")
    ]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.text(max_size=200), st.text(max_size=200))
def test_likeness_is_mutual(first: str, second: str) -> None:
    one, two = compute_signature(split_words(first)), compute_signature(split_words(second))
    assert one.kinship_with(two) == two.kinship_with(one)
