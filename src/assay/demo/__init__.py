"""The demo world: a small official gazette that changes from day to day, served over HTTP."""

from assay.demo.gazette import Document
from assay.demo.server import DemoServer, Fault, serve_in_thread
from assay.demo.world import Changes, Page, World

__all__ = [
    "Changes",
    "DemoServer",
    "Document",
    "Fault",
    "Page",
    "World",
    "serve_in_thread",
]
