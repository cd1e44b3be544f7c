"""The pages of the console, one module for each area."""

from assay.console.pages import jobs, overview, sources

PAGES = (overview, jobs, sources)
"""Each has a `router`."""
