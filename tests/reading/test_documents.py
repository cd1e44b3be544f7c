"""Reading any document."""

import pickle

import pytest

from assay.errors import ContentEmpty, ContentTooLarge, ContentUnsupported
from assay.model.content import ContentClass
from assay.reading.documents import read_document
from assay.reading.limits import ReadLimits


@pytest.mark.parametrize(
    ("data", "content_class", "text"),
    [
        (b"<!doctype html><p>Words</p>", ContentClass.HTML, "Words"),
        (b"\n<?xml version='1.0'?><a>Words</a>", ContentClass.XML, "Words"),
        (b'{"a": "Words"}', ContentClass.JSON, "a: Words"),
        (b"Words\r\n", ContentClass.TEXT, "Words\n"),
    ],
)
def test_each_class_has_its_reader(data: bytes, content_class: ContentClass, text: str) -> None:
    reading = read_document(data)
    assert (reading.content_class, reading.text) == (content_class, text)
    assert pickle.loads(pickle.dumps(reading)) == reading


def test_the_charset_of_the_sender_reaches_the_reader() -> None:
    assert (
        read_document("Članak šđžć, 5 %".encode("cp1250"), charset="windows-1250").encoding
        == "cp1250"
    )


@pytest.mark.parametrize(
    "data", [b"<html><script>fill()</script></html>", b"<a><b/></a>", b"[]", b'{"a": null}']
)
def test_a_document_without_text_is_refused_with_what_to_do(data: bytes) -> None:
    with pytest.raises(ContentEmpty, match="no text") as refused:
        read_document(data)
    assert refused.value.advice


def test_what_hid_the_text_is_in_the_reason() -> None:
    with pytest.raises(ContentEmpty, match="never closed"):
        read_document(b"<html><!-- everything is in a comment")


def test_a_document_that_is_too_large_is_not_looked_at() -> None:
    with pytest.raises(ContentTooLarge, match="has 101 bytes; at most 100"):
        read_document(b"x" * 101, ReadLimits(max_bytes=100))


def test_what_is_not_read_is_refused() -> None:
    with pytest.raises(ContentUnsupported, match="PNG"):
        read_document(b"\x89PNG\r\n\x1a\n")
