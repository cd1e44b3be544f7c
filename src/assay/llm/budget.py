"""The tokens of one request, divided among its steps. Values and pure functions.

How they are divided is up to the pipeline that declares the steps.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.errors import InvalidInput

DEFAULT_TOTAL = 4096
"""The tokens of a request that has no budget of its own."""
RESERVE = "other"
"""The share used by every step that has none of its own."""


@dataclass(frozen=True)
class BudgetShare:
    """One step's part of a budget."""

    step: str
    max_tokens: int
    used_tokens: int = 0
    may_overflow: bool = False

    @property
    def remaining(self) -> int:
        return max(0, self.max_tokens - self.used_tokens)


@dataclass(frozen=True)
class TokenBudget:
    """The tokens that one request may use and has used."""

    total: int
    shares: Mapping[str, BudgetShare]
    used: int = 0

    @property
    def remaining(self) -> int:
        return max(0, self.total - self.used)

    def share_of(self, step: str) -> BudgetShare:
        """The step's own share, or the reserve."""
        return self.shares.get(step) or self.shares[RESERVE]


def build_undivided_budget(total: int = DEFAULT_TOTAL) -> TokenBudget:
    """One share for all steps."""
    return build_budget_from_table({RESERVE: total})


def build_budget_from_table(
    table: Mapping[str, int], *, overflowing: Collection[str] = ()
) -> TokenBudget:
    """A budget from each step's tokens; their sum is the total.

    `overflowing` names the steps that may use what others have left over.
    """
    for step, tokens in table.items():
        if tokens < 0:
            raise InvalidInput(f"Step '{step}' cannot have {tokens} tokens.")
    return _build_budget(sum(table.values()), table, overflowing)


def build_budget_from_percentages(
    total: int, percentages: Mapping[str, float], *, overflowing: Collection[str] = ()
) -> TokenBudget:
    """Each step's share rounded down; what is left goes to the reserve."""
    if total < 0:
        raise InvalidInput(f"A request cannot have {total} tokens.")
    if any(percent < 0 for percent in percentages.values()) or sum(percentages.values()) > 100:
        raise InvalidInput("The percentages must not be negative or add up to more than 100.")
    table = {step: int(total * percent / 100) for step, percent in percentages.items()}
    left = total - sum(table.values())
    return _build_budget(total, {**table, RESERVE: table.get(RESERVE, 0) + left}, overflowing)


def can_afford(budget: TokenBudget, step: str, tokens: int) -> bool:
    """Whether a call of that many tokens may be made. The request's total limits every step."""
    if tokens > budget.remaining:
        return False
    share = budget.share_of(step)
    return share.remaining >= tokens or share.may_overflow


def record_usage(budget: TokenBudget, step: str, tokens: int) -> TokenBudget:
    """The budget after a call."""
    share = budget.share_of(step)
    used = replace(share, used_tokens=share.used_tokens + tokens)
    return replace(
        budget,
        used=budget.used + tokens,
        shares=MappingProxyType({**budget.shares, share.step: used}),
    )


def _build_budget(
    total: int, table: Mapping[str, int], overflowing: Collection[str]
) -> TokenBudget:
    shares = {
        step: BudgetShare(step, tokens, may_overflow=step in overflowing)
        for step, tokens in {RESERVE: 0, **table}.items()
    }
    return TokenBudget(total, MappingProxyType(shares))
