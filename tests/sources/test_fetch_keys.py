"""Keys in addresses: sent where they belong, and seen nowhere else."""

import json

import pytest
from pydantic import SecretStr

from assay.errors import AssayError
from assay.sources.policy import add_key, remove_keys
from tests.bad_site import BadSite
from tests.bad_site.behaviours import echo, redirect, serve_page
from tests.llm.virtual import virtually
from tests.sources.sites import fetcher_with

KEYS = {"https://api.example/v1/nyc/": SecretStr("token=s%2F3%20cret")}


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.example/v1/nyc/Events", "?token=s%2F3%20cret"),
        ("https://api.example/v1/nyc/Events?$skip=1", "&token=s%2F3%20cret"),
        ("https://api.example/v1/nyc2/Events", ""),
        ("https://api.example/v1/nyc", ""),
        ("http://api.example/v1/nyc/Events", ""),
        ("https://api.example.evil/v1/nyc/Events", ""),
    ],
)
def test_a_key_is_for_its_prefix_only(url: str, sent: str) -> None:
    assert add_key(KEYS, url) == url + sent


@pytest.mark.parametrize(
    ("location", "left"),
    [
        ("/v1/nyc/?token=s%2F3%20cret", "/v1/nyc/"),
        ("/v1/?a=1&token=s/3 cret&b=2#c", "/v1/?a=1&b=2#c"),
        ("https://other.example/?token=s%2F3%20cret#c", "https://other.example/#c"),
        ("/v1/?token=another", "/v1/?token=another"),
    ],
)
def test_a_key_that_a_redirect_repeats_is_removed(location: str, left: str) -> None:
    assert remove_keys(KEYS, location) == left


@virtually
async def test_a_key_is_sent_and_not_kept() -> None:
    paths = {
        "/v1/nyc/a": redirect("/v1/nyc/b?x=1&token=s3cret"),
        "/v1/nyc/b": echo(),
        "/v1/nyc/out": redirect("/elsewhere?token=s3cret"),
        "/elsewhere": echo(),
        "/v1/nyc/off": serve_page(b"no", status=503),
    }
    async with BadSite(paths) as site:
        keys = {f"{site.url}/v1/nyc/": SecretStr("token=s3cret")}
        async with fetcher_with(site_keys=keys, retries=0) as fetcher:
            answer = await fetcher.fetch(f"{site.url}/v1/nyc/a")
            assert json.loads(answer.body)["path"] == "/v1/nyc/b?x=1&token=s3cret"
            assert answer.final_url == f"{site.url}/v1/nyc/b?x=1"
            assert site.requests_for("/v1/nyc/a")[0].path == "/v1/nyc/a?token=s3cret"
            answer = await fetcher.fetch(f"{site.url}/v1/nyc/out")
            assert json.loads(answer.body)["path"] == "/elsewhere"
            with pytest.raises(AssayError) as caught:
                await fetcher.fetch(f"{site.url}/v1/nyc/off")
            assert "s3cret" not in f"{caught.value!r} {answer!r} {keys!r}"
            assert all("token" not in seen.path for seen in site.requests_for("/robots.txt"))
