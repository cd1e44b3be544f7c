"""The tokens of one request, shared out among its stages. Values and pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.errors import InvalidInput

DEFAULT_TOTAL = 4096
RESERVE = "other"
"""The share of every stage that has none of its own."""

DEFAULT_TABLE: Mapping[str, int] = MappingProxyType(
    {
        "entityExtraction": 1440,
        "relationExtraction": 1440,
        "grounding": 615,
        "propertyScoping": 328,
        RESERVE: 273,
    }
)
"""How the default total is shared out."""

DEFAULT_PERCENTAGES: Mapping[str, int] = MappingProxyType(
    {"entityExtraction": 35, "relationExtraction": 35, "grounding": 15, "propertyScoping": 8}
)
"""How any other total is shared out; what is left is the reserve."""

OVERFLOWING = frozenset({"entityExtraction"})
"""Stages that may take what others have not used."""


@dataclass(frozen=True)
class Share:
    """One stage's part of a budget."""

    stage: str
    max_tokens: int
    used_tokens: int = 0
    may_overflow: bool = False

    @property
    def remaining(self) -> int:
        return max(0, self.max_tokens - self.used_tokens)


@dataclass(frozen=True)
class TokenBudget:
    """What one request may use, and has used."""

    total: int
    shares: Mapping[str, Share]
    used: int = 0

    @property
    def remaining(self) -> int:
        return max(0, self.total - self.used)

    def share_of(self, stage: str) -> Share:
        """The stage's own share, or the reserve."""
        return self.shares.get(stage) or self.shares[RESERVE]


def default_budget(total: int = DEFAULT_TOTAL) -> TokenBudget:
    """The table for the default total, the percentages for any other."""
    if total == DEFAULT_TOTAL:
        return by_table(DEFAULT_TABLE)
    return by_percentage(total, DEFAULT_PERCENTAGES)


def by_table(table: Mapping[str, int]) -> TokenBudget:
    """A budget from each stage's tokens; their sum is the total."""
    for stage, tokens in table.items():
        if tokens < 0:
            raise InvalidInput(f"Stage '{stage}' cannot have {tokens} tokens.")
    return _budget(sum(table.values()), table)


def by_percentage(total: int, percentages: Mapping[str, float]) -> TokenBudget:
    """Each stage's share rounded down; what is left goes to the reserve."""
    if total < 0:
        raise InvalidInput(f"A request cannot have {total} tokens.")
    if any(percent < 0 for percent in percentages.values()) or sum(percentages.values()) > 100:
        raise InvalidInput("The percentages must be zero or more, and 100 or less together.")
    table = {stage: int(total * percent / 100) for stage, percent in percentages.items()}
    left = total - sum(table.values())
    return _budget(total, {**table, RESERVE: table.get(RESERVE, 0) + left})


def can_afford(budget: TokenBudget, stage: str, tokens: int) -> bool:
    """Whether a call of so many tokens may be made. The request's total binds every stage."""
    if tokens > budget.remaining:
        return False
    share = budget.share_of(stage)
    return share.remaining >= tokens or share.may_overflow


def record_usage(budget: TokenBudget, stage: str, tokens: int) -> TokenBudget:
    """The budget after a call."""
    share = budget.share_of(stage)
    used = replace(share, used_tokens=share.used_tokens + tokens)
    return replace(
        budget,
        used=budget.used + tokens,
        shares=MappingProxyType({**budget.shares, share.stage: used}),
    )


def _budget(total: int, table: Mapping[str, int]) -> TokenBudget:
    shares = {
        stage: Share(stage, tokens, may_overflow=stage in OVERFLOWING)
        for stage, tokens in {RESERVE: 0, **table}.items()
    }
    return TokenBudget(total, MappingProxyType(shares))
