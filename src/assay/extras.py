"""Optional parts of an installation: which are missing, and what they are for.

They are the extras of a distribution. A pack needs the extra of its own name, if its distribution
has one: `mine = ["numpy"]` among the extras and `mine = "my.package:pack"` among the packs.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

from assay.errors import ExtraMissing

OWN: Final = "assay"
_PURPOSES: Final = {
    "mcp": "answers assistants over MCP",
    "oidc": "lets people log in with OpenID Connect",
    "ocr": "reads scanned pages",
    "parquet": "exports to Parquet files",
    "shacl": "checks statements against SHACL shapes",
}
_NAME: Final = re.compile(r"^Name: *(\S+)", re.MULTILINE)
_REQUIREMENT: Final = re.compile(
    r"""^Requires-Dist: *(?P<name>[\w.-]+).*;.*\bextra *== *['"](?P<extra>[^'"]+)['"]""",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Extra:
    """An optional part of an installation."""

    name: str
    purpose: str
    missing: tuple[str, ...]
    """The distributions that are not installed; empty if it is complete."""


def list_extras() -> list[Extra]:
    """Assay's own extras, by name."""
    return [
        Extra(name, _PURPOSES.get(name, f"adds the pack '{name}'"), find_missing(own, name))
        for own in [distribution(OWN)]
        for name in sorted(read_extras(own))
    ]


def find_missing(of: Distribution, extra: str) -> tuple[str, ...]:
    """What an extra of a distribution needs and is not installed; empty if it has no such extra."""
    return tuple(name for name in read_extras(of).get(extra, ()) if not _is_installed(name))


def extra_missing(of: str, extra: str, needed_by: str) -> ExtraMissing:
    """The error for an extra of a distribution that something needs."""
    return ExtraMissing(
        f"{needed_by} needs the extra '{extra}', which is not installed.",
        advice=describe_installation(of, extra),
    )


def describe_installation(of: str, *extras: str) -> str:
    """How to install extras."""
    return f"Install it with: pip install '{of}[{','.join(extras)}]'."


@contextmanager
def needs_extra(extra: str, needed_by: str) -> Iterator[None]:
    """Import the libraries of one of Assay's extras; if one is missing, the error names it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == OWN:
            raise
        raise extra_missing(OWN, extra, needed_by) from error


def name_of(of: Distribution) -> str:
    """The name of a distribution."""
    told = _NAME.search(_read_header(of))
    return told[1] if told else OWN


def read_extras(of: Distribution) -> dict[str, list[str]]:
    """What each extra needs; one that only combines others is left out."""
    found: dict[str, list[str]] = {}
    own = name_of(of)
    for told in _REQUIREMENT.finditer(_read_header(of)):
        if told["name"] != own:
            found.setdefault(told["extra"], []).append(told["name"])
    return found


def _read_header(of: Distribution) -> str:
    """The metadata without the description; every command reads it, so it is not parsed whole."""
    return (of.read_text("METADATA") or "").partition("\n\n")[0]


@cache
def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
