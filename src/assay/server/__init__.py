"""Assay over HTTP: answers, releases, rules, and the routes of packs."""

from assay.server.application import create_app
from assay.server.serving import serve

__all__ = ["create_app", "serve"]
