"""The demo: the invented sites of packs, served on loopback and played through the pipeline."""

from assay.demo.server import DemoServer, Fault, Site, serve_in_thread

__all__ = ["DemoServer", "Fault", "Site", "serve_in_thread"]
