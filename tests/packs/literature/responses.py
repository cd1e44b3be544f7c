"""Recorded answers of services, from the samples."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

_AROUND = [parent / "shared" / "samples" / "literature" for parent in Path(__file__).parents[4:6]]
SAMPLES = next((folder for folder in _AROUND if folder.is_dir()), _AROUND[0])
needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="there is no ../shared/samples here"
)


class Recorded(NamedTuple):
    """One recorded answer."""

    url: str
    status: int
    body: bytes


def load_json(name: str) -> Recorded:
    """An answer that was saved as JSON, with its request."""
    value: Any = json.loads((SAMPLES / name).read_bytes())
    source = value.get("_source", value)
    body = value["body"]
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Recorded(source["url"], source.get("status") or source["status_code"], data)


def load_cassette(name: str) -> list[Recorded]:
    """The answers in a cassette of VCR."""
    found = []
    value = yaml.safe_load((SAMPLES / name).read_bytes())
    for exchange in value["interactions"]:
        body = exchange["response"]["body"]["string"]
        data = body.encode() if isinstance(body, str) else bytes(body)
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        elif data[:4] == b"H4sI":
            data = gzip.decompress(base64.b64decode(data))
        status = exchange["response"]["status"]["code"]
        found.append(Recorded(exchange["request"]["uri"], status, data))
    return found
