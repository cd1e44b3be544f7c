"""The pages of the console, one module for each area."""

from assay.console.pages import documents, evidence, overview

PAGES = (overview, documents, evidence)
"""Each has a `router`."""
