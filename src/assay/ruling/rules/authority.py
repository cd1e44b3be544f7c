"""Whose word counts for more, by the rank of a source."""

from enum import IntEnum

from assay.errors import InvalidInput


class Authority(IntEnum):
    """What stands behind a source's words; the greater is the stronger."""

    PRACTICE = 1
    PROCEDURE = 2
    GUIDANCE = 3
    LAW = 4


HIGHEST, LOWEST = 1, 7
"""The ranks that a source may have, 1 the highest."""
_UP_TO = ((2, Authority.LAW), (4, Authority.GUIDANCE), (5, Authority.PROCEDURE))


def authority_of(hierarchy: int) -> Authority:
    """The authority of a source's rank: 1 and 2 are law, 3 and 4 guidance, 5 procedure, else
    practice."""
    if not HIGHEST <= hierarchy <= LOWEST:
        raise InvalidInput(f"{hierarchy} is no rank of a source: ranks go from 1 to 7.")
    for rank, authority in _UP_TO:
        if hierarchy <= rank:
            return authority
    return Authority.PRACTICE
