"""Only requests under the server's own name, and not from foreign pages, are answered."""

import aiohttp
import pytest

from assay.app import App
from assay.errors import ForeignRequest
from assay.server.own_names import OwnNames, find_own_names, refuse_foreign
from tests.server.sites import serving

LOCAL = find_own_names("127.0.0.1")
PUBLIC = find_own_names("0.0.0.0", ["assay.example", "Assay.Example:8443"])

GOOD = [
    (LOCAL, "localhost:8080", None),
    (LOCAL, "LOCALHOST", None),
    (LOCAL, "127.0.0.1:8080", "http://127.0.0.1:8080"),
    (LOCAL, "[::1]:8080", "http://[::1]:8080"),
    (LOCAL, "localhost", "http://localhost:80"),
    (PUBLIC, "192.0.2.7:8080", "http://192.0.2.7:8080"),
    (PUBLIC, "assay.example", "https://assay.example"),
    (PUBLIC, "127.0.0.1:8080", "https://assay.example"),
    (find_own_names("box.lan"), "box.lan:1", None),
]
BAD = [
    (LOCAL, "rebound.example", None),
    (LOCAL, "rebound.example:8080", "http://rebound.example:8080"),
    (LOCAL, "192.0.2.7", None),
    (LOCAL, "localhost.rebound.example", None),
    (LOCAL, "localhost@rebound.example", None),
    (LOCAL, "2130706433", None),
    (LOCAL, "0x7f.1", None),
    (LOCAL, "", None),
    (LOCAL, "localhost:8080", "http://rebound.example"),
    (LOCAL, "localhost:8080", "http://localhost:3000"),
    (LOCAL, "localhost:8080", "https://localhost.rebound.example"),
    (LOCAL, "localhost:8080", "null"),
    (LOCAL, "localhost:8080", "file://"),
    (LOCAL, "localhost:8080", "http://["),
    (PUBLIC, "rebound.example", None),
    (PUBLIC, "192.0.2.7", "https://assay.example:9999"),
]


def is_refused(own: OwnNames, host: str, origin: str | None) -> bool:
    try:
        refuse_foreign([host], [origin] if origin else [], own)
    except ForeignRequest:
        return True
    return False


@pytest.mark.parametrize(("own", "host", "origin"), GOOD)
def test_its_own_names_are_answered(own: OwnNames, host: str, origin: str | None) -> None:
    assert not is_refused(own, host, origin)


@pytest.mark.parametrize(("own", "host", "origin"), BAD)
def test_foreign_names_and_pages_are_refused(own: OwnNames, host: str, origin: str | None) -> None:
    assert is_refused(own, host, origin)


@pytest.mark.parametrize("hosts", [[], ["localhost", "localhost"]])
def test_a_request_has_one_host(hosts: list[str]) -> None:
    with pytest.raises(ForeignRequest):
        refuse_foreign(hosts, [], LOCAL)


@pytest.mark.parametrize("path", ["/health", "/releases", "/metrics", "/nothing", "/extract"])
@pytest.mark.parametrize(
    "headers", [{"Host": "rebound.example"}, {"Origin": "https://rebound.example"}]
)
async def test_the_server_refuses_them_everywhere(
    empty: App, path: str, headers: dict[str, str]
) -> None:
    async with serving(empty) as url, aiohttp.ClientSession(url) as session:
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            async with session.request(method, path, headers=headers) as answer:
                assert answer.status == 403
                assert (await answer.json())["code"] == "foreign_request"
