"""How much authority a source has, by its rank."""

from enum import IntEnum

from assay.errors import InvalidInput


class Authority(IntEnum):
    """The authority of a source; the greater, the stronger."""

    PRACTICE = 1
    PROCEDURE = 2
    GUIDANCE = 3
    LAW = 4


HIGHEST, LOWEST = 1, 7
"""The ranks that a source may have, 1 the highest."""
_UP_TO = ((2, Authority.LAW), (4, Authority.GUIDANCE), (5, Authority.PROCEDURE))


def authority_of(hierarchy: int) -> Authority:
    """The authority of a source's rank: 1 and 2 are law, 3 and 4 guidance, 5 procedure, the rest
    practice."""
    if not HIGHEST <= hierarchy <= LOWEST:
        raise InvalidInput(f"{hierarchy} is not a valid source rank. Ranks go from 1 to 7.")
    for rank, authority in _UP_TO:
        if hierarchy <= rank:
            return authority
    return Authority.PRACTICE
