"""Assay's only hash function: SHA-256 over stored bytes, in hexadecimal."""

import hashlib
import json
from pathlib import Path
from typing import Any


def content_hash(data: bytes) -> str:
    """The hash under which bytes are stored and checked."""
    return hashlib.sha256(data).hexdigest()


def hash_file(path: Path) -> str:
    """The same of a file, which may be larger than the memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical_json(value: Any) -> bytes:
    """JSON with sorted keys and no extra whitespace: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
