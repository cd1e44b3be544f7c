"""Who asks over HTTP, and what they may do."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

USER_HEADER: Final = "X-Assay-User"
ROLE_HEADER: Final = "X-Assay-Role"
"""Set by the server on every request that it passes to another process; a client's are left out."""


class Role(StrEnum):
    """What somebody may do; each role includes those before it."""

    READER = "reader"
    REVIEWER = "reviewer"
    OPERATOR = "operator"


_ORDER: Final = list(Role)


@dataclass(frozen=True)
class Principal:
    """The person or program that a request belongs to."""

    name: str
    """What decisions are signed with."""
    role: Role

    def may(self, role: Role) -> bool:
        """Whether this role is included in theirs."""
        return _ORDER.index(self.role) >= _ORDER.index(role)


LOCAL: Final = Principal("local", Role.OPERATOR)
"""Whoever asks a server that only this machine can reach."""
