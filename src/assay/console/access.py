"""Whose request it is, as the server says, and what is refused."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from assay.app.principals import ROLE_HEADER, USER_HEADER, Principal, Role
from assay.errors import ForeignRequest


def read_principal(request: Request) -> Principal:
    """Whose request this is."""
    return Principal(request.headers[USER_HEADER], Role(request.headers[ROLE_HEADER]))


def require(role: Role) -> Callable[[Request], Principal]:
    """A dependency that refuses everybody without this role."""

    def check(request: Request) -> Principal:
        principal = read_principal(request)
        if not principal.may(role):
            raise ForeignRequest(
                f"This needs the role '{role}'; {principal.name} has the role '{principal.role}'.",
                advice="Ask an operator of this installation for the role.",
            )
        return principal

    return check


Reader = Annotated[Principal, Depends(require(Role.READER))]
Decider = Annotated[Principal, Depends(require(Role.REVIEWER))]
Operator = Annotated[Principal, Depends(require(Role.OPERATOR))]
