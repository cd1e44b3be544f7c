"""The same answers over HTTP: what holds, the releases and the rules, read only."""

from assay.server.application import create_app
from assay.server.serving import serve

__all__ = ["create_app", "serve"]
