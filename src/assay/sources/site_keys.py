"""Keys that sites expect in addresses: added when a request is sent, and nowhere else.

Jobs, listings, logs and errors have the address without the key.
"""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from pydantic import SecretStr


def add_key(keys: Mapping[str, SecretStr], url: str) -> str:
    """The address to request, with its key if there is one."""
    for prefix, pair in keys.items():
        if url.startswith(prefix):
            return f"{url}{'&' if '?' in url else '?'}{pair.get_secret_value()}"
    return url


def remove_keys(keys: Mapping[str, SecretStr], location: str) -> str:
    """The address that a site redirects to, without a key that it repeats."""
    for pair in keys.values():
        plain = pair.get_secret_value()
        forms = f"{re.escape(plain)}|{re.escape(unquote(plain))}"
        location = re.sub(rf"([?&])(?:{forms})&", r"\1", location)
        location = re.sub(rf"[?&](?:{forms})(?=#|$)", "", location)
    return location
