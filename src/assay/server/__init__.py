"""Assay over HTTP: answers, releases, rules, and the routes of packs."""

from assay.server.application import create_app, serve

__all__ = ["create_app", "serve"]
