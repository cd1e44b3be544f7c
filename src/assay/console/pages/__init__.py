"""The pages of the console, one module for each area."""

from assay.console.pages import ask, overview, releases, rules

PAGES = (overview, ask, rules, releases)
"""Each has a `router`."""
