"""The demo: the invented sites of packs, served on loopback and played through the pipeline."""

from assay.demo.server import DemoServer, Site, SiteFault, serve_in_thread

__all__ = ["DemoServer", "Site", "SiteFault", "serve_in_thread"]
