"""Assay over HTTP: what holds, the releases and the rules, and what packs bring."""

from assay.server.application import create_app
from assay.server.serving import serve

__all__ = ["create_app", "serve"]
