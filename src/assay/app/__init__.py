"""The application: the only place that constructs, and the functions behind every command."""

from assay.app.composition import App

__all__ = ["App"]
