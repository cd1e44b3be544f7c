"""The pages of the console, one module for each area."""

from assay.console.pages import (
    account,
    ask,
    budget,
    jobs,
    login,
    overview,
    releases,
    rules,
    runs,
    sources,
)

PAGES = (
    overview,
    ask,
    rules,
    releases,
    sources,
    runs,
    jobs,
    budget,
    account,
    login,
)
"""Each has a `router`."""
