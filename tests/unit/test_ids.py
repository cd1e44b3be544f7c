"""Ids and hashes: the same wherever and whenever they are made, and never shared."""

import hashlib
import json
import re
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from assay.clock import SystemClock, TurnedClock, utc_stamp
from assay.errors import InvalidInput
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import (
    derive_evidence_id,
    derive_id,
    derive_item_id,
    doc_id_of_url,
    make_run_id,
    normalise_url,
)

MODEST = settings(derandomize=True, deadline=None, max_examples=200)

separators = st.sampled_from(["\x1f", "\x1e", "0", "1", "a", ""])
parts = st.lists(
    st.one_of(st.text(max_size=8), st.lists(separators, max_size=5).map("".join)),
    min_size=1,
    max_size=4,
)
hosts = st.one_of(
    st.from_regex(r"[A-Za-z][A-Za-z0-9.-]{0,12}[A-Za-z0-9]\.?", fullmatch=True),
    st.just("[::1]"),
    st.just("ČAKOVEC.hr"),
)
addresses = st.builds(
    "{}{}://{}{}{}{}{}{}".format,
    st.sampled_from(["", " ", "\n"]),
    st.sampled_from(["http", "https", "HTTP"]),
    hosts,
    st.sampled_from(["", ":", ":80", ":443", ":8080"]),
    st.one_of(st.just(""), st.text(max_size=12).map(lambda path: f"/{path}")),
    st.one_of(st.just(""), st.text(max_size=16).map(lambda query: f"?{query}")),
    st.one_of(st.just(""), st.text(max_size=6).map(lambda fragment: f"#{fragment}")),
    st.sampled_from(["", " ", "\u2003"]),
)


@MODEST
@given(parts, parts)
@example(["a\x1f", "b"], ["a", "\x1fb"])
@example(["a", "", "b"], ["a\x1fb"])
@example(["a\x1e1b"], ["a", "b"])
@example(["\x1e0"], ["\x1e"])
@example(["", ""], [""])
def test_ids_are_equal_exactly_when_their_parts_are(one: list[str], two: list[str]) -> None:
    assert (derive_id("x", *one) == derive_id("x", *two)) == (one == two)


@MODEST
@given(st.text(max_size=20), st.data())
def test_cutting_a_text_elsewhere_gives_another_id(text: str, data: st.DataObject) -> None:
    here = data.draw(st.integers(0, len(text)))
    there = data.draw(st.integers(0, len(text)))
    assume(here != there)
    assert derive_id("x", text[:here], text[here:]) != derive_id("x", text[:there], text[there:])


def test_an_id_is_its_prefix_and_24_digits_that_never_change() -> None:
    assert re.fullmatch(r"ev_[0-9a-f]{24}", derive_id("ev", "a", "b"))
    # Stored ids depend on this very value.
    assert derive_id("ev", "a", "b") == "ev_" + hashlib.sha256(b"a\x1fb").hexdigest()[:24]
    assert derive_id("it", "a", "b") != derive_id("ev", "a", "b")


def test_evidence_is_told_apart_by_address_and_by_content() -> None:
    ids = {derive_evidence_id(url, content) for url in ("u1", "u2") for content in ("h1", "h2")}
    assert len(ids) == 4
    assert derive_evidence_id("u1", "h1") in ids
    assert derive_item_id("e", "u") == derive_item_id("e", "u") != derive_item_id("e2", "u")


@MODEST
@given(addresses)
@example("http://h/a #fragment")
@example("http://h/a\x85#fragment")
@example("http://[::1]:8080/")
@example("http://h/?b=2&a=%e8&a=1&c")
def test_normalising_again_changes_nothing(url: str) -> None:
    once = normalise_url(url)
    assert normalise_url(once) == once
    assert doc_id_of_url(once) == doc_id_of_url(url)


@MODEST
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=4), st.data())
def test_the_order_of_the_query_does_not_matter_and_no_field_is_lost(
    fields: list[tuple[str, str]], data: st.DataObject
) -> None:
    def written(pairs: list[tuple[str, str]]) -> str:
        return "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs)

    shuffled = data.draw(st.permutations(fields))
    one = normalise_url(f"http://h/?{written(fields)}")
    assert one == normalise_url(f"http://h/?{written(shuffled)}")
    assert parse_qsl(urlsplit(one).query, keep_blank_values=True) == sorted(fields)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.HR/A", "http://example.hr/A"),
        ("http://example.hr", "http://example.hr/"),
        ("http://example.hr.:80/", "http://example.hr/"),
        ("https://example.hr:443/a", "https://example.hr/a"),
        ("https://example.hr:80/a", "https://example.hr:80/a"),
        ("http://user:secret@example.hr/a", "http://example.hr/a"),
        ("http://example.hr/a#b", "http://example.hr/a"),
        ("http://example.hr/?b=2&a=1", "http://example.hr/?a=1&b=2"),
        ("http://example.hr/?a=", "http://example.hr/?a="),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://example.hr/č a", "http://example.hr/%C4%8D%20a"),
        ("http://example.hr/%C4%8D%20a", "http://example.hr/%C4%8D%20a"),
    ],
)
def test_an_address_has_one_spelling(url: str, expected: str) -> None:
    assert normalise_url(url) == expected


def test_query_bytes_of_an_old_encoding_are_kept_as_they_are() -> None:
    # Many Croatian sites still write č as %e8 (Windows-1250); each is a document of its own.
    assert normalise_url("http://h/?q=%e8") == "http://h/?q=%E8"
    assert doc_id_of_url("http://h/?q=%e8") != doc_id_of_url("http://h/?q=%e6")


@pytest.mark.parametrize("url", ["http://h:99999/", "http://h:x/", "http://[::1/", "http://℀/"])
def test_what_is_no_address_is_refused_in_plain_words(url: str) -> None:
    with pytest.raises(InvalidInput, match="is not an address"):
        normalise_url(url)


def test_a_document_id_is_the_hash_of_the_normalised_address() -> None:
    expected = hashlib.sha256(b"http://example.hr/a").hexdigest()
    assert doc_id_of_url("HTTP://EXAMPLE.hr:80/a#top") == f"url:{expected}"


def test_the_one_hash_function_is_sha256_in_hexadecimal() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert content_hash(b"") == empty
    assert content_hash(b"a") != content_hash(b"b")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@MODEST
@given(st.dictionaries(st.text(max_size=4), json_values, max_size=5))
def test_equal_values_give_equal_bytes_whatever_the_order_of_their_keys(
    value: dict[str, object],
) -> None:
    turned = dict(reversed(value.items()))
    assert canonical_json(value) == canonical_json(turned)
    assert json.loads(canonical_json(value)) == value


def test_canonical_json_has_no_spare_white_space_and_keeps_letters() -> None:
    assert canonical_json({"b": [1, 2], "a": "č"}) == '{"a":"č","b":[1,2]}'.encode()


def test_a_run_id_begins_with_its_moment_and_is_unique() -> None:
    made = {make_run_id(1_700_000_000_000) for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch(r"20231114T221320Z-[0-9a-f]{6}", run_id) for run_id in made)


def test_a_turned_clock_stands_still_until_it_is_turned() -> None:
    clock = TurnedClock(1000)
    assert clock.now_ms() == clock.now_ms() == 1000
    clock.turn(seconds=1.5, days=1)
    assert clock.now_ms() == 1000 + 1500 + 86_400_000


def test_the_system_clock_tells_milliseconds_of_this_age() -> None:
    assert utc_stamp(SystemClock().now_ms()) > "20240101T000000Z"
