"""Addresses have one spelling, and those that could deceive are refused."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AddressRefused, AssayError, InvalidInput, InvalidSetting
from assay.sources.addresses import WebAddress, display_url, parse_address
from assay.sources.guard import AddressGuard, describe_non_public_ip
from assay.sources.policy import FetchPolicy


@pytest.mark.parametrize(
    ("given_url", "asked"),
    [
        ("HTTP://Example.COM:80/a?b=c#d", "http://example.com/a?b=c"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com:8443", "https://example.com:8443/"),
        ("  https://example.com./x ", "https://example.com/x"),
        ("https://example.com/šk ola?q=č d", "https://example.com/%C5%A1k%20ola?q=%C4%8D%20d"),
        ("https://example.com/a%2Fb%7e", "https://example.com/a%2Fb%7e"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/../../a/..", "https://example.com/"),
        ("https://example.com//a/../b", "https://example.com//b"),
        ("https://šport.example/", "https://xn--port-f6a.example/"),
        ("http://[2606:4700::0:1111]:8080/a", "http://[2606:4700::1111]:8080/a"),
        ("https://example.com/\\evil", "https://example.com/%5Cevil"),
        ("https://example.com/\udcff", "https://example.com/%FF"),
    ],
)
def test_an_address_has_one_spelling(given_url: str, asked: str) -> None:
    assert parse_address(given_url).url == asked


@pytest.mark.parametrize(
    "url",
    [
        "", "nonsense", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)",
        "http://", "http:///a", "http://?x", "http://exa mple.com/", "http://example.com:port/",
        "http://example.com:99999/", "http://example.com:0/", "http://[::1", "http://[zz]/",
        "http://example.com\r\nHost: evil/", "http://exa\tmple.com/", "http://%31%32%37.0.0.1/",
        "http://a..b/", "http://-a.example/", "http://" + "a" * 300 + ".example/",
        "http://example.com\\@evil.example/", "http://[fe80::1%25eth0]/\ud800",
        "http://example.com/\ud800", "http://*.example.com/", "http://a%00b/",
    ],
)  # fmt: skip
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(InvalidInput):
        parse_address(url)


@pytest.mark.parametrize(
    "host", ["127.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1.1",
             "1.2.3.4.5", "127.0.0.0x1", "017700000001", "1.2.3.256", "１２７.1"],
)  # fmt: skip
def test_an_ip_address_is_spelt_in_the_common_way_or_refused(host: str) -> None:
    with pytest.raises(AddressRefused, match="unusual way"):
        parse_address(f"http://{host}/")


def test_foreign_digits_and_dots_are_seen_through() -> None:
    assert parse_address("http://１２７。0。0。1/").ip == ip_address("127.0.0.1")


def test_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(AddressRefused) as refused:
        parse_address("https://user:secret@example.com/a")
    assert "secret" not in str(refused.value)
    assert "https://…@example.com/a" in str(refused.value)


def test_what_is_shown_is_one_short_line() -> None:
    assert display_url("http://a\r\nb/" + "c" * 1000) == "http://a��b/" + "c" * 288 + "…"


@given(st.text(max_size=80), st.sampled_from(["", "http://", "https://", "http://[", "//"]))
def test_no_text_crashes_the_parser(text: str, start: str) -> None:
    try:
        found = parse_address(start + text)
    except AssayError:
        return
    assert found.url.isascii()
    assert parse_address(found.url) == found


@given(st.from_regex(r"/[a-z./?%&=ćž]{0,30}", fullmatch=True))
def test_an_address_that_was_taken_apart_once_stays_as_it_is(path: str) -> None:
    once = parse_address(f"https://example.com{path}")
    assert parse_address(once.url) == once
    assert "/../" not in once.url.partition("?")[0]


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
        "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192",
        "192.168.1.1", "198.18.0.1", "203.0.113.7", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1",
        "2001:0:53aa:64c:0:0:0:1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
        "100::1", "5f00::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_known(text: str) -> None:
    assert describe_non_public_ip(ip_address(text)) is not None


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "93.184.216.34", "172.32.0.1", "192.169.0.1", "2606:4700::1111",
             "::ffff:1.1.1.1", "64:ff9b::101:101", "2a00:1450:4001::5"],
)  # fmt: skip
def test_public_addresses_are_public(text: str) -> None:
    assert describe_non_public_ip(ip_address(text)) is None


def refused(url: str, **policy: object) -> str | None:
    """Why an address is refused, as the name alone tells it."""
    try:
        address: WebAddress = parse_address(url)
        AddressGuard(FetchPolicy(**policy)).check(address, address.url)  # type: ignore[arg-type]
    except AddressRefused as error:
        return error.what
    return None


@pytest.mark.parametrize(
    ("patterns", "url", "is_blocked"),
    [
        (("example.com",), "https://example.com/", True),
        (("example.com",), "https://www.example.com/", False),
        (("*.example.com",), "https://www.example.com/", True),
        (("*.example.com",), "https://a.b.example.com/", True),
        (("*.example.com",), "https://example.com/", False),
        (("*.example.com",), "https://notexample.com/", False),
        (("EXAMPLE.com.",), "https://example.COM./", True),
        (("šport.example",), "https://xn--port-f6a.example/", True),
        (("93.184.216.34",), "http://93.184.216.34/", True),
    ],
)
def test_hosts_are_blocked_by_name_or_below_a_name(
    patterns: tuple[str, ...], url: str, is_blocked: bool
) -> None:
    assert (refused(url, blocked_hosts=patterns) is not None) is is_blocked


def test_private_addresses_are_refused_unless_they_are_allowed() -> None:
    url = "http://10.1.2.3/"
    assert refused(url) == "http://10.1.2.3/ is at 10.1.2.3, a private address."
    assert refused(url, allow_private=True) is None
    assert refused(url, allow_private=("10.0.0.0/8",)) is None
    assert refused(url, allow_private=("10.1.2.3",)) is None
    assert refused(url, allow_private=("192.168.0.0/16", "intranet.example")) is not None
    assert refused("http://[::ffff:10.1.2.3]/", allow_private=("10.0.0.0/8",)) is None
    assert refused("http://[::1]/", allow_private=("10.0.0.0/8", "::1")) is None


def test_names_of_this_machine_are_refused_by_name() -> None:
    assert refused("http://localhost:8080/") is not None
    assert refused("http://a.localhost/") is not None
    assert refused("http://localhost:8080/", allow_private=("localhost",)) is None


def test_ports_of_other_protocols_are_refused() -> None:
    assert refused("http://example.com:25/") is not None
    assert refused("http://example.com:8080/") is None
    assert refused("https://example.com:80/") is None
    assert refused("http://intranet.example:81/", allow_private=("intranet.example",)) is None


def test_a_blocked_host_is_blocked_even_where_it_is_allowed_or_stands_elsewhere() -> None:
    blocked = {"blocked_hosts": ("a.example",)}
    assert refused("http://a.example/", allow_private=True, **blocked) is not None
    stand_in = {"a.example": "http://127.0.0.1:9"}
    assert refused("http://a.example/", hosts=stand_in, **blocked) is not None


@pytest.mark.parametrize("entry", ["", "*", "*.", "http://a.example/", "a*b.example", "a b"])
def test_a_pattern_that_means_nothing_is_an_invalid_setting(entry: str) -> None:
    with pytest.raises(InvalidSetting):
        AddressGuard(FetchPolicy(blocked_hosts=(entry,)))


@pytest.mark.parametrize("contact", ["a\r\nX-Evil: b", "š@example.com", "\x00"])
def test_a_contact_that_cannot_stand_in_a_header_is_an_invalid_setting(contact: str) -> None:
    with pytest.raises(InvalidSetting):
        FetchPolicy(contact=contact)
