"""What is connected is what was checked: no name, no look-up and no wrapping gets around it."""

import socket
from typing import Any

import pytest

from assay.errors import AddressRefused, FetchFailed
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.guard import AddressGuard, GuardedResolver, PrivateAddressError
from tests.bad_site.behaviours import redirect, serve_page
from tests.bad_site.site import BadSite
from tests.llm.virtual import virtually
from tests.sources.sites import NameBook

PUBLIC = "93.184.216.34"


def fetcher_for(names: NameBook, **policy: Any) -> Fetcher:
    given = {"respect_robots": False, "retries": 0, "host_gap_s": 0.0, **policy}
    return Fetcher(FetchPolicy(**given), resolver=names)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "64:ff9b::7f00:1",
     "fe80::1", "0.0.0.0"],
)  # fmt: skip
async def test_a_name_that_leads_inward_is_refused_and_nobody_is_asked(address: str) -> None:
    async with BadSite({"/": serve_page()}) as site:
        async with fetcher_for(NameBook({"evil.example": [[address]]})) as fetcher:
            url = f"http://evil.example:{site.port}/"
            with pytest.raises(AddressRefused) as refused:
                await fetcher.fetch(url)
            assert refused.value.what.startswith(f"{url} leads to {address}, a")
            assert "fetch_allow_private" in refused.value.advice
        assert site.connections == 0


async def test_a_name_that_changes_its_mind_wins_nothing() -> None:
    """Public when it is first looked up, loopback when it is connected (DNS rebinding)."""
    names = NameBook({"evil.example": [[PUBLIC], ["127.0.0.1"]]})
    guard = AddressGuard(FetchPolicy())
    resolver = GuardedResolver(guard, names)
    (first,) = await resolver.resolve("evil.example", 80)
    assert first["host"] == PUBLIC
    with pytest.raises(PrivateAddressError):
        await resolver.resolve("evil.example", 80)
    async with BadSite({"/": serve_page()}) as site:
        async with fetcher_for(names) as fetcher:
            with pytest.raises(AddressRefused):
                await fetcher.fetch(f"http://evil.example:{site.port}/")
        assert site.connections == 0


async def test_of_several_addresses_the_public_ones_are_left() -> None:
    names = NameBook({"both.example": [["127.0.0.1", PUBLIC, "10.0.0.1"]]})
    found = await GuardedResolver(AddressGuard(FetchPolicy()), names).resolve("both.example", 80)
    assert [entry["host"] for entry in found] == [PUBLIC]


@pytest.mark.parametrize(
    "allowed", [True, ("intranet.example",), ("*.example",), ("127.0.0.0/8",), ("127.0.0.1",)]
)
async def test_a_private_host_that_is_allowed_is_asked(allowed: bool | tuple[str, ...]) -> None:
    names = NameBook({"intranet.example": [["127.0.0.1"]], "evil.test": [["127.0.0.1"]]})
    async with BadSite({"/": serve_page(b"inner")}) as site:
        async with fetcher_for(names, allow_private=allowed) as fetcher:
            answer = await fetcher.fetch(f"http://intranet.example:{site.port}/")
            assert answer.body == b"inner"
            if isinstance(allowed, tuple) and "example" in allowed[0]:
                with pytest.raises(AddressRefused):
                    await fetcher.fetch(f"http://evil.test:{site.port}/")


async def test_an_address_that_one_name_was_granted_is_not_granted_to_others() -> None:
    names = NameBook({"evil.example": [["127.0.0.1"]]})
    async with BadSite({"/": serve_page()}) as site:
        policy = {"hosts": {"mine.example": site.url}}
        async with fetcher_for(names, **policy) as fetcher:
            assert (await fetcher.fetch("http://mine.example/")).status == 200
            for url in (f"http://evil.example:{site.port}/", f"{site.url}/"):
                with pytest.raises(AddressRefused):
                    await fetcher.fetch(url)
        assert len(site.seen) == 1


async def test_a_stand_in_may_have_a_name() -> None:
    names = NameBook({"localhost": [["127.0.0.1"]]})
    async with BadSite({"/": serve_page()}) as site:
        base = f"http://localhost:{site.port}"
        async with fetcher_for(names, hosts={"mine.example": base}) as fetcher:
            assert (await fetcher.fetch("http://mine.example/")).status == 200
            with pytest.raises(AddressRefused):
                await fetcher.fetch(f"{base}/")


def test_the_socket_is_the_last_to_look() -> None:
    """Even an address that came past the look-up of names is not connected."""
    guard = AddressGuard(FetchPolicy(allow_private=("192.168.0.0/16",)))
    info = (socket.AF_INET, socket.SOCK_STREAM, 0, "")
    for target in ("127.0.0.1", "10.0.0.1", "::1", "nonsense"):
        with pytest.raises(PrivateAddressError):
            guard.open_socket((*info, (target, 80)))
    for target in (PUBLIC, "192.168.1.1"):
        guard.open_socket((*info, (target, 80))).close()


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    async with BadSite({"/": serve_page(b"direct")}) as site:
        async with fetcher_for(NameBook({}), allow_private=True) as fetcher:
            assert (await fetcher.fetch(site.url)).body == b"direct"


@virtually
async def test_a_server_without_a_certificate_is_not_believed() -> None:
    async with BadSite({"/": serve_page()}) as site:
        async with fetcher_for(NameBook({}), allow_private=True) as fetcher:
            with pytest.raises(FetchFailed):
                await fetcher.fetch(f"https://127.0.0.1:{site.port}/")


@virtually
async def test_a_name_that_leads_inward_is_refused_also_where_robots_are_respected() -> None:
    """The robots.txt is what is asked for first; a refusal of it is not a passing fault."""
    async with BadSite({"/": serve_page()}) as site:
        names = NameBook({"evil.example": [["127.0.0.1"]]})
        async with fetcher_for(names, respect_robots=True, retries=2) as fetcher:
            url = f"http://evil.example:{site.port}/"
            for _ in range(2):
                with pytest.raises(AddressRefused) as refused:
                    await fetcher.fetch(url)
                assert refused.value.what.startswith(f"{url} is not requested: ")
                assert "leads to 127.0.0.1, a loopback address" in refused.value.what
                assert "fetch_allow_private" in refused.value.advice
            assert names.asked == ["evil.example"]
        assert site.connections == 0


@pytest.mark.parametrize("robots", [True, False])
@virtually
async def test_the_name_of_a_stand_in_is_open_to_nobody_else(robots: bool) -> None:
    """Neither a link nor a redirect leads to the user's own server, at whatever port."""
    names = NameBook({"intranet.example": [["127.0.0.1"]]})
    async with BadSite({"/": serve_page(), "/secret": serve_page(b"secret")}) as other:
        async with BadSite({"/": serve_page(), "/secret": serve_page(b"secret")}) as site:
            base = f"http://intranet.example:{site.port}"
            inner = [f"{base}/secret", f"http://intranet.example:{other.port}/secret"]
            for number, url in enumerate(inner):
                site.paths[f"/{number}"] = redirect(url)
            policy = {"hosts": {"mine.example": base}, "respect_robots": robots}
            async with fetcher_for(names, **policy) as fetcher:
                assert (await fetcher.fetch("http://mine.example/")).status == 200
                # The connection to the stand-in is open by now, and must not be shared.
                for url in (*inner, "http://mine.example/0", "http://mine.example/1"):
                    with pytest.raises(AddressRefused, match=r"leads to 127\.0\.0\.1"):
                        await fetcher.fetch(url)
            assert site.requests_for("/secret") == []
        assert other.connections == 0


async def test_the_name_of_a_stand_in_can_be_allowed_to_everybody() -> None:
    names = NameBook({"intranet.example": [["127.0.0.1"]]})
    async with BadSite({"/": serve_page()}) as site:
        base = f"http://intranet.example:{site.port}"
        allowed = {"hosts": {"mine.example": base}, "allow_private": ("intranet.example",)}
        async with fetcher_for(names, **allowed) as fetcher:
            for url in ("http://mine.example/", f"{base}/"):
                assert (await fetcher.fetch(url)).status == 200
