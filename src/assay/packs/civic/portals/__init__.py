"""Vendors' portals, one module each; all are read into the classes of `listed`."""
