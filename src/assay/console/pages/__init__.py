"""The pages of the console, one module for each area."""

from assay.console.pages import overview

PAGES = (overview,)
"""Each has a `router`."""
