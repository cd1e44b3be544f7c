"""The pages of the console, one module for each area."""

from assay.console.pages import conflicts, overview, review

PAGES = (overview, review, conflicts)
"""Each has a `router`."""
