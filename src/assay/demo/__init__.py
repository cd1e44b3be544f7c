"""Made-up publishers, served over HTTP: a whole country, and a gazette that never ends."""

from assay.demo.country import Country
from assay.demo.gazette import Document
from assay.demo.server import DemoServer, Fault, Site, serve_in_thread
from assay.demo.world import Changes, Page, World

__all__ = [
    "Changes",
    "Country",
    "DemoServer",
    "Document",
    "Fault",
    "Page",
    "Site",
    "World",
    "serve_in_thread",
]
