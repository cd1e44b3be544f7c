"""Requests that are meant to stop a server: each is a name, its bytes, and how they are sent."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from tests.packs.graph.provider import ONTOLOGY, TEXT

FULL = 3_990_000
"""Just less than the largest body that is accepted."""
MANY = 600
"""More clients than the server has connections for."""
_NUMBERS = count()
AUTH = b"Authorization: Bearer %b\r\n" % (b"hostile-" * 5)
_HEAD = b"POST /extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_GET = b"GET %b HTTP/1.1\r\nHost: localhost\r\n%b\r\n"


@dataclass(frozen=True)
class Hostile:
    """One hostile request, or many of the same."""

    name: str
    build: Callable[[], bytes]
    clients: int = 1
    """How many connections send it at the same time."""
    pause_s: float = 0.0
    """How long it waits after each byte of its last hundred."""
    reads: bool = True
    """Whether it reads the answer."""
    before: Callable[[], bytes] | None = None
    """What is sent first, once, and answered."""
    must_drop: bool = False
    """Whether the server must disconnect each of its clients."""


def post(body: bytes, extra: bytes = b"") -> bytes:
    """A request with a body."""
    close = b"Connection: close\r\n"
    return b"%b%b%bContent-Length: %d\r\n\r\n%b" % (_HEAD, close, extra, len(body), body)


def decide(body: bytes) -> bytes:
    """A decision, which the API checks before anything parses it."""
    head = _HEAD.replace(b"/extract", b"/api/questions/x/decision")
    return b"%bConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (head, len(body), body)


def get(path: bytes, extra: bytes = b"Connection: close\r\n") -> bytes:
    return _GET % (path, extra)


def order(**fields: Any) -> bytes:
    """An order that no model is asked about."""
    given = {"text": TEXT, "model": False, **fields}
    # Never the same twice: a result that is already stored costs nothing.
    given["text"] = f"{next(_NUMBERS)}. {given['text']}"[:200_000]
    if "ontology_name" not in given:
        given.setdefault("ontology", ONTOLOGY)
    return json.dumps(given).encode()


def fill(begin: bytes, repeated: bytes, end: bytes, count: int = FULL) -> bytes:
    """A body of that many bytes."""
    times = (count - len(begin) - len(end)) // len(repeated)
    return begin + repeated * times + end


def keys(number: int) -> bytes:
    return b"{%b}" % b",".join(b'"k%d":1' % each for each in range(number))


def chunked(chunks: Iterator[bytes], end: bytes = b"0\r\n\r\n") -> bytes:
    sent = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return b"%bConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n%b%b" % (_HEAD, sent, end)


def classes(count: int, deep: bool = False) -> str:
    """An ontology of many classes, side by side or below each other."""
    lines = ["@prefix : <urn:x:> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for number in range(count):
        above = f"; r:subClassOf :C{number - 1}" if deep and number else ""
        lines.append(f':C{number} a r:Class; r:label "class number {number}"@en{above} .')
    return "\n".join(lines)


def namesakes(count: int) -> str:
    """An ontology of many classes with the same name."""
    begin = "@prefix : <urn:x:> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."
    return begin + "".join(f':C{n} a r:Class;r:label "Ada Byron".' for n in range(count))


def entity_bomb() -> str:
    names = "".join(
        f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' if number else '<!ENTITY e0 "ha">'
        for number in range(10)
    )
    return f'<?xml version="1.0"?><!DOCTYPE r [{names}]><r>&e9;</r>'


NAMES = " ".join(f"Ada Lovelace met Charles Babbage {n} in London." for n in range(9_000))
NAMESAKES = " ".join(f"Ada Byron met Ada Byron {n} in London." for n in range(3_000))
CAPITALS = " ".join(f"Name{n} Of{n}" for n in range(30_000))

BODIES = (
    Hostile("200,000 unknown keys", lambda: post(keys(200_000))),
    Hostile("1,000,000 unknown keys", lambda: post(keys(1_000_000))),
    Hostile("9,000 unknown keys, within the limit", lambda: post(keys(9_000))),
    Hostile("a list of two million numbers", lambda: post(fill(b"[", b"1,", b"1]"))),
    Hostile("a list of a million objects", lambda: post(fill(b"[", b"{},", b"{}]"))),
    Hostile("lists four million deep", lambda: post(b"[" * FULL)),
    Hostile("objects 660,000 deep", lambda: post(fill(b"", b'{"a":', b"1"))),
    Hostile(
        "lists 30 deep, 300 times",
        lambda: post(fill(b"[", b"[" * 30 + b"]" * 30 + b",", b"1]", 18_000)),
    ),
    Hostile("a field 250,000 times", lambda: post(fill(b"{", b'"text":"a",', b'"text":"b"}'))),
    Hostile("a key of four million bytes", lambda: post(fill(b'{"', b"k", b'":1}'))),
    Hostile("a text of four million letters", lambda: post(fill(b'{"text":"', b"a", b'"}'))),
    Hostile("a text of line breaks", lambda: post(fill(b'{"text":"', b"\\n", b'"}'))),
    Hostile("a text of escaped quotes", lambda: post(fill(b'{"text":"', b'\\"', b'"}'))),
    Hostile("a text of backslashes", lambda: post(fill(b'{"text":"', b"\\\\", b'"}'))),
    Hostile("a text of escaped letters", lambda: post(fill(b'{"text":"', b"\\u0161", b'"}'))),
    Hostile("a text of halves of characters", lambda: post(fill(b'{"text":"', b"\\ud800", b'"}'))),
    Hostile("a whole number of four million digits", lambda: post(fill(b'{"tokens":', b"9", b"}"))),
    Hostile("a fraction of four million digits", lambda: post(fill(b'{"tokens":0.', b"1", b"}"))),
    Hostile("an exponent of four million digits", lambda: post(fill(b'{"tokens":1e', b"9", b"}"))),
    Hostile("four million spaces", lambda: post(fill(b"{", b" ", b"}"))),
    Hostile(
        "UTF-16 that hides its commas",
        lambda: post(("[" + "\u2222" + "1," * 990_000 + "1]").encode("utf-16")),
    ),
    Hostile("9,000 formats", lambda: post(order(formats=["turtle"] * 9_000))),
    Hostile("a base of four million letters", lambda: post(order(base="urn:" + "x" * 3_900_000))),
    Hostile(
        "a gzip bomb", lambda: post(gzip.compress(bytes(50_000_000)), b"Content-Encoding: gzip\r\n")
    ),
    Hostile("a body of 20 MB", lambda: post(fill(b'{"text":"', b"a", b'"}', 20_000_000))),
    Hostile(
        "a body in chunks of one byte",
        lambda: chunked(bytes([b]) for b in fill(b'{"text":"', b"a", b'"}', 400_000)),
    ),
    Hostile("a chunk that is none", lambda: chunked(iter([b'{"text":']), b"zz\r\nnothing\r\n\r\n")),
    Hostile("a body of two lengths", lambda: post(b"{}", b"Content-Length: 9\r\n")),
    Hostile("a length and chunks", lambda: post(b"0\r\n\r\n", b"Transfer-Encoding: chunked\r\n")),
    Hostile("a decision with 200,000 unknown keys", lambda: decide(keys(200_000))),
    Hostile("a decision with 9,000 keys", lambda: decide(keys(9_000)), clients=20),
    Hostile("a decision of brackets", lambda: decide(b"[" * 500_000 + b"]" * 500_000)),
    Hostile(
        "a decision with a note of escaped letters",
        lambda: decide(fill(b'{"action":"approve","note":"', b"\\u0161", b'"}')),
    ),
)
WORK = (
    Hostile("a text full of names", lambda: post(order(text=NAMES[:200_000]))),
    Hostile(
        "a text full of names, bundled ontology",
        lambda: post(order(text=NAMES[:199_999], ontology_name="graph")),
    ),
    Hostile(
        "a text of capitals", lambda: post(order(text=CAPITALS[:200_000], ontology_name="graph"))
    ),
    Hostile(
        "a text of capitals that deny something",
        lambda: post(order(text="Ada Byron not founded Acme Ltd, and " * 5_550)),
    ),
    Hostile("a text of digits", lambda: post(order(text="1 " * 99_990))),
    Hostile(
        "15,000 classes of the same name",
        lambda: post(order(text=NAMESAKES, ontology=namesakes(15_000))),
    ),
    Hostile("a text of one word", lambda: post(order(text="a" * 200_000, ontology_name="graph"))),
    Hostile(
        "a text of line breaks, within the limit",
        lambda: post(order(text="\n" * 199_990 + "A. B.", ontology_name="graph")),
    ),
    Hostile("a text of brackets", lambda: post(order(text="(((" * 66_000, ontology_name="graph"))),
    Hostile("an ontology of 19,000 classes", lambda: post(order(ontology=classes(19_000)))),
    Hostile("an ontology of 45,000 classes", lambda: post(order(ontology=classes(45_000)))),
    Hostile(
        "an ontology 19,000 classes deep", lambda: post(order(ontology=classes(19_000, deep=True)))
    ),
    Hostile("an ontology of four million brackets", lambda: post(order(ontology="[" * 3_900_000))),
    Hostile(
        "an ontology that is nested JSON",
        lambda: post(order(ontology='{"@graph":[' * 300_000, ontology_format="jsonld")),
    ),
    Hostile(
        "an ontology that is an entity bomb",
        lambda: post(order(ontology=entity_bomb(), ontology_format="rdfxml")),
    ),
    Hostile("forty orders at once", lambda: post(order(text=NAMES[:60_000])), clients=40),
    Hostile(
        "forty large ontologies at once", lambda: post(order(ontology=classes(15_000))), clients=40
    ),
)
REQUESTS = (
    Hostile(
        "a question with 2,000 fields",
        lambda: get(b"/api/ask?concept=x&" + b"&".join(b"f%d=1" % n for n in range(1_000))),
    ),
    Hostile("a search of 8,000 letters", lambda: get(b"/api/concepts?q=" + b"a%20" * 1_900)),
    Hostile("an id of 8,000 letters", lambda: get(b"/extract/" + b"x" * 8_000)),
    Hostile("a name of 100,000 letters", lambda: get(b"/" + b"x" * 100_000)),
    Hostile(
        "10,000 headers",
        lambda: get(b"/health", b"".join(b"X-%d: y\r\n" % n for n in range(10_000))),
    ),
    Hostile(
        "a header of a million bytes",
        lambda: get(b"/health", b"X-Long: %b\r\n" % (b"y" * 1_000_000)),
    ),
    Hostile("bytes that are no HTTP", lambda: bytes(range(256)) * 2_000),
    Hostile(
        "a TLS handshake", lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(512)
    ),
    Hostile(
        "a foreign host",
        lambda: b"GET /api/releases HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n",
    ),
    Hostile("a foreign page", lambda: post(order(), b"Origin: https://rebound.example\r\n")),
    Hostile(
        "5,000 requests in one go",
        lambda: get(b"/api/concepts", b"") * 4_999 + get(b"/api/concepts"),
    ),
    Hostile(
        "100 clients that read no answer",
        lambda: get(b"/extract/big", AUTH),
        clients=100,
        reads=False,
        before=lambda: post(order(text=NAMES[:80_000], request_id="big"), AUTH),
        must_drop=True,
    ),
    Hostile(
        "100 clients that read a large answer",
        lambda: get(b"/extract/big", AUTH + b"Connection: close\r\n"),
        clients=100,
    ),
)
SLOW = (
    Hostile(
        "600 clients with slow headers",
        lambda: get(b"/health", b"X-Slow: " + b"y" * 100),
        clients=MANY,
        pause_s=1.0,
        must_drop=True,
    ),
    Hostile(
        "600 clients with slow bodies",
        lambda: post(order()),
        clients=MANY,
        pause_s=1.0,
        must_drop=True,
    ),
    Hostile("600 clients that say nothing", lambda: b"", clients=MANY, must_drop=True),
)
ALL = BODIES + WORK + REQUESTS + SLOW
