"""Bodies that are meant to stop the API, before anything parses them."""

import pytest
from starlette.testclient import TestClient

from assay.app import App
from tests.console.conftest import open_console

PLACE = "/api/questions/x/decision"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def client(empty: App) -> TestClient:
    return open_console(empty)


def keys(number: int) -> bytes:
    return b"{%b}" % b",".join(b'"k%d":1' % each for each in range(number))


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (keys(200_000), 413, "more than 10000 values"),
        (b"[" * 500_000 + b"]" * 500_000, 413, "more than 10000 values"),
        (b"[" * 5_000 + b"]" * 5_000, 400, "nested more than 32 levels"),
        (b'{"action":"approve","action":"reject"}', 400, "a field twice"),
        (b'{"action":"answer","answer":{"a":1,"a":2}}', 400, "a field twice"),
        (b"1" * 1_000_000, 400, "not valid JSON"),
        (b"{", 400, "not valid JSON"),
        (b"\xff\xfe", 400, "not valid JSON"),
        (b"x" * 5_000_000, 413, "more than 4000000 bytes"),
        (b'"' + b"\\u0041" * 600_000 + b'"', 400, "the request"),
        (b'{"action":"approve","note":"' + b"a" * 20_000 + b'"}', 400, "note"),
        (b"null", 400, "the request"),
    ],
    ids=["keys", "brackets", "deep", "twice", "twice-inside", "number", "cut", "bytes", "large",
         "escaped", "long", "null"],
)  # fmt: skip
def test_a_hostile_body_is_refused(client: TestClient, body: bytes, status: int, said: str) -> None:
    answer = client.post(PLACE, content=body, headers=JSON)
    assert (answer.status_code, answer.headers["Content-Type"]) == (
        status,
        "application/problem+json",
    )
    assert said in answer.json()["detail"]
    assert client.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_only_json_is_taken(client: TestClient, kind: str) -> None:
    answer = client.post(PLACE, content=b'{"action":"approve"}', headers={"Content-Type": kind})
    assert answer.status_code == 400
    assert answer.json()["advice"] == "Send JSON, with Content-Type: application/json."


def test_a_compressed_body_is_refused(client: TestClient) -> None:
    answer = client.post(PLACE, content=b"{}", headers=JSON | {"Content-Encoding": "gzip"})
    assert answer.status_code == 400 and "compressed" in answer.json()["detail"]


def test_a_form_with_too_many_fields_is_refused(client: TestClient) -> None:
    body = b"&".join(b"f%d=1" % each for each in range(5_000))
    for content in (body, b"f=" + b"%41" * 400_000):
        answer = client.post("/review/x", content=content, headers=FORM)
        assert answer.status_code == 413
        assert "1000 fields" in answer.text
    assert client.post("/review/x", content=b"<a/>", headers={"Content-Type": "text/xml"})
