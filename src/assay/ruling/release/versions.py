"""Versions of releases: three numbers; the more critical the change, the earlier the number."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from assay.errors import InvalidInput

_PATTERN = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", re.ASCII)


class ReleaseVersion(NamedTuple):
    """A version; a later one compares as greater."""

    major: int = 0
    minor: int = 0
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def parse(cls, written: str) -> "ReleaseVersion":
        found = _PATTERN.fullmatch(written)
        if found is None:
            raise InvalidInput(
                f"'{written}' is not a version.", advice="Use three numbers, as in 1.4.0."
            )
        return cls(*map(int, found.groups()))


def is_version(written: str) -> bool:
    return _PATTERN.fullmatch(written) is not None


def bump_version(highest: ReleaseVersion, tiers: Iterable[str]) -> ReleaseVersion:
    """The version after the highest so far, given the tiers of the rules whose meaning changes.


    T0 raises the first number, T1 the second, everything else the third.
    """
    changed = frozenset(tiers)
    if "T0" in changed:
        return ReleaseVersion(highest.major + 1)
    if "T1" in changed:
        return ReleaseVersion(highest.major, highest.minor + 1)
    return ReleaseVersion(highest.major, highest.minor, highest.patch + 1)
