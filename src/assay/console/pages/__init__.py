"""The pages of the console, one module for each area."""

from assay.console.pages import ask, budget, jobs, overview, releases, rules, runs, sources

PAGES = (overview, ask, rules, releases, jobs, sources, runs, budget)
"""Each has a `router`."""
