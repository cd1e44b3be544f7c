"""Vectors of words: alike for what is alike, and the same everywhere."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.hashes import content_hash
from assay.ruling.release.vectors import (
    DIMENSIONS,
    compute_similarity,
    compute_vector,
    pack_vector,
)

RATE = "Opća stopa poreza na dodanu vrijednost iznosi 25 %."


def test_the_same_words_give_the_same_vector_everywhere() -> None:
    # Whoever changes how it is made must give the model another name.
    assert content_hash(pack_vector(compute_vector(RATE)).encode())[:16] == "2aa60c1da9b4e45c"


def test_what_is_alike_is_nearer_than_what_is_not() -> None:
    near = compute_similarity(
        compute_vector(RATE), compute_vector("Stope poreza na dodanu vrijednost")
    )
    far = compute_similarity(
        compute_vector(RATE), compute_vector("Registrierkassen müssen versiegelt sein")
    )
    assert near > 0.4 > 0.2 > far


def test_case_and_white_space_do_not_matter() -> None:
    assert compute_vector(RATE) == compute_vector(f"  {RATE.upper()}\n".replace(" ", "\u00a0 "))


@given(st.text(max_size=80))
def test_a_vector_has_length_one_or_none_and_survives_the_store(text: str) -> None:
    vector = compute_vector(text)
    assert len(vector) == DIMENSIONS
    length = math.sqrt(math.fsum(place * place for place in vector))
    assert length == pytest.approx(1.0) or (length == 0.0)
    kept = struct.unpack(f"<{DIMENSIONS}f", bytes.fromhex(pack_vector(vector)))
    assert kept == pytest.approx(vector, abs=1e-6)
    assert pack_vector(kept) == pack_vector(vector)
