"""Text in the encoding that a page names."""

import pytest

from assay.model.markup import decode_markup


@pytest.mark.parametrize("name", [b"klingon", b"hex", b"-"])
def test_an_encoding_that_does_not_exist_is_read_as_utf_8(name: bytes) -> None:
    assert decode_markup(b'<meta charset="' + name + b'">' + "č".encode()).endswith("č")


@pytest.mark.parametrize("name", [b"undefined", b"idna"])
def test_a_codec_that_cannot_decode_text_is_read_as_utf_8(name: bytes) -> None:
    # charset="undefined" is what a careless script writes into a real page.
    assert decode_markup(b'<meta charset="' + name + b'">' + "č".encode()).endswith("č")
