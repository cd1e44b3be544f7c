"""The console and the HTTP API: what people and programs see of Assay."""

from assay.console.application import create_console

__all__ = ["create_console"]
