"""The pages of the console, one module for each area."""

from assay.console.pages import account, login, overview

PAGES = (overview, account, login)
"""Each has a `router`."""
