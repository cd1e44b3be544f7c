"""The pages of the console, one module for each area."""

from assay.console.pages import budget, jobs, overview, runs, sources

PAGES = (overview, jobs, sources, runs, budget)
"""Each has a `router`."""
