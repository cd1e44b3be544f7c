"""The pages of the console, one module for each area."""

from assay.console.pages import (
    account,
    ask,
    budget,
    conflicts,
    documents,
    evidence,
    jobs,
    login,
    overview,
    releases,
    review,
    rules,
    runs,
    sources,
)

PAGES = (
    overview,
    review,
    conflicts,
    ask,
    rules,
    releases,
    documents,
    evidence,
    sources,
    runs,
    jobs,
    budget,
    account,
    login,
)
"""Each has a `router`."""
