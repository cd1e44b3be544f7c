"""Bodies are unpacked in small steps, rightly, and bombs stay small."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterable
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ContentTooLarge, ContentUnsupported, FetchFailed
from assay.sources.decompression import STEP, BodyUnpacker, parse_codings
from tests.bad_site.behaviours import (
    iter_gzipped_zeros,
    send_bomb,
    send_packed_nothing,
    send_raw,
)
from tests.bad_site.site import Behaviour
from tests.llm.virtual import virtually
from tests.sources.sites import site_and_fetcher

TEXT = "Članak 1. Ovaj Zakon uređuje paušalno oporezivanje.\n".encode() * 3_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def through(codings: list[str], chunks: Iterable[bytes]) -> bytes:
    unpacker = BodyUnpacker(codings, "it")
    whole = b"".join(piece for chunk in chunks for piece in unpacker.feed(chunk))
    unpacker.finish()
    return whole


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("codings", "packed"),
    [
        ([], TEXT),
        (["gzip"], gzip.compress(TEXT)),
        (["x-gzip"], gzip.compress(TEXT)),
        (["deflate"], zlib.compress(TEXT)),
        (["deflate"], raw_deflate(TEXT)),
        (["gzip", "gzip"], gzip.compress(gzip.compress(TEXT))),
        (["deflate", "gzip"], zlib.compress(gzip.compress(TEXT))),
        (["gzip"], gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        (["gzip"], gzip.compress(TEXT) + bytes(5000)),
        (["gzip"], gzip.compress(TEXT) + b"\x1f"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 4096, 10**9])
def test_what_was_packed_comes_back(codings: list[str], packed: bytes, size: int) -> None:
    assert through(codings, cut(packed, size)) == TEXT


@given(
    st.binary(max_size=2000), st.integers(1, 300), st.integers(1, 4),
    st.sampled_from(["gzip", "deflate", "raw"]),
)  # fmt: skip
def test_any_bytes_come_back_however_they_are_cut(
    data: bytes, size: int, members: int, coding: str
) -> None:
    if coding == "gzip":
        packed, whole = gzip.compress(data) * members, data * members
    else:
        packed, whole = (raw_deflate if coding == "raw" else zlib.compress)(data), data
    assert through(["gzip" if coding == "gzip" else "deflate"], cut(packed, size)) == whole


@given(st.binary(max_size=500), st.sampled_from(["gzip", "deflate"]))
def test_rubbish_is_refused_plainly(data: bytes, coding: str) -> None:
    try:
        through([coding], [data])
    except FetchFailed as error:
        assert error.what.startswith("it ")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_an_end_that_comes_too_early_is_noticed(coding: str) -> None:
    packed = gzip.compress(TEXT) if coding == "gzip" else zlib.compress(TEXT)
    for length in (1, 5, len(packed) // 2, len(packed) - 1):
        with pytest.raises(FetchFailed, match="ended in the middle"):
            through([coding], [packed[:length]])
    with pytest.raises(FetchFailed):
        through(["gzip"], [gzip.compress(TEXT)[:-8] + bytes(8)])  # a wrong check sum


def test_no_body_at_all_is_whole() -> None:
    assert through(["gzip"], []) == b""
    assert through(["deflate", "gzip"], []) == b""


def test_no_piece_is_larger_than_a_step() -> None:
    bombs = {"gzip": gzip.compress(bytes(8 << 20)), "deflate": zlib.compress(bytes(8 << 20))}
    for coding, packed in bombs.items():
        pieces = [len(piece) for piece in BodyUnpacker([coding], "it").feed(packed)]
        assert max(pieces) <= STEP
        assert sum(pieces) == 8 << 20


@pytest.mark.parametrize("over", [1, 3, 4, 5, 6, 100])
def test_what_is_left_inside_after_a_full_step_comes_out(over: int) -> None:
    # All of the input is taken, and yet the last step was too short for all of the output.
    zeros = bytes(STEP + over)
    assert through(["deflate"], [raw_deflate(zeros)]) == zeros


def test_ten_gigabytes_of_zeros_take_little_memory() -> None:
    tracemalloc.start()
    try:
        unpacker = BodyUnpacker(["gzip"], "it")
        pieces = (piece for chunk in iter_gzipped_zeros(10_240) for piece in unpacker.feed(chunk))
        # As much as a document may have, and then some.
        assert sum(len(piece) for piece in islice(pieces, 1_000)) > 60_000_000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_many_empty_members_cost_no_more_than_their_bytes() -> None:
    packed = gzip.compress(b"") * 20_000
    assert through(["gzip"], cut(packed, 65_536)) == b""


def test_the_bomb_of_the_double_is_a_valid_file() -> None:
    assert gzip.decompress(b"".join(iter_gzipped_zeros(3))) == bytes(3 << 20)


def test_layers_are_undone_from_the_outermost() -> None:
    assert parse_codings("deflate, GZIP", "chunked") == ["gzip", "deflate"]
    assert parse_codings("", "identity") == []
    assert parse_codings("gzip", "deflate, chunked") == ["deflate", "gzip"]


def test_codings_that_nobody_asked_for_are_refused() -> None:
    for codings in (["br"], ["zstd"], ["gzip", "compress"], ["a" * 500]):
        with pytest.raises(ContentUnsupported, match="gzip, deflate was asked for"):
            BodyUnpacker(codings, "it")
    with pytest.raises(ContentUnsupported, match="compressed 3 times over"):
        BodyUnpacker(["gzip"] * 3, "it")


@pytest.mark.parametrize(
    "behaviour",
    [send_bomb(), send_bomb(coding="deflate"), send_bomb(layers=2), send_packed_nothing()],
    ids=["gzip", "deflate", "nested", "nothing"],
)
@virtually
async def test_a_bomb_is_stopped_at_the_size_of_a_document(behaviour: Behaviour) -> None:
    async with site_and_fetcher({"/a": behaviour}, max_bytes=3_000_000) as (site, fetcher):
        with pytest.raises(ContentTooLarge, match=r"/a has more than 3000000 bytes"):
            await fetcher.fetch(f"{site.url}/a")
        assert len(site.requests_for("/a")) == 1


@virtually
async def test_a_packed_page_is_an_answer_and_a_cut_one_is_none() -> None:
    packed = gzip.compress(TEXT)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\n"
    paths = {
        "/whole": send_raw(head + b"Content-Length: %d\r\n\r\n" % len(packed) + packed),
        "/cut": send_raw(head + b"Connection: close\r\n\r\n" + packed[:-100]),
        "/empty": send_raw(head + b"Content-Length: 0\r\n\r\n"),
        "/twice": send_raw(head + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(packed)),
    }
    async with site_and_fetcher(paths) as (site, fetcher):
        assert (await fetcher.fetch(f"{site.url}/whole")).body == TEXT
        assert (await fetcher.fetch(f"{site.url}/empty")).body == b""
        assert (await fetcher.fetch(f"{site.url}/twice")).body == TEXT
        with pytest.raises(FetchFailed, match="ended in the middle of its compressed body"):
            await fetcher.fetch(f"{site.url}/cut")
        assert site.requests_for("/whole")[0].headers["accept-encoding"] == "gzip, deflate"
