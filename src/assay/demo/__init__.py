"""The demo: the packs' invented sites, served on loopback and run through the pipeline."""

from assay.demo.server import DemoServer, Site, SiteFault, serve_in_thread

__all__ = ["DemoServer", "Site", "SiteFault", "serve_in_thread"]
