"""The application: the only place that builds objects, and the functions behind every command."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.app.composition import App

__all__ = ["App"]


def __getattr__(name: str) -> object:
    # Importing any module of this package imports the package first, and most need no database.
    if name == "App":
        from assay.app.composition import App

        return App
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
